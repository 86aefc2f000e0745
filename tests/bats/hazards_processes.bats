#!/usr/bin/env bats
# Processes that copy themselves and end in every way, with threads beside.

load helper

prepare() {
	watched processes
	HAZARD=$OUT/tests/bats/hazard
	start_peer echo
}

@test "copies without handlers (_Fork, clone) and forks beside threads: each conversation is one call" {
	run_twice "$HAZARD" copies "$PORT"
	[[ $output == *"failures 0 close 0" ]]
	! grep '^child' <<<"$output"
	are_all_good $((2 + 200 + 60))
}

@test "exit while threads send: it ends, with its own status, and nothing is held against the peer" {
	local _
	for _ in $(seq 10); do
		timeout 60 env LD_PRELOAD="$SHIM" "$HAZARD" exits "$PORT" >"$WORK/out" 3>&-
		[ "$(cat "$WORK/out")" = "failures 0" ]
	done
	[ "$(outcomes SUCCESS)" -ge 1000 ]
	# What a process leaves open is found by those that come later, and was waiting for long by then.
	sleep 0.7
	for _ in 1 2 3; do
		run_twice "$HAZARD" epolls "$PORT"
	done
	are_all_good "$(outcomes SUCCESS)"
}

@test "a thread with the smallest stack is watched" {
	run_twice "$OUT/tests/bats/rare" small_stack "$PORT"
	are_all_good 1
}

@test "a vfork child that closes everything: the parent's connection is followed to its end" {
	run_twice "$OUT/tests/bats/rare" vforks "$PORT"
	[[ $output == *"'after'"* ]]
	are_all_good 1
}

@test "prefork workers share what they learn, although the master never connects" {
	unset INTERLOCK_REGISTRY
	closed_port
	LD_PRELOAD=$SHIM timeout 60 /usr/bin/python3 -c 'import os, socket, sys
ended, end = os.pipe()
for _ in range(8):
    called, call = os.pipe()
    if os.fork() == 0:
        os.close(end)
        socket.socket().connect_ex(("127.0.0.1", int(sys.argv[1])))
        os.write(call, b"x")
        os.read(ended, 1)
        os._exit(0)
    os.read(called, 1)
os.close(end)
for _ in range(8):
    os.wait()' "$PORT" 3>&-
	[ "$(outcomes FAILURE)" -eq 5 ]
	[ "$(changes)" = "CLOSED OPEN" ]
	grep -q ' rejected .*count=' "$LOG"
}
