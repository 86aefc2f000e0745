"""TLS for peers, over a Wire, so that gaps and weathers stay what they are there."""
import os
import ssl
import subprocess

from wire import Gone, Stream


def certificate(folder):
    """Makes a self-signed certificate for 127.0.0.1; the path of it and its key, in one file."""
    path = os.path.join(folder, "peer.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=peer",
                    "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:origin.example",
                    "-keyout", path, "-out", path + ".crt"], check=True, capture_output=True)
    with open(path, "a", encoding="ascii") as both, open(path + ".crt", encoding="ascii") as crt:
        both.write(crt.read())
    return path


def server_context(path, version, tickets=2, protocols=()):
    """version: "1.2" or "1.3"; tickets: how many session tickets of TLS 1.3 it sends."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = context.maximum_version = {
        "1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}[version]
    context.load_cert_chain(path)
    if version == "1.3":
        context.num_tickets = tickets
    if protocols:
        context.set_alpn_protocols(list(protocols))
    return context


class TlsWire(Stream):
    def __init__(self, wire, context):
        self.wire = wire
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=True)

    def handshake(self):
        """Takes and gives until it is done; tickets are part of it."""
        self._until_done(self.tls.do_handshake)
        self._flush()

    def _until_done(self, step):
        while True:
            try:
                return step()
            except ssl.SSLWantReadError:
                self._flush()
                data = self.wire.recv()
                if not data:
                    raise Gone from None
                self.incoming.write(data)

    def _flush(self):
        data = self.outgoing.read()
        if data:
            self.wire.sendall(data)

    def _recv(self, count):
        try:
            return self._until_done(lambda: self.tls.read(count))
        except ssl.SSLZeroReturnError:
            return b""
        except ssl.SSLError as error:
            if "UNKNOWN_CA" in str(error):
                raise AssertionError("the client refuses the certificate") from None
            raise Gone from None

    def sendall(self, data):
        self.tls.write(data)
        self._flush()

    def close_notify(self):
        """Says good-bye, and does not wait for the client's."""
        try:
            self.tls.unwrap()
        except ssl.SSLError:
            pass
        self._flush()

    def pause(self):
        self.wire.pause()

    def rest(self, seconds):
        self.wire.rest(seconds)

    def mute(self):
        self.wire.mute()

    def cut(self):
        self.wire.cut()

    def reset(self):
        self.wire.reset()


def accept(wire, context):
    """A TlsWire after its handshake."""
    tls = TlsWire(wire, context)
    tls.handshake()
    return tls
