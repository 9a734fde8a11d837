#!/usr/bin/env python3
"""A recording for tests/gpu/symbols.cu: the verdict of each form as a GPU finds it, and FORM=5 faster than the source.

usage: symbols_recording.py RECORDING: one whose first line names the device.
"""
import json
import sys

VERDICTS = {0: "ok", 1: "out-of-bounds", 2: "ok", 3: "wrong-answer", 4: "wrong-answer", 5: "ok"}
PROBLEMS = ("n=1000", "n=8000")


def timing(ns):
    return dict(median_ns=ns, mean_ns=ns, min_ns=ns, deviation_ns=ns / 1000, samples=20)


def line(kind, problem, **more):
    print(json.dumps(dict(kind=kind, name="scaled", instance="scaled", problem=problem, **more), separators=(",", ":")))


with open(sys.argv[1]) as file:
    sys.stdout.write(file.readline())
for one in PROBLEMS:
    line("region", one, skipped=False, nondeterministic=False)
    line("floor", one, floor_ns=1000.0)
    line("compare", one, configuration="", timing=timing(9000.0))
    for form, verdict in VERDICTS.items():
        ns = 3000.0 if form == 5 else 9000.0
        line("try", one, configuration=f"FORM={form}", verdict=verdict, timing=timing(ns), registers=10, local_bytes=0,
             shared_bytes=64, occupancy_blocks=4)
        line("compare", one, configuration=f"FORM={form}", timing=timing(ns))
