"""Expressions of T1 files as steps of a stack machine, in which `ktcc` computes with them.

Python's own `ast` reads them; nothing is evaluated by `eval`. A program: one request on a line of standard input, one reply (docs/protocol.md).
"""
from __future__ import annotations

import ast
import json
import math
import operator
import sys
from typing import Any, Callable, Dict, List, Sequence, Union

__all__ = ["Mistake", "reply", "steps_of", "values_of"]

Step = List[Any]                         # [operator, byte of the text] or [kind, byte, its number or text]
Value = Union[List[Step], "_Items"]      # what an expression is: steps that leave one value, or a list of such

_MOST_BYTES = 65536
_MOST_ITEMS = 65536
_MOST_POWER = 64
_BINARY: Dict[type, str] = {
    ast.Add: "ADD", ast.Sub: "SUBTRACT", ast.Mult: "MULTIPLY", ast.Div: "DIVIDE", ast.FloorDiv: "FLOOR_DIVIDE", ast.Mod: "MODULO",
    ast.Pow: "POWER", ast.LShift: "SHIFT_LEFT", ast.RShift: "SHIFT_RIGHT", ast.BitAnd: "BIT_AND", ast.BitOr: "BIT_OR", ast.BitXor: "BIT_XOR"}
_UNARY: Dict[type, str] = {ast.USub: "NEGATE", ast.Invert: "COMPLEMENT", ast.Not: "NOT"}
_COMPARE: Dict[type, str] = {ast.Lt: "LESS", ast.LtE: "LESS_EQUAL", ast.Eq: "EQUAL", ast.NotEq: "NOT_EQUAL"}
_SWAPPED: Dict[type, str] = {ast.Gt: "LESS", ast.GtE: "LESS_EQUAL"}
_ONE = {"abs": "ABSOLUTE", "int": "TRUNCATE", "float": "TO_REAL", "bool": "TRUTH", "round": "ROUND", "ceil": "CEIL", "floor": "FLOOR",
        "sqrt": "SQRT", "log2": "LOG2"}
_FOLD = {"min": "MIN", "max": "MAX", "sum": "ADD", "gcd": "GCD"}
_FUNCTIONS = [*_ONE, *_FOLD, "pow", "any", "all", "len", "range", "list", "tuple", "set", "sorted"]


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(exponent, int) and abs(exponent) > _MOST_POWER and base not in (-1, 0, 1):
        raise ArithmeticError
    return base ** exponent


def _shift(by: Callable[[int, int], int]) -> Callable[[int, int], int]:
    def shift(value: int, bits: int) -> int:
        if bits > _MOST_POWER:
            raise ArithmeticError
        return by(value, bits)
    return shift


_MEANING_ONE: Dict[str, Callable[[Any], Any]] = {
    "NEGATE": operator.neg, "COMPLEMENT": operator.invert, "NOT": lambda a: int(not a), "TRUTH": lambda a: int(bool(a)), "ABSOLUTE": abs,
    "TRUNCATE": int, "FLOOR": math.floor, "CEIL": math.ceil, "ROUND": round, "TO_REAL": float, "SQRT": math.sqrt, "LOG2": math.log2}
_MEANING_TWO: Dict[str, Callable[[Any, Any], Any]] = {
    "ADD": operator.add, "SUBTRACT": operator.sub, "MULTIPLY": operator.mul, "DIVIDE": operator.truediv, "FLOOR_DIVIDE": operator.floordiv,
    "MODULO": operator.mod, "POWER": _power, "GCD": math.gcd, "SHIFT_LEFT": _shift(operator.lshift), "SHIFT_RIGHT": _shift(operator.rshift),
    "BIT_AND": operator.and_, "BIT_XOR": operator.xor, "BIT_OR": operator.or_, "LESS": lambda a, b: int(a < b),
    "LESS_EQUAL": lambda a, b: int(a <= b), "EQUAL": lambda a, b: int(a == b), "NOT_EQUAL": lambda a, b: int(a != b),
    "AND": lambda a, b: int(bool(a and b)), "OR": lambda a, b: int(bool(a or b)), "AND_VALUE": lambda a, b: a and b,
    "OR_VALUE": lambda a, b: a or b, "MIN": min, "MAX": max}


class Mistake(ValueError):
    """What is wrong with an expression, and at which of its bytes."""

    def __init__(self, offset: int, why: str) -> None:
        super().__init__(why)
        self.offset = offset


