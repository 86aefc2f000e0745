#!/bin/sh
# Fails when real.def, exports.map, the hooks and the shared object do not name the same functions,
# or when the shared object needs a newer glibc than 2.34. Prints TAP.
# usage: OUT=build sh tests/exports.sh
set -u
cd "$(dirname "$0")/.." || exit 1
: "${OUT:=build}"
: "${NEWEST:=2.34}"
shim=$OUT/libinterlock_preload.so
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
count=0 bad=0

check() { # check WHAT FILE: passes if FILE is empty, shows it otherwise
	count=$((count + 1))
	if [ -s "$2" ]; then
		bad=1
		echo "not ok $count - $1"
		sed 's/^/# /' "$2"
	else
		echo "ok $count - $1"
	fi
}
differ() { diff "$1" "$2" >"$work/differ" 2>&1; }

sed -n 's/^IL_[A-Z]*([^,]*, \([A-Za-z0-9_]*\),.*/\1/p' src/shim/real.def | sort >"$work/table"
sed -n 's/^\t\t\([A-Za-z0-9_]*\);$/\1/p' src/shim/exports.map | sort >"$work/map"
differ "$work/table" "$work/map"
check "exports.map names what real.def names" "$work/differ"

head -n 1 src/shim/exports.map | grep -v '^{$' >"$work/named"
check "the version script is anonymous: a named node would hide every hook" "$work/named"

while read -r name; do
	grep -qE "(^|[ *(])(hook_)?${name}[(,)]" src/shim/hooks_*.c src/shim/thunks.S || echo "$name"
done <"$work/table" >"$work/missing"
check "every function of real.def has a hook" "$work/missing"

if [ -f "$shim" ]; then
	nm -D --defined-only "$shim" | awk '{ print $3 }' | sort >"$work/exported"
	differ "$work/table" "$work/exported"
	check "the shared object exports these and nothing else" "$work/differ"
	objdump -T "$shim" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -uV >"$work/needs"
	{ cat "$work/needs"; echo "$NEWEST"; } | sort -uV | sed "1,/^$NEWEST\$/d" >"$work/newer"
	check "it needs no symbol newer than glibc $NEWEST" "$work/newer"
	objdump -p "$shim" | awk '/NEEDED/ { print $2 }' |
		grep -vE '^(libc\.so\.6|libdl\.so\.2|lib(ubsan|asan|tsan)\.so.*)$' >"$work/libraries"
	check "it needs libc and libdl, nothing else" "$work/libraries"
fi
echo "1..$count"
exit $bad
