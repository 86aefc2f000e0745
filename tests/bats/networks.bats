#!/usr/bin/env bats
# On real networks, with real faults of networks: what is wrong with the way to a destination is told
# from what is wrong here, and what merely takes long or goes a second way is no fault at all. Every
# count is exact.
#
# Needs root, or a kernel that gives user namespaces to everybody; see networks.bash.

load helper
load networks

prepare() { watched networks; }

URL=http://192.0.2.2/

# Five calls fail, each told as TEXT says, and the breaker is open.
trip_as() { # trip_as TEXT CLIENT
	all 5 bad "$2"
	is_told "$1" && [ "$(changes)" = "CLOSED OPEN" ]
}
trips() { trip_as "call FAILURE 5" "$1"; }

# The breaker is open, and a call is rejected.
is_rejected() {
	all 1 bad "$1"
	grep -q ' rejected ' "$LOG"
}

# Five calls succeed, and nothing else is told.
is_well() {
	all 5 good "$1"
	is_told "call SUCCESS 5"
}

# Six calls fail for a local reason: nothing is told, and nothing happens.
is_local() {
	all 6 bad "$1"
	is_told "" && [ -z "$(changes)" ] && [ "$(counted inconclusive)" -eq 6 ]
}

# ---- a black hole ----

@test "a black hole: who has a time-out trips, and is then rejected without a packet" {
	start_networks
	dead_end there hole "tcp dport 80" drop
	PATIENCE=0.6 at_once trips $HURRIED
	local before
	before=$(met there hole)
	[ "$before" -ge 20 ]
	at_once is_rejected $HURRIED
	[ "$(met there hole)" -eq "$before" ]
}

@test "a black hole: who has no time-out and is killed is found out by the next caller" {
	start_networks
	dead_end there hole "tcp dport 80" drop
	local _
	for _ in 1 2 3 4 5; do
		! calls /usr/bin/python3 -c 'import signal, socket
signal.alarm(1)
socket.create_connection(("192.0.2.2", 80))'
	done
	is_told "call FAILURE 4"
	all 1 bad by_curl
	is_told "call FAILURE 5"
	[ "$(changes)" = "CLOSED OPEN" ]
}

