"""screened.py KTCC FILE FOLDER: who is verified on what, by what a runner that pretends was asked (pretend.py).

"""
import json
import os
import shutil
import subprocess
import sys

ktcc, source, folder = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
TIMED, CHECKS = 3, 6  # the problems, and the checks of a search: KT_CHECKS_FIRST
# What a winner is verified on, as before there were first looks: what a search asks for once, all checks behind the first
# pass of the last comparison, and all checks once more behind that.
TIMES_OF_SEARCH, TIMES_OF_ALL = 1, 2


def tune(name, *words):
    place = f"{folder}/{name}"
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(f"{place}/lock")
    environment = dict(os.environ, KTUNE_CACHE_DIR=f"{place}/cache", KTUNE_LOCK_DIR=f"{place}/lock",
                       KTUNE_LOG=f"{place}/log", KTUNE_SANITIZE="off", KTUNE_BACKEND="opencl",
                       KTUNE_RUNNER_LAUNCHER=" ".join([sys.executable, f"{here}/pretend.py", place, *words]))
    done = subprocess.run([ktcc, "tune", "--json", "--strategy", "exhaustive", "--budget", "60s", source],
                          env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(f"{place}/asked.jsonl") as log:
        asked = [json.loads(line) for line in log]
    return json.loads(done.stdout)[0], asked


def is_try(each):
    """Of the region's own problems: the largest problem is another region, and so are sizes that no problem lists, which have no checks."""
    return each["request"] == "try" and each["timed"] == TIMED and each["count"] > each["timed"]


def rows_of(asked, configuration):
    """How often each row of a configuration was verified, as a sorted list of (row, times)."""
    times = {}
    for each in asked:
        if is_try(each) and not each["screen"]:
            for row in each["rows"] if each["configuration"] == configuration else []:
                times[row] = times.get(row, 0) + 1
    return sorted(times.items())


def text(values):
    return " ".join(f"{name}={value}" for name, value in values.items())


now, asked = tune("now")
winner = text(now["entry"]["configuration"])
assert now["tuned"] and not now["entry"]["baseline_best"] and now["entry"]["configuration"]["FAST"] == 0, now["entry"]
assert now["tried"] == 5 * 3 * 7 * 2, now["tried"]

# No check is left out for a winner.
times = rows_of(asked, winner)
most = max(len(each["rows"]) for each in asked)
assert most > TIMED + CHECKS
assert times == [(row, TIMES_OF_ALL + (TIMES_OF_SEARCH if row < TIMED + CHECKS else 0)) for row in range(most)], times

# A first look is one check, and every problem is timed; no candidate comes to more before it had one.
tries = [each for each in asked if is_try(each)]
looks = [each for each in tries if each["screen"]]
for each in looks:
    assert each["rows"][:each["timed"]] == list(range(each["timed"])) and len(each["rows"]) == each["timed"] + 1, each
assert {each["configuration"] for each in tries} == {each["configuration"] for each in looks}
# Losers have no more than that: the others are a small part.
verified = {each["configuration"] for each in tries if not each["screen"]}
assert len(verified) < len(looks) / 8, (len(verified), len(looks))

# Whoever is compared was verified before: nobody is a finalist for having been looked at alone.
right = set()
for each in asked:
    if each["request"] == "try" and not each["screen"] and each["verdict"] == "ok":
        right.add(each["configuration"])
    if each["request"] == "compare" and len(each["candidates"]) > 1:
        assert set(each["candidates"]) - {""} <= right, set(each["candidates"]) - right

# What is fast and wrong is found out by the check that refutes it; from then on that one is looked at first, but for the
# candidate that the runner had been asked about already.
refuting = TIMED + 3
found = next(i for i, each in enumerate(tries) if each["verdict"] == "wrong-answer")
assert not tries[found]["screen"] and refuting in tries[found]["rows"]
for each in tries[found + 2:]:
    assert not each["screen"] or each["rows"][-1] == refuting, each
wrong = {each["configuration"] for each in tries if each["verdict"] == "wrong-answer"}
assert all("FAST=1" in configuration for configuration in wrong) and now["wrong"] == len(wrong), (now["wrong"], len(wrong))
# How the device was in the passes of the last comparison, three problems each; sizes that no problem lists have no checks.
passes = sum(each["request"] == "compare" and len(each["candidates"]) > 1 and each["count"] > each["timed"] for each in asked)
expected = {"blocks": passes * TIMED, "throttled": passes, "repeats": 2 * passes, "sm_mhz_least": 1900, "sm_mhz_most": 1980,
            "celsius_most": 55, "watts_most": 430}
assert passes > 0 and now["entry"]["provenance"]["stability"] == expected, (now["entry"]["provenance"], passes)
print(f"{len(looks)} looked at, {len(verified)} verified, {len(wrong)} wrong, {len(tries)} tries")
