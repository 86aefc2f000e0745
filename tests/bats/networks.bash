# shellcheck shell=bash
# shellcheck disable=SC2034 # the tests use what is set here
# A network of the test's own: a namespace with the clients (here), one with the servers (there), and a
# cable between them. Namespaces and whatever is in them live as long as the processes that hold them,
# which teardown ends; nothing is left in /run/netns.
#
# It needs root, or a kernel that lets anybody make user namespaces; where neither is so, the tests
# fail and say it. Sourced after helper.bash.
#
#   here    192.0.2.1                      2001:db8::1   and its own hosts, resolv.conf, nsswitch.conf
#   there   192.0.2.2 to 192.0.2.6         2001:db8::2   and 198.51.100.1, to which a route leads
PATH=$PATH:/usr/sbin:/sbin

# hold COMMAND...: starts a process that holds the namespaces that COMMAND makes. Sets HOLDER, its pid.
hold() {
	: >"$WORK/held"
	"$@" sh -c 'echo held; exec sleep infinity' >"$WORK/held" 2>"$WORK/held.err" 3>&- &
	HOLDER=$!
	PEERS+=("$HOLDER")
	until grep -q held "$WORK/held"; do
		kill -0 "$HOLDER" 2>/dev/null && sleep 0.01 && continue
		echo "no namespace to be had; it needs root or user.max_user_namespaces > 0:"
		cat "$WORK/held.err"
		return 1
	done
}

