#!/usr/bin/env python3
"""How repeatable tuning is: the same region tuned again and again, with another seed each time.

  repeat.py --ktcc KTCC --out FILE.csv [--runs 10] [--budget 20] [--work DIR] FILE… [-- nvcc flags]
  repeat.py --read FILE-runs.csv[.gz] --reference NS

The second says once more of a file what it says of medians; NS: the empty kernel on record, as the first prints it.

All runs have one store, so that they have one copy floor and one reference for launches, which a tuning before the
first measures; nothing else is remembered (--retune). For each region instance of each FILE and each problem the CSV
has what each run chose, its median there, how many configurations the run tried, and how many there are. FILE-runs.csv
has all that the runs measured: the search's times ("search") and each pass of the last comparison ("1", "2", ...), in
the order of measurement.

Medians: of each configuration that was in the last comparison of several runs the least and the greatest median, as the
runner measured it (raw) and as entries have it (with the process's launches set off); how many of those from 20 us on,
and of those below, agree. And of each problem what all configurations of a run have in common: what a process or its
memory does, and no configuration; and by how much two passes of a run differ beside that (standard deviation), what the
samples of a pass leave open.
Choices: all configurations that any run chose for an instance are timed once more, taking turns in one process
(ktcc verify --time), three processes one after the other; what is printed is how far those that were chosen for a
problem are apart there, by the means of the three, and how far the runs' choices are apart in the geometric mean over
the problems. Of each run that did not choose the best of them it says why: it was not tried, was tried and no finalist,
or was compared.
It fails where medians of one configuration, or the choices of one problem, differ by more than 1% (from 20 us on) or
0.15 us (below); what differs by more than 1% is said in any case.
"""
import argparse
import csv
import gzip
import json
import math
import os
import subprocess
import sys

LARGE_NS, SHARE, SMALL_NS = 20000, 0.01, 150
JUDGES = 3
COMPARED = 50  # samples: a search takes fewer, a pass of the last comparison more
MOST_OFF = 0.15  # of the reference: more is not set off (ktcc/testing/tester.c)


def ask(options, folder, words, **more):
    environment = dict(os.environ, KTUNE_CACHE_DIR=f"{options.work}/cache", KTUNE_SANITIZE="off", **more)
    done = subprocess.run([options.ktcc] + words, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr}{done.stdout}")
    return json.loads(done.stdout)


def tune(options, file, flags, seed, folder, budget):
    os.makedirs(f"{folder}/lock", exist_ok=True)
    words = ["tune", "--json", "--retune", "--seed", str(seed), "--budget", budget, file, "--"] + flags
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


def measured(recording):
    """Rows (instance, stage, configuration, problem, verdict, raw median, deviation, samples, what an empty kernel
    took), the stage "search", "check" (tried again) or the number of a pass; in the order of measurement."""
    rows, seen = [], {}
    for line in open(recording):
        row = json.loads(line)
        kind, timing = row.get("kind"), row.get("timing", {})
        if kind not in ("try", "compare") or kind == "compare" and timing.get("samples", 0) < COMPARED:
            continue
        key = kind, row["instance"], row["configuration"] or "original", row["problem"]
        seen[key] = seen.get(key, 0) + 1
        stage = ("search" if seen[key] == 1 else "check") if kind == "try" else seen[key]
        rows.append([row["instance"], stage, *key[2:], row.get("verdict", "ok"), timing.get("median_ns", 0),
                     timing.get("deviation_ns", 0), timing.get("samples", 0), row.get("launch_ns", 0)])
    return rows


def compared(rows):
    """(instance, problem, configuration) → (raw median, what an empty kernel took), means over the passes of the
    run."""
    found = {}
    for instance, stage, configuration, problem, _, median, _, _, launch in rows:
        if stage not in ("search", "check"):
            found.setdefault((instance, problem, configuration), []).append((median, launch))
    return {key: tuple(sum(one[i] for one in values) / len(values) for i in range(2)) for key, values in found.items()}


def set_off(raw, launch, reference):
    """What the client does to each time (docs/verification.md)."""
    if launch <= 0 or reference <= 0:
        return raw
    return raw - max(-MOST_OFF * reference, min(MOST_OFF * reference, launch - reference))


def why(rows, instance, problem, mine, best):
    """What a run knew of the configuration that it did not choose, beside the one that it chose."""
    known, passes = {}, compared(rows)
    for of, stage, configuration, at, *_, median, _, _, _ in rows:
        if (of, at, stage) == (instance, problem, "search"):
            known[configuration] = median
    if best not in known:
        return "not tried"
    if (instance, problem, best) not in passes:
        if not known[best] or not known.get(mine):
            return "no finalist"
        return f"no finalist, {100 * (known[best] / known[mine] - 1):+.1f}% in the search"
    ratio = passes[instance, problem, best][0] / passes[instance, problem, mine][0]
    return f"compared, {100 * (ratio - 1):+.1f}%"


