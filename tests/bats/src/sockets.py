"""Sockets of the rarer kinds, one conversation a word. What is printed must not depend on the shim.

usage: sockets.py WORD ARGUMENT...
"""
import errno
import os
import select
import signal
import socket
import struct
import sys
import threading
import time

FASTOPEN = 0x20000000  # MSG_FASTOPEN
FASTOPEN_CONNECT = 30


def say(*words):
    print(*words, flush=True)


def trying(what, act, *arguments):
    """Does it, and tells what came of it."""
    try:
        result = act(*arguments)
        say(what, "ok", result if isinstance(result, (int, bytes)) else "")
        return True
    except TimeoutError as error:
        say(what, "ETIMEDOUT" if error.errno else "timeout")
    except OSError as error:
        say(what, errno.errorcode.get(error.errno, error))
    return False


def serve(listener, behaviour):
    """Answers each connection in a thread, until the process ends."""

    def one(connection, behaviour):
        if behaviour == "greet":
            connection.sendall(b"hello")
        while True:
            got = connection.recv(65536)
            if not got or behaviour == "eof":
                break
            if behaviour in ("ok", "once", "fades"):
                connection.sendall(got)
            if behaviour == "once":
                connection.recv(65536)
                threading.Event().wait()
        connection.close()

    def every():
        nonlocal behaviour
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=one, args=(connection, behaviour), daemon=True).start()
            if behaviour == "fades":
                behaviour = "mute"

    threading.Thread(target=every, daemon=True).start()


def at(path):
    return b"\0" + path[1:].encode() if path.startswith("@") else path


def unix_server(path, behaviour):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(at(path))
    listener.listen(0 if behaviour == "full" else 64)
    if behaviour == "dead":
        listener.close()
    elif behaviour != "full":
        serve(listener, behaviour)
    return listener


def converse(connection, address):
    if trying("connect", connection.connect, address):
        trying("send", connection.send, b"ping")
        trying("recv", connection.recv, 100)
    connection.close()


def unix(path, behaviour, times):
    """So many conversations with one server."""
    listener = unix_server(path, behaviour)
    for _ in range(int(times)):
        connection = socket.socket(socket.AF_UNIX)
        if behaviour == "mute":
            connection.settimeout(0.15)
        converse(connection, at(path))
    listener.close()


