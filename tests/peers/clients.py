"""Runs a client of this folder: clients.py MODULE.FUNCTION PORT PATIENCE [MORE...] [--times N | --step] [--sick]

The function gets the port, its patience in seconds, and what more there is as words, and raises if it did not get what it should.
In sick weather that is expected, and the next conversation begins. --step: it begins when a line is
read, and `talked` is printed when it is over.
"""
import argparse
import gc
import importlib
import os
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what")
    parser.add_argument("port", type=int)
    parser.add_argument("patience", type=float)
    parser.add_argument("more", nargs="*")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--step", action="store_true")
    parser.add_argument("--sick", action="store_true")
    args = parser.parse_args()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    module, function = args.what.split(".")
    talk = getattr(importlib.import_module(module), function)
    for _ in sys.stdin if args.step else range(args.times):
        try:
            talk(args.port, args.patience, *args.more)
        except (TypeError, NameError, AttributeError, ImportError):
            raise  # a mistake in the client
        except Exception:
            if not args.sick:
                raise
        gc.collect()  # closes what the client forgot
        if args.step:
            print("talked", flush=True)


if __name__ == "__main__":
    main()
