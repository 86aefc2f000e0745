#!/usr/bin/env bats
# Sockets of the rarer kinds: in the file system, with fast open, used again, and passed around.

load helper

prepare() {
	watched sockets
	SOCKETS=(/usr/bin/python3 "$BATS_TEST_DIRNAME/src/sockets.py")
	SOCKET=$WORK/s
}

# A conversation with the shim, which must print LINES.
prints() { # prints LINES WORD ARGUMENT...
	local lines=$1
	shift
	diff <(printf '%b' "$lines") <(shimmed timeout 60 "${SOCKETS[@]}" "$@" 2>&1 3>&-)
}

# A counter of the only breaker.
counter() {
	"$OUT/tests/state" "$INTERLOCK_RUNTIME_DIR" sockets |
		awk -v name="$1" '$1 == name { n = $2 } END { print n + 0 }'
}

# The system calls that concern sockets are the same without and with the shim.
calls_are_the_same() {
	local name
	command -v strace >/dev/null || return 0
	unset INTERLOCK_LOG
	for name in plain shim; do
		strace -f -o "$WORK/$name" -E LD_PRELOAD="$([ $name = plain ] || echo "$SHIM")" \
			-e trace=network,write,writev,sendfile,splice,ioctl,poll "${SOCKETS[@]}" "$@" >/dev/null
		sed -E 's/^[0-9]+ +//; s/\(.*//; /^[+-]/d; /resumed/d' "$WORK/$name" >"$WORK/$name.calls"
	done
	diff "$WORK/plain.calls" "$WORK/shim.calls"
}

# ---- sockets in the file system

@test "a unix socket whose server is dead trips its breaker, if unix sockets are watched at all" {
	local refused='connect ECONNREFUSED\n'
	prints "$refused$refused$refused$refused$refused$refused$refused" unix "$SOCKET" dead 7
	[ ! -s "$LOG" ]
	rm "$SOCKET"
	INTERLOCK_FAMILIES=inet,unix \
		prints "$refused$refused$refused$refused$refused$refused$refused" unix "$SOCKET" dead 7
	[ "$(outcomes FAILURE)" -eq 5 ]
	[ "$(changes)" = "CLOSED OPEN" ]
	grep -q "warning rejected breaker=unix:$SOCKET state=OPEN" "$LOG"
}

@test "a unix server that answers is a success, each conversation one call" {
	export INTERLOCK_FAMILIES=unix
	times 1 "${SOCKETS[@]}" unix "$SOCKET" ok 6
	are_all_good 6
	grep -q "breaker=unix:$SOCKET outcome=SUCCESS .*seen=answer" "$LOG"
}

@test "a unix server that falls mute, or hangs up unasked, trips its breaker" {
	export INTERLOCK_FAMILIES=unix
	times 1 "${SOCKETS[@]}" unix "$SOCKET" mute 5
	[ "$(outcomes FAILURE)" -eq 5 ]
	[ "$(changes)" = "CLOSED OPEN" ]
	times 1 "${SOCKETS[@]}" unix "$SOCKET.2" eof 5
	[ "$(outcomes FAILURE)" -eq 10 ]
}

@test "a unix server whose queue is full is not to blame, and the next try is a new one" {
	export INTERLOCK_FAMILIES=unix
	times 1 "${SOCKETS[@]}" unix_full "$SOCKET"
	[ "$(outcomes FAILURE)" -eq 0 ]
	[ "$(outcomes SUCCESS)" -ge 1 ]
	grep -q "outcome=SUCCESS .*seen=answer" "$LOG"
	[ -z "$(changes)" ]
}

@test "a unix connect that waits in vain for a place in the queue is a time-out" {
	export INTERLOCK_FAMILIES=unix
	times 1 "${SOCKETS[@]}" unix_waits "$SOCKET" 5
	[ "$(outcomes FAILURE)" -eq 5 ]
	[ "$(grep -c "outcome=FAILURE .*seen=timeout phase=connect" "$LOG")" -eq 5 ]
	[ "$(changes)" = "CLOSED OPEN" ]
}

@test "a unix socket that is not there is a local matter" {
	export INTERLOCK_FAMILIES=unix
	times 1 "${SOCKETS[@]}" unix_missing "$SOCKET" 7
	[ "$(outcomes '[A-Z_]*')" -eq 0 ]
	[ -z "$(changes)" ]
	[ "$(counter inconclusive)" -eq 7 ]
}

