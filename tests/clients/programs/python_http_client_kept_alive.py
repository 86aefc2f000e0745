import http.client, sys, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
connection = kind(url.hostname, url.port, timeout=float(sys.argv[2]))
for _ in range(10):
    connection.request("GET", url.path)
    print(connection.getresponse().read().decode(), end="")
