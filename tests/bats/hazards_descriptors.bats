#!/usr/bin/env bats
# Descriptors are numbers that come to stand for something else, in ways that no hook sees, in other
# threads, and by many names. docs/hazards.md says where these tests come from.

load helper

prepare() {
	watched descriptors
	HAZARD=$OUT/tests/bats/hazard
}

# The outcomes of all calls to the port, in order.
outcomes_of() { sed -nE "s/.* (call|amended) breaker=127.0.0.1:$1 outcome=([A-Z_]*) .*/\2/p" "$LOG" | xargs; }

@test "a number closed unseen and used for a file: what the file says is not the connection's" {
	start_peer echo
	run_twice "$HAZARD" number_to_file "$PORT"
	[[ $output == *"same 1"* ]]
	[ "$(outcomes_of "$PORT")" = SUCCESS ]
}

@test "a number closed unseen in the middle of a call: neither end of file nor EPIPE of a pipe fails it" {
	start_peer mute
	run_twice "$HAZARD" number_to_pipe "$PORT"
	[[ $output == *"same 1 read 0"* && $output == *"write -1 errno 32"* ]]
	[ -z "$(changes)" ]
	[ "$(outcomes '[A-Z_]*FAILURE')" -eq 0 ]
	"$OUT/tests/state" "$INTERLOCK_RUNTIME_DIR" descriptors | grep -q "^127.0.0.1:$PORT CLOSED"
}

@test "a number closed unseen and used for another socket: two calls, and UDP is none" {
	start_peer echo
	run_twice "$HAZARD" number_to_socket "$PORT"
	[[ $output == *"same 1"*"same 1"* ]]
	[ "$(outcomes_of "$PORT")" = "SUCCESS SUCCESS" ]
}

@test "a copied descriptor: seven forms of dup keep the connection, and a failure on the copy counts" {
	start_peer echo
	run_twice "$HAZARD" dups "$PORT"
	are_all_good 7
	start_peer mute
	INTERLOCK_MINIMUM_NUMBER_OF_CALLS=8 run_twice "$HAZARD" dups "$PORT"
	[ "$(outcomes FAILURE)" -eq 7 ]
}

@test "bash's exec 3<>, read and closed: one call" {
	start_peer greet
	times 5 bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT; exec 4<&3; exec 3<&-
		read -r line <&4; echo QUIT >&4; exec 4>&-"
	are_all_good 5
}

@test "java closes under a waiting thread by a dup2 of its marker: one call, given up in vain" {
	start_peer mute
	run_twice "$HAZARD" closed_by_marker "$PORT"
	[[ $output == *"interrupted 1"* ]]
	[ "$(outcomes_of "$PORT")" = FAILURE ]
}

@test "close tells the truth, of a watched connection and of a number that is none any more" {
	start_peer echo
	run_twice "$HAZARD" dups "$PORT"
	[ "$(grep -c "'hello'" <<<"$output")" -eq 7 ]
	[ "$(grep -cx '0 -1' <<<"$output")" -eq 7 ]
	are_all_good 7
}

@test "another thread's descriptor: what is received on a number after its close is not the next connection's" {
	start_peer slow=1500
	local late=$PORT
	start_peer mute
	run_twice "$HAZARD" closed_by_another "$late" "$PORT"
	[[ $output == *"same 1"* && $output != *"got -1"* ]]
	[ "$(outcomes_of "$PORT")" = FAILURE ]
}

@test "an epoll that holds the socket before it connects hears of everything" {
	start_peer echo
	run_twice "$HAZARD" epolls "$PORT"
	[[ $output == *"gone 0"* ]]
	are_all_good 1
}

@test "O_NONBLOCK is the program's: as it was set before and after a connect, also a rejected one" {
	closed_port
	run_twice "$HAZARD" flags "$PORT"
	grep -q ' rejected ' "$LOG"
}

@test "every descriptor closed (closefrom): the program's next connection is watched" {
	start_peer echo
	run_twice "$OUT/tests/bats/rare" closes_all "$PORT"
	are_all_good 2
}

@test "accepted sockets are nobody's calls: nginx as server and proxy at once" {
	start_peer ok
	local backend=$PORT _
	closed_port
	local dead=$PORT
	closed_port
	proxy_config "$PORT" "$backend" "$dead" >"$WORK/nginx.conf"
	LD_PRELOAD=$SHIM /usr/sbin/nginx -p "$WORK" -c "$WORK/nginx.conf" -e "$WORK/nginx.err" 3>&- &
	PEERS+=("$!")
	eventually curl -sf "http://127.0.0.1:$PORT/up"
	: >"$LOG"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(curl -s "http://127.0.0.1:$PORT/backend")" = hello ]
		curl -s "http://127.0.0.1:$PORT/up" >"$WORK/body"
	done
	are_all_good 10
	[ "$(outcomes_of "$backend" | wc -w)" -eq 10 ]
	for _ in 1 2 3 4 5 6 7; do
		[ "$(curl -s -o "$WORK/body" -w '%{http_code}' "http://127.0.0.1:$PORT/dead")" = 502 ]
	done
	[ "$(outcomes_of "$dead" | wc -w)" -eq 5 ]
	[ "$(changes)" = "CLOSED OPEN" ]
}

# proxy_config PORT BACKEND DEAD
proxy_config() {
	local temp
	echo "daemon off; user root; worker_processes 1; pid $WORK/nginx.pid; error_log $WORK/nginx.err;"
	echo "env INTERLOCK_LOG; events { worker_connections 64; } http { access_log off;"
	for temp in client_body proxy fastcgi uwsgi scgi; do echo "${temp}_temp_path $WORK/$temp;"; done
	echo "server { listen 127.0.0.1:$1; location /up { return 200 up; }"
	echo "location /backend { proxy_pass http://127.0.0.1:$2; }"
	echo "location /dead { proxy_pass http://127.0.0.1:$3; } } }"
}
