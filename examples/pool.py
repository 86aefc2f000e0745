#!/usr/bin/python3
"""A program with a pool of connections, as web frameworks have them: threads that take a kept-alive
connection, ask, and put it back. It knows nothing of breakers; an answer that does not come costs a
thread its TIMEOUT seconds.

    interlock run --set minimum_number_of_calls=5 examples/pool.py http://shop.internal:8080 200

With interlock, a shop that fell mute costs a few time-outs; after them each attempt to connect fails
at once with ECONNREFUSED, which the program has always known how to handle.
"""
import http.client
import os
import queue
import sys
import threading
import urllib.parse

THREADS = 4
TIMEOUT = float(os.environ.get("TIMEOUT", "10"))


class Pool:
    """Kept-alive connections to one host; one that failed is closed and opened anew when needed."""

    def __init__(self, url, size):
        parts = urllib.parse.urlsplit(url)
        self.idle = queue.Queue()
        for _ in range(size):
            self.idle.put(http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=TIMEOUT))

    def get(self, path):
        connection = self.idle.get()
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            return type(error).__name__
        finally:
            self.idle.put(connection)


def work(pool, jobs, results):
    while True:
        try:
            path = jobs.get_nowait()
        except queue.Empty:
            return
        results.put(pool.get(path))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: pool.py URL REQUESTS")
    url, requests = sys.argv[1], int(sys.argv[2])
    jobs, results = queue.Queue(), queue.Queue()
    for number in range(1, requests):
        jobs.put(f"/articles/{number}")
    pool = Pool(url, THREADS)
    results.put(pool.get("/articles/0"))  # the first alone: it may be all that there is
    threads = [threading.Thread(target=work, args=(pool, jobs, results)) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = {}
    for _ in range(requests):
        result = results.get()
        counts[result] = counts.get(result, 0) + 1
    print(", ".join(f"{counts[result]} x {result}" for result in sorted(counts, key=str)))
    return 0 if set(counts) == {200} else 1


if __name__ == "__main__":
    sys.exit(main())
