"""The arguments of Kernel Tuner's `tune_kernel` as a tuning problem: what each means, and what takes the place of the others."""
from __future__ import annotations

import math
import operator
import os
import re
from typing import Any, Mapping, Sequence

from .annotate import ELEMENT_TYPES, Buffer, Problem, Scalar
from .expressions import translate

__all__ = ["BLOCK_NAMES", "blocks_of", "check_unsupported", "grid_of", "problem_of", "read_argument", "stable_range"]

BLOCK_NAMES = ("block_size_x", "block_size_y", "block_size_z")
_CUDA = ("CUDA", "CUPY", "NVCUDA")
_INSTEAD = {
    "answer": "ktcc fills the arrays itself, so results that belong to the script's arrays cannot be compared; every configuration is "
              "compared with the first legal one, or with a host function of kernel_source that reference= names",
    "verify": "every configuration is compared with the first legal one, or with a host function of kernel_source that reference= names",
    "metrics": "compute them from the records", "objective": "the time is minimised", "objective_higher_is_better": "the time is minimised",
    "observers": "use progress=", "iterations": "the number of measurements follows from their noise",
    "cache": "ktcc keeps what was measured in its store, KTUNE_CACHE_DIR, which ktcc.read_trials reads", "smem_args": "use an annotated source with a clause smem",
    "cmem_args": "use an annotated source, whose buffers may be __constant__ variables", "texmem_args": "textures are not tuned",
    "defines": "put them into compiler_options", "compiler": "the compiler is nvcc of PATH", "block_size": "name the parameters in block_size_names",
    "device": "set KTUNE_OPENCL_DEVICE to its number, or CUDA_VISIBLE_DEVICES for CUDA", "platform": "set KTUNE_OPENCL_DEVICE to the device's number",
    "quiet": "nothing is printed unless verbose=True", "log": "set KTUNE_LOG to a file",
    "simulation_mode": "run `ktcc simulate --t1 PROBLEM.json --t4 RECORDS.json`",
}
# What Kernel Tuner has for these without being asked, which changes nothing here.
_DEFAULTS = {"quiet": (True, False), "device": (0,), "platform": (0,), "observers": ((), []), "simulation_mode": (False,), "iterations": (7,),
             "objective": ("time",), "objective_higher_is_better": (False,), "metrics": ({},), "defines": ({},), "smem_args": ({},),
             "cmem_args": ({},), "texmem_args": ({},), "log": (0,)}


def check_unsupported(given: Mapping[str, Any]) -> None:
    """Raises TypeError with all arguments that ktcc does not take; None and Kernel Tuner's defaults are no mistake."""
    wrong = [name for name, value in given.items()
             if value is not None and not any(type(value) is type(default) and value == default for default in _DEFAULTS.get(name, ()))]
    if wrong:
        reasons = [f"'{name}' is not supported: {_INSTEAD.get(name, 'ktcc has nothing that corresponds')}" for name in wrong]
        raise TypeError("tune_kernel: " + "; ".join(reasons))


# ---- arrays and scalars


def _power_above(value: float) -> float:
    """The next power of two that is not below a positive value. 4 is left out: the largest of many normal deviates is near it."""
    power = math.ldexp(1.0, math.ceil(math.log2(value)))
    return 8.0 if power == 4.0 else power


def _power_below(value: float) -> float:
    power = math.ldexp(1.0, math.floor(math.log2(value)))
    return 2.0 if power == 4.0 else power


def _outward(low: float, high: float) -> tuple[float, float]:
    most = max(abs(low), abs(high))

    def bound(value: float, is_high: bool) -> float:
        if value == int(value):
            return value
        if (value > 0) == is_high:
            return math.copysign(_power_above(abs(value)), value)
        # Towards zero is outward here.
        return 0.0 if abs(value) < most / 16 else math.copysign(_power_below(abs(value)), value)

    return bound(low, False), bound(high, True)


