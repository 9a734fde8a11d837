#!/usr/bin/env python3
"""What a runner may do to the machine: confined.py RUNNER RECORDING; prints the limits of a running one."""
import json
import os
import subprocess
import sys

child = subprocess.Popen([sys.argv[1], "--replay", sys.argv[2], "--cpu-seconds", "7"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
child.stdin.write(json.dumps({"request": "hello", "protocol": 1}) + "\n")
child.stdin.flush()
assert "device" in json.loads(child.stdout.readline())
with open(f"/proc/{child.pid}/limits") as limits, open(f"/proc/{child.pid}/status") as status:
    for line in list(limits) + list(status):
        if line.startswith(("Max cpu time", "Max file size", "Max core file size", "NoNewPrivs")):
            print(" ".join(line.split()))
sockets = [os.readlink(f"/proc/{child.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{child.pid}/fd")]
print("sockets:", sum(one.startswith("socket:") for one in sockets))
child.stdin.close()
print("ends with", child.wait(10))
