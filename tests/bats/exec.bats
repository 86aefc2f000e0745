#!/usr/bin/env bats
# A program that becomes another one leaves nothing behind that would count against anybody.

load helper

FORMS="execve execv execvp execvpe fexecve execveat execl execle execlp"

prepare() {
	watched exec
	"${CC:-cc}" -D_GNU_SOURCE -O2 -w -o "$WORK/execs" "$BATS_TEST_DIRNAME/src/execs.c"
}

state() { "$OUT/tests/state" "$INTERLOCK_RUNTIME_DIR" exec; }

# The breaker of the last peer is OPEN, its wait is over, and what is asked stays unanswered.
given_it_waits_for_probes() {
	export INTERLOCK_WAIT_DURATION_IN_OPEN=100ms
	closed_port
	times 5 curl -sS "http://127.0.0.1:$PORT/"
	[ "$(changes)" = "CLOSED OPEN" ]
	start_peer -p "$PORT" mute
	sleep 0.2
}

# The process PID is PROGRAM now.
is() { [ "$(readlink "/proc/$1/exe")" = "$(readlink -f "$2")" ]; }

# stays COMMAND...: runs it with the shim and an input that never ends; sets CHILD.
stays() {
	[ -p "$WORK/input" ] || mkfifo "$WORK/input"
	LD_PRELOAD=$SHIM "$@" <>"$WORK/input" >/dev/null 2>&1 3>&- &
	CHILD=$!
	PEERS+=("$CHILD")
}

@test "a probe's place is free as soon as its program execs, by each of the nine ways" {
	local form cat
	cat=$(command -v cat)
	given_it_waits_for_probes
	for form in $FORMS; do
		stays "$WORK/execs" "$form" "$PORT" "$cat"
		eventually is "$CHILD" "$cat"
		state | grep -q 'HALF_OPEN'
		! state | grep 'lease of'
	done
	[ "$(connections)" -eq 9 ]
	! state | grep rejected
}

@test "an exec that fails: the connection is judged on, by each of the nine ways" {
	local form
	export INTERLOCK_MINIMUM_NUMBER_OF_CALLS=9
	start_peer mute
	for form in $FORMS; do
		[ "$(shimmed "$WORK/execs" "$form" "$PORT" /no/such/file 3>&-)" = "errno $([ "$form" = fexecve ] && echo 22 || echo 2)" ]
	done
	[ "$(changes)" = "CLOSED OPEN" ]
	[ "$(outcomes FAILURE)" -eq 9 ]
	[ "$(outcomes '[A-Z_]*')" -eq 9 ]
	state | grep -q '  unleased 9'
	! state | grep 'lease of'
}

@test "an exec that fails in a probe: its place is free, and the program goes on" {
	given_it_waits_for_probes
	[ "$(shimmed "$WORK/execs" execv "$PORT" /no/such/file 3>&-)" = "errno 2" ]
	state | grep -q 'HALF_OPEN'
	! state | grep 'lease of'
	[ "$(outcomes '[A-Z_]*')" -eq 5 ]
}

@test "what a child execs, by fork, vfork or posix_spawn, takes nothing from its parent" {
	given_it_waits_for_probes
	stays /usr/bin/python3 -c 'import os, socket, subprocess, sys
held = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
held.sendall(b"ask")
subprocess.run(["true"], check=True)
subprocess.run(["/bin/true"], close_fds=False, check=True)
subprocess.run(["true"], preexec_fn=lambda: None, check=True)
try:
    subprocess.run(["/no/such/file"])
    sys.exit(2)
except FileNotFoundError:
    pass
os.waitpid(os.posix_spawn("/bin/true", ["true"], os.environ), 0)
os.waitpid(os.posix_spawnp("true", ["true"], os.environ), 0)
os.system("true")
os.popen("true").close()
open(sys.argv[2], "w").close()
sys.stdin.read()' "$PORT" "$WORK/done"
	eventually test -e "$WORK/done"
	state | grep -q "lease of $CHILD, .*a probe"
	shimmed "$WORK/execs" execv "$PORT" /bin/true && return 1
	state | grep -q '  rejected 1'
}

@test "perl's exec, and bash's" {
	local cat
	cat=$(command -v cat)
	given_it_waits_for_probes
	stays perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new("127.0.0.1:$ARGV[0]") or die; exec "cat"' "$PORT"
	eventually is "$CHILD" "$cat"
	state | grep -q 'HALF_OPEN'
	! state | grep 'lease of'
	stays bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT; exec cat"
	eventually is "$CHILD" "$cat"
	! state | grep 'lease of'
	[ "$(connections)" -eq 2 ]
}

@test "transparent: a connection that goes on in another program" {
	start_peer greet
	run_twice bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT; exec head -n 1 <&3"
	[ -n "$output" ]
	run_twice bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT; exec /no/such/file <&3"
	[ "$status" -eq 127 ]
	run_twice sh -c 'exec env -i /bin/echo hello'
	[ "$output" = hello ]
}
