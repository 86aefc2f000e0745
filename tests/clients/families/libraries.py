"""Programs of our own, each with another library's event loop."""
from client import client


def library(name, package, flags, last="", **more):
    """programs/NAME.c takes where, the time-out in seconds, and `last`."""
    made = "{work}/" + name
    client(name, made + " {host} {port} 30" + last, made + " {host} {port} 1" + last, package,
           build=(f"cc -o {made} {{here}}/programs/{name}.c {flags}",), **more)


library("libevent", "libevent-dev", "-levent")
library("libuv", "libuv1-dev", "-luv")
library("c-ares", "libc-ares-dev", "-lcares", also=("dns",), last=" {dns}")
