"""What the parameters of a kernel are declared as, beside what arguments are said to be."""
from __future__ import annotations

import re

__all__ = ["check_argument"]

_QUALIFIERS = re.compile(r"\b(?:const|volatile|restrict|__restrict__|__restrict|__global|global|__local|local|__constant|constant|__private|private|"
                         r"struct|__grid_constant__)\b")
# Kind and bytes: i(nteger), f(loating).
_DECLARED = {**dict.fromkeys(("bool", "char", "signed char", "unsigned char", "uchar", "int8_t", "uint8_t"), ("i", 1)),
             **dict.fromkeys(("short", "short int", "unsigned short", "ushort", "int16_t", "uint16_t"), ("i", 2)),
             **dict.fromkeys(("int", "signed", "signed int", "unsigned", "unsigned int", "uint", "int32_t", "uint32_t"), ("i", 4)),
             **dict.fromkeys(("long", "long int", "unsigned long", "ulong", "long long", "long long int", "unsigned long long", "unsigned long long int",
                              "int64_t", "uint64_t", "size_t", "ptrdiff_t"), ("i", 8)),
             **dict.fromkeys(("half", "__half", "__nv_bfloat16", "nv_bfloat16"), ("f", 2)), "float": ("f", 4), "double": ("f", 8)}
_GIVEN = {"bool": ("i", 1), "half": ("f", 2), "float": ("f", 4), "double": ("f", 8)}


def _kind_of(word: str) -> str:
    return "f" if word == "float" else "i"


def _given(kind: str) -> tuple[str, int] | None:
    found = re.fullmatch(r"(u?int|float)(\d+)", kind)
    return (_kind_of(found.group(1)), int(found.group(2)) // 8) if found is not None else _GIVEN.get(kind)


def _spelling(kind: tuple[str, int]) -> str:
    return f"{'int' if kind[0] == 'i' else 'float'}{8 * kind[1]}"


def check_argument(number: int, name: str, declared: str, kind: str, is_buffer: bool) -> None:
    """Raises ValueError where the parameter, by the text of its declaration, is of another type than the argument. Typedefs are not looked up."""
    is_pointer = "*" in declared or "[" in declared
    what = f"argument {number}, '{name}'"
    if is_pointer != is_buffer:
        raise ValueError(f"{what} is {'an array' if is_buffer else 'a scalar'}, and the kernel's parameter '{declared}' is {'a' if is_pointer else 'no'} "
                         f"pointer; give {'an array (MemoryType Vector)' if is_pointer else 'a scalar (MemoryType Scalar)'}")
    base = " ".join(_QUALIFIERS.sub(" ", re.sub(rf"\b{re.escape(name)}\b.*$", "", declared).replace("*", " ")).split())
    expected, given = _DECLARED.get(base), _given(kind)
    if expected is None or given is None:
        return
    # Scalars are texts in a clause, which any width takes.
    if given[0] != expected[0] if not is_buffer else given != expected:
        raise ValueError(f"{what} is of type {kind}, and the kernel's parameter '{declared}' of type {base}; give {_spelling(expected)}")
