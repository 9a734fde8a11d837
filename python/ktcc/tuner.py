"""Tuning in the words of Kernel Tuner.

`tune_kernel` takes a subset of the arguments of Kernel Tuner's function of that name. `python3 -m ktcc.tuner FILE` tunes
the problem of a T1 file. Both write an annotated source and start the program `ktcc`, which does the work.
"""
from __future__ import annotations

import argparse
import ast
import glob
import json
import math
import operator
import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Callable, Mapping, Sequence

from .annotate import Buffer, Problem, Scalar, annotate
from .expressions import translate

__all__ = ["TuningError", "read_entry", "read_t1", "tune", "tune_kernel"]

_STRATEGIES = {"brute_force": "exhaustive", "random_sample": "random", "genetic_algorithm": "genetic",
               "simulated_annealing": "annealing", "greedy_ils": "local", "greedy_mls": "local", "mls": "local",
               "diff_evo": "evolution", "bayes_opt": "model"}
_OWN = ("default", "exhaustive", "random", "lhs", "local", "annealing", "genetic", "evolution", "model")
_BLOCK_NAMES = ("block_size_x", "block_size_y", "block_size_z")
Progress = Callable[[Mapping[str, Any]], None]


class TuningError(RuntimeError):
    """`ktcc` ended with a failure; the text is what it printed."""


def _program() -> str:
    here = os.path.dirname(os.path.abspath(__file__))
    # Named, of a wheel, or of the installation whose share/ktcc/python holds this file.
    prefixes = [os.environ.get("KTUNE_PREFIX"), os.path.join(here, "prefix"), os.path.normpath(os.path.join(here, *[os.pardir] * 4))]
    paths = [os.path.join(prefix, "bin", "ktcc") for prefix in prefixes if prefix]
    found = next((path for path in paths if os.access(path, os.X_OK)), None) or shutil.which("ktcc")
    if found is None:
        raise TuningError("the program ktcc was not found; put it on PATH, or name its installation in KTUNE_PREFIX")
    return found


