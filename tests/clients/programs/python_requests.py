import sys, requests
print(requests.get(sys.argv[1], timeout=float(sys.argv[2])).text, end="")
