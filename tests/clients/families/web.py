"""Programs that fetch a page."""
import os

from client import WEB, client, requests

AFTER = ((r"after \d+ ms", "after N ms"),)  # how long it took, says curl
CURL = {"CURL_CA_BUNDLE": "{cert}"}
STREAMS = {"plain": requests, "tls12": lambda connections, _: connections, "tls13": lambda connections, _: connections}

client("curl", "curl -sS {url}", "curl -sS --max-time 1 {url}", "curl", WEB, quick=True, env=CURL, blur=AFTER,
       remark="HTTP/2 over TLS")
client("curl, HTTP/1.1", "curl -sS --http1.1 {url}", "curl -sS --http1.1 --max-time 1 {url}", "curl", WEB,
       quick=True, env=CURL, blur=AFTER)
client("curl, five pages", "curl -sS {url} {url} {url} {url} {url}", "curl -sS --max-time 1 {url}", "curl", WEB,
       env=CURL, blur=AFTER, runs=2, calls={"plain": 5, "tls12": 1, "tls13": 1}, served=STREAMS, tries=5,
       remark="kept alive; over TLS they are the opening of one call")
client("wget", "wget -q -O - --tries=1 --ca-certificate={cert} {url}",
       "wget -q -O - --tries=1 --timeout=1 --ca-certificate={cert} {url}", "wget", WEB, quick=True)
client("wget, of a name", "wget -q -O - --tries=1 http://localhost:{port}/",
       "wget -q -O - --tries=1 --timeout=1 http://localhost:{port}/", "wget",
       remark="which has two addresses, and nobody listens at the first")
client("git", "git ls-remote {url}page.git", "git -c http.lowSpeedLimit=1 -c http.lowSpeedTime=1 ls-remote {url}page.git",
       "git", WEB, env={"GIT_SSL_CAINFO": "{cert}", "GIT_TERMINAL_PROMPT": "0"}, says="refs/heads", blur=AFTER, runs=3,
       calls={"plain": 2, "tls12": 1, "tls13": 1}, served=STREAMS, remark="two requests, one connection")
client("lynx", "lynx -cfg={work}/cfg -source {url}", "lynx -cfg={work}/cfg -source -connect_timeout=1 -read_timeout=1 {url}",
       "lynx", WEB, mute_schemes=("plain",), remark="its time-out does not work over TLS", files={"cfg": "SSL_CERT_FILE:{cert}\nFORCE_SSL_PROMPT:yes\n"})
client("lftp", ["lftp", "-c", "set net:max-retries 1; set ssl:ca-file {cert}; cat {url}index.html"],
       ["lftp", "-c", "set net:max-retries 1; set net:timeout 1; set ssl:ca-file {cert}; cat {url}"], "lftp", WEB,
       blur=((r" \(Connection refused\)", ""),))
client("aria2", "aria2c -q --allow-overwrite=true --ca-certificate={cert} -d {work} -o page {url}",
       "aria2c -q --allow-overwrite=true --ca-certificate={cert} -t 1 -m 1 --connect-timeout=1 -d {work} -o page {url}",
       "aria2", WEB, says="")
client("apt's http method", "/usr/bin/python3 {here}/programs/apt.py {url} {work}/page 30",
       "/usr/bin/python3 {here}/programs/apt.py {url} {work}/page 1", "apt", says="201 URI Done", tries=9)
client("ab", "ab -q -n 6 -c 2 {url}", "ab -q -n 1 -s 1 {url}", "apache2-utils", runs=2, calls=6, tries=70,
       says="Complete requests: +6", blur=((r"(?s)Time taken.*", ""), (r"(?s)\s*(Test aborted|apr_socket).*", "refused")))
client("wrk", "wrk -t 1 -c 2 -d 1 {url}", "wrk -t 1 -c 1 -d 2 --timeout 1 {url}", "wrk", calls=None, runs=1,
       says="requests in", served=lambda _, requests: requests + 1, remark="looks first whether anyone listens: a call", warm="curl -s {url}", left_behind=2, blur=((r"[\d.]+\w*%?", "N"), (r" +", " ")))
