"""Databases and caches: PostgreSQL, MySQL, LDAP, Redis, memcached."""
import protocol_ldap
import protocol_memcached
import protocol_mysql
import protocol_postgres
import protocol_redis
from conversation import Expect
from script import Scripted

GREETER_PATIENCE_S = 1.3

ONE = Expect(1, why="log-in, first request and good-bye are one call")
MUTE = Expect(1, "FAILURE", True, "an answer that is waited for in vain is a failure")
NO_GREETING = Expect(1, "FAILURE", True, "so is a greeting, after a second")
LATE = Expect(1, "FAILURE", True, "what goes wrong in the opening amends its success")
LATE_IN_LOOP = Expect(
    1, "SUCCESS", False, "an event loop waits for everything: after an answer that proves nothing"
)
CUT = Expect(1, "SUCCESS", False, "an answer came; only plain HTTP tells its length")


def late_query(healthy):
    """The opening went well, and a later query is asked in vain."""
    return Expect(1, "FAILURE", True, "each later request is a call", first=healthy)


def weathers(healthy=ONE, mute=MUTE, late=LATE, cut=CUT):
    return {"healthy": healthy, "mute": mute, "late": late, "cut": cut}


def pool(late, **more):
    """One opening and two later requests; the first of them meets the weather."""
    return {"pauses": True, "healthy_answers": 1, "late_is": "mute at a later request"} | more | {
        "expect": {
            "healthy": Expect(3, why="each later request is a call"),
            "late": late,
            "cut": Expect(2, "SUCCESS", False, CUT.why),
        }
    }


POOL = pool(late_query(1))
POOL_IN_LOOP = pool(Expect(1, "SUCCESS", False, LATE_IN_LOOP.why), primed=True)
LOOP = {"primed": True, "expect": weathers(late=LATE_IN_LOOP)}
BLOCKING = {"expect": weathers()}

ROWS = [
    Scripted("postgres", "PostgreSQL: log-in, a query, Terminate (python)",
             peer=protocol_postgres.server, client="protocol_postgres.blocking_session", **BLOCKING),
    Scripted("postgres loop", "PostgreSQL: log-in, a query, Terminate (asyncio)",
             peer=protocol_postgres.server, client="protocol_postgres.looping_session", **LOOP),
    Scripted("postgres to the end", "PostgreSQL: the same, and waits for the server to hang up (python)",
             peer=protocol_postgres.server, client="protocol_postgres.blocking_to_the_end",
             expect={"healthy": ONE}),
    Scripted("postgres to the end loop",
             "PostgreSQL: the same, and waits for the server to hang up (asyncio, like asyncpg)",
             peer=protocol_postgres.server, client="protocol_postgres.looping_to_the_end",
             expect={"healthy": ONE}),
    Scripted("postgres pool", "PostgreSQL: a query at once and two later ones (python)",
             peer=protocol_postgres.server, client="protocol_postgres.blocking_pool", **POOL),
    Scripted("postgres pool loop", "PostgreSQL: a query at once and two later ones (asyncio)",
             peer=protocol_postgres.server, client="protocol_postgres.looping_pool", **POOL_IN_LOOP),
    Scripted("postgres spare", "PostgreSQL: a pool's spare connection, logged in and never used",
             peer=protocol_postgres.server, client="protocol_postgres.looping_spare", pauses=True,
             expect={"healthy": Expect(1, why="the log-in is the call")}),
    Scripted("mysql", "MySQL: greeting, log-in, a query, COM_QUIT (python)",
             peer=protocol_mysql.server, client="protocol_mysql.blocking_session",
             patience_s=GREETER_PATIENCE_S, expect=weathers(mute=NO_GREETING)),
    Scripted("mysql loop", "MySQL: greeting, log-in, a query, COM_QUIT (asyncio)",
             peer=protocol_mysql.server, client="protocol_mysql.looping_session", primed=True,
             patience_s=GREETER_PATIENCE_S,
             expect=weathers(mute=NO_GREETING, late=LATE_IN_LOOP)),
    Scripted("mysql pool", "MySQL: later a ping and a query, twice",
             peer=protocol_mysql.server, client="protocol_mysql.blocking_pool", pauses=True,
             expect={"healthy": Expect(5, why="")}),
    Scripted("ldap", "LDAP: bind, search, unbind (python)",
             peer=protocol_ldap.server, client="protocol_ldap.blocking_session", **BLOCKING),
    Scripted("ldap loop", "LDAP: bind, search, unbind (asyncio)",
             peer=protocol_ldap.server, client="protocol_ldap.looping_session", **LOOP),
    Scripted("ldap pool", "LDAP: a search at once and two later ones",
             peer=protocol_ldap.server, client="protocol_ldap.blocking_pool", **POOL),
    Scripted("memcached", "memcached: set, get, quit (python)",
             peer=protocol_memcached.server, client="protocol_memcached.blocking_session",
             late_is="mute after the first answer", **BLOCKING),
    Scripted("memcached loop", "memcached: set, get, quit (asyncio)",
             peer=protocol_memcached.server, client="protocol_memcached.looping_session",
             late_is="mute after the first answer", **LOOP),
    Scripted("memcached pool", "memcached: a get at once and two later ones",
             peer=protocol_memcached.server, client="protocol_memcached.blocking_pool", **POOL),
    Scripted("memcached pool loop", "memcached: a get at once and two later ones (asyncio)",
             peer=protocol_memcached.server, client="protocol_memcached.looping_pool",
             **POOL_IN_LOOP),
    Scripted("redis", "Redis: log-in, 51 pipelined commands (python)",
             peer=protocol_redis.server, client="protocol_redis.blocking_pipeline", **BLOCKING),
    Scripted("redis loop", "Redis: log-in, 51 pipelined commands (asyncio)",
             peer=protocol_redis.server, client="protocol_redis.looping_pipeline", **LOOP),
    Scripted("redis subscriber", "Redis: SUBSCRIBE, three messages, a wait in vain, close",
             peer=protocol_redis.server, client="protocol_redis.blocking_subscriber", pauses=True,
             expect=weathers(healthy=Expect(1, why="what is pushed answers nobody"))),
    Scripted("redis subscriber loop",
             "Redis: SUBSCRIBE, three messages, a wait in vain, close (asyncio)",
             peer=protocol_redis.server, client="protocol_redis.looping_subscriber", pauses=True,
             primed=True, expect=weathers(healthy=Expect(1, why="what is pushed answers nobody"),
                                          late=LATE_IN_LOOP)),
    Scripted("redis worker", "Redis: three times BLPOP, each answered after 200 ms",
             peer=protocol_redis.server, client="protocol_redis.blocking_worker", pauses=True,
             expect=weathers(healthy=Expect(1, why="each follows at once on an answer"))),
    Scripted("redis pool", "Redis: log-in, and two later requests",
             peer=protocol_redis.server, client="protocol_redis.blocking_pooled", pauses=True,
             late_is="mute at a later request",
             expect={"healthy": Expect(3, why="each later request is a call"),
                     "late": late_query(1)}),
]
