#!/bin/sh
# Makes each change of tests/mutants.list, one at a time, and runs the tests named there until one
# notices. A test a mutant: ok is noticed, or explained as equivalent and indeed not noticed.
# Only the changed file is compiled anew (-O0); it goes before the library that $OUT already has.
# usage: OUT=build JOBS=2 sh tests/mutants.sh [WORD]    (WORD: only mutants whose line contains it)
set -u
cd "$(dirname "$0")/.." || exit 1
if [ -n "${SAN:-}" ]; then
	echo "ok - mutants are left to the build without sanitizers # skip"
	exit 0
fi
: "${OUT:=build}" "${CC:=cc}" "${JOBS:=2}" "${SECONDS_MAX:=20}"
word=${1:-}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
check_libs=$(pkg-config --libs check)
tab=$(printf '\t')
export CK_FORK=no CK_VERBOSITY=silent

# One line a mutant for the shell: number, tests, file, old, new, reason; tabs between.
awk -v word="$word" '
	/^#/ || NF == 0 { next }
	/^tests:/ { tests = substr($0, 8); next }
	{
		fields = split($0, field, / \| /)
		if (index($0, word))
			printf "%d\t%s\t%s\t%s\t%s\t%s\n", ++number, tests, field[1], field[2], field[3],
				(fields > 3 ? field[4] : "-")
	}' tests/mutants.list >"$tmp/list"

# Puts the text new in place of old, which must be there exactly once.
replace() { # replace FILE OLD NEW
	old=$2 new=$3 awk '
		function text(name) {
			value = ENVIRON[name]
			gsub(/\\n/, "\n", value)
			gsub(/\\t/, "\t", value)
			return value == "(nothing)" ? "" : value
		}
		{ all = all $0 "\n" }
		END {
			old = text("old")
			at = index(all, old)
			rest = substr(all, at + length(old))
			if (at == 0 || index(rest, old) > 0)
				exit 1
			printf "%s", substr(all, 1, at - 1) text("new") rest
		}' "$1"
}

link() { # link DIR PROGRAM
	# shellcheck disable=SC2086 # a list of flags
	$CC -o "$1/tests/$2" "$OUT/tests/$2.o" "$1/mutant.o" "$OUT/libinterlock.a" \
		$check_libs -lpthread 2>>"$1/log"
}

passes() { # passes DIR TEST
	case $2 in
	conformance)
		link "$1" replay && OUT=$1 timeout "$SECONDS_MAX" sh tests/conformance.sh ;;
	model)
		link "$1" model && for seed in 1 2 3; do
			timeout "$SECONDS_MAX" "$1/tests/model" 60000 $seed || return 1
		done ;;
	*)
		link "$1" "$2" && timeout "$SECONDS_MAX" "$1/tests/$2" ;;
	esac >>"$1/log" 2>&1
}

# Prints the first test that fails, or nothing.
noticed_by() { # noticed_by DIR TEST...
	dir=$1
	shift
	for test in "$@"; do
		passes "$dir" "$test" || { echo "$test"; return; }
	done
}

say() { # echo, but with backslashes left alone
	printf '%s\n' "$1"
}

judge() { # judge DIR NUMBER TESTS FILE OLD NEW REASON
	name="$2 - $4: '$5' becomes '$6'"
	replace "$4" "$5" "$6" >"$1/mutant.c" ||
		{ say "not ok $name: the old text is not there exactly once"; return; }
	$CC -Iinclude -Isrc -D_GNU_SOURCE -std=gnu11 -O0 -w -c -o "$1/mutant.o" "$1/mutant.c" ||
		{ say "not ok $name: does not compile"; return; }
	# shellcheck disable=SC2086 # a list of tests
	killer=$(noticed_by "$1" $3)
	case ${killer:-none}:$7 in
	none:equivalent:*) say "ok $name ($7)" ;;
	none:*) say "not ok $name: no test notices" ;;
	*:equivalent:*) say "not ok $name: said to be equivalent, but $killer notices" ;;
	*) say "ok $name ($killer)" ;;
	esac
}

worker() { # worker INDEX: every JOBSth mutant
	mkdir -p "$tmp/$1/tests"
	awk -v jobs="$JOBS" -v index_="$1" 'NR % jobs == index_' "$tmp/list" |
	while IFS=$tab read -r number tests file old new reason; do
		judge "$tmp/$1" "$number" "$tests" "$file" "$old" "$new" "$reason" </dev/null
	done >"$tmp/result.$1" 2>&1
}

mkdir -p "$tmp/unchanged/tests"
echo 'extern int nothing;' >"$tmp/unchanged/mutant.c"
$CC -c -o "$tmp/unchanged/mutant.o" "$tmp/unchanged/mutant.c"
for tests in $(cut -f 2 "$tmp/list" | tr ' ' '\n' | sort -u); do
	passes "$tmp/unchanged" "$tests" ||
		{ echo "not ok - $tests passes without a mutant"; tail -5 "$tmp/unchanged/log"; exit 1; }
done

job=0
while [ $job -lt "$JOBS" ]; do
	worker $job &
	job=$((job + 1))
done
wait
cat "$tmp"/result.* | sort -k 2,2n -k 3,3n
! grep -q '^not ok' "$tmp"/result.*
