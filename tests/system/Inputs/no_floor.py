#!/usr/bin/env python3
"""A runner whose copies never end: starts the real one and answers for it where the floor is asked for."""
import json
import subprocess
import sys

child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    if json.loads(line)["request"] == "floor":
        reply = json.dumps({"error": "the copies did not end", "code": "device"}) + "\n"
    else:
        child.stdin.write(line)
        child.stdin.flush()
        reply = child.stdout.readline()
    sys.stdout.write(reply)
    sys.stdout.flush()
