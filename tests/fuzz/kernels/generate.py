"""Random CUDA kernels of the forms that people write, each from a seed of its own: the same seed, the same text.

kernel(seed, index) gives a Kernel: its text (functions, kernels, pragma, launch) and whether its results may round
otherwise, as where a sum of fractions is taken in another order. Every kernel stays inside of its buffers and is free
of races as far as the generator can see; what is not is dropped by run.py, and counted there.
"""
import random
import re

from staged import staged

ELEMENTS = {"float": 40, "int": 20, "unsigned": 6, "double": 4, "short": 4, "unsigned char": 5, "signed char": 4,
            "long long": 3, "__half": 4}
NAMES = ["a", "b", "c", "s", "t", "u", "v", "w", "acc", "sum", "value", "lane", "wide", "turn", "place", "pack", "item",
         "x_pack", "i_group", "i_end", "i_count", "row_of", "whole", "block_row", "part_all", "other", "mask", "step",
         "divisor0", "x_group", "i_patch", "i_item", "square", "y_new0", "x_near0", "sum2", "lane_of"]
BUFFERS = ["x", "y", "z", "in", "out", "src", "dst", "weights", "bias", "data", "table", "lhs", "rhs", "p", "q", "g"]
PROBLEMS = ["4096", "1000", "1024, 8192", "100, 4096", "64, 640, 6400", "33"]
SYMBOL_ELEMENTS = 8192
INDEX_TYPES = ["int"] * 6 + ["unsigned", "size_t", "long long", "const int", "unsigned int"]


class Kernel:
    def __init__(self, text, exact, form):
        self.text, self.exact, self.form = text, exact, form


class Buffer:
    def __init__(self, name, element, count, direction, fill=""):
        self.name, self.element, self.count, self.direction, self.fill = name, element, count, direction, fill


