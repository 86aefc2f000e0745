#!/usr/bin/env bats
# Which breaker a call belongs to, by name and by address, and which calls belong to none.

load helper

prepare() {
	watched destinations
	needs_own_hosts
}

# Names are given by a hosts file of the test's own, in a mount namespace.
needs_own_hosts() {
	[ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null || skip "needs root and namespaces"
	cat >"$WORK/hosts" <<'HOSTS'
127.0.0.1 localhost
127.0.0.1 db.test one.test
127.0.0.1 other.test
127.0.0.2 second.test
::1 six.test
HOSTS
	# A resolver that nobody runs, for all other names.
	printf 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n' >"$WORK/resolv.conf"
}

# in_hosts COMMAND...: with these names, and the shim.
in_hosts() {
	SHIM=$SHIM HOSTS=$WORK unshare --mount --propagation private sh -c '
		mount --bind "$HOSTS/hosts" "$(readlink -f /etc/hosts)" || exit 77
		mount --bind "$HOSTS/resolv.conf" "$(readlink -f /etc/resolv.conf)" || exit 77
		LD_PRELOAD=$SHIM exec "$@"' sh timeout 60 "$@" 3>&-
}

python() { in_hosts /usr/bin/python3 -c 'import os, socket, sys, time
def call(host, port, family=0):
    """One call that is refused or rejected."""
    for family, kind, protocol, _, at in socket.getaddrinfo(host, port, family, socket.SOCK_STREAM):
        with socket.socket(family, kind, protocol) as s:
            return s.connect_ex(at)
def look_up(*what, **more):
    try:
        socket.getaddrinfo(*what, **more)
        return "found"
    except socket.gaierror as error:
        return {socket.EAI_AGAIN: "again", socket.EAI_NONAME: "none"}.get(error.errno, str(error))
import ctypes
libc = ctypes.CDLL(None)
libc.__h_errno_location.restype = ctypes.POINTER(ctypes.c_int)
libc.gethostbyname.restype = libc.gethostbyname2.restype = ctypes.c_void_p
def by_name(host):
    """Through the four functions: found, or with which h_errno not."""
    told = []
    for found in lambda: libc.gethostbyname(host), lambda: libc.gethostbyname2(host, socket.AF_INET):
        told.append("found" if found() else libc.__h_errno_location()[0])
    entry, room = ctypes.create_string_buffer(64), ctypes.create_string_buffer(4096)
    result, error = ctypes.c_void_p(), ctypes.c_int()
    rest = entry, room, 4096, ctypes.byref(result), ctypes.byref(error)
    for rc in lambda: libc.gethostbyname_r(host, *rest), lambda: libc.gethostbyname2_r(host, socket.AF_INET, *rest):
        told.append("found" if rc() == 0 and result else error.value)
    return told
def moved(to): return "to=" + to in open(os.environ["INTERLOCK_LOG"]).read()
ports = [int(port) for port in os.environ.get("PORT", "0").split()]
port = ports[0]
'"$1"; }

state() { "$OUT/tests/state" "$INTERLOCK_RUNTIME_DIR" destinations; }

# The breakers, a line each: NAME FAILED.
breakers() { state | awk '/^[^ ]/ { print $1, $4 }' | sort; }

counter() { # counter BREAKER NAME
	state | awk -v breaker="$1" -v name="$2" \
		'/^[^ ]/ { at = $1 } $1 == name && at == breaker { n = $2 } END { print n + 0 }'
}

# Opens the breaker of db.test:PORT, for good if nothing else is said.
given_db_is_open() {
	closed_port
	export PORT
	python 'for _ in range(5): call("db.test", port)'
	[ "$(changes)" = "CLOSED OPEN" ]
}

@test "INTERLOCK_REJECT_RESOLVE: a look-up for an open breaker fails at once with EAI_AGAIN" {
	export INTERLOCK_REJECT_RESOLVE=1
	given_db_is_open
	python 'assert look_up("db.test", port) == "again"
assert look_up("DB.test.", str(port), type=socket.SOCK_STREAM) == "again"'
	[ "$(counter "db.test:$PORT" rejected)" -eq 2 ]
	[ "$(counter "db.test:$PORT" resolve_failures)" -eq 0 ]
	grep -q " rejected breaker=db.test:$PORT state=OPEN" "$LOG"
	[ "$(changes)" = "CLOSED OPEN" ]
}

@test "INTERLOCK_REJECT_RESOLVE: unless it is set, look-ups pass, and the connect is rejected" {
	given_db_is_open
	python 'assert look_up("db.test", port) == "found"
assert call("db.test", port) == 111'
	[ "$(counter "db.test:$PORT" rejected)" -eq 1 ]
}

@test "INTERLOCK_REJECT_RESOLVE: other names, ports and addresses, and no name at all, pass" {
	export INTERLOCK_REJECT_RESOLVE=1
	given_db_is_open
	python 'for _ in range(5): call("127.0.0.1", port)
for _ in range(5): call("127.1", port)
assert look_up("other.test", port) == "found"
assert look_up("db.test", port + 1) == "found"
assert look_up("db.test", None) == "found"
assert look_up("db.test", "http") != "again"  # a machine may know no services
assert look_up("127.0.0.1", port) == "found"
assert look_up("127.1", port) == "found"
assert look_up("::1", port) == "found"
assert look_up(None, port, flags=socket.AI_PASSIVE) == "found"
assert look_up("db.test", port, flags=socket.AI_PASSIVE) == "found"
assert look_up("db.test", port, flags=socket.AI_NUMERICHOST) == "none"
assert socket.gethostbyname_ex("db.test")[2] == ["127.0.0.1"]'
	[ "$(counter "db.test:$PORT" rejected)" -eq 0 ]
}

@test "INTERLOCK_REJECT_RESOLVE: after the wait a look-up passes and takes no place: the connect is the probe" {
	export INTERLOCK_REJECT_RESOLVE=1 INTERLOCK_WAIT_DURATION_IN_OPEN=100ms
	given_db_is_open
	start_peer -p "$PORT" mute
	sleep 0.2
	python 'for _ in range(20): assert look_up("db.test", port) == "found"
assert not moved("HALF_OPEN")
held = socket.create_connection(("db.test", port))
assert moved("HALF_OPEN")
for _ in range(3): assert look_up("db.test", port) == "again"
held.close()
assert look_up("db.test", port) == "found"'
	[ "$(counter "db.test:$PORT" rejected)" -eq 3 ]
	[ "$(connections)" -eq 1 ]
}

@test "INTERLOCK_REJECT_RESOLVE and INTERLOCK_KEY=host: every look-up of that host, by gethostbyname too" {
	export INTERLOCK_REJECT_RESOLVE=1 INTERLOCK_KEY=host
	given_db_is_open
	python 'assert look_up("db.test", None) == "again"
assert look_up("db.test", port + 1) == "again"
assert by_name(b"db.test") == [2, 2, 2, 2], by_name(b"db.test")
assert by_name(b"other.test") == ["found"] * 4
assert by_name(b"127.0.0.1") == ["found"] * 4'
	[ "$(counter db.test rejected)" -eq 6 ]
}

@test "INTERLOCK_REJECT_RESOLVE: the control file's FORCED_OPEN and name= hold for look-ups, IGNORE lets them pass" {
	export INTERLOCK_REJECT_RESOLVE=1 INTERLOCK_CONTROL=$WORK/control
	export INTERLOCK_CONTROL_INTERVAL=1ms
	echo '*.test:* name=all' >"$INTERLOCK_CONTROL"
	closed_port
	export PORT
	python 'def rules(text):
    with open(os.environ["INTERLOCK_CONTROL"], "w") as file: file.write(text)
    time.sleep(0.05)
def becomes(what):
    for _ in range(2000):
        if look_up("other.test", port) == what: return
        time.sleep(0.005)
    sys.exit("never " + what)
call("db.test", port)
assert look_up("other.test", port) == "found"
rules("*.test:* name=all\nall FORCED_OPEN\n")
becomes("again")
rules("*.test:* name=all\nall FORCED_OPEN\nother.test:* IGNORE\n")
becomes("found")
assert look_up("db.test", port) == "again"'
	[ "$(state | grep -c '^[^ ]')" -eq 1 ]
}

@test "a resolver that nobody runs is a failure of the host also for gethostbyname" {
	export INTERLOCK_KEY=host
	python 'assert by_name(b"gone.test.") == [2, 2, 2, 2]
assert look_up("gone.test.", None) == "again"'
	[ "$(breakers)" = "gone.test 5" ]
	[ "$(changes)" = "CLOSED OPEN" ]
}

@test "getaddrinfo_a: its names are learnt, waited for or asked for later" {
	"${CC:-cc}" -D_GNU_SOURCE -O2 -w -o "$WORK/requests" "$BATS_TEST_DIRNAME/src/requests.c"
	closed_port
	local mode expected
	expected=$(printf '%s\n' "db.test:$PORT 1" "second.test:$PORT 1")
	for mode in wait later; do
		export INTERLOCK_REGISTRY=destinations
		rm -f "$INTERLOCK_RUNTIME_DIR/destinations"
		in_hosts "$WORK/requests" "$mode" "$PORT" db.test second.test >"$WORK/said"
		[ "$(grep -c 'connect -1' "$WORK/said")" -eq 2 ]
		[ "$(breakers)" = "$expected" ]
	done
	in_hosts "$WORK/requests" never "$PORT" db.test
	[ "$(counter "127.0.0.1:$PORT" calls_failure)" -eq 1 ]
}

@test "getaddrinfo_a: a look-up that has no answer is a failure, once" {
	"${CC:-cc}" -D_GNU_SOURCE -O2 -w -o "$WORK/requests" "$BATS_TEST_DIRNAME/src/requests.c"
	local mode
	for mode in wait later; do
		in_hosts "$WORK/requests" "$mode" 5432 gone.test. db.test >"$WORK/said"
		grep -q 'Temporary failure' "$WORK/said"
	done
	[ "$(counter gone.test:5432 calls_failure)" -eq 2 ]
	[ "$(outcomes FAILURE)" -eq 4 ]
}

# Two names of one address, the second on two ports, and another address: 1, 2, 3 and 4 failures.
call_four() {
	closed_port
	local first=$PORT
	closed_port
	A=$first B=$PORT
	PORT="$A $B" python 'for times, host, port in (1, "db.test", ports[0]), (2, "other.test", ports[0]), \
        (3, "other.test", ports[1]), (4, "second.test", ports[0]):
    for _ in range(times): assert call(host, port) == 111'
}

@test "INTERLOCK_KEY=host:port, the default: each name and each port has its breaker" {
	local key
	for key in "" host:port HOST:PORT; do
		rm -f "$INTERLOCK_RUNTIME_DIR/destinations"
		INTERLOCK_KEY=$key
		[ -z "$key" ] || export INTERLOCK_KEY
		call_four
		[ "$(breakers)" = "$(printf '%s\n' "db.test:$A 1" "other.test:$A 2" "other.test:$B 3" \
			"second.test:$A 4" | sort)" ]
	done
}

@test "INTERLOCK_KEY=host: each name has one, for all its ports" {
	export INTERLOCK_KEY=host
	call_four
	[ "$(breakers)" = "$(printf '%s\n' "db.test 1" "other.test 5" "second.test 4")" ]
}

@test "INTERLOCK_KEY=address:port: the names of an address share one for each port" {
	export INTERLOCK_KEY=address:port
	call_four
	[ "$(breakers)" = "$(printf '%s\n' "127.0.0.1:$A 3" "127.0.0.1:$B 3" "127.0.0.2:$A 4" | sort)" ]
}

@test "INTERLOCK_KEY=address: an address has one" {
	export INTERLOCK_KEY=address INTERLOCK_MINIMUM_NUMBER_OF_CALLS=20
	call_four
	[ "$(breakers)" = "$(printf '%s\n' "127.0.0.1 6" "127.0.0.2 4")" ]
}

@test "an address that no name is known of: as it is written, IPv6 in brackets, its spellings one" {
	closed_port
	export PORT
	python 'for family, host in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"), \
        (socket.AF_INET6, "0:0:0:0:0:0:0:1"):
    assert socket.socket(family).connect_ex((host, port)) == 111
assert call("six.test", port) == 111'
	[ "$(breakers)" = "$(printf '%s\n' "127.0.0.1:$PORT 1" "[::1]:$PORT 2" "six.test:$PORT 1" | sort)" ]
	INTERLOCK_KEY=address python 'assert call("six.test", port) == 111'
	breakers | grep -qxF '[::1] 1'
}

@test "an IPv4 address on an IPv6 socket, as java uses them, has the breaker of the IPv4 address" {
	closed_port
	export PORT
	python 'assert socket.socket().connect_ex(("127.0.0.1", port)) == 111
assert socket.socket(socket.AF_INET6).connect_ex(("::ffff:127.0.0.1", port)) == 111
assert call("db.test", port) == 111
for _, _, _, _, at in socket.getaddrinfo("db.test", port, socket.AF_INET6, socket.SOCK_STREAM, 0, socket.AI_V4MAPPED):
    assert at[0] == "::ffff:127.0.0.1"
    assert socket.socket(socket.AF_INET6).connect_ex(at) == 111'
	[ "$(breakers)" = "$(printf '%s\n' "127.0.0.1:$PORT 2" "db.test:$PORT 2")" ]
}

@test "an address with two names: the one that this thread looked up last, else anybody" {
	closed_port
	export PORT
	python 'import threading
def refused(): assert socket.socket().connect_ex(("127.0.0.1", port)) == 111
def in_thread(what):
    thread = threading.Thread(target=what)
    thread.start()
    thread.join()
socket.getaddrinfo("db.test", port)
in_thread(lambda: socket.getaddrinfo("other.test", port))
refused()
in_thread(refused)
socket.getaddrinfo("one.test", port)
refused()'
	[ "$(breakers)" = "$(printf '%s\n' "db.test:$PORT 1" "one.test:$PORT 1" "other.test:$PORT 1")" ]
}

@test "INTERLOCK_ONLY and INTERLOCK_IGNORE: by name, port, block and address; what both match is ignored" {
	closed_port
	export PORT INTERLOCK_MINIMUM_NUMBER_OF_CALLS=20
	local calls='for host in "db.test", "other.test", "second.test", "::1": call(host, port)' only ignore
	while read -r only ignore watched; do
		rm -f "$INTERLOCK_RUNTIME_DIR/destinations"
		INTERLOCK_ONLY=${only#-} INTERLOCK_IGNORE=${ignore#-} python "$calls"
		echo "only '$only' ignore '$ignore':" $(breakers)
		[ "$(state 2>/dev/null | awk '/^[^ ]/ { sub(/:[0-9]*$/, "", $1); print $1 }' | sort | paste -sd ,)" = "${watched#-}" ]
	done <<END
- - [::1],db.test,other.test,second.test
*.test - db.test,other.test,second.test
DB.test:$PORT,[::1] - [::1],db.test
*:1 - -
127.0.0.0/8 - db.test,other.test,second.test
127.0.0.2/32:$PORT - second.test
[::]/0 - [::1]
- *.test [::1]
- db.test:$PORT,second.test:1 [::1],other.test,second.test
- 127.0.0.1 [::1],second.test
*.test:* 127.0.0.0/31:* second.test
other.test other.test -
END
}

@test "INTERLOCK_COMMANDS and INTERLOCK_IGNORE_COMMANDS: the executable's name, through links and for scripts" {
	closed_port
	export PORT
	local at="exec 3<>/dev/tcp/127.0.0.1/$PORT"
	cp "$(command -v bash)" "$WORK/legacy-app"
	ln -s legacy-app "$WORK/link"
	printf '#!%s/legacy-app\n%s\n' "$WORK" "$at" >"$WORK/script"
	chmod +x "$WORK/script"
	seen() { # seen PROGRAM ARGUMENT...: 1 if its call is recorded
		: >"$LOG"
		LD_PRELOAD=$SHIM timeout 60 "$@" >/dev/null 2>&1 3>&- || :
		outcomes FAILURE
	}
	export INTERLOCK_MINIMUM_NUMBER_OF_CALLS=50
	export INTERLOCK_COMMANDS='legacy-*, curl'
	[ "$(seen "$WORK/legacy-app" -c "$at")" -eq 1 ]
	[ "$(seen "$WORK/link" -c "$at")" -eq 1 ]
	[ "$(seen "$WORK/script")" -eq 1 ]
	[ "$(seen bash -c "$at")" -eq 0 ]
	export INTERLOCK_IGNORE_COMMANDS='?egacy-app'
	[ "$(seen "$WORK/legacy-app" -c "$at")" -eq 0 ]
	unset INTERLOCK_COMMANDS
	[ "$(seen "$WORK/link" -c "$at")" -eq 0 ]
	[ "$(seen bash -c "$at")" -eq 1 ]
}

@test "INTERLOCK_FAMILIES: IPv6 alone, IPv4 alone, both" {
	closed_port
	export PORT
	local calls='for host in "127.0.0.1", "::1": call(host, port)'
	INTERLOCK_FAMILIES=inet6 python "$calls
socket.socket(socket.AF_INET6).connect_ex((\"::ffff:127.0.0.1\", port))"
	[ "$(breakers)" = "[::1]:$PORT 1" ]
	INTERLOCK_FAMILIES=inet python "$calls"
	[ "$(breakers)" = "$(printf '%s\n' "127.0.0.1:$PORT 1" "[::1]:$PORT 1" | sort)" ]
	INTERLOCK_FAMILIES='INET, inet6' python "$calls"
	[ "$(breakers)" = "$(printf '%s\n' "127.0.0.1:$PORT 2" "[::1]:$PORT 2" | sort)" ]
	rm "$INTERLOCK_RUNTIME_DIR/destinations"
	INTERLOCK_FAMILIES=inet python 'socket.socket(socket.AF_INET6).connect_ex(("::ffff:127.0.0.1", port))'
	[ "$(breakers)" = "127.0.0.1:$PORT 1" ]
}
