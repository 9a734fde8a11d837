"""second.py KTCC FILE FOLDER: which generators take part in a tuning, on a CUDA device that pretends (pretend.py)."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

ktcc, source, folder = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
shutil.rmtree(folder, ignore_errors=True)


def tune(name, seconds, *words):
    """(the entry, parameters of the configurations that were tried)"""
    place = f"{folder}/{name}"
    os.makedirs(f"{place}/lock")
    environment = dict(os.environ, KTUNE_CACHE_DIR=f"{place}/cache", KTUNE_LOCK_DIR=f"{place}/lock", KTUNE_LOG=f"{place}/log",
                       KTUNE_SANITIZE="off", KTUNE_RUNNER_LAUNCHER=" ".join(
                           [sys.executable, f"{here}/pretend.py", place, "cuda=1", *words]))
    done = subprocess.run([ktcc, "tune", "--budget", f"{seconds}s", source, "--", "-arch=sm_90"], env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    path, = glob.glob(f"{place}/lock/*/*.json")
    with open(path) as file, open(f"{place}/asked.jsonl") as log:
        tried = {word.split("=")[0] for line in log for word in (json.loads(line)["configuration"] or "").split()}
        return json.load(file), tried, done.stdout


# Where both leave something to gain, both are searched, and the better one is kept. STREAM is of the rules, TEAM of the IR.
entry, tried, printed = tune("both", 30, "ahead=TEAM")
assert {"STREAM", "TEAM"} <= tried, tried
assert entry["provenance"]["generator"] == "ir", entry["provenance"]
assert re.search(r"with .*TEAM=\d+", printed), printed
# A build without a device makes that text again.
subprocess.run([ktcc, "nvcc", "-arch=sm_90", "-c", source, "-o", f"{folder}/second.o"], check=True,
               env=dict(os.environ, KTUNE_MODE="require", KTUNE_CACHE_DIR=f"{folder}/empty", KTUNE_LOCK_DIR=f"{folder}/both/lock"))
with open(f"{folder}/second.o", "rb") as file:
    assert re.search(rb"ktune_v_\w+_log_sum", file.read())
# What is as fast as a copy needs no other text.
_, tried, _ = tune("floor", 20, "ahead=TEAM", "floor=900000")
assert "STREAM" in tried and "TEAM" not in tried, tried