client("siege", "siege -q -c 1 -r 5 {url}", "timeout 2 siege -q -c 1 -r 1 {url}", "siege", runs=2, calls=5, says="", tries=20,
       blur=((r"(?s).*", ""),), files={"rc": "verbose = false\nlogging = false\nfailures = 10\n"},
       env={"SIEGERC": "{work}/rc"}, remark="has no time-out: killed by timeout(1)")
client("httping", "httping -c 6 -i 0.01 -g {url}", "httping -c 1 -t 1 -g {url}", "httping", runs=1, calls=6, tries=6,
       says="6 ok", blur=((r"[\d.]+ ?ms|time=.*|[\d.]+/[\d.]+/[\d.]+", "N"),
                                 (r"could not connect \((.*)\)", r"problem connecting to host: \1")), remark="one request a connection")
client("nghttp", "nghttp {url}", "nghttp -t 1 {url}", "nghttp2-client", ("tls12", "tls13"), mute_unseen=True,
       blur=((r"(?s)\[ERROR\] Could not connect.*", "refused"),),
       remark="HTTP/2 in an event loop: its silence is not seen")
client("tnftp", "tnftp -V -o - {url}", "tnftp -V -q 1 -o - {url}", "tnftp")
client("sq (rust: reqwest)", "sq keyserver -p insecure --server hkp://{host}:{port} get nobody@example.org",
       "timeout 2 sq keyserver -p insecure --server hkp://{host}:{port} get nobody@example.org", "sq", code=1, says="not found",
       remark="has no time-out: killed by timeout(1)", served=requests)
client("lua-socket", "lua {here}/programs/page.lua {url} 30", "lua {here}/programs/page.lua {url} 1", "lua-socket lua5.4")
client("erlang httpc", "escript {here}/programs/page.erl {url} 30", "escript {here}/programs/page.erl {url} 1",
       "erlang-base erlang-inets erlang-ssl", WEB, runs=4)
GIO = "/usr/bin/python3 {here}/programs/gio.py "
client("gio", GIO + "socket {url} 30", GIO + "socket {url} 1", "python3-gi")
client("libsoup", GIO + "soup {url} 30", GIO + "soup {url} 1", "python3-gi gir1.2-soup-3.0 glib-networking", WEB,
       env={"GIO_USE_VFS": "local"})


def library(name, package, flags, **more):
    """A program of ours in C, with a library's event loop."""
    made = "{work}/" + name
    client(name, made + " {host} {port} 30" + more.get("last", ""), made + " {host} {port} 1" + more.pop("last", ""),
           package, build=(f"cc -o {made} {{here}}/programs/{name}.c {flags}",), **more)


library("libevent", "libevent-dev", "-levent")
library("libuv", "libuv1-dev", "-luv", blur=((r"Date: .*", ""),))
library("c-ares", "libc-ares-dev", "-lcares", also=("dns",), last=" {dns}")


def is_root():
    return None if os.getuid() == 0 else "only root can make a program setuid"


def unseen(name, command, why, packages="", **more):
    client(name, command, None, packages, unseen=why, remark="not seen: " + why, **more)


unseen("hey (go)", "hey -n 6 -c 1 {url}", "Go makes its system calls itself", "hey", says="200", runs=1, calls=6,
       served=requests, blur=((r"(?s).*", ""),))
unseen("busybox-static wget", "busybox wget -q -O - {url}", "static", "busybox-static")
unseen("a static program", "{work}/static {host} {port}", "static",
       build=("cc -static -o {work}/static {here}/programs/static.c",))
unseen("io_uring", "{work}/uring {host} {port}", "the kernel connects, sends and receives by itself",
       build=("cc -o {work}/uring {here}/programs/uring.c",), needs=lambda: uring_is_forbidden())
unseen("curl, setuid", "{work}/curl -sS {url}", "the loader ignores LD_PRELOAD", "curl", user=65534, needs=is_root,
       build=("cp /usr/bin/curl {work}/curl", "chmod 4755 {work}/curl"))


def uring_is_forbidden():
    """Containers often forbid it."""
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(425, 0, 0) == -1 and ctypes.get_errno() in (1, 38):
        return "io_uring is forbidden here"
    return None
