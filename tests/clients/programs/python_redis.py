import sys, redis
host, port, seconds = sys.argv[1:]
store = redis.Redis(host=host, port=int(port), socket_timeout=float(seconds))
store.set("key", "hello")
print(store.get("key"))
