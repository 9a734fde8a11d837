"""refuted.py KTCC FILE CACHE: tunes FILE twice with rules that are wrong on a check which a search does not run."""
import json
import sqlite3
import subprocess
import sys

ktcc, source, cache = sys.argv[1:]


def tune():
    answer = subprocess.run([ktcc, "tune", "--json", "--strategy", "random", "--seed", "5", source],
                            stdout=subprocess.PIPE, text=True, check=False)
    return json.loads(answer.stdout)[0]


def rows(condition):
    store = sqlite3.connect(f"file:{cache}/store.sqlite?mode=ro", uri=True)
    found = {row[0] for row in store.execute(f"SELECT DISTINCT configuration FROM trials WHERE {condition}")}
    store.close()
    return found


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
        faster = rows(f"median_ns > 0 AND median_ns < {0.8 * original}") - refuted
        assert not faster, f"seen to be faster, and never compared: {faster}"
    return refuted


first = tune()
before = check(first)
assert first["wrong"] == len(before), first
second = tune()
after = check(second)
# What is known to be wrong is neither compared nor counted again.
assert after >= before and second["wrong"] == len(after - before), second
