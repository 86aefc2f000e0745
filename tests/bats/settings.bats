#!/usr/bin/env bats
# Each setting, changed, changes what is seen. Named `setting NAME`, so that the last test can hold
# the list against the tables.

load helper

prepare() { watched settings; }

refused() { # refused N: N calls to a port on which nobody listens
	closed_port
	times "$1" curl -sS "http://127.0.0.1:$PORT/"
}

answered() { # answered N: N calls to the peer
	times "$1" curl -sS "http://127.0.0.1:$PORT/"
}

# The breaker's line in the registry, without its name: STATE TOTAL FAILED SLOW.
breaker() { "$OUT/tests/state" "$INTERLOCK_RUNTIME_DIR" settings | sed -n '1s/^[^ ]* //p'; }

counter() { # counter NAME: 0 where it never counted
	"$OUT/tests/state" "$INTERLOCK_RUNTIME_DIR" settings |
		awk -v name="$1" '$1 == name { n = $2 } END { print n + 0 }'
}

opened() { [ "$(changes | head -n 1)" = "CLOSED OPEN" ]; }
stayed_closed() { [ -z "$(changes)" ]; }

@test "setting failure_rate_threshold" {
	export INTERLOCK_FAILURE_RATE_THRESHOLD=20%
	start_peer ok ok ok ok eof
	answered 5
	opened
}

@test "setting minimum_number_of_calls" {
	export INTERLOCK_MINIMUM_NUMBER_OF_CALLS=2
	refused 3
	opened
	[ "$(counter rejected)" -eq 1 ]
}

@test "setting slow_call_duration_threshold, with slow_call_rate_threshold" {
	start_peer slow=200
	answered 5
	stayed_closed
	INTERLOCK_REGISTRY=other INTERLOCK_SLOW_CALL_DURATION_THRESHOLD=100ms answered 5
	opened
}

@test "setting slow_call_rate_threshold" {
	export INTERLOCK_SLOW_CALL_DURATION_THRESHOLD=1s INTERLOCK_SLOW_CALL_RATE_THRESHOLD=0.2
	start_peer slow=1100 ok
	answered 5
	opened
}

@test "setting permitted_calls_in_half_open" {
	export INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN=1 INTERLOCK_WAIT_DURATION_IN_OPEN=100ms
	start_peer eof eof eof eof eof ok
	answered 5
	sleep 0.2
	answered 1
	[ "$(changes | tail -n 1)" = "HALF_OPEN CLOSED" ]
}

@test "setting max_concurrent_probes" {
	export INTERLOCK_MAX_CONCURRENT_PROBES=3 INTERLOCK_WAIT_DURATION_IN_OPEN=100ms
	start_peer eof eof eof eof eof mute
	answered 5
	sleep 0.2
	local _ clients=()
	for _ in 1 2 3; do
		shimmed curl -sS --max-time 60 "http://127.0.0.1:$PORT/" >/dev/null 2>&1 3>&- &
		clients+=("$!")
		PEERS+=("$!")
	done
	eventually eval '[ "$(connections)" -eq 8 ]'
	answered 1
	[ "$(counter rejected)" -eq 1 ]
}

@test "setting wait_duration_in_open" {
	export INTERLOCK_WAIT_DURATION_IN_OPEN=100ms
	refused 5
	sleep 0.2
	times 1 curl -sS "http://127.0.0.1:$PORT/"
	changes | grep -q 'OPEN HALF_OPEN'
}

@test "setting wait_duration_backoff_multiplier" {
	export INTERLOCK_WAIT_DURATION_IN_OPEN=100ms INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN=1
	export INTERLOCK_WAIT_DURATION_BACKOFF_MULTIPLIER=600
	refused 5
	sleep 0.2
	times 1 curl -sS "http://127.0.0.1:$PORT/"
	grep -q 'from=HALF_OPEN to=OPEN .*retry_after=60s' "$LOG"
}

@test "setting wait_duration_in_open_max" {
	export INTERLOCK_WAIT_DURATION_IN_OPEN=100ms INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN=1
	export INTERLOCK_WAIT_DURATION_BACKOFF_MULTIPLIER=600 INTERLOCK_WAIT_DURATION_IN_OPEN_MAX=7s
	refused 5
	sleep 0.2
	times 1 curl -sS "http://127.0.0.1:$PORT/"
	grep -q 'from=HALF_OPEN to=OPEN .*retry_after=7s' "$LOG"
}