class Writer:
    """One kernel in the making. Scopes are lists of (name, type) that an expression may use."""

    def __init__(self, chance, index):
        self.chance, self.index, self.space = chance, index, f"own{index}"
        self.buffers, self.helpers, self.macros, self.extra = [], [], [], []
        self.exact, self.taken, self.restricts = True, set(), chance.random() < 0.6
        self.shadows = chance.random() < 0.02
        self.functions = {}
        self.symbols = []

    def often(self, share):
        return self.chance.random() < share

    def pick(self, *choices):
        return self.chance.choice(choices)

    def name(self, *wanted):
        """A name that the kernel does not have yet, or now and then one that hides another."""
        for _ in range(100):
            name = self.chance.choice(wanted or NAMES)
            if name not in self.taken or (self.shadows and self.often(0.3)):
                break
        else:
            name = f"name{len(self.taken)}"
        self.taken.add(name)
        return name

    def element(self):
        return self.chance.choices(list(ELEMENTS), list(ELEMENTS.values()))[0]

    # ---- functions of the project's own

    def function(self, kind):
        """A function in a namespace of the kernel's own, some called like the toolkit's."""
        if kind in self.functions:
            return self.functions[kind]
        made = {
            "max": "__device__ float max(float a, float b) { return a + 2 * b; }",
            "fminf": "__device__ float fminf(float a, float b) { return a * 0.5f - b; }",
            "imin": "__device__ int min(int a, int b) { return a - b; }",
            "abs": "__device__ int abs(int a) { return a * 3; }",
            "square": "__device__ float square(float a) { return a * a; }",
            "mix": "template <typename T> __device__ T mix(T a, T b, bool first) { return first ? a : b; }",
            "bump": "__device__ void bump(float &to, float by) { to = to * 0.5f + by; }",
            "get": "__device__ float get(const float *from, int at) { return from[at]; }",
            "put": "__device__ void put(float *to, int at, float what) { to[at] = what; }",
            "add": "__device__ void add(float *to, int at, float what) { to[at] += what; }",
            "clamp": "__device__ int clamp(int a, int lo, int hi) { return a < lo ? lo : a > hi ? hi : a; }",
            "sigmoid": "__device__ __forceinline__ float sigmoid(float a) { return 1.0f / (1.0f + expf(-a)); }",
            "atomicAdd": "__device__ float atomicAdd(float *to, float by) { return *to -= by; }",
        }[kind]
        self.helpers.append(made)
        self.functions[kind] = f"{self.space}::" + {"imin": "min"}.get(kind, kind)
        return self.functions[kind]

    # ---- expressions

    def number(self, kind):
        if kind == "f":
            return self.pick("0.5f", "2.0f", "-1.0f", "1.5f", "0.25f", "3.0f")
        return self.pick("1", "2", "3", "5", "7", "-1", "4")

    def leaf(self, kind, scope):
        fitting = [name for name, type_ in scope if (type_ in ("float", "double")) == (kind == "f")]
        if fitting and self.often(0.75):
            return self.chance.choice(fitting)
        other = [name for name, type_ in scope if (type_ in ("float", "double")) != (kind == "f")]
        if other and self.often(0.4):
            return f"(float)({self.chance.choice(other)} % 16)" if kind == "f" else f"(int)({self.chance.choice(other)} * 4)"
        return self.number(kind)

    def expression(self, kind, scope, depth=3):
        e = lambda k=kind: self.expression(k, scope, depth - 1)
        if depth == 0 or self.often(0.2):
            return self.leaf(kind, scope)
        if kind == "f":
            form = self.chance.randrange(22)
            if form < 4:
                return f"{e()} + {self.paren(e())}"
            if form < 6:
                return f"{self.paren(e())} - {self.paren(e())}"
            if form < 10:
                return f"{self.paren(e())} * {self.paren(e())}"
            if form == 10:
                return f"{self.paren(e())} / (fabsf({e()}) + 1.0f)"
            if form == 11:
                return f"fmaxf({e()}, {e()})"
            if form == 12:
                return f"{self.pick('fminf', 'min', 'max')}({self.as_float(e())}, {self.as_float(e())})"
            if form == 13:
                return f"fabsf({e()})"
            if form == 14:
                return f"({self.condition(scope, depth - 1)} ? {e()} : {e()})"
            if form == 15:
                return f"sqrtf(fabsf({e()}))"
            if form == 16:
                return f"expf(-fabsf({e()}))"
            if form == 17:
                kind = self.pick("max", "fminf")
                return f"{self.function(kind)}({e()}, {e()})"
            if form == 18:
                return f"{self.function(self.pick('square', 'sigmoid'))}({e()})"
            if form == 19:
                return f"{self.function('mix')}<float>({e()}, {e()}, {self.condition(scope, depth - 1)})"
            if form == 20:
                return f"(float)({self.expression('i', scope, depth - 1)} & 31)"
            return f"{self.macro()}({e()})"
        form = self.chance.randrange(18)
        if form < 4:
            return f"{e()} + {self.paren(e())}"
        if form < 6:
            return f"{self.paren(e())} - {self.paren(e())}"
        if form < 8:
            return f"{self.paren(e())} * {self.paren(e())}"
        if form == 8:
            return f"{self.paren(e())} / {self.pick('2', '3', '4', '7')}"
        if form == 9:
            return f"{self.paren(e())} % {self.pick('2', '3', '8', '7')}"
        if form == 10:
            return f"({self.paren(e())} & {self.pick('1', '7', '15')})"
        if form == 11:
            return f"({self.paren(e())} >> {self.pick('1', '2')})"
        if form == 12:
            return f"{self.pick('max', 'min')}((int)({e()}), (int)({e()}))"
        if form == 13:
            return f"({self.condition(scope, depth - 1)} ? {e()} : {e()})"
        if form == 14:
            return f"({self.pick('unsigned char', 'short', 'signed char', 'unsigned', 'int')})({e()})"
        if form == 15:
            return f"{self.function('imin')}({e()}, {e()})"
        if form == 16:
            return f"{self.function(self.pick('abs', 'abs'))}({e()})"
        return f"({self.paren(e())} ^ {self.number('i')})"

    def paren(self, text):
        return text if text.replace("_", "").replace(".", "").isalnum() else f"({text})"

    def as_float(self, text):
        return f"(float)({text})"

    def macro(self):
        name = f"TWICE{self.index}"
        if name not in self.macros:
            self.macros.append(name)
            self.helpers.insert(0, f"#define {name}(a) ((a) + (a))")
        return name

    def condition(self, scope, depth=1):
        kind = self.pick("i", "i", "f")
        return (f"{self.paren(self.leaf(kind, scope))} {self.pick('<', '>', '<=', '>=', '==', '!=')} "
                f"{self.paren(self.expression(kind, scope, min(depth, 1)))}")

    # ---- memory

    def buffer(self, direction, count, element=None, fill=None, name=None):
        element = element or self.element()
        free = [each for each in BUFFERS if each not in self.taken]
        name = name or self.chance.choice(free)
        self.taken.add(name)
        if fill is None:
            fill = self.pick("", "", ": range(-3, 3)", ": range(0, 9)") if element not in ("float", "double", "__half") else ""
        made = Buffer(name, element, count, direction, fill)
        self.buffers.append(made)
        return made

    def loaded(self, buffer, index):
        """The element as a value of a plain type, and that type."""
        text = self.pick(f"{buffer.name}[{index}]", f"{buffer.name}[{index}]", f"{buffer.name}[{index}]", f"*({buffer.name} + ({index}))",
                         f"__ldg(&{buffer.name}[{index}])" if buffer.direction == "in" else f"{buffer.name}[{index}]")
        if buffer.element == "__half":
            return f"__half2float({text})", "float"
        if self.often(0.02):
            text = f"*(const volatile {buffer.element} *)&{buffer.name}[{index}]"
        if buffer.element == "float" and buffer.direction == "in" and self.often(0.05):
            return f"{self.function('get')}({buffer.name}, {index})", "float"
        return text, "float" if buffer.element in ("float", "double") else "int"

    def stored(self, buffer, index, value):
        if buffer.element == "__half":
            return f"{buffer.name}[{index}] = __float2half({value});"
        if buffer.element == "float" and self.often(0.05):
            return f"{self.function('put')}({buffer.name}, {index}, {value});"
        if self.often(0.05):
            return f"*({buffer.name} + ({index})) = {value};"
        if buffer.direction == "inout" and buffer.element not in ("double", "bool") and self.often(0.15):
            if self.often(0.5):
                return self.pick(f"{buffer.name}[{index}]++;", f"--{buffer.name}[{index}];",
                                 f"if ({buffer.name}[{index}]++ > 1) {buffer.name}[{index}]--;")
            if self.kind_of(buffer) == "i":
                return f"{buffer.name}[{index}] {self.pick('+=', '-=', '^=', '|=', '*=')} (int)({value});"
            return f"{buffer.name}[{index}] {self.pick('+=', '-=', '*=')} {value};"
        return f"{buffer.name}[{index}] = {value};"

    def symbol(self, direction, count, element=None):
        """An array of device memory, or of constant memory, that no argument leads to."""
        made = self.buffer(direction, count, element or self.pick("float", "float", "int"), name=f"symbol{len(self.symbols)}_{self.index}")
        self.symbols.append(made)
        return made

    def kind_of(self, buffer):
        return "f" if buffer.element in ("float", "double", "__half") else "i"

    # ---- parts of a body: each a list of lines

    def local(self, scope, text, type_):
        name = self.name()
        spelled = {"float": self.pick("float", "const float", "auto", "float"), "int": self.pick("int", "const int", "auto")}[type_]
        scope.append((name, type_))
        return [f"{spelled} {name} = {text};"]

    def narrow(self, scope):
        name = self.name()
        type_ = self.pick("unsigned char", "signed char", "short", "unsigned short", "bool")
        begin = f"{type_} {name} = {self.expression('i', scope, 2)};"
        scope.append((name, "int"))
        return [begin] + ([f"{name} += {self.expression('i', scope, 1)};"] if self.often(0.4) and type_ != "bool" else [])

    def compound(self, name, kind, value):
        """A compound assignment as a statement."""
        if kind == "f":
            return f"{name} {self.pick('+=', '-=', '*=')} {value};" if self.often(0.75) else f"{name} /= {value};"
        return self.pick(f"{name} += {value};", f"{name} -= {value};", f"{name} *= {value};", f"{name} ^= {value};",
                         f"{name} |= {value};", f"{name} /= {self.pick('2', '3', '8')};", f"{name} %= {self.pick('5', '16')};")

    def change(self, scope):
        """Sets a variable that there is, in a branch, a loop, a switch."""
        kind = self.pick("f", "i")
        type_ = "float" if kind == "f" else "int"
        name = self.name()
        lines = [f"{type_} {name} = {self.expression(kind, scope, 1)};"]
        e = lambda: self.expression(kind, scope, 2)
        form = self.chance.randrange(13)
        if form == 0:
            lines += [f"if ({self.condition(scope)})", "\t" + self.pick(f"{name} = {e()};", self.compound(name, kind, e()))]
        elif form == 9:
            f = self.name("f", "g", "h", "apply")
            lines += [f"auto {f} = [&]({type_} by) {{ {name} {self.pick('+=', '-=')} by; }};", f"{f}({e()});"] + \
                ([f"{f}({self.number(kind)});"] if self.often(0.3) else [])
        elif form == 10:
            lines += [f"{name} = [&]() -> {type_} {{", f"\tif ({self.condition(scope)})", f"\t\treturn {e()};",
                      f"\treturn {self.pick(name, e())};", "}();"]
        elif form == 11:
            kept, volatile = self.name("kept", "seen", "last"), self.pick("volatile float", "real") if kind == "f" else "volatile int"
            lines += ([f"typedef volatile float {volatile};"] if volatile == "real" else []) + \
                [f"{volatile} {kept} = {e()};", f"{name} = {kept} + {kept};"]
        elif form == 12:
            j = self.name("j", "k", "l", "m")
            lines += [f"int {j} = {self.pick('1', '2', '5')};", "do {", f"\t{name} = {self.expression(kind, scope + [(j, 'int')], 2)};",
                      f"}} while (--{j} > 0);"]
        elif form == 1:
            lines += [f"if ({self.condition(scope)}) {{", "\t" + self.compound(name, kind, e()), "} else {",
                      "\t" + self.compound(name, kind, e()), "}"]
        elif form == 2:
            j = self.name("j", "k", "l", "m")
            lines += [f"for (int {j} = 0; {j} < {self.pick('2', '3', '4', '8')}; {j}++)",
                      f"\t{name} {self.pick('+=', '-=', '=')} {self.expression(kind, scope + [(j, 'int')], 2)};"]
        elif form == 3:
            j = self.name("j", "k", "l", "m")
            lines += [f"int {j} = 0;", f"while ({j} < 3) {{", f"\t{name} += {self.expression(kind, scope, 1)};", f"\t{j}++;", "}"]
        elif form == 4:
            lines += [f"switch ({self.paren(self.expression('i', scope, 1))} & 3) {{", "case 0:", f"\t{name} = {e()};", "\tbreak;",
                      "case 1:", f"\t{name} += 1;", "default:", f"\t{name} = {name} * 2;", "}"]
        elif form == 5 and kind == "f":
            lines += [f"{self.function('bump')}({name}, {e()});"]
        elif form == 6:
            f = self.name("f", "g", "h", "apply", "fmaxf", "min") if self.often(0.3) else self.name("f", "g", "h", "apply")
            lines += [f"auto {f} = [=]({type_} from) {{ return from {self.pick('+', '-', '*')} {self.expression(kind, scope, 1)}; }};",
                      f"{name} = {f}({name});"]
        elif form == 7:
            t = self.name("local", "window", "taps", "r")
            lines += [f"{type_} {t}[4];", f"for (int j4 = 0; j4 < 4; j4++)", f"\t{t}[j4] = {self.expression(kind, scope + [('j4', 'int')], 1)};",
                      f"{name} = {t}[0] + {t}[3] * {t}[1];"]
        else:
            own = self.chance.choice(sorted(self.taken & set(NAMES))) if self.often(0.3) else self.name()
            value, other = e(), self.pick("float", "int")
            lines += ["{", f"\t{other} {own} = {value};" if own not in re.findall(r"\w+", value) else f"\t{other} {own} = 1;",
                      f"\t{name} = {e()};", "}"]
        scope.append((name, type_))
        return lines

    def indent(self, lines):
        return ["\t" + line for line in lines]

    # ---- the whole

    def parameters(self, scalars):
        out = []
        for b in self.buffers:
            if b in self.symbols:
                continue
            restrict = self.restricts if self.restricts else self.often(0.15)
            out.append(f"{'const ' if b.direction == 'in' else ''}{b.element} *{'__restrict__ ' if restrict else ''}{b.name}")
        return out + scalars

    def clauses(self):
        text = {}
        for b in self.buffers:
            text.setdefault(b.direction, []).append(f"{b.name}[{b.count}]{b.fill if b.direction in ('in', 'inout') else ''}")
        return " ".join(f"{direction}({', '.join(items)})" for direction, items in text.items())

    def front(self):
        lines = [h for h in self.helpers if h.startswith("#")]
        own = [h for h in self.helpers if not h.startswith("#")]
        if own:
            lines += [f"namespace {self.space} {{"] + own + ["}"]
        for s in self.symbols:
            space = "__constant__" if s.direction == "in" and s.count.isdigit() else "__device__"
            lines.append(f"{space} {s.element} {s.name}[{SYMBOL_ELEMENTS if space == '__device__' else s.count}];")
        return lines

    def finish(self, problem, kernel_lines, scalars, names, grid, block, clauses="", bounds=""):
        name = f"k{self.index}"
        parameters = self.parameters(scalars)
        arguments = [b.name for b in self.buffers if b not in self.symbols] + names
        host = ", ".join(parameters + [f"int {v}" for v in problem if v not in names])
        pragma = "#pragma ktune problem(" + "; ".join(f"{v} = {values}" for v, values in problem.items()) + ") " + \
            self.clauses() + clauses
        lines = self.front() + [pragma, f"__global__ void {bounds}{name}({', '.join(parameters)})", "{"] + \
            self.indent(kernel_lines) + ["}", f"void run{self.index}({host}) {{ {name}<<<{grid}, {block}>>>({', '.join(arguments)}); }}"]
        return "\n".join(lines) + "\n"


