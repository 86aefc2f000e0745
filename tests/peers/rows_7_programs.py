"""Real clients, of which most speak to the scripted peers, and real servers behind a relay."""
import os
import selectors
import shutil
import socket
import subprocess
import tempfile
import time

import protocol_ftp
import protocol_ldap
import protocol_mail
import protocol_mqtt
import protocol_postgres
import protocol_redis
import protocol_ssh
from conversation import PATIENCE, Conversation, Expect
from rows_5_databases import CUT, GREETER_PATIENCE_S, MUTE, NO_GREETING, ONE, weathers
from rows_6_messages import STREAM, STREAM_SILENCE
from script import CHUNK_BYTES, Scripted


class Program(Scripted):
    """A program that speaks to a scripted peer. Its argv has PORT and PATIENCE for these."""

    times = False
    argv = ()

    def command(self, port, weather):
        patience = max(PATIENCE[weather], self.patience_s)
        return [word.replace("PORT", str(port)).replace("PATIENCE", f"{patience:.3g}")
                for word in self.argv]


def curl(*words):
    return {"needs": ("curl",), "argv": ("curl", "-sS", "-m", "PATIENCE", "-o", "/dev/null", *words)}


GREETER = {"patience_s": GREETER_PATIENCE_S, "expect": weathers(mute=NO_GREETING)}

PSQL = ("env", "PGPASSWORD=secret", "PGCONNECT_TIMEOUT=PATIENCE", "psql", "-X", "-h", "127.0.0.1",
        "-p", "PORT", "-U", "peer", "-d", "peer", "-Atc", "select 1")
SSH = ("ssh", "-F", "none", "-p", "PORT", "-o", "ConnectTimeout=PATIENCE", "-o", "BatchMode=yes",
       "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o",
       "LogLevel=ERROR")
MQTT = ("-h", "127.0.0.1", "-p", "PORT", "-t")


def pump(one, other):
    """Until both have ended."""
    to = {one: other, other: one}
    with selectors.DefaultSelector() as waiting:
        for sock in to:
            waiting.register(sock, selectors.EVENT_READ)
        while waiting.get_map():
            for key, _ in waiting.select():
                data = key.fileobj.recv(CHUNK_BYTES)
                if data:
                    to[key.fileobj].sendall(data)
                    continue
                waiting.unregister(key.fileobj)
                to[key.fileobj].shutdown(socket.SHUT_WR)


class RealRedis(Conversation):
    """A redis-server of its own for each conversation, on a socket in a folder of its own."""

    needs = ("redis-server", "redis-cli")
    expect = {"healthy": Expect(1, why="one connection, one call")}

    def __init__(self, name, title, *words):
        self.name, self.title, self.words = name, title, words

    def serve(self, sock, weather):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "redis")
            server = subprocess.Popen(
                ["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder],
                stdout=subprocess.DEVNULL,
            )
            try:
                with self.connected(path) as other:
                    pump(sock.sock, other)
            finally:
                server.terminate()
                server.wait()

    @staticmethod
    def connected(path):
        for _ in range(1000):
            other = socket.socket(socket.AF_UNIX)
            try:
                other.connect(path)
                return other
            except OSError:
                other.close()
                time.sleep(0.01)
        raise AssertionError("redis-server does not start")

    def command(self, port, weather):
        return ["redis-cli", "-p", str(port), *self.words]


class RealSsh(Conversation):
    """ssh and sshd; the latter as under inetd, in a mount namespace where /run is its own."""

    name = "ssh program"
    title = "SSH: ssh and sshd, one command"
    needs = ("ssh", "/usr/sbin/sshd", "unshare")
    long = True
    expect = {"healthy": STREAM}

    def prepare(self, folder):
        self.folder = folder
        for kind in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/{kind}"],
                           check=True)
        shutil.copy(f"{folder}/user.pub", f"{folder}/authorized")
        with open(f"{folder}/config", "w", encoding="utf-8") as config:
            config.write(
                f"HostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\nStrictModes no\n"
                "PermitRootLogin yes\nUsePAM no\nLogLevel QUIET\nForceCommand echo hello\n"
            )

    def serve(self, sock, weather):
        sock.pause()
        sshd = f"mount -t tmpfs none /run && mkdir /run/sshd && exec /usr/sbin/sshd -i -f {self.folder}/config"
        subprocess.run(["unshare", "-m", "sh", "-c", sshd], stdin=sock.sock, stdout=sock.sock,
                       stderr=subprocess.DEVNULL, check=False)

    def command(self, port, weather):
        words = [word.replace("PORT", str(port)).replace("PATIENCE", "30") for word in SSH]
        return [*words, "-i", f"{self.folder}/user", "root@127.0.0.1", "true"]


