"""T1 files, the JSON in which Kernel Tuner and others describe a tuning problem, as annotated sources; T4 files of what was measured."""
from __future__ import annotations

import ast
import json
import operator
import os
import re
import warnings
from typing import Any, Callable, Mapping, Sequence

from .annotate import Buffer, Problem, Scalar, blank_comments
from .arguments import BLOCK_NAMES, blocks_of, grid_of
from .expressions import translate
from .legal import names_of
from .members import T1Warning, mistakes

__all__ = ["read_t1", "write_t4"]

# What a T4 file calls a verdict of ktcc; others are "runtime".
_INVALIDITY = {"ok": "correct", "no-compile": "compile", "wrong-answer": "correctness", "out-of-bounds": "correctness",
               "non-deterministic": "correctness", "over-limit": "constraints", "timed-out": "timeout", "skipped": "timeout"}
_INTEGERS: dict[type, Callable[[int, int], int]] = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
                                                    ast.FloorDiv: operator.floordiv}


def _integer(text: Any, sizes: Sequence[int], parameters: Mapping[str, Sequence[int]]) -> int:
    """A size: a number, or an expression over ProblemSize. It is read by Python's parser and never evaluated by it."""

    def value(node: ast.AST) -> int:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name) and node.id == "ProblemSize" and len(sizes) == 1:
            return sizes[0]
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "ProblemSize":
            return sizes[value(node.slice)]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("max", "min") and len(node.args) == 1 and \
                isinstance(node.args[0], ast.Name) and node.args[0].id in parameters:
            # The largest or least value of a parameter.
            return (max if node.func.id == "max" else min)(parameters[node.args[0].id])
        if isinstance(node, ast.BinOp) and type(node.op) in _INTEGERS:
            return _INTEGERS[type(node.op)](value(node.left), value(node.right))
        raise ValueError(f"size '{text}' is not supported; write a number, or + - * // over ProblemSize[0] and max(PARAMETER)")

    if isinstance(text, int):
        return text
    try:
        return value(ast.parse(str(text), mode="eval").body)
    except (ArithmeticError, IndexError, SyntaxError):
        raise ValueError(f"size '{text}' has no value with ProblemSize {list(sizes)}; write a number, or + - * // over ProblemSize[0]") from None


def _argument(argument: Mapping[str, Any], index: int, sizes: Sequence[int], parameters: Mapping[str, Sequence[int]]) -> Buffer | Scalar:
    kind, type_name = argument.get("MemoryType"), argument.get("Type", "")
    fill = float(argument.get("FillValue", 0) or 0)
    if kind == "Scalar":
        return Scalar(type_name, fill)
    if kind != "Vector" or "Size" not in argument:
        raise ValueError(f"argument {index + 1} has MemoryType {kind!r}; Vector with a Size, and Scalar are supported")
    if argument.get("FillType", "Constant") not in ("Constant", "Random"):
        raise ValueError(f"argument {index + 1} has FillType {argument['FillType']!r}; Constant and Random are supported. Write data of a file as a "
                         f"clause file(\"x.npy\") into an annotated source")
    count = _integer(argument["Size"], sizes, parameters)
    if argument.get("FillType") != "Random":
        return Buffer(type_name, count, fill, fill)
    # Random floats are what ktcc fills a buffer with; random integers may be indices.
    return Buffer(type_name, count, 0, max(fill, 1)) if "int" in type_name else Buffer(type_name, count)


def _values(parameter: Mapping[str, Any]) -> list[int]:
    """A list, or list(range(…)). It is read by Python's parser and never evaluated."""
    values = parameter["Values"]
    if not isinstance(values, str):
        return list(values) if isinstance(values, list) else [values]
    found = re.fullmatch(r"\s*(?:list\(\s*)?range\(([-\d,\s]+)\)\s*\)?\s*", values)
    if found is not None:
        return list(range(*(int(word) for word in found.group(1).split(","))))
    try:
        value = ast.literal_eval(values)
        return [value] if isinstance(value, (bool, int, float)) else list(value)
    except (SyntaxError, TypeError, ValueError):
        raise ValueError(f"parameter '{parameter['Name']}' has the Values '{values}'; write a list such as [1, 2], or list(range(1, 9))") from None


def _extents(kernel: Mapping[str, Any], member: str, sizes: Sequence[int]) -> list[str]:
    """X, Y and Z of a size, in Python; sizes of the problem are numbers in it."""
    known = {f"ProblemSize[{i}]": str(size) for i, size in enumerate(sizes)}
    texts = [str(kernel[member].get(axis, 1)) for axis in "XYZ"]
    return [re.sub(r"ProblemSize\[\d+\]", lambda found: known.get(found.group(), found.group()), text) for text in texts]


