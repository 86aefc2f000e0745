#!/usr/bin/env bats
# An unmodified client is protected from a server that is dead, mute or failing.

load helper

prepare() { watched light; }

# Exit status of one shimmed curl.
fetch() {
	local code=0
	shimmed curl -sS -o "$WORK/body" "$@" 2>"$WORK/errors" </dev/null 3>&- || code=$?
	echo "$code"
}

@test "a dead server: five calls are refused by the kernel, the sixth is rejected by us, and looks the same" {
	closed_port
	for _ in 1 2 3 4 5; do
		[ "$(fetch "http://127.0.0.1:$PORT/")" = 7 ]
	done
	[ "$(outcomes FAILURE)" -eq 5 ]
	[ "$(changes)" = "CLOSED OPEN" ]
	[ "$(fetch "http://127.0.0.1:$PORT/")" = 7 ]
	grep -q " rejected breaker=127.0.0.1:$PORT state=OPEN" "$LOG"
	[ "$(outcomes FAILURE)" -eq 5 ]
}

@test "a rejected connect makes no system call connect" {
	command -v strace >/dev/null || skip "no strace"
	closed_port
	times 5 curl "http://127.0.0.1:$PORT/"
	strace -f -o "$WORK/trace" -E LD_PRELOAD="$SHIM" -e trace=connect \
		curl -sS "http://127.0.0.1:$PORT/" || :
	! grep -q "connect(.*htons($PORT)" "$WORK/trace"
}

@test "after the wait one probe goes out, and two good ones close the breaker" {
	export INTERLOCK_WAIT_DURATION_IN_OPEN=300ms INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN=2
	closed_port
	local port=$PORT
	times 6 curl "http://127.0.0.1:$port/"
	sleep 0.4
	start_peer -p "$port" ok
	[ "$(fetch "http://127.0.0.1:$port/")" = 0 ]
	[ "$(changes)" = "$(printf 'CLOSED OPEN\nOPEN HALF_OPEN')" ]
	[ "$(fetch "http://127.0.0.1:$port/")" = 0 ]
	[ "$(changes)" = "$(printf 'CLOSED OPEN\nOPEN HALF_OPEN\nHALF_OPEN CLOSED')" ]
	[ "$(connections)" -eq 2 ]
}

@test "of 16 processes at once after the wait, one goes out" {
	export INTERLOCK_WAIT_DURATION_IN_OPEN=1s
	closed_port
	local port=$PORT
	times 5 curl "http://127.0.0.1:$port/"
	sleep 1.1
	start_peer -p "$port" mute
	for _ in $(seq 16); do
		fetch --max-time 8 "http://127.0.0.1:$port/" >/dev/null &
	done
	wait $(jobs -p | grep -v "^$PEER\$")
	[ "$(connections)" -eq 1 ]
}

@test "a server that accepts and never answers trips after five" {
	start_peer mute
	for _ in 1 2 3 4 5; do
		[ "$(fetch --max-time 0.3 "http://127.0.0.1:$PORT/")" = 28 ]
	done
	[ "$(outcomes FAILURE)" -eq 5 ]
	[ "$(fetch --max-time 0.3 "http://127.0.0.1:$PORT/")" = 7 ]
	[ "$(connections)" -eq 5 ]
}

@test "a client that is killed while it waits counts, at most one a second" {
	start_peer mute
	for _ in 1 2 3 4 5 6; do
		shimmed timeout 1.2 curl -sS "http://127.0.0.1:$PORT/" 2>/dev/null || :
	done
	[ "$(fetch --max-time 1 "http://127.0.0.1:$PORT/")" = 7 ]
	[ "$(connections)" -le 7 ]
}

@test "a server that answers 503 trips after five" {
	start_peer status=503
	for _ in 1 2 3 4 5; do
		[ "$(fetch "http://127.0.0.1:$PORT/")" = 0 ]
	done
	[ "$(fetch "http://127.0.0.1:$PORT/")" = 7 ]
	[ "$(requests)" -eq 5 ]
}

@test "a server that resets, ends or closes trips after five" {
	for behaviour in reset eof close abort; do
		watched "$behaviour"
		start_peer "$behaviour"
		times 5 curl "http://127.0.0.1:$PORT/"
		[ "$(fetch "http://127.0.0.1:$PORT/")" = 7 ]
		[ "$(connections)" -eq 5 ]
	done
}

@test "a slow server trips by its slowness" {
	export INTERLOCK_SLOW_CALL_DURATION_THRESHOLD=200ms INTERLOCK_SLOW_CALL_RATE_THRESHOLD=0.5
	start_peer slow=300
	times 5 curl "http://127.0.0.1:$PORT/"
	[ "$(fetch "http://127.0.0.1:$PORT/")" = 7 ]
	grep -q "outcome=SLOW_SUCCESS" "$LOG"
}

@test "METRICS_ONLY never rejects, and records all" {
	export INTERLOCK_INITIAL_STATE=METRICS_ONLY
	start_peer status=503
	times 8 curl "http://127.0.0.1:$PORT/"
	[ "$(requests)" -eq 8 ]
	[ "$(outcomes FAILURE)" -eq 8 ]
	[ -z "$(changes)" ]
}

@test "transparent: INTERLOCK=off does nothing at all" {
	export INTERLOCK=off
	closed_port
	times 7 curl "http://127.0.0.1:$PORT/"
	[ ! -s "$LOG" ]
	[ -z "$(ls "$INTERLOCK_RUNTIME_DIR")" ]
}

@test "a wrong setting: one line on stderr, and the program runs unprotected" {
	closed_port
	export INTERLOCK_WINDOW_SIZE=many
	times 6 curl "http://127.0.0.1:$PORT/"
	[ ! -s "$LOG" ]
	[ "$(shimmed /bin/true 2>&1 | wc -l)" -eq 1 ]
	[[ "$(shimmed /bin/true 2>&1)" == *"INTERLOCK_WINDOW_SIZE"*"'many'"* ]]
}

@test "a healthy server: N requests are N SUCCESS, whatever the client" {
	start_peer ok
	local url=http://127.0.0.1:$PORT
	times 10 curl "$url/"
	are_all_good 10
	times 10 wget -q -O /dev/null "$url/"
	are_all_good 20
	times 10 /usr/bin/python3 -c "import urllib.request as u; u.urlopen('$url').read()"
	are_all_good 30
	times 10 bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT; printf 'GET / HTTP/1.1\r\n\r\n' >&3; head -n 1 <&3"
	are_all_good 40
}

@test "a healthy server: requests over one kept connection are a call each" {
	start_peer ok
	local url=http://127.0.0.1:$PORT
	times 1 curl $(for i in $(seq 50); do echo "$url/$i"; done)
	[ "$(connections)" -eq 1 ]
	are_all_good 50
}

@test "a healthy server: nc waits a second after the answer" {
	command -v nc >/dev/null || skip "no nc"
	start_peer ok
	for _ in 1 2 3; do
		printf 'GET / HTTP/1.1\r\n\r\n' | shimmed nc -w 1 127.0.0.1 "$PORT" >/dev/null
	done
	are_all_good 3
}

@test "a healthy server: one that speaks first, and one that echoes" {
	start_peer greet
	times 5 bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT; read -r line <&3; echo QUIT >&3"
	are_all_good 5
	start_peer echo
	times 5 "$OUT/tests/bats/rare" three_threads "$PORT"
	are_all_good 10
}

@test "a healthy server: many threads and processes" {
	start_peer ok
	for _ in 1 2 3 4; do
		shimmed /usr/bin/python3 - "http://127.0.0.1:$PORT/" <<'END' &
import sys, threading, urllib.request
def work():
    for _ in range(5):
        urllib.request.urlopen(sys.argv[1]).read()
threads = [threading.Thread(target=work) for _ in range(5)]
[t.start() for t in threads]
[t.join() for t in threads]
END
	done
	wait $(jobs -p | grep -v "^$PEER\$")
	are_all_good 100
}

@test "a connection is still followed after its process started others" {
	start_peer mute
	times 5 /usr/bin/python3 -c "
import os, socket, subprocess
s = socket.create_connection(('127.0.0.1', $PORT))
subprocess.run(['true'])
if os.fork() == 0:
    s.close()
    os._exit(0)
os.wait()
s.settimeout(0.2)
s.send(b'x')
s.recv(1)"
	[ "$(outcomes FAILURE)" -eq 5 ]
	[ "$(outcomes '[A-Z_]*')" -eq 5 ]
}

@test "what stdio sends and receives is the kernel's to tell" {
	start_peer echo
	times 5 "$OUT/tests/bats/rare" streams "$PORT"
	are_all_good 5
}

@test "the addresses of one name are one call, and the last of them decides" {
	start_peer ok
	# localhost is ::1, where nobody listens, and 127.0.0.1.
	grep -qE '^::1.*localhost' /etc/hosts || skip "localhost has one address here"
	times 5 /usr/bin/python3 -c "
import urllib.request as u
u.urlopen('http://localhost:$PORT/').read()"
	are_all_good 5
	grep -q "breaker=localhost:$PORT " "$LOG"
}

@test "a send that another thread's receive has overtaken is no call of its own" {
	"${CC:-gcc}" -shared -fPIC -o "$WORK/late.so" "$ROOT/tests/bats/src/late.c"
	start_peer ok
	LD_PRELOAD="$SHIM $WORK/late.so" /usr/bin/python3 -c 'import socket, sys, threading
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
for _ in range(2):
    receiver = threading.Thread(target=connection.recv, args=(1000,))
    receiver.start()
    connection.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    receiver.join()' "$PORT" 3>&-
	are_all_good 2
}

@test "a probe whose connection stays open in a pool counts once it has been quiet for 100 ms" {
	export INTERLOCK_WAIT_DURATION_IN_OPEN=100ms INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN=1
	closed_port
	times 5 curl -sS "http://127.0.0.1:$PORT/"
	start_peer -p "$PORT" echo
	sleep 0.2
	LD_PRELOAD=$SHIM /usr/bin/python3 -c 'import socket, sys, time
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
connection.sendall(b"ping")
assert connection.recv(100) == b"ping"
time.sleep(0.2)
print("quiet", flush=True)
time.sleep(3600)' "$PORT" >"$WORK/said" 3>&- &
	PEERS+=("$!")
	eventually grep -q quiet "$WORK/said"
	shimmed timeout 10 bash -c 'exec 9<>"/dev/tcp/127.0.0.1/$0"' "$PORT" 3>&-
	[ "$(changes | tail -n 1)" = "HALF_OPEN CLOSED" ]
}

@test "a resolver that does not answer is a failure of the destination, and trips" {
	[ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null || skip "needs root and namespaces"
	local ask='import socket, sys
for _ in range(5):
    try:
        socket.getaddrinfo(*sys.argv[1:])
        sys.exit(2)
    except socket.gaierror as error:
        assert error.errno == socket.EAI_AGAIN, error'
	printf 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n' >"$WORK/resolv.conf"
	[ -e /etc/resolv.conf ] || skip "there is no /etc/resolv.conf"
	SHIM=$SHIM ASK=$ask CONF=$WORK/resolv.conf unshare --mount --propagation private sh -c '
		mount --bind "$CONF" "$(readlink -f /etc/resolv.conf)" || exit 77
		LD_PRELOAD=$SHIM /usr/bin/python3 -c "$ASK" DB.shop.test. 5432' 3>&- ||
		{ [ $? -eq 77 ] && skip "cannot mount over /etc/resolv.conf"; false; }
	[ "$(changes)" = "CLOSED OPEN" ]
	grep -q "call breaker=db.shop.test:5432 outcome=FAILURE .*phase=resolve" "$LOG"
}
