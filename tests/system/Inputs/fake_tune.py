#!/usr/bin/env python3
"""Stands for ktcc in plain_kernels.test: answers `tune` with one entry, made up from the file's name.

`loses`: a candidate was wrong. `stays`: no entry. Anything else: a gain of 2 on one problem, none on another.
"""
import json
import os
import sys

file = next(word for word in sys.argv if word.endswith(".cu"))
name = os.path.basename(file)[:-len(".cu")]
pragma = next(line for line in open(file) if line.startswith("#pragma ktune"))
case = {"region": name, "instance": f"{name}<__half>", "reason": "", "wall": {"total_s": 1.5}, "tried": 12, "wrong": 0,
        "uncompiled": 0}
if name == "stays":
    case.update(reason="nothing-to-tune", detail="no parameter to tune")
else:
    case["entry"] = {
        "baseline_best": False, "configuration": {"VEC": 8},
        "specialised": [{"when": "n <= 16", "configuration": {"VEC": 4}}],
        "template": {"strategies": [{"name": "vectorize"}] + [{"name": "auto"}] * ("auto(" in pragma)},
        "problems": [{"problem": {"n": 16}, "baseline_ns": 4000, "general_ns": 2500, "tuned_ns": 2000, "floor_ns": 1900,
                      "variant": 1},
                     {"problem": {"n": 17}, "baseline_ns": 4000, "general_ns": 3990, "tuned_ns": 3990,
                      "floor_ns": 3900}]}
if name == "loses":
    case.update(wrong=1, first_wrong={"configuration": "VEC=16", "verdict": "wrong-answer"})
print(json.dumps([case]))
sys.exit(100 if name == "stays" else 0)