@test "setting auto_transition" {
	export INTERLOCK_AUTO_TRANSITION=yes INTERLOCK_WAIT_DURATION_IN_OPEN=100ms
	closed_port
	shimmed timeout 30 /usr/bin/python3 -c 'import os, socket, sys, time
for _ in range(5):
    socket.socket().connect_ex(("127.0.0.1", int(sys.argv[1])))
while "to=HALF_OPEN" not in open(os.environ["INTERLOCK_LOG"]).read():
    time.sleep(0.02)' "$PORT" 3>&-
	[ "$(changes | tail -n 1)" = "OPEN HALF_OPEN" ]
}

@test "setting window_type, with window_size: the calls of past seconds are forgotten" {
	export INTERLOCK_WINDOW_TYPE=TIME_BASED INTERLOCK_WINDOW_SIZE=1
	export INTERLOCK_MINIMUM_NUMBER_OF_CALLS=1000
	refused 3
	sleep 2.1
	[ "$(breaker)" = "CLOSED 0 0 0" ]
}

@test "setting window_size" {
	export INTERLOCK_WINDOW_SIZE=3 INTERLOCK_MINIMUM_NUMBER_OF_CALLS=3
	start_peer ok
	answered 6
	[ "$(breaker)" = "CLOSED 3 0 0" ]
}

@test "setting initial_state" {
	local state
	for state in FORCED_OPEN DISABLED METRICS_ONLY; do
		export INTERLOCK_REGISTRY=$state INTERLOCK_INITIAL_STATE=$state
		refused 6
		"$OUT/tests/state" "$INTERLOCK_RUNTIME_DIR" "$state" >"$WORK/$state"
	done
	grep -q ' FORCED_OPEN 0 0 0' "$WORK/FORCED_OPEN"
	grep -q 'rejected 6' "$WORK/FORCED_OPEN"
	grep -q ' DISABLED 0 0 0' "$WORK/DISABLED"
	grep -q 'calls_failure 6' "$WORK/DISABLED"
	grep -q ' METRICS_ONLY 6 6 0' "$WORK/METRICS_ONLY"
}

@test "option INTERLOCK_CONTROL: a relative path starts where the program did" {
	echo '*:* FORCED_OPEN' >"$WORK/control.rules"
	(cd "$WORK" && INTERLOCK_CONTROL=control.rules refused 1)
	[ "$(counter rejected)" -eq 1 ]
	[ "$(breaker)" = "FORCED_OPEN 0 0 0" ]
}

@test "option INTERLOCK_CONTROL_INTERVAL: what is written is obeyed no earlier than that" {
	export INTERLOCK_CONTROL=$WORK/control.rules
	echo '# nothing' >"$INTERLOCK_CONTROL"
	closed_port
	INTERLOCK_CONTROL_INTERVAL=1h calls_around_a_change
	[ "$(counter rejected)" -eq 0 ]
	echo '# nothing' >"$INTERLOCK_CONTROL"
	INTERLOCK_CONTROL_INTERVAL=1ms calls_around_a_change
	[ "$(counter rejected)" -eq 1 ]
}

# One program that calls, lets FORCED_OPEN be written, and calls again.
calls_around_a_change() {
	LD_PRELOAD=$SHIM /usr/bin/python3 -c 'import socket, sys, time
def call():
    try:
        socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    except OSError:
        pass
call()
with open(sys.argv[2], "w") as control:
    control.write("*:* FORCED_OPEN\n")
time.sleep(0.05)
call()' "$PORT" "$INTERLOCK_CONTROL"
}

@test "option INTERLOCK_REGISTRY: unset, each program is alone" {
	unset INTERLOCK_REGISTRY
	refused 8
	stayed_closed
	[ "$(outcomes FAILURE)" -eq 8 ]
}

@test "option INTERLOCK_KEY: host, for all its ports" {
	export INTERLOCK_KEY=host
	refused 2
	refused 3
	opened
	grep -q 'breaker=127.0.0.1 ' "$LOG"
}

@test "option INTERLOCK_FAMILIES: without inet, IPv4 is not watched" {
	INTERLOCK_FAMILIES=inet6 refused 6
	[ ! -s "$LOG" ]
	INTERLOCK_FAMILIES=inet refused 5
	opened
}