class _Items(List[List[Step]]):
    """A list: the steps of each item."""


def _constant(steps: Sequence[Step]) -> Any:
    """The value of steps that depend on no parameter; ValueError, TypeError or ArithmeticError where they have none."""
    stack: list[Any] = []
    for op, _, *given in steps:
        if op == "PARAMETER":
            raise ValueError
        if given:
            stack.append(float(given[0]) if op == "REAL" else int(given[0]) if op == "INTEGER" else given[0])
        elif op in _MEANING_ONE:
            stack.append(_MEANING_ONE[op](stack.pop()))
        elif op == "CHOOSE":
            otherwise, value, condition = stack.pop(), stack.pop(), stack.pop()
            stack.append(value if condition else otherwise)
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(_MEANING_TWO[op](left, right))
    return stack.pop()


class _Reader:
    def __init__(self, text: str, names: Sequence[str]) -> None:
        self.text, self.names = text.encode(), names
        self.locals: dict[str, list[Step]] = {}

    def between(self, left: ast.AST, right: ast.AST) -> int:
        """Where the operator between two operands is."""
        at = int(getattr(left, "end_col_offset"))
        while at < getattr(right, "col_offset") and self.text[at:at + 1] in b" )":
            at += 1
        return at

    def visit(self, node: Any) -> Value:
        method = getattr(self, "visit_" + type(node).__name__, None)
        if method is None:
            raise Mistake(node.col_offset, f"{type(node).__name__} is not supported; write numbers, names, operators and lists")
        return method(node)  # type: ignore[no-any-return]

    def scalar(self, node: Any) -> list[Step]:
        value = self.visit(node)
        if isinstance(value, _Items):
            raise Mistake(node.col_offset, "expected a value, found a list; use any, all, sum, min, max or len of it")
        return value

    def items(self, nodes: Sequence[Any]) -> _Items:
        return self.limited(_Items(self.scalar(node) for node in nodes), nodes[0].col_offset if nodes else 0)

    def limited(self, items: _Items, offset: int) -> _Items:
        if len(items) > _MOST_ITEMS:
            raise Mistake(offset, f"a list of more than {_MOST_ITEMS} items; write a shorter one")
        return items

    def visit_Constant(self, node: ast.Constant) -> list[Step]:
        value, at = node.value, node.col_offset
        if isinstance(value, (bool, int)):
            if value > 2 ** 63 - 1:
                raise Mistake(at, "integer does not fit 64 bits; write a smaller one")
            return [["INTEGER", at, str(int(value))]]
        if isinstance(value, float):
            return [["REAL", at, repr(value)]]
        if isinstance(value, str):
            return [["TEXT", at, value]]
        raise Mistake(at, f"{value!r} has no value here; write a number or a text")

    def resolve(self, name: str, at: int) -> list[Step]:
        if name in self.locals:
            return self.locals[name]
        if name in self.names:
            return [["PARAMETER", at, str(self.names.index(name))]]
        known = f"the parameters are {', '.join(self.names)}" if self.names else "write numbers and texts"
        raise Mistake(at, f"unknown name '{name[:80]}'; {known}")

    def visit_Name(self, node: ast.Name) -> list[Step]:
        return self.resolve(node.id, node.col_offset)

    def visit_Subscript(self, node: ast.Subscript) -> list[Step]:
        # p["name"], as restrictions of functions spell a parameter; an index is a node by itself from Python 3.9 on.
        if isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return self.resolve(node.slice.value, node.col_offset)
        raise Mistake(node.col_offset, "only p[\"name\"] may have an index; write the parameter's name in quotes")

    def visit_List(self, node: Any) -> _Items:
        return self.items(node.elts)

    visit_Tuple = visit_Set = visit_List

    def visit_ListComp(self, node: Any) -> _Items:
        out = _Items()
        self.comprehend(out, node, 0)
        return out

    visit_GeneratorExp = visit_SetComp = visit_ListComp

    def comprehend(self, out: _Items, node: Any, depth: int) -> None:
        if depth == len(node.generators):
            out.append(self.scalar(node.elt))
            self.limited(out, node.col_offset)
            return
        generator = node.generators[depth]
        source = self.visit(generator.iter)
        if not isinstance(generator.target, ast.Name) or not isinstance(source, _Items):
            raise Mistake(generator.target.col_offset, "expected a name and a list; write [i for i in range(4)]")
        name, before = generator.target.id, dict(self.locals)
        for item in source:
            self.locals[name] = item
            if all(self.holds(condition) for condition in generator.ifs):
                self.comprehend(out, node, depth + 1)
        self.locals = before

    def holds(self, node: Any) -> bool:
        try:
            return bool(_constant(self.scalar(node)))
        except (ArithmeticError, TypeError, ValueError) as error:
            if isinstance(error, Mistake):
                raise
            raise Mistake(node.col_offset, "the condition of a list is not a constant; write it without parameters") from None

    def visit_UnaryOp(self, node: ast.UnaryOp) -> list[Step]:
        operand = self.scalar(node.operand)
        return operand if isinstance(node.op, ast.UAdd) else [*operand, [_UNARY[type(node.op)], node.col_offset]]

    def visit_BinOp(self, node: ast.BinOp) -> Value:
        at = self.between(node.left, node.right)
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Add) and isinstance(left, _Items) and isinstance(right, _Items):
            return self.limited(_Items([*left, *right]), at)
        if isinstance(left, _Items) or isinstance(right, _Items):
            raise Mistake(at, "a list has no value here; + joins two lists")
        if type(node.op) not in _BINARY:
            raise Mistake(at, f"operator {type(node.op).__name__} is not supported; write + - * / // % ** << >> & | ^")
        return [*left, *right, [_BINARY[type(node.op)], at]]

    def visit_BoolOp(self, node: ast.BoolOp) -> list[Step]:
        word = "AND_VALUE" if isinstance(node.op, ast.And) else "OR_VALUE"
        out = list(self.scalar(node.values[0]))
        for before, value in zip(node.values, node.values[1:]):
            out += [*self.scalar(value), [word, self.between(before, value)]]
        return out

    def visit_Compare(self, node: ast.Compare) -> list[Step]:
        out: list[Step] = []
        left = node.left
        for i, (op, right) in enumerate(zip(node.ops, node.comparators)):
            at = self.between(left, right)
            out += self.compare(self.scalar(left), op, right, at)
            out += [["AND", at]] if i > 0 else []
            left = right
        return out

    def compare(self, left: list[Step], op: ast.cmpop, node: Any, at: int) -> list[Step]:
        if isinstance(op, (ast.In, ast.NotIn)):
            return self.member(left, self.visit(node), isinstance(op, ast.NotIn), at)
        right = self.scalar(node)
        if type(op) in _SWAPPED:
            return [*right, *left, [_SWAPPED[type(op)], at]]
        if type(op) not in _COMPARE:
            raise Mistake(at, "'is' is not supported; write ==")
        return [*left, *right, [_COMPARE[type(op)], at]]

    def member(self, item: list[Step], items: Value, negated: bool, at: int) -> list[Step]:
        if not isinstance(items, _Items):
            raise Mistake(at, "'in' needs a list on its right; write [1, 2]")
        out: list[Step] = [["INTEGER", at, "0"]]
        for one in items:
            out += [*item, *one, ["EQUAL", at], ["OR", at]]
        return [*out, ["NOT", at]] if negated else out

    def visit_IfExp(self, node: ast.IfExp) -> list[Step]:
        at = self.between(node.body, node.test)
        return [*self.scalar(node.test), *self.scalar(node.body), *self.scalar(node.orelse), ["CHOOSE", at]]

    def visit_Call(self, node: ast.Call) -> Value:
        name = ast.unparse(node.func)
        for module in ("math.", "np.", "numpy."):
            name = name[len(module):] if name.startswith(module) else name
        if name not in _FUNCTIONS or node.keywords:
            raise Mistake(node.col_offset, f"unknown function '{name[:80]}'; use one of {', '.join(_FUNCTIONS)}, without keywords")
        alone = self.visit(node.args[0]) if len(node.args) == 1 else None
        arguments = alone if isinstance(alone, _Items) else self.items(node.args)
        if name in _ONE or name == "pow":
            count = 1 if name in _ONE else 2
            if len(arguments) != count:
                raise Mistake(node.col_offset, f"{name} takes one argument; write {name}(x)" if count == 1 else f"{name} takes two; write {name}(x, y)")
            return [*(step for argument in arguments for step in argument), [_ONE.get(name, "POWER"), node.col_offset]]
        if name in _FOLD or name in ("any", "all"):
            return self.fold(name, arguments, node.col_offset)
        if name == "len":
            return [["INTEGER", node.col_offset, str(len(arguments))]]
        if name == "range":
            return self.range(arguments, node.col_offset)
        return _Items(sorted(arguments, key=_constant)) if name == "sorted" else arguments

    def fold(self, name: str, arguments: _Items, at: int) -> list[Step]:
        if name in ("any", "all"):
            start, op = [["INTEGER", at, str(int(name == "all"))]], "OR" if name == "any" else "AND"
            return start + [step for one in arguments for step in [*one, ["TRUTH", at], [op, at]]]
        if not arguments and name != "sum":
            raise Mistake(at, f"{name} of nothing; write values into it")
        out = list(arguments[0]) if arguments else [["INTEGER", at, "0"]]
        for one in arguments[1:]:
            out += [*one, [_FOLD[name], at]]
        return out

    def range(self, arguments: _Items, at: int) -> _Items:
        try:
            numbers = range(*(operator.index(_constant(one)) for one in arguments))
        except (ArithmeticError, TypeError, ValueError):
            raise Mistake(at, "range takes 1 to 3 constant integers, and a step that is not 0; write range(1, 9)") from None
        if len(numbers) > _MOST_ITEMS:
            raise Mistake(at, f"a list of more than {_MOST_ITEMS} items; write a shorter range")
        return _Items([["INTEGER", at, str(number)]] for number in numbers)


