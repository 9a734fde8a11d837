#!/usr/bin/env python3
"""Checks the Python package: python_tuner.py expressions KTCC | live KERNEL.cl KTCC | mistakes KERNEL.cl | problems PAGE | t1 FILE KTCC | ended KERNEL.cl."""
import glob
import itertools
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import warnings

import ktcc
from ktcc.annotate import Buffer, Problem, Scalar, annotate, line_in_source, original_of
from ktcc.arguments import read_argument, stable_range
from ktcc.expressions import ExpressionError, translate
from ktcc.legal import first_legal, is_legal
from ktcc.tuner import TuningError, read_t1, tune_kernel

VALUES = {"a": [1, 2, 3, 5, 8, 16], "b": [0, 1, 2, 7, 32], "c": [1, 4]}
# Each with its own meaning in Python: chains, precedence, truth of integers, membership, powers.
EXPRESSIONS = [
    "a * b <= 32", "1 < a <= 8", "a == 2 or b == 7 and c == 4", "not a % 2", "a in [1, 3, 16] and b not in (0, 7)", "a // 2 == b",
    "(a if b else c) > 2", "min(a, b, c) == 1", "max(a, b) % 3 == 1", "2 ** c == a", "a ** 2 < 70", "a & 1 == 1", "a | b > 8",
    "a << 1 == b or a ^ b == 3", "-a + b > 0", "~b < -1", "bool(b) == True", "int(a > b) + c == 5", 'p["a"] != p["b"]',
    "a < b < 40 != c", "a - b - c == 0", "a // 2 // 2 == 1",
    "(a - b) // 2 == -2", "(a - b) % 3 == 1", "(2 - a) // (b - 4) == -1", "(2 - a) % (b - 4) == -1", "-a // 2 == -3", "(a and b) == 7", "(b or c) > 3",
    "(c if a > 2 else b and a) == 4", "min(b or 5, a) == 5", "(a > 2 and b) in (2, 32)",
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
        allowed = [point for point in points if eval(text, {"p": point}, dict(point))]
        assert [point for point in points if is_legal(point, [text])] == allowed, text
        assert first_legal(VALUES, [text]) == allowed[0], text
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


class Array:
    """What the package reads of an array of numpy's."""

    def __init__(self, dtype, values):
        self.dtype, self.values, self.size, self.ndim = dtype, values, len(values), 1

    def min(self):
        return Number(min(self.values))

    def max(self):
        return Number(max(self.values))


class Number:
    """An integer or a number of numpy's."""

    def __init__(self, value):
        self.value = value

    def item(self):
        return self.value

    def __index__(self):
        return self.value

    def __str__(self):
        return str(self.value)


def check_live(kernel, ktcc_program):
    n, seen = 1 << 14, []
    arguments = [Buffer("float32", n, 0, 1), Buffer("float32", n, -1, 1), Buffer("float32", n, -1, 1), Scalar("int32", n)]
    options = {"grid_div_x": ["block_size_x", "items"], "strategy": "brute_force", "strategy_options": {"time_limit": 30}, "atol": 1e-6}
    # The first values, 16 and 1, are not allowed: the original is the first that is.
    parameters = {"block_size_x": [16, 32, Number(64)], "items": [1, 2]}
    records, environment = ktcc.tune_kernel("vector_add", pathlib.Path(kernel), Number(n), arguments, parameters, progress=seen.append,
                                            restrictions="32 <= block_size_x * items <= 64", answer=None, quiet=True, device=0, observers=[], **options)
    allowed = {(32, 1), (16, 2), (64, 1), (32, 2)}
    found = {(record["block_size_x"], record["items"]): record for record in records}
    assert found and set(found) <= allowed and len(found) == len(records), records
    assert all(record["time"] > 0 and record["verdict"] == "ok" and "detail" in record for record in records), records
    assert environment["original"] == {"block_size_x": 16, "items": 2}, environment["original"]
    assert environment["best_sample"] == min(records, key=lambda record: record["time"])
    check_chosen(environment)
    assert environment["entry"]["instance"] == "vector_add" and environment["device_name"], environment
    assert seen[0]["event"] == "progress" and seen[-1]["event"] == "done", seen
    again, second = tune_kernel("vector_add", kernel, n, arguments, parameters, restrictions=["32 <= block_size_x * items <= 64"], **options)
    # Nothing is left to be measured: the store has the records.
    assert {(record["block_size_x"], record["items"]) for record in again} == set(found), (records, again)
    check_chosen(second)
    check_trials(records)
    check_build(ktcc_program, environment)
    check_suspicion(kernel, n, arguments)


def check_chosen(environment):
    """best_config is what the entry holds, with its own time and gain."""
    entry, best = environment["entry"], dict(environment["best_config"])
    problem = entry["problems"][0]
    assert abs(best.pop("time") - problem["tuned_ns"] * 1e-6) < 1e-9 and environment["gain"] == problem["speedup"], (environment, problem)
    assert best == entry["configuration"] and environment["flags"] == [f"-D{name}={value}" for name, value in best.items()], environment


def check_trials(records):
    """The store, read by name: the records of this problem are among them."""
    trials = ktcc.read_trials("vector_add")
    assert {len(trial) for trial in trials} == {len(trials[0])} and trials[0]["instance"] == "vector_add", trials[0]
    for record in records:
        text = f"block_size_x={record['block_size_x']} items={record['items']}"
        assert any(trial["configuration"] == text and trial["time"] == record["time"] for trial in trials), (text, trials)
    try:
        ktcc.read_trials("nothing")
    except TuningError as error:
        assert "no entry of a region of this name" in str(error), error
    else:
        raise AssertionError("trials of no region")


def check_build(ktcc_program, environment):
    """The annotated source finds the entry, and nothing but the problem's own size was measured."""
    entry = environment["entry"]
    assert list(entry["problems"][0]["problem"]) == ["problem_size_x"] and not entry.get("unlisted"), entry
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "own.cl")
        with open(path, "w") as file:
            file.write(environment["source"])
        done = subprocess.run([ktcc_program, "explain", "--json", path], capture_output=True, text=True)
        assert done.returncode == 0 and entry["keys"]["region"] in done.stdout, (done.stdout, done.stderr)


