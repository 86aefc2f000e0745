"""A long cable: joins two network interfaces, and holds each frame for so many milliseconds.

usage: delay.py MS INTERFACE INTERFACE      prints `ready` when it is
"""

import collections
import select
import socket
import sys
import time

SOL_PACKET, PACKET_VNET_HDR, PACKET_OUTGOING, ETH_P_ALL = 263, 15, 4, 3


def end_of(interface):
    end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    # Frames of a veth pair have no checksum yet, and several may have been joined to one. The kernel
    # says so in a header in front of each, and wants it back.
    end.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    end.bind((interface, ETH_P_ALL))
    return end


def main():
    delay = int(sys.argv[1]) / 1000
    left, right = end_of(sys.argv[2]), end_of(sys.argv[3])
    far = {left: right, right: left}
    held = collections.deque()  # (when due, where to, frame), the oldest first
    print("ready", flush=True)
    while True:
        rest = max(0, held[0][0] - time.monotonic()) if held else None
        for near in select.select(far, [], [], rest)[0]:
            frame, where = near.recvfrom(1 << 17)
            if where[2] != PACKET_OUTGOING:
                held.append((time.monotonic() + delay, far[near], frame))
        while held and held[0][0] <= time.monotonic():
            _, to, frame = held.popleft()
            to.send(frame)


main()
