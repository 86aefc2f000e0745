# shellcheck shell=bash
# shellcheck disable=SC2034 # the tests use what is set here
# Sourced by every .bats file. A promise about the shim is worth nothing where it was not loaded:
# ld.so only warns when a preload is missing. So setup proves it, each time.
#
#   OUT      the build folder (default build)
#   SHIM     what is preloaded (default $OUT/libinterlock_preload.so); tests/teeth puts the floor here
#
# Tests whose name says `transparent:` may pass under the floor; all others must fail there.

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
OUT=${OUT:-build}
case $OUT in /*) ;; *) OUT=$ROOT/$OUT ;; esac
SHIM=${SHIM:-$OUT/libinterlock_preload.so}
export INTERLOCK_RUNTIME_DIR

setup() {
	WORK=$(mktemp -d)
	INTERLOCK_RUNTIME_DIR=$WORK/run
	mkdir -m 700 "$INTERLOCK_RUNTIME_DIR"
	PEERS=()
	KEPT=()
	is_loaded
	if declare -F prepare >/dev/null; then prepare; fi
}

teardown() {
	local pid
	for pid in "${PEERS[@]}"; do
		kill "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
	[ ${#KEPT[@]} -eq 0 ] || rmdir "${KEPT[@]}"
	rm -rf "$WORK"
}

# Fails unless a child has the shim among its mappings.
is_loaded() {
	LD_PRELOAD=$SHIM grep -qF "$SHIM" /proc/self/maps
}

# Runs a command with the shim.
shimmed() {
	LD_PRELOAD=$SHIM "$@"
}

# start_peer BEHAVIOUR...: starts a peer and sets PORT, COUNT (its count file) and PEER (its pid).
start_peer() {
	local number=${#PEERS[@]}
	COUNT=$WORK/count$number
	"$OUT/tests/bats/peer" -c "$COUNT" "$@" >"$WORK/port$number" 3>&- &
	PEER=$!
	PEERS+=("$PEER")
	for _ in $(seq 200); do
		read -r PORT <"$WORK/port$number" && return 0
		sleep 0.01
	done
	echo "the peer did not start" >&2
	return 1
}

stop_peer() {
	kill "$PEER"
	wait "$PEER" 2>/dev/null || :
}

# A port on which nobody listens, nor will: suites run side by side, and each keeps what it was given
# by a folder of that name. Outside the range that the kernel gives out by itself.
PORTS=${TMPDIR:-/tmp}/interlock-ports-$(id -u)
closed_port() {
	local port
	mkdir -p "$PORTS"
	for port in $(seq $((10000 + RANDOM % 10000)) 20999); do
		mkdir "$PORTS/$port" 2>/dev/null || continue
		KEPT+=("$PORTS/$port")
		if ! (exec 9<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
			PORT=$port
			return 0
		fi
	done
	return 1
}

# How many connections, and requests, the peer of the last start_peer has seen.
connections() { local c r; read -r c r <"$COUNT"; echo "$c"; }
requests() { local c r; read -r c r <"$COUNT"; echo "$r"; }

# run_twice COMMAND...: fails unless stdout, stderr and exit status are the same without and with
# the shim. Leaves them in $output, $errors and $status.
run_twice() {
	local plain_status
	plain_status=0
	status=0
	timeout 100 "$@" >"$WORK/plain.out" 2>"$WORK/plain.err" </dev/null 3>&- || plain_status=$?
	shimmed timeout 100 "$@" >"$WORK/shim.out" 2>"$WORK/shim.err" </dev/null 3>&- || status=$?
	output=$(cat "$WORK/shim.out")
	errors=$(cat "$WORK/shim.err")
	diff "$WORK/plain.out" "$WORK/shim.out" && diff "$WORK/plain.err" "$WORK/shim.err" &&
		[ "$plain_status" -eq "$status" ]
}

# watched REGISTRY: the variables of a registry that trips after 5 calls, and a log of everything.
watched() {
	LOG=$WORK/log
	: >"$LOG"
	export INTERLOCK_REGISTRY=$1 INTERLOCK_LOG=$LOG INTERLOCK_LOG_LEVEL=debug
	export INTERLOCK_MINIMUM_NUMBER_OF_CALLS=5
}

# outcomes WORD: how many calls the log has with that outcome, of every breaker.
outcomes() { grep -cE " (call|amended) .*outcome=$1( |\$)" "$LOG" || :; }

# changes: the state changes so far, one a line: `CLOSED OPEN`.
changes() { sed -n 's/.* state_change .*from=\([A-Z_]*\) to=\([A-Z_]*\) .*/\1 \2/p' "$LOG"; }

# are_all_good N: the log tells of exactly N calls, all SUCCESS, and of no change.
are_all_good() {
	[ "$(outcomes SUCCESS)" -eq "$1" ] && [ "$(outcomes '[A-Z_]*')" -eq "$1" ] &&
		[ -z "$(changes)" ] && return 0
	echo "$(outcomes SUCCESS) SUCCESS; all else:"
	grep -v outcome=SUCCESS "$LOG" | head -n 20
	return 1
}

# Repeats a command with the shim, whatever comes of it.
times() {
	local i count=$1
	shift
	for i in $(seq "$count"); do
		shimmed timeout 30 "$@" >/dev/null 2>&1 </dev/null 3>&- || :
	done
}

# eventually COMMAND...: waits until it succeeds, a minute if it must be, for machines that are busy.
eventually() {
	local _
	for _ in $(seq 3000); do
		"$@" && return 0
		sleep 0.02
	done
	echo "in vain: $*"
	return 1
}

# Fails unless a call is told in the log, so that nobody waits in vain where nobody watches.
is_watched() {
	INTERLOCK_REGISTRY=somebody times 1 curl -s http://127.0.0.1:9/
	[ -s "$LOG" ] && : >"$LOG"
}
