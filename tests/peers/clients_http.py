"""Clients of plain HTTP/1.1."""
import http.client

BODY = b"hello, world\n" * 40


def get(connection, path="/"):
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200 and body == BODY, (answer.status, body[:80])


def once(port, patience):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
    try:
        get(connection)
    finally:
        connection.close()


def pool(port, patience):
    """Five requests over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
    try:
        for _ in range(5):
            get(connection)
    finally:
        connection.close()
