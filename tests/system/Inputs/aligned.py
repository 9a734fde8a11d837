"""aligned.py KTCC FILE FOLDER: which pointers an entry asks to be aligned, by what a runner that pretends measures.

  aligned.py --ask ARGUMENT LOCK: makes the only entry of a lock directory ask for that argument.
"""
import glob
import json
import os
import shutil
import subprocess
import sys

from entry_text import rehashed


def ask(argument, lock):
    path, = glob.glob(f"{lock}/*/*.json")
    with open(path) as file:
        entry = json.load(file)
    entry.pop("aligned", None)
    made = {}
    for name, value in entry.items():
        if name == "problems":
            made["aligned"] = [{"argument": argument}]
        made[name] = value
    with open(path, "w") as file:
        json.dump(rehashed(made), file)


if sys.argv[1] == "--ask":
    sys.exit(ask(*sys.argv[2:]))
ktcc, source, folder = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))


def tune(name, *words):
    place = f"{folder}/{name}"
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(f"{place}/lock")
    environment = dict(os.environ, KTUNE_CACHE_DIR=f"{place}/cache", KTUNE_LOCK_DIR=f"{place}/lock",
                       KTUNE_LOG=f"{place}/log", KTUNE_SANITIZE="off", KTUNE_BACKEND="opencl",
                       KTUNE_RUNNER_LAUNCHER=" ".join([sys.executable, f"{here}/pretend.py", place, *words]))
    done = subprocess.run([ktcc, "tune", "--budget", "60s", source], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    path, = glob.glob(f"{place}/lock/scaled-*/*.json")
    with open(path) as file:
        entry = json.load(file)
    assert not entry["baseline_best"], entry
    return [each["argument"] for each in entry.get("aligned", []) if "variant" not in each], done.stdout


# Where there is no time to know the original runs there.
for word, expected in ((None, []), ("moved=x:30", ["x"]), ("moved=y:30", ["y"]), ("moved=w:1.01", []), ("unmoved=4", ["x", "w", "y"])):
    asked, printed = tune(f"case-{word}", *([word] if word else []))
    print(word, asked)
    assert asked == expected, (word, asked)
    assert ("aligned(" in printed) == bool(expected), printed
