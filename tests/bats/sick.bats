#!/usr/bin/env bats
# Each way to be sick trips after five calls at the default threshold of 50 %; and under METRICS_ONLY
# none does, while all is recorded.

load helper
load front

prepare() { watched sick; }

# Five calls that fail in their own way, and a sixth that is rejected at once, as the log tells.
trips() {
	local _
	for _ in 1 2 3 4 5; do
		! protected "$@" >/dev/null 2>&1
	done
	# Who is killed cannot say so: the next caller finds out, and is the first to be rejected.
	! protected "$@" >/dev/null 2>&1
	[ "$(changes)" = "CLOSED OPEN" ]
	grep -q ' rejected ' "$LOG"
}

# The same calls in METRICS_ONLY: recorded, as failures in the end, and none rejected. (More than seven
# where a busy machine held a client up for 100 ms within its opening.)
is_only_recorded() {
	local _
	export INTERLOCK_INITIAL_STATE=METRICS_ONLY
	for _ in 1 2 3 4 5 6; do
		! protected "$@" >/dev/null 2>&1
	done
	protected curl -sSk --max-time 0.3 "${!#}" >/dev/null 2>&1 || :
	[ "$(grep -c ' call ' "$LOG")" -ge 7 ]
	[ "$(grep -cE ' (call|amended) .*outcome=FAILURE' "$LOG")" -ge 6 ]
	[ -z "$(changes)" ]
	! grep -q ' rejected ' "$LOG"
}

in_both_states() {
	trips "$@"
	: >"$LOG"
	INTERLOCK_REGISTRY=sick2 is_only_recorded "$@"
}

@test "nobody listens" {
	closed_port
	in_both_states curl -sS "http://127.0.0.1:$PORT/"
}

@test "accepts and never answers, to a client with a time-out" {
	start_peer mute
	in_both_states curl -sS --max-time 0.3 "http://127.0.0.1:$PORT/"
}

@test "accepts and never answers, to a client that is killed" {
	start_peer mute
	in_both_states timeout 1.2 curl -sS "http://127.0.0.1:$PORT/"
}

@test "accepts and never answers, to a client that shuts both sides before it closes" {
	start_peer mute
	in_both_states /usr/bin/python3 -c 'import socket, sys, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
sock = socket.create_connection((url.hostname, url.port), timeout=0.3)
sock.sendall(b"hello\n")
try:
    sock.recv(1)
except TimeoutError:
    sock.shutdown(socket.SHUT_RDWR)
    # Until the end of the other side has come, too: the kernel counts it as a byte.
    while sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1) != b"\7":
        pass
    sock.close()
    sys.exit(1)' "http://127.0.0.1:$PORT/"
}

@test "answers 503" {
	start_peer status=503
	in_both_states curl -sSf "http://127.0.0.1:$PORT/"
}

@test "a front with TLS 1.2 whose backend is mute" {
	start_front
	in_both_states curl -sS --insecure --max-time 1 "$TLS12/mute"
}

@test "a front with TLS 1.3 whose backend is mute" {
	start_front
	in_both_states curl -sS --insecure --max-time 1 "$TLS13/mute"
}

@test "the same, to a client that speaks HTTP/1.1" {
	start_front
	trips curl -sS --insecure --http1.1 --max-time 1 "$TLS13/mute"
}

@test "slow answers trip at their own threshold" {
	local _
	export INTERLOCK_SLOW_CALL_DURATION_THRESHOLD=300ms INTERLOCK_SLOW_CALL_RATE_THRESHOLD=50%
	start_peer slow=400
	for _ in 1 2 3 4 5; do
		protected curl -sS "http://127.0.0.1:$PORT/" >/dev/null
	done
	[ "$(changes)" = "CLOSED OPEN" ]
	[ "$(outcomes SLOW_SUCCESS)" -eq 5 ]
}

@test "threads that hang past the slow threshold open the breaker for any process while they hang" {
	export INTERLOCK_SLOW_CALL_DURATION_THRESHOLD=500ms
	start_peer mute
	LD_PRELOAD=$SHIM /usr/bin/python3 -c 'import socket, sys, threading, time
def hang():
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
        connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
        connection.recv(1)
for _ in range(8):
    threading.Thread(target=hang, daemon=True).start()
time.sleep(1)
print("hung", flush=True)
time.sleep(3600)' "$PORT" >"$WORK/hung" 3>&- &
	PEERS+=("$!")
	eventually grep -q hung "$WORK/hung"
	! protected curl -sS --max-time 5 "http://127.0.0.1:$PORT/" 2>"$WORK/errors"
	[ "$(changes)" = "CLOSED OPEN" ]
	[ "$(connections)" -eq 8 ]
}
