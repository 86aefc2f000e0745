"""Clients of databases and other stores."""
from client import client

client("redis-cli", "redis-cli -h {host} -p {port} ping", "timeout 2 redis-cli -h {host} -p {port} ping",
       "redis-tools redis-server", server="redis", says="PONG", quick=True,
       remark="has no time-out: killed by timeout(1)")
