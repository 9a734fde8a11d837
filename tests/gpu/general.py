#!/usr/bin/env python3
"""Kernels tuned for the sizes of their pragma, and run on sizes that it does not list.

  general.py --ktcc KTCC --out FILE.csv [--only REGEX] [--budget 10] [--rounds 3] [--regret] [--space]

Each file of tests/gpu/general is compiled by nvcc, tuned from cold, and compiled again by ktcc, which takes the entry
of that tuning. Both programs check every result against double precision; they run by turns, and a figure is the median
over the rounds. A row a shape:

  kernel, kind, shape, plain_us, served_us, gain, regret, plain_error, served_error, state, reason

  kind            what is particular of the shape: odd, prime, small, one, between, large, …; misaligned: every
                  buffer begins one element after an aligned address
  gain            plain_us / served_us
  regret          --regret: the gain of a separate tuning that lists all the shapes, divided by this gain
  plain_error     of the file as nvcc compiles it, as a share of what is allowed; served_error: of what ktcc emits
  state           ok, wrong, outside (a byte beside an output changed); of what ktcc emits
  reason          why the kernel is as written

Ends with 1 where a result is wrong, or a shape is slower than the plain one by more than 3 % and 0.15 us.

--space needs no GPU: a line a kernel with its configurations, and on how many of the sizes that no problem lists a single
one of them runs. It ends with 1 where a kernel has no second configuration, or where no configuration runs on all sizes.
"""
import argparse
import concurrent.futures
import glob
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys

import tuning

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = ["kernel", "kind", "shape", "plain_us", "served_us", "gain", "regret", "plain_error", "served_error", "state", "reason"]
SLOWER, BESIDE_US = 1.03, 0.15


def build(command, options, source, program, settings=None):
    done = subprocess.run([*command, f"-arch={options.arch}", "-std=c++17", "-o", program, source], capture_output=True, text=True,
                          env=settings)
    if done.returncode:
        raise tuning.Failed(f"{source}: {done.stderr.strip()[-600:]}")


