"""PTX as code: what of two texts has to be the same (script/certify, tests/system/Inputs/options.py)."""
import re

SYMBOL = re.compile(r"[A-Za-z_$][\w$]*")


def code(ptx):
    """No comments, no places, no debug information, no linkage, no name of the unit; lines keep that they are indented."""
    ptx = re.sub(r"/\*.*?\*/|//[^\n]*", "", ptx, flags=re.S)
    ptx = re.sub(r"\.section\s+\.debug.*", "", ptx, flags=re.S)
    lines = [re.sub(r"\s+", " ", line).rstrip() for line in ptx.splitlines()]
    lines = [line for line in lines if line and not re.match(r" ?\.(version|target|file|loc)\b", line)]
    text = re.sub(r"\.(visible|weak) ", "", "\n".join(lines))
    return re.sub(r"\b[0-9a-f]{8}_\d+_\w+?_[0-9a-f]{8}", "unit", text)


class Module:
    """A PTX text as its functions and variables by name."""

    def __init__(self, ptx):
        self.items, self.entries = {}, []
        ptx = code(ptx)
        head = re.compile(r"^\.(?:extern|func|entry|global|const|shared)\b", re.M)
        starts = [m.start() for m in head.finditer(ptx)]
        for begin, end in zip(starts, starts[1:] + [len(ptx)]):
            text = ptx[begin:end].rstrip()
            name = self.name_of(text)
            if name is None or (name in self.items and "{" not in text):
                continue
            # Memory of a function that another one uses as well is declared before it.
            for inner in re.findall(r"^\s+(\.shared\b[^;]*;)", text, flags=re.M):
                self.items[self.name_of(inner)] = inner
            text = re.sub(r"^\s+\.shared\b[^;]*;\n", "", text, flags=re.M)
            self.items[name] = text
            if text.startswith(".entry"):
                self.entries.append(name)

    @staticmethod
    def name_of(text):
        head = text.split("{", 1)[0].split("=", 1)[0]
        entry = re.search(r"\.entry\s+([\w$]+)", head)
        function = re.search(r"\.func\s+(?:\([^)]*\)\s*)?([\w$]+)", head)
        variable = re.search(r"([A-Za-z_$][\w$]*)(?:\[\d*\])*\s*;?\s*$", head.strip())
        found = entry or function or variable
        return found[1] if found else None

    def normal(self, entry):
        """The entry and what it refers to, with names in the order of their appearance."""
        order, texts, at = [entry], [], 0
        while at < len(order):
            text = self.items[order[at]]
            texts.append(text)
            # What is declared inside of it is named, too.
            inner = set(re.findall(r"^\s+\.(?:shared|local|global|const)\b[^;\[]*?([A-Za-z_$][\w$]*)\[", text, flags=re.M))
            for name in SYMBOL.findall(text):
                if (name in self.items or name in inner) and name not in order:
                    order.append(name)
                    self.items.setdefault(name, "")
            at += 1
        # The longest first: parameters are named after their function.
        whole = "\n".join(texts)
        numbers = {name: f"S{i}" for i, name in enumerate(order)}
        labels = {}

        def rename(match):
            name = match[0]
            if name in numbers:
                return numbers[name]
            base = re.match(r"(.*)_(param_\d+)$", name) or re.match(r"(.*?)_(param_\d+)$", name)
            if base and base[1] in numbers:
                return f"{numbers[base[1]]}_{base[2]}"
            if re.match(r"\$L|__local_depot|\$str|_param_|\$__", name):
                return labels.setdefault(name, f"L{len(labels)}")
            return name

        return SYMBOL.sub(rename, whole)
