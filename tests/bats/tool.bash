# shellcheck shell=bash
# shellcheck disable=SC2034 # the tests use what is set here
# For tests of the tool: it finds the shared object beside itself, so it is put beside the one that
# is tested. Sourced after helper.bash.

given_the_tool() {
	unset "${!INTERLOCK_@}" LD_PRELOAD
	export INTERLOCK_RUNTIME_DIR=$WORK/run
	LIBRARY=$WORK/bin/libinterlock_preload.so
	TOOL=$WORK/bin/interlock
	mkdir "$WORK/bin"
	cp "$OUT/interlock" "$TOOL"
	ln -s "$SHIM" "$LIBRARY"
}

# Runs the tool: stdout in $output, stderr in $errors, the exit status in $status.
tool() {
	status=0
	"$TOOL" "$@" >"$WORK/out" 2>"$WORK/err" </dev/null 3>&- || status=$?
	output=$(cat "$WORK/out")
	errors=$(cat "$WORK/err")
}

# The tool refuses: exit status 2, nothing on stdout, and this on stderr.
refuses() {
	local said=$1
	shift
	tool "$@"
	[ "$status" -eq 2 ] && [ -z "$output" ] && [[ $errors == *"$said"* ]] ||
		{ echo "interlock $*: $status '$output' '$errors'"; return 1; }
}
