"""Servers that are clients of others. `run` is a request to the proxy, without the shim."""
import os
import subprocess

from client import client, requests
from process import end, eventually, start
from servers import accepts, read

ASK = "curl -s -o /dev/null -w %{http_code} http://127.0.0.1:{front}/"


NOBODY = 65534 if os.getuid() == 0 else None  # apache's workers must not be root


class Proxy:
    """A proxy of the trial's port, in the foreground: write(trial, scheme) returns its command."""

    def __init__(self, write, also=None):
        self.write = write
        self.also = also  # the command of what stands before its {work}/socket, without the shim

    def __call__(self, trial, scheme, env):
        said = os.path.join(trial.work, "said")
        if self.also:
            subprocess.run(["rm", "-f", trial.work + "/socket"], check=True)
        commands = [(self.write(trial, scheme), env)]
        if self.also:
            commands.append((self.also(trial), trial.environment(scheme)))
        with open(said, "ab") as out:
            self.children = [start(command, env=env, cwd=trial.work, stdout=out, stderr=out, user=trial.client.user)
                             for command, env in commands]
        if not eventually(lambda: self.is_up(trial) or self.ended()) or self.ended():
            self.stop()
            raise RuntimeError(f"the proxy does not start: {read(said)[-2000:]}")
        return self

    def is_up(self, trial):
        return accepts(trial.front) and (not self.also or os.path.exists(trial.work + "/socket"))

    def ended(self):
        return any(child.poll() is not None for child in self.children)

    def stop(self):
        for child in self.children:
            end(child)


def written(trial, name, text):
    path = os.path.join(trial.work, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def nginx_with(trial, location):
    temp = "".join(f"{kind}_temp_path {trial.work}/{kind};\n"
                   for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    config = written(trial, "nginx.conf", f"""daemon off; {"user root;" if os.getuid() == 0 else ""} worker_processes 1;
pid {trial.work}/pid; error_log {trial.work}/err; events {{ worker_connections 256; }}
http {{ access_log off; {temp}
upstream kept {{ server 127.0.0.1:{trial.relay.port} max_fails=0; keepalive 4; }}
server {{ listen 127.0.0.1:{trial.front}; location / {{ {location} }} }} }}
""")
    return ["/usr/sbin/nginx", "-p", trial.work, "-c", config, "-e", trial.work + "/err"]


def nginx(trial, scheme):
    return nginx_with(trial, f"proxy_pass {trial.fill('{url}', scheme)}; proxy_read_timeout 1; proxy_connect_timeout 1;")


def nginx_kept(trial, scheme):
    return nginx_with(trial, "proxy_pass http://kept; proxy_http_version 1.1; proxy_set_header Connection '';"
                             "proxy_read_timeout 1; proxy_connect_timeout 1;")


def haproxy(trial, scheme):
    return ["haproxy", "-db", "-f", written(trial, "haproxy.cfg", f"""defaults
 mode http
 retries 0
 timeout client 10s
 timeout server 1s
 timeout connect 1s
listen l
 bind 127.0.0.1:{trial.front}
 server s 127.0.0.1:{trial.relay.port}
""")]


def apache(trial, scheme):
    modules = "".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n"
                      for name in ("mpm_event", "authz_core", "proxy", "proxy_http"))
    config = written(trial, "apache.conf", f"""ServerRoot {trial.work}
{modules}ServerName localhost
Listen 127.0.0.1:{trial.front}
PidFile {trial.work}/pid
ErrorLog {trial.work}/err
ProxyPass / http://127.0.0.1:{trial.relay.port}/ timeout=1 connectiontimeout=1 retry=0
""")
    return ["/usr/sbin/apache2", "-DFOREGROUND", "-f", config]


def gunicorn(trial, scheme):
    written(trial, "page.py", f"""import urllib.request
def answer(environ, start):
    try:
        page = urllib.request.urlopen("http://127.0.0.1:{trial.relay.port}/", timeout=1).read()
        start("200 OK", [])
        return [page]
    except OSError:
        start("503 No", [])
        return [b""]
""")
    return ["/usr/bin/gunicorn", "-b", f"127.0.0.1:{trial.front}", "-w", "1", "--graceful-timeout", "1", "page:answer"]


def php_fpm(trial, scheme):
    written(trial, "page.php", f"""<?php
$page = @file_get_contents("http://127.0.0.1:{trial.relay.port}/", false,
    stream_context_create(["http" => ["timeout" => 1]]));
if ($page === false)
    http_response_code(503);
echo $page;
""")
    config = written(trial, "fpm.conf", f"""[global]
error_log = {trial.work}/err
[www]
listen = {trial.work}/socket
listen.mode = 0666
{"user = root" if os.getuid() == 0 else ""}
{"group = root" if os.getuid() == 0 else ""}
pm = static
pm.max_children = 1
clear_env = no
""")
    root = ["--allow-to-run-as-root"] if os.getuid() == 0 else []
    return ["sh", "-c", 'exec "$(ls /usr/sbin/php-fpm* | tail -n 1)" "$@"', "sh", "-n", "-F", "-y", config, *root]


def before_fpm(trial):
    return nginx_with(trial, f"fastcgi_pass unix:{trial.work}/socket; fastcgi_param REQUEST_METHOD GET;"
                             f"fastcgi_param SCRIPT_FILENAME {trial.work}/page.php;")


def proxy(name, packages, write, also=None, **more):
    client(name, ASK, ASK, packages + " curl", says="200", daemon=Proxy(write, also), **more)


proxy("nginx as proxy", "nginx-light", nginx, quick=True)
proxy("nginx as proxy, kept alive", "nginx-light", nginx_kept, served=requests, probes=1)
proxy("haproxy", "haproxy", haproxy, served=requests)
proxy("apache mod_proxy", "apache2", apache, served=requests, user=NOBODY)
proxy("gunicorn, whose page fetches another", "gunicorn", gunicorn)
proxy("php-fpm behind nginx", "php-fpm nginx-light", php_fpm, before_fpm)
