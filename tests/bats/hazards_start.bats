#!/usr/bin/env bats
# What goes wrong before main: allocators, sanitizers, other libraries' constructors.

load helper

prepare() {
	watched start
	CC=${CC:-cc}
	SRC=$BATS_TEST_DIRNAME/src
	start_peer ok
	URL=http://127.0.0.1:$PORT/
}

# Five calls and three that are rejected, with this in LD_PRELOAD. The server answers, then nobody does.
works_with() {
	local _
	: >"$LOG"
	export INTERLOCK_REGISTRY=start$((++TURN))
	for _ in 1 2 3 4 5; do
		[ "$(LD_PRELOAD=$1 timeout 20 curl -sS "$URL" 2>&1 3>&-)" = hello ]
	done
	are_all_good 5
	[ "$(LD_PRELOAD=$1 timeout 20 /usr/bin/python3 -c '
import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1]).read())' "$URL" 2>&1 3>&-)" = "b'hello\\n'" ]
	are_all_good 6
}

linked() { # linked MAIN LIBRARY: a program that needs the library
	"$CC" -w -Wl,--no-as-needed -x c -o "$WORK/main" - -x none "$2" <<<"$1"
}

@test "jemalloc on either side: nobody hangs, and calls are counted" {
	local jemalloc
	jemalloc=$(ldconfig -p | awk '/libjemalloc\.so\.2/ { print $NF; exit }')
	[ -n "$jemalloc" ] || skip "no libjemalloc2"
	works_with "$jemalloc $SHIM"
	works_with "$SHIM $jemalloc"
}

@test "an allocator that calls our functions, on either side" {
	"$CC" -O2 -w -shared -fPIC -o "$WORK/calling.so" "$SRC/calling_malloc.c"
	works_with "$WORK/calling.so $SHIM"
	works_with "$SHIM $WORK/calling.so"
}

# The shim, built to look for functions that no libc has: a look-up that fails allocates.
@test "functions that this libc lacks, and an allocator that calls us while they are looked up" {
	local flags objects="$OUT/src/shim/*.o"
	nm "$OUT/src/shim/init.o" | grep -q ubsan && flags=-fsanitize=undefined
	works_with "$SHIM"
	mkdir "$WORK/shim"
	{
		cat "$ROOT/src/shim/real.def"
		echo 'IL_REAL(int, il_never_was, (int fd), (fd), IL_NO_NUMBER)'
	} >"$WORK/shim/real.def"
	for part in real.c thunks.S; do
		"$CC" -D_GNU_SOURCE -O2 -w -fPIC -fvisibility=hidden -ftls-model=initial-exec $flags \
			-I"$WORK" -I"$ROOT/include" -I"$ROOT/src" -c -o "$WORK/$part.o" "$ROOT/src/shim/$part"
	done
	"$CC" -O2 -w -shared -fPIC $flags -Wl,-z,now \
		-Wl,--version-script="$ROOT/src/shim/exports.map" -o "$WORK/lacking.so" "$WORK"/*.o \
		$(ls $objects | grep -v -e '/real\.o' -e '/thunks\.o') "$OUT/libinterlock.a" -ldl
	"$CC" -O2 -w -shared -fPIC -o "$WORK/calling.so" "$SRC/calling_malloc.c"
	works_with "$WORK/calling.so $WORK/lacking.so"
	works_with "$WORK/lacking.so $WORK/calling.so"
	# Nor does the program find our error among its own.
	"$CC" -w -x c -o "$WORK/main" - -ldl <<<'#include <dlfcn.h>
		int main(void) { return dlerror() != 0; }'
	LD_PRELOAD=$WORK/lacking.so "$WORK/main"
}

@test "an address sanitizer in the program: it finds nothing, and calls are counted" {
	start_peer echo
	"$CC" -D_GNU_SOURCE -O1 -g -w -fsanitize=address -o "$WORK/checked" \
		"$BATS_TEST_DIRNAME/hazard.c" -lpthread || skip "no address sanitizer"
	# Its runtime wants to be the first; the shim comes right behind it.
	local runtime
	runtime=$(ldd "$WORK/checked" | awk '/lib.*asan/ { print $3; exit }')
	for word in dups copies; do
		LD_PRELOAD="$runtime $SHIM" timeout 60 "$WORK/checked" "$word" "$PORT" >"$WORK/out" \
			2>"$WORK/errors" 3>&-
		[ ! -s "$WORK/errors" ]
	done
	! grep -E '^child|failures [1-9]' "$WORK/out"
	are_all_good 269
}

@test "a library that connects and closes 40 descriptors in its constructor, preloaded on either side" {
	"$CC" -shared -fPIC -o "$WORK/early.so" "$SRC/early.c" -lpthread
	for preload in "$WORK/early.so $SHIM" "$SHIM $WORK/early.so"; do
		[ "$(timeout 20 env LD_PRELOAD="$preload" curl -sS "$URL" 2>&1 3>&-)" = "$(printf 'early: 80 80\nhello')" ]
	done
	[ "$(outcomes SUCCESS)" -eq 2 ]
}

@test "eight threads of a constructor race through the first use of everything" {
	start_peer echo
	export PORT
	"$CC" -shared -fPIC -o "$WORK/many.so" "$SRC/many_threads.c" -lpthread
	linked 'int main(void) { finish(); return 0; }' "$WORK/many.so"
	for _ in $(seq 20); do
		run_twice timeout 30 "$WORK/main"
		[ -z "$output$errors" ]
	done
	# Those of each run that came before our own start were not seen.
	[ "$(outcomes SUCCESS)" -ge 20 ]
	are_all_good "$(outcomes SUCCESS)"
	[ "$(requests)" -eq $((40 * 161)) ]
}

@test "a constructor that forks: both go on, and both are watched" {
	start_peer echo
	export PORT FORK=1
	"$CC" -shared -fPIC -o "$WORK/many.so" "$SRC/many_threads.c" -lpthread
	linked 'int main(void) { finish(); return 0; }' "$WORK/many.so"
	run_twice timeout 30 "$WORK/main"
	[ -z "$output$errors" ]
	are_all_good 2
}

@test "static TLS: as many libraries that need it are opened as without us, within a few" {
	local i plain shim
	"$CC" -O2 -w -shared -fPIC -o "$WORK/one.so" "$SRC/thread_local.c"
	for i in $(seq 60); do cp "$WORK/one.so" "$WORK/tls$i.so"; done
	plain=$(opens_many)
	shim=$(LD_PRELOAD=$SHIM opens_many)
	echo "$plain libraries without, $shim with the shim"
	[ "$plain" -lt 60 ]
	[ "$shim" -ge $((plain - 2)) ]
	are_all_good 1
}

# How many libraries with 64 bytes of static TLS each can be opened; then a call.
opens_many() {
	timeout 60 /usr/bin/python3 -c 'import ctypes, sys, urllib.request
opened = 0
try:
    for i in range(1, 61):
        ctypes.CDLL("%s/tls%d.so" % (sys.argv[1], i))
        opened += 1
except OSError as error:
    assert "static TLS" in str(error), error
urllib.request.urlopen(sys.argv[2]).read()
print(opened)' "$WORK" "$URL" 3>&-
}
