"""Starts a command in a session of its own and kills all that is in it after some seconds.

usage: kill_session.py SECONDS COMMAND…
"""
import os
import signal
import subprocess
import sys
import time


def members(leader):
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                ended = file.read().rpartition(")")[2].split()[0] == "Z"
            if os.getsid(int(name)) == leader and not ended:
                yield int(name)
        except OSError:
            pass


with subprocess.Popen(sys.argv[2:], start_new_session=True, stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL) as child:
    time.sleep(float(sys.argv[1]))
    # One may have started another in the meantime.
    while found := list(members(child.pid)):
        for process in found:
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.02)
