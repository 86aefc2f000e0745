#!/bin/sh
# Replays recorded traces on the core: a test a trace. Shows the first lines that differ.
# usage: OUT=build sh tests/conformance.sh [FILE...]
set -eu
cd "$(dirname "$0")/.."
: "${OUT:=build}"
[ $# -gt 0 ] || set -- tests/conformance/*.trace
mine=$(mktemp)
trap 'rm -f "$mine"' EXIT

for file in "$@"; do
	sed 's/ => .*//' "$file" | "$OUT/tests/replay" >"$mine" || echo "# replay ended with $?"
	awk -v file="${file##*/}" '
		function finish() {
			if (name != "")
				print (bad ? "not ok " : "ok ") ++number " - " file " " name
			failed += bad > 0
			bad = 0
		}
		NR == FNR { mine[FNR] = $0; lines = FNR; next }
		/^trace / { finish(); name = $0 }
		$0 != mine[FNR] && !bad++ { print "# " file ":" FNR ": recorded: " $0 "; here: " mine[FNR] }
		END {
			finish()
			if (lines != FNR)
				print "not ok - " file " has as many lines as its replay"
			exit failed > 0 || lines != FNR
		}
	' "$mine" "$file"
done
