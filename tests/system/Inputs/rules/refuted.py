"""refuted.py KTCC FILE CACHE: tunes FILE twice with rules that are wrong on a check which a search does not run."""
import json
import os
import re
import sqlite3
import subprocess
import sys

ktcc, source, cache = sys.argv[1:]
log = cache + ".log"


def tune():
    answer = subprocess.run([ktcc, "tune", "--json", "--strategy", "random", "--seed", "5", source],
                            stdout=subprocess.PIPE, text=True, check=False,
                            env=dict(os.environ, KTUNE_LOG=log))
    return json.loads(answer.stdout)[0]


def rows(condition):
    store = sqlite3.connect(f"file:{cache}/store.sqlite?mode=ro", uri=True)
    found = {row[0] for row in store.execute(f"SELECT DISTINCT configuration FROM trials WHERE {condition}")}
    store.close()
    return found


def compared_as_slower():
    """What the last comparison did not find faster: the times of the search are few, and other programs run beside it."""
    with open(log) as lines:
        return {match[1] for match in re.finditer(r": (BLOCK=[^:]*): ([0-9.]+) times as fast", lines.read())
                if float(match[2]) < 1.05}


def check(result):
    """Nothing that was refuted is chosen; where nothing is left there is no result, and no time says otherwise."""
    print(result)
    refuted = rows("problem LIKE '%d=1025%'")
    entry = result.get("entry")
    assert refuted, "no candidate came to the check"
    if result["reason"] == "candidates-failed":
        assert entry is None and refuted >= rows("median_ns > 0")
    else:
        assert entry["baseline_best"] and entry["search"]["tried"] == 10, entry
        original = entry["problems"][0]["baseline_ns"]
        left = rows("median_ns > 0") - refuted
        assert left, "everything was refuted, and the original is said to be the best"
        faster = rows(f"median_ns > 0 AND median_ns < {0.8 * original}") - refuted - compared_as_slower()
        # Where time was left a faster one is compared, or the search says that it is not at its end.
        assert not faster or entry["search"]["state"] == "budget", f"seen to be faster, and never compared: {faster}"
    return refuted


first = tune()
before = check(first)
assert first["wrong"] == len(before), first
second = tune()
after = check(second)
# What is known to be wrong is neither compared nor counted again.
assert after >= before and second["wrong"] == len(after - before), second
