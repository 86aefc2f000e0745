"""What the shim cannot see, measured too: it is served, and no call is counted."""
import ctypes
import os

from client import client, requests


def is_root():
    return None if os.getuid() == 0 else "only root can make a program setuid"


def uring_is_forbidden():
    """Containers often forbid it."""
    setup, forbidden = 425, (1, 38)  # EPERM, ENOSYS
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(setup, 0, 0) == -1 and ctypes.get_errno() in forbidden:
        return "io_uring is forbidden here"
    return None


def unseen(name, command, why, packages="", **more):
    client(name, command, None, packages, unseen=why, remark="not seen: " + why, **more)


unseen("hey (go)", "hey -n 6 -c 1 {url}", "Go makes its system calls itself", "hey", says="200",
       runs=1, calls=6, served=requests, blur=((r"(?s).*", ""),))
unseen("busybox-static wget", "busybox wget -q -O - {url}", "static", "busybox-static")
unseen("a static program", "{work}/static {host} {port}", "static",
       build=("cc -static -o {work}/static {here}/programs/static.c",))
unseen("io_uring", "{work}/uring {host} {port}", "the kernel connects, sends and receives by itself",
       build=("cc -o {work}/uring {here}/programs/uring.c",), needs=uring_is_forbidden)
unseen("curl, setuid", "{work}/curl -sS {url}", "the loader ignores LD_PRELOAD", "curl", user=65534,
       needs=is_root, build=("cp /usr/bin/curl {work}/curl", "chmod 4755 {work}/curl"))
