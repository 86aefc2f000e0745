import asyncio, sys
from tornado.httpclient import AsyncHTTPClient
async def get():
    limit = float(sys.argv[2])
    answer = await AsyncHTTPClient().fetch(sys.argv[1], connect_timeout=limit, request_timeout=limit)
    return answer.body.decode()
print(asyncio.run(get()), end="")
