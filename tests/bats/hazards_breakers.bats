#!/usr/bin/env bats
# What the users of other breakers complained about.

load helper

prepare() {
	watched breakers
	is_watched
	export INTERLOCK_WAIT_DURATION_IN_OPEN=100ms INTERLOCK_FAILURE_RATE_THRESHOLD=1.0
	closed_port
	URL=http://127.0.0.1:$PORT/
}

# The breaker is open, and its wait is over.
trip() {
	times 5 curl -sS "$URL"
	[ "$(changes)" = "CLOSED OPEN" ]
	sleep 0.2
}

call() { times 1 curl -sS --max-time 20 "$URL"; }

# Calls once more; is it closed, as it should be by now?
closes() {
	call
	[ "$(changes | tail -n 1)" = "HALF_OPEN CLOSED" ]
}

# start_probe: one that the mute peer does not answer, and that is under way. PROBE is its pid.
start_probe() {
	start_peer -p "$PORT" mute
	LD_PRELOAD=$SHIM curl -sS --max-time 100 "$URL" >/dev/null 2>&1 3>&- &
	PROBE=$!
	PEERS+=("$PROBE")
	eventually eval '[ "$(connections)" -eq 1 ]'
	[ "$(changes | tail -n 1)" = "OPEN HALF_OPEN" ]
}

@test "half open: a probe whose process is killed does not keep its place" {
	export INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN=3
	trip
	start_probe
	call
	[ "$(connections)" -eq 1 ] # it has the only place
	kill -9 "$PROBE"
	wait "$PROBE" || :
	stop_peer
	start_peer -p "$PORT" ok
	eventually closes
	[ "$(connections)" -le 3 ]
	[ "$(connections)" -ge 2 ]
}

@test "half open: a probe that never comes back gives its place away when it is slow" {
	export INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN=3 INTERLOCK_SLOW_CALL_DURATION_THRESHOLD=1s
	trip
	start_probe
	eventually eval 'times 1 curl -sS --max-time 0.3 "$URL"; [ "$(connections)" -ge 2 ]'
	kill -0 "$PROBE"
}

@test "half open: probes that fail for a local reason do not wedge it, and are no failures" {
	unshare --net true 2>/dev/null || skip "no network namespace to be had"
	export INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN=2
	trip
	for _ in 1 2; do
		shimmed unshare --net curl -sS "$URL" >"$WORK/out" 2>&1 3>&- || :
	done
	[ "$(changes | tail -n 1)" = "HALF_OPEN OPEN" ]
	[ "$(outcomes '[A-Z_]*')" -eq 5 ]
	sleep 0.2
	start_peer -p "$PORT" ok
	eventually closes
	[ "$(connections)" -eq 2 ]
	# Nor do they open one that is closed.
	for _ in 1 2 3 4 5 6 7; do
		shimmed unshare --net curl -sS "$URL" >"$WORK/out" 2>&1 3>&- || :
	done
	[ "$(changes | tail -n 1)" = "HALF_OPEN CLOSED" ]
}

@test "a blip: clients that are killed together while they wait are one failure, not many" {
	start_peer -p "$PORT" mute
	local _ clients=() pid
	for _ in 1 2 3 4 5 6 7 8; do
		LD_PRELOAD=$SHIM curl -sS --max-time 100 "$URL" >/dev/null 2>&1 3>&- &
		clients+=("$!")
		PEERS+=("$!")
	done
	eventually eval '[ "$(requests_waiting)" -eq 8 ]'
	sleep 0.7 # long enough to be proof
	kill -9 "${clients[@]}"
	for pid in "${clients[@]}"; do wait "$pid" || :; done
	times 1 curl -sS --max-time 1 "$URL"
	[ "$(connections)" -eq 9 ] # it was not rejected
	[ "$(outcomes FAILURE)" -ge 2 ] # that of the killed, and this one's
	[ "$(outcomes FAILURE)" -le 3 ]
	[ -z "$(changes)" ]
}

requests_waiting() {
	"$OUT/tests/state" "$INTERLOCK_RUNTIME_DIR" breakers | grep -c 'lease of .*waiting [0-9]' || :
}

@test "a destination of which we know nothing yet, in a registry that is full of others: bounded, and protected" {
	local port _
	export INTERLOCK_MAX_BREAKERS=4
	for port in $(seq 1 12); do
		times 1 curl -sS "http://127.0.0.1:$port/"
	done
	[ "$("$OUT/tests/state" "$INTERLOCK_RUNTIME_DIR" breakers | grep -c '^[^ ]')" -eq 4 ]
	times 6 curl -sS "$URL"
	[ "$(changes)" = "CLOSED OPEN" ]
	grep -q " rejected breaker=127.0.0.1:$PORT " "$LOG"
}

@test "tool: the wall clock is for stamps that people read: nothing else asks for it" {
	local others
	others=$(grep -lrE --include='*.c' 'il_clock_wall_ns|CLOCK_REALTIME' "$ROOT/src" |
		grep -vE '/src/(base/clock\.[ch]|report/.*|cli/.*)$') || :
	[ -z "$others" ]
}
