#!/usr/bin/env bats
# Odd company: debuggers, other preloads, threads and forks and signals at once. What is wrong with the
# machine is in robust.bats.

load helper

prepare() {
	start_peer ok
	URL=http://127.0.0.1:$PORT
}

@test "transparent: under gdb, valgrind and with another preload" {
	if command -v valgrind >/dev/null; then
		start_peer echo
		[ "$(LD_PRELOAD=$SHIM timeout 60 valgrind -q --trace-children=yes \
			"$OUT/tests/bats/rare" streams "$PORT" 2>/dev/null | tail -n 1)" = "0 text" ]
	fi
	if command -v gdb >/dev/null; then
		timeout 60 gdb -q -batch -ex "set env LD_PRELOAD $SHIM" -ex run --args curl -sS "$URL" \
			2>/dev/null | grep -q hello
	fi
	[ "$(LD_PRELOAD="libm.so.6 $SHIM libdl.so.2" curl -sS "$URL")" = hello ]
}

@test "transparent: the program's network system calls are those without the shim" {
	command -v strace >/dev/null || skip "no strace"
	for program in "curl -s" "wget -q -O -"; do
		strace -f -o "$WORK/plain" -e trace=network $program "$URL" >/dev/null
		strace -f -o "$WORK/shim" -E LD_PRELOAD="$SHIM" -e trace=network $program "$URL" >/dev/null
		for trace in plain shim; do
			sed -E 's/^[0-9]+ +//; s/\(.*//; /^[+-]/d; /resumed/d' "$WORK/$trace" |
				grep -v recvfrom >"$WORK/$trace.calls" # answers come in pieces
		done
		diff "$WORK/plain.calls" "$WORK/shim.calls"
	done
}

@test "transparent: threads, forks, vforks and signals at once" {
	start_peer echo
	run_twice "$OUT/tests/bats/rare" at_once "$PORT"
	[ "$output" = "bad 0" ]
}
