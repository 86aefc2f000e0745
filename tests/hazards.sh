#!/bin/sh
# Fails when docs/hazards.md names a test that does not exist, or leaves out one of hazards_*.bats. In
# the page's tables a test is `FILE`: NAME, up to the cell's end or the next <br>.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
named=$(mktemp) || exit 1
trap 'rm -f "$named"' EXIT

# shellcheck disable=SC2016 # the backquotes are the page's
sed -n 's/^| .* | \(.*\) |$/\1/p' docs/hazards.md | sed 's/<br>/\n/g' |
	sed -n 's/^.*`\([a-z_]*\)`: \(.*\)$/\1 \2/p' >"$named"
[ -s "$named" ] || { echo "docs/hazards.md names no test"; bad=1; }
while read -r file name; do
	grep -qsF -e "$name" "tests/bats/$file.bats" "tests/$file.c" "tests/$file.sh" ||
		{ echo "docs/hazards.md: there is no test '$name' in $file"; bad=1; }
done <"$named"
for file in tests/bats/hazards_*.bats; do
	sed -n 's/^@test "\(.*\)" {$/\1/p' "$file" | while read -r name; do
		grep -qxF "$(basename "$file" .bats) $name" "$named" ||
			echo "docs/hazards.md does not name '$name' of $file"
	done
done | grep . && bad=1
exit $bad
