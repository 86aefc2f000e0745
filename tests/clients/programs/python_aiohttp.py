import asyncio, sys, aiohttp
async def get():
    limit = aiohttp.ClientTimeout(total=float(sys.argv[2]))
    async with aiohttp.ClientSession(timeout=limit) as session:
        async with session.get(sys.argv[1]) as answer:
            return await answer.text()
print(asyncio.run(get()), end="")
