#!/usr/bin/env bats
# The operator steers running programs by a text file, and nothing that he writes can hurt them.

load helper

prepare() {
	watched control
	is_watched
	CONTROL=$WORK/control.rules
	export INTERLOCK_CONTROL=$CONTROL
	export INTERLOCK_CONTROL_INTERVAL=500ms
	echo "# nothing yet" >"$CONTROL"
}

# Starts a python program that makes a call every 50 ms, and prints `ok` or the error's number.
start_calling() {
	CALLS=$WORK/calls${#PEERS[@]}
	: >"$CALLS"
	LD_PRELOAD=$SHIM /usr/bin/python3 -c 'import socket, sys, time
while True:
    try:
        with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5) as connection:
            connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
            print("ok" if connection.recv(100) else "empty", flush=True)
    except OSError as error:
        print(error.errno, flush=True)
    time.sleep(0.05)' "$PORT" >"$CALLS" 2>"$WORK/errors" 3>&- &
	CALLER=$!
	PEERS+=("$CALLER")
	eventually test -s "$CALLS"
}

# soon WORD: before long (10 s, as the machine may be busy) a call ends so.
soon() {
	local _
	for _ in $(seq 500); do
		[ "$(tail -n 1 "$CALLS")" != "$1" ] || return 0
		sleep 0.02
	done
	echo "not $1 but: $(tail -n 3 "$CALLS")"
	return 1
}

refused=111

one_call() {
	shimmed timeout 20 curl -sS -o "$WORK/body" "http://127.0.0.1:$PORT/" 2>"$WORK/errors" 3>&-
}

# A call that the program cannot have.
fails() { ! one_call; }

resets() { grep -c ' reset ' "$LOG" || :; }

