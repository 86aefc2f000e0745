"""FTP's control connection: a greeting, a log-in, commands, QUIT."""
import ftplib

from script import Answer, Line, Send, lines

LOG_IN = {b"USER": "331 password", b"PASS": "230 in", b"QUIT": "221 bye"}
ANSWERS = {b"PWD": '257 "/"', b"NOOP": "200 ok", b"TYPE": "200 ok", b"SIZE": "213 10"}


def server():
    yield Send(lines("220-peer", "220 ready"))
    while True:
        word = (yield Line()).split()[0].upper()
        if word in LOG_IN:
            yield Send(lines(LOG_IN[word]))
        else:
            yield Answer(lines(ANSWERS.get(word, "502 no")))
        if word == b"QUIT":
            return


def control(port, patience_s):
    client = ftplib.FTP(timeout=patience_s)
    try:
        client.connect("127.0.0.1", port)
        client.login("peer", "secret")
        assert client.pwd() == "/"
        assert client.size("file") == 10
        client.voidcmd("NOOP")
        client.quit()
    finally:
        client.close()