def check_suspicion(kernel, n, arguments):
    """A kernel that is right with one value alone, which is not the first."""
    with open(kernel, encoding="utf-8") as file:
        source = file.read().replace("a[i] + b[i]", "a[i] + b[i] + (factor == 1)")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        records, _ = tune_kernel("vector_add", source, n, arguments, {"block_size_x": [32], "items": [1], "factor": [1, 2, 3, 4]},
                                 strategy="brute_force", strategy_options={"time_limit": 30})
    wrong = [record for record in records if record["verdict"] == "wrong-answer"]
    assert len(wrong) == 3 and all(record["detail"] and math.isnan(record["time"]) for record in wrong), records
    assert any("3 of 3 configurations gave other results than block_size_x=32 items=1 factor=1" in str(one.message) for one in said), said


def problem(**changes):
    given = {"kernel": "k", "source": "kernel void k(global float *y, __constant float *x) { y[0] = x[0] * a * b * c; }",
             "arguments": [Buffer("float32", 64), Buffer("float32", 64)], "parameters": VALUES, "grid": ["1"], "block": ["32"], "opencl": True}
    return Problem(**{**given, **changes})


def refused(error, text, call):
    try:
        call()
    except error as found:
        assert text in str(found), str(found)
    else:
        raise AssertionError(f"no {error.__name__}: {text}")


