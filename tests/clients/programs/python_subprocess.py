import http.client, subprocess, sys, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
connection = kind(url.hostname, url.port, timeout=float(sys.argv[2]))
connection.connect()
print(subprocess.run(["echo", "from a child"], capture_output=True, text=True).stdout, end="")
connection.request("GET", url.path, headers={"Connection": "close"})
print(subprocess.run(["echo", "from another"], capture_output=True, text=True).stdout, end="")
print(connection.getresponse().read().decode(), end="")
