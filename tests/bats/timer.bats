#!/usr/bin/env bats
# auto_transition: an open breaker is half open when its wait is over, without a call; and the thread
# that sees to it is there only as long as one is open.

load helper

prepare() {
	watched timer
	export INTERLOCK_AUTO_TRANSITION=1 INTERLOCK_WAIT_DURATION_IN_OPEN=300ms
}

# python with words for what these programs do: calls(n), threads() (their names, without ours'
# number), until(condition), and PORT on which nobody listens.
words='
import os, socket, sys, threading, time
PORT = int(sys.argv[1])
def calls(count):
    for _ in range(count):
        socket.socket().connect_ex(("127.0.0.1", PORT))
def threads():
    names = []
    for task in os.listdir("/proc/self/task"):
        try:
            names.append(open("/proc/self/task/%s/comm" % task).read().strip())
        except OSError:
            pass
    return names
def ours():
    return threads().count("interlock")
def until(condition):
    if not os.path.getsize(os.environ["INTERLOCK_LOG"]):
        sys.exit("the log is empty: nobody watches these calls")
    while not condition():
        time.sleep(0.01)
def changes():
    return [line for line in open(os.environ["INTERLOCK_LOG"]) if " state_change " in line]
'

# program TEXT: runs it with the shim; it may take a minute.
program() {
	closed_port
	shimmed timeout -k 1 30 /usr/bin/python3 -c "$words$1" "$PORT" 3>&-
}

@test "it is half open after its wait without a call, by one event" {
	program '
calls(5)
until(lambda: len(changes()) == 2)
until(lambda: ours() == 0)'
	[ "$(changes)" = "$(printf 'CLOSED OPEN\nOPEN HALF_OPEN')" ]
	grep -q 'from=OPEN to=HALF_OPEN why=wait' "$LOG"
	[ "$(outcomes '[A-Z_]*')" -eq 5 ]
}

@test "the next call is its first probe" {
	export INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN=1
	program '
calls(5)
until(lambda: len(changes()) == 2)
calls(1)'
	[ "$(changes)" = "$(printf 'CLOSED OPEN\nOPEN HALF_OPEN\nHALF_OPEN OPEN')" ]
	[ "$(outcomes FAILURE)" -eq 6 ]
}

@test "each opening is timed anew, and one thread times several breakers" {
	export INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN=1
	program '
calls(5)
PORT += 1
calls(5)
until(lambda: len(changes()) == 4)
assert ours() <= 1, threads()
calls(1)
until(lambda: len(changes()) == 6)
until(lambda: ours() == 0)'
	[ "$(changes | grep -c '^OPEN HALF_OPEN')" -eq 3 ]
}

@test "there is a thread of ours only while a breaker is open" {
	export INTERLOCK_WAIT_DURATION_IN_OPEN=1s
	program '
calls(4)
assert ours() == 0, threads()
calls(1)
until(lambda: ours() == 1 or len(changes()) == 2)
until(lambda: ours() == 0)
assert len(changes()) == 2'
	[ "$(changes | wc -l)" -eq 2 ]
}

@test "without auto_transition there is none, and it stays open" {
	INTERLOCK_AUTO_TRANSITION=0 program '
calls(5)
assert ours() == 0, threads()
time.sleep(0.5)'
	[ "$(changes)" = "CLOSED OPEN" ]
}

@test "its signals are blocked: the program gets its own" {
	INTERLOCK_WAIT_DURATION_IN_OPEN=60s program '
import signal
calls(5)
until(lambda: ours() == 1)
for task in os.listdir("/proc/self/task"):
    status = open("/proc/self/task/%s/status" % task).read()
    if status.startswith("Name:\tinterlock\n"):
        blocked = int(status.split("SigBlk:")[1].split()[0], 16)
        assert all(blocked >> signal - 1 & 1 for signal in (1, 2, 3, 10, 13, 14, 15, 17, 34)), blocked
assert not signal.pthread_sigmask(signal.SIG_BLOCK, [])'
}

@test "it does not delay the end: exit, the end of the first thread by pthread_exit, a fatal signal" {
	export INTERLOCK_WAIT_DURATION_IN_OPEN=3600s
	program '
calls(5)
until(lambda: ours() == 1)'
	program '
import ctypes
calls(5)
until(lambda: ours() == 1)
ctypes.CDLL(None).pthread_exit(None)'
	program '
calls(5)
until(lambda: ours() == 1)
os.kill(os.getpid(), 15)' || [ $? -eq 143 ]
	[ "$(changes | wc -l)" -eq 3 ]
}

@test "a child forked from a program with threads starts its own when it needs it" {
	program '
stop = threading.Event()
others = [threading.Thread(target=stop.wait) for _ in range(3)]
[thread.start() for thread in others]
calls(5)
child = os.fork()
if child == 0:
    assert ours() == 0, threads()
    until(lambda: len(changes()) == 2)
    PORT += 1
    calls(5)
    until(lambda: len(changes()) == 4)
    os._exit(0)
status = os.waitpid(child, 0)[1]
stop.set()
assert status == 0'
	[ "$(changes | grep -c '^OPEN HALF_OPEN')" -eq 2 ]
}

@test "a daemon goes on timing what its parent saw opening" {
	program '
import ctypes
calls(5)
ctypes.CDLL(None).daemon(1, 1)
PORT += 1
calls(1)
until(lambda: len(changes()) == 2)
open(os.environ["INTERLOCK_LOG"] + ".done", "w")' || :
	for _ in $(seq 600); do
		[ ! -e "$LOG.done" ] || break
		sleep 0.05
	done
	[ "$(changes)" = "$(printf 'CLOSED OPEN\nOPEN HALF_OPEN')" ]
}

@test "another process moves what a killed one opened" {
	export INTERLOCK_WAIT_DURATION_IN_OPEN=1s
	program '
calls(5)
os.kill(os.getpid(), 9)' || [ $? -eq 137 ]
	shimmed timeout -k 1 30 /usr/bin/python3 -c "$words"'
calls(1)
until(lambda: len(changes()) == 2)' "$PORT" 3>&-
	[ "$(changes)" = "$(printf 'CLOSED OPEN\nOPEN HALF_OPEN')" ]
}

@test "of eight processes that time one breaker, one moves it" {
	export INTERLOCK_WAIT_DURATION_IN_OPEN=2s
	closed_port
	local clients=() client
	for _ in 1 2 3 4 5 6 7 8; do
		shimmed timeout -k 1 30 /usr/bin/python3 -c "$words"'
calls(5)
until(lambda: len(changes()) >= 2)
until(lambda: ours() == 0)' "$PORT" 3>&- &
		clients+=("$!")
	done
	for client in "${clients[@]}"; do wait "$client"; done
	[ "$(changes)" = "$(printf 'CLOSED OPEN\nOPEN HALF_OPEN')" ]
}

@test "a program that changes its user takes the thread along" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	INTERLOCK_WAIT_DURATION_IN_OPEN=60s program '
calls(5)
until(lambda: ours() == 1)
os.setgid(65534)
os.setuid(65534)
for task in os.listdir("/proc/self/task"):
    status = open("/proc/self/task/%s/status" % task).read()
    assert "Uid:\t65534\t65534" in status, status
assert ours() == 1'
}
