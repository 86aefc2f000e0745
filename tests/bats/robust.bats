#!/usr/bin/env bats
# Whatever is wrong on our side, the program runs as if we were not there; and where it still can be,
# it stays protected.

load helper

prepare() {
	watched robust
	start_peer ok
}

fetches() { # the program's own result, whatever the surroundings: fetches COMMAND...
	[ "$("$@" curl -sS "http://127.0.0.1:$PORT/" 2>&1 3>&-)" = hello ]
}

# In a mount namespace of its own, with DIR over which the words before it say.
in_namespace() { unshare --mount --propagation private sh -c "$@"; }

needs_namespaces() {
	[ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null || skip "needs root and namespaces"
}

@test "transparent: no file may grow (ulimit -f 0)" {
	fetches env LD_PRELOAD="$SHIM" sh -c 'ulimit -f 0; exec "$@"' sh
}

@test "no file may grow: a process and its forks are protected all the same" {
	closed_port
	unset INTERLOCK_REGISTRY
	INTERLOCK_LOG=stderr INTERLOCK_LOG_LEVEL=warning LD_PRELOAD=$SHIM sh -c 'ulimit -f 0
		exec /usr/bin/python3 -c "
import socket, sys
for _ in range(6):
    try:
        socket.create_connection((\"127.0.0.1\", int(sys.argv[1])))
    except OSError:
        pass" "$0"' "$PORT" 2>&1 3>&- | cat >"$WORK/errors"
	grep -q 'to=OPEN' "$WORK/errors"
	[ "$(grep -c 'interlock' "$WORK/errors")" -eq 3 ] # no file; opened; rejected
}

@test "transparent: a runtime directory that is missing, and cannot be made" {
	INTERLOCK_RUNTIME_DIR=/proc/no/such fetches env LD_PRELOAD="$SHIM"
}

@test "transparent: a runtime directory that is somebody else's, a link, or open to all" {
	mkdir -m 777 "$WORK/open"
	ln -s "$WORK/run" "$WORK/link"
	INTERLOCK_RUNTIME_DIR=$WORK/open fetches env LD_PRELOAD="$SHIM"
	[ -z "$(ls "$WORK/open")" ]
	INTERLOCK_RUNTIME_DIR=$WORK/link fetches env LD_PRELOAD="$SHIM"
	[ -z "$(ls "$WORK/run")" ]
	if [ "$(id -u)" -eq 0 ]; then
		mkdir -m 700 "$WORK/foreign"
		chown 1234 "$WORK/foreign"
		INTERLOCK_RUNTIME_DIR=$WORK/foreign fetches env LD_PRELOAD="$SHIM"
		[ -z "$(ls "$WORK/foreign")" ]
	fi
}

@test "transparent: a full disk" {
	needs_namespaces
	SHIM=$SHIM PORT=$PORT in_namespace '
		mount -t tmpfs -o size=64k full "$INTERLOCK_RUNTIME_DIR" &&
		{ head -c 1M /dev/zero >"$INTERLOCK_RUNTIME_DIR/fill" 2>/dev/null || :; }
		chmod 700 "$INTERLOCK_RUNTIME_DIR"
		[ "$(LD_PRELOAD=$SHIM curl -sS http://127.0.0.1:$PORT/)" = hello ]' 3>&-
}

@test "transparent: a disk that fills while breakers are made" {
	needs_namespaces
	SHIM=$SHIM PORT=$PORT in_namespace '
		mount -t tmpfs -o size=64k small "$INTERLOCK_RUNTIME_DIR" &&
		chmod 700 "$INTERLOCK_RUNTIME_DIR"
		export INTERLOCK_KEY=address:port LD_PRELOAD=$SHIM
		for i in $(seq 2 41); do
			[ "$(curl -sS "http://127.0.0.$i:$PORT/" 2>&1)" ] || :
		done
		[ "$(curl -sS http://127.0.0.1:$PORT/)" = hello ]' 3>&-
}

@test "transparent: no /proc" {
	needs_namespaces
	SHIM=$SHIM PORT=$PORT in_namespace 'umount -l /proc
		[ "$(LD_PRELOAD=$SHIM curl -sS http://127.0.0.1:$PORT/)" = hello ]' 3>&-
}

@test "transparent: a registry full of random bytes" {
	head -c 2000000 /dev/urandom >"$INTERLOCK_RUNTIME_DIR/robust"
	fetches env LD_PRELOAD="$SHIM"
}

@test "transparent: a registry that is a directory, a FIFO, empty, or of another layout" {
	mkdir "$INTERLOCK_RUNTIME_DIR/robust"
	fetches env LD_PRELOAD="$SHIM"
	rmdir "$INTERLOCK_RUNTIME_DIR/robust"
	mkfifo "$INTERLOCK_RUNTIME_DIR/robust"
	fetches env LD_PRELOAD="$SHIM"
	rm "$INTERLOCK_RUNTIME_DIR/robust"
	: >"$INTERLOCK_RUNTIME_DIR/robust"
	fetches env LD_PRELOAD="$SHIM"
}

@test "transparent: a log that cannot be written, is a FIFO, a directory, or a full disk" {
	local log
	mkfifo "$WORK/fifo"
	for log in /no/such/dir/log "$WORK/fifo" "$WORK" /dev/full syslog; do
		INTERLOCK_LOG=$log fetches env LD_PRELOAD="$SHIM"
	done
}

@test "transparent: a stderr that is closed, or a pipe that is full or that nobody reads" {
	closed_port
	export INTERLOCK_LOG=stderr
	LD_PRELOAD=$SHIM /usr/bin/python3 - "$PORT" <<'END' 3>&-
import os, signal, subprocess, sys
call = ["curl", "-s", f"http://127.0.0.1:{sys.argv[1]}/"]
def status(**how):
    return subprocess.run(call, timeout=60, **how).returncode
for how in ("closed", "unread", "full"):
    read_end, write_end = os.pipe()
    if how == "unread":
        os.close(read_end)
    if how == "full":
        os.set_blocking(write_end, False)
        try:
            while True:
                os.write(write_end, b"x" * 65536)
        except BlockingIOError:
            pass
        os.set_blocking(write_end, True)
    for _ in range(7):
        if how == "closed":
            got = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh"] + call, timeout=60).returncode
        else:
            got = status(stderr=write_end)
        assert got == 7, (how, got)
END
}

@test "transparent: little address space (ulimit -v)" {
	local plain shim
	plain=$(sh -c 'ulimit -v 60000; exec curl -sS "$0"' "http://127.0.0.1:$PORT/" 2>&1) || :
	shim=$(LD_PRELOAD=$SHIM sh -c 'ulimit -v 60000; exec curl -sS "$0"' "http://127.0.0.1:$PORT/" \
		2>&1) || :
	[ "$plain" = "$shim" ]
}

@test "transparent: few descriptors (ulimit -n)" {
	local code plain=0 shim=0
	sh -c 'ulimit -n 4; exec curl -s "$0"' "http://127.0.0.1:$PORT/" >/dev/null 2>&1 3>&- || plain=$?
	LD_PRELOAD=$SHIM sh -c 'ulimit -n 4; exec curl -s "$0"' "http://127.0.0.1:$PORT/" >/dev/null 2>&1 \
		3>&- || shim=$?
	[ "$plain" -eq "$shim" ]
}

@test "transparent: a service under inetd gets nothing of ours on its socket" {
	INTERLOCK_WINDOW_SIZE=wrong LD_PRELOAD=$SHIM /usr/bin/python3 - <<'END' 3>&-
import socket, subprocess
ours, theirs = socket.socketpair()
subprocess.run(["/bin/echo", "hello"], stdin=theirs, stdout=theirs, stderr=theirs, check=True)
theirs.close()
assert ours.recv(1000) == b"hello\n"
assert ours.recv(1000) == b""
END
}

@test "transparent: whatever a setting says, the program runs, and stdout is its own" {
	local name
	cd "$WORK" # a log may have any name
	for name in $(sed -n 's/^IL_SETTING(\([a-z_]*\),.*/INTERLOCK_\U\1/p; s/^IL_OPTION(\([A-Z_]*\),.*/\1/p' \
		"$ROOT/include/interlock/settings.def" "$ROOT/src/config/options.def"); do
		[ "$(env "$name=%@!" LD_PRELOAD="$SHIM" curl -sS "http://127.0.0.1:$PORT/" 2>/dev/null 3>&-)" = hello ]
	done
}

@test "every wrong setting is one clear line on stderr" {
	local name
	for name in $(sed -n 's/^IL_SETTING(\([a-z_]*\),.*/INTERLOCK_\U\1/p' \
		"$ROOT/include/interlock/settings.def"); do
		env "$name=%@!" LD_PRELOAD="$SHIM" curl -sS "http://127.0.0.1:$PORT/" >/dev/null \
			2>"$WORK/errors" 3>&-
		[ "$(wc -l <"$WORK/errors")" -eq 1 ]
		grep -qF "$name '%@!'" "$WORK/errors"
	done
}
