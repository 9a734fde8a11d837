#!/usr/bin/env python3
"""Hardware counters by the real Nsight Compute: of a kernel that the rules make fast, in the question to a model, and
of one whose accesses are a row apart.

usage: counters.py --ktcc KTCC --work DIR [--arch sm_90]
Prints the counters; exits 1 when something is wrong. Where ncu is missing or refused it says so, and nothing is wrong.
"""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SILU = os.path.join(os.path.dirname(HERE), "system", "Inputs", "rules", "silu.cu")
# What says that counters are not to be had on this machine, whatever is done.
REFUSALS = ("not installed", "ERR_NVGPUCTRPERM", "LibraryNotLoaded", "Profiling is not supported")
AT_FLOOR = 1.05

failures = 0


def check(name, good, what=""):
    global failures
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {name}" + ("" if good else f": {json.dumps(what)[:1500]}"), flush=True)


def tune(options, name, source, settings, more=()):
    """The rows of counters of the first tuned text, as the account has them. None: they are not to be had here."""
    folder = os.path.join(options.work, name)
    shutil.rmtree(folder, ignore_errors=True)
    for each in ("lock", "tmp", "home"):
        os.makedirs(os.path.join(folder, each))
    shutil.copy(source, folder)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("KTUNE_") or
                   key == "KTUNE_PREFIX"}
    environment.update(KTUNE_CACHE_DIR=f"{folder}/cache", KTUNE_LOCK_DIR=f"{folder}/lock", KTUNE_LOG=f"{folder}/log",
                       TMPDIR=f"{folder}/tmp", HOME=f"{folder}/home", **settings)
    said = subprocess.run([options.ktcc, "tune", "--budget", "20", *more, f"{folder}/{os.path.basename(source)}", "--",
                           f"-arch={options.arch}"], env=environment, capture_output=True, text=True)
    print(said.stdout + said.stderr, end="")
    log = open(f"{folder}/log").read()
    why = re.search(r"no counters: (.*)", log)
    if why and any(refusal in why[1] for refusal in REFUSALS):
        print(f"skipped: {why[1]}")
        return None
    check(f"{name}: ncu answers", not why, why and why[1])
    for line in re.findall(r".*counters of \d+ runs.*", log):
        print("     " + line)
    check(f"{name}: nothing is left behind", not os.listdir(f"{folder}/tmp") and
          not glob.glob(f"{folder}/home/Documents"), [os.listdir(f"{folder}/tmp"), os.listdir(f"{folder}/home")])
    region = {"silu": "silu", "columns": "columns"}[name]
    shown = subprocess.run([options.ktcc, "plan", "show", "--json", region], env=environment, capture_output=True,
                           text=True)
    account = json.loads(shown.stdout)[0] if shown.returncode == 0 else {"rounds": []}
    tuning = account["rounds"][0].get("tuning", {}) if account["rounds"] else {}
    rows = tuning.get("counters", [])
    # Problems at the copy bound are not asked about.
    at_floor = all(each["tuned_ns"] <= AT_FLOOR * each["floor_ns"] for each in tuning.get("problems", []))
    check(f"{name}: there are counters", rows or at_floor, [shown.stderr, tuning])
    for row in rows:
        print("     " + json.dumps(row))
        times = [each for each in tuning["problems"] if each["problem"] == row["problem"]]
        timed = times[0]["tuned_ns" if row["of"] == "best" else "baseline_ns"]
        check(f"{name}: {row['time_ns']:.0f} ns, timed {timed:.0f} ns", 0.2 < row["time_ns"] / timed < 4, row)
        check(f"{name}: percentages", all(0 <= value <= 101 for key, value in row.items() if key.endswith("_percent")),
              row)
        check(f"{name}: all of them", len([key for key in row if isinstance(row[key], (int, float))]) == 13, row)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ktcc", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--arch", default="sm_90")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    # As it is where nobody says anything: within a tenth of the budget, because a question is to be written.
    asked = os.path.join(options.work, "asked")
    shutil.rmtree(asked, ignore_errors=True)
    rows = tune(options, "silu", SILU, {}, ["--ask", asked])
    if rows is None:
        return 0
    for row in rows:
        expected = 8 * row["problem"]["rows"] * row["problem"]["d"]
        check(f"silu: {row['read_bytes']:.0f} of {expected} bytes read", 0.8 < row["read_bytes"] / expected < 1.5, row)
        check(f"silu: {row['sectors_per_load']} sectors a load", row["sectors_per_load"] <= 16.5, row)
    questions = "".join(open(path).read() for path in glob.glob(f"{asked}/*.md"))
    check("the question tells them", questions.count("sectors of 32 bytes a load of a warp") == len(rows),
          questions[-3000:])
    rows = tune(options, "columns", os.path.join(HERE, "counters.cu"), {"KTUNE_COUNTERS": "on"}, ["--budget", "20"])
    for row in rows or []:
        check(f"columns: {row['sectors_per_load']} sectors a load", row["sectors_per_load"] > 24, row)
        check("columns: judged", row["of"] == "original" or row["bound"] == "uncoalesced", row)
    return 1 if failures else 0


sys.exit(main())