def unix_alone(path):
    """Client and server in one thread, so that their calls have an order."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    for _ in range(3):
        one = socket.socket(socket.AF_UNIX)
        one.connect(path)
        one.send(b"ping")
        other, _ = listener.accept()
        other.send(other.recv(10))
        trying("recv", one.recv, 10)
        one.close()
        other.close()
    listener.close()
    os.unlink(path)


def unix_missing(path, times):
    for _ in range(int(times)):
        converse(socket.socket(socket.AF_UNIX), path)


def unix_full(path):
    """One that waits in the queue, then many that find it full, then one that gets through."""
    listener = unix_server(path, "full")
    first = socket.socket(socket.AF_UNIX)
    first.connect(path)
    last = socket.socket(socket.AF_UNIX)
    last.setblocking(False)
    for _ in range(10):
        trying("connect", last.connect, path)
    serve(listener, "ok")
    last.setblocking(True)
    trying("connect", last.connect, path)
    trying("send", last.send, b"ping")
    trying("recv", last.recv, 100)
    last.close()
    first.close()


def unix_waits(path, times):
    """Each waits for a place in a full queue, as long as SO_SNDTIMEO says."""
    listener = unix_server(path, "full")
    first = socket.socket(socket.AF_UNIX)
    first.connect(path)
    for _ in range(int(times)):
        one = socket.socket(socket.AF_UNIX)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 0, 250000))
        trying("connect", one.connect, path)
        one.close()
    listener.close()


def unix_wrong(path):
    """What the kernel refuses by itself, and at last what it does not."""
    listener = unix_server(path, "ok")
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)

    def connect(one, name, length):
        fd = one.fileno() if one else -1
        address = struct.pack("H108s", socket.AF_UNIX, name)
        rc = libc.connect(fd, address, length)
        say("connect", rc, errno.errorcode.get(ctypes.get_errno()) if rc else "")

    stream = socket.socket(socket.AF_UNIX)
    name = path.encode()
    connect(stream, name, 2)
    connect(stream, name, 1)
    connect(stream, name, 111)
    connect(stream, name + b".missing", 110)
    connect(stream, os.path.dirname(name), 110)
    connect(listener, name, 110)
    one, other = socket.socketpair()
    connect(one, name, 110)
    for kind in socket.SOCK_SEQPACKET, socket.SOCK_DGRAM:
        connect(socket.socket(socket.AF_UNIX, kind), name, 110)
    connect(socket.socket(socket.AF_INET), name, 110)
    connect(None, name, 110)
    connect(stream, name, 110)


def unix_pairs(path):
    """Neither a pair nor what is accepted is a call."""
    one, other = socket.socketpair()
    one.send(b"x")
    trying("recv", other.recv, 10)
    other.close()
    trying("eof", one.recv, 10)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    if os.fork() == 0:
        client = socket.socket(socket.AF_UNIX)
        client.connect(path)
        client.send(b"x")
        client.recv(10)
        os._exit(0)
    accepted, _ = listener.accept()
    trying("recv", accepted.recv, 10)
    accepted.send(b"y")
    trying("eof", accepted.recv, 10)
    os.wait()


def unix_stream(path):
    """stdio, of which nobody sees a byte."""
    import ctypes

    unix_server(path, "ok")
    libc = ctypes.CDLL(None)
    libc.fdopen.restype = ctypes.c_void_p
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    stream = ctypes.c_void_p(libc.fdopen(os.dup(connection.fileno()), b"r+"))
    connection.close()
    libc.fputs(b"ping\n", stream)
    libc.fflush(stream)
    line = ctypes.create_string_buffer(100)
    libc.fgets(line, 100, stream)
    say(line.value)
    libc.fclose(stream)


# ---- fast open: all in a network namespace of its own


def prepare_network(setting):
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", 0x49))
    with open("/proc/sys/net/ipv4/tcp_fastopen", "w") as file:
        file.write(setting)


def network(setting, *command):
    """Runs a command where that is the setting."""
    prepare_network(setting)
    os.execvp(command[0], command)


def tcp_server(behaviour):
    listener = socket.socket()
    listener.bind(("127.0.0.1", 7777))
    if behaviour != "dead":
        listener.listen(64)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_FASTOPEN, 64)
        serve(listener, behaviour)
    return listener


def fast(setting, form, behaviour, times):
    """Conversations that begin by fast open. form: connect or message, with a + if non-blocking."""
    address = "127.0.0.1", 7777
    prepare_network(setting)
    listener = tcp_server(behaviour)
    for number in range(int(times)):
        one = socket.socket()
        if form.endswith("+"):
            one.setblocking(False)
        if form.startswith("connect"):
            trying("set", one.setsockopt, socket.IPPROTO_TCP, FASTOPEN_CONNECT, 1)
            try:
                one.connect(address)
            except BlockingIOError:
                pass
            if behaviour == "unused":
                select.select([], [one], [], 1)
                say("error", one.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
                time.sleep(0.25)
                one.close()
                continue
            if form.endswith("+"):
                select.select([], [one], [], 5)
            trying("send", one.send, b"ping")
        elif form == "messages":
            trying("sendmsg", one.sendmsg, [b"pi", b"ng"], [], FASTOPEN, address)
        elif form == "many":
            trying("sendmmsg", sendmmsg, one.fileno(), FASTOPEN, address)
        else:
            while not trying("sendto", one.sendto, b"ping", FASTOPEN, address):
                if form.endswith("+") and select.select([], [one], [], 5)[1]:
                    if trying("send", one.send, b"ping"):
                        break
                trying("plain", one.connect, address)
                trying("send", one.send, b"ping")
                break
        answers = behaviour != "mute" and (behaviour != "fades" or number == 0)
        if form.endswith("+") or not answers:
            say("readable", len(select.select([one], [], [], 5 if answers else 0.15)[0]))
        if answers:
            trying("recv", one.recv, 100)
        one.close()
    listener.close()


def fast_rejected(setting):
    """Of a destination that is cut off."""
    prepare_network(setting)
    listener = tcp_server("ok")
    address = "127.0.0.1", 7777
    one = socket.socket()
    trying("sendto", one.sendto, b"ping", FASTOPEN, address)
    trying("sendmsg", one.sendmsg, [b"ping"], [], FASTOPEN, address)
    one.setsockopt(socket.IPPROTO_TCP, FASTOPEN_CONNECT, 1)
    trying("connect", one.connect, address)
    trying("inet6", one.sendto, b"ping", FASTOPEN, ("127.0.0.1", 0))
    trying("listening", listener.sendto, b"ping", FASTOPEN, address)
    one.close()
    listener.close()


# ---- exchanges on a connection that stands


def ways_of(connection, folder):
    """Every way to send four bytes: name, and what does it."""
    file = open(folder + "/bytes", "w+b")
    file.write(b"ping")
    file.flush()
    fd = connection.fileno()
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)

    def splice():
        out, into = os.pipe()
        os.write(into, b"ping")
        try:
            return os.splice(out, fd, 4)
        finally:
            os.close(out)
            os.close(into)

    return {
        "write": lambda: os.write(fd, b"ping"),
        "send": lambda: connection.send(b"ping"),
        "sendto": lambda: libc_sendto(libc, fd),
        "sendmsg": lambda: connection.sendmsg([b"pi", b"ng"]),
        "sendmmsg": lambda: sendmmsg(fd),
        "writev": lambda: os.writev(fd, [b"pi", b"ng"]),
        "sendfile": lambda: os.sendfile(fd, file.fileno(), 0, 4),
        "splice": splice,
    }


def sendmmsg(fd, flags=0, address=None):
    """One message of two parts."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    data = ctypes.create_string_buffer(b"ping", 4)
    start = ctypes.addressof(data)
    parts = ctypes.create_string_buffer(struct.pack("PNPN", start, 2, start + 2, 2), 32)
    name = b""
    if address:
        name = struct.pack("=HH4s8x", socket.AF_INET, socket.htons(address[1]), socket.inet_aton(address[0]))
    room = ctypes.create_string_buffer(name, 16)
    message = struct.pack(
        "PIxxxxPNPNixxxxIxxxx",
        ctypes.addressof(room) if address else 0,
        len(name),
        ctypes.addressof(parts),
        2,
        0,
        0,
        0,
        0,
    )
    if libc.sendmmsg(fd, message, 1, flags) != 1:
        raise OSError(ctypes.get_errno(), "sendmmsg")
    return 4


