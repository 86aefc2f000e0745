"""Clients of databases and other stores."""
from client import client

client("redis-cli", "redis-cli -h {host} -p {port} ping", "timeout 2 redis-cli -h {host} -p {port} ping",
       "redis-tools redis-server", server="redis", says="PONG", quick=True,
       remark="has no time-out: killed by timeout(1)")
BENCHMARK = "redis-benchmark -h {host} -p {port} -k 0 -c 1 -n 10 -t ping_mbulk -q"
client("redis-benchmark", BENCHMARK, "timeout 2 " + BENCHMARK, "redis-tools redis-server", server="redis",
       says="requests per second", blur=((r"[\d.]+ requests.*|.*\r", "N"),), runs=2, calls=11, dead=False,
       remark="a connection for each request; refused, it hangs by itself; killed by timeout(1)")
HIREDIS = "{work}/hiredis {host} {port} "
client("libhiredis", HIREDIS + "30", HIREDIS + "1", "libhiredis-dev redis-server", server="redis", says="PONG",
       build=("cc -o {work}/hiredis {here}/programs/hiredis.c -lhiredis",))

PSQL = "psql -h {host} -p {port} -U postgres -Atc select(6*7)"
SOON = {"PGCONNECT_TIMEOUT": "2"}  # the shortest that libpq takes
client("psql", PSQL, PSQL, "postgresql-client postgresql", server="postgresql", says="42", env=SOON)
client("psql over TLS", PSQL, PSQL, "postgresql-client postgresql", ("tls12", "tls13"), "postgresql-tls",
       says="42", remark="asks for TLS in its own protocol",
       env={**SOON, "PGSSLMODE": "require", "PGSSLMAXPROTOCOLVERSION": {"tls12": "TLSv1.2", "tls13": ""}})
PGBENCH = "pgbench -h {host} -p {port} -U postgres -n -C -f {work}/one.sql -t 5 postgres"
client("pgbench", PGBENCH, PGBENCH, "postgresql", server="postgresql", env=SOON, runs=2, calls=6, tries=8,
       files={"one.sql": "select 1;\n"}, says="processed: 5/5",
       blur=((r"(latency|tps|average|initial).*", ""),), remark="a connection for each transaction")

MARIADB = "mariadb --no-defaults -h {host} -P {port} -e 'select 6*7'"
client("mariadb", MARIADB, MARIADB + " --connect-timeout=2", "mariadb-client mariadb-server", server="mariadb", says="42",
       blur=((r"\(1\d\d\)", "(errno)"),))
for scheme, version in (("tls12", "TLSv1.2"), ("tls13", "TLSv1.3")):
    command = MARIADB + " --ssl --tls-version=" + version
    client("mariadb over " + version, command, command + " --connect-timeout=2",
           "mariadb-client mariadb-server", (scheme,), "mariadb", says="42",
           blur=((r"\(1\d\d\)", "(errno)"),), remark="TLS after the server's greeting")
client("libmemcached", "memcping --servers={host}:{port}", "memcping --servers={host}:{port}",
       "libmemcached-tools memcached", server="memcached", says="")
client("mosquitto_pub", "mosquitto_pub -h {host} -p {port} -q 1 -t a -m hello",
       "timeout 2 mosquitto_pub -h {host} -p {port} -q 1 -t a -m hello", "mosquitto-clients mosquitto",
       server="mosquitto", says="", remark="has no time-out: killed by timeout(1)")
LDAPSEARCH = "ldapsearch -x -LLL -H ldap://{host}:{port} -s base -b '' supportedLDAPVersion"
client("ldapsearch", LDAPSEARCH, "env LDAPTIMEOUT=1 LDAPNETWORK_TIMEOUT=1 " + LDAPSEARCH, "ldap-utils slapd",
       server="slapd", says="supportedLDAPVersion: 3")