# start_networks [MS]: with MS, the cable is so long that each frame takes that time.
start_networks() {
	local user=() into=()
	[ "$(id -u)" -eq 0 ] || { user=(-r) into=(-U --preserve-credentials); }
	hold unshare "${user[@]}" -m -n
	HERE=(nsenter -t "$HOLDER" "${into[@]}" -m -n)
	[ ${#into[@]} -eq 0 ] || into=(nsenter -t "$HOLDER" "${into[@]}")
	hold "${into[@]}" unshare -n
	THERE=(nsenter -t "$HOLDER" "${into[@]:3}" -n)
	printf '127.0.0.1 localhost\n::1 localhost\n' >"$WORK/hosts"
	echo 'nameserver 192.0.2.2' >"$WORK/resolv.conf"
	echo 'hosts: files dns' >"$WORK/nsswitch.conf"
	here sh -ec 'for file in hosts resolv.conf nsswitch.conf; do
		mount --bind "$1/$file" "/etc/$file"
	done' - "$WORK"
	lay_cable "$HOLDER" "${1:-0}" "${into[@]}"
	give_addresses
}

# What is to be ended by its pid is started as "${THERE[@]}" COMMAND: nsenter becomes it.
here() { "${HERE[@]}" "$@"; }
there() { "${THERE[@]}" "$@"; }

lay_cable() { # lay_cable PID_THERE MS ENTER...
	local there=$1 delay=$2
	shift 2
	if [ "$delay" -eq 0 ]; then
		here ip link add cable type veth peer name cable netns "$there"
		return
	fi
	hold "$@" unshare -n
	here ip link add cable type veth peer name left netns "$HOLDER"
	there ip link add cable type veth peer name right netns "$HOLDER"
	local between=(nsenter -t "$HOLDER" "${@:4}" -n)
	"${between[@]}" ip -batch - <<-END
		link set left up
		link set right up
	END
	: >"$WORK/delay"
	"${between[@]}" /usr/bin/python3 "$BATS_TEST_DIRNAME/delay.py" "$delay" left right \
		>"$WORK/delay" 3>&- &
	PEERS+=("$!")
	eventually grep -q ready "$WORK/delay"
}

give_addresses() {
	here ip -batch - <<-END
		link set lo up
		addr add 192.0.2.1/24 dev cable
		addr add 2001:db8::1/64 dev cable nodad
		link set cable up
		route add 198.51.100.0/24 via 192.0.2.2
	END
	there ip -batch - <<-END
		link set lo up
		addr add 192.0.2.2/24 dev cable
		addr add 192.0.2.3/24 dev cable
		addr add 192.0.2.4/24 dev cable
		addr add 192.0.2.5/24 dev cable
		addr add 192.0.2.6/24 dev cable
		addr add 198.51.100.1/32 dev lo
		addr add 2001:db8::2/64 dev cable nodad
		link set cable up
	END
	there sysctl -qw net.ipv4.icmp_ratelimit=0
	filter here
	filter there
}

# filter WHERE: makes an empty chain for what comes in.
filter() { "$1" nft 'add table inet t; add chain inet t in { type filter hook input priority 0; }'; }

# rule WHERE WORDS...: one more rule for what comes in. `counter name NAME` is to be counted by.
rule() {
	local where=$1
	shift
	"$where" nft "add rule inet t in $*"
}

# heals WHERE: all its rules are gone.
heals() { "$1" nft 'flush chain inet t in'; }

# Dead end with a count: what comes in WHERE and matches WORDS meets VERDICT; `met WHERE NAME` says how
# many packets did.
dead_end() { # dead_end WHERE NAME WORDS VERDICT
	"$1" nft "add counter inet t $2"
	rule "$1" "$3 counter name $2 $4"
}
met() { "$1" nft list counter inet t "$2" | sed -n 's/.*packets \([0-9]*\) .*/\1/p'; }

# start_server PORT BEHAVIOUR...: a peer over there, at all its addresses.
start_server() {
	local number=${#PEERS[@]} port=$1
	shift
	"${THERE[@]}" "$OUT/tests/bats/peer" -a 0.0.0.0 -p "$port" "$@" >"$WORK/port$number" 3>&- &
	PEERS+=("$!")
	eventually [ -s "$WORK/port$number" ]
}

# Runs a command here, with the shim.
calls() { here env LD_PRELOAD="$SHIM" "$@"; }

# Clients: each fetches a URL so many times, one after the other, and says `good` or `bad` of each.
# They wait for an answer for so long, in seconds:
PATIENCE=60
by_curl() { each "$2" curl -sS -o /dev/null --max-time "$PATIENCE" "$1"; }
by_wget() { each "$2" wget -q --tries=1 --timeout="$PATIENCE" -O /dev/null "$1"; }
by_python() { calls /usr/bin/python3 "$BATS_TEST_DIRNAME/fetch.py" blocking "$PATIENCE" "$@"; }
by_patient_python() { PATIENCE=ever by_python "$@"; }
by_asyncio() { calls /usr/bin/python3 "$BATS_TEST_DIRNAME/fetch.py" asyncio "$PATIENCE" "$@"; }
CLIENTS="by_curl by_wget by_python by_patient_python by_asyncio"
HURRIED="by_curl by_wget by_python by_asyncio"

each() { # each COUNT COMMAND...
	local count=$1 _
	shift
	for _ in $(seq "$count"); do
		if calls "$@" >/dev/null; then echo good; else echo bad; fi
	done
}

# all COUNT WORD CLIENT: the client fetches URL so many times, all of them good or all of them bad.
all() {
	local said
	said=$("$3" "$URL" "$1" | sort | uniq -c | xargs)
	[ "$said" = "$1 $2" ] || { echo "$3 $URL: $said" && cat "$LOG" && return 1; }
}

# scene NAME: from now on a registry and a log of its own; those that it has had if it was there before.
scene() {
	watched "$1"
	LOG=$WORK/log.$1
	: >>"$LOG"
	export INTERLOCK_LOG=$LOG
}

# at_once COMMAND CLIENT...: runs COMMAND with each client, all side by side, each in a scene of its
# own. Shows those that failed.
at_once() {
	local command=$1 client bad=0 jobs=()
	shift
	for client; do
		(
			scene "$client${STAGE:-}"
			"$command" "$client"
		) >"$WORK/out.$client${STAGE:-}" 2>&1 3>&- </dev/null &
		jobs+=("$!")
	done
	for client; do
		wait "${jobs[0]}" || { bad=1 && echo "--- $client" && cat "$WORK/out.$client${STAGE:-}"; }
		jobs=("${jobs[@]:1}")
	done
	return $bad
}

# all_well PID...: waits for these; fails if one of them did.
all_well() {
	local pid bad=0
	for pid; do
		wait "$pid" || bad=1
	done
	return $bad
}

# is_told TEXT: the log tells of exactly these outcomes: `call SUCCESS 20`, `amended FAILURE 2`, in
# alphabetic order with commas between; the empty text: of none.
is_told() {
	local told
	told=$(sed -nE 's/.* (call|amended) .*outcome=([A-Z_]+).*/\1 \2/p' "$LOG" | sort | uniq -c |
		awk '{ printf "%s%s %s %s", sep, $2, $3, $1; sep = ", " }')
	[ "$told" = "$1" ] && return 0
	echo "told: $told; expected: $1"
	head -n 40 "$LOG"
	return 1
}

# counted COUNTER: of all breakers of this scene. Here, where a user namespace says who owns the file.
counted() {
	here "$OUT/tests/state" "$INTERLOCK_RUNTIME_DIR" "$INTERLOCK_REGISTRY" |
		awk -v name="$1" '$1 == name { sum += $2 } END { print sum + 0 }'
}
