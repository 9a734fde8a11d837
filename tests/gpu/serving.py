#!/usr/bin/env python3
"""The plain kernels of the samples beside PyTorch, Triton and kernels written by hand, in one run on one GPU.

  serving.py --ktcc KTCC --out FILE.csv [--quick] [--budget B] [--lock DIR] [--only REGEX] [--types f16,bf16]
             [--rows 16,4096] [--no-compile] [--repetitions 150]

Tunes the three files from cold (or takes the entries of --lock), builds them with and without ktcc, checks every
contestant against double precision, and times all of them in turns: serving/timing.py says how. Contestants:

  plain            the sample, by nvcc                 triton           serving/triton_kernels.py at its best
  tuned            the sample, by ktcc                 compile          torch.compile, max-autotune, of the expression
  production       serving/production.cu               eager            PyTorch's own kernel, where it has one
  production-fast  the same with --use_fast_math       torch-copy       a copy of as many bytes by PyTorch
  floor            reads and writes what the problem has to, nothing else: the best of five shapes of a copy

Beside FILE.csv, a row a contestant and problem, stand FILE.md, a line a problem, and FILE.tuning.csv with the wall time
of tuning. `floor_us` of a problem is the runner's own floor from the entry, and the one measured here where there is
none. Exit code 1 where a bar of BARS is missed, each of which is named. --quick: fp16, the least and the most rows, the
first width, 15 s a region: four minutes at most.
"""
import argparse
import ctypes
import csv
import os
import re
import subprocess
import sys
import time

import tuning

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.abspath(f"{HERE}/../../samples")
FLAGS = ["-O3", "-Xcompiler", "-fPIC"]

TYPES = {"silu_and_mul": ["f16", "bf16"], "merge_attn_states": ["f16", "bf16"],
         "fused_add_rmsnorm": ["f32", "f16", "bf16"]}
ROWS = [16, 256, 4096]
WIDTHS = {"silu_and_mul": [{"D": 11008}, {"D": 28672}],
          "merge_attn_states": [{"heads": 32, "head_dim": 256}, {"heads": 64, "head_dim": 128}],
          "fused_add_rmsnorm": [{"d": 4096}, {"d": 8192}]}
ROW_NAME = {"silu_and_mul": "B", "merge_attn_states": "tokens", "fused_add_rmsnorm": "rows"}
# Sizes that nothing was tuned for: the general variant serves them.
UNSEEN = [("merge_attn_states", {"tokens": 512, "heads": 32, "head_dim": 256})]

# What is asked for. Shares of the floor by rows (4096: of one kernel another), of the best contestant at 16 rows, the
# most by which the better of Triton and torch.compile may be ahead, the least gain over the plain kernel, and seconds.
OF_FLOOR = {4096: 0.97, 256: 0.93}
OF_FLOOR_OF = {("fused_add_rmsnorm", 4096): 0.95}
OF_BEST_AT_16 = 0.95
BEHIND = 1.02
OVER_PLAIN = {"silu_and_mul": 6.0, "merge_attn_states": 6.0}
WALL_S = 60.0
COLUMNS = ["kernel", "type", "problem", "contestant", "median_us", "deviation_us", "least_us", "samples", "floor_us",
           "of_floor", "read_bytes", "write_bytes"]
SHOWN = ["plain", "tuned", "triton", "compile", "eager", "production", "production-fast", "torch-copy", "floor"]


def command(words, **more):
    done = subprocess.run(words, capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr}{done.stdout}")
    return done


def kernels(options):
    return [name for name in TYPES if re.search(options.only, name)]


def type_of(case):
    """A region instance's element type, from its name or that of its template argument."""
    text = f"{case['region']} {case.get('instance', '')}"
    for pattern, name in ((r"bf16|bfloat16", "bf16"), (r"f16|half", "f16")):
        if re.search(pattern, text):
            return name
    return "f32"


def tune_all(options):
    """({(kernel, type): problems of its entry}, rows of the wall time)"""
    entries, walls = {}, []
    for name in kernels(options):
        cases, wall = tuning.tune(options, name, f"{SAMPLES}/{name}/{name}.cu", FLAGS)
        print(f"{name}: tuned in {wall:.1f} s", flush=True)
        for row in tuning.rows(name, cases, wall):
            walls.append(dict(row, process_s=round(wall, 1)))
        for case in cases:
            if case.get("entry"):
                entries[name, type_of(case)] = case["entry"]["problems"]
            else:
                print(f"{name}: {case['region']} {case.get('instance', '')}: {case['reason']} {case.get('detail', '')}")
    return entries, walls


