#!/usr/bin/env bats
# Plugins are found where they would be without the shim, and what they connect to is watched even if
# they are opened with RTLD_DEEPBIND.

load helper

#   app/caller           RUNPATH $ORIGIN/plugins
#   lib/libcaller.so     RUNPATH $ORIGIN/../app/plugins, linked by app/other, which has none of its own
#   app/plugins/libplugin.so          RUNPATH $ORIGIN/needs
#   app/plugins/needs/libneeded.so
prepare() {
	local src=$BATS_TEST_DIRNAME/src cc=("${CC:-cc}" -D_GNU_SOURCE -O2 -w)
	watched deepbind
	mkdir -p "$WORK/app/plugins/needs" "$WORK/lib"
	"${cc[@]}" -shared -fPIC -o "$WORK/app/plugins/needs/libneeded.so" "$src/needed.c"
	"${cc[@]}" -shared -fPIC -o "$WORK/app/plugins/libplugin.so" "$src/plugin.c" \
		-L"$WORK/app/plugins/needs" -lneeded -Wl,--enable-new-dtags,-rpath,'$ORIGIN/needs'
	"${cc[@]}" -DMAIN -o "$WORK/app/caller" "$src/caller.c" -ldl \
		-Wl,--enable-new-dtags,-rpath,'$ORIGIN/plugins'
	"${cc[@]}" -shared -fPIC -o "$WORK/lib/libcaller.so" "$src/caller.c" -ldl \
		-Wl,--enable-new-dtags,-rpath,'$ORIGIN/../app/plugins'
	"${cc[@]}" -x c -o "$WORK/app/other" - -x none "$WORK/lib/libcaller.so" <<'END'
#include <stdlib.h>
void call_all(int port);
int main(int argc, char **argv)
{
	call_all(atoi(argv[1]));
	return 0;
}
END
	closed_port
	expected="deep: opened
deep: connect -1
nowhere: not found
apart: opened
apart: connect -1"
}

@test "transparent: a program's plugin, and what that needs, are found by their RUNPATHs" {
	run_twice "$WORK/app/caller" "$PORT"
	[ "$output" = "$expected" ]
}

@test "transparent: a library's plugin is found by the library's RUNPATH, not the program's" {
	run_twice "$WORK/app/other" "$PORT"
	[ "$output" = "$expected" ]
}

@test "what a plugin needs connects under our eyes, although it was opened with RTLD_DEEPBIND" {
	local program
	for program in caller other; do
		: >"$LOG"
		[ "$(shimmed "$WORK/app/$program" "$PORT" 3>&-)" = "$expected" ]
		# That of the other namespace has a libc of its own, which nobody stands in front of.
		[ "$(outcomes FAILURE)" -eq 1 ]
		grep -q "breaker=127.0.0.1:$PORT " "$LOG"
	done
}
