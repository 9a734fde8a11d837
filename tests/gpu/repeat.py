#!/usr/bin/env python3
"""How repeatable tuning is: the same region tuned again and again from nothing, with another seed each time.

  repeat.py --ktcc KTCC --out FILE.csv [--runs 10] [--budget 20] [--work DIR] FILE… [-- nvcc flags]

For each region instance of each FILE and each problem the CSV has what each run chose and its median there. Printed are
the choices side by side, each with its median over the last comparisons of all runs in which it was a finalist, where it
took turns with the original and the others. It fails where medians of one configuration, or the choices of one problem,
differ by more than 1% (from 20 us on) or 0.15 us (below).
"""
import argparse
import csv
import json
import os
import subprocess
import sys

LARGE_NS, SHARE, SMALL_NS = 20000, 0.01, 150


def tune(options, file, flags, seed, folder):
    os.makedirs(f"{folder}/lock", exist_ok=True)
    environment = dict(os.environ, KTUNE_CACHE_DIR=f"{folder}/cache", KTUNE_LOCK_DIR=f"{folder}/lock", KTUNE_SANITIZE="off",
                       KTUNE_RECORD=f"{folder}/recording.jsonl")
    command = [options.ktcc, "tune", "--json", "--retune", "--seed", str(seed), "--budget", options.budget, file, "--"] + flags
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}{done.stdout}")
    return json.loads(done.stdout), f"{folder}/recording.jsonl"


def text(configuration):
    return " ".join(f"{name}={value}" for name, value in configuration.items())


def choices(entry):
    """(problem, configuration, median) of each problem: the special variant that serves it, or the general one."""
    for row in entry["problems"]:
        variant = row.get("variant", 0)
        if variant:
            configuration = text(entry["specialised"][variant - 1]["configuration"])
        else:
            configuration = "original" if entry["baseline_best"] else text(entry["configuration"])
        yield text(row["problem"]), configuration, row.get("tuned_ns", row["baseline_ns"])


def compared(recording):
    """(instance, problem, configuration) → median in the last comparison that held it."""
    found = {}
    for line in open(recording):
        row = json.loads(line)
        if row.get("kind") == "compare" and row.get("timing", {}).get("samples", 0) > 0:
            found[row["instance"], row["problem"], row["configuration"] or "original"] = row["timing"]["median_ns"]
    return found


def close(least, most):
    return most - least <= (SHARE * least if least >= LARGE_NS else SMALL_NS)


def main():
    words, flags = sys.argv[1:], []
    if "--" in words:
        at = words.index("--")
        words, flags = words[:at], words[at + 1:]
    parser = argparse.ArgumentParser()
    parser.add_argument("--ktcc", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--budget", default="20")
    parser.add_argument("--work", default="repeat.work")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args(words)
    rows, chosen, medians = [], {}, {}
    for file in options.files:
        for run in range(options.runs):
            folder = f"{options.work}/{os.path.basename(file)}-{run}"
            cases, recording = tune(options, file, flags, run + 1, folder)
            for case in cases:
                for problem, configuration, ns in choices(case["entry"]):
                    rows.append([case["instance"], problem, run, configuration, ns])
                    chosen.setdefault((case["instance"], problem), {}).setdefault(configuration, []).append(ns)
            for key, ns in compared(recording).items():
                medians.setdefault(key, []).append(ns)
    with open(options.out, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["instance", "problem", "run", "configuration", "median_ns"])
        writer.writerows(rows)
    failed = 0
    for (instance, problem), by_configuration in chosen.items():
        # One configuration, all runs that compared it: the noise between runs. The middle of them stands for it.
        middle = {}
        for configuration in by_configuration:
            values = sorted(medians.get((instance, problem, configuration), by_configuration[configuration]))
            middle[configuration] = values[len(values) // 2]
            stable = close(values[0], values[-1])
            failed += not stable
            print(f"{instance} {problem} {configuration}: {len(values)} runs, {values[0] / 1e3:.3f} to "
                  f"{values[-1] / 1e3:.3f} us{'' if stable else '  UNSTABLE'}")
        least, most = min(middle.values()), max(middle.values())
        equal = close(least, most)
        failed += not equal
        print(f"{instance} {problem}: {len(middle)} choices within {100 * (most / least - 1):.2f}%{'' if equal else '  DIFFERENT'}")
    sys.exit(failed != 0)


main()
