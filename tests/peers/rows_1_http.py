"""Plain HTTP/1.1: pools, single requests, curl."""
from clients_http import BODY
from conversation import PATIENCE, Conversation, Expect

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(BODY)


def answer(sock):
    """Takes a request without a body and answers it."""
    sock.recv_until(b"\r\n\r\n")
    sock.sendall(HEAD + BODY)


def answer_half(sock):
    sock.recv_until(b"\r\n\r\n")
    sock.sendall(HEAD + BODY[:100])
    sock.cut()


class HttpPool(Conversation):
    name = "http pool"
    title = "HTTP/1.1, five requests over one kept-alive connection (python http.client)"
    times = True
    late_is = "mute after the first answer"
    client = "clients_http.pool"
    expect = {
        "healthy": Expect(5),
        "mute": Expect(1, "FAILURE", True, "a request that is waited for in vain is a failure"),
        "late": Expect(1, "FAILURE", True, "each request is a call, so the second one fails",
                       first=1),
        "cut": Expect(1, "FAILURE", True, "the body ends before its Content-Length", first=1),
    }

    def command(self, port, weather):
        return self.python_client(self.client, port, weather)

    def serve(self, sock, weather):
        if weather == "mute":
            sock.mute()
            return
        answer(sock)
        if weather == "late":
            sock.mute()
        elif weather == "cut":
            answer_half(sock)
        while True:
            answer(sock)


class HttpOnce(HttpPool):
    name = "http once"
    title = "HTTP/1.1, one request a connection (python http.client)"
    client = "clients_http.once"
    expect = {
        "healthy": Expect(1),
        "mute": HttpPool.expect["mute"],
        "cut": Expect(1, "FAILURE", True, "the body ends before its Content-Length"),
    }

    def serve(self, sock, weather):
        if weather == "mute":
            sock.mute()
        elif weather == "cut":
            answer_half(sock)
        else:
            answer(sock)


class Curl(HttpOnce):
    name = "curl"
    title = "HTTP/1.1, curl"
    needs = ("curl",)
    times = False

    def command(self, port, weather):
        return ["curl", "-sSf", "-m", str(PATIENCE[weather]), "-o", "/dev/null",
                f"http://127.0.0.1:{port}/"]


ROWS = [HttpPool(), HttpOnce(), Curl()]
