"""Programs that pass on whatever they are given, line by line."""
from client import client

GET = "GET / HTTP/1.0\r\n\r\n"

# What nginx says of itself and of now.
SAID = ((r"Date: .*", "Date"),)

client("nc (openbsd)", "nc.openbsd {host} {port}", "nc.openbsd -w 1 {host} {port}", "netcat-openbsd", input=GET,
       quick=True, blur=SAID)
client("socat", "socat - TCP:{host}:{port}", "socat -T 1 - TCP:{host}:{port}", "socat", input=GET, quick=True,
       blur=SAID + ((r"socat\[\d+\]", "socat[PID]"), (r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d", "TIME")))
client("bash /dev/tcp",
       ["bash", "-c", "exec 3<>/dev/tcp/{host}/{port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 &&"
                      " while read -r line; do echo \"$line\"; done <&3"],
       ["bash", "-c", "exec 3<>/dev/tcp/{host}/{port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 &&"
                      " read -r -t 1 line <&3"],
       "bash", quick=True, blur=SAID)
