"""Python expressions over tunable parameters, as restrictions of `#pragma ktune`.

What a restriction says is read by Python's own `ast` and never evaluated.
"""
from __future__ import annotations

import ast
import math
from typing import Collection

__all__ = ["ExpressionError", "translate"]

_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%", ast.LShift: "<<", ast.RShift: ">>",
           ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}
_COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_UNARY = {ast.Not: "!", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
_MOST_POWER = 16


class ExpressionError(ValueError):
    """An expression that has no form in the language of the pragma: place, cause and fix."""

    def __init__(self, text: str, node: ast.AST | None, why: str, what: str = "restriction") -> None:
        column = getattr(node, "col_offset", 0) + 1
        super().__init__(f"{what} '{text}', column {column}: {why}")


_KEEPS_SIGN = (ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor, ast.Pow, ast.Mult)


def _least(node: ast.AST) -> float:
    """A lower bound of a value, where no parameter is negative."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, (ast.Name, ast.Subscript, ast.Compare)) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
        return 0
    if isinstance(node, (ast.BoolOp, ast.IfExp, ast.Call)):
        parts = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.args
        return min(map(_least, parts), default=-math.inf)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _least(node.left) + _least(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and isinstance(node.right, ast.Constant) and isinstance(node.right.value, int):
        return _least(node.left) - node.right.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, _KEEPS_SIGN) and _least(node.left) >= 0 and _least(node.right) >= 0:
        return 0
    return -math.inf


def _may_be_negative(node: ast.AST) -> bool:
    """`//` and `%` round another way in C then."""
    return _least(node) < 0


class _Translator:
    def __init__(self, text: str, names: Collection[str], negative: bool, what: str) -> None:
        self.text, self.names, self.negative, self.what = text, names, negative, what

    def fail(self, node: ast.AST, why: str) -> ExpressionError:
        return ExpressionError(self.text, node, why, self.what)

    def visit(self, node: ast.AST) -> str:
        method = getattr(self, "visit_" + type(node).__name__, None)
        if method is None:
            raise self.fail(node, f"{type(node).__name__} is not supported; write integers, names and operators")
        return str(method(node))

    def visit_Constant(self, node: ast.Constant) -> str:
        if isinstance(node.value, bool):
            return str(int(node.value))
        if isinstance(node.value, int):
            return str(node.value)
        raise self.fail(node, f"{node.value!r} is no integer; scale the comparison to integers")

    def visit_Name(self, node: ast.Name) -> str:
        if node.id not in self.names:
            raise self.fail(node, f"'{node.id}' is no parameter; the parameters are {', '.join(self.names)}")
        return node.id

    def visit_Subscript(self, node: ast.Subscript) -> str:
        # p["name"], as restrictions of functions spell a parameter.
        if isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return self.visit(ast.copy_location(ast.Name(node.slice.value), node))
        raise self.fail(node, "only p[\"name\"] may have an index; write the parameter's name")

    def number(self, node: ast.AST) -> str:
        """What is used as a number: `a and b` is one of its operands in Python."""
        if not isinstance(node, ast.BoolOp):
            return self.visit(node)
        out = self.number(node.values[-1])
        for value in reversed(node.values[:-1]):
            left = self.number(value)
            out = f"({left} ? {out} : {left})" if isinstance(node.op, ast.And) else f"({left} ? {left} : {out})"
        return out

    def visit_BoolOp(self, node: ast.BoolOp) -> str:
        word = " && " if isinstance(node.op, ast.And) else " || "
        return "(" + word.join(self.visit(value) for value in node.values) + ")"

    def visit_UnaryOp(self, node: ast.UnaryOp) -> str:
        operand = self.visit(node.operand) if isinstance(node.op, ast.Not) else self.number(node.operand)
        return f"{_UNARY[type(node.op)]}({operand})"

    def visit_BinOp(self, node: ast.BinOp) -> str:
        if isinstance(node.op, ast.Div):
            raise self.fail(node, "'/' makes a fraction, which the pragma has not; write '//', or multiply the other side")
        if isinstance(node.op, ast.Pow):
            return self.power(node)
        if type(node.op) not in _BINARY:
            raise self.fail(node, f"operator {type(node.op).__name__} is not supported; write + - * // % << >> & | ^")
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)) and self.negative:
            raise self.fail(node, "'//' and '%' round differently in C for negative values; use parameters that have none")
        left, right = self.number(node.left), self.number(node.right)
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)) and (_may_be_negative(node.left) or _may_be_negative(node.right)):
            rest = f"(({left} % {right} + {right}) % {right})"
            return rest if isinstance(node.op, ast.Mod) else f"(({left} - {rest}) / {right})"
        return f"({left} {_BINARY[type(node.op)]} {right})"

    def power(self, node: ast.BinOp) -> str:
        if isinstance(node.left, ast.Constant) and node.left.value == 2:
            return f"(1 << {self.number(node.right)})"
        exponent = node.right.value if isinstance(node.right, ast.Constant) else None
        if isinstance(exponent, int) and 1 <= exponent <= _MOST_POWER:
            return "(" + " * ".join([self.number(node.left)] * exponent) + ")"
        raise self.fail(node, f"'**' needs the base 2 or an exponent from 1 to {_MOST_POWER}; write a product")

    def visit_Compare(self, node: ast.Compare) -> str:
        parts, left = [], node.left
        for op, right in zip(node.ops, node.comparators):
            parts.append(self.compare(node, left, op, right))
            left = right
        return parts[0] if len(parts) == 1 else "(" + " && ".join(parts) + ")"

    def compare(self, node: ast.Compare, left: ast.AST, op: ast.cmpop, right: ast.AST) -> str:
        if isinstance(op, (ast.In, ast.NotIn)):
            if not isinstance(right, (ast.List, ast.Tuple, ast.Set)) or not right.elts:
                raise self.fail(node, "'in' needs a list that is written out; write [1, 2, 4]")
            any_of = "(" + " || ".join(f"({self.number(left)}) == ({self.number(item)})" for item in right.elts) + ")"
            return any_of if isinstance(op, ast.In) else f"!{any_of}"
        if type(op) not in _COMPARE:
            raise self.fail(node, "'is' is not supported; write ==")
        return f"({self.number(left)} {_COMPARE[type(op)]} {self.number(right)})"

    def visit_IfExp(self, node: ast.IfExp) -> str:
        return f"({self.visit(node.test)} ? {self.number(node.body)} : {self.number(node.orelse)})"

    def visit_Call(self, node: ast.Call) -> str:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in ("min", "max", "int", "bool") or node.keywords or not node.args:
            raise self.fail(node, f"'{ast.unparse(node.func)}(…)' is not supported; min, max, int and bool are")
        values = [self.number(argument) for argument in node.args]
        if name in ("min", "max") and len(values) > 1:
            out = values[0]
            for value in values[1:]:
                out = f"{name}({out}, {value})"
            return out
        if name in ("int", "bool") and len(values) == 1:
            return values[0] if name == "int" else f"(({values[0]}) != 0)"
        raise self.fail(node, f"'{name}' of {len(values)} values is not supported; min and max take several, int and bool one")


def translate(text: str, names: Collection[str], negative: bool = False, what: str = "restriction") -> str:
    """The expression in the language of the pragma. `negative`: a parameter may be below 0; `what`: what messages call it."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        place = ast.Constant(None, lineno=1, col_offset=(error.offset or 1) - 1)
        raise ExpressionError(text, place, f"{error.msg}; write a Python expression", what) from None
    return _Translator(text, names, negative, what).visit(tree.body)
