"""Servers that are clients of others. `run` is a request to the proxy, without the shim."""
import os
import subprocess

from client import client
from process import eventually
from servers import accepts, read

ASK = "curl -s -o /dev/null -w %{http_code} http://127.0.0.1:{front}/"


class Proxy:
    """A proxy of the trial's port, in the foreground: write(trial, front, scheme) returns its command."""

    def __init__(self, write):
        self.write = write

    def __call__(self, trial, scheme, env):
        said = os.path.join(trial.work, "said")
        with open(said, "ab") as out:
            self.child = subprocess.Popen(self.write(trial, trial.front, scheme), env=env, cwd=trial.work,
                                          stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        if not eventually(lambda: accepts(trial.front) or self.child.poll() is not None) or self.child.poll():
            raise RuntimeError(f"the proxy does not start: {read(said)[-2000:]}")
        return self

    def stop(self):
        self.child.terminate()
        self.child.wait()


def nginx(trial, front, scheme):
    temp = "".join(f"{kind}_temp_path {trial.work}/{kind};\n"
                   for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    config = os.path.join(trial.work, "nginx.conf")
    with open(config, "w") as file:
        file.write(f"""daemon off; {"user root;" if os.getuid() == 0 else ""} worker_processes 1;
pid {trial.work}/pid; error_log {trial.work}/err; events {{ worker_connections 256; }}
http {{ access_log off; {temp}
server {{ listen 127.0.0.1:{front};
location / {{ proxy_pass {trial.fill("{url}", scheme)}; proxy_read_timeout 1; proxy_connect_timeout 1; }} }} }}
""")
    return ["/usr/sbin/nginx", "-p", trial.work, "-c", config, "-e", trial.work + "/err"]


client("nginx as proxy", ASK, ASK, "nginx-light curl", says="200", daemon=Proxy(nginx), quick=True)
