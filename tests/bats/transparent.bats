#!/usr/bin/env bats
# While nothing is rejected, a program cannot tell that the shim is there.

load helper

prepare() {
	CC=${CC:-cc}
	RARE=$OUT/tests/bats/rare
}

names() { sed -n 's/^IL_[A-Z]*([^,]*, \([A-Za-z0-9_]*\),.*/\1/p' "$ROOT/src/shim/real.def"; }

@test "transparent: every function fails and succeeds as without the shim, at -O0 and -O2" {
	for level in -O0 -O2; do
		"$CC" -D_GNU_SOURCE $level -w -o "$WORK/calls" "$BATS_TEST_DIRNAME/src/calls.c" -ldl
		run_twice "$WORK/calls"
	done
	# Nothing was left out. Those that end or copy a process cannot be made to fail.
	for name in $(names); do
		grep -q "^$name works" <<<"$output"
		[[ $name == *fork || $name == *xit ]] || grep -q "^$name fails" <<<"$output"
	done
}

@test "transparent: a fortified program behaves as without the shim" {
	"$CC" -D_GNU_SOURCE -O2 -D_FORTIFY_SOURCE=3 -w -o "$WORK/calls" \
		"$BATS_TEST_DIRNAME/src/calls.c" -ldl
	run_twice "$WORK/calls"
}

@test "transparent: longjmp out of a connect that hangs" {
	start_peer full
	run_twice "$RARE" longjmps "$PORT"
	[[ $output == *jumped* ]]
}

@test "transparent: a storm of longjmps out of connect, send and receive" {
	start_peer echo
	run_twice "$RARE" storms "$PORT"
}

@test "transparent: forked children talk on the parent's connection and on their own" {
	start_peer echo
	run_twice "$RARE" forks "$PORT"
}

@test "transparent: connect, finish and talk in three threads" {
	start_peer echo
	run_twice "$RARE" three_threads "$PORT"
}

@test "transparent: 10,000 connections" {
	start_peer echo
	run_twice "$RARE" many "$PORT"
	[ "$output" = "good 10000" ]
}

@test "transparent: stdio on a socket, and a stream without a descriptor" {
	start_peer echo
	run_twice "$RARE" streams "$PORT"
}

@test "transparent: a constructor that connects and closes before ours" {
	"$CC" -shared -fPIC -o "$WORK/early.so" "$BATS_TEST_DIRNAME/src/early.c" -lpthread
	"$CC" -Wl,--no-as-needed -x c -o "$WORK/main" - -x none "$WORK/early.so" <<<'int main(void) { return 0; }'
	run_twice "$WORK/main"
	[ "$output" = "early: 80 80" ]
}

@test "a library opened with RTLD_DEEPBIND calls our connect" {
	"$CC" -D_GNU_SOURCE -shared -fPIC -o "$WORK/deep.so" "$BATS_TEST_DIRNAME/src/deep.c" -ldl
	[ "$(LD_PRELOAD=$SHIM "$RARE" deepbind "$WORK/deep.so")" = "$SHIM" ]
}

@test "transparent: curl, wget, python3, nc, bash and git against a server, and against none" {
	start_peer ok
	local url=http://127.0.0.1:$PORT
	run_twice curl -sS "$url/a" "$url/b"
	[ "$output" = "$(printf 'hello\nhello')" ]
	run_twice wget -q -O - "$url"
	run_twice /usr/bin/python3 -c "import urllib.request as u; print(u.urlopen('$url').read())"
	run_twice bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT; printf 'GET / HTTP/1.1\r\n\r\n' >&3; head -n 1 <&3"
	! command -v nc >/dev/null || run_twice sh -c "printf 'GET / HTTP/1.1\r\n\r\n' | nc -w 1 127.0.0.1 $PORT"
	closed_port
	url=http://127.0.0.1:$PORT
	run_twice sh -c "curl -sS $url 2>&1 | sed 's/after [0-9]* ms//'"
	run_twice wget -q -O - "$url"
	run_twice sh -c "git ls-remote $url/x.git 2>&1 | sed 's/after [0-9]* ms//'"
	run_twice bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT"
}

@test "transparent: no descriptor is held, and no file is made by a program that connects nowhere" {
	run_twice sh -c 'ls -l /proc/self/fd | wc -l'
	run_twice ls "$INTERLOCK_RUNTIME_DIR"
	[ -z "$output" ]
}