def _read(text: str, names: Sequence[str]) -> Value:
    if len(text.encode()) > _MOST_BYTES:
        raise Mistake(0, f"expression is longer than {_MOST_BYTES} bytes; write a shorter one")
    # Line ends and blanks in front are blanks to an expression, and keep its bytes where they are.
    line = "".join(" " if c in "\n\r\t\f\v" else c for c in text)
    lead = len(line) - len(line.lstrip(" "))
    try:
        tree = ast.parse(line[lead:], mode="eval")
    except SyntaxError as error:
        before = min((error.offset or 1) - 1 + lead, len(line))
        raise Mistake(len(line[:before].encode()), f"{error.msg}; write a Python expression") from None
    except (MemoryError, RecursionError, ValueError):
        raise Mistake(0, "expression is nested too deep; write a shorter one") from None
    for node in ast.walk(tree):
        for member in ("col_offset", "end_col_offset"):
            if hasattr(node, member):
                setattr(node, member, getattr(node, member) + lead)
    try:
        return _Reader(line, names).visit(tree.body)
    except RecursionError:
        raise Mistake(0, "expression is nested too deep; write a shorter one") from None


def steps_of(text: str, names: Sequence[str]) -> list[Step]:
    """The steps of a condition over the parameters of these names."""
    value = _read(text, names)
    if isinstance(value, _Items):
        raise Mistake(0, "expected a value, found a list; use any, all, sum, min, max or len of it")
    return value


