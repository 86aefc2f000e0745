#!/usr/bin/env bats
# Answers of the kernel that look like verdicts and are none, and sockets that are not ours to judge.

load helper

prepare() {
	watched calls
	HAZARD=$OUT/tests/bats/hazard
}

@test "a signal every millisecond: EINTR, EALREADY, EISCONN and AF_UNSPEC are no verdicts" {
	start_peer slow=100
	run_twice "$HAZARD" signals "$PORT"
	[ "$output" = "$(printf '1 0 1 0\n%.0s' 1 2 3 4)" ]
	are_all_good 8
}

@test "a connect that is asked about twenty times while it pends is one call at most" {
	start_peer full
	run_twice "$HAZARD" still_connecting "$PORT"
	[ "$(grep -cx -e '-1 1' <<<"$output")" -eq 20 ]
	"$OUT/tests/state" "$INTERLOCK_RUNTIME_DIR" calls >"$WORK/state"
	[ "$(awk '/(cancelled|calls_failure) / { n += $2 } END { print n }' "$WORK/state")" -eq 1 ]
}

@test "refused at once on a non-blocking socket: the program sees one ECONNREFUSED, as from the kernel" {
	closed_port
	run_twice "$HAZARD" refused_at_once "$PORT"
	[ "$output" = "$(printf '111 then 0\n%.0s' $(seq 12))" ]
	[ "$(outcomes FAILURE)" -eq 5 ]
	[ "$(changes)" = "CLOSED OPEN" ]
}

@test "an event loop takes a rejection for what it is" {
	closed_port
	run_twice /usr/bin/python3 -c 'import asyncio, sys
async def call():
    try:
        await asyncio.open_connection("127.0.0.1", int(sys.argv[1]))
    except OSError as error:
        print(type(error).__name__, error.errno)
async def main():
    for _ in range(8):
        await asyncio.wait_for(call(), 20)
asyncio.run(main())' "$PORT"
	[ "$(grep -c 'ConnectionRefusedError 111' <<<"$output")" -eq 8 ]
	[ "$(outcomes FAILURE)" -eq 5 ]
	grep -q ' rejected ' "$LOG"
}

@test "UDP has no breaker: it is sent to a destination whose TCP is rejected" {
	closed_port
	run_twice /usr/bin/python3 -c 'import socket, sys
at = ("127.0.0.1", int(sys.argv[1]))
def udp():
    with socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        datagrams.connect(at)
        print(datagrams.send(b"x"))
for _ in range(6):
    udp()
for _ in range(6):
    print(socket.socket().connect_ex(at))
udp()' "$PORT"
	[ "$(grep -cx 1 <<<"$output")" -eq 7 ]
	[ "$(outcomes '[A-Z_]*')" -eq 5 ]
	grep -q ' rejected ' "$LOG"
}

@test "addresses of every family and of every length, at the end of what may be read: the kernel judges them" {
	closed_port
	run_twice "$HAZARD" short_addresses "$PORT"
	[ "$(grep -c '^2 ' <<<"$output")" -eq 29 ]
	# Only whole ones are calls, one breaker for each of two families; and open ones reject no others.
	[ "$(outcomes FAILURE)" -eq 10 ]
	[ "$(outcomes '[A-Z_]*')" -eq 10 ]
	grep -q ' rejected ' "$LOG"
}

@test "IPv4 and the same address mapped into IPv6 have one breaker (curl -4, then java)" {
	closed_port
	times 3 curl -4 -sS "http://127.0.0.1:$PORT/"
	times 3 /usr/bin/python3 -c 'import socket, sys
socket.socket(socket.AF_INET6).connect(("::ffff:127.0.0.1", int(sys.argv[1])))' "$PORT"
	[ "$(changes)" = "CLOSED OPEN" ]
	[ "$(outcomes FAILURE)" -eq 5 ]
	[ "$(grep -c ' call ' "$LOG")" -eq "$(grep -c "breaker=127.0.0.1:$PORT " <(grep ' call ' "$LOG"))" ]
	grep -q " rejected breaker=127.0.0.1:$PORT " "$LOG"
}

@test "a thread cancelled while it receives leaves nothing locked, and its connection goes on" {
	start_peer echo
	run_twice "$OUT/tests/bats/rare" cancels "$PORT"
	[[ $output == *"cancelled 1"* ]]
	are_all_good 1
}

@test "a handler that writes and closes in the middle of our own code" {
	start_peer echo
	run_twice "$OUT/tests/bats/rare" handlers "$PORT"
	[[ $output == "bad 0 handled 1" ]]
	[ "$(outcomes SUCCESS)" -ge 1 ]
	are_all_good "$(outcomes SUCCESS)"
}