@test "unix sockets have names that patterns match, abstract ones too, whatever the key" {
	export INTERLOCK_FAMILIES=unix INTERLOCK_KEY=address
	INTERLOCK_IGNORE="unix:$WORK/*" times 1 "${SOCKETS[@]}" unix "$SOCKET" ok 1
	INTERLOCK_ONLY='unix:/nowhere' times 1 "${SOCKETS[@]}" unix "$SOCKET.2" ok 1
	[ ! -s "$LOG" ]
	INTERLOCK_ONLY="unix:$WORK/?.3" times 1 "${SOCKETS[@]}" unix "$SOCKET.3" ok 1
	are_all_good 1
	printf '%s FORCED_OPEN\n' 'unix:%00interlock-bats*' >"$WORK/control"
	INTERLOCK_CONTROL=$WORK/control INTERLOCK_REGISTRY=other \
		prints 'connect ECONNREFUSED\n' unix "@interlock-bats-$$" ok 1
	grep -q "rejected breaker=unix:%00interlock-bats-$$ state=FORCED_OPEN" "$LOG"
	cp "$LOG" "$WORK/before"
	: >"$LOG"
	mkdir "$WORK/a b"
	times 1 "${SOCKETS[@]}" unix "$WORK/a b/s" ok 1
	grep -qF "breaker=unix:$WORK/a\\x20b/s outcome=SUCCESS" "$LOG"
}

@test "a unix connect is rejected only where the kernel would have tried" {
	local i plain rejected
	export INTERLOCK_FAMILIES=unix INTERLOCK_CONTROL=$WORK/control
	echo '*:* FORCED_OPEN' >"$INTERLOCK_CONTROL"
	plain=$("${SOCKETS[@]}" unix_wrong "$SOCKET")
	rejected=$(shimmed "${SOCKETS[@]}" unix_wrong "$SOCKET.2")
	[ "$(tail -n 1 <<<"$plain")" = "connect 0 " ]
	[ "$(tail -n 1 <<<"$rejected")" = "connect -1 ECONNREFUSED" ]
	diff <(sed '$d' <<<"$plain") <(sed '$d' <<<"$rejected")
}

@test "neither a pair of unix sockets nor an accepted one is a call, and what stdio moves is none" {
	export INTERLOCK_FAMILIES=unix
	times 1 "${SOCKETS[@]}" unix_pairs "$SOCKET"
	are_all_good 1 # the child's
	: >"$LOG"
	prints "b'ping\\\\n'\n" unix_stream "$SOCKET.2"
	[ "$(outcomes '[A-Z_]*')" -eq 0 ]
}

@test "transparent: unix sockets behave as without the shim" {
	export INTERLOCK_FAMILIES=unix
	local conversation
	for conversation in "unix @interlock-$$ ok 3" "unix @interlock-$$ mute 1" "unix @interlock-$$ eof 2" \
		"unix_missing $WORK/none 2"; do
		# shellcheck disable=SC2086 # words
		run_twice "${SOCKETS[@]}" $conversation
	done
	for conversation in unix_full unix_wrong unix_pairs unix_stream; do
		mkdir "$WORK/here" # a socket stays where it was
		run_twice sh -c 'rm -f "$1"/*; shift; exec "$@"' sh "$WORK/here" \
			"${SOCKETS[@]}" "$conversation" "$WORK/here/s"
		rm -r "$WORK/here"
	done
	calls_are_the_same unix_alone "$SOCKET"
}

@test "redis-cli over a unix socket: each conversation a call, a queue of pings a call each, and dead it trips" {
	command -v redis-server >/dev/null || skip "no redis-server"
	export INTERLOCK_FAMILIES=unix
	redis-server --port 0 --unixsocket "$SOCKET" --save '' --dir "$WORK" >/dev/null 3>&- &
	local server=$! _
	PEERS+=("$server")
	eventually redis-cli -s "$SOCKET" ping
	for _ in 1 2 3; do [ "$(shimmed redis-cli -s "$SOCKET" ping)" = PONG ]; done
	are_all_good 3
	shimmed redis-cli -s "$SOCKET" -r 3 -i 0.2 ping # the first is its opening
	are_all_good 6
	kill -9 "$server"
	times 8 redis-cli -s "$SOCKET" ping
	[ "$(changes)" = "CLOSED OPEN" ]
	grep -q "rejected breaker=unix:$SOCKET state=OPEN" "$LOG"
}

# ---- fast open

# In a network namespace, as the machine's setting belongs to everybody. 1543: no cookie is needed.
alone() {
	if [ "$(id -u)" -eq 0 ]; then unshare -n "$@"; else unshare -rn "$@"; fi
}
alone_or_skip() { alone true 2>/dev/null || skip "no network namespace to be had"; }

fast() { shimmed timeout 60 "${FAST[@]}" "$@" >"$WORK/said" 2>&1 </dev/null 3>&-; }
is_alone() { if [ "$(id -u)" -eq 0 ]; then FAST=(unshare -n "${SOCKETS[@]}" fast); else FAST=(unshare -rn "${SOCKETS[@]}" fast); fi; }

