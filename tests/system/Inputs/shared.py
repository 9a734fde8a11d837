"""shared.py KTCC FILE FOLDER: builds that tune on one device at a time, with runners that pretend (pretend.py).

Each kernel tunes in a process of its own, and a request about a candidate takes DELAY_S. Nobody's request may overlap
another's, the device must not stand still while somebody wants it, and each gets as much of it as the others.
"""
import json
import os
import shutil
import subprocess
import sys
import time

ktcc, source, folder = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
BUILDS, DELAY_S, TRIALS = 4, 0.1, 25
UUID = f"GPU-pretended-{os.getpid()}-{int(time.time())}"


def start(name):
    place = f"{folder}/{name}"
    os.makedirs(f"{place}/lock")
    environment = dict(os.environ, KTUNE_CACHE_DIR=f"{place}/cache", KTUNE_LOCK_DIR=f"{place}/lock", KTUNE_LOG=f"{place}/log",
                       KTUNE_SANITIZE="off", KTUNE_BACKEND="opencl",
                       KTUNE_RUNNER_LAUNCHER=f"{sys.executable} {here}/pretend.py {folder} delay={DELAY_S} uuid={UUID} "
                                             f"name={name}")
    return subprocess.Popen([ktcc, "tune", "--json", "--strategy", "random", "--budget", f"{TRIALS}n,120s", source],
                            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
builds = {f"build{i}": start(f"build{i}") for i in range(BUILDS)}
answers = {}
for name, build in builds.items():
    out, err = build.communicate()
    assert build.returncode == 0, err
    answers[name] = json.loads(out)[0]
os.remove(f"/tmp/ktune-gpu-{UUID}.lock")
with open(f"{folder}/asked.jsonl") as log:
    asked = sorted((json.loads(line) for line in log), key=lambda each: each["begin"])
measured = [each for each in asked if each["request"] in ("try", "compare", "floor", "region")]

# One at a time.
for before, after in zip(measured, measured[1:]):
    assert before["end"] <= after["begin"], (before, after)

# While all of them search: from the last one's first candidate to the first one's last.
tries = {name: [each for each in measured if each["request"] == "try" and each["who"] == name] for name in builds}
begin, end = max(each[0]["begin"] for each in tries.values()), min(each[-1]["end"] for each in tries.values())
among = [each for each in measured if begin <= each["begin"] and each["end"] <= end]
busy = sum(each["end"] - each["begin"] for each in among) / (end - begin)
shares = {name: sum(each["who"] == name for each in among) / len(among) for name in builds}
waited = {name: answer["wall"]["wait_s"] for name, answer in answers.items()}
print(f"{len(among)} requests in {end - begin:.1f} s, the device was busy for {busy:.2f} of it; shares "
      f"{' '.join(f'{share:.2f}' for share in shares.values())}", flush=True)
assert len(among) > 50, len(among)
# A machine whose processors are busy wakes processes late.
assert busy >= 0.6, busy
assert all(0.7 / BUILDS < share < 1.3 / BUILDS for share in shares.values()), shares
# In turn: nobody is passed over more often than there are others, but for one that had nothing to ask.
order = [each["who"] for each in among]
gaps = [b - a for name in builds for a, b in zip(*(lambda at: (at, at[1:]))([i for i, who in enumerate(order) if who == name]))]
assert sum(gap > 2 * BUILDS for gap in gaps) <= len(gaps) / 20, sorted(gaps)[-10:]
assert all(seconds > 0 for seconds in waited.values()), waited
