"""restarted.py KTCC FILE FOLDER: candidates that end the runner cost themselves and no time (pretend.py).

Opening the device takes OPEN_S. About every sixth configuration ends the runner, some of them one after the other: the
first end waits for another runner, later ones find one that has opened the device already.
"""
import json
import os
import shutil
import subprocess
import sys

ktcc, source, folder = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
OPEN_S, DELAY_S, TRIALS = 0.5, 0.15, 80

shutil.rmtree(folder, ignore_errors=True)
os.makedirs(f"{folder}/lock")
environment = dict(os.environ, KTUNE_CACHE_DIR=f"{folder}/cache", KTUNE_LOCK_DIR=f"{folder}/lock", KTUNE_LOG=f"{folder}/log",
                   KTUNE_SANITIZE="off", KTUNE_BACKEND="opencl",
                   KTUNE_RUNNER_LAUNCHER=f"{sys.executable} {here}/pretend.py {folder} delay={DELAY_S} open={OPEN_S} dies=128")
done = subprocess.run([ktcc, "tune", "--json", "--strategy", "random", "--budget", f"{TRIALS}n,120s", source], env=environment,
                      capture_output=True, text=True)
assert done.returncode == 0, done.stderr
answer = json.loads(done.stdout)[0]
with open(f"{folder}/asked.jsonl") as log:
    asked = sorted((json.loads(line) for line in log), key=lambda each: each["begin"])
deaths = [each for each in asked if each["request"] == "death"]
tries = [each for each in asked if each["request"] == "try"]
# A candidate that ends it is asked for once.
configurations = [each["configuration"] for each in deaths]
assert len(deaths) == len(set(configurations)) >= 6, len(deaths)
winner = " ".join(f"{name}={value}" for name, value in answer["entry"]["configuration"].items())
assert answer["tried"] == TRIALS and winner not in configurations, (winner, answer)
# From its end to the next candidate, which may end the next one as well.
costs = []
for death in deaths:
    following = [each["begin"] for each in tries + deaths if each["begin"] > death["end"]]
    costs.append(min(following) - death["end"])
costs = sorted(costs[1:])
soon = [cost for cost in costs if cost < OPEN_S]
print(f"{len(deaths)} ends; the next candidate after {costs[len(costs) // 2]:.2f} s, {costs[-1]:.2f} s at most", flush=True)
# Ends in a row may come faster than others open the device, and a busy machine starts none of them in time.
assert len(soon) > len(costs) / 2, costs
# All in one tuning: no runner but those that took over, and two in wait.
runners = len({each["pid"] for each in asked})
assert runners <= len(deaths) + 3, runners
