"""SMTP, POP3 and IMAP: the server greets, and the client says good-bye."""
import imaplib
import poplib
import smtplib
import time

from script import LATER_S, Answer, Line, Send, lines, looping

MESSAGE = "Subject: news\r\n\r\nnone\r\n"


def smtp_server():
    yield Send(lines("220 peer ESMTP"))
    yield from smtp_word("EHLO", lines("250-peer", "250-8BITMIME", "250 SIZE 1000000"), Send)
    while True:
        word = (yield Line())[:4].upper()
        if word == b"QUIT":
            yield Send(lines("221 bye"))
            return
        if word == b"DATA":
            yield Answer(lines("354 go on"))
            while (yield Line()) != b".\r\n":
                pass
        yield Answer(lines("250-more", "250 ok"))


def smtp_word(word, answer, how):
    assert (yield Line()).upper().startswith(word.encode())
    yield how(answer)


POP_LOG_IN = {b"CAPA": "-ERR what", b"USER": "+OK who", b"PASS": "+OK in", b"QUIT": "+OK bye"}


def pop_server():
    yield Send(lines("+OK peer"))
    while True:
        word = (yield Line())[:4].upper()
        if word in POP_LOG_IN:
            yield Send(lines(POP_LOG_IN[word]))
        else:
            yield Answer(lines("+OK 1 10") if word == b"STAT" else lines("+OK", MESSAGE, "."))
        if word == b"QUIT":
            return


def imap_server():
    yield Send(lines("* OK [CAPABILITY IMAP4REV1 IDLE] peer"))
    while True:
        tag, word = (yield Line()).split()[:2]
        done = lines(tag.decode() + " OK done")
        word = word.upper()
        if word == b"LOGOUT":
            yield Send(lines("* BYE") + done)
            return
        if word == b"CAPABILITY":
            yield Send(lines("* CAPABILITY IMAP4REV1 IDLE") + done)
        elif word == b"LOGIN":
            yield Send(done)
        else:
            yield Answer(lines("* 1 EXISTS", "* 0 RECENT") + done)


def submit(server):
    server.sendmail("peer@peer", ["other@peer"], MESSAGE)


def smtp(port, patience_s):
    """A letter: greeting, EHLO, the letter, QUIT."""
    with smtplib.SMTP("127.0.0.1", port, "peer", timeout=patience_s) as server:
        submit(server)


def smtp_kept(port, patience_s):
    """Two letters over one connection, with a pause between them."""
    with smtplib.SMTP("127.0.0.1", port, "peer", timeout=patience_s) as server:
        submit(server)
        time.sleep(LATER_S)
        submit(server)


def smtp_letter():
    yield Line()
    for word, count in (
        ("EHLO peer", 3), ("MAIL FROM:<peer@peer>", 2), ("RCPT TO:<other@peer>", 2), ("DATA", 1),
        (MESSAGE + ".", 2), ("QUIT", 1),
    ):
        yield Send(lines(word))
        for _ in range(count):
            yield Line()


smtp_looping = looping(smtp_letter)


def pop(port, patience_s):
    server = poplib.POP3("127.0.0.1", port, timeout=patience_s)
    try:
        server.user("peer")
        server.pass_("secret")
        assert server.stat() == (1, 10)
        assert server.retr(1)[1][0] == b"Subject: news"
        server.quit()
    finally:
        server.close()


def imap(port, patience_s):
    server = imaplib.IMAP4("127.0.0.1", port, timeout=patience_s)
    try:
        server.login("peer", "secret")
        assert server.select()[0] == "OK"
        assert server.noop()[0] == "OK"
        server.logout()
    except BaseException:
        server.shutdown()
        raise