def close(least, most):
    return most - least <= (SHARE * least if least >= LARGE_NS else SMALL_NS)


def apart(least, most):
    return f"{100 * (most / least - 1):.2f}% ({(most - least) / 1e3:.3f} us)"


def show_medians(medians, reference, runs):
    # (from 20 us on, set off) → how many agree, of how many, the farthest apart as (share, ns)
    classes = {(large, off): [0, 0, 0.0, 0.0] for large in (True, False) for off in (True, False)}
    for (instance, problem, configuration), pairs in sorted(medians.items()):
        if len(pairs) < runs / 2:
            continue
        raw = [one for one, _ in pairs]
        off = [set_off(one, launch, reference) for one, launch in pairs]
        for values in (raw, off):
            least, most = min(values), max(values)
            count = classes[min(off) >= LARGE_NS, values is off]
            count[:] = [count[0] + close(least, most), count[1] + 1, max(count[2], most / least - 1),
                        max(count[3], most - least)]
        stable = close(min(off), max(off))
        print(f"median {instance} {problem} {configuration}: {len(pairs)} runs, raw {min(raw) / 1e3:.3f} to "
              f"{max(raw) / 1e3:.3f} us, apart {apart(min(raw), max(raw))}; set off {min(off) / 1e3:.3f} to "
              f"{max(off) / 1e3:.3f} us, apart {apart(min(off), max(off))}{'' if stable else '  UNSTABLE'}")
    for (large, off), (agree, all_, share, ns) in classes.items():
        print(f"medians {'from 20 us on' if large else 'below 20 us'}, {'set off' if off else 'as measured'}: {agree} "
              f"of {all_} agree, at most {100 * share:.2f}% or {ns / 1e3:.3f} us apart")
    return sum(all_ - agree for (_, off), (agree, all_, _, _) in classes.items() if off)


def between_passes(runs, instance, problem):
    """Standard deviation of a configuration's medians over the passes of a run, without what all have in common."""
    squares, freedom = 0.0, 0
    for rows in runs:
        passes = {}
        for of, stage, configuration, at, _, median, *_ in rows:
            if stage not in ("search", "check") and (of, at) == (instance, problem):
                passes.setdefault(configuration, {})[stage] = median
        most = max(map(len, passes.values()), default=0)
        full = [list(one.values()) for one in passes.values() if len(one) == most]
        if most < 2 or len(full) < 2:
            continue
        common = [sum(column) / len(full) for column in zip(*full)]
        for one in full:
            rest = [value - of_all for value, of_all in zip(one, common)]
            squares += sum((value - sum(rest) / most) ** 2 for value in rest)
        freedom += (len(full) - 1) * (most - 1)
    return math.sqrt(squares / freedom) if freedom else 0.0


def show_common(runs, reference):
    """How far medians of a run lie from the mean of all runs together, configurations alike, and each for itself."""
    found = {}
    for run, rows in enumerate(runs):
        for (instance, problem, configuration), (raw, launch) in compared(rows).items():
            ns = set_off(raw, launch, reference)
            found.setdefault((instance, problem), {}).setdefault(configuration, {})[run] = math.log(ns)
    for (instance, problem), configurations in found.items():
        everywhere = [one for one in configurations.values() if len(one) == len(runs)]
        means = [sum(one.values()) / len(one) for one in everywhere]
        common = [sum(one[run] - mean for one, mean in zip(everywhere, means)) / len(everywhere)
                  for run in range(len(runs))]
        left = max(abs(one[run] - mean - common[run]) for one, mean in zip(everywhere, means)
                   for run in range(len(runs)))
        print(f"common {instance} {problem}: {len(everywhere)} configurations in all runs, each run's factor "
              f"{' '.join(f'{100 * one:+.2f}%' for one in common)}; without it at most {100 * left:.2f}% off")
        print(f"    passes of a run differ by {between_passes(runs, instance, problem) / 1e3:.3f} us")


def timed(options, file, flags, instance, configurations):
    """(problem, configuration) → median, the mean of some processes."""
    words = ["verify", "--time", "--json", "--instance", instance]
    for configuration in configurations:
        words += ["--configuration", configuration]
    found = {}
    for _ in range(JUDGES):
        for row in ask(options, "", words + [file, "--"] + flags)[0]["times"]:
            found.setdefault((text(row["problem"]), row["configuration"]), []).append(row.get("median_ns", 0))
    return {key: sum(values) / len(values) for key, values in found.items()}


def show_choice(ns, instance, problem, runs, rows):
    mine = [ns[problem, one] for one in runs]
    best = min(set(runs), key=lambda one: ns[problem, one])
    equal = close(min(mine), max(mine))
    beyond = "" if max(mine) <= 1.01 * min(mine) else "  beyond 1%"
    print(f"choice {instance} {problem}: {len(set(runs))} of {len(runs)} differ, best {min(mine) / 1e3:.3f} "
          f"us, apart {apart(min(mine), max(mine))}{beyond}{'' if equal else '  DIFFERENT'}")
    for one in sorted(set(runs)):
        print(f"    {ns[problem, one] / 1e3:9.3f} us, chosen by {runs.count(one)}: {one}")
    for run, one in enumerate(runs):
        if one != best:
            print(f"        run {run}, the best: {why(rows[run], instance, problem, one, best)}")
    return not equal


