#!/usr/bin/env python3
"""A SYNTHETIC recording of tuning a kernel by the IR or with bounds alone: nothing in it was measured.

  recording.py HEADER KERNEL PROBLEM[,PROBLEM…] NAME=VALUE[,VALUE…]…

The first line is that of the recording HEADER; of each parameter the last value is the best."""
import itertools
import json
import sys

header, kernel, problems, *parameters = sys.argv[1:]
names = [word.split("=")[0] for word in parameters]
lists = [[int(value) for value in word.split("=")[1].split(",")] for word in parameters]


def timing(ns):
    return {"median_ns": ns, "mean_ns": ns, "min_ns": ns, "deviation_ns": 1, "samples": 100}


def row(kind, problem, **more):
    print(json.dumps({"kind": kind, "name": kernel, "instance": kernel, **more, "problem": problem}))


print(open(header).readline().strip())
for problem in problems.split(","):
    row("region", problem, skipped=False, nondeterministic=False)
    row("floor", problem, floor_ns=500)
    row("compare", problem, configuration="", timing=timing(4000))
    for chosen in itertools.product(*lists):
        text = " ".join(f"{name}={value}" for name, value in zip(names, chosen))
        ns = 4000 - sum(300 * values.index(value) for values, value in zip(lists, chosen))
        row("try", problem, configuration=text, verdict="ok", timing=timing(ns), registers=24, local_bytes=0, shared_bytes=0,
            occupancy_blocks=4)
        row("compare", problem, configuration=text, timing=timing(ns))
