#!/usr/bin/env bats
# While all is well, a breaker stays closed, and N requests are N calls, all SUCCESS.

load helper
load front

prepare() {
	watched healthy
	start_front
}

# N requests of one client to one URL: N calls. A machine that holds a client up for 100 ms within its
# opening makes two calls of it, and rightly: then it is counted again, twice at most. (Where stalls are
# watched, in tests/peers and tests/clients, the counts are exact.)
stays_closed() {
	local _ again
	for again in yes yes no; do
		: >"$LOG"
		for _ in 1 2 3 4 5 6; do
			protected "$1" "$2/" | grep -q hello
		done
		[ "$(outcomes SUCCESS)" -gt 6 ] && [ $again = yes ] || break
	done
	are_all_good 6
}

all_three() {
	stays_closed "$1" "$HTTP"
	stays_closed "$1" "$TLS12"
	stays_closed "$1" "$TLS13"
}

@test "curl, with HTTP/2 where the server has it" { all_three by_curl; }
@test "curl, with HTTP/1.1" { all_three by_curl_http1; }
@test "wget" { all_three by_wget; }
@test "python3 urllib" { all_three by_urllib; }
@test "python3 asyncio" { all_three by_asyncio; }

@test "50 requests on one kept-alive connection of plain HTTP are 50 calls" {
	protected /usr/bin/python3 -c 'import http.client, sys, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
connection = http.client.HTTPConnection(url.hostname, url.port)
for _ in range(50):
    connection.request("GET", "/")
    assert connection.getresponse().read() == b"hello\n"' "$HTTP"
	are_all_good 50
}

@test "redis-cli, one call a connection" {
	closed_port
	redis-server --port "$PORT" --bind 127.0.0.1 --save '' --dir "$WORK" >/dev/null 3>&- &
	PEERS+=("$!")
	for _ in $(seq 500); do
		redis-cli -p "$PORT" ping >/dev/null 2>&1 && break
		sleep 0.01
	done
	for _ in 1 2 3 4 5 6; do
		[ "$(protected redis-cli -p "$PORT" ping)" = PONG ]
	done
	are_all_good 6
}