def values_of(text: str) -> list[Any]:
    """The numbers and texts of a list of constants, or a single one; integers as text, of 64 bits."""
    items, out = _read(text, []), []
    if not isinstance(items, _Items):
        items = [items]
    for i, item in enumerate(items):
        try:
            value = _constant(item)
        except (ArithmeticError, TypeError, ValueError):
            value = math.nan
        if isinstance(value, complex) or isinstance(value, float) and not math.isfinite(value) or isinstance(value, int) and not -2 ** 63 <= value < 2 ** 63:
            raise Mistake(0, f"item {i + 1} of the list has no value; write a number of 64 bits or a text")
        out.append([{int: "INTEGER", float: "REAL", str: "TEXT"}[type(value)], 0, value if isinstance(value, str) else repr(value)])
    return out


def reply(request: dict[str, Any]) -> dict[str, Any]:
    """The reply to {"names", "values", "conditions"}: the steps of each text, or the first mistake and where it is."""
    out: dict[str, Any] = {"values": [], "conditions": []}
    readers: list[tuple[str, Callable[[str], list[Any]]]] = [("values", values_of), ("conditions", lambda text: steps_of(text, request["names"]))]
    for member, read in readers:
        for index, text in enumerate(request[member]):
            try:
                out[member].append(None if text is None else read(text))
            except Mistake as mistake:
                return {"member": member, "index": index, "offset": mistake.offset, "mistake": str(mistake)}
    return out


if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    json.dump(reply(json.loads(sys.stdin.readline())), sys.stdout)
    print()
