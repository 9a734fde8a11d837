#!/usr/bin/env python3
"""Checks the Python package: python_tuner.py expressions KTCC | live KERNEL.cl | mistakes KERNEL.cl."""
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile

from ktcc.annotate import Buffer, Problem, Scalar, annotate
from ktcc.expressions import ExpressionError, translate
from ktcc.tuner import TuningError, read_t1, tune_kernel

VALUES = {"a": [1, 2, 3, 5, 8, 16], "b": [0, 1, 2, 7, 32], "c": [1, 4]}
# Each with its own meaning in Python: chains, precedence, truth of integers, membership, powers.
EXPRESSIONS = [
    "a * b <= 32", "1 < a <= 8", "a == 2 or b == 7 and c == 4", "not a % 2", "a in [1, 3, 16] and b not in (0, 7)", "a // 2 == b",
    "(a if b else c) > 2", "min(a, b, c) == 1", "max(a, b) % 3 == 1", "2 ** c == a", "a ** 2 < 70", "a & 1 == 1", "a | b > 8",
    "a << 1 == b or a ^ b == 3", "-a + b > 0", "~b < -1", "bool(b) == True", "int(a > b) + c == 5", 'p["a"] != p["b"]',
    "a < b < 40 != c", "a - b - c == 0", "a // 2 // 2 == 1",
]
REFUSED = {"a / 2 == 1": "column 1: '/' makes a fraction", "d > 1": "'d' is no parameter; the parameters are a, b, c",
           "a > 1.5": "column 5: 1.5 is no integer", "a ** b > 2": "'**' needs the base 2", "a is 2": "write ==",
           "a in b": "'in' needs a list", "__import__('os').system('true')": "not supported", "a >": "write a Python expression",
           "[x for x in [1]]": "ListComp is not supported", "a == 'x'": "'x' is no integer", "min(a)": "is not supported",
           "(lambda: 1)() == 1": "not supported", "a.real == 1": "Attribute is not supported", "a @ b": "operator MatMult"}


def source(restrictions):
    kernel = "__global__ void k(float *y, const float *x, int n)\n{\n\tfor (int i = a; i < n; i += b + c)\n\t\ty[i] = x[i];\n}\n"
    return annotate(Problem("k", kernel, [Buffer("float32", 64), Buffer("float32", 64), Scalar("int32", 64)], VALUES, ["1"], ["32"], restrictions))


def legal(ktcc, restrictions):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.cu")
        with open(path, "w") as file:
            file.write(source(restrictions))
        done = subprocess.run([ktcc, "space", "--json", "--device", "sm_90", path, "--", "-arch=sm_90"], capture_output=True, text=True)
        assert done.returncode == 0, (restrictions, done.stderr)
        return json.loads(done.stdout)["legal"]


def check_expressions(ktcc):
    """How many configurations ktcc finds legal is how many Python does."""
    points = [dict(zip(VALUES, point)) for point in itertools.product(*VALUES.values())]
    for text in EXPRESSIONS:
        expected = sum(bool(eval(text, {"p": point}, dict(point))) for point in points)
        assert 0 < expected < len(points), f"{text}: does not tell anything apart"
        found = legal(ktcc, [text])
        assert found == expected, (text, translate(text, list(VALUES)), found, expected)
    for text, why in REFUSED.items():
        try:
            translate(text, list(VALUES))
        except ExpressionError as error:
            assert why in str(error) and f"restriction '{text}'" in str(error), (text, str(error))
        else:
            raise AssertionError(f"{text}: was translated")
    try:
        translate("a % 3 == 1", ["a"], negative=True)
    except ExpressionError as error:
        assert "negative" in str(error)
    else:
        raise AssertionError("a remainder of negative values was translated")


def check_live(kernel):
    n, seen = 1 << 14, []
    arguments = [Buffer("float32", n, 0, 1), Buffer("float32", n, -1, 1), Buffer("float32", n, -1, 1), Scalar("int32", n)]
    records, environment = tune_kernel("vector_add", kernel, n, arguments, {"block_size_x": [16, 32, 64], "items": [1, 2]},
                                       grid_div_x=["block_size_x", "items"], restrictions=["32 <= block_size_x * items <= 64"],
                                       strategy="brute_force", strategy_options={"time_limit": 30}, progress=seen.append)
    allowed = {(32, 1), (16, 2), (64, 1), (32, 2)}
    found = {(record["block_size_x"], record["items"]): record for record in records}
    assert found and set(found) <= allowed and len(found) == len(records), records
    assert all(record["time"] > 0 and record["verdict"] == "correct" for record in records), records
    assert environment["best_config"] == min(records, key=lambda record: record["time"])
    assert environment["entry"]["instance"] == "vector_add" and environment["device_name"], environment
    assert seen[0]["event"] == "progress" and seen[-1]["event"] == "done", seen


def fails(error, text, *arguments, **options):
    try:
        tune_kernel(*arguments, **options)
    except error as found:
        assert text in str(found), str(found)
    else:
        raise AssertionError(f"no {error.__name__}: {text}")


def check_mistakes(kernel):
    n = 64
    buffers = [Buffer("float32", n)] * 3
    good = ("vector_add", kernel, n, [*buffers, Scalar("int32", n)], {"block_size_x": [16], "items": [1]})
    fails(TypeError, "'answer' is not supported: results are compared", *good, answer=[])
    fails(TypeError, "restrictions that are functions", *good, restrictions=lambda p: True)
    fails(ValueError, "strategy 'pso' is not supported; use one of brute_force", *good, strategy="pso")
    fails(ValueError, "strategy option 'popsize' is not supported", *good, strategy_options={"popsize": 3})
    fails(ValueError, "has 4 parameters and 3 arguments", "vector_add", kernel, n, buffers, {"items": [1]})
    fails(ValueError, "kernel 'nothing' is not defined in the source", "nothing", *good[1:])
    fails(ValueError, "parameter 'items' has the value 1.5; use integers", *good[:4], {"items": [1.5]})
    fails(ExpressionError, "'other' is no parameter", *good, restrictions=["other > 1"])
    fails(TuningError, "ktcc", *good, compiler_options=["-DUNBALANCED=("], lang="OpenCL", strategy_options={"time_limit": 1, "max_fevals": 0})


def check_t1(path, ktcc):
    """A T1 file and the source that is made of it have the same space."""
    problem, _ = read_t1(path)
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "k.cl")
        with open(copy, "w") as file:
            file.write(annotate(problem))
        counts = [json.loads(subprocess.run([ktcc, "space", "--json", *words], check=True, capture_output=True, text=True).stdout)["legal"]
                  for words in (["--t1", path], [copy])]
    assert counts[0] == counts[1] > 1 and not math.isnan(counts[0]), counts


if __name__ == "__main__":
    {"expressions": check_expressions, "live": check_live, "mistakes": check_mistakes, "t1": check_t1}[sys.argv[1]](*sys.argv[2:])