@test "conversations by fast open are one call each, in every form, with and without a server's leave" {
	alone_or_skip
	is_alone
	local setting form
	for setting in 1543 3 1 0; do
		for form in connect connect+ message message+ messages many; do
			[[ $setting:$form != 0:m*s && $setting:$form != 0:many ]] || continue # no second try in it
			fast "$setting" "$form" ok 3
			cat "$WORK/said"
			are_all_good 3
			: >"$LOG"
		done
	done
}

@test "curl --tcp-fastopen: calls while all is well, failures and rejections when the server is dead" {
	alone_or_skip
	diff - <(alone "${SOCKETS[@]}" network 1543 bash -c '
		: >"$1/port"
		"$0/tests/bats/peer" ok >"$1/port" 3>&- & peer=$!
		until read -r port <"$1/port"; do sleep 0.01; done
		for i in 1 2 3 4 5 6 7 8 9; do
			if [ "$i" -eq 4 ]; then kill "$peer"; wait "$peer" 2>/dev/null; fi
			LD_PRELOAD=$2 curl -s --tcp-fastopen "http://127.0.0.1:$port/"; echo "$?"
		done' "$OUT" "$WORK" "$SHIM" 2>&1) < <(printf 'hello\n0\n%.0s' 1 2 3; printf '56\n%.0s' 1 2 3; printf '7\n%.0s' 1 2 3)
	# 56: curl has been told that it is connected, and learns the truth as it receives
	[ "$(outcomes SUCCESS)" -eq 3 ]
	[ "$(outcomes FAILURE)" -eq 3 ]
	[ "$(changes)" = "CLOSED OPEN" ]
	[ "$(counter rejected)" -eq 3 ]
}

@test "fast open to a server that is dead, mute or hangs up trips its breaker" {
	alone_or_skip
	is_alone
	local behaviour form
	for form in connect connect+ message message+; do
		for behaviour in dead eof mute; do
			fast 1543 "$form" "$behaviour" 5 || cat "$WORK/said"
			[ "$(outcomes FAILURE)" -eq 5 ]
			[ "$(changes)" = "CLOSED OPEN" ]
			: >"$LOG"
			rm -r "$INTERLOCK_RUNTIME_DIR"
			mkdir -m 700 "$INTERLOCK_RUNTIME_DIR"
		done
	done
}

@test "a server with fast open that falls mute after its first answer fails from then on" {
	alone_or_skip
	is_alone
	local form
	for form in connect connect+ message message+ messages many; do
		fast 1543 "$form" fades 4
		[ "$(outcomes SUCCESS)" -eq 1 ]
		[ "$(outcomes FAILURE)" -eq 3 ]
		: >"$LOG"
		rm -r "$INTERLOCK_RUNTIME_DIR"
		mkdir -m 700 "$INTERLOCK_RUNTIME_DIR"
	done
}

@test "a fast open that never sent is no call, though the kernel said that it was connected" {
	alone_or_skip
	is_alone
	fast 1543 connect unused 2
	fast 1543 connect+ unused 2
	[ "$(outcomes '[A-Z_]*')" -eq 0 ]
	[ "$(counter cancelled)" -eq 4 ]
}

@test "fast open is rejected in both forms, without a packet" {
	alone_or_skip
	export INTERLOCK_CONTROL=$WORK/control
	echo '127.0.0.1:7777 FORCED_OPEN reject_errno=EHOSTUNREACH' >"$INTERLOCK_CONTROL"
	diff - <(shimmed alone "${SOCKETS[@]}" fast_rejected 1543 2>&1) <<-END
		sendto EHOSTUNREACH
		sendmsg EHOSTUNREACH
		connect EHOSTUNREACH
		inet6 ECONNREFUSED
		listening EISCONN
	END
	[ "$(counter rejected)" -eq 3 ]
}

@test "transparent: fast open behaves as without the shim" {
	alone_or_skip
	is_alone
	local setting form
	for setting in 1543 0; do
		for form in connect connect+ message message+; do
			run_twice "${FAST[@]}" "$setting" "$form" ok 2
			run_twice "${FAST[@]}" "$setting" "$form" dead 1
		done
	done
	run_twice "${FAST[@]}" 1543 messages ok 2
	run_twice "${FAST[@]}" 1543 many ok 2
	run_twice "${FAST[@]}" 0 many ok 1
	run_twice "${FAST[@]}" 1543 connect unused 1
}

# ---- exchanges on connections that stand

@test "exchanges on a connection that stands are rejected where the operator says so, in all eight ways" {
	start_peer echo
	is_watched
	export INTERLOCK_CONTROL=$WORK/control INTERLOCK_CONTROL_INTERVAL=10ms
	: >"$INTERLOCK_CONTROL"
	local reset= way
	for way in write send sendto sendmsg sendmmsg writev sendfile splice; do
		reset="$reset$way ECONNRESET"$'\n'
	done
	INTERLOCK_REJECT_ESTABLISHED=1 shimmed timeout 60 "${SOCKETS[@]}" again_cut_off "$PORT" "$WORK" \
		"$INTERLOCK_CONTROL" >"$WORK/said" 2>&1
	cat "$WORK/said"
	diff <(grep -v '^send ECONNRESET' "$WORK/said") \
		<(grep -v '^send ECONNRESET' <<<"${reset}alert ok 7
nothing came EAGAIN
send ok 4
recv ok b'ping'")
	grep -q "warning rejected breaker=127.0.0.1:$PORT state=FORCED_OPEN" "$LOG"
	[ "$(counter passed_while_open)" -le 1 ] # the one that saw the new file
	[ "$(counter rejected)" -ge 9 ]
}

@test "reject_established= of the control file decides for single destinations" {
	start_peer echo
	is_watched
	export INTERLOCK_CONTROL=$WORK/control INTERLOCK_CONTROL_INTERVAL=10ms
	: >"$INTERLOCK_CONTROL"
	shimmed timeout 60 "${SOCKETS[@]}" again_cut_off "$PORT" "$WORK" "$INTERLOCK_CONTROL" \
		reject_established=yes >"$WORK/said" 2>&1
	grep -q '^splice ECONNRESET' "$WORK/said"
	INTERLOCK_REGISTRY=another INTERLOCK_REJECT_ESTABLISHED=1 shimmed timeout 60 "${SOCKETS[@]}" \
		again_passes "$PORT" "$INTERLOCK_CONTROL" >"$WORK/said" 2>&1
	[ "$(cat "$WORK/said")" = "never rejected" ]
}

@test "after the wait an exchange on a connection that stands is the probe that closes the breaker" {
	start_peer echo
	local echo=$PORT
	closed_port
	export INTERLOCK_CONTROL=$WORK/control INTERLOCK_REJECT_ESTABLISHED=1
	export INTERLOCK_WAIT_DURATION_IN_OPEN=300ms INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN=1
	echo '127.0.0.1:* name=both' >"$INTERLOCK_CONTROL"
	prints "recv ok b'ping'\nsend ok 4\nrecv ok b'ping'\n" again_probes "$echo" "$PORT"
	[ "$(changes | tr '\n' ,)" = "CLOSED OPEN,OPEN HALF_OPEN,HALF_OPEN CLOSED," ]
	[ "$(counter passed_while_open)" -eq 0 ]
}

@test "a probe on a connection that stands, and is not answered, opens the breaker again" {
	closed_port
	export INTERLOCK_CONTROL=$WORK/control INTERLOCK_REJECT_ESTABLISHED=1
	export INTERLOCK_WAIT_DURATION_IN_OPEN=1s INTERLOCK_WAIT_DURATION_BACKOFF_MULTIPLIER=1000
	export INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN=1
	echo '127.0.0.1:* name=both' >"$INTERLOCK_CONTROL"
	# What the kernel refuses by itself it refuses in its own way.
	prints 'recv timeout\nsend ECONNRESET\nsend EPIPE\n' again_mute "$PORT"
	[ "$(changes | tr '\n' ,)" = "CLOSED OPEN,OPEN HALF_OPEN,HALF_OPEN OPEN," ]
}

@test "transparent: exchanges on connections that stand, rejected or not, are sent as without the shim" {
	start_peer echo
	export INTERLOCK_REJECT_ESTABLISHED=1
	run_twice "${SOCKETS[@]}" again "$PORT" "$WORK"
	calls_are_the_same again "$PORT" "$WORK"
}

# ---- descriptors that come and go

@test "a number that has become something else unseen is not judged by what happens to it" {
	start_peer mute
	local way
	for way in rights pidfd pidfd_call file; do
		shimmed timeout 60 "$OUT/tests/bats/stale" "$way" "$PORT"
	done
	[ "$(outcomes FAILURE)" -eq 0 ]
	[ "$(outcomes SUCCESS)" -eq 18 ] # one-way use, as far as can be told; of the file, nothing
}

@test "transparent: descriptors that were sent away, received and copied" {
	start_peer echo
	run_twice "${SOCKETS[@]}" gives_away "$PORT"
	for way in rights pidfd pidfd_call file; do
		run_twice "$OUT/tests/bats/stale" "$way" "$PORT"
	done
}

@test "a connection given away and closed is judged at its close, and never as a failure" {
	start_peer echo
	times 6 "${SOCKETS[@]}" gives_away "$PORT"
	[ "$(outcomes FAILURE)" -eq 0 ]
	[ "$(outcomes SUCCESS)" -ge 1 ]
	[ -z "$(changes)" ]
}