def show_choices(options, file, flags, chosen, rows):
    """chosen: instance → problem → configuration of each run; rows: what each run measured."""
    failed = 0
    for instance, problems in chosen.items():
        wanted = sorted({one for runs in problems.values() for one in runs} - {"original"})
        ns = timed(options, file, flags, instance, wanted)
        logs = [0.0] * options.runs
        for problem, runs in problems.items():
            failed += show_choice(ns, instance, problem, runs, rows)
            for run, one in enumerate(runs):
                logs[run] += math.log(ns[problem, "original"] / ns[problem, one]) / len(problems)
        means = [math.exp(value) for value in logs]
        print(f"choice {instance}, geometric mean of speedups: {min(means):.3f} to {max(means):.3f}, "
              f"apart {100 * (max(means) / min(means) - 1):.2f}%")
    return failed


def write(path, head, rows):
    with open(path, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(head)
        writer.writerows(rows)


def read(path):
    """(run → rows as measured() has them, what compared() makes of them by key)"""
    runs, medians = {}, {}
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        for row in csv.DictReader(file):
            stage = row["stage"] if row["stage"] in ("search", "check") else int(row["stage"])
            numbers = [float(row[key]) for key in ("raw_median_ns", "deviation_ns", "samples", "launch_ns")]
            runs.setdefault(row["run"], []).append([row["instance"], stage, row["configuration"], row["problem"],
                                                    row["verdict"], *numbers])
    for rows in runs.values():
        for key, pair in compared(rows).items():
            medians.setdefault(key, []).append(pair)
    return list(runs.values()), medians


def main():
    words, flags = sys.argv[1:], []
    if "--" in words:
        at = words.index("--")
        words, flags = words[:at], words[at + 1:]
    parser = argparse.ArgumentParser()
    parser.add_argument("--ktcc")
    parser.add_argument("--out")
    parser.add_argument("--read")
    parser.add_argument("--reference", type=float, default=0)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--budget", default="20")
    parser.add_argument("--work", default="repeat.work")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args(words)
    if options.read:
        runs, medians = read(options.read)
        failed = show_medians(medians, options.reference, len(runs))
        show_common(runs, options.reference)
        sys.exit(failed != 0)
    if not (options.ktcc and options.out and options.files):
        parser.error("--ktcc, --out and a file, or --read")
    rows, medians, failed, chosen, known = [], {}, 0, {}, {}
    tune(options, options.files[0], flags, 1, f"{options.work}/first", "1n,5s")
    for file in options.files:
        for run in range(options.runs):
            cases, recording = tune(options, file, flags, run + 1, f"{options.work}/{os.path.basename(file)}-{run}",
                                    options.budget)
            for case in cases:
                for problem, configuration, ns in choices(case["entry"]):
                    rows.append([case["instance"], problem, run, configuration, ns, case["tried"],
                                 case["entry"]["search"]["legal"]])
                    of = chosen.setdefault(file, {}).setdefault(case["instance"], {})
                    of.setdefault(problem, []).append(configuration)
            known.setdefault(file, []).append(measured(recording))
            for key, pair in compared(known[file][-1]).items():
                medians.setdefault(key, []).append(pair)
    stem = os.path.splitext(options.out)[0]
    write(options.out, ["instance", "problem", "run", "configuration", "median_ns", "tried", "legal"], rows)
    write(f"{stem}-medians.csv", ["instance", "problem", "configuration", "raw_median_ns", "launch_ns"],
          ([*key, *(round(value, 1) for value in pair)] for key, pairs in medians.items() for pair in pairs))
    write(f"{stem}-runs.csv", ["run", "instance", "stage", "configuration", "problem", "verdict", "raw_median_ns",
                               "deviation_ns", "samples", "launch_ns"],
          ([run, *row[:5], *(round(value, 1) for value in row[5:])] for runs in known.values()
           for run, measurements in enumerate(runs) for row in measurements))
    reference = ask(options, "", ["doctor", "--floor", "--json"]).get("launch_ns", 0)
    print(f"an empty kernel on record: {reference / 1e3:.3f} us; in the runs "
          f"{min(pair[1] for pairs in medians.values() for pair in pairs) / 1e3:.3f} to "
          f"{max(pair[1] for pairs in medians.values() for pair in pairs) / 1e3:.3f} us")
    failed += show_medians(medians, reference, options.runs)
    for file, instances in chosen.items():
        show_common(known[file], reference)
        failed += show_choices(options, file, flags, instances, known[file])
    sys.exit(failed != 0)


main()
