"""searched.py KTCC FILE FOLDER: tunes with budgets that end a search early, and checks what each result says of it.

Trials come from the store: what is remembered of a search is what the next one goes on from.
"""
import json
import os
import shutil
import sqlite3
import subprocess
import sys

ktcc, source, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder + "/lock")
environment = dict(os.environ, KTUNE_CACHE_DIR=folder + "/cache", KTUNE_LOCK_DIR=folder + "/lock",
                   KTUNE_LOG=folder + "/log", KTUNE_SANITIZE="off")
before = {}


def remembered():
    """The number of configurations of which the store holds a time."""
    store = sqlite3.connect(f"file:{folder}/cache/store.sqlite?mode=ro", uri=True)
    rows = store.execute("SELECT DISTINCT space, configuration FROM trials WHERE median_ns > 0").fetchall()
    store.close()
    return len(rows)


def tune(budget):
    answer = subprocess.run([ktcc, "tune", "--json", "--budget", budget, source], env=environment, check=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return {each["region"]: each for each in json.loads(answer.stdout)}, answer.stderr


def check(budget, trials):
    results, said = tune(budget)
    for name, each in results.items():
        search, known = each["entry"]["search"], before.get(name, 0)
        print(budget, name, search, each["tried"], each["recalled"], each["wall"]["total_s"])
        if not each["tuned"]:
            assert known == search["tried"] and search["state"] in ("exhausted", "measured"), each
            continue
        assert each["recalled"] == known, f"{name}: {known} are in the store, {each['recalled']} were taken over"
        assert each["tried"] == search["tried"] <= trials, each
        assert each["tried"] - each["wrong"] - each["uncompiled"] - each["refused"] > 0
        if search["state"] == "exhausted":
            assert search["tried"] <= search["legal"]
        elif search["state"] == "trials":
            assert search["tried"] == trials < each["enough_trials"] <= search["legal"]
            assert f"{each['enough_trials']} configurations would be enough" in said, said
        elif search["state"] == "budget":
            assert each["enough_s"] > 0 and f"about {each['enough_s']:.0f} s would be enough" in said, said
        before[name] = each["tried"]
    return results


first = check("5n,30s", 5)
assert all(each["entry"]["search"]["state"] == "trials" for each in first.values()), first
# As much again is no reason to go on, more is.
again, said = tune("5n,30s")
assert not any(each["tuned"] for each in again.values()) and "would be enough" not in said
second = check("9n,30s", 9)
assert all(each["tuned"] and each["tried"] == 9 for each in second.values()), second
assert remembered() >= sum(each["tried"] - each["wrong"] - each["refused"] for each in second.values())
# Too little time for the space: the result says so, or what it measured was enough.
for each in check("4s", 10**6).values():
    # What a driver compiles cannot be cut; where many others want the processors one candidate takes seconds.
    crowded = os.getloadavg()[0] > 2 * os.cpu_count()
    spent = each["wall"]["total_s"] - each["wall"]["wait_s"] - (each["wall"]["compile_s"] if crowded else 0)
    assert spent <= 1.1 * 4 + 2, each
with open(folder + "/log", encoding="utf-8") as log:
    text = log.read()
assert "inf%" not in text and "nan%" not in text, text