def _events(arguments: Sequence[str], progress: Progress | None) -> list[dict[str, Any]]:
    """Runs `ktcc tune`; the results of the region instances."""
    results: list[dict[str, Any]] = []
    # A file, not a pipe, which would be full while events are read.
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        with subprocess.Popen([_program(), "tune", "--events", *arguments], stdout=subprocess.PIPE, stderr=said, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                event = json.loads(line)
                if event["event"] == "result":
                    results.append(event["result"])
                elif progress is not None:
                    progress(event)
        said.seek(0)
        text = said.read().strip()
    if process.returncode != 0:
        raise TuningError(text or f"ktcc ended with {process.returncode}")
    return results


def tune(file: str, flags: Sequence[str] = (), *, budget: str | None = None, strategy: str | None = None, seed: int | None = None,
         progress: Progress | None = None) -> list[dict[str, Any]]:
    """Tunes the regions of an annotated file. A record for each region instance, as `ktcc tune --json` prints it.

    `progress` is called with each event of docs/cli.md, "Events of a tuning".
    """
    options = [f"--{name}={value}" for name, value in (("budget", budget), ("strategy", strategy), ("seed", seed)) if value is not None]
    return _events([*options, os.fspath(file), "--", *flags], progress)


def read_entry(path: str) -> dict[str, Any]:
    """An entry of a lock directory; docs/store.md says what it holds."""
    with open(path, encoding="utf-8") as file:
        entry = json.load(file)
    if not isinstance(entry, dict) or "ktune" not in entry:
        raise ValueError(f"{path} is no entry; name a file below ktune.lock/")
    return entry


def _type_of(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        return str(dtype)
    return "bool" if isinstance(value, bool) else "int32" if isinstance(value, int) else "float32"


def _argument(value: Any) -> Buffer | Scalar:
    """An array of numpy's or alike by its type, size and range; anything else is a scalar."""
    if isinstance(value, (Buffer, Scalar)):
        return value
    if getattr(value, "ndim", 0) == 0:
        return Scalar(_type_of(value), value.item() if hasattr(value, "item") else value)
    if value.size == 0:
        raise ValueError("an argument is an array without elements; give it some")
    return Buffer(_type_of(value), int(value.size), value.min().item(), value.max().item())


def _grid(problem_size: Any, divisors: Sequence[Sequence[Any] | None], names: Sequence[str]) -> list[str]:
    sizes = list(problem_size) if isinstance(problem_size, (tuple, list)) else [problem_size]
    grid = []
    for axis, size in enumerate(sizes):
        divisor = divisors[axis]
        if divisor is None and axis == 0:
            divisor = [_BLOCK_NAMES[0]] if _BLOCK_NAMES[0] in names else []
        elif divisor is None and axis == 1 and _BLOCK_NAMES[1] in names:
            divisor = [_BLOCK_NAMES[1]]
        extent = translate(str(size), names)
        parts = [translate(str(item), names) for item in divisor or []]
        grid.append(f"ceil_div({extent}, {' * '.join(parts)})" if parts else extent)
    return grid


def _unsupported(given: Mapping[str, Any]) -> None:
    reasons = {
        "answer": "results are compared with the kernel under the first value of each parameter",
        "verify": "results are compared with the kernel under the first value of each parameter",
        "atol": "tolerances follow from the element types; use an annotated source with a tolerance clause",
        "metrics": "compute them from the records", "objective": "the time is minimised",
        "observers": "use progress=", "iterations": "the number of measurements follows from their noise",
        "cache": "what was measured is in ktcc's store", "smem_args": "use an annotated source with an smem clause",
        "cmem_args": "use an annotated source", "texmem_args": "textures are not tuned", "defines": "put them into compiler_options",
    }
    for name in given:
        raise TypeError(f"tune_kernel: '{name}' is not supported: {reasons.get(name, 'ktcc has nothing that corresponds')}")


def tune_kernel(kernel_name: str, kernel_source: str, problem_size: Any, arguments: Sequence[Any], tune_params: Mapping[str, Sequence[int]],
                *, grid_div_x: Sequence[Any] | None = None, grid_div_y: Sequence[Any] | None = None,
                grid_div_z: Sequence[Any] | None = None, restrictions: Sequence[str] | None = None, lang: str | None = None,
                compiler_options: Sequence[str] | None = None, strategy: str | None = None,
                strategy_options: Mapping[str, Any] | None = None, block_size_names: Sequence[str] | None = None,
                verbose: bool = False, progress: Progress | None = None, **unsupported: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Tunes a kernel; the records of all configurations that were tried, and the environment, as Kernel Tuner returns them.

    kernel_source: a file's name, or the source. arguments: numpy arrays and scalars, or Buffer and Scalar. Pointers to
    const are inputs, all others are read and written. Data is made by ktcc, within the range of each array.
    A record has the parameters, `time` (milliseconds; NaN where the configuration failed) and `verdict`.
    """
    _unsupported(unsupported)
    if callable(restrictions) or any(callable(one) for one in restrictions or ()):
        raise TypeError("tune_kernel: restrictions that are functions are not supported: write them as texts")
    if callable(kernel_source) or callable(problem_size):
        raise TypeError("tune_kernel: functions are not supported here: give the source and the sizes")
    is_file = "\n" not in kernel_source and os.path.isfile(kernel_source)
    source = kernel_source
    if is_file:
        with open(kernel_source, encoding="utf-8") as file:
            source = file.read()
    names = list(tune_params)
    opencl = (lang or "").upper() == "OPENCL" or (lang is None and "__global__" not in source)
    blocks = list(block_size_names or _BLOCK_NAMES)
    problem = Problem(kernel_name, source, [_argument(value) for value in arguments], tune_params,
                      _grid(problem_size, (grid_div_x, grid_div_y, grid_div_z), names),
                      [name if name in names else "1" for name in blocks], list(restrictions or ()), opencl)
    folder = os.path.dirname(os.path.abspath(kernel_source)) if is_file else None
    return _run(problem, folder, list(compiler_options or ()), strategy, dict(strategy_options or {}), verbose, progress)


def _run(problem: Problem, include: str | None, flags: list[str], strategy: str | None, settings: dict[str, Any], verbose: bool,
         progress: Progress | None, output: str | None = None, more: Sequence[str] = ()) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    options = list(more)
    if strategy is not None:
        name = _STRATEGIES.get(strategy, strategy)
        if name not in _OWN:
            raise ValueError(f"strategy '{strategy}' is not supported; use one of {', '.join([*_STRATEGIES, *_OWN])}")
        options += ["--strategy", name]
    limits = [f"{int(settings.pop('max_fevals'))}n"] if "max_fevals" in settings else []
    limits += [f"{float(settings.pop('time_limit')):g}s"] if "time_limit" in settings else []
    if settings:
        raise ValueError(f"strategy option '{next(iter(settings))}' is not supported; max_fevals and time_limit are")
    if limits:
        options += ["--budget", ",".join(limits)]

    def show(event: Mapping[str, Any]) -> None:
        if verbose and event.get("improved"):
            print(f"{problem.kernel}: {event['configuration']}: {event['speedup']:.2f}x", file=sys.stderr)
        if progress is not None:
            progress(event)

    with tempfile.TemporaryDirectory(prefix="ktcc-tune-") as folder:
        path = os.path.join(folder, problem.kernel + (".cl" if problem.opencl else ".cu"))
        with open(path, "w", encoding="utf-8") as file:
            file.write(annotate(problem))
        include_flags = [f"-I{include}"] if include else []
        results = _events(["--t4", folder, *options, path, "--", *include_flags, *flags], show)
        measured = sorted(glob.glob(os.path.join(folder, "*.T4.json")))
        records = [record for name in measured for record in _records(name)]
        if output is not None and measured:
            shutil.copyfile(measured[0], output)
    entry = results[0].get("entry") if results else None
    environment = {"tool": (entry or {}).get("provenance", {}).get("tool", "ktcc"), "device_name": (entry or {}).get("device", {}).get("name"),
                   "best_config": _best(records), "entry": entry}
    return records, environment


def _records(path: str) -> list[dict[str, Any]]:
    """The results of a T4 file, as Kernel Tuner's records."""
    with open(path, encoding="utf-8") as file:
        results = json.load(file)["results"]
    records = []
    for result in results:
        times = [m["value"] for m in result.get("measurements", []) if m["name"].startswith("time")]
        right = result["invalidity"] == "correct" and times
        records.append({**result["configuration"], "time": times[0] if right else math.nan, "verdict": result["invalidity"]})
    return records


def _best(records: list[dict[str, Any]]) -> dict[str, Any] | None:
    timed = [record for record in records if not math.isnan(record["time"])]
    return min(timed, key=lambda record: record["time"]) if timed else None


_INTEGERS: dict[type, Callable[[int, int], int]] = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
                                                    ast.FloorDiv: operator.floordiv}


def _t1_integer(text: Any, sizes: Sequence[int]) -> int:
    """A size of a T1 file: a number, or an expression over ProblemSize. It is read by Python's parser and never evaluated by it."""

    def value(node: ast.AST) -> int:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name) and node.id == "ProblemSize" and len(sizes) == 1:
            return sizes[0]
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "ProblemSize":
            return sizes[value(node.slice)]
        if isinstance(node, ast.BinOp) and type(node.op) in _INTEGERS:
            return _INTEGERS[type(node.op)](value(node.left), value(node.right))
        raise ValueError(f"size '{text}' is not supported; write a number, or + - * // over ProblemSize[0]")

    return text if isinstance(text, int) else value(ast.parse(str(text), mode="eval").body)


def _t1_argument(argument: Mapping[str, Any], index: int, sizes: Sequence[int]) -> Buffer | Scalar:
    kind, type_name = argument.get("MemoryType"), argument.get("Type", "")
    fill = float(argument.get("FillValue", 0) or 0)
    if kind == "Scalar":
        return Scalar(type_name, fill)
    if kind != "Vector" or "Size" not in argument:
        raise ValueError(f"argument {index + 1} has MemoryType {kind!r}; Vector with a Size, and Scalar are supported")
    count = _t1_integer(argument["Size"], sizes)
    if argument.get("FillType") != "Random":
        return Buffer(type_name, count, fill, fill)
    # Random floats are what ktcc fills a buffer with; random integers may be indices.
    return Buffer(type_name, count, 0, max(fill, 1)) if "int" in type_name else Buffer(type_name, count)


def _t1_values(parameter: Mapping[str, Any]) -> list[int]:
    """A list, or list(range(…)). It is read by Python's parser and never evaluated."""
    values = parameter["Values"]
    if not isinstance(values, str):
        return list(values)
    found = re.fullmatch(r"\s*(?:list\(\s*)?range\(([-\d,\s]+)\)\s*\)?\s*", values)
    if found is not None:
        return list(range(*(int(word) for word in found.group(1).split(","))))
    return list(ast.literal_eval(values))


def _t1_geometry(kernel: Mapping[str, Any], names: Sequence[str], sizes: Sequence[int]) -> tuple[list[str], list[str]]:
    """Grid and block: those of LocalSize and GlobalSize, else Kernel Tuner's, of its names for blocks and of GridDivX."""
    if "LocalSize" not in kernel:
        divisors = [kernel.get(f"GridDiv{axis}") or None for axis in "XYZ"]
        return _grid(tuple(sizes), divisors, names), [name if name in names else "1" for name in _BLOCK_NAMES]
    known = {f"ProblemSize[{i}]": str(size) for i, size in enumerate(sizes)}

    def extents(member: str) -> list[str]:
        texts = [str(kernel[member].get(axis, 1)) for axis in "XYZ"]
        return [translate(re.sub(r"ProblemSize\[\d+\]", lambda found: known.get(found.group(), found.group()), text), names) for text in texts]

    block, grid = extents("LocalSize"), extents("GlobalSize")
    if kernel.get("GlobalSizeType", "CUDA") == "OpenCL":
        grid = [f"ceil_div({threads}, {local})" for threads, local in zip(grid, block)]
    return grid, block


def read_t1(path: str) -> tuple[Problem, str]:
    """The problem of a T1 file, and the folder of its kernel."""
    with open(path, encoding="utf-8") as file:
        t1 = json.load(file)
    kernel, space = t1["KernelSpecification"], t1["ConfigurationSpace"]
    source_path = os.path.join(os.path.dirname(os.path.abspath(path)), kernel["KernelFile"])
    with open(source_path, encoding="utf-8") as file:
        source = file.read()
    parameters = {parameter["Name"]: _t1_values(parameter) for parameter in space["TuningParameters"]}
    names, given = list(parameters), kernel.get("ProblemSize", 1)
    sizes = [given] if isinstance(given, int) else list(given)
    grid, block = _t1_geometry(kernel, names, sizes)
    defaults = {parameter["Name"]: parameter["Default"] for parameter in space["TuningParameters"] if isinstance(parameter.get("Default"), int)}
    problem = Problem(kernel["KernelName"], source, [_t1_argument(argument, i, sizes) for i, argument in enumerate(kernel.get("Arguments", []))],
                      parameters, grid, block, [condition["Expression"] for condition in space.get("Conditions", [])],
                      kernel.get("Language", "CUDA").upper() == "OPENCL", defaults)
    return problem, os.path.dirname(source_path)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m ktcc.tuner", description="Tunes the problem of a T1 file; prints the best configurations.")
    parser.add_argument("file", help="a T1 file, with KernelFile beside it")
    parser.add_argument("-o", "--output", help="where the T4 file goes, with what was measured")
    parser.add_argument("--source", action="store_true", help="print the annotated source, tune nothing")
    parser.add_argument("--strategy")
    parser.add_argument("--budget", help="60s, 2m, 500n (configurations), or both with a comma")
    parser.add_argument("--seed", type=int)
    parser.epilog = "After -- follow flags of the compiler."
    words = list(sys.argv[1:] if arguments is None else arguments)
    own = words.index("--") if "--" in words else len(words)
    asked, flags = parser.parse_args(words[:own]), words[own + 1:]
    try:
        problem, folder = read_t1(asked.file)
        if asked.source:
            sys.stdout.write(annotate(problem))
            return 0
        more = [f"--{name}={value}" for name, value in (("budget", asked.budget), ("seed", asked.seed)) if value is not None]
        records, environment = _run(problem, folder, flags, asked.strategy, {}, True, None, asked.output, more)
    except (OSError, KeyError, ValueError, TuningError) as error:
        text = f"member {error} is missing; add it to the T1 file" if isinstance(error, KeyError) else str(error)
        print(f"{asked.file}: {text}", file=sys.stderr)
        return 1
    for record in sorted((r for r in records if not math.isnan(r["time"])), key=lambda r: r["time"])[:5]:
        print(json.dumps(record))
    print(f"{len(records)} configurations on {environment['device_name']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
