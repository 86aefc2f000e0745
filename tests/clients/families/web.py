"""Programs that fetch a page."""
from client import WEB, client, connections, requests

AFTER = ((r"after \d+ ms", "after N ms"),)  # how long it took, says curl
CURL = {"CURL_CA_BUNDLE": "{cert}"}
# Kept alive: a call for each request where they can be seen, else for each connection.
KEPT = {"plain": requests, "tls12": connections, "tls13": connections}
KILLED = "has no time-out: killed by timeout(1)"

client("curl", "curl -sS {url}", "curl -sS --max-time 1 {url}", "curl", WEB, quick=True, env=CURL,
       blur=AFTER, remark="HTTP/2 over TLS")
client("curl, HTTP/1.1", "curl -sS --http1.1 {url}", "curl -sS --http1.1 --max-time 1 {url}", "curl",
       WEB, quick=True, env=CURL, blur=AFTER)
client("curl, five pages", "curl -sS {url} {url} {url} {url} {url}", "curl -sS --max-time 1 {url}",
       "curl", WEB, env=CURL, blur=AFTER, runs=2, calls={"plain": 5, "tls12": 1, "tls13": 1},
       served=KEPT, tries=5, remark="kept alive; over TLS they are the opening of one call")
client("wget", "wget -q -O - --tries=1 --ca-certificate={cert} {url}",
       "wget -q -O - --tries=1 --timeout=1 --ca-certificate={cert} {url}", "wget", WEB, quick=True)
client("wget, of a name", "wget -q -O - --tries=1 http://localhost:{port}/",
       "wget -q -O - --tries=1 --timeout=1 http://localhost:{port}/", "wget",
       remark="which has two addresses, and nobody listens at the first")
client("git", "git ls-remote {url}page.git",
       "git -c http.lowSpeedLimit=1 -c http.lowSpeedTime=1 ls-remote {url}page.git", "git", WEB,
       env={"GIT_SSL_CAINFO": "{cert}", "GIT_TERMINAL_PROMPT": "0"}, says="refs/heads", blur=AFTER,
       runs=3, calls={"plain": 2, "tls12": 1, "tls13": 1}, served=KEPT,
       remark="two requests, one connection")
client("lynx", "lynx -cfg={work}/cfg -source {url}",
       "lynx -cfg={work}/cfg -source -connect_timeout=1 -read_timeout=1 {url}", "lynx", WEB,
       mute_schemes=("plain",), files={"cfg": "SSL_CERT_FILE:{cert}\nFORCE_SSL_PROMPT:yes\n"},
       remark="its time-out does not work over TLS")
LFTP = "set net:max-retries 1; set ssl:ca-file {cert}; "
client("lftp", ["lftp", "-c", LFTP + "cat {url}index.html"],
       ["lftp", "-c", LFTP + "set net:timeout 1; cat {url}"], "lftp", WEB,
       blur=((r" \(Connection refused\)", ""),))
ARIA2 = "aria2c -q --allow-overwrite=true --ca-certificate={cert} -d {work} -o page {url}"
client("aria2", ARIA2, ARIA2 + " -t 1 -m 1 --connect-timeout=1", "aria2", WEB, says="")
APT = "/usr/bin/python3 {here}/programs/apt.py {url} {work}/page "
client("apt's http method", APT + "30", APT + "1", "apt", says="201 URI Done", tries=9)
client("httping", "httping -c 6 -i 0.01 -g {url}", "httping -c 1 -t 1 -g {url}", "httping", runs=1,
       calls=6, tries=6, says="6 ok", remark="one request a connection",
       blur=((r"[\d.]+ ?ms|time=.*|[\d.]+/[\d.]+/[\d.]+", "N"),
             (r"could not connect \((.*)\)", r"problem connecting to host: \1")))
client("nghttp", "nghttp {url}", "nghttp -t 1 {url}", "nghttp2-client", ("tls12", "tls13"),
       mute_unseen=True, blur=((r"(?s)\[ERROR\] Could not connect.*", "refused"),),
       remark="HTTP/2 in an event loop: its silence is not seen")
client("tnftp", "tnftp -V -o - {url}", "tnftp -V -q 1 -o - {url}", "tnftp")

client("ab", "ab -q -n 6 -c 2 {url}", "ab -q -n 1 -s 1 {url}", "apache2-utils", runs=2, calls=6,
       tries=70, says="Complete requests: +6",
       blur=((r"(?s)Time taken.*", ""), (r"(?s)\s*(Test aborted|apr_socket).*", "refused")))
client("wrk", "wrk -t 1 -c 2 -d 1 {url}", "wrk -t 1 -c 1 -d 2 --timeout 1 {url}", "wrk", runs=1,
       calls=None, served=lambda _, requests: requests + 1, left_behind=2, says="requests in",
       warm="curl -s {url}", blur=((r"[\d.]+\w*%?", "N"), (r" +", " ")),
       remark="looks first whether anyone listens: a call")
client("siege", "siege -q -c 1 -r 5 {url}", "timeout 2 siege -q -c 1 -r 1 {url}", "siege", runs=2,
       calls=5, says="", tries=20, blur=((r"(?s).*", ""),), env={"SIEGERC": "{work}/rc"},
       files={"rc": "verbose = false\nlogging = false\nfailures = 10\n"}, remark=KILLED)

SQ = "sq keyserver -p insecure --server hkp://{host}:{port} get nobody@example.org"
client("sq (rust: reqwest)", SQ, "timeout 2 " + SQ, "sq", code=1, says="not found", served=requests,
       remark=KILLED)
LUA = "lua {here}/programs/page.lua {url} "
client("lua-socket", LUA + "30", LUA + "1", "lua-socket lua5.4")
ERLANG = "escript {here}/programs/page.erl {url} "
client("erlang httpc", ERLANG + "30", ERLANG + "1", "erlang-base erlang-inets erlang-ssl", WEB, runs=4)
GIO = "/usr/bin/python3 {here}/programs/gio.py "
client("gio", GIO + "socket {url} 30", GIO + "socket {url} 1", "python3-gi")
client("libsoup", GIO + "soup {url} 30", GIO + "soup {url} 1",
       "python3-gi gir1.2-soup-3.0 glib-networking", WEB)
