"""The runner behind a device that counts its energy.

  energy_runner.py COMMAND…

Hands requests on to the runner of COMMAND, says in its `hello` that energy can be measured, and answers `energy` itself: the
original uses up 1 mJ a launch, BLOCK=512 half of that, BLOCK=64 twice as much, others as much. Of three problems in a row the
counter of KTUNE_TEST_STUCK=1 does not move.
"""
import json
import os
import subprocess
import sys

runner = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
problems = 0
for line in sys.stdin:
    request = json.loads(line)
    if request["request"] == "region":
        problems = len(request["problems"])
        checks = sum(problem.get("check", False) for problem in request["problems"])
    if request["request"] == "energy":
        answer = {"energies": []}
        for candidate in request["candidates"]:
            joules = 1e-3 * (0.5 if "BLOCK=512" in candidate["configuration"] else
                             2 if "BLOCK=64" in candidate["configuration"] else 1)
            answer["energies"].append([{"joules": joules, "error": 0.008, "seconds": 0.5, "launches": 1000, "steps": 10}] *
                                      (problems - checks) + [None] * checks)
        if os.environ.get("KTUNE_TEST_STUCK"):
            answer = {"error": "the energy counter of this device moved 0 times in 2.0 s of launches", "code": "limit"}
        print(json.dumps(answer), flush=True)
        continue
    runner.stdin.write(line)
    runner.stdin.flush()
    reply = json.loads(runner.stdout.readline())
    if request["request"] == "hello":
        reply["measures_energy"] = True
    print(json.dumps(reply), flush=True)
runner.stdin.close()
sys.exit(runner.wait())
