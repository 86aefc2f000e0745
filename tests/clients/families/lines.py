"""Programs that pass on whatever they are given, line by line."""
from client import client

GET = "GET / HTTP/1.0\r\n\r\n"
STAMPS = ((r"socat\[\d+\]", "socat[PID]"), (r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d", "TIME"))

client("nc (openbsd)", "nc.openbsd {host} {port}", "nc.openbsd -w 1 {host} {port}", "netcat-openbsd", input=GET,
       quick=True)
client("nc (traditional)", "nc.traditional {host} {port}", "nc.traditional -w 1 {host} {port}", "netcat-traditional",
       input=GET)
client("ncat", "ncat {host} {port}", "ncat -w 1 -i 1 {host} {port}", "ncat", input=GET)
client("socat", "socat - TCP:{host}:{port}", "socat -T 1 - TCP:{host}:{port}", "socat", input=GET, quick=True, blur=STAMPS)
client("bash /dev/tcp",
       ["bash", "-c", "exec 3<>/dev/tcp/{host}/{port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 &&"
                      " while read -r line; do echo \"$line\"; done <&3"],
       ["bash", "-c", "exec 3<>/dev/tcp/{host}/{port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 &&"
                      " read -r -t 1 line <&3"],
       "bash", quick=True)
# Its input must not end before the answer has come.
client("telnet",
       ["sh", "-c", "mkfifo in; exec 4<>in; printf 'GET / HTTP/1.0\\n\\n' >&4; telnet {host} {port} <in; r=$?;"
                    " rm in; exit $r"],
       ["sh", "-c", "mkfifo in; exec 4<>in; printf 'GET / HTTP/1.0\\n\\n' >&4; timeout 2 telnet {host} {port} <in;"
                    " rm in"],
       "telnet", remark="has no time-out: killed by timeout(1)")
client("whois", "whois -h {host} -p {port} example.org", "timeout 2 whois -h {host} -p {port} example.org", "whois",
       server="whois", mute_unseen=True, remark="waits inside stdio, where nobody sees it")
client("msmtp", "msmtp --host={host} --port={port} --from=a@here --timeout=2 b@there",
       "msmtp --host={host} --port={port} --from=a@here --timeout=2 b@there", "msmtp", server="smtp",
       input="Subject: hello\n\nhello\n", says="")
client("ssh", "ssh -F none -i {key} -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
              " -o LogLevel=ERROR -p {port} {host} echo hello",
       "ssh -F none -i {key} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ConnectTimeout=2"
       " -p {port} {host} echo hello", "openssh-client openssh-server", server="sshd")
client("rsync", "rsync -I rsync://{host}:{port}/files/hello {work}/hello -v",
       "rsync -I --timeout=2 --contimeout=2 rsync://{host}:{port}/files/hello {work}/hello", "rsync", server="rsync",
       says="hello", blur=((r"[\d,.]+ bytes/sec|sent [\d,]+ bytes|received [\d,]+ bytes|speedup is [\d.]+", "N"),
                           (r"(?m)^hello\n", "")))
