#!/usr/bin/env bats
# What the log tells, in which order, and where.

load helper

prepare() { watched log; }

# The events so far, short: `call CLOSED>OPEN rejected`.
events() {
	sed -nE 's/.* state_change .*from=([A-Z_]*) to=([A-Z_]*) .*/\1>\2/p; t
s/^[^ ]* [^ ]* [a-z]* (call|amended|rejected|reset) .*/\1/p' "$LOG" | xargs
}

@test "at a trip the call is told before the change, and then the rejection" {
	closed_port
	times 6 curl -sS "http://127.0.0.1:$PORT/"
	[ "$(events)" = "call call call call call CLOSED>OPEN rejected" ]
}

@test "a call says which address it went to, also where its breaker has another name" {
	closed_port
	INTERLOCK_CONTROL=$WORK/control
	export INTERLOCK_CONTROL
	echo '*:* name=both' >"$INTERLOCK_CONTROL"
	times 1 curl -sS "http://127.0.0.1:$PORT/"
	times 1 curl -sS "http://[::1]:$PORT/"
	grep -q 'call breaker=both outcome=FAILURE .* phase=connect address=127.0.0.1$' "$LOG"
	grep -q 'call breaker=both outcome=FAILURE .* phase=connect address=\[::1\]$' "$LOG"
}

@test "at a first probe: half open, the call, closed" {
	export INTERLOCK_WAIT_DURATION_IN_OPEN=100ms INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN=1
	start_peer eof eof eof eof eof ok
	times 5 curl -sS "http://127.0.0.1:$PORT/"
	: >"$LOG"
	sleep 0.2
	times 1 curl -sS "http://127.0.0.1:$PORT/"
	[ "$(events)" = "OPEN>HALF_OPEN call HALF_OPEN>CLOSED" ]
}

@test "a storm of rejections is one line a second, with their count" {
	closed_port
	shimmed timeout 60 /usr/bin/python3 -c 'import socket, sys, time
def call():
    return socket.socket().connect_ex(("127.0.0.1", int(sys.argv[1])))
for _ in range(5):
    call()
begun = time.monotonic()
for _ in range(500):
    call()
time.sleep(max(0, 1.1 - (time.monotonic() - begun)))
call()
print(int(time.monotonic() - begun))' "$PORT" >"$WORK/seconds" 3>&-
	[ "$(grep -c ' rejected ' "$LOG")" -le $(($(cat "$WORK/seconds") + 2)) ]
	[ "$(awk -F= '/ rejected / { n += $NF } END { print n }' "$LOG")" -eq 501 ]
}

@test "to syslog each line is a datagram with its severity, and the program keeps no descriptor" {
	unshare -m true 2>/dev/null || skip "no mount namespace to be had"
	closed_port
	INTERLOCK_LOG=syslog unshare -m timeout 60 /usr/bin/python3 -c 'import os, socket, subprocess, sys
subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/dev"], check=True)
log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
log.bind("/dev/log")
program = """
import os, socket, sys
for _ in range(6):
    socket.socket().connect_ex(("127.0.0.1", int(sys.argv[1])))
print(len(os.listdir("/proc/self/fd")))
"""
def run(**more):
    return subprocess.run([sys.executable, "-c", program, sys.argv[1]], input="",
                          capture_output=True, text=True, env=dict(os.environ, **more), check=True)
plain = run()
shimmed = run(LD_PRELOAD=sys.argv[2])
assert (plain.stdout, plain.stderr) == (shimmed.stdout, shimmed.stderr), shimmed
log.setblocking(False)
while True:
    try:
        print(log.recv(2000).decode())
    except BlockingIOError:
        break' "$PORT" "$SHIM" >"$WORK/syslog" 3>&-
	[ "$(grep -cE "^<31>interlock: .* debug call breaker=127.0.0.1:$PORT " "$WORK/syslog")" -eq 5 ]
	grep -qE '^<28>interlock: .* warning state_change .*from=CLOSED to=OPEN' "$WORK/syslog"
	grep -qE '^<28>interlock: .* warning rejected .*count=1$' "$WORK/syslog"
	[ "$(wc -l <"$WORK/syslog")" -eq 7 ]
	[ ! -s "$LOG" ]
}

@test "nobody listens to syslog: the program does not notice" {
	closed_port
	times 5 curl -sS "http://127.0.0.1:$PORT/"
	unshare -m true 2>/dev/null || skip "no mount namespace to be had"
	# The breaker is open by now, so that the shim speaks with each call.
	INTERLOCK_LOG=syslog LD_PRELOAD=$SHIM unshare -m sh -c 'mount -t tmpfs tmpfs /dev &&
		exec /usr/bin/python3 -c "import socket
print(socket.socket().connect_ex((\"127.0.0.1\", $0)))"' "$PORT" >"$WORK/out" 2>"$WORK/err" 3>&-
	[ "$(cat "$WORK/out")" = 111 ]
	[ ! -s "$WORK/err" ]
	"$OUT/tests/state" "$INTERLOCK_RUNTIME_DIR" log | grep -q 'rejected 1'
}