def check_problems(page):
    # The constant address space is read only.
    assert "in(x[64]) " in annotate(problem()) and "inout(y[64])" in annotate(problem()), annotate(problem())
    # The original: the defaults where they are legal, else the first legal configuration, of those that fit a block.
    assert original_of(problem(defaults={"a": 8, "b": 2, "c": 4})) == {"a": 8, "b": 2, "c": 4}
    assert original_of(problem(defaults={"a": 8, "b": 2, "c": 4}, restrictions=["a < 8", "c > 1"])) == {"a": 1, "b": 0, "c": 4}
    assert original_of(problem(defaults={"a": 9}))["a"] == 1
    assert original_of(problem(parameters={"a": [2048, 32]}, block=["a"])) == {"a": 32}
    assert original_of(problem(parameters={"a": [2048]}, block=["a"])) == {"a": 2048}
    refused(ValueError, "no configuration of the parameters fulfils 'a > 3', 'a < 3'; relax", lambda: original_of(problem(restrictions=["a > 3", "b > 0", "a < 3"])))
    assert "tolerance(abs = 1e-06)" in annotate(problem(tolerance=1e-6)) and "tolerance" not in annotate(problem())
    # What has no text in a pragma is named, with its place.
    for value in (float("nan"), float("inf")):
        refused(ValueError, f"argument 'x' is {value}; give a finite number", lambda: annotate(problem(arguments=[Buffer("float32", 64), Scalar("float32", value)])))
        refused(ValueError, f"the tolerance is {value}; give a finite number", lambda: annotate(problem(tolerance=value)))
    refused(ValueError, "the tolerance is -1; give", lambda: annotate(problem(tolerance=-1)))
    refused(ValueError, "parameter 'x' is called like an argument of the kernel", lambda: annotate(problem(parameters={**VALUES, "x": [1]})))
    source = problem().source
    refused(ValueError, "line 2 of the source defines a, so that no value", lambda: annotate(problem(source="/* one */\n#define a 64\n" + source)))
    assert "#define a 64" in annotate(problem(source="#ifndef a\n#define a 64\n#endif\n" + source))
    assert "#define ab 64" in annotate(problem(source="// #define a 1\n#define ab 64\n" + source))
    for kind in ("complex64", "object", ">f4", "float32); evil("):
        refused(TypeError, f"argument 2 has elements of type {kind}; use one of bool", lambda: read_argument(Array(kind, [1j, "x"]), 2))
    assert " reference(right)" in annotate(problem(reference="right")) and "reference" not in annotate(problem())
    # Sizes have names that nothing else has.
    assert "problem(problem_size_x = 8; problem_size_x in 8..8; problem_size_y = 9; problem_size_y in 9..9)" in annotate(problem(sizes=[8, 9]))
    assert "problem_size_x_ = 1;" in annotate(problem(source="int problem_size_x; kernel void k(global float *y, constant float *x) { }"))
    # Arrays of other random numbers have the same range; indices stay inside theirs.
    assert stable_range(0.0003, 0.9991) == stable_range(0.00001, 0.99999) == (0.0, 1.0)
    assert stable_range(-4.2, 3.7) == stable_range(-3.9, 4.1) == (-8.0, 8.0)
    assert stable_range(0.6, 0.9) == (0.5, 1.0) and stable_range(-0.9, -0.01) == (-1.0, 0.0) and stable_range(-3.0, 255.0) == (-3.0, 255.0)
    assert stable_range(3, 255) == (3, 255) and stable_range(2, 1048569) == stable_range(2, 1048575) == (2, 983040)
    assert stable_range(1000, 1001) == (1000, 1001) and stable_range(float("nan"), 1.0) == (None, None)
    assert read_argument(Array("float32", [0.1, 0.7]), 1) == Buffer("float32", 2, 0.0625, 1.0)
    refused(ValueError, "argument 3 is None; give a numpy array", lambda: read_argument(None, 3))
    refused(TypeError, "argument 2 is of type list; give a numpy array", lambda: read_argument([1, 2], 2))
    check_t1_mistakes()
    check_t1_members()
    check_types()
    check_lines()
    check_page(page)


def check_page(page):
    """The T1 file of the documentation is one."""
    with open(page, encoding="utf-8") as file:
        example = file.read().split("```json\n")[1].split("```")[0]
    kernel = "__global__ void vector_add(float *c, const float *a, const float *b, int n) { c[BX * items + n] = a[0] + b[0]; }"
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("problem.json", example), ("vector_add.cu", kernel)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        shown, _ = read_t1(os.path.join(folder, "problem.json"))
        assert shown.block == ["BX", "1", "1"] and shown.grid == ["ceil_div(1048576, BX * items)"], shown
        assert original_of(shown) == {"BX": 128, "items": 1} and "in(b[1048576])" in annotate(shown), annotate(shown)


def t1(folder, **changes):
    kernel = {"Language": "OpenCL", "KernelName": "k", "KernelFile": "k.cl", "ProblemSize": [64], "Arguments": [
        {"Name": name, "Type": "float", "MemoryType": "Vector", "Size": 64} for name in "yx"], **changes.get("kernel", {})}
    space = {"TuningParameters": changes.get("parameters", [{"Name": "BX", "Values": "[8, 16]"}]), "Conditions": []}
    with open(os.path.join(folder, "k.cl"), "w") as file:
        file.write(changes.get("source", "kernel void k(global float *y, constant float *x) { y[0] = x[0] * BX; }"))
    path = os.path.join(folder, "p.T1.json")
    with open(path, "w") as file:
        json.dump({"ConfigurationSpace": space, "KernelSpecification": kernel}, file)
    return path


