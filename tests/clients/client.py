"""One entry of the suite: a real program and what is expected of it.

A command is a string that is split like a shell would split it, or a list. In it stand:

    {url}     the page (healthy), or below it what never answers (mute)
    {host}    127.0.0.1
    {port}    where the server is, was, or will be
    {front}   where the client itself listens, if it is a proxy
    {work}    a folder of this trial's own, where `files` were written and `build` was run
    {direct}  host:port of the server itself, which is always up; {direct_url}: its page
    {key}     a private key that the server takes, if it is one for keys
    {KIND}    the port of another server, one of `also`
    {here}    tests/clients
    {cert}    the certificate of the servers, to be trusted
"""
import dataclasses
import os
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMES = ("plain", "tls12", "tls13")
WEB = SCHEMES
CLIENTS = []  # in the order of the table


def connections(connections, requests):
    return connections


def requests(connections, requests):
    return requests


@dataclasses.dataclass
class Client:
    name: str
    run: typing.Union[str, list]   # one run while all is well
    mute: typing.Union[str, list, None] = None  # the same with its own time-out, short; None: has none
    packages: str = ""             # of Debian, separated by blanks
    schemes: tuple = ("plain",)
    server: str = "web"            # a key of servers.SERVERS
    also: tuple = ()               # other servers that it needs
    build: tuple = ()              # commands that make it
    runs: int = 6
    calls: typing.Union[int, dict] = 1  # in one run, or by scheme; None: as many as were served
    served: typing.Union[typing.Callable, dict] = connections  # which of the server's two counts is it
    says: str = "hello"            # a pattern: what a good run prints
    code: int = 0                  # how a good run ends
    left_behind: int = 0           # requests that it does not wait for at its end, at most
    warm: str = ""                 # a run of one call, before it becomes mute; default: run
    blur: tuple = ()               # (pattern, replacement): what may differ from run to run
    env: dict = dataclasses.field(default_factory=dict)  # a value may be a dict by scheme
    files: dict = dataclasses.field(default_factory=dict)  # name: text, written into {work}
    input: str = ""
    tries: int = 4                 # connects that one rejected run makes at most
    mute_schemes: tuple = ()       # where its time-out works; empty: everywhere
    mute_spare: dict = dataclasses.field(default_factory=dict)  # SUCCESSes beside each time-out, by scheme
    mute_unseen: bool = False      # nobody can see that it waits: no FAILURE
    dead: bool = True              # False: it cannot stand being refused, with or without the shim
    probes: int = 2                # permitted
    daemon: typing.Callable = None  # the client is a server itself: see families/proxies.py
    quick: bool = False            # also part of `make check`
    unseen: str = ""               # why nothing of it is seen; then 0 calls are expected
    user: typing.Optional[int] = None  # run as this user; needs root
    needs: typing.Callable = None  # returns why it cannot run here, or nothing
    remark: str = ""

    def calls_of(self, scheme):
        calls = self.calls[scheme] if isinstance(self.calls, dict) else self.calls
        return None if calls is None else calls * self.runs


    def served_of(self, scheme):
        return self.served[scheme] if isinstance(self.served, dict) else self.served


def client(*args, **kwargs):
    """Adds an entry."""
    CLIENTS.append(Client(*args, **kwargs))


def program(name):
    """The path of a client of our own, in tests/clients/programs."""
    return os.path.join(HERE, "programs", name)
