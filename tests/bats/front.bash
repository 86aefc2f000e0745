# shellcheck shell=bash
# A real nginx in front of a page and of a backend that never answers, over plain HTTP and both TLS.

# start_front: sets HTTP, TLS12 and TLS13, the URLs of the page's folder. Below each, /mute goes to a
# peer that accepts and never answers.
start_front() {
	local ports=() _
	start_peer mute
	local mute=$PORT
	for _ in 1 2 3; do
		closed_port
		ports+=("$PORT")
	done
	HTTP=http://127.0.0.1:${ports[0]} TLS12=https://127.0.0.1:${ports[1]}
	TLS13=https://127.0.0.1:${ports[2]}
	mkdir "$WORK/www"
	echo hello >"$WORK/www/index.html"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
		-keyout "$WORK/key.pem" -out "$WORK/cert.pem" -subj /CN=localhost \
		-addext subjectAltName=IP:127.0.0.1,DNS:localhost 2>/dev/null
	front_config "$mute" "${ports[@]}" >"$WORK/nginx.conf"
	/usr/sbin/nginx -p "$WORK" -c "$WORK/nginx.conf" -e "$WORK/nginx.err" 3>&- &
	PEERS+=("$!")
	for _ in $(seq 500); do
		(exec 9<>"/dev/tcp/127.0.0.1/${ports[2]}") 2>/dev/null && return 0
		sleep 0.01
	done
	cat "$WORK/nginx.err"
	return 1
}

front_config() { # front_config MUTE_PORT HTTP_PORT TLS12_PORT TLS13_PORT
	local temp
	echo "daemon off; user root; worker_processes 1; pid $WORK/nginx.pid; error_log $WORK/nginx.err;"
	echo "events { worker_connections 256; } http { access_log off; keepalive_timeout 60;"
	for temp in client_body proxy fastcgi uwsgi scgi; do echo "${temp}_temp_path $WORK/$temp;"; done
	echo "ssl_certificate $WORK/cert.pem; ssl_certificate_key $WORK/key.pem; root $WORK/www;"
	echo "proxy_http_version 1.1; proxy_read_timeout 3600;"
	front_server "$2" "$1" ""
	front_server "$3" "$1" "ssl http2" "ssl_protocols TLSv1.2;"
	front_server "$4" "$1" "ssl http2" "ssl_protocols TLSv1.3;"
	echo "}"
}

front_server() { # front_server PORT MUTE_PORT LISTEN_OPTIONS PROTOCOLS
	echo "server { listen 127.0.0.1:$1 $3; $4"
	echo "location /mute { proxy_pass http://127.0.0.1:$2; } }"
}

# Clients, each fetching the URL of its first argument and nothing else.
by_curl() { curl -sS --insecure "$1"; }
by_curl_http1() { curl -sS --insecure --http1.1 "$1"; }
by_wget() { wget -q --no-check-certificate -O - "$1"; }
by_urllib() {
	/usr/bin/python3 -c 'import ssl, sys, urllib.request
context = ssl._create_unverified_context()
print(urllib.request.urlopen(sys.argv[1], context=context).read())' "$1"
}
by_asyncio() {
	/usr/bin/python3 -c 'import asyncio, ssl, sys, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
context = ssl._create_unverified_context() if url.scheme == "https" else None
async def main():
    reader, writer = await asyncio.open_connection(url.hostname, url.port, ssl=context)
    writer.write(b"GET / HTTP/1.0\r\nHost: x\r\n\r\n")
    print(await reader.read())
    writer.close()
    await writer.wait_closed()
asyncio.run(main())' "$1"
}

# protected FUNCTION ARGUMENT...: runs a function above with the shim in front of what it starts.
protected() { (
	export LD_PRELOAD=$SHIM
	"$@"
) </dev/null 3>&-; }