def accumulations(w, scope):
    """Atomics on few elements of a buffer or two, in branches and loops."""
    lines = []
    for _ in range(w.pick(1, 1, 2)):
        count = w.pick("7", "16", "40")
        bins = w.buffer("inout", count, w.pick("int", "int", "float"), ": range(0, 9)")
        kind = w.kind_of(bins)
        operation = "atomicAdd" if kind == "f" else w.pick("atomicAdd", "atomicAdd", "atomicMax", "atomicMin", "atomicOr", "atomicAnd", "atomicXor")
        at = f"(unsigned)({w.expression('i', scope, 1)}) % {count}u"
        if kind == "f":
            w.exact = False
        body = [f"{operation}(&{bins.name}[{at}], {w.expression(kind, scope, 1)});"]
        if w.often(0.3):
            body = [f"if ({w.condition(scope)})", "\t" + body[0]]
        if w.often(0.2):
            body = [f"for (int turn = 0; turn < {w.pick('2', '3')}; turn++) {{"] + w.indent(body) + ["}"]
        lines += body
    return lines


def flat(w):
    """One index a thread, or a loop over everything."""
    two = w.often(0.4)
    problem = {"n": w.chance.choice(PROBLEMS)}
    if two:
        problem["c"] = w.pick("3", "4", "16", "8, 32", "33, 64", "96")
    w.taken |= set(problem) | {"i"}
    i = "i"
    type_ = w.chance.choice(INDEX_TYPES)
    threads = w.pick(32, 64, 64, 128, 256)
    total = w.pick("n * c", "n", "n") if two else "n"
    outputs = [w.buffer(w.pick("out", "out", "inout"), total) for _ in range(w.pick(1, 1, 1, 2))]
    inputs = [w.buffer("in", w.pick(total, total, f"{total} + 4", f"2 * ({total})")) for _ in range(w.pick(1, 1, 2, 3))]
    scope = [("i", "int"), ("n", "int")] if type_ not in ("size_t", "long long", "unsigned", "unsigned int") else [("(int)i", "int"), ("n", "int")]
    scope += [("c", "int")] if two else []
    lines = []
    loop = w.often(0.45)
    for b in inputs + [o for o in outputs if o.direction == "inout"]:
        index = i
        if b.count.endswith("+ 4") and b in inputs:
            index = f"i + {w.pick('1', '2', '3', '4')}"
        elif b.count.startswith("2 *") and b in inputs:
            index = w.pick("2 * i", "2 * i + 1", f"i + {total}")
        elif b in inputs and w.often(0.15):
            index = w.pick("i / 2", f"{total} - 1 - i", "i - i % 4", f"(i + 1) % ({total})", "i >> 1", "i & ~3")
        text, kind = w.loaded(b, index)
        lines += w.local(scope, text, kind)
    if w.often(0.2):
        table = w.symbol("in", "16") if w.often(0.4) else w.buffer("in", "16", w.pick("float", "int"))
        text, kind = w.loaded(table, w.pick("i & 15", "i % 16", "3", f"({w.paren(w.expression('i', scope, 1))}) & 15"))
        if table in w.symbols:
            text, kind = f"{table.name}[{w.pick('i & 15', '2', '(i * 3) & 15')}]", "float" if table.element == "float" else "int"
        lines += w.local(scope, text, kind)
    device = w.symbol(w.pick("in", "inout", "out"), total) if total == "n" and w.often(0.12) else None
    if device is not None and device.direction != "out":
        lines += w.local(scope, f"{device.name}[{w.pick('i', 'i', '(i + 1) % n' if device.direction == 'in' else 'i')}]",
                         "float" if device.element == "float" else "int")
    if two and total == "n" and w.often(0.8):
        m = w.buffer("in", "n * c", w.pick("float", "float", "int", "__half", "unsigned char"))
        j, s = w.name("j", "k", "l"), w.name()
        kind = w.kind_of(m)
        own = {"f": "float", "i": w.pick("int", "int", "unsigned", "short", "unsigned char")}[kind]
        text, _ = w.loaded(m, w.pick(f"i * c + {j}", f"{j} * n + i"))
        if kind == "f":
            w.exact = False
        lines += [f"{own} {s} = {w.pick('0', '0', '1')};"]
        body = [f"{s} += {text}{w.pick('', ' * ' + w.paren(w.expression(kind, scope + [(j, 'int')], 1)))};"]
        if w.often(0.15):
            body = [f"if ({w.condition(scope + [(j, 'int')])})", f"\t{w.pick('continue', 'break')};"] + body
        lines += [f"for (int {j} = 0; {j} < c; {j}++) {{"] + w.indent(body) + ["}"]
        scope.append((s, "float" if kind == "f" else "int"))
    for _ in range(w.pick(0, 1, 1, 2, 3)):
        if w.often(0.2):
            lines += w.narrow(scope)
        elif w.often(0.1):
            lines += [f"if ({w.condition(scope)})", "\tcontinue;" if loop else "\treturn;"]
        else:
            lines += w.change(scope)
    for o in outputs:
        value = w.expression(w.kind_of(o), scope, 3)
        store = w.stored(o, i, value)
        form = w.chance.randrange(12)
        if form == 0:
            lines += [f"if ({w.condition(scope)})", "\t" + store]
        elif form == 1 and o.element != "__half":
            lines += [f"{o.name}[i] {w.pick('+=', '-=', '*=')} {value};"] if o.direction == "inout" else [store]
        elif form == 2:
            lines += [store, w.stored(o, i, w.expression(w.kind_of(o), scope, 1))]
        elif form == 3 and o.direction == "out":
            lines += [w.stored(o, f"{total} - 1 - i", value)]
        else:
            lines += [store]
    if device is not None and device.direction != "in":
        lines += [f"{device.name}[i] = {w.expression(w.kind_of(device), scope, 1)};"]
    if w.often(0.12):
        counts = w.buffer("inout", "16", "int", ": range(0, 9)")
        lines += [f"atomicAdd(&{counts.name}[{w.pick('i & 15', '(' + w.expression('i', scope, 1) + ') & 15')}], {w.pick('1', '2', 'i & 3')});"]
    elif w.often(0.06):
        counts = w.buffer("inout", "1", "float")
        lines += [f"atomicAdd({counts.name}, {w.expression('f', scope, 1)});"]
        w.exact = False
    elif w.often(0.06):
        lines += accumulations(w, scope)
    start = w.pick("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x + blockIdx.x * blockDim.x",
                   f"blockIdx.x * {threads} + threadIdx.x")
    grid, block = w.pick(f"({total} + {threads - 1}) / {threads}", f"({total} + {threads - 1}) / {threads}", "4", "2"), str(threads)
    if threads >= 64 and w.often(0.06):
        block = w.pick(f"dim3(32, {threads // 32})", f"dim3(16, 2, {threads // 32})")
        start = "(blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x" if block.count(",") == 1 else \
            f"blockIdx.x * {threads} + (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x"
    if loop:
        plain = type_.replace("const ", "")
        if w.often(0.2):
            start, step, grid, block = "threadIdx.x", w.pick("blockDim.x", str(threads)), "1", str(threads)
            if w.often(0.3):
                bins = w.buffer("inout", str(threads), w.pick("int", "float"))
                w.exact = False
                lines += [f"{bins.name}[i % {threads}] {w.pick('+=', '=')} {w.expression(w.kind_of(bins), scope, 1)};"]
        else:
            step = w.pick("gridDim.x * blockDim.x", "blockDim.x * gridDim.x") if block.isdigit() else f"gridDim.x * {threads}"
        kernel = [f"for ({plain} i = {start}; i < {total}; i += {step}) {{"] + w.indent(lines) + ["}"]
    else:
        grid = f"({total} + {threads - 1}) / {threads}"
        kernel = [f"{type_} i = {start};"]
        if w.often(0.5):
            kernel += [f"if (i < {total}) {{"] + w.indent(lines) + ["}"]
        else:
            kernel += [f"if (i >= {total})", "\treturn;"] + lines
    names = list(problem)
    return w.finish(problem, kernel, [f"int {v}" for v in names], names, grid, block)


