#!/usr/bin/env bats
# interlock status: everything that the shim knows can be read live from outside.

load helper
load tool

prepare() {
	given_the_tool
	export INTERLOCK_MINIMUM_NUMBER_OF_CALLS=5
}

# given_an_open_breaker REGISTRY: five calls refused by the kernel, two rejected. Sets PORT.
given_an_open_breaker() {
	closed_port
	for _ in 1 2 3 4 5 6 7; do
		INTERLOCK_REGISTRY=$1 shimmed curl -s "http://127.0.0.1:$PORT/" || :
	done
}

# Waits until the tool, called so, shows this on stdout.
until_shown() {
	local what=$1
	shift
	for _ in $(seq 500); do
		tool "$@"
		[[ $output != *"$what"* ]] || return 0
		sleep 0.02
	done
	echo "never shown: $what"
	return 1
}

# python 'EXPRESSION over rows': prints it, rows being what --json gave.
python() {
	/usr/bin/python3 -c "import json, sys; rows = json.load(open(sys.argv[1])); print($1)" "$WORK/out"
}

@test "status shows an open breaker: calls, failures, rates, rejections, and the rest of the wait" {
	given_an_open_breaker payments
	tool status
	[ "$status" -eq 0 ]
	[ -z "$errors" ]
	[ "$(sed -n 1p "$WORK/out" | xargs)" = "REGISTRY NAME STATE CALLS FAILED SLOW FAIL% SLOW% REJECTED RETRY" ]
	[[ "$(sed -n 2p "$WORK/out" | xargs)" =~ ^"payments 127.0.0.1:$PORT OPEN 5 5 0 100.0% 0.0% 2 "[1-6]?[0-9]\.[0-9]s$ ]]
	[ "$(wc -l <"$WORK/out")" -eq 2 ]
}

@test "status --json tells what METRICS_ONLY would have done" {
	INTERLOCK_INITIAL_STATE=METRICS_ONLY given_an_open_breaker watching
	tool status --json
	[ "$(python '[(row["state"], row["failed"], row["rejected"], row["would_open"], row["would_reject"]) for row in rows]')" = \
		"[('METRICS_ONLY', 7, 0, 1, 2)]" ]
}

@test "status --json holds the same, and every counter" {
	given_an_open_breaker payments
	tool status --json
	[ "$status" -eq 0 ]
	[ -z "$errors" ]
	[ "$(python 'len(rows)')" = 1 ]
	[ "$(python '[rows[0][k] for k in ("registry", "name", "state", "calls", "failed", "slow", "failure_rate", "slow_call_rate", "rejected")]')" = \
		"['payments', '127.0.0.1:$PORT', 'OPEN', 5, 5, 0, 1.0, 0.0, 2]" ]
	[ "$(python '0 < rows[0]["retry_after"] <= 60')" = True ]
	[ "$(python '[rows[0][k] for k in ("calls_success", "calls_failure", "amended")]')" = "[0, 5, 0]" ]
	python '"\n".join(sorted(rows[0]))' >"$WORK/keys"
	{ printf '%s\n' registry name state calls failed slow failure_rate slow_call_rate rejected retry_after
		sed -n 's/^IL_COUNTER(\([a-z_]*\),.*/\1/p' "$ROOT/include/interlock/counters.def"
	} | sort -u | diff - "$WORK/keys"
}

@test "status shows what is closed, forced open and only measured, with no time to wait for" {
	start_peer ok
	for state in CLOSED FORCED_OPEN METRICS_ONLY DISABLED; do
		INTERLOCK_REGISTRY=in.$state INTERLOCK_INITIAL_STATE=$state shimmed curl -s "http://127.0.0.1:$PORT/" || :
	done
	tool status --json
	[ "$(python '[(r["registry"], r["state"], r["calls"], r["rejected"], r["retry_after"]) for r in rows]')" = \
		"[('in.CLOSED', 'CLOSED', 1, 0, None), ('in.DISABLED', 'DISABLED', 0, 0, None), ('in.FORCED_OPEN', 'FORCED_OPEN', 0, 1, None), ('in.METRICS_ONLY', 'METRICS_ONLY', 1, 0, None)]" ]
	tool status
	[ "$(grep -c ' -$' "$WORK/out")" -eq 4 ]
}

