"""The real servers other than nginx and redis. Each runs in the foreground in a folder of its own."""
import glob
import os
import re
import signal
import socket
import subprocess

from process import end
from servers import Server, read, server


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")


class Logged(Server):
    """One whose log has a line for each connection. PATTERN: that line, SOURCE the address."""

    PATTERN = ""

    def served(self, source):
        text = read(self.log) + read(os.path.join(self.work, "said"))
        count = len(re.findall(self.PATTERN.replace("SOURCE", re.escape(source)), text))
        return count, count


@server("postgresql")
class Postgresql(Logged):
    PATTERN = r"connection received: host=SOURCE "

    def start(self):
        port = self.house.ports.take()
        self.ports = {"plain": port}
        binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        data = os.path.join(self.work, "data")
        more = {}
        if os.getuid() == 0:  # it refuses to be root
            os.chmod(self.house.folder, 0o755)
            run(["chown", "postgres", self.work])
            more = {"user": "postgres", "group": "postgres", "extra_groups": []}
        run([binaries + "/initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "--locale=C"],
            cwd=self.work, **more)
        with open(os.path.join(data, "pg_hba.conf"), "a") as file:
            file.write("host all all 127.0.0.0/8 trust\n")
        self.spawn([binaries + "/postgres", "-D", data, "-p", str(port), "-k", self.work, "-c",
                    "listen_addresses=127.0.0.1", "-c", "log_connections=on", "-c", "fsync=off", *self.tls()],
                   port, **more)

    def stop(self):
        end(self.child, signal.SIGINT)  # without waiting for clients


    def tls(self):
        return []


@server("postgresql-tls")
class PostgresqlTls(Postgresql):
    def tls(self):
        self.ports.update(tls12=self.ports["plain"], tls13=self.ports["plain"])
        key = os.path.join(self.work, "key")
        run(["install", "-m", "600", self.house.key, key])
        if os.getuid() == 0:
            run(["chown", "postgres", key])
        return ["-c", "ssl=on", "-c", "ssl_cert_file=" + self.house.cert, "-c", "ssl_key_file=" + key]


@server("mariadb")
class Mariadb(Logged):
    PATTERN = r"Connect\t\S+@SOURCE "

    def start(self):
        port = self.house.ports.take()
        self.ports = {"plain": port, "tls12": port, "tls13": port}
        me = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
        data = os.path.join(self.work, "data")
        run(["mariadb-install-db", "--no-defaults", "--user=" + me, "--datadir=" + data, "--skip-test-db",
             "--auth-root-authentication-method=normal"])
        self.spawn(["mariadbd", "--no-defaults", "--user=" + me, "--datadir=" + data, "--port=" + str(port),
                    "--bind-address=127.0.0.1", "--socket=" + self.work + "/socket", "--skip-name-resolve",
                    "--skip-grant-tables", "--general-log", "--general-log-file=" + self.log,
                    "--ssl-cert=" + self.house.cert, "--ssl-key=" + self.house.key], port)


@server("memcached")
class Memcached(Server):
    """Says nothing of addresses: one of its own for each trial, and how many came since the last look."""

    own = True

    def start(self):
        port = self.house.ports.take()
        self.ports = {"plain": port}
        self.marks = {}
        self.looks = 0
        self.spawn(["memcached", "-u", "root", "-l", "127.0.0.1", "-p", str(port)], port)

    def total(self):
        """Without our own connections, of which there was one before the first look, in spawn."""
        self.looks += 1
        with socket.create_connection(("127.0.0.1", self.ports["plain"])) as asking:
            asking.sendall(b"stats\r\n")
            answer = b""
            while b"END\r\n" not in answer:
                answer += asking.recv(65536)
        return int(re.search(rb"total_connections (\d+)", answer).group(1)) - self.looks

    def mark(self, source):
        self.marks[source] = self.total()

    def served(self, source):
        count = self.total() - self.marks[source]
        return count, count


@server("mosquitto")
class Mosquitto(Logged):
    PATTERN = r"New connection from SOURCE:"

    def start(self):
        port = self.house.ports.take()
        self.ports = {"plain": port}
        config = os.path.join(self.work, "conf")
        with open(config, "w") as file:
            file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\nlog_type all\nlog_dest stderr\nuser root\n")
        self.spawn(["/usr/sbin/mosquitto", "-c", config], port)


@server("slapd")
class Slapd(Logged):
    PATTERN = r"ACCEPT from IP=SOURCE:"

    def start(self):
        port = self.house.ports.take()
        self.ports = {"plain": port}
        config = os.path.join(self.work, "conf")
        with open(config, "w") as file:
            file.write(f"pidfile {self.work}/pid\n")
        self.spawn(["/usr/sbin/slapd", "-d", "256", "-h", f"ldap://127.0.0.1:{port}", "-f", config], port)


@server("sshd")
class Sshd(Logged):
    PATTERN = r"Connection from SOURCE port "

    def start(self):
        port = self.house.ports.take()
        self.ports = {"plain": port}
        self.key = os.path.join(self.work, "key")
        run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.key])
        config = os.path.join(self.work, "conf")
        with open(config, "w") as file:
            file.write(f"Port {port}\nListenAddress 127.0.0.1\nHostKey {self.key}\nStrictModes no\nUsePAM no\n"
                       f"AuthorizedKeysFile {self.key}.pub\nPermitRootLogin yes\nLogLevel VERBOSE\n"
                       f"PidFile {self.work}/pid\nMaxStartups 1000\n")
        if os.getuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)  # where it locks itself in
        self.spawn(["/usr/sbin/sshd", "-D", "-e", "-f", config], port)


@server("rsync")
class Rsync(Logged):
    PATTERN = r"connect from \S+ \(SOURCE\)"

    def start(self):
        port = self.house.ports.take()
        self.ports = {"plain": port}
        config = os.path.join(self.work, "conf")
        files = os.path.join(self.work, "files")
        os.mkdir(files)
        with open(os.path.join(files, "hello"), "w") as file:
            file.write("hello\n")
        with open(config, "w") as file:
            file.write(f"use chroot = no\nlog file = {self.log}\nreverse lookup = no\n[files]\npath = {files}\n")
        self.spawn(["rsync", "--daemon", "--no-detach", "--address=127.0.0.1", f"--port={port}",
                    f"--config={config}"], port)
