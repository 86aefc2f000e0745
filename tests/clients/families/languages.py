"""What comes with other languages."""
from client import WEB, client


def script(name, command, packages, schemes=("plain",), web=True, **more):
    """A script of ours that takes where, and the time-out in seconds."""
    where = command + (" {url}" if web else " {host} {port}")
    last = more.pop("last", "")
    client(name, f"{where} 30{last}", f"{where} {more.pop('seconds', 1)}{last}", packages, schemes, **more)


NODE = "node {here}/programs/node_"
NODE_ENV = {"NODE_EXTRA_CA_CERTS": "{cert}", "NODE_NO_WARNINGS": "1"}
script("node http", NODE + "http.js", "nodejs", WEB, env=NODE_ENV)
script("node fetch", NODE + "fetch.js", "nodejs", WEB, env=NODE_ENV, mute_spare={"tls12": 1, "tls13": 1},
       remark="shakes hands once more when it gives up")
script("node net", NODE + "net.js", "nodejs", web=False)
script("node dns.resolve", NODE + "dns.js", "nodejs", also=("dns",), last=" {dns}", remark="asks its own name server")

RUBY = "ruby {here}/programs/ruby_"
script("ruby Net::HTTP", RUBY + "net_http.rb", "ruby", WEB)
script("ruby TCPSocket", RUBY + "tcpsocket.rb", "ruby", web=False)

PERL = "perl {here}/programs/perl_"
script("perl LWP", PERL + "lwp.pl", "libwww-perl liblwp-protocol-https-perl", WEB)
script("perl HTTP::Tiny", PERL + "tiny.pl", "perl libio-socket-ssl-perl", WEB, mute_schemes=("plain", "tls12"),
       remark="its time-out does not work in TLS 1.3")
script("perl IO::Socket::INET", PERL + "socket.pl IO::Socket::INET", "perl", web=False)
script("perl IO::Socket::IP", PERL + "socket.pl IO::Socket::IP", "perl", web=False)

PHP = "php {here}/programs/php_"
script("php streams", PHP + "streams.php", "php-cli", WEB)
script("php fsockopen", PHP + "fsockopen.php", "php-cli", web=False)
script("php curl", PHP + "curl.php", "php-cli php-curl", WEB)
script("php mysqli", PHP + "mysqli.php", "php-cli php-mysql mariadb-server", web=False, server="mariadb", seconds=2)

WARMED = "after one connection elsewhere: a cold JVM takes 100 ms within an opening"
H2 = "; HTTP/2 in an event loop: its silence is not seen over TLS"
for kind, name, schemes, mute_schemes, remark in (
        ("connection", "HttpURLConnection", WEB, WEB, WARMED), ("client", "java.net.http", WEB, ("plain",), WARMED + H2),
        ("socket", "Socket", ("plain",), (), WARMED), ("channel", "NIO", ("plain",), (), WARMED)):
    script("java " + name, "java -XX:TieredStopAtLevel=1 -Xshare:auto -cp {work} Get " + kind, "default-jdk-headless",
           schemes, build=("javac -d {work} {here}/programs/Get.java",), runs=2, calls=3, tries=6,
           env={"INTERLOCK_IGNORE": "{direct}"}, last=" {direct_url}", mute_schemes=mute_schemes, remark=remark)
