import socket, sys
host, port, seconds = sys.argv[1:]
connection = socket.create_connection((host, int(port)), float(seconds) or None)
connection.sendall(b"GET / HTTP/1.0\r\nHost: x\r\n\r\n")
answer = b""
while more := connection.recv(4096):
    answer += more
print(answer.decode().split("\r\n\r\n")[1], end="")
