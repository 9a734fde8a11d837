"""A kernel with its tuning problem as an annotated source, which `ktcc tune` reads."""
from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Mapping, Sequence

from .expressions import translate
from .legal import first_legal, is_legal
from .signature import check_argument

__all__ = ["Buffer", "ELEMENT_TYPES", "Problem", "Scalar", "annotate", "blank_comments", "line_in_source", "original_of"]

ELEMENT_TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "half", "float16", "float", "float32", "double",
                 "float64")
_MOST_THREADS = 1024
# The constant address space of OpenCL is read only, whether a const is there or not.
_READ_ONLY = re.compile(r"\b(?:const|constant|__constant|__constant__)\b")


@dataclass(frozen=True)
class Buffer:
    """A pointer argument: `count` elements of a type such as "float32", with values from `low` to `high` where given."""

    type: str
    count: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Scalar:
    """An argument that is passed by value."""

    type: str
    value: float


@dataclass
class Problem:
    """What Kernel Tuner's `tune_kernel` takes, and T1 files hold.

    `block` and `restrictions` are Python expressions over the parameters; `grid` is in the language of the pragma. `shared`: bytes of
    dynamic shared memory. `strategy` and `budget`: what a T1 file asks for, as options of `ktcc tune`. `file`: where the
    source was read. `reference`: a host function of the source that computes the outputs.
    """

    kernel: str
    source: str
    arguments: Sequence[Buffer | Scalar]
    parameters: Mapping[str, Sequence[int]]
    grid: Sequence[str]
    block: Sequence[str]
    restrictions: Sequence[str] = ()
    opencl: bool = False
    defaults: Mapping[str, int] = field(default_factory=dict)
    sizes: Sequence[int] = (1,)
    tolerance: float | None = None
    flags: Sequence[str] = ()
    shared: int = 0
    strategy: str | None = None
    budget: str | None = None
    file: str | None = None
    reference: str | None = None


def _matching(source: str, at: int) -> int:
    """The place after the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(source)):
        depth += {"(": 1, ")": -1}.get(source[i], 0)
        if depth == 0:
            return i + 1
    raise ValueError("a bracket of the kernel's parameters is not closed; close it")


def blank_comments(source: str) -> str:
    """The source with comments and texts as blanks, each byte at its place."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found.group()), source, flags=re.S)


def _definition(source: str, kernel: str, opencl: bool) -> tuple[int, list[str]]:
    """Where the kernel's definition begins, and its parameters as texts."""
    plain = blank_comments(source)
    mark = r"\b(?:__kernel|kernel)\b" if opencl else r"\b__global__\b"
    for found in re.finditer(mark, plain):
        name = re.compile(r"\b" + re.escape(kernel) + r"\s*\(").search(plain, found.end())
        if name is None or "{" in plain[found.end():name.start()] or ";" in plain[found.end():name.start()]:
            continue
        end = _matching(plain, name.end() - 1)
        if not plain[end:].lstrip().startswith("{"):
            continue
        before = max(plain.rfind(c, 0, found.start()) for c in ";}\n")
        # What is before it on its line belongs to it: extern "C".
        return before + 1, [part.strip() for part in plain[name.end():end - 1].split(",") if part.strip()]
    raise ValueError(f"kernel '{kernel}' is not defined in the source; name a {'kernel' if opencl else '__global__'} function of it")


def _name_of(parameter: str) -> str:
    found = re.search(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\])?$", parameter)
    if found is None:
        raise ValueError(f"parameter '{parameter}' of the kernel has no name; give it one")
    return found.group(1)


def _fill(buffer: Buffer) -> str:
    if buffer.low is None or buffer.high is None:
        return ""
    if "int" in buffer.type or buffer.type == "bool":
        return f" : range({int(buffer.low)}, {int(buffer.high)})"
    return f" : uniform({float(buffer.low)!r}, {float(buffer.high)!r})" if buffer.low < buffer.high else ""


