"""Kills a command at several instants and looks for what it left behind.

usage: kill.py TMPDIR OBJECT COMMAND…

Each run has its own $TMPDIR. The command is killed alone, not its group, so
that what it started has to notice by itself.
"""
import os
import shutil
import signal
import subprocess
import sys
import time


def left_over(mark):
    """Processes that still carry the mark in their environment; zombies have none."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if mark in file.read():
                    found.append(name)
        except OSError:
            pass
    return found


def run(number, how, delay, folder, target, command):
    temporary = os.path.join(folder, f"{how.name}-{number}")
    os.makedirs(temporary)
    cache = os.path.join(temporary + ".cache")
    environment = dict(os.environ, TMPDIR=temporary, KTUNE_CACHE_DIR=cache)
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True) as child:
        time.sleep(delay)
        child.send_signal(how)
        if child.wait() != -how:
            return f"{how.name} after {delay} s: it ended before"
    until = time.monotonic() + 3
    while True:
        rest = [name for name in os.listdir(temporary) if name.startswith("ktcc.")]
        orphans = left_over(b"TMPDIR=" + temporary.encode())
        if not rest and not orphans:
            break
        if time.monotonic() > until:
            return f"{how.name} after {delay} s: left {rest} and {orphans}"
        time.sleep(0.05)
    if os.path.exists(target):
        return f"{how.name} after {delay} s: an object"
    return None


def main():
    folder, target, *command = sys.argv[1:]
    shutil.rmtree(folder, ignore_errors=True)
    number, failures = 0, []
    for how in (signal.SIGKILL, signal.SIGTERM):
        for delay in (0.1, 0.35, 0.6):
            number += 1
            failures.append(run(number, how, delay, folder, target, command))
    for line in filter(None, failures):
        print(line)


main()