def check_t1_mistakes():
    with tempfile.TemporaryDirectory() as folder:
        refused(ValueError, "no parameter is a block size: none of block_size_x, block_size_y, block_size_z is among BX; name yours in BlockSizeNames",
                lambda: read_t1(t1(folder)))
        named, _ = read_t1(t1(folder, kernel={"BlockSizeNames": ["BX", "BY"]}))
        assert named.block == ["BX", "1", "1"] and named.grid == ["ceil_div(64, BX)"], named
        local, _ = read_t1(t1(folder, kernel={"LocalSize": {"X": "BX * 2"}, "GridDivX": ["BX", "2"]}))
        assert local.block == ["BX * 2", "1", "1"] and local.grid == ["ceil_div(64, BX * 2)"], local
        refused(ValueError, "LocalSize is given, and neither GlobalSize nor GridDivX; add GlobalSize", lambda: read_t1(t1(folder, kernel={"LocalSize": {"X": "BX"}})))
        for values in (8, "8", [8], "[8]"):
            one, _ = read_t1(t1(folder, kernel={"BlockSizeNames": ["BX"]}, parameters=[{"Name": "BX", "Values": values}]))
            assert one.parameters == {"BX": [8]}, (values, one.parameters)
        refused(ValueError, "parameter 'BX' has the Values '[2**i for i in range(3)]'; write a list", lambda: read_t1(
            t1(folder, parameters=[{"Name": "BX", "Values": "[2**i for i in range(3)]"}])))
        broken = {"BlockSizeNames": ["BX"], "Arguments": [{"MemoryType": "Vector", "Type": "float", "Size": "ProblemSize[1]"}]}
        refused(ValueError, "size 'ProblemSize[1]' has no value with ProblemSize [64]; write a number", lambda: read_t1(t1(folder, kernel=broken)))
        made = t1(folder, kernel={"BlockSizeNames": ["BX"]})
        with open(made, encoding="utf-8") as file:
            exported = {**json.load(file), "General": {"Generator": "rules"}}
        with open(made, "w", encoding="utf-8") as file:
            json.dump(exported, file)
        refused(ValueError, "its parameters are those of the generator 'rules', and no macros of KernelFile k.cl", lambda: read_t1(made))
        rules = [{"Name": "BX", "Values": "[8]"}, {"Name": "ITEMS", "Values": "[1, 2]", "Default": 0}]
        refused(ValueError, "ITEMS: used neither in KernelFile k.cl nor in the geometry", lambda: read_t1(t1(folder, kernel={"BlockSizeNames": ["BX"]}, parameters=rules)))


def said_of(folder, change, **changes):
    """The warnings about a file: `change` gets what it holds."""
    path = t1(folder, **{"kernel": {"BlockSizeNames": ["BX"]}, **changes})
    with open(path, encoding="utf-8") as file:
        held = json.load(file)
    change(held)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(held, file, indent=1)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found, _ = read_t1(path)
    return found, [str(one.message) for one in said], path