def _argument_clauses(problem: Problem, parameters: Sequence[str]) -> list[str]:
    if len(parameters) != len(problem.arguments):
        raise ValueError(f"kernel '{problem.kernel}' has {len(parameters)} parameters and {len(problem.arguments)} arguments; give one for each")
    clauses = []
    for number, (text, argument) in enumerate(zip(parameters, problem.arguments), 1):
        name = _name_of(text)
        if argument.type not in ELEMENT_TYPES:
            raise ValueError(f"argument '{name}' has elements of type {argument.type}; use one of {', '.join(ELEMENT_TYPES)}")
        if name in problem.parameters:
            raise ValueError(f"parameter '{name}' is called like an argument of the kernel, which its macro would replace; rename one of them")
        if isinstance(argument, Buffer):
            check_argument(number, name, text, argument.type, True)
            read_only = _READ_ONLY.search(text.rsplit("*", 1)[0]) is not None
            clauses.append(f"{'in' if read_only else 'inout'}({name}[{argument.count}]{_fill(argument)})")
        else:
            if not math.isfinite(argument.value):
                raise ValueError(f"argument '{name}' is {argument.value!r}; give a finite number")
            check_argument(number, name, text, argument.type, False)
            value = int(argument.value) if "int" in argument.type or argument.type == "bool" else float(argument.value)
            clauses.append(f"value({name} = {value!r}{'f' if argument.type in ('float', 'float32') else ''})")
    return clauses


def _check_parameters(problem: Problem) -> bool:
    """Is a value below 0?"""
    for name, values in problem.parameters.items():
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise ValueError(f"parameter '{name}' is no identifier; rename it")
        wrong = [value for value in values if isinstance(value, bool) or not isinstance(value, int)]
        if wrong or not values:
            raise ValueError(f"parameter '{name}' has the value {wrong[0]!r}; use integers" if wrong else f"parameter '{name}' has no value; give it one")
    return any(value < 0 for values in problem.parameters.values() for value in values)


def _check_macros(problem: Problem) -> None:
    """Refuses a source that defines a parameter: its values would have no effect."""
    lines = blank_comments(problem.source).splitlines()
    for name in problem.parameters:
        asked = re.compile(rf"[ \t]*#[ \t]*(?:ifndef[ \t]+{name}\b|if[ \t]*!?.*defined.*\b{name}\b)")
        for number, line in enumerate(lines):
            if not re.match(rf"[ \t]*#[ \t]*define[ \t]+{name}\b", line):
                continue
            if not any(asked.match(before) for before in lines[:number]):
                raise ValueError(f"line {number + 1} of the source defines {name}, so that no value of the parameter has an effect; "
                                 f"write #ifndef {name} and #endif around it, or remove it")


def _without_pragmas(source: str) -> str:
    """A file that is annotated already keeps its lines, and loses its pragmas."""
    pattern = r"^[ \t]*#[ \t]*pragma[ \t]+ktune\b(?:\\\n|[^\n])*"
    return re.sub(pattern, lambda found: "\n" * found.group().count("\n"), source, flags=re.M)


def _conflict(problem: Problem) -> list[str]:
    """A smallest set of restrictions that no configuration fulfils together."""
    kept = list(problem.restrictions)
    for text in problem.restrictions:
        rest = [other for other in kept if other is not text]
        if first_legal(problem.parameters, rest) is None:
            kept = rest
    return kept


def original_of(problem: Problem) -> dict[str, int]:
    """The configuration that the others are compared with: the defaults where they are legal, else the first legal one."""
    defaults = {name: problem.defaults.get(name, values[0]) for name, values in problem.parameters.items()}
    within = all(defaults[name] in values for name, values in problem.parameters.items())
    if within and problem.defaults and is_legal(defaults, problem.restrictions):
        return defaults
    fits = f"0 < {' * '.join(f'({extent})' for extent in problem.block)} <= {_MOST_THREADS}"
    try:
        # One that the device can run, as far as the number of threads tells.
        found = first_legal(problem.parameters, [*problem.restrictions, fits]) or first_legal(problem.parameters, problem.restrictions)
        if found is None:
            texts = ", ".join(f"'{text}'" for text in _conflict(problem))
            raise ValueError(f"no configuration of the parameters fulfils {texts}; relax a restriction or add values")
    except StopIteration:
        # ktcc itself finds out whether there is one.
        return {name: values[0] for name, values in problem.parameters.items()}
    return found


