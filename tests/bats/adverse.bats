#!/usr/bin/env bats
# Whatever is wrong on our side, the program runs as without us.

load helper

prepare() {
	start_peer ok
	URL=http://127.0.0.1:$PORT
}

@test "transparent: no file may grow" {
	run_twice sh -c "(ulimit -f 0; exec curl -sS $URL) | cat"
	[ "$output" = hello ]
}

@test "transparent: no runtime directory, one that is not ours, one that is a file" {
	for dir in /nonexistent/x /proc/self/fd "$WORK/file" /tmp; do
		touch "$WORK/file"
		INTERLOCK_RUNTIME_DIR=$dir run_twice curl -sS "$URL"
		[ "$output" = hello ]
	done
}

@test "transparent: a full file system under the registry" {
	mkdir "$WORK/small"
	mount -t tmpfs -o size=16k none "$WORK/small" 2>/dev/null || skip "cannot mount"
	dd if=/dev/zero of="$WORK/small/fill" bs=1k count=64 2>/dev/null || :
	INTERLOCK_RUNTIME_DIR=$WORK/small run_twice curl -sS "$URL"
	umount "$WORK/small"
	[ "$output" = hello ]
}

@test "transparent: little address space" {
	run_twice sh -c "ulimit -v 120000; exec wget -q -O - $URL"
	[ "$output" = hello ]
}

@test "transparent: few descriptors, and none left" {
	run_twice sh -c "ulimit -n 16; exec wget -q -O - $URL"
	[ "$output" = hello ]
	run_twice sh -c "ulimit -n 8; exec /bin/bash -c 'exec 3<>/dev/tcp/127.0.0.1/$PORT; echo \$?'"
}

@test "transparent: a log that cannot be written" {
	for log in /nonexistent/log /dev/full "$WORK" stderr syslog; do
		INTERLOCK_LOG=$log INTERLOCK_LOG_LEVEL=info run_twice curl -sS "$URL"
		[ "$output" = hello ]
	done
}

@test "transparent: stderr is closed, a closed pipe, or a full one" {
	export INTERLOCK_LOG=stderr INTERLOCK_LOG_LEVEL=debug
	[ "$(shimmed curl -sS "$URL" 2>&-)" = hello ]
	[ "$(shimmed curl -sS "$URL" 2> >(exit 0))" = hello ]
	mkfifo "$WORK/pipe"
	sleep 30 <"$WORK/pipe" 3>&- &
	exec 7>"$WORK/pipe"
	timeout 1 dd if=/dev/zero bs=4096 count=100 >&7 2>/dev/null || :
	[ "$(timeout 5 env LD_PRELOAD="$SHIM" curl -sS "$URL" 2>&7)" = hello ]
	kill %?sleep
	exec 7>&-
}

@test "transparent: garbage in the registry" {
	export INTERLOCK_REGISTRY=bad
	shimmed curl -sS "$URL" >/dev/null
	for offset in 0 8 64 4096 16384 24576; do
		dd if=/dev/urandom of="$INTERLOCK_RUNTIME_DIR/bad" bs=1 seek=$offset count=4096 \
			conv=notrunc 2>/dev/null
		run_twice curl -sS "$URL"
		[ "$output" = hello ]
	done
	: >"$INTERLOCK_RUNTIME_DIR/bad"
	run_twice curl -sS "$URL"
	[ "$output" = hello ]
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