def libc_sendto(libc, fd):
    import ctypes

    rc = libc.sendto(fd, b"ping", 4, 0, None, 0)
    if rc < 0:
        raise OSError(ctypes.get_errno(), "sendto")
    return rc


def reach(port):
    connection = socket.create_connection(("127.0.0.1", int(port)))
    connection.send(b"hello")
    connection.recv(100)
    time.sleep(0.15)  # the opening is over
    return connection


def again(port, folder):
    """All ways to send on a connection that stands; what works also waits for the echo."""
    connection = reach(port)
    for name, send in ways_of(connection, folder).items():
        if trying(name, send):
            trying("recv", connection.recv, 100)
    connection.close()


def again_passes(port, control):
    """Cut off, but for what stands."""
    connection = reach(port)
    with open(control, "w") as file:
        file.write("127.0.0.1:* FORCED_OPEN reject_established=no\n")
    while True:  # until the file is looked at
        connection.send(b"ping")
        connection.recv(100)
        time.sleep(0.02)
        try:
            socket.create_connection(("127.0.0.1", int(port))).close()
        except ConnectionRefusedError:
            break
    for _ in range(5):
        connection.send(b"ping")
        connection.recv(100)
    say("never rejected")


def again_cut_off(port, folder, control, more=""):
    """The same, when the operator cuts the destination off; a farewell passes, and at last it goes on."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    connection = reach(port)
    secret = socket.create_connection(("127.0.0.1", int(port)))
    secret.send(b"\x16\x03\x01\x00\x01x")
    secret.recv(100)
    time.sleep(0.15)
    with open(control, "w") as file:
        file.write("127.0.0.1:* FORCED_OPEN " + more + "\n")
    while True:  # until the file is looked at
        try:
            connection.send(b"ping")
        except ConnectionResetError:
            break
        connection.recv(100)
        time.sleep(0.02)
    for name, send in ways_of(connection, folder).items():
        trying(name, send)
    trying("alert", secret.send, b"\x15\x03\x03\x00\x02\x01\x00")
    connection.setblocking(False)
    trying("nothing came", connection.recv, 100)
    connection.setblocking(True)
    with open(control, "w") as file:
        file.write("127.0.0.1:* CLOSED\n")
    while not trying("send", connection.send, b"ping"):
        time.sleep(0.02)
    trying("recv", connection.recv, 100)


def again_probes(port, dead):
    """Trips the breaker by another port of it, then goes on over the connection that stands."""
    connection = reach(port)
    for _ in range(5):
        try:
            socket.create_connection(("127.0.0.1", int(dead)))
        except ConnectionRefusedError:
            pass
    goes_out(connection)
    trying("recv", connection.recv, 100)
    trying("send", connection.send, b"ping")
    trying("recv", connection.recv, 100)


def goes_out(connection):
    """Sends until that is let through."""
    while True:
        try:
            connection.send(b"ping")
            return
        except ConnectionResetError:
            time.sleep(0.02)


def again_mute(dead):
    """The same, but nothing answers the probe. Then one that is gone is used."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    serve(listener, "once")
    one, other = (reach(listener.getsockname()[1]) for _ in range(2))
    for _ in range(5):
        try:
            socket.create_connection(("127.0.0.1", int(dead)))
        except ConnectionRefusedError:
            pass
    goes_out(one)
    one.settimeout(0.15)
    trying("recv", one.recv, 100)
    one.close()
    trying("send", other.send, b"ping")
    other.shutdown(socket.SHUT_WR)
    trying("send", other.send, b"ping")


def gives_away(port):
    """A connection that somebody else goes on with."""
    connection = socket.create_connection(("127.0.0.1", int(port)))
    connection.send(b"ping")
    here, there = socket.socketpair()
    socket.send_fds(here, [b"x"], [connection.fileno()])
    connection.close()
    if os.fork() == 0:
        _, fds, _, _ = socket.recv_fds(there, 10, 4)
        other = socket.socket(fileno=fds[0])
        trying("recv", other.recv, 100)
        os._exit(0)
    os.wait()


globals()[sys.argv[1].replace("-", "_")](*sys.argv[2:])