def _size_names(problem: Problem) -> list[str]:
    """Names of the problem's sizes, which nothing in the source has."""
    words = set(re.findall(r"[A-Za-z_]\w*", problem.source)) | set(problem.parameters)
    names = [f"problem_size_{axis}" for axis in ("x", "y", "z", *map(str, range(3, len(problem.sizes))))][:len(problem.sizes)]
    while words & set(names):
        names = [name + "_" for name in names]
    return names


def _problem_clause(problem: Problem) -> str:
    """The sizes are fixed, as they are in Kernel Tuner: each has bounds that hold its one value."""
    parts = [f"{name} = {size}; {name} in {size}..{size}" for name, size in zip(_size_names(problem), problem.sizes)]
    return f"problem({'; '.join(parts)})"


def _launch(problem: Problem, signature: Sequence[str]) -> str:
    """A kernel of CUDA is read where it is launched. The clauses say the geometry."""
    if problem.opencl:
        return ""
    names = ", ".join(_name_of(text) for text in signature)
    sizes = "".join(f"\tlong long {name} = {size};\n\t(void){name};\n" for name, size in zip(_size_names(problem), problem.sizes))
    return (f"\nstatic inline void ktune_launch({', '.join(signature)})\n{{\n{sizes}"
            f"\t{problem.kernel}<<<1, 1>>>({names});\n}}\n")


def line_in_source(problem: Problem, line: int) -> int | None:
    """The line of the problem's source that a line of the annotated one is; None where it was made: a macro, the pragma, the launch."""
    source = _without_pragmas(problem.source)
    begin, _ = _definition(source, problem.kernel, problem.opencl)
    rest = source[begin:].lstrip("\n")
    first = source.count("\n", 0, len(source) - len(rest)) + 1
    above = line - _macros(problem).count("\n")
    below = above - _before(source, begin).count("\n") - _pragma(problem).count("\n")
    if 1 <= above <= _before(source, begin).count("\n"):
        return above
    return first + below - 1 if 1 <= below <= rest.count("\n") + 1 else None


def _before(source: str, begin: int) -> str:
    """What is before the kernel, in whole lines."""
    return source[:begin] + ("\n" if begin > 0 and source[begin - 1] != "\n" else "")


def _macros(problem: Problem) -> str:
    return "".join(f"#ifndef {name}\n#define {name} {value}\n#endif\n" for name, value in original_of(problem).items())


def annotate(problem: Problem) -> str:
    """The source with a pragma above the kernel, and a macro for each parameter."""
    pragma = _pragma(problem)
    source = _without_pragmas(problem.source)
    begin, signature = _definition(source, problem.kernel, problem.opencl)
    return _macros(problem) + _before(source, begin) + pragma + source[begin:].lstrip("\n") + _launch(problem, signature)


def _pragma(problem: Problem) -> str:
    negative = _check_parameters(problem)
    _check_macros(problem)
    names = list(problem.parameters)
    _, signature = _definition(_without_pragmas(problem.source), problem.kernel, problem.opencl)
    clauses = [_problem_clause(problem), *_argument_clauses(problem, signature)]
    clauses += [f"tune({name} = {', '.join(map(str, values))})" for name, values in problem.parameters.items()]
    clauses += [f"restriction({translate(text, names, negative)})" for text in problem.restrictions]
    if problem.tolerance is not None and not 0 <= float(problem.tolerance) < math.inf:
        raise ValueError(f"the tolerance is {problem.tolerance!r}; give a finite number that is not negative")
    clauses += [f"tolerance(abs = {float(problem.tolerance)!r})"] if problem.tolerance is not None else []
    clauses.append(f"grid({', '.join(problem.grid)})")
    clauses += [f"smem({problem.shared})"] if problem.shared else []
    clauses += [f"reference({problem.reference})"] if problem.reference else []
    block = [translate(extent, names, negative, "block size") for extent in problem.block]
    clauses.append(f"{'local' if problem.opencl else 'block'}({', '.join(block)})")
    return "#pragma ktune " + " \\\n    ".join(clauses) + "\n"
