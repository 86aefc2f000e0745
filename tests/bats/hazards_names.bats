#!/usr/bin/env bats
# Who looked the name up, and which of several names an address is called by.

load helper

prepare() {
	watched names
	start_peer ok
}

@test "a look-up in another thread: the destination has its name" {
	LD_PRELOAD=$SHIM timeout 60 /usr/bin/python3 -c 'import socket, sys, threading
port = int(sys.argv[1])
resolver = threading.Thread(target=socket.getaddrinfo, args=("localhost", port, socket.AF_INET))
resolver.start()
resolver.join()
with socket.create_connection(("127.0.0.1", port)) as connection:
    connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
    connection.recv(100)' "$PORT" 3>&-
	are_all_good 1
	grep -q " call breaker=localhost:$PORT " "$LOG"
}

@test "a look-up that nobody here made (another process, a resolver of its own): named by the address, and protected" {
	stop_peer
	times 6 /usr/bin/python3 -c 'import os, socket, sys
ours, its = os.pipe()
if os.fork() == 0:
    os.write(its, socket.getaddrinfo("localhost", 0, socket.AF_INET)[0][4][0].encode())
    os._exit(0)
socket.socket().connect((os.read(ours, 100).decode(), int(sys.argv[1])))' "$PORT"
	[ "$(outcomes FAILURE)" -eq 5 ]
	[ "$(grep -c " call breaker=127.0.0.1:$PORT " "$LOG")" -eq 5 ]
	grep -q " rejected breaker=127.0.0.1:$PORT " "$LOG"
}

# with_hosts LINES SCRIPT: runs the script where these are all hosts that there are.
with_hosts() {
	[ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null || skip "needs root and namespaces"
	printf '%b' "$1" >"$WORK/hosts"
	SHIM=$SHIM PORT=$PORT HOSTS=$WORK/hosts unshare --mount --propagation private sh -c "
		mount --bind \"\$HOSTS\" /etc/hosts || exit 77
		$2" >"$WORK/out" 2>"$WORK/errors" 3>&- ||
		{ [ $? -eq 77 ] && skip "cannot mount over /etc/hosts"; false; }
}

@test "two names of one address: each call counts for the name that was looked up last" {
	with_hosts '127.0.0.1 one.shop.test two.shop.test\n' '
		for name in one two one; do
			LD_PRELOAD=$SHIM curl -sS "http://$name.shop.test:$PORT/" || exit 1
		done'
	are_all_good 3
	[ "$(grep -c " call breaker=one.shop.test:$PORT " "$LOG")" -eq 2 ]
	[ "$(grep -c " call breaker=two.shop.test:$PORT " "$LOG")" -eq 1 ]
}

@test "a name with two addresses that are both dead is one failure each time, not two" {
	stop_peer
	with_hosts '::1 both.shop.test\n127.0.0.1 both.shop.test\n' '
		for i in 1 2 3 4 5; do
			! LD_PRELOAD=$SHIM curl -sS "http://both.shop.test:$PORT/" || exit 1
		done'
	[ "$(outcomes FAILURE)" -eq 5 ]
	[ "$(outcomes '[A-Z_]*')" -eq 5 ]
	[ "$(changes)" = "CLOSED OPEN" ]
}