def build(options):
    """Shared libraries: name → path."""
    work = os.path.abspath(options.work)
    base = [options.nvcc, "-std=c++17", f"-arch={options.arch}", *FLAGS]
    os.makedirs(work, exist_ok=True)
    command([*base, "-c", f"{HERE}/serving/entries.cu", "-o", f"{work}/entries.o"])
    objects = {"plain": [f"{work}/entries.o"], "tuned": [f"{work}/entries.o"]}
    # The C names stand for all three; one that --only leaves out is compiled unmodified.
    for name in TYPES:
        source = f"{SAMPLES}/{name}/{name}.cu"
        command([*base, "-c", source, "-o", f"{work}/plain_{name}.o"])
        environment = tuning.environment(options, f"{work}/{name}")
        if options.lock:
            environment["KTUNE_LOCK_DIR"] = os.path.abspath(options.lock)
        environment.update(KTUNE_MODE="cached")
        said = command([options.ktcc, *base, "-c", source, "-o", f"{work}/tuned_{name}.o"], env=environment)
        print(said.stderr, end="", flush=True)
        objects["plain"].append(f"{work}/plain_{name}.o")
        objects["tuned"].append(f"{work}/tuned_{name}.o")
    libraries = {}
    for name, parts in objects.items():
        libraries[name] = f"{work}/{name}.so"
        command([*base, "-Xlinker", "-Bsymbolic", "-shared", *parts, "-o", libraries[name]])
    for name, more in (("production", []), ("fast", ["--use_fast_math"])):
        libraries[name] = f"{work}/{name}.so"
        command([*base, *more, "-Xlinker", "-Bsymbolic", "-shared", f"{HERE}/serving/production.cu", "-o",
                 libraries[name]])
    return libraries


def problems(options):
    """(kernel, type, variables)"""
    for name in kernels(options):
        for type_name in TYPES[name]:
            if type_name not in options.types:
                continue
            for rows in options.rows:
                for width in WIDTHS[name][:1] if options.quick else WIDTHS[name]:
                    yield name, type_name, {ROW_NAME[name]: rows, **width}
            for other, n in UNSEEN:
                if other == name and not options.quick:
                    yield name, type_name, n


def entry_floor(entries, name, type_name, n):
    for problem in entries.get((name, type_name), []):
        if all(problem["problem"].get(variable) == value for variable, value in n.items()):
            return problem.get("floor_ns", 0) / 1e3 or None
    return None


def measure(options, entries, libraries):
    """Rows of the CSV, and one dictionary a problem."""
    sys.path.insert(0, f"{HERE}/serving")
    import torch
    import contestants
    import timing

    loaded = {name: ctypes.CDLL(path) for name, path in libraries.items()}
    clock = timing.Clock(loaded["production"])
    multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
    table, lines = [], []
    for name, type_name, n in problems(options):
        begin = time.monotonic()
        case = contestants.KERNELS[name](type_name, n, clock)
        torch.cuda.synchronize()
        calls = case.calls(loaded, options)
        for contestant, call in calls.items():
            case.check(contestant, call)
            for library in ("plain", "tuned", "production", "fast"):
                error = loaded[library].last_error()
                assert error == 0, f"{contestant}: CUDA error {error} for {type_name} {case.problem}"
        copies = contestants.copies(case, loaded["production"], multiprocessors)
        calls["torch-copy"] = copies.pop("torch-copy")
        calls["floor"] = min(copies.values(), key=lambda copy: clock.quick(copy, case.sets))
        found = clock.compare(calls, case.sets, options.repetitions)
        floor = entry_floor(entries, name, type_name, n) or found["floor"]["median_us"]
        for contestant, result in found.items():
            table.append({"kernel": name, "type": type_name, "problem": case.problem, "contestant": contestant,
                          "samples": result["samples"], "floor_us": round(floor, 3),
                          "of_floor": round(floor / result["median_us"], 4), "read_bytes": case.read,
                          "write_bytes": case.write,
                          **{key: round(result[key], 3) for key in ("median_us", "deviation_us", "least_us")}})
        lines.append({"kernel": name, "type": type_name, "n": n, "problem": case.problem, "floor_entry": floor,
                      **{contestant: result["median_us"] for contestant, result in found.items()}})
        write(options.out, table, COLUMNS)
        print(f"{name} {type_name} {case.problem}: " +
              " ".join(f"{key} {lines[-1][key]:.2f}" for key in SHOWN if key in lines[-1])
              + f" ({time.monotonic() - begin:.1f} s)", flush=True)
        del case, calls, copies, call
        torch.cuda.empty_cache()
    return table, lines


