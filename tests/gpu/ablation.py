#!/usr/bin/env python3
"""What parameters gain, what structure gains, and what both do together: the same kernels tuned with some strategies
only.

  ablation.py --ktcc KTCC --out FILE.csv [--only REGEX] [--budget 10] [--modes parameters,structure,both] [--each]

  parameters   geometry, launch bounds and unrolling; the kernel keeps its structure
  structure    every other strategy; blocks keep the threads that they have
  both         all strategies, as without an auto clause
  NAME         one structural strategy by itself (--each: all of them, a mode each)

Kernels: the plain samples and the collection; --only chooses (default: DEFAULT). The pragma of a copy gets `auto(…)`.
FILE.csv has a row a mode, kernel, instance and problem: the columns of tuning.py, and `general_speedup`, what the
variant for all problems reaches there; FILE.md the geometric means. Fails where a candidate was wrong, or did not
compile, or ktcc gave no answer.
"""
import argparse
import glob
import os
import re
import shutil
import sys

import tuning

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.abspath(f"{HERE}/../../samples")
PLAIN = ["silu_and_mul", "fused_add_rmsnorm", "merge_attn_states"]
PARAMETERS = ["geometry", "bounds", "unroll"]
STRUCTURE = ["vectorize", "coarsen", "constants", "narrow", "hoist", "cache_hints", "shuffle", "row_cache",
             "warp_row", "cluster", "fast_math", "fuse", "tile", "patch", "parts", "privatize",
             "restrict", "divide"]
DEFAULT = "^(silu_and_mul|merge_attn_states|fused_add_rmsnorm|rmsnorm|row_softmax|bias_gelu|axpy|dot)$"


def strategies(mode):
    """What the auto clause names; None: no clause."""
    return {"parameters": PARAMETERS, "structure": STRUCTURE, "both": None}.get(mode, [mode])


def annotate(path, names):
    """Every region of the file is tuned with these strategies only."""
    text = open(path).read()
    if names is not None:
        text, count = re.subn(r"^([ \t]*#[ \t]*pragma[ \t]+ktune)\b", rf"\1 auto({', '.join(names)})", text,
                              flags=re.MULTILINE)
        if count == 0:
            sys.exit(f"{path}: no pragma")
    with open(path, "w") as out:
        out.write(text)


def jobs(options, mode):
    for folder, name in [(f"{SAMPLES}/{name}", name) for name in PLAIN] + [
            (f"{HERE}/collection", os.path.basename(file)[:-3])
            for file in sorted(glob.glob(f"{HERE}/collection/*.cu"))]:
        if not re.search(options.only, name):
            continue
        copy = os.path.abspath(f"{options.work}/copies/{mode}/{name}")
        shutil.rmtree(copy, ignore_errors=True)
        os.makedirs(copy)
        shutil.copytree(f"{SAMPLES}/common", f"{os.path.dirname(copy)}/common", dirs_exist_ok=True)
        for file in [f"{folder}/{name}.cu"] + glob.glob(f"{folder}/*.h") + glob.glob(f"{folder}/*.cuh"):
            shutil.copy(file, copy)
        annotate(f"{copy}/{name}.cu", strategies(mode))
        yield name, f"{copy}/{name}.cu"


def general(cases):
    """(instance, problem) → gain of the general variant there."""
    found = {}
    for case in cases:
        entry = case.get("entry")
        for problem in entry["problems"] if entry else []:
            time = problem["baseline_ns"] if entry["baseline_best"] else problem.get("general_ns",
                                                                                     problem.get("tuned_ns"))
            found[case.get("instance", case["region"]),
                  tuning.words(problem["problem"])] = problem["baseline_ns"] / time
    return found


def mean(table, kernel, mode, column):
    values = [row.get(column) or 1.0 for row in table if row["kernel"] == kernel and row["mode"] == mode]
    return tuning.geomean(values)


def markdown(path, table, modes):
    kernels = sorted({row["kernel"] for row in table})
    with open(path, "w") as out:
        out.write("Geometric means of the gain over the kernel as written, over instances and problems.\n\n")
        out.write("| kernel | " + " | ".join(modes) + " | both, general variant alone |\n")
        out.write("| --- |" + " ---: |" * (len(modes) + 1) + "\n")
        means = {mode: [mean(table, kernel, mode, "speedup") for kernel in kernels] for mode in modes}
        alone = [mean(table, kernel, "both", "general_speedup") for kernel in kernels]
        for i, kernel in enumerate(kernels):
            out.write(f"| {kernel} | " + " | ".join(f"{means[mode][i]:.2f}" for mode in modes) +
                      f" | {alone[i]:.2f} |\n")
        out.write("| all | " + " | ".join(f"{tuning.geomean(means[mode]):.2f}" for mode in modes)
                  + f" | {tuning.geomean(alone):.2f} |\n")


def main():
    parser = argparse.ArgumentParser()
    tuning.arguments(parser, "ablation.work")
    parser.add_argument("--modes", default="parameters,structure,both")
    parser.add_argument("--each", action="store_true")
    options = parser.parse_args()
    options.only = options.only or DEFAULT
    options.out = options.out or f"{options.work}/ablation.csv"
    modes = options.modes.split(",") + (STRUCTURE if options.each else [])
    os.makedirs(options.work, exist_ok=True)
    table, failed = [], []
    for mode in modes:
        for name, file in jobs(options, mode):
            try:
                cases, wall = tuning.tune(options, f"{mode}/{name}", file, [])
            except tuning.Failed as failure:
                failed.append(f"{mode} {failure}")
                continue
            gains = general(cases)
            for row in tuning.rows(name, cases, wall):
                row.update(mode=mode, general_speedup=round(gains.get((row["instance"], row.get("problem")), 1.0), 3))
                table.append(row)
            failed += [f"{mode} {name}: {case['wrong']} wrong, {case['uncompiled']} did not compile: "
                       f"{case.get('first_wrong')}"
                       for case in cases if case.get("wrong") or case.get("uncompiled")]
            tuning.write(options.out, table, ["mode", *tuning.COLUMNS, "general_speedup"])
            print(f"{mode:12} {name:24} {mean(table, name, mode, 'speedup'):.2f}x", flush=True)
    path = options.out.removesuffix(".csv") + ".md"
    markdown(path, table, modes)
    print(open(path).read())
    print("\n".join(failed))
    sys.exit(bool(failed or not table))


if __name__ == "__main__":
    main()