@test "option INTERLOCK_MAX_BREAKERS: with one, the second destination takes the first one's place" {
	export INTERLOCK_MAX_BREAKERS=1
	refused 1
	refused 1
	[ "$("$OUT/tests/state" "$INTERLOCK_RUNTIME_DIR" settings | grep -c '^[^ ]')" -eq 1 ]
}

@test "option INTERLOCK_REJECT_ERRNO" {
	export INTERLOCK_REJECT_ERRNO=EHOSTUNREACH
	refused 5
	LD_PRELOAD=$SHIM /usr/bin/python3 -c 'import socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])))
except OSError as error:
    print(error.errno)' "$PORT" | grep -qx 113
}

@test "option INTERLOCK_REJECT_RESOLVE: a name that an open breaker stands for is not looked up" {
	local code=0 look_up='import socket, sys
try:
    socket.getaddrinfo("localhost", int(sys.argv[1]))
except socket.gaierror as error:
    sys.exit(error.errno == socket.EAI_AGAIN and 9)'
	closed_port
	times 5 /usr/bin/python3 -c 'import socket, sys
socket.create_connection(("localhost", int(sys.argv[1])))' "$PORT"
	opened
	shimmed /usr/bin/python3 -c "$look_up" "$PORT" 3>&-
	INTERLOCK_REJECT_RESOLVE=yes shimmed /usr/bin/python3 -c "$look_up" "$PORT" 3>&- || code=$?
	[ "$code" -eq 9 ]
}

@test "option INTERLOCK_HTTP_FAILURE_STATUS" {
	export INTERLOCK_HTTP_FAILURE_STATUS=404
	start_peer status=404
	answered 5
	opened
	: >"$LOG"
	export INTERLOCK_REGISTRY=other INTERLOCK_HTTP_FAILURE_STATUS=off
	start_peer status=503
	answered 5
	stayed_closed
}

@test "option INTERLOCK_ONLY, and option INTERLOCK_IGNORE" {
	INTERLOCK_ONLY='*.internal:443' refused 6
	INTERLOCK_IGNORE='127.0.0.0/8' refused 6
	[ ! -s "$LOG" ]
	INTERLOCK_ONLY='127.0.0.1:*' refused 5
	opened
}

@test "option INTERLOCK_COMMANDS, and option INTERLOCK_IGNORE_COMMANDS" {
	INTERLOCK_COMMANDS=wget refused 6
	INTERLOCK_IGNORE_COMMANDS='cu*' refused 6
	[ ! -s "$LOG" ]
	INTERLOCK_COMMANDS=wget,curl refused 5
	opened
}

@test "option INTERLOCK_LOG, with %p" {
	INTERLOCK_LOG=$WORK/of-%p refused 1
	[ "$(find "$WORK" -name 'of-[0-9]*' | wc -l)" -eq 1 ]
}

@test "option INTERLOCK_LOG_LEVEL: a warning says that it opened, and nothing of calls" {
	INTERLOCK_LOG_LEVEL=warning refused 6
	[ "$(wc -l <"$LOG")" -eq 2 ]
}

@test "option INTERLOCK_LOG_FORMAT" {
	INTERLOCK_LOG_FORMAT=json refused 6
	/usr/bin/python3 -c 'import json, sys
events = [json.loads(line) for line in open(sys.argv[1])]
assert [event["event"] for event in events].count("call") == 5, events' "$LOG"
}

@test "option INTERLOCK_RUNTIME_DIR" {
	mkdir -m 700 "$WORK/elsewhere"
	INTERLOCK_RUNTIME_DIR=$WORK/elsewhere refused 1
	[ -f "$WORK/elsewhere/settings" ]
}

@test "transparent: option INTERLOCK: off" {
	INTERLOCK=off refused 6
	[ ! -s "$LOG" ]
	[ ! -e "$INTERLOCK_RUNTIME_DIR/settings" ]
}

# What is read and checked, but not obeyed yet, is listed here until it is.
@test "tool: every row of the tables has its test" {
	local later="INTERLOCK_REJECT_ESTABLISHED" name
	for name in $(sed -n 's/^IL_\(SETTING\|OPTION\)(\([a-zA-Z_]*\),.*/\2/p' \
		"$ROOT/include/interlock/settings.def" "$ROOT/src/config/options.def"); do
		[[ " $later " == *" $name "* ]] ||
			grep -qE "^@test .*(setting|option|with) $name[\":, ]" "$BATS_TEST_FILENAME" ||
			{ echo "no test of $name"; false; }
	done
}
