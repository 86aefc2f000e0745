#!/bin/sh
# Builds the fuzz targets with clang's libFuzzer and runs each for a while, from its corpus in
# tests/fuzz/corpus. What it finds new stays in build/fuzz/found; an input that breaks something is
# kept as build/fuzz/NAME-*, and `build/fuzz/tests/fuzz/fuzz_NAME FILE` runs it again.
# usage: FUZZ_SECONDS=10 FUZZ_RUNS=-1 sh tests/fuzz.sh [NAME...]
set -u
cd "$(dirname "$0")/.." || exit 1
: "${FUZZ_SECONDS:=10}" "${FUZZ_RUNS:=-1}"
out=build/fuzz

if ! command -v clang >/dev/null ||
	! echo 'int LLVMFuzzerTestOneInput(const char *b, long n) { return b && n < 0; }' |
	clang -fsanitize=fuzzer -x c -o /dev/null - 2>/dev/null; then
	echo "fuzz: clang with libFuzzer is not installed: left out"
	exit 0
fi
make -s CC=clang OUT=$out SAN=fuzzer-no-link,address,undefined fuzzers || exit 1
[ $# -gt 0 ] || for target in tests/fuzz/fuzz_*.c; do
	name=${target##*/fuzz_}
	set -- "$@" "${name%.c}"
done
bad=0
for name in "$@"; do
	mkdir -p "$out/found/$name"
	if "$out/tests/fuzz/fuzz_$name" -max_total_time="$FUZZ_SECONDS" -runs="$FUZZ_RUNS" \
		-max_len=4096 -print_final_stats=1 -artifact_prefix="$out/$name-" \
		"$out/found/$name" "tests/fuzz/corpus/$name" >"$out/$name.log" 2>&1; then
		echo "fuzz: $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$out/$name.log") inputs, no finding"
	else
		bad=1
		echo "fuzz: $name: FOUND something:"
		tail -n 30 "$out/$name.log"
	fi
done
exit $bad
