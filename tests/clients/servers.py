"""The real servers that clients talk to: on 127.0.0.1, each started once, when it is first needed.

A server counts by the address that a connection comes from: every cell of every trial has one of its
own out of 127.0.0.0/8, so trials side by side do not blur each other's counts.
"""
import itertools
import os
import random
import re
import socket
import subprocess
import tempfile
import threading

from process import end, eventually, start

SERVERS = {}  # kind: class


def server(kind):
    def register(cls):
        SERVERS[kind] = cls
        return cls
    return register


class Ports:
    """Ports on which nobody else listens, nor will: see closed_port in tests/bats/helper.bash."""

    def __init__(self):
        self.folder = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"interlock-ports-{os.getuid()}")
        os.makedirs(self.folder, exist_ok=True)
        self.kept = []
        self.lock = threading.Lock()

    def take(self):
        with self.lock:
            for port in itertools.chain(range(random.randrange(10000, 20000), 21000), range(10000, 20000)):
                try:
                    os.mkdir(os.path.join(self.folder, str(port)))
                except FileExistsError:
                    continue
                self.kept.append(port)
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)):
                        return port
        raise RuntimeError("no port is free")

    def give_back(self):
        for port in self.kept:
            os.rmdir(os.path.join(self.folder, str(port)))
        self.kept = []


class House:
    """All that trials share."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="interlock-clients-")
        os.chmod(self.folder, 0o755)  # some servers and clients run as another user
        self.ports = Ports()
        self.cert = os.path.join(self.folder, "cert.pem")
        self.key = os.path.join(self.folder, "key.pem")
        self.running = {}
        self.lock = threading.Lock()
        self.sources = (f"127.77.{n // 250}.{n % 250 + 1}" for n in itertools.count(4))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-nodes", "-days", "2", "-keyout", self.key, "-out", self.cert, "-subj", "/CN=localhost",
             "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"], check=True, capture_output=True)

    def source(self):
        with self.lock:
            return next(self.sources)

    def server(self, kind, owner=""):
        """The server of that kind; one that cannot tell addresses apart is the owner's alone."""
        name = kind + (re.sub(r"\W+", "-", "-" + owner) if SERVERS[kind].own else "")
        with self.lock:
            if name not in self.running:
                work = os.path.join(self.folder, "server-" + name)
                os.mkdir(work)
                self.running[name] = SERVERS[kind](self, work)
            return self.running[name]

    def stop(self):
        for one in self.running.values():
            one.stop()
        self.leave()

    def leave(self):
        self.ports.give_back()
        subprocess.run(["rm", "-rf", self.folder], check=False)


class Server:
    """ports: by scheme. served(source): (connections, requests) that came from that address since
    mark(source)."""

    own = False  # one for each trial

    def __init__(self, house, work):
        self.house, self.work = house, work
        self.log = os.path.join(work, "log")
        self.ports = {}
        self.child = None
        self.start()

    def spawn(self, command, port, **more):
        """Starts the server and waits until it accepts."""
        with open(os.path.join(self.work, "said"), "ab") as said:
            self.child = start(command, cwd=self.work, stdout=said, stderr=said, **more)
        if not eventually(lambda: accepts(port) or self.child.poll() is not None) or self.child.poll():
            raise RuntimeError(f"{command[0]} does not start: {read(os.path.join(self.work, 'said'))[-2000:]}")

    def stop(self):
        end(self.child)

    def mark(self, source):
        pass

    def served(self, source):
        raise NotImplementedError


def accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def read(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


@server("web")
class Web(Server):
    """nginx: a page in plain text and both TLS, with HTTP/2 where there is TLS. Whatever is below
    /mute goes to a backend that never answers."""

    def start(self):
        self.backend = socket.socket()  # accepts nobody: the kernel does, and that is mute
        self.backend.bind(("127.0.0.1", 0))
        self.backend.listen(4096)
        self.ports = {scheme: self.house.ports.take() for scheme in ("plain", "tls12", "tls13")}
        www = os.path.join(self.work, "www")
        os.mkdir(www)
        self.repository(www)
        with open(os.path.join(www, "index.html"), "w") as page:
            page.write("hello\n")
        config = os.path.join(self.work, "nginx.conf")
        with open(config, "w") as file:
            file.write(self.config(www))
        self.spawn(["/usr/sbin/nginx", "-p", self.work, "-c", config, "-e", self.work + "/err"],
                   self.ports["tls13"])

    @staticmethod
    def repository(www):
        """For git, at /page.git."""
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", www]
        for words in (["init", "-q", "--bare", "page.git"], ["clone", "-q", "page.git", "page"],
                      ["-C", "page", "commit", "-q", "--allow-empty", "-m", "hello"], ["-C", "page", "push", "-q"],
                      ["-C", "page.git", "update-server-info"]):
            subprocess.run(git + words, check=True, capture_output=True)

    def config(self, www):
        temp = "".join(f"{kind}_temp_path {self.work}/{kind};\n"
                       for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        hosts = "".join(
            f"server {{ listen 127.0.0.1:{self.ports[scheme]} {options}; {protocol}\n"
            f"location /mute {{ proxy_pass http://127.0.0.1:{self.backend.getsockname()[1]}; }} }}\n"
            for scheme, options, protocol in (
                ("plain", "", ""), ("tls12", "ssl http2", "ssl_protocols TLSv1.2;"),
                ("tls13", "ssl http2", "ssl_protocols TLSv1.3;")))
        user = "user root;" if os.getuid() == 0 else ""
        return f"""daemon off; {user} worker_processes 1; pid {self.work}/pid;
events {{ worker_connections 1024; }}
http {{
log_format served "$remote_addr $connection $status";
access_log {self.log} served; keepalive_timeout 60; keepalive_requests 100000;
{temp}ssl_certificate {self.house.cert}; ssl_certificate_key {self.house.key};
root {www}; default_type text/html; proxy_http_version 1.1; proxy_read_timeout 3600;
{hosts}}}
"""

    def served(self, source):
        lines = [line.split() for line in read(self.log).splitlines()]
        good = [line[1] for line in lines if line[0] == source and line[2] in ("200", "404")]
        return len(set(good)), len(good)


@server("redis")
class Redis(Server):
    def start(self):
        port = self.house.ports.take()
        self.ports = {"plain": port}
        self.spawn(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--protected-mode", "no",
                    "--save", "", "--dir", self.work, "--logfile", self.log, "--loglevel", "verbose"], port)

    def served(self, source):
        count = len(re.findall(rf"Accepted {re.escape(source)}:", read(self.log)))
        return count, count
