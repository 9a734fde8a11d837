"""Conditions of the passes over the kernel IR, and the source without one of them.

A condition is an operand of what decides that something is refused: of `||` in front of a return that refuses, of `&&` in a
predicate's result, or the condition of a reason that is chosen by `?:`. mutants(path) gives each as a Mutant."""
import re

SKIPPED = re.compile(r"\bfailed\b|KT_OK|out of memory|kt_arena|kt_ir_(lets|uniformity|row|numbers)_of\b|kt_ir_copy|MOST_|COUNT\(|"
                     r"^\s*\w+(->\w+|\.\w+)* [!=]= NULL\s*$")
REFUSES = re.compile(r"return (false|NULL|NEITHER|KT_IR_OVER_NOTHING|\"|kt_ir_refuses|!kt_ir_refuses|kt_ir_unstage_refuses|(kt_ir_part_)?stop\(|unknown\(|0;)")


class Mutant:
    def __init__(self, path, line, text, source):
        self.path, self.line, self.text, self.source = path, line, text, source


def masked(source):
    """The text with comments, strings and characters as blanks, each character where it was."""
    blank = lambda found: re.sub(r"[^\n]", " ", found[0])
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", blank, source, flags=re.S)


def closing(text, at):
    """Where the bracket at a place is closed."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0:
            return i
    raise ValueError("a bracket is open")


def operands(text, begin, end, operator):
    """The ranges of the operands of an operator at the top of an expression; one range where it has none."""
    depth, start, found = 0, begin, []
    for i in range(begin, end):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0 and text.startswith(operator, i):
            found.append((start, i))
            start = i + len(operator)
    return found + [(start, end)]


def functions(text):
    """Header, begin and end of the body of each function."""
    for found in re.finditer(r"^\{", text, re.M):
        header = text[max(text.rfind("\n\n", 0, found.start()), text.rfind("}\n", 0, found.start()), 0):found.start()]
        yield header, found.start(), closing(text, found.start())


def offered(source):
    """How much of a file is about what may be offered; the rest makes variants."""
    ends = [at for at in (source.find("/* ---- The variant ---- */"), source.find("\nstatic kt_status transform("),
                          source.find("/* ---- And back ---- */")) if at >= 0]
    return min(ends, default=len(source))


def ranges(source):
    text, end = masked(source), offered(source)
    for header, begin, close in functions(text):
        if begin >= end:
            continue
        gives_reason = re.search(r"const char \*\w+\(", header) is not None
        gives_bool = re.search(r"\bbool \**\w+\(", header) is not None
        for found in re.finditer(r"\bif \(", text[begin:close]):
            open_at = begin + found.end() - 1
            shut = closing(text, open_at)
            behind = source[shut + 1:close].lstrip()
            body = behind[:behind.find("}")] if behind.startswith("{") else behind[:behind.find(";") + 1]
            if not REFUSES.search(body) or (gives_reason and "return NULL" in body) or "out of memory" in body:
                continue
            operator = "||" if len(operands(text, open_at + 1, shut, "||")) > 1 else "&&"
            whole = operator == "&&"
            for first, last in [(open_at + 1, shut)] if whole else operands(text, open_at + 1, shut, "||"):
                yield first, last, "0"
        for found in re.finditer(r"\breturn ", text[begin:close]):
            first = begin + found.end()
            last = text.find(";", first)
            parts = operands(text, first, last, "&&")
            chosen = operands(text, first, last, "?")
            if len(chosen) == 2 and re.match(r"\s*(\"|unordered)", source[chosen[1][0]:]) and "out of memory" not in source[first:last]:
                yield chosen[0][0], chosen[0][1], "0"
            elif gives_bool and len(parts) > 1 and len(chosen) == 1 and len(operands(text, first, last, "||")) == 1:
                for one in parts:
                    yield one[0], one[1], "1"


def mutants(path):
    with open(path) as file:
        source = file.read()
    for first, last, instead in ranges(source):
        text = " ".join(source[first:last].split())
        if SKIPPED.search(text) or text in ("0", "1", "true", "false", ""):
            continue
        yield Mutant(path, source.count("\n", 0, first + len(source[first:last]) - len(source[first:last].lstrip())) + 1, text,
                     f"{source[:first]} ({instead}) {source[last:]}")
