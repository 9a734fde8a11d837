"""knowledge.py KTCC FOLDER: a second tuning starts from what the first one measured, and is not led astray by lies.

The runner pretends (pretend.py): what a configuration takes is a function of its values, the same for every kernel.
"""
import json
import os
import shutil
import subprocess
import sys
import zlib

ktcc, folder = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
LISTS = {"BLOCK": [32, 64, 128, 256, 512], "VEC": [1, 2, 4], "TURNS": list(range(1, 13)), "STAGES": list(range(1, 9))}
TEXT = "".join(f"#ifndef {name}\n#define {name} {values[0]}\n#endif\n" for name, values in LISTS.items()) + """
#pragma ktune problem(n = %(sizes)s) in(x[n]) out(y[n]) %(tune)s grid(ceil_div(n, BLOCK * VEC)) local(BLOCK)
kernel void %(name)s(global float *y, global const float *x, int n)
{
	const int first = get_global_id(0) * VEC;

	for (int i = first; i < first + VEC && i < n; i++)
		y[i] = %(factor)s * x[i];
}
"""
TUNE = " ".join(f"tune({name} = {', '.join(map(str, values))})" for name, values in LISTS.items())


def slowness(configuration):
    """As in pretend.py, for any of its problems."""
    return 1 + sum(zlib.crc32(word.replace("=", "").encode()) % 100 / 40 for word in configuration.split())


def best():
    total = 1
    for name, values in LISTS.items():
        total += min(slowness(f"{name}={value}") - 1 for value in values)
    return total


def tune(store, run, name, sizes="4096, 65536", factor=2, pretended=(), words=()):
    """How many first looks it took until one was within 5 % of the best; the result and the log."""
    place = f"{folder}/{run}"
    os.makedirs(place + "/lock")
    with open(f"{place}/{name}.cl", "w") as out:
        out.write(TEXT % {"sizes": sizes, "tune": TUNE, "name": name, "factor": factor})
    environment = dict(os.environ, KTUNE_CACHE_DIR=f"{folder}/{store}", KTUNE_LOCK_DIR=place + "/lock",
                       KTUNE_LOG=place + "/log", KTUNE_SANITIZE="off", KTUNE_JOBS="1", KTUNE_RUNNER_LAUNCHER=" ".join(
                           [sys.executable, f"{here}/pretend.py", place, *pretended]))
    answer = subprocess.run([ktcc, "tune", "--json", "--budget", "200n,60s", *words, f"{place}/{name}.cl"],
                            env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with open(place + "/asked.jsonl") as lines:
        looks = [each["configuration"] for each in map(json.loads, lines) if each["request"] == "try" and each["screen"]]
    assert len(looks) == len(set(looks))
    good = [i + 1 for i, each in enumerate(looks) if slowness(each) <= 1.05 * best()]
    with open(place + "/log") as log:
        return good[0] if good else None, json.loads(answer.stdout)[0], log.read()


first, result, log = tune("store", "first", "twice")
assert "starts from what is known" not in log
again, _, log = tune("store", "again", "twice", sizes="8192, 131072")
assert "twice: starts from what is known of twice" in log, log
neighbour, _, log = tune("store", "neighbour", "thrice", factor=3)
assert "thrice: starts from what is known of twice" in log, log
print(f"the first takes {first} looks, other sizes {again}, another kernel {neighbour}")
assert first > 10 and again <= first / 2 and neighbour <= first / 2, (first, again, neighbour)

# All that is known is wrong: fast is slow. The best is found all the same.
_, _, _ = tune("lies", "liar", "twice", pretended=["inverse=1"])
lied, last, log = tune("lies", "lied", "thrice", factor=3)
assert "starts from what is known" in log, log
chosen = " ".join(f"{name}={value}" for name, value in last["entry"]["configuration"].items())
print(f"after lies {lied}, chosen {slowness(chosen) / best():.3f} of the best")
assert lied is not None and lied <= first + 60 and slowness(chosen) <= 1.05 * best(), (lied, first, chosen)

# Where everything is to be measured again nothing is known.
_, _, log = tune("store", "cold", "thrice", factor=3, words=["--retune"])
assert "starts from what is known" not in log
print("knowledge helps, and harms little where it is wrong")