@test "status counts slow calls" {
	start_peer slow=60
	INTERLOCK_REGISTRY=slow INTERLOCK_SLOW_CALL_DURATION_THRESHOLD=30ms shimmed curl -s "http://127.0.0.1:$PORT/"
	tool status --json
	[ "$(python '[rows[0][k] for k in ("calls", "failed", "slow", "slow_call_rate", "calls_slow_success")]')" = "[1, 0, 1, 1.0, 1]" ]
}

@test "status is sorted by registry and name, and its columns stand in line within 80" {
	start_peer ok
	local port=$PORT
	start_peer ok
	for registry in b a; do
		for host in 127.0.0.1:$PORT 127.0.0.2:$port 127.0.0.1:$port; do
			INTERLOCK_REGISTRY=$registry shimmed curl -s "http://$host/" || :
		done
	done
	tool status
	[ "$(wc -l <"$WORK/out")" -eq 7 ]
	tail -n +2 "$WORK/out" | LC_ALL=C sort -c
	[ "$(awk '{ print length }' "$WORK/out" | sort -u | wc -l)" -eq 1 ]
	[ "$(awk 'NR == 1 { print length }' "$WORK/out")" -le 80 ]
	tool status --json
	[ "$(python '[(r["registry"], r["name"]) for r in rows] == sorted((r["registry"], r["name"]) for r in rows)')" = True ]
}

@test "status --registry shows one; an unknown one is an error" {
	given_an_open_breaker one
	given_an_open_breaker two
	tool status --registry two --json
	[ "$status" -eq 0 ]
	[ "$(python '[r["registry"] for r in rows]')" = "['two']" ]
	tool status --registry tw
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[ "$errors" = "interlock: there is no registry 'tw' in $INTERLOCK_RUNTIME_DIR" ]
	tool status --registry ../run/two --json
	[ "$status" -eq 1 ]
	[ -z "$output" ]
}

@test "a running program's own registry is shown, a killed one's only when asked for by name" {
	start_peer mute
	LD_PRELOAD=$SHIM curl -s --max-time 60 "http://127.0.0.1:$PORT/" 3>&- &
	local live=$!
	PEERS+=("$live")
	until_shown "curl.$live." status
	LD_PRELOAD=$SHIM curl -s --max-time 60 "http://127.0.0.1:$PORT/" 3>&- &
	local killed=$!
	until_shown "curl.$killed." status
	local name
	name=$(grep -o "curl\.$killed\.[0-9]*" "$WORK/out")
	kill -KILL $killed
	wait $killed || :
	tool status
	[ "$status" -eq 0 ]
	[[ $output == *"curl.$live."* ]]
	[[ $output != *"curl.$killed."* ]]
	tool status --registry "$name"
	[ "$status" -eq 0 ]
	[[ $output == *"$name 127.0.0.1:$PORT "* ]]
}

@test "a named registry is shown when all its programs are gone, however they went" {
	start_peer mute
	LD_PRELOAD=$SHIM INTERLOCK_REGISTRY=shared curl -s --max-time 60 "http://127.0.0.1:$PORT/" 3>&- &
	local killed=$!
	until_shown "shared" status
	kill -KILL $killed
	wait $killed || :
	tool status
	[ "$status" -eq 0 ]
	[[ $output == *"shared   127.0.0.1:$PORT "* ]]
}

@test "tool: no breakers: a sentence on stderr, an empty array, and no error" {
	tool status
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[[ $errors == "interlock: there are no breakers in $INTERLOCK_RUNTIME_DIR: "* ]]
	tool status --json
	[ "$status" -eq 0 ]
	[ "$output" = "[]" ]
	rmdir "$INTERLOCK_RUNTIME_DIR"
	tool status --json
	[ "$status" -eq 0 ]
	[ "$output" = "[]" ]
	[ ! -e "$INTERLOCK_RUNTIME_DIR" ]
}

