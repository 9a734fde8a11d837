#!/usr/bin/env python3
"""Two GPUs of one kind on one search, beside one: first looks per second, all runners together (KTUNE_GPUS).

  runners.py --ktcc KTCC --out FILE.csv [--work FOLDER] [--kernel sgemm_tiled] [--trials 400] [--rounds 3] [--budget 120] [--arch sm_90]

Tunes the kernel of samples/ from cold with as many random configurations, in turns with one GPU and with all of them, with a
tap in front of each runner (throughput.py). FILE.csv: round, gpus, runners (that looked at candidates), looks, seconds from
the first of them to the last reply, per_second, the entry's speedup. Exits with 1 where all are not 1.7 times as fast as one,
by the medians; the log says whether the devices measure alike.
"""
import argparse
import csv
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.abspath(f"{HERE}/../../samples")
GAIN = 1.7
COLUMNS = ["round", "gpus", "runners", "looks", "seconds", "per_second", "speedup"]


def looks_of(folder):
    """Of each runner that was asked for any: its first looks, (begin, end)."""
    found = []
    for path in glob.glob(f"{folder}/*.jsonl"):
        with open(path) as log:
            each = [json.loads(line) for line in log if line.endswith("\n")]
        looks = [(one["begin"], one["end"]) for one in each if one["request"] == "try" and one["look"]]
        found += [looks] if looks else []
    return found


def tune(options, number, gpus):
    place = os.path.abspath(f"{options.work}/{number}-{gpus}")
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(f"{place}/tap")
    os.makedirs(f"{place}/lock")
    environment = dict(os.environ, KTUNE_GPUS=gpus, KTUNE_SANITIZE="off", KTUNE_CACHE_DIR=f"{place}/cache", KTUNE_LOG=f"{place}/log",
                       KTUNE_LOCK_DIR=f"{place}/lock",
                       KTUNE_RUNNER_LAUNCHER=f"{sys.executable} {HERE}/throughput.py --tap {place}/tap")
    done = subprocess.run([options.ktcc, "tune", "--json", "--strategy", "random", "--budget", f"{options.trials}n,{options.budget}s",
                           f"{SAMPLES}/{options.kernel}/{options.kernel}.cu", "--", "-O3", "-std=c++17", f"-arch={options.arch}"],
                          env=environment, check=True, stdout=subprocess.PIPE, text=True)
    first = json.loads(done.stdout)[0]
    runners = looks_of(f"{place}/tap")
    looks = [look for each in runners for look in each]
    seconds = max(end for _, end in looks) - min(begin for begin, _ in looks)
    gains = [each["baseline_ns"] / each.get("tuned_ns", each["baseline_ns"]) for each in first["entry"]["problems"]]
    with open(f"{place}/log") as log:
        for line in log:
            if "device" in line:
                print(line.strip()[:200])
    return {"round": number, "gpus": gpus, "runners": len(runners), "looks": len(looks), "seconds": round(seconds, 3),
            "per_second": round(len(looks) / seconds, 2), "speedup": round(statistics.geometric_mean(gains), 3)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ktcc", default="ktcc")
    parser.add_argument("--out", default="runners.csv")
    parser.add_argument("--work", default="build/gpu/work/runners")
    parser.add_argument("--kernel", default="sgemm_tiled")
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", type=int, default=120, help="seconds, should the configurations take longer")
    parser.add_argument("--arch", default="sm_90")
    options = parser.parse_args()
    rows = []
    for number in range(options.rounds):
        for gpus in ("one", "all"):
            rows.append(tune(options, number, gpus))
            print(rows[-1], flush=True)
    with open(options.out, "w", newline="") as out:
        table = csv.DictWriter(out, COLUMNS)
        table.writeheader()
        table.writerows(rows)
    rates = {gpus: statistics.median(row["per_second"] for row in rows if row["gpus"] == gpus) for gpus in ("one", "all")}
    print(f"{rates['all'] / rates['one']:.2f} times as fast as one ({rates['one']:.1f} and {rates['all']:.1f} looks a second)")
    return rates["all"] < GAIN * rates["one"]


if __name__ == "__main__":
    sys.exit(main())