@test "a black hole: a connect given up within 200 ms says nothing" {
	start_networks
	dead_end there hole "tcp dport 80" drop
	local late told
	late=$(calls /usr/bin/python3 -c 'import socket, time
late = 0
for number in range(40):
    connection = socket.socket()
    connection.settimeout(0.05 * (number % 2))
    began = time.monotonic()
    try:
        connection.connect(("192.0.2.2", 80))
    except OSError:
        pass
    connection.close()
    late += time.monotonic() - began >= 0.2
print(late)') # where the machine was too busy
	told=$(outcomes FAILURE)
	[ "$told" -le "$late" ]
	[ "$(counted cancelled)" -eq $((40 - told)) ]
	[ "$(outcomes '[A-Z_]*')" -eq "$told" ]
}

# ---- reset in the middle of an answer ----

# The last call's verdict comes when the breaker is open already.
breaks_off() { trip_as "amended FAILURE 4, call SUCCESS 5" "$1"; }

@test "an answer that is reset half-way trips, whether by the server or by something in between" {
	start_networks
	start_server 81 tear
	URL=http://192.0.2.2:81/ at_once breaks_off $CLIENTS
	start_server 80 body=1000
	# What a client sends after its request confirms the first bytes of the answer.
	there nft 'add set inet t asked { type ipv4_addr . inet_service; flags dynamic; }'
	rule there 'tcp dport 80 meta length > 70 add @asked { ip saddr . tcp sport } accept'
	dead_end there cut 'tcp dport 80 ip saddr . tcp sport @asked' 'reject with tcp reset'
	STAGE=2 at_once breaks_off $CLIENTS
	[ "$(met there cut)" -ge 25 ]
}

# ---- loss and delay ----

# Three calls side by side succeed.
three_are_well() {
	local jobs=() _
	for _ in 1 2 3; do
		all 1 good "$1" &
		jobs+=("$!")
	done
	all_well "${jobs[@]}"
	is_told "call SUCCESS 3"
}

@test "30 % of the packets lost, both ways: healthy" {
	start_networks
	start_server 80 ok
	for where in here there; do
		"$where" nft "add counter inet t lost; add chain inet t lose { counter name lost drop; }"
		rule "$where" 'meta l4proto tcp numgen inc mod 10 vmap { 2: goto lose, 5: goto lose, 9: goto lose }'
	done
	PATIENCE=300 at_once three_are_well $CLIENTS
	[ "$(met here lost)" -ge 15 ]
	[ "$(met there lost)" -ge 15 ]
}

# Its duration is that of connecting and of the answer: four times the length of the cable.
is_far() {
	all 2 good "$1"
	is_told "call SUCCESS 2"
	awk '/ call / { sub(/.*duration=/, ""); if (!($1 ~ /s$/ && $1 + 0 >= 1.2)) exit 1 }' "$LOG"
}

is_too_far() {
	export INTERLOCK_SLOW_CALL_DURATION_THRESHOLD=500ms INTERLOCK_SLOW_CALL_RATE_THRESHOLD=50%
	all 5 good "$1"
	is_told "call SLOW_SUCCESS 5"
	[ "$(changes)" = "CLOSED OPEN" ]
	is_rejected "$1"
}

@test "300 ms of delay each way: healthy, as slow as it is; and slow where that is too slow" {
	start_networks 300
	start_server 80 ok
	STAGE=1 at_once is_far $CLIENTS &
	local far=$!
	STAGE=2 at_once is_too_far by_curl by_patient_python by_asyncio &
	all_well $far $!
}

# ---- routes and links ----

@test "a route is withdrawn while it runs: a local matter, and all is well when it is back" {
	start_networks
	start_server 80 ok
	export URL=http://198.51.100.1/
	at_once is_well $CLIENTS
	here ip route del 198.51.100.0/24
	STAGE=2 at_once is_local $CLIENTS
	here ip route add 198.51.100.0/24 via 192.0.2.2
	STAGE=3 at_once is_well $CLIENTS
}

@test "routes that say no: unreachable is the destination's, blackhole, prohibit and throw are ours" {
	start_networks
	here ip -batch - <<-END
		route add unreachable 198.51.100.11
		route add blackhole 198.51.100.12
		route add prohibit 198.51.100.13
		route add throw 198.51.100.14
	END
	URL=http://198.51.100.11/ STAGE=1 at_once trips $CLIENTS
	URL=http://198.51.100.12/ STAGE=2 at_once is_local $CLIENTS
	URL=http://198.51.100.13/ STAGE=3 at_once is_local by_curl by_patient_python
	URL=http://198.51.100.14/ STAGE=4 at_once is_local by_curl by_patient_python
}

@test "a router's word: host unreachable and administratively prohibited trip, net unreachable does not" {
	start_networks
	dead_end there host "tcp dport 80" "reject with icmp host-unreachable"
	dead_end there admin "tcp dport 81" "reject with icmp admin-prohibited"
	dead_end there net "tcp dport 82" "reject with icmp net-unreachable"
	local jobs=()
	URL=http://192.0.2.2:80/ STAGE=1 at_once trips $CLIENTS &
	jobs+=($!)
	URL=http://192.0.2.2:81/ STAGE=2 at_once trips by_curl by_patient_python &
	jobs+=($!)
	URL=http://192.0.2.2:82/ STAGE=3 at_once is_local $CLIENTS &
	all_well "${jobs[@]}" $!
}

@test "the server's link is down: time-outs and unreachable hosts trip; ours is down: a local matter" {
	start_networks
	here ip ntable change name arp_cache dev cable retrans 100
	start_server 80 ok
	at_once is_well by_curl by_python by_asyncio
	there ip link set cable down
	STAGE=2 at_once trips $CLIENTS
	here ip neigh replace 192.0.2.2 lladdr 02:00:00:00:00:02 dev cable
	STAGE=3 PATIENCE=0.6 at_once trips $HURRIED
	here ip link set cable down
	STAGE=4 at_once is_local by_curl by_patient_python by_asyncio
}

# ---- names ----

# start_dns: good.test is 192.0.2.2, absent.test is not, of broken.test nobody knows.
start_dns() {
	: >"$WORK/upstream"
	"${THERE[@]}" /usr/bin/python3 -c 'import socket
upstream = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
upstream.bind(("127.0.0.1", 5300))
print("ready", flush=True)
while True:
    question, where = upstream.recvfrom(512)
    upstream.sendto(question[:2] + b"\x81\x82" + question[4:], where)  # SERVFAIL
' >"$WORK/upstream" 3>&- &
	PEERS+=("$!")
	"${THERE[@]}" dnsmasq --no-daemon --conf-file=/dev/null --no-resolv --no-hosts --local=/absent.test/ \
		--address=/good.test/192.0.2.2 --server='/broken.test/127.0.0.1#5300' \
		2>"$WORK/dnsmasq" 3>&- &
	DNS=$!
	PEERS+=("$DNS")
	eventually grep -q ready "$WORK/upstream"
	eventually here getent hosts good.test >/dev/null
}

resolver_options() { echo "options timeout:1 attempts:1" >>"$WORK/resolv.conf"; }

of_the_host() {
	trips "$1"
	[ "$(grep -c "breaker=$2:80 .*outcome=FAILURE" "$LOG")" -eq 5 ]
	[ "$(counted resolve_failures)" -eq 5 ]
}
of_mute() { of_the_host "$1" mute.test; }
of_broken() { of_the_host "$1" broken.test; }

@test "DNS that does not answer is a failure of the host" {
	start_networks
	resolver_options
	dead_end there hole "udp dport 53" drop
	URL=http://mute.test/ at_once of_mute by_curl by_python by_asyncio
	[ "$(met there hole)" -ge 15 ]
}

says_nothing() {
	all 6 bad "$1"
	is_told "" && [ -z "$(changes)" ]
}

# It names no port when it looks up: that counts for the breakers that the host has.
trips_wget() {
	all 1 good by_wget
	kill "$DNS"
	all 4 bad by_wget
	is_told "call FAILURE 4, call SUCCESS 1"
	[ "$(changes)" = "CLOSED OPEN" ]
}

@test "SERVFAIL is a failure of the host; that there is no such name is nothing; nor is health" {
	start_networks
	resolver_options
	start_dns
	URL=http://broken.test/ at_once of_broken by_curl by_python by_asyncio
	URL=http://absent.test/ STAGE=2 at_once says_nothing $HURRIED
	start_server 80 ok
	URL=http://good.test/ STAGE=3 at_once is_well $CLIENTS
	URL=http://good.test/ trips_wget
}

# ---- several addresses ----

connects_20_times() {
	calls /usr/bin/python3 -c 'import socket
for _ in range(20):
    try:
        connection = socket.create_connection(("two.test", 80))
        connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert connection.recv(1000)
        connection.close()
        print("connected")
    except OSError:
        print("dead")'
}

@test "20 x create_connection, the first address dead: 20 SUCCESS; both dead: 20 FAILURE" {
	start_networks
	printf '192.0.2.3 two.test\n192.0.2.2 two.test\n' >>"$WORK/hosts"
	start_server 80 ok
	dead_end there first "ip daddr 192.0.2.3 tcp dport 80" "reject with tcp reset"
	[ "$(connects_20_times | grep -c connected)" -eq 20 ]
	are_all_good 20
	[ "$(met there first)" -eq 20 ]
	dead_end there second "ip daddr 192.0.2.2 tcp dport 80" "reject with tcp reset"
	scene both
	export INTERLOCK_MINIMUM_NUMBER_OF_CALLS=100
	[ "$(connects_20_times | grep -c dead)" -eq 20 ]
	is_told "call FAILURE 20"
	[ "$(met there first)" -eq 40 ]
	[ "$(met there second)" -eq 20 ]
}

@test "the first address refuses, is unreachable, or is a black hole: one call, and it succeeds" {
	start_networks
	# getaddrinfo puts the addresses first that are most like our own.
	printf '%s\n' "192.0.2.3 no.test" "192.0.2.4 far.test" "192.0.2.5 hole.test" \
		"192.0.2.6 no.test far.test hole.test" >>"$WORK/hosts"
	start_server 80 ok
	dead_end there no "ip daddr 192.0.2.3 tcp dport 80" "reject with tcp reset"
	dead_end there far "ip daddr 192.0.2.4 tcp dport 80" "reject with icmp host-unreachable"
	dead_end there hole "ip daddr 192.0.2.5 tcp dport 80" drop
	local jobs=()
	URL=http://no.test/ STAGE=1 at_once is_well $CLIENTS &
	jobs+=($!)
	URL=http://far.test/ STAGE=2 at_once is_well $CLIENTS &
	jobs+=($!)
	URL=http://hole.test/ STAGE=3 PATIENCE=1.5 at_once is_well by_wget by_python by_asyncio &
	all_well "${jobs[@]}" $!
	[ "$(met there no)" -eq 25 ]
	[ "$(met there far)" -ge 25 ]
	[ "$(met there hole)" -ge 15 ]
}

@test "::1 first, and the server on 127.0.0.1 only: healthy" {
	start_networks
	printf '::1 both.test\n127.0.0.1 both.test\n' >>"$WORK/hosts"
	"${HERE[@]}" "$OUT/tests/bats/peer" -p 80 ok >"$WORK/port" 3>&- &
	PEERS+=("$!")
	eventually [ -s "$WORK/port" ]
	dead_end here first "ip6 daddr ::1 tcp dport 80" accept
	URL=http://both.test/ at_once is_well $CLIENTS
	[ "$(met here first)" -eq 25 ]
	URL=http://localhost/ STAGE=2 at_once is_well $CLIENTS
	[ "$(met here first)" -ge 45 ] || { met here first; false; }
}

@test "happy eyeballs with a slow first address: one call each, SUCCESS, and the loser is not recorded" {
	start_networks
	printf '2001:db8::2 slow.test\n192.0.2.2 slow.test\n' >>"$WORK/hosts"
	start_server 80 ok
	dead_end there first "ip6 daddr 2001:db8::2 tcp dport 80" drop
	URL=http://slow.test/ at_once is_well by_curl by_asyncio
	[ "$(met there first)" -ge 10 ]
}

# ---- and back ----

# Whoever comes after the wait is a probe, and two that succeed close it.
recovers() {
	eventually all 1 good by_curl
	all 1 good by_curl
	[ "$(changes | tail -n 2 | xargs)" = "OPEN HALF_OPEN HALF_OPEN CLOSED" ]
}

@test "a network heals: probes into the dark keep the breaker open, and the first in the light close it" {
	start_networks
	start_server 80 ok
	dead_end there hole "tcp dport 80" drop
	export INTERLOCK_WAIT_DURATION_IN_OPEN=1s INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN=2
	PATIENCE=0.6
	trips by_curl
	reopened() { all 1 bad by_curl && changes | grep -q "HALF_OPEN OPEN"; }
	eventually reopened
	heals there
	PATIENCE=60
	recovers
	: >"$LOG"
	is_well by_curl
}
