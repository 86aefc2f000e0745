"""Runs a client of this folder: clients.py MODULE.FUNCTION PORT PATIENCE [--times N] [--sick]

The function gets the port and its patience in seconds, and raises if it did not get what it should.
In sick weather that is expected, and the next conversation begins.
"""
import argparse
import importlib
import os
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what")
    parser.add_argument("port", type=int)
    parser.add_argument("patience", type=float)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--sick", action="store_true")
    args = parser.parse_args()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    module, function = args.what.split(".")
    talk = getattr(importlib.import_module(module), function)
    for _ in range(args.times):
        try:
            talk(args.port, args.patience)
        except (TypeError, NameError, AttributeError, ImportError):
            raise  # a mistake in the client
        except Exception:
            if not args.sick:
                raise


if __name__ == "__main__":
    main()