@test "status looks where --runtime-dir says, else INTERLOCK_RUNTIME_DIR" {
	given_an_open_breaker here
	mv "$INTERLOCK_RUNTIME_DIR" "$WORK/there"
	tool status --runtime-dir "$WORK/there" --json
	[ "$(python 'rows[0]["registry"]')" = here ]
	INTERLOCK_RUNTIME_DIR=$WORK/there tool status --json
	[ "$(python 'rows[0]["registry"]')" = here ]
}

@test "tool: a runtime directory that cannot be is an error" {
	INTERLOCK_RUNTIME_DIR=run refuses "interlock: INTERLOCK_RUNTIME_DIR 'run' is not valid" status
	tool status --runtime-dir /etc/passwd
	[ "$status" -eq 1 ]
	[ "$errors" = "interlock: cannot read the runtime directory '/etc/passwd': Not a directory" ]
}

@test "damaged files are named, the others shown, and the exit status is 1" {
	given_an_open_breaker sound
	local run=$INTERLOCK_RUNTIME_DIR
	echo garbage >"$run/short"
	head -c 100000 "$run/sound" >"$run/cut"
	cp "$run/sound" "$run/magic"
	printf 'X' | dd of="$run/magic" bs=1 conv=notrunc status=none
	ln -s sound "$run/link"
	mkdir "$run/directory"
	tool status --json
	[ "$status" -eq 1 ]
	[ "$(python '[r["registry"] for r in rows]')" = "['sound']" ]
	[ "$(grep -c "^interlock: '$run/[a-z]*' cannot be read: .*; left out$" "$WORK/err")" -eq 4 ]
	grep -qF "'$run/short' cannot be read: it is too short for a registry" "$WORK/err"
	grep -qF "'$run/magic' cannot be read: it is not a registry" "$WORK/err"
	grep -qF "'$run/link' cannot be read: it is a symbolic link" "$WORK/err"
	tool status --registry cut
	[ "$status" -eq 1 ]
	[ "$(wc -l <"$WORK/err")" -eq 1 ]
}

@test "a registry full of random bytes behind its header crashes nobody, and gives valid JSON" {
	given_an_open_breaker garbage
	local file=$INTERLOCK_RUNTIME_DIR/garbage
	for seed in 1 2 3; do
		/usr/bin/python3 -c '
import random, sys
random.seed(int(sys.argv[2]))
with open(sys.argv[1], "r+b") as file:
    file.seek(96)
    file.write(random.randbytes(2000000))' "$file" $seed
		tool status --json
		[ "$status" -le 1 ]
		python 'len(rows)'
		tool status
		[ "$status" -le 1 ]
		# Nothing that a terminal would take for a command.
		[ -z "$(LC_ALL=C grep '[^ -~]' "$WORK/out")" ]
	done
}

@test "status writes nothing and maps no registry" {
	command -v strace >/dev/null || skip "no strace"
	given_an_open_breaker quiet
	sha256sum "$INTERLOCK_RUNTIME_DIR"/* >"$WORK/before"
	strace -f -o "$WORK/trace" "$TOOL" status >/dev/null
	sha256sum "$INTERLOCK_RUNTIME_DIR"/* | diff "$WORK/before" -
	grep -q 'openat(.*"quiet", O_RDONLY' "$WORK/trace"
	[ -z "$(grep -E 'O_RDWR|O_WRONLY|O_CREAT|unlink|pwrite|ftruncate|MAP_SHARED' "$WORK/trace")" ]
}

@test "status beside sixteen busy programs is always whole" {
	start_peer ok
	local before
	for _ in $(seq 16); do
		INTERLOCK_REGISTRY=busy shimmed curl -s "http://127.0.0.1:$PORT/["1-10"]" >/dev/null 3>&- &
	done
	before=0
	for _ in $(seq 20); do
		tool status --json
		[ "$status" -eq 0 ]
		[ "$(python "all(r['failed'] <= r['calls'] <= 100 and r['calls_success'] >= $before for r in rows)")" = True ]
		before=$(python 'rows[0]["calls_success"] if rows else 0')
	done
	wait $(jobs -p | grep -v "^$PEER\$")
	tool status --json
	[ "$(python 'rows[0]["calls_success"]')" -eq 160 ]
}