def _geometry(kernel: Mapping[str, Any], names: Sequence[str], sizes: Sequence[int]) -> tuple[list[str], list[str]]:
    """Grid and block: those of GlobalSize and LocalSize, else Kernel Tuner's, of GridDivX and the names of block sizes."""
    blocks = list(kernel.get("BlockSizeNames") or BLOCK_NAMES)
    if "LocalSize" in kernel:
        block = _extents(kernel, "LocalSize", sizes)
    else:
        block = blocks_of(blocks, names, "BlockSizeNames of KernelSpecification, or give LocalSize")
    if "GlobalSize" not in kernel:
        divisors = [kernel.get(f"GridDiv{axis}") or None for axis in "XYZ"]
        if "LocalSize" in kernel and divisors == [None] * 3:
            raise ValueError("LocalSize is given, and neither GlobalSize nor GridDivX; add GlobalSize, the number of blocks of each axis")
        return grid_of(sizes[:3], divisors, names, blocks), block
    grid = [translate(text, names, what="GlobalSize") for text in _extents(kernel, "GlobalSize", sizes)]
    if kernel.get("GlobalSizeType", "CUDA") == "OpenCL":
        grid = [f"ceil_div({threads}, {translate(local, names, what='LocalSize')})" for threads, local in zip(grid, block)]
    return grid, block


def _check_used(problem: Problem, file: str) -> None:
    """A parameter that is used nowhere changes nothing: such are those of the rules, which ktcc makes the text for."""
    text = blank_comments(problem.source)
    # A quoted header may be where it is used.
    if re.search(r'^[ \t]*#[ \t]*include[ \t]*"', problem.source, re.M):
        return
    used = set(re.findall(r"[A-Za-z_]\w*", " ".join([text, *problem.grid]))).union(*(names_of(extent) for extent in problem.block))
    unused = [name for name in problem.parameters if name not in used]
    if unused:
        raise ValueError(f"{', '.join(unused)}: used neither in KernelFile {file} nor in the geometry, so that no value changes anything; use each as a "
                         f"macro of the kernel. If `ktcc space --t1-out` wrote the file, these are parameters of the rules: run `ktcc tune {file}`")


def _check_generator(t1: Mapping[str, Any], file: str) -> None:
    """ktcc writes into an export who makes the text of a configuration."""
    generator = t1.get("General", {}).get("Generator", "explicit")
    if generator != "explicit":
        raise ValueError(f"its parameters are those of the generator '{generator}', and no macros of KernelFile {file}: with them alone no configuration "
                         f"can be made; run `ktcc tune {file}`, or write tune clauses and export again")


def _budget(t1: Mapping[str, Any]) -> str | None:
    """Seconds and configurations, as `--budget` takes them."""
    units, words = {"TuningDuration": "s", "ConfigurationCount": "n"}, []
    for limit in t1.get("Budget", []):
        if limit.get("Type") not in units:
            raise ValueError(f"Budget has the Type {limit.get('Type')!r}; use TuningDuration (seconds) or ConfigurationCount")
        words.append(f"{float(limit['BudgetValue']):g}{units[limit['Type']]}")
    return ",".join(words) or None


def read_t1(path: str) -> tuple[Problem, str]:
    """The problem of a T1 file, and the folder of its kernel. A T1Warning for each member that has no effect."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    t1 = json.loads(text)
    for line in mistakes(path, text, t1):
        warnings.warn(line, T1Warning, stacklevel=2)
    kernel, space = t1["KernelSpecification"], t1["ConfigurationSpace"]
    _check_generator(t1, kernel["KernelFile"])
    source_path = os.path.join(os.path.dirname(os.path.abspath(path)), kernel["KernelFile"])
    with open(source_path, encoding="utf-8") as file:
        source = file.read()
    parameters = {parameter["Name"]: _values(parameter) for parameter in space["TuningParameters"]}
    names, given = list(parameters), kernel.get("ProblemSize", 1)
    sizes = [given] if isinstance(given, int) else list(given)
    grid, block = _geometry(kernel, names, sizes)
    defaults = {parameter["Name"]: parameter["Default"] for parameter in space["TuningParameters"] if isinstance(parameter.get("Default"), int)}
    problem = Problem(kernel["KernelName"], source, [_argument(argument, i, sizes, parameters) for i, argument in enumerate(kernel.get("Arguments", []))],
                      parameters, grid, block, [condition["Expression"] for condition in space.get("Conditions", [])],
                      kernel.get("Language", "CUDA").upper() == "OPENCL", defaults, sizes or [1],
                      flags=[str(flag) for flag in kernel.get("CompilerOptions", [])], shared=int(kernel.get("SharedMemory") or 0),
                      strategy=t1.get("Search", {}).get("Name"), budget=_budget(t1),
                      file=os.path.normpath(os.path.join(os.path.dirname(path), kernel["KernelFile"])))
    _check_used(problem, kernel["KernelFile"])
    return problem, os.path.dirname(source_path)


def write_t4(path: str, records: Sequence[Mapping[str, Any]], names: Sequence[str]) -> None:
    """A T4 file of the records of `tune_kernel`."""
    results = []
    for record in records:
        word = _INVALIDITY.get(record["verdict"], "runtime")
        times = [{"name": "time", "value": record["time"], "unit": "ms"}] if word == "correct" else []
        results.append({"configuration": {name: record[name] for name in names}, "times": {"runtimes": []}, "invalidity": word,
                        "correctness": int(word == "correct"), "measurements": times, "objectives": ["time"]})
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schema_version": "1.0.0", "results": results}, file, indent=2)
        file.write("\n")
