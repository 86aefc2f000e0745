#!/usr/bin/env bats
# interlock check: what is wrong with settings and rules, and what holds for whom.

load helper
load tool

prepare() {
	given_the_tool
	CONTROL=$WORK/control.rules
}

# holds KEY VALUE WHO: a row of the output.
holds() {
	grep -qE "^  $1 +$2 +$3\$" "$WORK/out" || { cat "$WORK/out"; return 1; }
}

@test "tool: check: the example is valid, and says what holds for whom" {
	tool check "$ROOT/examples/control" payments.internal:443
	[ "$status" -eq 0 ]
	[ -z "$errors" ]
	holds state CLOSED 'line 5'
	holds failure_rate_threshold 0.25 'line 5'
	holds wait_duration_in_open 5s 'line 5'
	holds window_size 100 default
	tool check "$ROOT/examples/control" 169.254.169.254:80 x.query.consul:80 10.1.2.3:5432 logs.internal:514
	holds 'not watched' IGNORE 'line 9'
	holds breaker consul 'line 6'
	holds breaker databases 'line 7'
	holds oneway 'no answer is expected' 'line 8'
	holds state METRICS_ONLY 'line 4'
}

@test "tool: check: bad lines and variables are errors with line and cause" {
	printf '%s\n' 'a:1 CLOSED' 'b:1 OPENED' >"$CONTROL"
	tool check "$CONTROL"
	[ "$status" -eq 1 ]
	[[ $errors == "interlock: $CONTROL:2: 'OPENED' is no word of a rule"* ]]
	INTERLOCK_WINDOW_SIZE=0 tool check
	[ "$status" -eq 1 ]
	[[ $errors == *"INTERLOCK_WINDOW_SIZE '0' is not valid"* ]]
	tool check
	[ "$status" -eq 0 ]
	[ "$output" = "environment: valid" ]
}

@test "tool: check: every bad line is named, however many" {
	for _ in $(seq 50); do echo 'a:1 wrong'; done >"$CONTROL"
	tool check "$CONTROL"
	[ "$status" -eq 1 ]
	[ "$(grep -c 'line skipped' "$WORK/err")" -eq 50 ]
}

@test "tool: check: a file that would be refused, and one that is not there" {
	echo 'a:1 CLOSED' >"$CONTROL"
	chmod 662 "$CONTROL"
	tool check "$CONTROL"
	[ "$status" -eq 1 ]
	[[ $errors == *"its group or others may write to it; refused"* ]]
	tool check "$WORK/none"
	[ "$status" -eq 1 ]
	[[ $errors == *"$WORK/none: No such file or directory" ]]
}

@test "tool: check: variables and contradictions are named for a destination" {
	echo 'a:1 minimum_number_of_calls=200' >"$CONTROL"
	export INTERLOCK_CONTROL=$CONTROL INTERLOCK_WAIT_DURATION_IN_OPEN=7s
	tool check a:1
	[ "$status" -eq 1 ]
	[[ $errors == *"a:1: minimum_number_of_calls '200' is not valid"* ]]
	holds wait_duration_in_open 7s INTERLOCK_WAIT_DURATION_IN_OPEN
	INTERLOCK_IGNORE='a:*' tool check a:1
	holds 'not watched' '' 'INTERLOCK_ONLY, INTERLOCK_IGNORE'
}

@test "run --control steers a program" {
	closed_port
	echo '*:* FORCED_OPEN' >"$CONTROL"
	tool run --control "$CONTROL" --log "$WORK/log" curl -sS "http://127.0.0.1:$PORT/"
	grep -q ' rejected .*state=FORCED_OPEN' "$WORK/log"
}
