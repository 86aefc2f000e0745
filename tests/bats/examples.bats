#!/usr/bin/env bats
# The examples do what they say.

load helper
load tool

prepare() {
	given_the_tool
	EXAMPLES=$ROOT/examples
	DROP_IN=$EXAMPLES/legacy-app.service.d/interlock.conf
}

# The variables of the drop-in, as systemd would set them, one a line.
variables() { sed -n 's/^Environment="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$DROP_IN"; }

# How often a counter of the only breaker counted.
counted() {
	tool status --json
	/usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[0][sys.argv[2]])' "$WORK/out" "$1"
}

@test "the nightly script works, and each curl is a call of its registry" {
	start_peer ok
	SHOP=http://127.0.0.1:$PORT tool run "$EXAMPLES/nightly.sh"
	[ "$status" -eq 0 ]
	[ "$output" = "20 articles updated, 0 left for tomorrow" ]
	[ "$(counted registry)" = nightly.sh ]
	[ "$(counted calls_success)" -eq 20 ]
}

@test "the nightly script asks a mute shop five times, and not twenty" {
	start_peer mute
	SHOP=http://127.0.0.1:$PORT TIMEOUT=0.3 tool run --set minimum_number_of_calls=5 "$EXAMPLES/nightly.sh"
	[ "$status" -eq 1 ]
	[ "$output" = "0 articles updated, 20 left for tomorrow" ]
	[ "$(counted rejected)" -eq 15 ]
	[ "$(counted calls_failure)" -eq 5 ]
	[ "$(connections)" -eq 5 ]
}

@test "the pool keeps its connections, and each request is a call" {
	start_peer ok
	tool run "$EXAMPLES/pool.py" "http://127.0.0.1:$PORT" 40
	[ "$status" -eq 0 ]
	[ "$output" = "40 x 200" ]
	[ "$(counted registry)" = pool.py ]
	[ "$(counted calls_success)" -eq 40 ]
	[ "$(connections)" -le 4 ]
}

@test "the pool meets a mute shop: a few time-outs, then every connect is refused at once" {
	start_peer mute
	TIMEOUT=0.3 tool run --set minimum_number_of_calls=5 "$EXAMPLES/pool.py" "http://127.0.0.1:$PORT" 40
	[ "$status" -eq 1 ]
	[[ "$output" =~ ^[0-9]+\ x\ ConnectionRefusedError,\ [5-8]\ x\ (TimeoutError|timeout)$ ]]
	[ "$(counted state)" = OPEN ]
	[ "$(counted rejected)" -ge 32 ]
}

@test "tool: the drop-in's variables are all known and valid" {
	[ "$(variables | wc -l)" -ge 5 ]
	[ "$(variables | wc -l)" -eq "$(grep -c ^Environment= "$DROP_IN")" ]
	mapfile -t all < <(variables | grep -v '^LD_PRELOAD=')
	status=0
	env "${all[@]}" "$TOOL" run true >"$WORK/out" 2>"$WORK/err" || status=$?
	[ "$status" -eq 0 ]
	[ ! -s "$WORK/err" ]
}

@test "tool: systemd understands the drop-in" {
	command -v systemd-analyze >/dev/null || skip "no systemd-analyze"
	mkdir "$WORK/units"
	printf '[Service]\nExecStart=/bin/true\n' >"$WORK/units/legacy-app.service"
	systemd-analyze verify "$WORK/units/legacy-app.service" >"$WORK/said" 2>&1 || skip "$(head -n 1 "$WORK/said")"
	cp -r "$EXAMPLES/legacy-app.service.d" "$WORK/units/"
	systemd-analyze verify "$WORK/units/legacy-app.service" >"$WORK/said" 2>&1
	[ -z "$(grep interlock.conf "$WORK/said")" ]
	# It would have told.
	echo 'Enviroment=X=1' >>"$WORK/units/legacy-app.service.d/interlock.conf"
	systemd-analyze verify "$WORK/units/legacy-app.service" >"$WORK/said" 2>&1 || :
	grep -q interlock.conf "$WORK/said"
}
