import ssl, sys, httpx
print(httpx.get(sys.argv[1], timeout=float(sys.argv[2]), verify=ssl.create_default_context()).text, end="")