@test "FORCED_OPEN, written in place: a running program is rejected, and passes when it is gone" {
	start_peer ok
	start_calling
	echo '*:* FORCED_OPEN' >"$CONTROL"
	soon $refused
	echo '# nothing' >"$CONTROL"
	soon ok
	[ "$(changes)" = "CLOSED FORCED_OPEN
FORCED_OPEN CLOSED" ]
	grep -q 'from=CLOSED to=FORCED_OPEN .*by=control' "$LOG"
	[ "$(resets)" -eq 0 ]
}

@test "FORCED_OPEN within 1.5 s at the default interval, and gone within 1.5 s" {
	unset INTERLOCK_CONTROL_INTERVAL
	start_peer ok
	start_calling
	/usr/bin/python3 - "$CONTROL" "$CALLS" 111 >"$WORK/took" <<'PYTHON'
import sys, time
def until(word):
    began = time.monotonic()
    while open(sys.argv[2]).read().split()[-1] != word:
        time.sleep(0.01)
        if time.monotonic() - began > 60:
            sys.exit("in vain: " + word)
    return time.monotonic() - began
open(sys.argv[1], "w").write("*:* FORCED_OPEN\n")
print(until("111"))
open(sys.argv[1], "w").close()
print(until("ok"))
PYTHON
	cat "$WORK/took" # reported, not asserted: the machine may be busy
	[ "$(wc -l <"$WORK/took")" -eq 2 ]
}

@test "FORCED_OPEN, by an editor's rename and by a link that is switched" {
	start_peer ok
	echo '*:* FORCED_OPEN' >"$WORK/other"
	start_calling
	mv "$WORK/other" "$CONTROL"
	soon $refused
	echo '*:* CLOSED' >"$WORK/closed"
	echo '*:* FORCED_OPEN' >"$WORK/open"
	ln -sfn closed "$WORK/link" && mv -T "$WORK/link" "$CONTROL"
	soon ok
	ln -sfn open "$WORK/link" && mv -T "$WORK/link" "$CONTROL"
	soon $refused
	rm "$CONTROL"
	soon ok
}

@test "IGNORE: not watched, until the line is gone" {
	start_peer eof
	echo '*:* IGNORE' >"$CONTROL"
	times 8 curl -sS "http://127.0.0.1:$PORT/"
	[ ! -s "$LOG" ]
	echo '# nothing' >"$CONTROL"
	times 6 curl -sS "http://127.0.0.1:$PORT/"
	[ "$(changes)" = "CLOSED OPEN" ]
	fails
	echo '*:* IGNORE' >"$CONTROL"
	fails
	grep -q 'Empty reply' "$WORK/errors"
}

@test "IGNORE: a connection that stands is not followed while the line does, and then again" {
	export INTERLOCK_CONTROL_INTERVAL=1ms
	echo '*:* name=all' >"$CONTROL"
	start_peer ok
	shimmed timeout 100 /usr/bin/python3 -c 'import http.client, os, sys, time
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
def ask():
    connection.request("GET", "/")
    connection.getresponse().read()
def recorded(times):
    """How many of so many requests."""
    before = open(os.environ["INTERLOCK_LOG"]).read().count(" call breaker=all ")
    for _ in range(times): ask()
    return open(os.environ["INTERLOCK_LOG"]).read().count(" call breaker=all ") - before
def rules(text, then):
    with open(os.environ["INTERLOCK_CONTROL"], "w") as file: file.write("*:* name=all\n" + text)
    while recorded(1) != then: time.sleep(0.01)
assert recorded(5) == 5
socket = connection.sock
for _ in range(2):
    rules(f"127.0.0.1:{sys.argv[1]} IGNORE\n", 0)
    assert recorded(5) == 0
    rules("# nothing\n", 1)
    assert recorded(5) == 5
assert connection.sock is socket
rules(f"*:* FORCED_OPEN reject_established=yes\n127.0.0.1:{sys.argv[1]} IGNORE\n", 0)
assert recorded(5) == 0
try:
    rules("*:* FORCED_OPEN reject_established=yes\n", 1)
except ConnectionResetError:
    sys.exit(7)' "$PORT" 3>&- && return 1
	[ $? -eq 7 ]
	[ "$(connections)" -eq 1 ]
	[ "$(changes)" = "CLOSED FORCED_OPEN" ]
}

@test "IGNORE: what is asked in vain when the line comes is not held against anybody" {
	export INTERLOCK_CONTROL_INTERVAL=1ms
	start_peer mute
	shimmed timeout 100 /usr/bin/python3 -c 'import os, socket, sys, time
def ask():
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    s.settimeout(0.15)
    s.sendall(b"ask")
    try:
        s.recv(1)
    except TimeoutError:
        return s
def recorded(): return open(os.environ["INTERLOCK_LOG"]).read().count("outcome=FAILURE")
def rules(text, then):
    with open(os.environ["INTERLOCK_CONTROL"], "w") as file: file.write(text)
    for _ in range(1000):
        before = recorded()
        try: socket.create_connection(("127.0.0.1", 1))
        except OSError: pass
        if recorded() - before == then: return
        time.sleep(0.01)
    sys.exit("in vain")
ask().close()
assert recorded() == 1
held = ask()
rules("*:* IGNORE\n", 0)
before = recorded()
held.close()
assert recorded() == before' "$PORT" 3>&-
}

@test "reset= once for each token, with eight processes on one registry" {
	local _
	start_peer eof
	for _ in 1 2 3 4 5 6 7 8; do start_calling; done
	eventually eval '[ -n "$(changes)" ]'
	echo '*:* reset=first' >"$CONTROL"
	eventually eval '[ "$(resets)" -ge 1 ]'
	sleep 1.5
	[ "$(resets)" -eq 1 ]
	echo '*:* reset=second' >"$CONTROL"
	eventually eval '[ "$(resets)" -ge 2 ]'
	sleep 1.5
	[ "$(resets)" -eq 2 ]
}

@test "METRICS_ONLY at start, CLOSED in the file: enforces, with a fresh window" {
	export INTERLOCK_INITIAL_STATE=METRICS_ONLY
	start_peer eof
	times 6 curl -sS "http://127.0.0.1:$PORT/"
	[ -z "$(changes)" ]
	echo '*:* CLOSED' >"$CONTROL"
	times 4 curl -sS "http://127.0.0.1:$PORT/"
	[ "$(changes)" = "METRICS_ONLY CLOSED" ]
	times 1 curl -sS "http://127.0.0.1:$PORT/"
	[ "$(changes | tail -n 1)" = "CLOSED OPEN" ]
	closed_port # a destination seen first now
	times 6 curl -sS "http://127.0.0.1:$PORT/"
	[ "$(changes | tail -n 1)" = "CLOSED OPEN" ]
	[ "$(changes | wc -l)" -eq 3 ]
}

@test "thresholds of one destination; a wait that has begun is kept" {
	start_peer ok ok ok ok eof
	echo "127.0.0.1:$PORT failure_rate_threshold=20% wait_duration_in_open=77s" >"$CONTROL"
	times 5 curl -sS "http://127.0.0.1:$PORT/"
	grep -q 'to=OPEN .*retry_after=77s' "$LOG"
	echo "127.0.0.1:$PORT wait_duration_in_open=1ms" >"$CONTROL"
	fails
	grep -q 'refused\|connect' "$WORK/errors"
	[ "$(connections)" -eq 5 ]
}

@test "name=: destinations that share a breaker" {
	echo '127.0.0.0/8 name=everything' >"$CONTROL"
	closed_port
	times 3 curl -sS "http://127.0.0.1:$PORT/"
	closed_port
	times 3 curl -sS "http://127.0.0.1:$PORT/"
	[ "$(changes)" = "CLOSED OPEN" ]
	grep -q 'state_change breaker=everything ' "$LOG"
}

@test "http_failure_status= and reject_errno= of one destination" {
	start_peer status=404
	echo "*:$PORT http_failure_status=404 reject_errno=EHOSTUNREACH" >"$CONTROL"
	times 5 curl -sS "http://127.0.0.1:$PORT/"
	[ "$(changes)" = "CLOSED OPEN" ]
	LD_PRELOAD=$SHIM /usr/bin/python3 -c 'import socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])))
except OSError as error:
    print(error.errno)' "$PORT" | grep -qx 113
}

@test "oneway: a destination that answered once and need not answer" {
	start_peer ok mute
	one_call
	echo "*:$PORT oneway" >"$CONTROL"
	LD_PRELOAD=$SHIM /usr/bin/python3 -c 'import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    connection.sendall(b"<13>a line for syslog\n")' "$PORT"
	[ "$(outcomes SUCCESS)" -eq 2 ]
}

@test "a bad line is told once, with number and cause, and the others hold" {
	start_peer ok
	start_calling
	printf '%s\n' '*:* wait_duration_in_open=soon' '*:* FORCED_OPEN' >"$CONTROL"
	soon $refused
	sleep 1.2
	[ "$(grep -c "control.rules:1: wait_duration_in_open 'soon' is not valid" "$LOG")" -eq 1 ]
}

@test "a file that cannot be trusted changes nothing, and nobody waits for it" {
	start_peer ok
	start_calling
	rm "$CONTROL" && mkfifo "$CONTROL"
	eventually grep -q 'it is no regular file; refused' "$LOG"
	rm "$CONTROL" && mkdir "$CONTROL"
	soon ok
	rmdir "$CONTROL"
	truncate -s 1G "$WORK/large" && mv "$WORK/large" "$CONTROL"
	eventually grep -q 'longer than 64 KiB; refused' "$LOG"
	rm "$CONTROL"
	echo '*:* FORCED_OPEN' >"$WORK/open" && chmod 660 "$WORK/open" && mv "$WORK/open" "$CONTROL"
	eventually grep -q 'group or others may write to it; refused' "$LOG"
	soon ok
	chmod 600 "$CONTROL"
	soon $refused
}

@test "binary, CRLF, and no end of the last line" {
	start_peer ok
	head -c 3000 /dev/urandom >"$CONTROL"
	one_call
	printf '# dos\r\n*:* FORCED_OPEN' >"$CONTROL"
	fails
	[ "$(changes | tail -n 1)" = "CLOSED FORCED_OPEN" ]
}

@test "two files on one registry: the second says so and changes nothing" {
	start_peer ok
	one_call
	echo '*:* FORCED_OPEN' >"$WORK/second"
	INTERLOCK_CONTROL=$WORK/second one_call
	[ -z "$(changes)" ]
	[ "$(grep -c 'this registry is steered by another' "$LOG")" -eq 1 ]
}
