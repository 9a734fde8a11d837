#!/usr/bin/env python3
"""How repeatable tuning is: the same region tuned again and again, with another seed each time.

  repeat.py --ktcc KTCC --out FILE.csv [--runs 10] [--budget 20] [--work DIR] FILE… [-- nvcc flags]

All runs have one store, so that they have one copy floor and one reference for launches; nothing else is remembered
(--retune). For each region instance of each FILE and each problem the CSV has what each run chose and its median there.

Medians: of each configuration that was in the last comparison of several runs the least and the greatest median, as the
runner measured it (raw) and as entries have it (with the process's launches set off).
Choices: all configurations that any run chose for an instance are timed once more, in one process, taking turns
(ktcc verify --time); what is printed is how far those that were chosen for a problem are apart there, and how far the
runs' choices are apart in the geometric mean over the problems.
It fails where medians of one configuration, or the choices of one problem, differ by more than 1% (from 20 us on) or
0.15 us (below); what differs by more than 1% is said in any case.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys

LARGE_NS, SHARE, SMALL_NS = 20000, 0.01, 150


def ask(options, folder, words, **more):
    environment = dict(os.environ, KTUNE_CACHE_DIR=f"{options.work}/cache", KTUNE_SANITIZE="off", **more)
    done = subprocess.run([options.ktcc] + words, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr}{done.stdout}")
    return json.loads(done.stdout)


def tune(options, file, flags, seed, folder):
    os.makedirs(f"{folder}/lock", exist_ok=True)
    words = ["tune", "--json", "--retune", "--seed", str(seed), "--budget", options.budget, file, "--"] + flags
    return ask(options, folder, words, KTUNE_LOCK_DIR=f"{folder}/lock", KTUNE_LOG=f"{folder}/log",
               KTUNE_RECORD=f"{folder}/recording.jsonl"), f"{folder}/recording.jsonl"


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
    """(instance, problem, configuration) → (raw median, what an empty kernel took), means over the passes of the
    run."""
    found = {}
    for line in open(recording):
        row = json.loads(line)
        if row.get("kind") == "compare" and row.get("timing", {}).get("samples", 0) >= 50:
            key = row["instance"], row["problem"], row["configuration"] or "original"
            found.setdefault(key, []).append((row["timing"]["median_ns"], row.get("launch_ns", 0)))
    return {key: tuple(sum(one[i] for one in values) / len(values) for i in range(2)) for key, values in found.items()}


def close(least, most):
    return most - least <= (SHARE * least if least >= LARGE_NS else SMALL_NS)


def apart(least, most):
    return f"{100 * (most / least - 1):.2f}% ({(most - least) / 1e3:.3f} us)"


def show_medians(medians, reference, runs):
    failed = 0
    for (instance, problem, configuration), pairs in sorted(medians.items()):
        if len(pairs) < runs / 2:
            continue
        raw = [one for one, _ in pairs]
        # What the client does to each time (docs/verification.md).
        set_off = [one - (launch - reference if launch > 0 and reference > 0 else 0) for one, launch in pairs]
        stable = close(min(set_off), max(set_off))
        failed += not stable
        print(f"median {instance} {problem} {configuration}: {len(pairs)} runs, raw {min(raw) / 1e3:.3f} to "
              f"{max(raw) / 1e3:.3f} us, apart {apart(min(raw), max(raw))}; set off {min(set_off) / 1e3:.3f} to "
              f"{max(set_off) / 1e3:.3f} us, apart {apart(min(set_off), max(set_off))}{'' if stable else '  UNSTABLE'}")
    return failed


def timed(options, file, flags, instance, configurations):
    """(problem, configuration) → median, from one process."""
    words = ["verify", "--time", "--json", "--instance", instance]
    for configuration in configurations:
        words += ["--configuration", configuration]
    rows = ask(options, "", words + [file, "--"] + flags)[0]["times"]
    return {(text(row["problem"]), row["configuration"]): row.get("median_ns", 0) for row in rows}


def show_choices(options, file, flags, chosen):
    """chosen: instance → problem → configuration of each run."""
    failed = 0
    for instance, problems in chosen.items():
        wanted = sorted({one for runs in problems.values() for one in runs} - {"original"})
        ns = timed(options, file, flags, instance, wanted)
        logs = [0.0] * options.runs
        for problem, runs in problems.items():
            mine = [ns[problem, one] for one in runs]
            equal = close(min(mine), max(mine))
            failed += not equal
            beyond = "" if max(mine) <= 1.01 * min(mine) else "  beyond 1%"
            print(f"choice {instance} {problem}: {len(set(runs))} of {len(runs)} differ, best {min(mine) / 1e3:.3f} "
                  f"us, apart {apart(min(mine), max(mine))}{beyond}{'' if equal else '  DIFFERENT'}")
            for one in sorted(set(runs)):
                print(f"    {ns[problem, one] / 1e3:9.3f} us, chosen by {runs.count(one)}: {one}")
            for run, value in enumerate(mine):
                logs[run] += math.log(ns[problem, "original"] / value) / len(problems)
        means = [math.exp(value) for value in logs]
        print(f"choice {instance}, geometric mean of speedups: {min(means):.3f} to {max(means):.3f}, "
              f"apart {100 * (max(means) / min(means) - 1):.2f}%")
    return failed


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
    rows, medians, failed, chosen = [], {}, 0, {}
    for file in options.files:
        for run in range(options.runs):
            cases, recording = tune(options, file, flags, run + 1, f"{options.work}/{os.path.basename(file)}-{run}")
            for case in cases:
                for problem, configuration, ns in choices(case["entry"]):
                    rows.append([case["instance"], problem, run, configuration, ns])
                    of = chosen.setdefault(file, {}).setdefault(case["instance"], {})
                    of.setdefault(problem, []).append(configuration)
            for key, pair in compared(recording).items():
                medians.setdefault(key, []).append(pair)
    with open(options.out, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["instance", "problem", "run", "configuration", "median_ns"])
        writer.writerows(rows)
    with open(f"{os.path.splitext(options.out)[0]}-medians.csv", "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["instance", "problem", "configuration", "raw_median_ns", "launch_ns"])
        writer.writerows([*key, *(round(value, 1) for value in pair)] for key, pairs in medians.items()
                         for pair in pairs)
    reference = ask(options, "", ["doctor", "--floor", "--json"]).get("launch_ns", 0)
    print(f"an empty kernel on record: {reference / 1e3:.3f} us; in the runs "
          f"{min(pair[1] for pairs in medians.values() for pair in pairs) / 1e3:.3f} to "
          f"{max(pair[1] for pairs in medians.values() for pair in pairs) / 1e3:.3f} us")
    failed += show_medians(medians, reference, options.runs)
    for file, instances in chosen.items():
        failed += show_choices(options, file, flags, instances)
    sys.exit(failed != 0)


main()
