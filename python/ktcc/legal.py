"""Which configurations the restrictions of a tuning problem allow. Expressions are read by Python's `ast` and never evaluated by Python."""
from __future__ import annotations

import ast
import operator
from typing import Any, Callable, Iterator, Mapping, Sequence

__all__ = ["first_legal", "is_legal", "names_of", "value_of"]

_BINARY: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor, ast.Pow: operator.pow}
_COMPARE: dict[type, Callable[[int, int], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
_UNARY: dict[type, Callable[[int], int]] = {ast.Not: operator.not_, ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
_CALLS: dict[str, Callable[..., int]] = {"min": min, "max": max, "int": int, "bool": bool}
_MOST_SHIFT = 64
_MOST_STEPS = 2_000_000


class _Undefined(ArithmeticError):
    """The expression has no value at this configuration."""


class _Evaluator:
    """The value of what `expressions.translate` accepts."""

    def __init__(self, values: Mapping[str, int]) -> None:
        self.values = values

    def visit(self, node: ast.AST) -> Any:
        return getattr(self, "visit_" + type(node).__name__)(node)

    def visit_Constant(self, node: ast.Constant) -> Any:
        return node.value

    def visit_Name(self, node: ast.Name) -> int:
        return self.values[node.id]

    def visit_Subscript(self, node: ast.Subscript) -> int:
        return self.values[self.visit(node.slice)]

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        value = None
        for each in node.values:
            value = self.visit(each)
            if bool(value) is isinstance(node.op, ast.Or):
                break
        return value

    def visit_UnaryOp(self, node: ast.UnaryOp) -> int:
        return _UNARY[type(node.op)](self.visit(node.operand))

    def visit_BinOp(self, node: ast.BinOp) -> int:
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, (ast.LShift, ast.RShift, ast.Pow)) and not 0 <= right <= _MOST_SHIFT:
            raise _Undefined
        return _BINARY[type(node.op)](left, right)

    def visit_Compare(self, node: ast.Compare) -> bool:
        left = self.visit(node.left)
        for op, item in zip(node.ops, node.comparators):
            if isinstance(op, (ast.In, ast.NotIn)):
                found = left in [self.visit(one) for one in getattr(item, "elts")]
                return found is isinstance(op, ast.In)
            right = self.visit(item)
            if not _COMPARE[type(op)](left, right):
                return False
            left = right
        return True

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        return self.visit(node.body if self.visit(node.test) else node.orelse)

    def visit_Call(self, node: ast.Call) -> int:
        return _CALLS[getattr(node.func, "id")](*(self.visit(argument) for argument in node.args))


def _tree(text: str) -> ast.AST:
    return ast.parse(text.strip(), mode="eval").body


def names_of(text: str) -> set[str]:
    """The parameters that an expression names, also as p["name"]."""
    found = set()
    for node in ast.walk(_tree(text)):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            found.add(node.slice.value)
    return found


def _value(tree: ast.AST, values: Mapping[str, int]) -> int | None:
    try:
        return _Evaluator(values).visit(tree)
    except (ArithmeticError, ValueError):
        return None


def value_of(text: str, values: Mapping[str, int]) -> int | None:
    """The value of an expression that `translate` accepts; None where it divides by 0 or the like."""
    return _value(_tree(text), values)


def is_legal(values: Mapping[str, int], restrictions: Sequence[str]) -> bool:
    """Do all restrictions hold?"""
    return all(value_of(text, values) for text in restrictions)


def _assign(parameters: Mapping[str, Sequence[int]], due: Sequence[Sequence[ast.AST]], values: dict[str, int],
            steps: Iterator[int]) -> dict[str, int] | None:
    """Depth first, in the order of the values. A restriction is looked at when its last parameter has a value."""
    if len(values) == len(parameters):
        return dict(values)
    depth = len(values)
    name = list(parameters)[depth]
    for value in parameters[name]:
        next(steps)
        values[name] = value
        if all(_value(tree, values) for tree in due[depth]):
            found = _assign(parameters, due, values, steps)
            if found is not None:
                return found
        del values[name]
    return None


def first_legal(parameters: Mapping[str, Sequence[int]], restrictions: Sequence[str]) -> dict[str, int] | None:
    """The first configuration that all restrictions allow; None where none does. Raises StopIteration where the search takes too long."""
    order = list(parameters)
    due: list[list[ast.AST]] = [[] for _ in order]
    for text in restrictions:
        last = max((order.index(name) for name in names_of(text) if name in parameters), default=0)
        due[last].append(_tree(text))
    return _assign(parameters, due, {}, iter(range(_MOST_STEPS)))