ROWS = [
    Program("curl smtp", "SMTP: curl", peer=protocol_mail.smtp_server, **GREETER,
            **curl("smtp://127.0.0.1:PORT/peer", "--mail-from", "peer@peer", "--mail-rcpt",
                   "other@peer", "-T", "-")),
    Program("curl imap", "IMAP: curl", peer=protocol_mail.imap_server, **GREETER,
            **curl("imap://peer:secret@127.0.0.1:PORT/", "-X", "NOOP")),
    Program("curl pop", "POP3: curl", peer=protocol_mail.pop_server, **GREETER,
            **curl("pop3://peer:secret@127.0.0.1:PORT/1")),
    Program("curl ftp", "FTP's control connection: curl", peer=protocol_ftp.server, **GREETER,
            **curl("ftp://peer:secret@127.0.0.1:PORT/file", "-I")),
    Program("curl mqtt", "MQTT: curl publishes", peer=protocol_mqtt.server,
            expect={"healthy": STREAM, "mute": MUTE}, **curl("mqtt://127.0.0.1:PORT/topic", "-d", "x")),
    Program("curl ldap", "LDAP: curl", peer=protocol_ldap.server, pauses=True,
            # Its silence is not waited for: curl looks at an LDAP socket every 200 ms.
            expect={"healthy": ONE, "cut": CUT},
            **curl("ldap://127.0.0.1:PORT/dc=peer?cn?sub")),
    RealRedis("redis-cli", "Redis: redis-cli and redis-server, a set", "set", "key", "value"),
    RealRedis("redis-cli blocks", "Redis: redis-cli and redis-server, a BLPOP in vain", "blpop",
              "jobs", "1"),
    Program("redis-cli cut", "Redis: redis-cli and the scripted peer", peer=protocol_redis.server,
            needs=("redis-cli",), argv=("redis-cli", "-p", "PORT", "get", "key"),
            expect={"healthy": ONE, "cut": CUT}),
    Program("psql", "PostgreSQL: psql", peer=protocol_postgres.server, needs=("psql",), long=True,
            argv=PSQL, patience_s=2, expect={"healthy": ONE, "mute": MUTE, "cut": CUT}),
    Program("mosquitto_pub", "MQTT: mosquitto_pub", peer=protocol_mqtt.server, long=True,
            needs=("mosquitto_pub",), argv=("mosquitto_pub", *MQTT, "topic", "-m", "x", "-q", "1"),
            expect={"healthy": STREAM}),
    Program("mosquitto_sub", "MQTT: mosquitto_sub, for a second", peer=protocol_mqtt.server,
            long=True, needs=("mosquitto_sub",), pauses=True,
            # 27: the time that it was given is over.
            argv=("sh", "-c", 'mosquitto_sub "$@"; [ $? -eq 27 ]', "sh", *MQTT, "news", "-W", "1"),
            expect={"healthy": STREAM, "mute": MUTE, "late": STREAM_SILENCE}),
    Program("ldapsearch", "LDAP: ldapsearch", peer=protocol_ldap.server, long=True,
            needs=("ldapsearch",), expect={"healthy": ONE, "cut": CUT},
            argv=("ldapsearch", "-x", "-H", "ldap://127.0.0.1:PORT", "-b", "dc=peer")),
    Program("ssh mute", "SSH: ssh and the scripted peer", peer=protocol_ssh.server, long=True, needs=("ssh",),
            argv=(*SSH, "peer@127.0.0.1"), patience_s=1, expect={"mute": MUTE}),
    RealSsh(),
]
