"""The members of T1 files: those that are read, those that have no effect here, and those that nothing is called."""
from __future__ import annotations

import difflib
import re
from typing import Any, Iterator, Sequence

__all__ = ["T1Warning", "line_of", "mistakes"]

Path = tuple  # of names of members, and of places in lists


class T1Warning(UserWarning):
    """A member of a T1 file that has no effect; the text is a line with its place."""


_READ, _SILENT = "", "-"
# What each object may have. _READ: it has an effect. _SILENT: it describes, and nothing has to be done with it. Others: why it has no effect.
_ARGUMENT = {
    **dict.fromkeys(("Type", "MemoryType", "Size", "FillType", "FillValue"), _READ),
    **dict.fromkeys(("Name", "TypeSize", "AccessType", "MemType", "Output"), _SILENT),
    "RandomSeed": "data is made from seeds of ktcc, several for each configuration",
    "DataSource": "no file is read; write a clause file(\"x.npy\") into an annotated source",
}
_MEMBERS: dict[tuple[str, ...], dict[str, str]] = {
    (): dict.fromkeys(("General", "ConfigurationSpace", "Search", "Budget", "KernelSpecification"), _READ),
    ("General",): {"Generator": _READ, **dict.fromkeys(("BenchmarkName", "FormatVersion", "OutputFormat", "TimeUnit"), _SILENT),
                   "OutputFile": "name the file of results by --t4", "LoggingLevel": "set KTUNE_LOG to a file"},
    ("ConfigurationSpace",): dict.fromkeys(("TuningParameters", "Conditions"), _READ),
    ("ConfigurationSpace", "TuningParameters"): {**dict.fromkeys(("Name", "Values", "Default"), _READ), "Type": _SILENT},
    ("ConfigurationSpace", "Conditions"): {"Expression": _READ, "Parameters": _SILENT},
    ("Search",): {"Name": _READ, "Attributes": "strategies have no attributes here"},
    ("Budget",): dict.fromkeys(("Type", "BudgetValue"), _READ),
    ("KernelSpecification",): {
        **dict.fromkeys(("Language", "CompilerOptions", "KernelName", "KernelFile", "GlobalSizeType", "GlobalSize", "LocalSize", "GridDivX", "GridDivY",
                         "GridDivZ", "ProblemSize", "BlockSizeNames", "SharedMemory", "Arguments"), _READ),
        **dict.fromkeys(("BenchmarkName", "Profiling", "Stream"), _SILENT),
        "Device": "set CUDA_VISIBLE_DEVICES or KTUNE_OPENCL_DEVICE",
        "SimulationInput": "run ktcc simulate",
        "ReferenceArguments": "every configuration is compared with the original"},
    ("KernelSpecification", "Arguments"): _ARGUMENT,
    **{("KernelSpecification", size): dict.fromkeys("XYZ", _READ) for size in ("GlobalSize", "LocalSize")},
}
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[{}\[\],:]')


def line_of(text: str, path: Path) -> tuple[int, int]:
    """Line and column of a member of a JSON text that is well formed; of the object that has it, where it has none."""
    places, keys, before = {(): 0}, [], ""
    for found in _TOKEN.finditer(text):
        token = found.group()
        if token in "{[":
            keys.append(None if token == "{" else 0)
        elif token in "}]":
            keys.pop()
        elif token == "," and isinstance(keys[-1], int):
            keys[-1] += 1
        elif token[0] == '"' and keys and not isinstance(keys[-1], int) and before in "{,":
            keys[-1] = token[1:-1]
        places.setdefault(tuple(keys), found.start())
        before = token
    while path not in places:
        path = path[:-1]
    return text.count("\n", 0, places[path]) + 1, places[path] - text.rfind("\n", 0, places[path])


def _unread(value: Any, path: Path, names: Sequence[str]) -> Iterator[tuple[Path, str]]:
    """Each member without an effect, and why; `names`: the path without places in lists."""
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from _unread(item, (*path, i), names)
    known = _MEMBERS.get(tuple(names))
    if known is None or not isinstance(value, dict):
        return
    for name, item in value.items():
        where = f" of {names[-1]}" if names else ""
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            yield (*path, name), f"member '{name}'{where} is not known and has no effect; {f'did you mean {near[0]!r}?' if near else 'remove it'}"
        elif known[name] not in (_READ, _SILENT) and item:
            yield (*path, name), f"member '{name}'{where} has no effect: {known[name]}"
        else:
            yield from _unread(item, (*path, name), (*names, name))


def mistakes(file: str, text: str, t1: Any) -> list[str]:
    """A line for each member without an effect."""
    lines = []
    for path, why in _unread(t1, (), ()):
        line, column = line_of(text, path)
        lines.append(f"{file}:{line}:{column}: warning: {why}")
    return lines
