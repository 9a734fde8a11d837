"""runners.py KTCC FILE FOLDER: KTUNE_GPUS=all with runners that pretend (pretend.py), each with its own device.

What is right of one runner is right of two: the same configurations are tried, and what is chosen is as good.
"""
import json
import os
import shutil
import subprocess
import sys

ktcc, source, folder = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
shutil.rmtree(folder, ignore_errors=True)
TRIALS = 60


def tune(name, gpus, *words):
    place = f"{folder}/{name}"
    os.makedirs(place + "/lock")
    environment = dict(os.environ, KTUNE_CACHE_DIR=place + "/cache", KTUNE_LOCK_DIR=place + "/lock", KTUNE_GPUS=gpus,
                       KTUNE_LOG=place + "/log", KTUNE_SANITIZE="off", KTUNE_JOBS="1", KTUNE_RUNNER_LAUNCHER=" ".join(
                           [sys.executable, f"{here}/pretend.py", place, "delay=0.06", *words]))
    answer = subprocess.run([ktcc, "tune", "--json", "--strategy", "random", "--budget", f"{TRIALS}n,120s", source],
                            env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with open(place + "/asked.jsonl") as log:
        asked = [json.loads(line) for line in log]
    with open(place + "/log") as log:
        return json.loads(answer.stdout)[0], asked, log.read()


def looks(asked):
    return [each for each in asked if each["request"] == "try" and each["screen"]]


def rate(asked):
    """First looks a second, of all runners together."""
    tries = looks(asked)
    return (len(tries) - 1) / (max(each["end"] for each in tries) - min(each["end"] for each in tries))


one, asked_one, _ = tune("one", "one", "devices=2")
two, asked_two, log = tune("two", "all", "devices=2")
both = {each["device"] for each in looks(asked_two)}
assert {each["device"] for each in looks(asked_one)} == {0}, "a second device was used"
assert both == {0, 1}, f"candidates on {both}"
gain = rate(asked_two) / rate(asked_one)
print(f"{rate(asked_one):.1f} looks a second with one, {rate(asked_two):.1f} with two: {gain:.2f}")
assert gain >= 1.7, gain
assert one["tried"] == two["tried"] == TRIALS, (one["tried"], two["tried"])
assert one["entry"]["configuration"] == two["entry"]["configuration"], (one["entry"], two["entry"])
# The last comparison, and all that comes after it, is on one device; so is what decides whether two measure alike.
final = max(each["end"] for each in looks(asked_two))
assert {each["device"] for each in asked_two if each["begin"] > final and each["request"] == "compare"} == {0}
originals = [each["device"] for each in asked_two if each["request"] == "compare" and each["candidates"] == [""]]
assert originals[1:] == [0, 1] * 3, originals
assert "2 devices measure alike" in log, log
# Each candidate is looked at once, by whichever is free.
seen = [each["configuration"] for each in looks(asked_two)]
assert len(seen) == len(set(seen))
counts = [sum(each["device"] == device for each in looks(asked_two)) for device in (0, 1)]
assert min(counts) >= 0.35 * len(seen), counts
# A verified configuration was verified on all that is asked for, on whatever device; the region's place may be taken by sizes
# that no problem lists, which have no checks.
for each in asked_two:
    whole = each["count"] > each["timed"]
    assert each["request"] != "try" or each["screen"] or not whole or len(each["rows"]) > each["timed"], each

# One that is slower by 3 % tunes nothing here; 0.5 % is alike. Another kind is another device.
for name, words, used in (("slower", "slower=1.03", {0}), ("alike", "slower=1.005", {0, 1}), ("kind", "kinds=2", {0})):
    _, asked, log = tune(name, "all", "devices=2", words)
    assert {each["device"] for each in looks(asked)} == used, (name, log)
    if used == {0}:
        assert ("measures otherwise" if name == "slower" else "of another kind") in log, log
# One that ends its process costs one candidate, as ever.
last, asked, _ = tune("dies", "all", "devices=2", "dies=128")
assert last["tried"] == TRIALS and last["wrong"] > 0 and {each["device"] for each in looks(asked)} == {0, 1}
print("two runners do what one does")
