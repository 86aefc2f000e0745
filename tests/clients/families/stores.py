"""Clients of databases and other stores."""
from client import client

client("redis-cli", "redis-cli -h {host} -p {port} ping", "timeout 2 redis-cli -h {host} -p {port} ping",
       "redis-tools redis-server", server="redis", says="PONG", quick=True,
       remark="has no time-out: killed by timeout(1)")
client("redis-benchmark", "redis-benchmark -h {host} -p {port} -k 0 -c 1 -n 10 -t ping_mbulk -q",
       "timeout 2 redis-benchmark -h {host} -p {port} -k 0 -c 1 -n 10 -t ping_mbulk -q", "redis-tools redis-server",
       server="redis", says="requests per second", blur=((r"[\d.]+ requests.*|.*\r", "N"),), runs=2, calls=11, dead=False,
       remark="a connection for each request; refused, it hangs by itself; killed by timeout(1)")
client("libhiredis", "{work}/hiredis {host} {port} 30", "{work}/hiredis {host} {port} 1", "libhiredis-dev redis-server",
       server="redis", build=("cc -o {work}/hiredis {here}/programs/hiredis.c -lhiredis",), says="PONG")

PSQL = "psql -h {host} -p {port} -U postgres -Atc select(6*7)"
client("psql", PSQL, PSQL, "postgresql-client postgresql", server="postgresql", says="42", env={"PGCONNECT_TIMEOUT": "2"})
client("psql over TLS", PSQL, PSQL, "postgresql-client postgresql", ("tls12", "tls13"), "postgresql-tls", says="42",
       env={"PGCONNECT_TIMEOUT": "2", "PGSSLMODE": "require", "PGSSLMAXPROTOCOLVERSION": {"tls12": "TLSv1.2", "tls13": ""}},
       remark="asks for TLS in its own protocol")
client("pgbench", "pgbench -h {host} -p {port} -U postgres -n -C -f {work}/one.sql -t 5 postgres",
       "pgbench -h {host} -p {port} -U postgres -n -C -f {work}/one.sql -t 5 postgres", "postgresql",
       server="postgresql", files={"one.sql": "select 1;\n"}, runs=2, calls=6, tries=8, says="processed: 5/5",
       env={"PGCONNECT_TIMEOUT": "2"}, blur=((r"(latency|tps|average|initial).*", ""),),
       remark="a connection for each transaction")

client("mariadb", "mariadb --no-defaults -h {host} -P {port} -e 'select 6*7'",
       "mariadb --no-defaults --connect-timeout=2 -h {host} -P {port} -e 'select 6*7'", "mariadb-client mariadb-server",
       server="mariadb", says="42",
       blur=((r"\(1\d\d\)", "(errno)"),))
MARIADB = "mariadb --no-defaults --ssl --tls-version={tls} -h {host} -P {port} -e 'select 6*7'"
for scheme, version in (("tls12", "TLSv1.2"), ("tls13", "TLSv1.3")):
    run = MARIADB.replace("{tls}", version)
    client("mariadb over " + version, run, run.replace("--ssl", "--connect-timeout=2 --ssl"),
           "mariadb-client mariadb-server", (scheme,), "mariadb", says="42", blur=((r"\(1\d\d\)", "(errno)"),),
           remark="TLS after the server's greeting")
client("libmemcached", "memcping --servers={host}:{port}", "memcping --servers={host}:{port}",
       "libmemcached-tools memcached", server="memcached", says="")
client("mosquitto_pub", "mosquitto_pub -h {host} -p {port} -q 1 -t a -m hello",
       "timeout 2 mosquitto_pub -h {host} -p {port} -q 1 -t a -m hello", "mosquitto-clients mosquitto",
       server="mosquitto", says="", remark="has no time-out: killed by timeout(1)")
client("ldapsearch", "ldapsearch -x -LLL -H ldap://{host}:{port} -s base -b ''  supportedLDAPVersion",
       "env LDAPTIMEOUT=1 LDAPNETWORK_TIMEOUT=1 ldapsearch -x -LLL -H ldap://{host}:{port} -s base -b '' supportedLDAPVersion",
       "ldap-utils slapd", server="slapd", says="supportedLDAPVersion: 3")