def check_t1_members():
    """Members without an effect are told, each with its place; those that only describe are not."""
    with tempfile.TemporaryDirectory() as folder:
        _, said, _ = said_of(folder, lambda held: held.update(General={"BenchmarkName": "b", "FormatVersion": 1}))
        assert said == [], said

        def misspell(held):
            held["ConfigurationSpace"]["Condition"] = held["ConfigurationSpace"].pop("Conditions")
            held["KernelSpecification"]["Arguments"][1].update(FilType="Random", RandomSeed=3)
            held["KernelSpecification"].update(Device={"Name": "x"}, Zebra=1, Stream=None)
            held["Search"] = {"Name": "pso", "Attributes": [{"Name": "popsize", "Value": "3"}]}

        found, said, path = said_of(folder, misspell)
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        expected = {"Condition": "of ConfigurationSpace is not known and has no effect; did you mean 'Conditions'?",
                    "FilType": "of Arguments is not known and has no effect; did you mean 'FillType'?",
                    "RandomSeed": "of Arguments has no effect: data is made from seeds of ktcc", "Attributes": "of Search has no effect: strategies have no",
                    "Device": "of KernelSpecification has no effect: set CUDA_VISIBLE_DEVICES", "Zebra": "of KernelSpecification is not known and has no effect; remove it"}
        assert len(said) == len(expected) and found.strategy == "pso", said
        for name, text in expected.items():
            line, = [number for number, each in enumerate(lines, 1) if f'"{name}"' in each]
            column = lines[line - 1].index(f'"{name}"') + 1
            assert any(one.startswith(f"{path}:{line}:{column}: warning: member '{name}' {text}") for one in said), (name, said)
        budget = [{"Type": "TuningDuration", "BudgetValue": 12}, {"Type": "ConfigurationCount", "BudgetValue": 40}]
        found, said, _ = said_of(folder, lambda held: held.update(Budget=budget))
        assert found.budget == "12s,40n" and said == [], (found.budget, said)
        refused(ValueError, "Budget has the Type 'ConfigurationFraction'; use TuningDuration", lambda: said_of(
            folder, lambda held: held.update(Budget=[{"Type": "ConfigurationFraction", "BudgetValue": 0.5}])))
        data = {"BlockSizeNames": ["BX"], "Arguments": [{"Type": "float", "MemoryType": "Vector", "Size": 4, "FillType": "BinaryRaw", "DataSource": "x"}] * 2}
        refused(ValueError, "argument 1 has FillType 'BinaryRaw'; Constant and Random are supported", lambda: read_t1(t1(folder, kernel=data)))
        most = {"BlockSizeNames": ["BX"], "Arguments": [{"Type": "float", "MemoryType": "Vector", "Size": "2 * max(BX) + min(BX)"}] * 2, "SharedMemory": 64}
        found, _ = read_t1(t1(folder, kernel=most))
        assert found.arguments[0].count == 40 and "smem(64)" in annotate(found), annotate(found)


def check_types():
    """Types of arguments beside those of the kernel's parameters."""
    def of(declared, *arguments, opencl=False):
        return annotate(problem(source=f"__global__ void k({declared}) {{ x[0] = a * b * c; }}", arguments=arguments, opencl=opencl))

    floats = Buffer("float32", 8)
    for declared, argument in (("float *x", floats), ("const float *__restrict__ x", Buffer("float", 8)), ("unsigned long long *x", Buffer("int64", 8)),
                               ("real *x", floats), ("unsigned x[]", Buffer("int32", 8)), ("__half *x", Buffer("float16", 8)), ("long long x", Scalar("int32", 3)),
                               ("float x", Scalar("float64", 3)), ("size_t x", Scalar("int64", 3)), ("const volatile bool *x", Buffer("bool", 8))):
        assert " x[" in of(declared, argument) or "value(x" in of(declared, argument) or "(x[" in of(declared, argument), declared
    refused(ValueError, "argument 1, 'x' is of type float32, and the kernel's parameter 'const double *x' of type double; give float64",
            lambda: of("const double *x", floats))
    refused(ValueError, "argument 1, 'x' is of type int64, and the kernel's parameter 'int *x' of type int; give int32", lambda: of("int *x", Buffer("int64", 8)))
    refused(ValueError, "argument 2, 'n' is of type float32, and the kernel's parameter 'int n' of type int; give int32",
            lambda: of("float *x, int n", floats, Scalar("float32", 3)))
    refused(ValueError, "argument 1, 'x' is a scalar, and the kernel's parameter 'float *x' is a pointer; give an array", lambda: of("float *x", Scalar("float32", 3)))
    refused(ValueError, "argument 1, 'x' is an array, and the kernel's parameter 'float x' is no pointer; give a scalar", lambda: of("float x", floats))


def check_lines():
    """Each line of an annotated source is that of the source, or was made."""
    source = "// one\ntypedef float real;\n\n// the kernel\n__global__ void k(real *y,\n\tconst real *x)\n{\n\ty[0] = x[0] * a * b * c;\n}\n"
    for text in (source, source.replace("real;\n\n// the kernel\n", "real; "), source[source.index("__global__"):], "\n\n" + source):
        shown = problem(source=text, opencl=False)
        lines, own = annotate(shown).split("\n"), text.split("\n")
        places = [line_in_source(shown, number) for number in range(1, len(lines) + 1)]
        assert all(line in own[place - 1] for line, place in zip(lines, places) if place is not None), (lines, places)
        assert {number for number, line in enumerate(own, 1) if line} <= set(places), (text, places)
        assert all(line.startswith(("#", "    ", "static inline", "{", "\t", "}")) or not line for line, place in zip(lines, places) if place is None), lines
        assert sum(line.startswith("#pragma ktune") for line in lines) == 1, lines