def chosen(w, operation, to, value):
    """The greater or lesser of both by comparison: a statement. Of two that are no numbers one form keeps the other one."""
    sign, other = (">", "<") if operation == "max" else ("<", ">")
    return w.pick(f"if ({value} {sign} {to}) {to} = {value};", f"if ({to} {other} {value}) {{ {to} = {value}; }}",
                  f"{to} = {value} {sign} {to} ? {value} : {to};", f"{to} = {to} {other} {value} ? {value} : {to};",
                  f"{to} = {value} {sign}= {to} ? {value} : {to};", f"{to} = {to} {sign} {value} ? {to} : {value};")


def ladder(w, name, kind, operation, threads, part):
    """The same as branches for each size of a block, and a last warp whose accesses are volatile."""
    both = {"sum": "{0} + {1}", "max": f"{'fmaxf' if kind == 'f' else 'max'}({{0}}, {{1}})",
            "min": f"{'fminf' if kind == 'f' else 'min'}({{0}}, {{1}})"}[operation]
    lines = [f"{part}[threadIdx.x] = {name};", "__syncthreads();"]
    for half in (512, 256, 128, 64):
        if half < threads or w.often(0.3):
            mine, other = f"{part}[threadIdx.x]", f"{part}[threadIdx.x + {half}]"
            lines += [f"if (blockDim.x >= {2 * half} && threadIdx.x < {half})" if half >= threads or w.often(0.6) else f"if (threadIdx.x < {half})",
                      f"\t{mine} = {both.format(mine, other)};", "__syncthreads();"]
    last, theirs = w.name("last", "warp", "quick"), w.name("other", "theirs", "next")
    lines += ["if (threadIdx.x < 32) {", f"\tvolatile auto *{last} = {part};"]
    for by in (32, 16, 8, 4, 2, 1):
        lines += ["\t{", f"\t\tconst auto {theirs} = {last}[threadIdx.x + {by}];", "\t\t__syncwarp();",
                  f"\t\t{last}[threadIdx.x] = {both.format(f'{last}[threadIdx.x]', theirs)};", "\t\t__syncwarp();", "\t}"]
    return lines + ["}", "__syncthreads();", f"{name} = {part}[0];", "__syncthreads();"]


