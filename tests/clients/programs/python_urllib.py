import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1], timeout=float(sys.argv[2])).read().decode(), end="")
