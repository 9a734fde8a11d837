"""Writes what a process was given to a file: descriptors, environment, signals, limits, mask, folder, group.

usage: record.py FILE
"""
import json
import os
import resource
import signal
import sys


def descriptor(number):
    try:
        return os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        return None


given = {
    "descriptors": {number: descriptor(number) for number in range(3, 20) if descriptor(number)},
    "streams": [descriptor(number) is not None for number in range(3)],
    "input": descriptor(0),
    "environment": {name: value for name, value in os.environ.items() if name not in ("KTUNE_INSIDE", "_", "FAKE_MARK",
                                                                                      "KTUNE_CACHE_DIR")},
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    # SIGXFSZ is python's own; python ignores SIGPIPE as well, and says of it what was before in no way.
    "ignored": [number for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGCHLD, signal.SIGQUIT)
                if signal.getsignal(number) == signal.SIG_IGN],
    "files": resource.getrlimit(resource.RLIMIT_NOFILE),
    "core": resource.getrlimit(resource.RLIMIT_CORE),
    "mask": os.umask(0),
    "folder": os.getcwd(),
    "logical": os.environ.get("PWD"),
    "own_group": os.getpgid(0) == os.getpid(),
    "own_session": os.getsid(0),
}
with open(sys.argv[1], "w") as out:
    json.dump(given, out)