def measured(program):
    """{(kind, shape): (us, error, state)} in the program's order."""
    done = subprocess.run([program], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise tuning.Failed(f"{program}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    found = {}
    for line in done.stdout.splitlines():
        kind, shape, us, error, state = line.split()
        found[kind, shape] = float(us), float(error), state
    return found


def by_turns(programs, rounds):
    """The same of several programs: medians of the times, the worst of the errors."""
    runs = [[measured(program) for program in programs] for _ in range(rounds)]
    return [{key: (statistics.median(run[which][key][0] for run in runs), max(run[which][key][1] for run in runs),
                   next((run[which][key][2] for run in runs if run[which][key][2] != "ok"), "ok"))
             for key in runs[0][which]} for which in range(len(programs))]


def with_shapes(source, program, folder):
    """A copy of the file whose pragma lists all the shapes."""
    lines = subprocess.run([program, "--shapes"], capture_output=True, text=True, check=True).stdout.splitlines()
    names = lines[0].split()
    shapes = dict.fromkeys(tuple(line.split()[1:]) for line in lines[1:])
    left = names[0] if len(names) == 1 else f"({', '.join(names)})"
    right = ", ".join(shape[0] if len(names) == 1 else f"({', '.join(shape)})" for shape in shapes)
    with open(source) as text:
        changed, count = re.subn(r"problem\((?:[^()]|\([^()]*\))*\)", f"problem({left} = {right})", text.read(), count=1)
    assert count == 1, source
    os.makedirs(folder, exist_ok=True)
    shutil.copy(f"{HERE}/general/bench.h", folder)
    to = f"{folder}/{os.path.basename(source)}"
    with open(to, "w") as out:
        out.write(changed)
    return to


def tuned(options, name, source):
    """(program, reason): tuned from cold, and built by ktcc from what was found."""
    folder = os.path.abspath(f"{options.work}/{name}")
    cases, _ = tuning.tune(options, name, source, [])
    # What that tuning found, and nothing further.
    settings = {**tuning.environment(options, folder), "KTUNE_MODE": "cached"}
    build([options.ktcc, options.nvcc], options, source, f"{folder}/served", settings)
    case = cases[0] if cases else {"reason": "no region"}
    return f"{folder}/served", "" if case.get("entry") else f"{case['reason']}: {case.get('detail', '')}".rstrip(": ")


def rows(options, name, source, plain):
    served, reason = tuned(options, name, source)
    programs = [plain, served]
    if options.regret:
        copy = with_shapes(source, plain, os.path.abspath(f"{options.work}/{name}-listed-source"))
        programs.append(tuned(options, f"{name}-listed", copy)[0])
    found = by_turns(programs, options.rounds)
    for (kind, shape), (us, error, _) in found[0].items():
        served_us, served_error, state = found[1][kind, shape]
        row = {"kernel": name, "kind": kind, "shape": shape.replace(",", " "), "plain_us": round(us, 2),
               "served_us": round(served_us, 2), "gain": round(us / served_us, 3), "plain_error": error,
               "served_error": served_error, "state": state, "reason": reason}
        if options.regret:
            row["regret"] = round(served_us / found[2][kind, shape][0], 3)
        yield row


def space(options, source):
    """[(configurations, sizes that one of them runs on, sizes)] of a file's region instances; why there is none, as text."""
    done = subprocess.run([options.ktcc, "space", "--json", "--device", options.arch, source, "--", f"-arch={options.arch}",
                           "-std=c++17"], capture_output=True, text=True)
    try:
        answer, found, at = [], done.stdout.strip(), 0
        while at < len(found):
            one, end = json.JSONDecoder().raw_decode(found[at:])
            answer += one if isinstance(one, list) else [one]
            at += end + len(found[at + end:]) - len(found[at + end:].lstrip())
    except json.JSONDecodeError:
        answer = []
    cases = [(case["feasible"], case["unlisted"]["most"], len(case["unlisted"]["sizes"])) for case in answer if "unlisted" in case]
    return cases, "" if cases else (done.stderr.strip() or "no region").splitlines()[-1]


def spaces(options, sources):
    """The number of kernels that the short form refuses."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        answers = list(pool.map(lambda source: space(options, source), sources.values()))
    refused = 0
    for name, (cases, reason) in zip(sources, answers):
        good = bool(cases) and all(count > 1 and most == sizes for count, most, sizes in cases)
        refused += not good
        for count, most, sizes in cases:
            print(f"{name}: {count} configurations, one of them runs on {most} of {sizes} sizes that no problem lists"
                  f"{'' if good else ' REFUSED'}")
        if not cases:
            print(f"{name}: REFUSED: {reason}")
    print(f"{len(sources) - refused} of {len(sources)} kernels have a space, and a configuration for every size")
    return refused


def mean(values):
    values = list(values)
    return math.exp(statistics.fmean(map(math.log, values))) if values else float("nan")


def summary(table):
    """Prints it; whether every result is right and no shape is slower than it was."""
    kernels = dict.fromkeys(row["kernel"] for row in table)
    for name in kernels:
        of = [row for row in table if row["kernel"] == name]
        print(f"{name}: {mean(row['gain'] for row in of):.2f}x, least {min(row['gain'] for row in of):.2f} {of[0]['reason']}")
    for kind in dict.fromkeys(row["kind"] for row in table):
        of = [row["gain"] for row in table if row["kind"] == kind]
        print(f"  {kind}: {mean(of):.2f}x over {len(of)}")
    bad = [row for row in table if row["state"] != "ok"]
    slower = [row for row in table if row["served_us"] > row["plain_us"] * SLOWER + BESIDE_US]
    accepted = [row for row in table if not row["reason"]]
    print(f"{len(kernels)} kernels, {len(table)} shapes that no pragma lists: {mean(row['gain'] for row in table):.3f}x; "
          f"{len({row['kernel'] for row in accepted})} tuned: {mean(row['gain'] for row in accepted):.3f}x; {len(slower)} slower, "
          f"{len(bad)} wrong")
    for row in bad + slower:
        print(f"  {row['kernel']} {row['kind']} {row['shape']}: {row['plain_us']} us, {row['served_us']} us, {row['state']}")
    if any(row.get("regret") for row in table):
        print(f"regret {mean(row['regret'] for row in table):.3f}")
    return not bad and not slower


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tuning.arguments(parser, "build/gpu/work/general")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--regret", action="store_true")
    parser.add_argument("--space", action="store_true")
    options = parser.parse_args()
    sources = {os.path.basename(path)[:-3]: path for path in sorted(glob.glob(f"{HERE}/general/*.cu"))}
    sources = {name: path for name, path in sources.items() if re.search(options.only, name)}
    if options.space:
        sys.exit(spaces(options, sources) != 0)
    os.makedirs(options.work, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        plain = {name: os.path.abspath(f"{options.work}/{name}-plain") for name in sources}
        list(pool.map(lambda name: build([options.nvcc], options, sources[name], plain[name]), sources))
    table = []
    for name, source in sources.items():
        try:
            table += rows(options, name, source, plain[name])
        except (tuning.Failed, subprocess.TimeoutExpired) as error:
            print(f"{name}: {error}", flush=True)
            table.append({"kernel": name, "kind": "none", "shape": "", "plain_us": 1, "served_us": 1, "gain": 1, "state": "failed",
                          "reason": str(error)[:200]})
        for row in table:
            if row["kernel"] == name:
                print("  ".join(str(row.get(column, "")) for column in COLUMNS), flush=True)
        tuning.write(options.out, table, COLUMNS)
    sys.exit(not summary(table))


if __name__ == "__main__":
    main()