def reduction(w, name, kind, operation, threads, part):
    """Folds `name` of every thread over the block. Leaves the whole in `name` of every thread."""
    if threads >= 64 and w.often(0.15):
        return ladder(w, name, kind, operation, threads, part)
    step = {"sum": f"{part}[threadIdx.x] += {part}[threadIdx.x + half];",
            "max": f"{part}[threadIdx.x] = {'fmaxf' if kind == 'f' else 'max'}({part}[threadIdx.x], {part}[threadIdx.x + half]);",
            "min": f"{part}[threadIdx.x] = {'fminf' if kind == 'f' else 'min'}({part}[threadIdx.x], {part}[threadIdx.x + half]);"}[operation]
    if operation != "sum" and w.often(0.3):
        step = chosen(w, operation, f"{part}[threadIdx.x]", f"{part}[threadIdx.x + half]")
    half = w.pick("half", "half", "s2", "width")
    step = step.replace("half]", half + "]")
    first = w.pick(str(threads // 2), str(threads // 2), "blockDim.x / 2", "blockDim.x >> 1")
    counter = w.pick("int", "unsigned")
    if w.often(0.04):
        first = w.pick(str(threads // 4), "blockDim.x / 4", "min(gridDim.x >> 1, blockDim.x / 2)")
        counter = w.pick("int", "unsigned", "unsigned char", "short")
    header = f"for ({counter} {half} = {first}; {half} > 0; {half} {w.pick('/= 2', '>>= 1')}) {{"
    return [f"{part}[threadIdx.x] = {name};", "__syncthreads();", header, f"\tif (threadIdx.x < {half})", "\t\t" + step, "\t__syncthreads();", "}",
            f"{name} = {part}[0];", "__syncthreads();"]


def shuffled(w, name, kind, operation, threads):
    """The same by shuffles, in a function of the project's."""
    type_ = "float" if kind == "f" else "int"
    combine = {"sum": "v + other", "max": f"{'fmaxf' if kind == 'f' else 'max'}(v, other)",
               "min": f"{'fminf' if kind == 'f' else 'min'}(v, other)"}[operation]
    if operation != "sum" and w.often(0.3):
        sign = ">" if operation == "max" else "<"
        combine = w.pick(f"other {sign} v ? other : v", f"v {sign} other ? v : other")
    if threads == 32 and w.often(0.4):
        other, by = w.name("other", "theirs", "next"), w.name("by", "offset", "half")
        step = re.sub(r"\bv\b", name, combine.replace("other", other))
        return [f"for (int {by} = 16; {by} > 0; {by} {w.pick('/= 2', '>>= 1')}) {{",
                f"\tconst {type_} {other} = __shfl_down_sync(0xffffffff, {name}, {by});", f"\t{name} = {step};", "}",
                f"{name} = __shfl_sync(0xffffffff, {name}, 0);"]
    function = f"fold_{operation}_{kind}"
    if function not in w.functions:
        lines = [f"__device__ {type_} {function}({type_} v) {{", "for (int by = 16; by > 0; by /= 2) {",
                 f"const {type_} other = __shfl_xor_sync(0xffffffffu, v, by);", f"v = {combine};", "}"]
        if threads > 32:
            lines += [f"__shared__ {type_} warps[32];", "__syncthreads();", "if (threadIdx.x % 32 == 0)", "warps[threadIdx.x / 32] = v;",
                      "__syncthreads();", "v = warps[0];", f"for (int at = 1; at < {threads // 32}; at++) {{",
                      f"const {type_} other = warps[at];", f"v = {combine};", "}"]
        w.helpers.append("\n".join(lines + ["return v;", "}"]))
        w.functions[function] = f"{w.space}::{function}"
    return [f"{name} = {w.functions[function]}({name});"]


def by_chunks(w, i, threads, body):
    """A loop over the row's chunks, of which each thread has one element."""
    k, size = w.name("k", "chunk", "at"), w.pick(str(threads), "blockDim.x")
    if w.often(0.3):
        head, index = f"for (int {k} = 0; {k} < d; {k} += {threads}) {{", w.pick(f"{k} + threadIdx.x", f"threadIdx.x + {k}")
    else:
        head = f"for (int {k} = 0; {k} < (d + {threads - 1}) / {threads}; {k}++) {{"
        index = w.pick(f"{k} * {size} + threadIdx.x", f"threadIdx.x + {k} * {size}", f"threadIdx.x + {size} * {k}")
    return [head, f"\tconst int {i} = {index};", f"\tif ({i} < d) {{"] + w.indent(w.indent(body)) + ["\t}", "}"]


def over_row(w, header, i, threads, body):
    return by_chunks(w, i, threads, body) if w.often(0.12) else [header + " {"] + w.indent(body) + ["}"]


def row_phases(w, row, threads, inputs, outputs, scope, count, shuffles=False):
    lines, parts = [], {}
    per_row = []
    loops = [("threadIdx.x", w.pick(str(threads), "blockDim.x"))]
    for phase in range(count):
        i = w.pick("i", "i", "i", "col") if phase else "i"
        w.taken.add(i)
        start, step = loops[0]
        header = f"for ({w.pick('int', 'int', 'int', 'unsigned')} {i} = {start}; {i} < d; {i} += {step})"
        place = w.pick(f"{row} * d + {i}", f"(size_t){row} * d + {i}", f"{i} + {row} * d")
        inner = scope + [(f"(int){i}", "int")]
        body = []
        for b in w.chance.sample(inputs, w.chance.randrange(1, len(inputs) + 1)):
            text, kind = w.loaded(b, i if b.count == "d" else place)
            body += w.local(inner, text, kind)
        last = phase == count - 1
        if (w.often(0.7) and not last) or (last and not outputs):
            kind = w.pick("f", "f", "i")
            operation = w.pick("sum", "sum", "max", "min")
            name = w.name("total", "most", "acc", "sum", "best", "norm", "mean", "value")
            own = {"f": "float", "i": w.pick("int", "int", "unsigned") if operation == "sum" and not shuffles else "int"}[kind]
            value = w.expression(kind, inner, 2)
            if kind == "f" and operation == "sum":
                w.exact = False
            begin = {"sum": w.pick("0", "0", "0", "0", "1"), "max": w.pick("-3.4e38f", "-100.0f", "0") if kind == "f" else w.pick("-2147483647", "-1000", "0"),
                     "min": w.pick("3.4e38f", "100.0f", "0") if kind == "f" else w.pick("2147483647", "1000", "0")}[operation]
            cast = "(float)" if kind == "f" else "(int)"
            by_comparison = chosen(w, operation, name, f"({cast}({value}))") if operation != "sum" and w.often(0.3) else None
            fold = {"sum": f"{name} += {value};",
                    "max": f"{name} = {w.pick('fmaxf', 'max') if kind == 'f' else 'max'}({name}, {cast}({value}));",
                    "min": f"{name} = {w.pick('fminf', 'min') if kind == 'f' else 'min'}({name}, {cast}({value}));"}[operation]
            fold = by_comparison or fold
            if w.often(0.06) and kind == "f":
                fold = f"{name} = {w.function('max')}({name}, {value});"
            if w.often(0.15):
                fold = f"if ({w.condition(inner)})\n\t\t\t{fold}"
            in_shared = not shuffles and w.often(0.1) and own in ("float", "int")
            if in_shared:
                part = parts.setdefault(own, f"part{len(parts)}")
                mine = f"{part}[threadIdx.x]"
                lines += [f"{mine} = {begin};"] + over_row(w, header, i, threads, body + [re.sub(rf"\b{name}\b", mine, fold)]) + \
                    [f"{own} {name} = {mine};"]
            else:
                lines += [f"{own} {name} = {begin};"] + over_row(w, header, i, threads, body + [fold])
            if shuffles or (w.often(0.35) and own != "unsigned"):
                lines += shuffled(w, name, kind, operation, threads)
            else:
                type_ = own if w.often(0.9) else w.pick("int", "float", "short", "unsigned char")
                part = parts.get(type_) or f"part{len(parts)}"
                parts[type_] = part
                lines += reduction(w, name, kind, operation, threads, part)
            scope.append((name, "float" if kind == "f" else "int"))
            per_row.append((name, kind))
        else:
            o = w.chance.choice(outputs) if outputs else None
            if o is None:
                continue
            if o.direction == "inout" or w.often(0.25):
                text, kind = w.loaded(o, place)
                body += w.local(inner, text, kind)
                o.direction = "inout"
            if w.often(0.2):
                body += w.change(inner)
            store = w.stored(o, place, w.expression(w.kind_of(o), inner, 3))
            if w.often(0.1):
                body += [f"if ({w.condition(inner)})", "\t" + store]
            else:
                body += [store]
            lines += over_row(w, header, i, threads, body)
            if w.often(0.3) and not shuffles:
                lines += ["__syncthreads();"]
        if w.often(0.08):
            lines += w.change(scope)
    return lines, parts, per_row


def through_pointers(w, row, buffers, lines):
    """The same with a pointer to the row of each buffer, where each place in it is one of that row."""
    for b in buffers:
        places = [f"{b.name}[{row} * d + i]", f"{b.name}[(size_t){row} * d + i]", f"{b.name}[i + {row} * d]"]
        text = "\n".join(lines)
        if b.count != "rows * d" or not any(each in text for each in places):
            continue
        own = w.name("xs", "ys", "row_x", "own", "mine", "part_of")
        for each in places:
            text = text.replace(each, f"{own}[i]")
        lines = [f"{'const ' if b.direction == 'in' else ''}{b.element} *{own} = {b.name} + {w.pick('', '(size_t)')}{row} * d;"] + text.split("\n")
    return lines


def row_of_warp(w, high):
    """Lane and row in blocks of one dimension, of `high` warps, in some spelling: lines, and the lane."""
    name, kind = w.name("lane", "lane_of"), w.pick("int", "const int", "unsigned", "const unsigned")
    index = w.pick("blockIdx.x * blockDim.x + threadIdx.x", f"threadIdx.x + blockIdx.x * {32 * high}")
    if w.often(0.4):
        at = w.name("at", "thread")
        lines = [f"const {w.pick('int', 'unsigned', 'long long')} {at} = {index};",
                 f"const int row = {at} {w.pick('/ 32', '>> 5', '/ warpSize')};", f"{kind} {name} = {at} {w.pick('% 32', '& 31')};"]
    else:
        lines = [f"{kind} {name} = threadIdx.x {w.pick('% 32', '& 31', '% warpSize', '& (warpSize - 1)')};",
                 f"const int row = blockIdx.x * {w.pick(str(high), '(blockDim.x / 32)', '(blockDim.x >> 5)')} + threadIdx.x {w.pick('/ 32', '>> 5')};"]
    return lines, name


def warps(w):
    """A row a warp: blocks of several rows, of one dimension or with the rows along y, results by shuffles."""
    high = w.pick(1, 2, 4, 8)
    problem = {"rows": w.pick("16", "64", "3, 40"), "d": w.pick("1024", "512, 2048", "100", "33")}
    w.taken |= {"rows", "d", "i", "row"}
    inputs = [w.buffer("in", w.pick("rows * d", "rows * d", "d")) for _ in range(w.pick(1, 1, 2))]
    inputs[0].count = "rows * d"
    outputs = [w.buffer(w.pick("out", "inout"), "rows * d") for _ in range(w.pick(0, 1, 1))]
    scope = [("d", "int"), ("row", "int")]
    lines, _, per_row = row_phases(w, "row", 32, inputs, outputs, scope, w.pick(1, 2, 3), shuffles=True)
    if per_row:
        name, kind = w.chance.choice(per_row)
        z = w.buffer("out", "rows", "float" if kind == "f" else "int")
        lines += ["if (threadIdx.x == 0)", f"\t{z.name}[row] = {w.expression(kind, [(name, 'float' if kind == 'f' else 'int')], 1)};"]
    elif not outputs:
        z = w.buffer("out", "rows", "int")
        lines += ["if (threadIdx.x == 0)", f"\t{z.name}[row] = d;"]
    first, block = [f"const int row = blockIdx.x * {w.pick('blockDim.y', str(high))} + threadIdx.y;"], f"dim3(32, {high})"
    if w.often(0.6):
        first, lane = row_of_warp(w, high)
        lines = [line.replace("threadIdx.x", lane).replace("blockDim.x", "32") for line in lines]
        block = str(32 * high)
    guarded = first + ["if (row < rows) {"] + w.indent(lines) + ["}"] if w.often(0.4) else first + ["if (row >= rows)", "\treturn;"] + lines
    return w.finish(problem, guarded, ["int rows", "int d"], ["rows", "d"], f"(rows + {high - 1}) / {high}", block)


def square(w):
    """Elements go through a square in shared memory, as where an array is transposed."""
    side = w.pick(8, 16, 32)
    w.taken |= {"h", "n", "x0", "y0", "square"}
    x, y = w.buffer("in", "h * n"), w.buffer("out", "h * n")
    y.element = x.element
    kind = w.kind_of(x)
    value = w.loaded(x, "(y0 + threadIdx.y) * n + x0 + threadIdx.x")[0]
    type_ = "float" if kind == "f" else "int"
    out = f"square[threadIdx.x][threadIdx.y]{w.pick('', ' * 2', ' + 1')}"
    place = "(x0 + threadIdx.y) * h + y0 + threadIdx.x"
    if w.often(0.3):
        out, place = f"square[threadIdx.y][{side - 1} - threadIdx.x]", "(y0 + threadIdx.y) * n + x0 + threadIdx.x"
    bounds = ("x0 + threadIdx.y < n && y0 + threadIdx.x < h" if "* h" in place else
              f"x0 + threadIdx.x < n && x0 + {side - 1} - threadIdx.x < n && y0 + threadIdx.y < h")
    lines = [f"__shared__ {type_} square[{side}][{side + w.pick(0, 1)}];", f"const int x0 = blockIdx.x * {side}, y0 = blockIdx.y * {w.pick('blockDim.y', str(side))};",
             "if (x0 + threadIdx.x < n && y0 + threadIdx.y < h)", f"\tsquare[threadIdx.y][threadIdx.x] = {value};", "__syncthreads();",
             f"if ({bounds})", "\t" + w.stored(y, place, out)]
    problem = {"h": w.pick("64", "100", "33, 64"), "n": w.pick("256", "100", "64, 300")}
    return w.finish(problem, lines, ["int h", "int n"], ["h", "n"], f"dim3((n + {side - 1}) / {side}, (h + {side - 1}) / {side})", f"dim3({side}, {side})")


def rows(w):
    """A row a block."""
    threads = w.pick(32, 64, 128, 128, 256)
    problem = {"rows": w.pick("16", "64", "3, 40"), "d": w.pick("1024", "512, 2048", "100", "64, 4096", "33")}
    w.taken |= {"rows", "d", "i"}
    inputs = [w.buffer("in", w.pick("rows * d", "rows * d", "d")) for _ in range(w.pick(1, 1, 2, 3))]
    inputs[0].count = "rows * d"
    outputs = [w.buffer(w.pick("out", "inout"), "rows * d") for _ in range(w.pick(0, 1, 1, 2))]
    form = w.pick("block", "block", "block", "local", "loop", "grid")
    row = {"block": "blockIdx.x", "local": "row", "loop": "row", "grid": "(blockIdx.y * gridDim.x + blockIdx.x)"}[form]
    w.taken.add("row")
    scope = [("d", "int"), (f"(int){row}", "int")]
    lines, parts, per_row = row_phases(w, row, threads, inputs, outputs, scope, w.pick(1, 2, 2, 3, 4))
    if w.often(0.12):
        lines = through_pointers(w, row, inputs + outputs, lines)
    if per_row and (w.often(0.5) or not outputs):
        name, kind = w.chance.choice(per_row)
        z = w.buffer("out", "rows", "float" if kind == "f" else "int")
        if w.often(0.15):
            z.direction, z.count = "inout", "1"
            w.exact = w.exact and kind == "i"
            lines += ["if (threadIdx.x == 0)", f"\tatomicAdd({z.name}, {name});"]
        else:
            lines += ["if (threadIdx.x == 0)", f"\t{z.name}[{row}] = {w.expression(kind, [(name, 'float' if kind == 'f' else 'int')], 1)};"]
    elif not outputs:
        z = w.buffer("out", "rows", "int")
        lines += ["if (threadIdx.x == 0)", f"\t{z.name}[{row}] = d;"]
    if per_row and w.often(0.06):
        lines.insert(len(lines) - 2, f"if ({per_row[0][0]} == 0)\n\t\treturn;")
    shared = [f"{w.pick('__shared__', '__shared__', '__shared__')} {type_} {part}[{threads}];" for type_, part in parts.items()]
    grid = "rows"
    if form == "local":
        lines = [f"const int row = blockIdx.x;"] + (["if (row >= rows)", "\treturn;"] if w.often(0.3) else []) + lines
    elif form == "loop":
        lines = [f"for (int row = blockIdx.x; row < rows; row += gridDim.x) {{"] + w.indent(lines) + ["}"]
        grid = w.pick("rows", "4", "2")
    elif form == "grid":
        grid = "dim3(rows, 1)"
    return w.finish(problem, shared + lines, ["int rows", "int d"], ["rows", "d"], grid, str(threads))


def lines_of_threads(w):
    """A row a thread, which goes along it."""
    problem = {"rows": w.pick("64", "100", "33"), "d": w.pick("64, 256", "100", "33, 7")}
    w.taken |= {"rows", "d", "row", "i"}
    inputs = [w.buffer("in", "rows * d") for _ in range(w.pick(1, 1, 2))]
    outputs = [w.buffer(w.pick("out", "inout"), "rows * d") for _ in range(w.pick(0, 1, 1))]
    scope, lines = [("d", "int"), ("row", "int")], []
    wide = w.pick("int", "int", "int", "unsigned", "size_t")
    for phase in range(w.pick(1, 2, 3)):
        i = w.pick("i", "i", "j", "k")
        w.taken.add(i)
        at = w.pick(f"row * d + {i}", f"(size_t)row * d + {i}", f"{i} + row * d", f"{i} * rows + row")
        inner, body, walks = scope + [(f"(int){i}", "int")], [], []
        for b in w.chance.sample(inputs, w.chance.randrange(1, len(inputs) + 1)):
            text, kind = w.loaded(b, at)
            if "row * d" in at and w.often(0.15):
                pointer = w.name("walk", "src", "next")
                walks.append((pointer, b))
                text = f"__half2float(*{pointer}++)" if b.element == "__half" else f"*{pointer}++"
            body += w.local(inner, text, kind)
        if outputs and w.often(0.5):
            o = outputs[0]
            if o.direction == "inout":
                text, kind = w.loaded(o, at)
                body += w.local(inner, text, kind)
            body += [w.stored(o, at, w.expression(w.kind_of(o), inner, 2))]
        elif w.often(0.25):
            best, where = w.name("best", "least", "most"), w.name("where", "at", "arg")
            lines += [f"float {best} = {w.pick('-1000.0f', '1000.0f', '0.0f')};", f"int {where} = {w.pick('-1', '0')};"]
            value, sign = w.name("v", "candidate"), w.pick("<", ">", "<=", ">=")
            # Sums are rounded in another order, which would choose another index.
            exact = [each for each in inner if each not in scope or each[1] == "int"]
            body += [f"const float {value} = {w.expression('f', exact, 2)};",
                     f"if ({w.pick(f'{value} {sign} {best}', f'{best} {sign} {value}')}) {{", f"\t{best} = {value};", f"\t{where} = {i};", "}"]
            scope += [(best, "float"), (where, "int")]
        else:
            kind, operation = w.pick("f", "f", "i"), w.pick("sum", "max", "min")
            name = w.name("total", "most", "acc", "sum", "best")
            w.exact = w.exact and (kind == "i" or operation != "sum")
            value = w.expression(kind, inner, 2)
            value = f"((float)({value}))" if kind == "f" else f"((int)({value}))"
            lines += [f"{'float' if kind == 'f' else 'int'} {name} = {w.pick('0', '1', '-5')};"]
            body += [f"{name} {w.pick('+=', '+=', '-=')} {value};" if operation == "sum" else chosen(w, operation, name, value)]
            scope.append((name, "float" if kind == "f" else "int"))
        begin, end = w.pick("0", "0", "0", "1", "row % 3"), w.pick("d", "d", "d", "d - 1")
        lines += [f"const {b.element} *{pointer} = {b.name} + ((size_t)row * d + {begin});" for pointer, b in walks]
        if w.often(0.2):
            lines += ["{", f"\t{wide} {i} = {begin};", f"\twhile ({i} < {end}) {{"] + w.indent(w.indent(body)) + [f"\t\t{i}++;", "\t}", "}"]
        else:
            lines += [f"for ({wide} {i} = {begin}; {i} < {end}; {i}++) {{"] + w.indent(body) + ["}"]
    z = w.buffer("out", "rows", "float")
    z.element = w.pick("float", "float", "int")
    lines += [w.stored(z, "row", w.expression(w.kind_of(z), scope, 1))]
    threads = w.pick(32, 64, 128)
    first = "const int row = blockIdx.x * blockDim.x + threadIdx.x;"
    guarded = [first, "if (row < rows) {"] + w.indent(lines) + ["}"] if w.often(0.5) else [first, "if (row >= rows)", "\treturn;"] + lines
    return w.finish(problem, guarded, ["int rows", "int d"], ["rows", "d"], f"(rows + {threads - 1}) / {threads}", str(threads))


def plane(w):
    """An index a thread along each of two or three dimensions."""
    deep = w.often(0.2)
    problem = {"h": w.pick("64", "100", "33, 64"), "n": w.pick("256", "100", "64, 300")}
    w.taken |= {"h", "n", "i", "j", "k", "e"}
    if deep:
        problem["e"] = w.pick("3", "8")
    whole = "h * n * e" if deep else "h * n"
    at = w.pick("(k * h + j) * n + i", "k * h * n + j * n + i") if deep else w.pick("j * n + i", "i + j * n", "i * h + j" if w.often(0.15) else "j * n + i")
    inputs = [w.buffer("in", whole) for _ in range(w.pick(1, 1, 2))]
    outputs = [w.buffer(w.pick("out", "out", "inout"), whole) for _ in range(w.pick(1, 1, 2))]
    scope = [("i", "int"), ("j", "int"), ("n", "int"), ("h", "int")]
    lines = []
    for b in inputs + [o for o in outputs if o.direction == "inout"]:
        text, kind = w.loaded(b, at)
        lines += w.local(scope, text, kind)
    b = inputs[0]
    if not deep and w.often(0.5):
        kind = w.kind_of(b)
        s, di, dj = w.name("acc", "s", "sum"), w.name("di", "q", "r"), w.name("dj", "u", "t")
        own = "float" if kind == "f" else w.pick("int", "int", "short")
        lines += [f"{own} {s} = 0;"]
        text, _ = w.loaded(b, "at_y * n + at_x")
        radius = w.pick(1, 1, 2)
        clamp = w.often(0.5)
        body = [f"{w.pick('int', 'const int')} at_x = {w.pick(f'i + {di}', f'{di} + i')}, at_y = j + {dj};"]
        if clamp:
            body = [f"int at_x = min(max(i + {di}, 0), n - 1), at_y = min(max(j + {dj}, 0), h - 1);", f"{s} += {text};"]
        else:
            body += ["if (at_x >= 0 && at_x < n && at_y >= 0 && at_y < h)", f"\t{s} += {text} * ({di} + {dj} + 1);"]
        w.taken |= {"at_x", "at_y"}
        lines += [f"for (int {dj} = -{radius}; {dj} <= {radius}; {dj}++)", f"\tfor (int {di} = -{radius}; {di} <= {radius}; {di}++) {{"] + \
            w.indent(w.indent(body)) + ["\t}"]
        if kind == "f":
            w.exact = False
        scope.append((s, "float" if kind == "f" else "int"))
    elif not deep and w.often(0.5):
        problem["m"] = w.pick("16", "33", "8, 64")
        w.taken |= {"m"}
        left = w.buffer("in", "h * m", w.pick("float", "float", "int", "__half"))
        right = w.buffer("in", "m * n", left.element)
        kind = w.kind_of(left)
        s, k = w.name("acc", "s", "sum"), w.name("l", "q", "r")
        text = f"{w.loaded(left, f'j * m + {k}')[0]} * {w.loaded(right, w.pick(f'{k} * n + i', f'i * m + {k}'))[0]}"
        lines += [f"{'float' if kind == 'f' else 'int'} {s} = 0;", f"for (int {k} = 0; {k} < m; {k}++)", f"\t{s} += {text};"]
        if kind == "f":
            w.exact = False
        scope.append((s, "float" if kind == "f" else "int"))
    if not deep and w.often(0.3):
        text = b.name + w.pick("[j * n + (i > 0 ? i - 1 : 0)]", "[j * n + min(i + 1, n - 1)]", "[(j > 0 ? j - 1 : j) * n + i]")
        lines += w.local(scope, f"__half2float({text})" if b.element == "__half" else text, "float" if w.kind_of(b) == "f" else "int")
    for _ in range(w.pick(0, 0, 1, 2)):
        lines += w.change(scope) if w.often(0.8) else w.narrow(scope)
    for o in outputs:
        store = w.stored(o, at, w.expression(w.kind_of(o), scope, 3))
        lines += [f"if ({w.condition(scope)})", "\t" + store] if w.often(0.1) else [store]
    wide, high = w.pick((32, 4), (32, 8), (16, 16), (64, 2), (8, 8))
    indices = ["int i = blockIdx.x * blockDim.x + threadIdx.x;", "int j = blockIdx.y * blockDim.y + threadIdx.y;"]
    blocks = [f"(n + {wide - 1}) / {wide}", f"(h + {high - 1}) / {high}"]
    if w.often(0.1):
        indices.reverse()
    tall = w.pick(2, 4) if deep and wide * high <= 256 and w.often(0.4) else 1
    if deep:
        indices.append("int k = blockIdx.z * blockDim.z + threadIdx.z;" if tall > 1 else
                       w.pick("int k = blockIdx.z;", "int k = blockIdx.z * blockDim.z + threadIdx.z;"))
        blocks.append(f"(e + {tall - 1}) / {tall}")
    form = w.chance.randrange(4)
    guard = "i < n && j < h" + (" && k < e" if deep else "")
    if form < 2:
        kernel = indices + [f"if ({guard}) {{"] + w.indent(lines) + ["}"]
    elif form == 2:
        kernel = indices + [f"if (i >= n || j >= h{' || k >= e' if deep else ''})", "\treturn;"] + lines
    else:
        kernel = indices + ["if (i >= n)", "\treturn;", "if (j >= h)", "\treturn;"] + (["if (k >= e)", "\treturn;"] if deep else []) + lines
    names = list(problem)
    return w.finish(problem, kernel, [f"int {v}" for v in names], names, f"dim3({', '.join(blocks)})",
                    f"dim3({wide}, {high}, {tall})" if tall > 1 else f"dim3({wide}, {high})")


def tile(w):
    """Elements go through shared memory to a neighbour; a scan."""
    threads = w.pick(32, 64, 128)
    w.taken |= {"n", "i", "tile", "t0"}
    x, y = w.buffer("in", "n", w.pick("float", "int")), w.buffer("out", "n", w.pick("float", "int"))
    kind = w.kind_of(x)
    type_ = "float" if kind == "f" else "int"
    lines = [f"__shared__ {type_} tile[{threads}];", f"int i = blockIdx.x * {threads} + threadIdx.x;", "int t0 = threadIdx.x;",
             "tile[t0] = i < n ? x_at : 0;".replace("x_at", f"{x.name}[i]"), "__syncthreads();"]
    if w.often(0.4):
        lines += [f"for (int by = 1; by < {threads}; by *= 2) {{", f"\t{type_} add = t0 >= by ? tile[t0 - by] : 0;", "\t__syncthreads();",
                  "\ttile[t0] += add;", "\t__syncthreads();", "}", "if (i < n)", f"\t{y.name}[i] = tile[t0];"]
        w.exact = w.exact and kind == "i"
    else:
        lines += ["if (i < n)", f"\t{y.name}[i] = tile[{w.pick(f'({threads} - 1) - t0', f'(t0 + 1) % {threads}', 't0', 't0 / 2', 't0 ^ 1')}] + {w.expression(kind, [('i', 'int')], 1)};"]
    return w.finish({"n": w.chance.choice(PROBLEMS)}, lines, ["int n"], ["n"], f"(n + {threads - 1}) / {threads}", str(threads))


def region(w):
    """Two or three kernels, one behind the other, whose launches make up a region."""
    count = w.pick(2, 2, 3)
    threads = w.pick(32, 64, 128)
    w.taken |= {"rows", "d", "i", "row"}
    x = w.buffer("in", "rows * d", w.pick("float", "float", "int"), name="x")
    t = [w.buffer(w.pick("inout", "scratch", "scratch"), w.pick("rows * d", "rows"), w.pick("float", "float", "int"), name=f"t{s}") for s in range(count - 1)]
    y = w.buffer("out", "rows * d", w.pick("float", "int"), name="y")
    flags = w.buffer("in", "rows", "int", ": range(0, 1)", name="active") if w.often(0.15) else None
    same_return = w.often(0.3)
    kernels, launches = [], []
    for s in range(count):
        source, target = t[s - 1] if s > 0 else x, t[s] if s < count - 1 else y
        make = step_of_elements if target.count != "rows" and source.count != "rows" and w.often(0.2) else step_of_rows
        lines, grid, block = make(w, [x] + t[:s], source, target, threads, flags, same_return)
        used = [v for v in w.buffers if any(v.name in re.findall(r"\w+", line) for line in lines)]
        parameters = [f"{'const ' if v is not target else ''}{v.element} *{'__restrict__ ' if w.restricts else ''}{v.name}" for v in used]
        name = f"k{w.index}_{s}"
        kernels += [f"__global__ void {name}({', '.join(parameters + ['int rows', 'int d'])})", "{"] + w.indent(lines) + ["}"]
        launches.append(f"\t\t{name}<<<{grid}, {block}>>>({', '.join([v.name for v in used] + ['rows', 'd'])});")
    w.buffers = [v for v in w.buffers if any(v.name in re.findall(r"\w+", line) for line in launches)]
    host = [f"{'const ' if v.direction == 'in' else ''}{v.element} *{v.name}" for v in w.buffers] + ["int rows", "int d"]
    pragma = f"#pragma ktune name(region{w.index}) problem(rows = 16; d = {w.pick('256', '100', '512, 1024')}) {w.clauses()}"
    return "\n".join(w.front() + kernels + [f"void run{w.index}({', '.join(host)})", "{", pragma, "\t{"] + launches + ["\t}", "}"]) + "\n"


def step_of_elements(w, sources, source, target, threads, flags, same_return):
    """A kernel of a region: an element a thread."""
    scope = [("i", "int"), ("d", "int")]
    lines = [f"int i = blockIdx.x * blockDim.x + threadIdx.x;", "if (i >= rows * d)", "\treturn;"]
    lines += w.local(scope, load_of_step(w, source, "i"), "float" if w.kind_of(source) == "f" else "int")
    return lines + [w.stored(target, "i", w.expression(w.kind_of(target), scope, 2))], f"(rows * d + {threads - 1}) / {threads}", str(threads)


def load_of_step(w, buffer, place):
    """What an earlier kernel of the region wrote may be read through the read-only cache."""
    return f"__ldg(&{buffer.name}[{place}])" if w.often(0.12) else w.loaded(buffer, place)[0]


def step_of_rows(w, sources, source, target, threads, flags, same_return):
    """A kernel of a region: a row a block."""
    scope = [("d", "int")]
    row = w.pick("blockIdx.x", "row", "row")
    lines = [f"const int row = blockIdx.x;"] if row == "row" else []
    if flags is not None and (same_return or w.often(0.4)):
        lines += [f"if ({'!' if same_return or w.often(0.7) else ''}active[{row}])", "\treturn;"]
    elif w.often(0.06):
        lines += [f"if ({row} >= rows - 1)", "\treturn;"]
    shift = w.pick("", "", "", "", "", "", f" - {row} % 2", f" - {row} % 4") if row == "row" or w.often(0.3) else ""
    other = w.chance.choice(sources)
    for b in {source.name: source, other.name: other}.values():
        if b.count == "rows":
            lines += w.local(scope, load_of_step(w, b, f"{row}{shift}"), "float" if w.kind_of(b) == "f" else "int")
    whole = [b for b in sources if b.count != "rows"]
    b = source if source in whole else w.chance.choice(whole)
    place = w.pick(f"{row} * d + i", f"{row} * d + i", f"i + {row} * d", f"(size_t){row} * d + i")
    header = f"for (int i = threadIdx.x; i < d; i += {w.pick(str(threads), 'blockDim.x')})"
    inner = scope + [("i", "int")]
    read = place if not shift or w.often(0.7) else f"({row}{shift}) * d + i"
    body = w.local(inner, load_of_step(w, b, read), "float" if w.kind_of(b) == "f" else "int")
    if w.often(0.15):
        body += w.change(inner)
    if target.count != "rows":
        return lines + [header + " {"] + w.indent(body + [w.stored(target, place, w.expression(w.kind_of(target), inner, 2))]) + ["}"], "rows", str(threads)
    kind = w.kind_of(target)
    name, operation = w.name("total", "most", "acc", "sum"), w.pick("sum", "max")
    if kind == "f" and operation == "sum":
        w.exact = False
    value, cast, type_ = w.expression(kind, inner, 2), "(float)" if kind == "f" else "(int)", "float" if kind == "f" else "int"
    fold = f"{name} += {value};" if operation == "sum" else f"{name} = {'fmaxf' if kind == 'f' else 'max'}({name}, {cast}({value}));"
    folded = shuffled(w, name, kind, operation, threads) if w.often(0.3) else reduction(w, name, kind, operation, threads, "part")
    shared = [f"__shared__ {type_} part[{threads}];"] if any("part[" in line for line in folded) else []
    return shared + lines + [f"{type_} {name} = 0;", header + " {"] + w.indent(body + [fold]) + ["}"] + folded + \
        ["if (threadIdx.x == 0)", f"\t{target.name}[{row}] = {name};"], "rows", str(threads)


FORMS = {flat: 36, rows: 28, lines_of_threads: 14, warps: 14, plane: 18, tile: 2, square: 2, staged: 10, region: 14}


def bare(lines, chance):
    """Statements that are the only ones of a block, without its braces: all, some or none of them."""
    share, out = chance.choice([0, 0.5, 1]), []
    for line in lines:
        out.append(line)
        depth = len(line) - len(line.lstrip())
        if line.strip() != "}" or len(out) < 3 or chance.random() >= share:
            continue
        head = next(at for at in range(len(out) - 2, -1, -1) if len(out[at]) - len(out[at].lstrip()) <= depth)
        body = out[head + 1:-1]
        first = [each for each in body if len(each) - len(each.lstrip()) == depth + 1]
        is_alone = len(first) == 1 and re.match(r"\s*(for|while|if) \(", body[0]) and "{" not in body[0] or \
            len(body) == 1 and re.match(r"\s*[\w\[\]]+( [-+*/^|%]?= |\(\w).*;$", body[0])
        if is_alone and re.match(r"\s*(for|if) \(.*\) \{$", out[head]):
            out[head:] = [out[head][:-2]] + body
    return out


def guarded(lines, scalars, chance):
    """Loops and assignments below a condition over the arguments, without braces."""
    out, share = [], chance.choice([0, 0, 0.3])
    for at, line in enumerate(lines):
        begins = re.match(r"\t*for \(", line) and not re.search(r"(\b(Idx|Dim)|threadIdx|blockIdx|__\w)", line) or \
            re.match(r"\t\t?\w+ [-+*/]= .*;$", line)
        # What fills an array has to run.
        begins = begins and not (out and re.match(r"\t*[\w ]+\[4\];$", out[-1])) and not re.match(r"\t*stage\[.* = ", " ".join(lines[at + 1:at + 2]))
        if begins and scalars and out and out[-1].rstrip().endswith((";", "{")) and not out[-1].strip().startswith(("for", "#")) and \
                chance.random() < share:
            depth = len(line) - len(line.lstrip())
            body = [line]
            for other in lines[at + 1:] if re.match(r"\t*for", line) else []:
                if len(other) - len(other.lstrip()) <= depth and not (other.strip() == "}" and len(other) == depth + 1):
                    break
                body.append(other)
            if not any("sync" in each or "shfl" in each for each in body):
                out.append("\t" * depth + f"if ({chance.choice(scalars)} > {chance.choice([0, 3, 40])})")
        out.append(line)
    return out


def kernel(seed, index):
    chance = random.Random(f"{seed}:{index}")
    form = chance.choices(list(FORMS), list(FORMS.values()))[0]
    writer = Writer(chance, index)
    lines = form(writer).splitlines()
    scalars = [name for name in ("n", "d", "rows") if any(re.search(rf"int {name}[,)]", line) for line in lines if "__global__" in line)]
    if form is not region and all("__global__" not in line or scalars for line in lines):
        lines = guarded(lines, scalars, chance)
    return Kernel("\n".join(bare(lines, chance)) + "\n", writer.exact, form.__name__)


if __name__ == "__main__":
    import sys
    for at in range(int(sys.argv[2]), int(sys.argv[3])):
        print(kernel(int(sys.argv[1]), at).text)
