#!/usr/bin/env bats
# What the loader, other preloads, syscall() and seccomp have to do with us.

load helper

prepare() {
	watched loader
	CC=${CC:-cc}
	SRC=$BATS_TEST_DIRNAME/src
	HAZARD=$OUT/tests/bats/hazard
	start_peer ok
	URL=http://127.0.0.1:$PORT/
}

@test "a fortified client (-D_FORTIFY_SOURCE=3): its checked twins of read, recv and poll are watched" {
	start_peer echo
	# clang fortifies none of these.
	gcc -D_GNU_SOURCE -O2 -D_FORTIFY_SOURCE=3 -w -o "$WORK/fortified" "$SRC/fortified.c"
	nm -D "$WORK/fortified" >"$WORK/symbols"
	for name in __read_chk __recv_chk __recvfrom_chk __poll_chk __ppoll_chk; do
		grep -q " $name" "$WORK/symbols"
	done
	run_twice "$WORK/fortified" "$PORT"
	are_all_good 5
}

@test "syscall(): numbers that nobody knows, and six arguments, reach the kernel as they are" {
	start_peer echo
	run_twice "$HAZARD" numbers "$PORT"
	[[ $output == "-1 38"*"-1 38"*"unmapped 0"*"pid 1" ]]
	[ "$(outcomes SUCCESS)" -eq 1 ] # the one that it sends by it, and never hears of
}

@test "syscall(): a connect and a close made by it are seen" {
	start_peer echo
	times 5 /usr/bin/python3 -c 'import ctypes, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.argtypes = [ctypes.c_long] + [ctypes.c_void_p] * 3
at = struct.pack("=H", socket.AF_INET) + struct.pack("!H", int(sys.argv[1])) + bytes([127, 0, 0, 1]) + bytes(8)
connection = socket.socket()
assert libc.syscall(42, connection.fileno(), at, len(at)) == 0
connection.send(b"x")
assert connection.recv(9) == b"x"
assert libc.syscall(3, connection.detach(), 0, 0) == 0' "$PORT"
	are_all_good 5
}

@test "transparent: a program that forbids itself all that it does not call is not killed by a call of ours" {
	"$CC" -O2 -w -o "$WORK/confined" "$SRC/confined.c"
	run_twice "$WORK/confined"
	[ "$output" = alive ]
}

@test "a program that confines itself after it has connected lives, and is watched until then" {
	start_peer echo
	"$CC" -O2 -w -o "$WORK/confined" "$SRC/confined.c"
	for how in "" call; do
		run_twice "$WORK/confined" "$PORT" $how
		[ "$output" = alive ]
	done
	[ "$(grep -c 'seccomp: this program confines itself' "$LOG")" -eq 2 ]
	are_all_good 2
}

@test "a program that only asks what seccomp can do, as libseccomp does, is watched" {
	LD_PRELOAD=$SHIM /usr/bin/python3 -c 'import ctypes, sys, urllib.request
libc = ctypes.CDLL(None)
libc.syscall(317, 1, 0, None)
libc.prctl(22, 2, None)
urllib.request.urlopen(sys.argv[1]).read()' "$URL" 3>&-
	are_all_good 1
}

@test "libfaketime on either side: calls are counted, and their durations are real" {
	local faketime preload
	faketime=$(find /usr/lib -name libfaketime.so.1 2>/dev/null | head -n 1)
	[ -n "$faketime" ] || skip "no libfaketime"
	start_peer slow=200
	URL=http://127.0.0.1:$PORT/
	for preload in "$faketime $SHIM" "$SHIM $faketime"; do
		FAKETIME="+7d x50" LD_PRELOAD=$preload curl -sS "$URL" 3>&- | grep -q hello
	done
	are_all_good 2
	# 50 times as fast, and so 10 s, were the program's time ours.
	[ "$(grep -cE ' duration=([2-9][0-9]{2}(\.[0-9]+)?ms|[1-4](\.[0-9]+)?s) ' "$LOG")" -eq 2 ]
}

@test "a program whose time is another does not end the wait of a breaker that it shares" {
	local faketime
	faketime=$(find /usr/lib -name libfaketime.so.1 2>/dev/null | head -n 1)
	[ -n "$faketime" ] || skip "no libfaketime"
	closed_port
	times 5 curl -sS "http://127.0.0.1:$PORT/"
	[ "$(changes)" = "CLOSED OPEN" ]
	for time in +7d -7d; do
		! FAKETIME=$time LD_PRELOAD="$SHIM $faketime" curl -sS "http://127.0.0.1:$PORT/" 2>"$WORK/errors" 3>&-
	done
	[ "$(changes)" = "CLOSED OPEN" ]
	[ "$(outcomes FAILURE)" -eq 5 ]
}

@test "not a byte on stderr or stdout by itself, also when a breaker opens and rejects" {
	closed_port
	unset INTERLOCK_LOG
	for _ in 1 2 3 4 5 6 7; do
		run_twice curl -s "http://127.0.0.1:$PORT/"
		[ -z "$output$errors" ]
	done
	"$OUT/tests/state" "$INTERLOCK_RUNTIME_DIR" loader | grep -q ' rejected 2'
}