def check_ended(kernel):
    """A script that is ended leaves nothing behind."""
    script = (f"from ktcc.tuner import tune_kernel\nfrom ktcc.annotate import Buffer, Scalar\nb = [Buffer('float32', 1 << 20)] * 3\n"
              f"tune_kernel('vector_add', {kernel!r}, 1 << 20, [*b, Scalar('int32', 1 << 20)], "
              "{'block_size_x': [16, 32, 64], 'items': [1, 2]}, progress=lambda event: print(event, flush=True))\n")
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen([sys.executable, "-c", script], env={**os.environ, "TMPDIR": folder}, stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline(), "nothing was tuned"
        assert glob.glob(os.path.join(folder, "ktcc-tune-*"))
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=60)
        assert child.returncode == 143 and not glob.glob(os.path.join(folder, "ktcc-tune-*")), child.returncode


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
    fails(TypeError, "'answer' is not supported: ktcc fills the arrays itself", *good, answer=[])
    fails(TypeError, "'device' is not supported: set KTUNE_OPENCL_DEVICE to its number, or CUDA_VISIBLE_DEVICES for CUDA; "
          "'simulation_mode' is not supported: run `ktcc simulate", *good, device=1, simulation_mode=True, quiet=False)
    fails(TypeError, "reference is <function", *good, reference=check_mistakes)
    fails(TuningError, "an OpenCL file has no host functions", *good, reference="right")
    fails(TypeError, "restrictions that are functions", *good, restrictions=lambda p: True)
    fails(TypeError, "grid_div_x is a function", *good, grid_div_x=lambda p: 1)
    fails(TuningError, "unknown strategy 'none'; use one of default, exhaustive, ", *good, strategy="none")
    fails(ValueError, "strategy options 'popsize' are not supported", *good, strategy_options={"popsize": 3})
    fails(ValueError, "lang 'C' is not supported; use CUDA or OpenCL", *good, lang="C")
    fails(ValueError, "has 4 parameters and 3 arguments", "vector_add", kernel, n, buffers, {"block_size_x": [16], "items": [1]})
    fails(ValueError, "kernel 'nothing' is not defined in the source", "nothing", *good[1:])
    fails(FileNotFoundError, "kernel_source 'no.cl' cannot be read: No such file or directory; name a file", "vector_add", "no.cl", *good[2:])
    fails(ValueError, "parameter 'items' has the value 1.5; use integers", *good[:4], {"block_size_x": [16], "items": [1.5]})
    fails(ValueError, "no parameter is a block size: none of block_size_x, block_size_y, block_size_z is among BX, items; name yours in block_size_names",
          *good[:4], {"BX": [16], "items": [1]})
    fails(ValueError, "argument 2 is None", *good[:3], [buffers[0], None, buffers[2], Scalar("int32", n)], good[4])
    fails(ExpressionError, "'other' is no parameter", *good, restrictions=["other > 1"])
    fails(ExpressionError, "problem_size 'm * 2', column 1: 'm' is no parameter", *good[:2], "m * 2", *good[3:])
    fails(ExpressionError, "'math.sqrt(…)' is not supported; min, max, int and bool are", *good, restrictions=["math.sqrt(items) > 1"])
    fails(ValueError, "no configuration of the parameters fulfils 'items > 1'; relax", *good, restrictions=["items > 1"])
    # Messages name the user's file and line.
    with open(kernel, encoding="utf-8") as file:
        used = [number for number, line in enumerate(file, 1) if "items" in line][0]
    fails(TuningError, f"{kernel}:{used}: use of undeclared identifier 'items'", *good[:4], {"block_size_x": [16]})
    fails(TuningError, "'items' is none of the tuning parameters block_size_x; add it to them (tune_params)", *good[:4], {"block_size_x": [16]})
    fails(TuningError, "ktcc", *good, compiler_options=["-Dfloat=("], lang="OpenCL", strategy_options={"time_limit": 1, "max_fevals": 0})


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
    checks = {"expressions": check_expressions, "live": check_live, "mistakes": check_mistakes, "problems": check_problems, "t1": check_t1,
              "ended": check_ended}
    checks[sys.argv[1]](*sys.argv[2:])
