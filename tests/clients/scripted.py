"""Small servers of our own, where a real one would be large or is not to be had alone."""
import socket
import struct
import threading

from servers import Server, server


class Scripted(Server):
    """talk(lines, say): one connection. Counts connections, and the lines that came as requests."""

    def start(self):
        self.counts = {}
        port = self.house.ports.take()
        self.ports = {"plain": port}
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", port))
        self.listener.listen(128)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, (source, _) = self.listener.accept()
            except OSError:
                return
            count = self.counts.setdefault(source, [0, 0])
            count[0] += 1
            threading.Thread(target=self.serve, args=(connection, count), daemon=True).start()

    def serve(self, connection, count):
        def lines():
            for line in connection.makefile("rb"):
                count[1] += 1
                yield line.rstrip(b"\r\n").decode(errors="replace")
        try:
            self.talk(lines(), lambda text: connection.sendall(text.encode() + b"\r\n"))
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        connection.close()

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def served(self, source):
        return tuple(self.counts.get(source, (0, 0)))


@server("smtp")
class Smtp(Scripted):
    @staticmethod
    def talk(lines, say):
        say("220 here ready")
        for line in lines:
            verb = line[:4].upper()
            if verb == "DATA":
                say("354 go on")
                while next(lines) != ".":
                    pass
                say("250 taken")
            elif verb == "QUIT":
                say("221 bye")
                return
            else:
                say("250 here")


@server("whois")
class Whois(Scripted):
    @staticmethod
    def talk(lines, say):
        say(f"hello, {next(lines)}")


@server("dns")
class Dns(Server):
    """Every name is 127.0.0.1."""

    def start(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.ports = {"plain": self.socket.getsockname()[1]}
        threading.Thread(target=self.answer, daemon=True).start()

    def answer(self):
        while True:
            try:
                query, sender = self.socket.recvfrom(4096)
            except OSError:
                return
            end = query.index(b"\0", 12) + 5  # the question: a name, a type, a class
            is_a = query[end - 4:end - 2] == b"\0\1"
            head = query[:2] + struct.pack("!HHHHH", 0x8180, 1, int(is_a), 0, 0)
            record = b"\xc0\x0c" + struct.pack("!HHIH4B", 1, 1, 60, 4, 127, 0, 0, 1)
            self.socket.sendto(head + query[12:end] + (record if is_a else b""), sender)

    def stop(self):
        self.socket.close()