def write(path, table, columns):
    with open(path, "w", newline="") as out:
        writer = csv.DictWriter(out, columns, restval="", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def best(line, names):
    return min((line[name] for name in names if name in line), default=None)


def missed(lines, walls):
    """Every bar that is not reached, as text."""
    for line in lines:
        name, rows, tuned = line["kernel"], line["n"][ROW_NAME[line["kernel"]]], line["tuned"]
        where = f"{name} {line['type']} {line['problem']}"
        share = OF_FLOOR_OF.get((name, rows), OF_FLOOR.get(rows))
        if share and line["floor_entry"] / tuned < share:
            yield f"{where}: {line['floor_entry'] / tuned:.3f} of the floor, asked for {share}"
        others = best(line, ["triton", "compile"])
        if others and tuned > BEHIND * others:
            yield f"{where}: {tuned / others:.3f} times the better of Triton and torch.compile, asked for {BEHIND}"
        everyone = best(line, ["triton", "compile", "production", "production-fast", "eager"])
        if rows == 16 and everyone and everyone / tuned < OF_BEST_AT_16:
            yield f"{where}: {everyone / tuned:.3f} of the best, asked for {OF_BEST_AT_16}"
        if rows == 4096 and name in OVER_PLAIN and line["plain"] / tuned < OVER_PLAIN[name]:
            yield f"{where}: {line['plain'] / tuned:.2f} times the plain kernel, asked for {OVER_PLAIN[name]}"
    for name in sorted({row["kernel"] for row in walls}):
        wall = max(row["process_s"] for row in walls if row["kernel"] == name)
        if wall > WALL_S:
            yield f"{name}: tuned in {wall:.1f} s, asked for {WALL_S:.0f}"


def markdown(path, lines, walls, failures):
    shown = [name for name in SHOWN if any(name in line for line in lines)]
    with open(path, "w") as out:
        out.write("Medians in µs, cold. Floor: the runner's copy of the same traffic. Best other: the fastest of "
                  "Triton, torch.compile, eager and production.\n\n")
        out.write("| kernel | type | problem | runner's floor | " + " | ".join(shown)
                  + " | of floor | best other / tuned | plain / tuned |\n")
        out.write("| --- | --- | --- |" + " ---: |" * (len(shown) + 4) + "\n")
        for line in lines:
            cells = [f"{line[name]:.2f}" if name in line else "–" for name in shown]
            others = best(line, ["triton", "compile", "production", "production-fast", "eager"])
            out.write(f"| {line['kernel']} | {line['type']} | {line['problem']} | {line['floor_entry']:.2f} | "
                      f"{' | '.join(cells)} | "
                      f"{line['floor_entry'] / line['tuned']:.3f} | {others / line['tuned']:.3f} | "
                      f"{line['plain'] / line['tuned']:.2f} |\n")
        for name in sorted({row["kernel"] for row in walls}):
            rows = [row for row in walls if row["kernel"] == name]
            out.write(f"\n{name}: tuned from cold in {rows[0]['process_s']} s; {max(row['tried'] for row in rows)} "
                      f"configurations at most, {sum(row['wrong'] for row in rows)} wrong")
        out.write("\n\n" + ("".join(f"- {failure}\n" for failure in failures) or "Every bar is reached.\n"))


def main():
    parser = argparse.ArgumentParser()
    tuning.arguments(parser, "serving.work")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--lock", help="a lock directory whose entries are used; nothing is tuned")
    parser.add_argument("--types", type=lambda text: text.split(","))
    parser.add_argument("--rows", type=lambda text: [int(word) for word in text.split(",")])
    parser.add_argument("--no-compile", dest="compile", action="store_false")
    parser.add_argument("--repetitions", type=int, default=150)
    parser.add_argument("--build-only", action="store_true", help="stop behind the build: needs no GPU and no PyTorch")
    options = parser.parse_args()
    options.types = options.types or (["f16"] if options.quick else ["f32", "f16", "bf16"])
    options.rows = options.rows or ([ROWS[0], ROWS[-1]] if options.quick else ROWS)
    options.budget = options.budget or ("15" if options.quick else None)
    options.out = options.out or f"{options.work}/serving.csv"
    os.makedirs(options.work, exist_ok=True)
    # What each region's variant did is printed when this process ends.
    os.environ["KTUNE_TRACE"] = "1"
    entries, walls = ({}, []) if options.lock or options.build_only else tune_all(options)
    base = options.out.removesuffix(".csv")
    if walls:
        write(f"{base}.tuning.csv", walls, [*tuning.COLUMNS, "process_s"])
    libraries = build(options)
    if options.build_only:
        return
    _, lines = measure(options, entries, libraries)
    failures = list(missed(lines, walls))
    markdown(f"{base}.md", lines, walls, failures)
    print(open(f"{base}.md").read())
    sys.exit(bool(failures) or not lines)


if __name__ == "__main__":
    main()