def _inward(low: int, high: int) -> tuple[int, int]:
    """Integers may be indices, and stay within their range: from 256 on their four leading bits count."""

    def cut(value: int, up: bool) -> int:
        step = 1 << max(abs(value).bit_length() - 4, 0) if abs(value) >= 256 else 1
        return -(-value // step) * step if up else value // step * step

    inner = cut(low, True), cut(high, False)
    return inner if inner[0] <= inner[1] else (low, high)


def stable_range(low: float, high: float) -> tuple[float, float] | tuple[None, None]:
    """The range of an array, rounded so that arrays of other random numbers have the same."""
    if isinstance(low, int) and isinstance(high, int):
        return _inward(low, high)
    return _outward(low, high) if math.isfinite(low) and math.isfinite(high) else (None, None)


def _type_of(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        return str(dtype)
    return "bool" if isinstance(value, bool) else "int32" if isinstance(value, int) else "float32"


def read_argument(value: Any, number: int) -> Buffer | Scalar:
    """An array of numpy's or alike by its type, size and range; a number is a scalar."""
    if isinstance(value, (Buffer, Scalar)):
        return value
    if value is None:
        raise ValueError(f"argument {number} is None; give a numpy array or scalar, or ktcc.annotate.Buffer(type, count)")
    if isinstance(value, (bool, int, float)) or getattr(value, "ndim", None) == 0:
        return Scalar(_type_of(value), value.item() if hasattr(value, "item") else value)
    if not hasattr(value, "dtype") or not hasattr(value, "size"):
        raise TypeError(f"argument {number} is of type {type(value).__name__}; give a numpy array or scalar, or ktcc.annotate.Buffer(type, count)")
    if _type_of(value) not in ELEMENT_TYPES:
        raise TypeError(f"argument {number} has elements of type {_type_of(value)}; use one of {', '.join(ELEMENT_TYPES)}")
    if value.size == 0:
        raise ValueError(f"argument {number} is an array without elements; give it some")
    low, high = stable_range(value.min().item(), value.max().item())
    return Buffer(_type_of(value), int(value.size), low, high)


# ---- geometry


def _list_of(value: Any, what: str) -> list[Any]:
    if callable(value):
        raise TypeError(f"tune_kernel: {what} is a function, which is not supported; write a list of expressions, such as [\"block_size_x * items\"]")
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        return [value]
    return list(value)


def grid_of(problem_size: Sequence[Any], divisors: Sequence[Any], names: Sequence[str], blocks: Sequence[str]) -> list[str]:
    """Blocks of each axis, in the language of the pragma. Without a divisor the size of the block is it."""
    grid = []
    for axis, size in enumerate(problem_size):
        divisor = divisors[axis]
        what = f"grid_div_{'xyz'[axis]}"
        items = [name for name in blocks[axis:axis + 1] if name in names] if divisor is None else _list_of(divisor, what)
        extent = translate(str(size), names, what="problem_size")
        parts = [translate(str(item), names, what=what) for item in items]
        grid.append(f"ceil_div({extent}, {' * '.join(parts)})" if parts else extent)
    return grid


def blocks_of(blocks: Sequence[str], names: Sequence[str], key: str) -> list[str]:
    """The block's extents; `key`: where other names are given."""
    if not any(name in names for name in blocks):
        raise ValueError(f"no parameter is a block size: none of {', '.join(blocks)} is among {', '.join(names) or 'no parameters'}; name yours in {key}, "
                         f"or add one with a single value, such as {blocks[0]} = 256")
    extents = [name if name in names else "1" for name in blocks]
    return [*extents, "1", "1"][:3]


# ---- the whole problem


def _read_source(kernel_source: Any) -> tuple[str, str | None]:
    """The text, and the folder of its file."""
    if callable(kernel_source) or isinstance(kernel_source, (list, tuple)):
        raise TypeError("tune_kernel: kernel_source is neither a file's name nor a source; give the file with the kernel, which includes the others")
    text = os.fspath(kernel_source)
    if "\n" in text or "{" in text:
        return text, None
    try:
        with open(text, encoding="utf-8") as file:
            return file.read(), os.path.dirname(os.path.abspath(text))
    except OSError as error:
        raise FileNotFoundError(f"kernel_source '{text}' cannot be read: {error.strerror}; name a file, or give the source itself") from None


def _restrictions(given: Any) -> list[str]:
    items = [] if given is None else [given] if isinstance(given, str) or callable(given) else list(given)
    for item in items:
        if callable(item):
            raise TypeError("tune_kernel: restrictions that are functions are not supported: write them as texts")
        if not isinstance(item, str):
            raise TypeError(f"tune_kernel: restriction {item!r} is no text; write a list of expressions such as [\"block_size_x * items <= 512\"]")
    return items


def _parameters(tune_params: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Integers of numpy's are integers; what is none is named where the source is made."""
    return {name: [operator.index(value) if hasattr(value, "__index__") and not isinstance(value, bool) else value for value in _list_of(values, name)]
            for name, values in tune_params.items()}


def _is_opencl(lang: str | None, source: str) -> bool:
    if lang is not None and lang.upper() not in (*_CUDA, "OPENCL"):
        raise ValueError(f"lang '{lang}' is not supported; use CUDA or OpenCL")
    return lang.upper() == "OPENCL" if lang is not None else re.search(r"\b__global__\b", source) is None


def _sizes(problem_size: Any) -> list[Any]:
    if callable(problem_size):
        raise TypeError("tune_kernel: problem_size is a function, which is not supported; give numbers, or expressions over parameters as texts")
    sizes = _list_of(problem_size, "problem_size")
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"problem_size has {len(sizes)} sizes; give one to three")
    return [size if isinstance(size, str) else operator.index(size) for size in sizes]


def problem_of(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any], tune_params: Mapping[str, Any],
               divisors: Sequence[Any], restrictions: Any, lang: str | None, block_size_names: Sequence[str] | None,
               atol: float | None, reference: str | None = None) -> tuple[Problem, str | None]:
    """The problem, and the folder of the source's file."""
    texts, (source, folder) = _restrictions(restrictions), _read_source(kernel_source)
    parameters, sizes = _parameters(tune_params), _sizes(problem_size)
    names, blocks = list(parameters), list(block_size_names or BLOCK_NAMES)
    if arguments is None:
        raise ValueError("arguments is None; give a list with one argument for each parameter of the kernel")
    if reference is not None and (not isinstance(reference, str) or not reference.isidentifier()):
        raise TypeError(f"tune_kernel: reference is {reference!r}; give the name of a host function of kernel_source, which computes the outputs in double "
                        f"precision")
    known = [size for size in sizes if isinstance(size, int)] or [1]
    problem = Problem(kernel_name, source, [read_argument(value, i + 1) for i, value in enumerate(arguments)], parameters,
                      grid_of(sizes, divisors, names, blocks), blocks_of(blocks, names, "block_size_names"), texts, _is_opencl(lang, source),
                      {}, known, atol, file=os.fspath(kernel_source) if folder is not None else None, reference=reference)
    return problem, folder
