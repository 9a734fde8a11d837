"""Random kernels whose blocks copy what they need of their inputs to shared memory, where other threads read it."""
PROBLEMS = ["4096", "1000", "1024, 8192", "100, 4096", "64, 640, 6400", "33"]


def staged(w):
    """What a block needs of its inputs is copied to shared memory, and read there by other threads."""
    w.taken |= {"n", "d", "i", "stage", "t0", "k", "j", "first", "total"}
    return w.pick(staged_line, staged_pieces, staged_planes, staged_one, staged_any, staged_any, staged_any)(w)


def staged_line(w):
    """A piece of a line with neighbours on both sides, filled by loops or by conditions; twice, now and then."""
    threads, edge = w.pick(32, 64, 128), w.pick(1, 2, 3, 5)
    x = w.buffer("in", "n", w.pick("float", "int"))
    y = w.buffer(w.pick("out", "out", "inout"), "n", x.element)
    if w.often(0.1):
        x = y  # what is copied is written, too
    type_, w.exact = x.element, w.kind_of(x) == "i"
    wide = threads + 2 * edge
    value = lambda at: w.pick(f"{at} >= 0 && {at} < n ? {x.name}[{at}] : 0", f"{x.name}[max(0, min({at}, n - 1))]",
                              f"{x.name}[({at} + n) % n] {w.pick('+ 1', '* 2', '- t0')}")
    lines = [f"__shared__ {type_} stage[{wide}];", f"int i = blockIdx.x * {threads} + threadIdx.x;", "const int t0 = threadIdx.x;",
             f"const int first = blockIdx.x * {threads} - {edge};"]
    fill = w.pick("loop", "conditions", "ends")
    if fill == "loop":
        lines += [f"for (int j = t0; j < {wide}; j += {w.pick('blockDim.x', str(threads))})", f"\tstage[j] = {value('(first + j)').replace('t0', 'j')};"]
    elif fill == "conditions":
        lines += [f"stage[t0 + {edge}] = {value('i')};", f"if (t0 < {edge}) {{", f"\tstage[t0] = {value(f'(i - {edge})')};",
                  f"\tstage[{threads + edge} + t0] = {value(f'(i + {threads})')};", "}"]
    else:
        lines += [f"stage[t0 + {edge}] = {value('i')};", f"if (t0 >= {edge} && t0 < {2 * edge})", f"\tstage[t0 - {edge}] = {value(f'(i - {2 * edge})')};",
                  f"if (t0 >= {threads - edge})", f"\tstage[t0 + {2 * edge}] = {value(f'(i + {edge})')};"]
    lines.append("__syncthreads();")
    again = w.often(0.15)
    if again:
        lines += [f"{type_} before = stage[{wide - 1} - t0];", "__syncthreads();", f"stage[t0 + {edge}] = {w.pick('before', 'before + 1', 't0')};", "__syncthreads();"]
    loop = w.pick(f"for (int k = -{edge}; k <= {edge}; k++)", f"for (int k = -{edge}; k < {edge}; k += {w.pick(1, 2)})")
    lines += [f"{type_} total = 0;", loop, f"\ttotal += stage[t0 + {edge} + k] * {w.pick('1', '2', '(k + 1)')};", "if (i < n)", "\t" + w.stored(y, "i", "total")]
    return w.finish({"n": w.chance.choice(PROBLEMS)}, lines, ["int n"], ["n"], f"(n + {threads - 1}) / {threads}", str(threads))


def staged_pieces(w):
    """Each thread needs all of an input, piece by piece: the last one is not whole, or is filled up."""
    threads = w.pick(32, 64, 128)
    x = w.buffer("in", "d", w.pick("float", "int"))
    y = w.buffer("out", "n", x.element)
    type_ = x.element
    fill = w.pick("if", "if", "filled", "both", "late", "ahead")
    load = {"if": [f"if (k + t0 < d)", f"\tstage[t0] = {x.name}[k + t0];"], "filled": [f"stage[t0] = k + t0 < d ? {x.name}[k + t0] : 0;"],
            "both": ["if (k + t0 < d)", f"\tstage[t0] = {x.name}[k + t0];", "else", "\tstage[t0] = 0;"],
            "late": [f"if (k + t0 < d)", f"\tstage[t0] = {x.name}[k + t0];", "else if (k == 0)", "\tstage[t0] = 0;"],
            "ahead": [f"stage[(k / {threads}) % 2 * {threads} + t0] = k + t0 < d ? {x.name}[k + t0] : 0;"]}[fill]
    end = f"min({threads}, d - k)" if fill == "if" or w.often(0.3) else str(threads)
    place = f"(k / {threads}) % 2 * {threads} + j" if fill == "ahead" else "j"
    body = load + ["__syncthreads();", f"for (int j = 0; j < {end}; j++)", f"\ttotal += stage[{place}] * {w.pick('(j + 1)', '2', '(t0 + j)', '1')};", "__syncthreads();"]
    lines = [f"__shared__ {type_} stage[{threads * (2 if fill == 'ahead' else 1)}];", f"int i = blockIdx.x * blockDim.x + threadIdx.x;", "const int t0 = threadIdx.x;", f"{type_} total = 0;",
             f"for (int k = 0; k < d; k += {threads}) {{"] + w.indent(body) + ["}", "if (i < n)", "\t" + w.stored(y, "i", "total")]
    w.exact = w.kind_of(x) == "i"
    return w.finish({"n": w.chance.choice(PROBLEMS), "d": w.pick("33", "64, 100", "128")}, lines, ["int n", "int d"], ["n", "d"], f"(n + {threads - 1}) / {threads}", str(threads))


def staged_planes(w):
    """A product of matrices by squares, whose sides divide the matrices or not; squares in rows with a gap, or flat."""
    side, gap = w.pick(8, 16), w.pick(0, 1)
    a, b, c = w.buffer("in", "n * d", "float"), w.buffer("in", "d * n", "float"), w.buffer("out", "n * n", "float")
    flat_ = w.often(0.4)
    declare = lambda name: f"__shared__ float {name}[{side * (side + gap)}];" if flat_ else f"__shared__ float {name}[{side}][{side + gap}];"
    at = lambda name, y, x: f"{name}[{y} * {side + gap} + {x}]" if flat_ else f"{name}[{y}][{x}]"
    zero = w.often(0.6)
    va, vb = f"{a.name}[row * d + k + threadIdx.x]", f"{b.name}[(k + threadIdx.y) * n + column]"
    if zero:
        va, vb = f"row < n && k + threadIdx.x < d ? {va} : 0.0f", f"column < n && k + threadIdx.y < d ? {vb} : 0.0f"
    turned = w.often(0.3)
    put, get = (at("second", "threadIdx.x", "threadIdx.y"), at("second", "threadIdx.x", "j")) if turned else \
        (at("second", "threadIdx.y", "threadIdx.x"), at("second", "j", "threadIdx.x"))
    body = [at("stage", "threadIdx.y", "threadIdx.x") + f" = {va};", f"{put} = {vb};", "__syncthreads();", f"for (int j = 0; j < {side}; j++)",
            f"\ttotal += {at('stage', 'threadIdx.y', 'j')} * {get};", "__syncthreads();"]
    lines = [declare("stage"), declare("second"), f"int row = blockIdx.y * {side} + threadIdx.y, column = blockIdx.x * {side} + threadIdx.x;", "float total = 0;",
             f"for (int k = 0; k < d; k += {side}) {{"] + w.indent(body) + ["}"] + (["if (row < n && column < n)"] if zero else []) + [f"{c.name}[row * n + column] = total;"]
    problem = {"n": w.pick("64", "32, 48") if not zero else w.pick("33", "50, 64"), "d": w.pick("16, 32") if not zero else w.pick("20", "7, 33")}
    w.exact = False
    blocks = f"(n + {side - 1}) / {side}"
    if not zero:
        problem = {name: values for name, values in problem.items()}
        lines = [f"if (n % {side} != 0 || d % {side} != 0) return;"] + lines
    return w.finish(problem, lines, ["int n", "int d"], ["n", "d"], f"dim3({blocks}, {blocks})", f"dim3({side}, {side})")


def staged_one(w):
    """One thread, or a few, load what the whole block uses."""
    threads = w.pick(32, 64, 128)
    x, b, y = w.buffer("in", "n", "float"), w.buffer("in", f"n / {threads} + 1", w.pick("float", "int")), w.buffer("out", "n", "float")
    few = w.pick(1, 1, 4)
    lines = [f"__shared__ float stage[{few}];" if few > 1 else "__shared__ float stage;", f"int i = blockIdx.x * {threads} + threadIdx.x;", "const int t0 = threadIdx.x;"]
    if few == 1:
        lines += [w.pick("if (t0 == 0)", "if (threadIdx.x == 0)", "if (t0 == 5)", "if (t0 < 1)"), f"\tstage = {b.name}[blockIdx.x] {w.pick('', '* 2', '+ t0')};"]
    else:
        lines += [f"if (t0 < {few})", f"\tstage[t0] = {b.name}[blockIdx.x] * t0;"]
    lines += ["__syncthreads();", "if (i < n)", "\t" + w.stored(y, "i", f"{x.name}[i] * stage" + ("" if few == 1 else f"[{w.pick('t0 % 4', '3 - i % 4', '1')}]"))]
    return w.finish({"n": w.chance.choice(PROBLEMS)}, lines, ["int n"], ["n"], f"(n + {threads - 1}) / {threads}", str(threads))

class Stage:
    """Any stores to an array in shared memory, and any loads from it. Its index t0 counts the threads of a block."""

    def __init__(self, w):
        self.w, self.threads, self.plane = w, w.pick(32, 32, 64), w.pick(None, None, None, 4, 8)
        self.row = w.pick(None, None, 8, 9)  # of an array of rows
        self.size = 4 * self.threads + 9
        self.x = w.buffer("in", "n", w.pick("int", "int", "unsigned", "float"))
        self.y = w.buffer("out", "n", self.x.element)
        self.type = self.x.element

    def cell(self, at):
        at = f"({at})"
        return f"stage[{at}]" if self.row is None else f"stage[{at} / {self.row}][{at} % {self.row}]" if self.w.often(0.3) else f"stage[0][{at}]"

    def value(self, at, more=()):
        """What a thread stores: `at` is not below zero."""
        w, x = self.w, self.x.name
        base = w.pick(f"{x}[({at} + base) % n]", f"(base + {at} < n ? {x}[base + {at}] : ({self.type})({at}))", f"{x}[min(n - 1, base + (int)({at}))]",
                      f"({self.type})({at})")
        return base + w.pick("", "", "", " + t0", f" - {at}", " * 2", *(f" + {each}" for each in more))

    def number(self):
        return self.w.pick(*("unsigned", "int", "int"))

    def fill(self, varying):
        """One way in which each thread, or a few, store."""
        w, t = self.w, self.threads
        c, k = w.pick(0, 0, 1, 3, t, 2 * t), w.pick(2, 3)
        condition = w.pick("t0 < 5", f"t0 >= {t // 2}", "t0 % 2 == 0", "n > 500", "i < n", f"{self.x.name}[i % n] > 1", "blockIdx.x > 0", *varying)
        one = lambda at, value: f"{self.cell(at)} = {value};"
        return w.pick(
            lambda: [one(f"t0 + {c}", self.value("t0"))],
            lambda: [one(f"{t - 1} - t0 + {c}", self.value("t0"))],
            lambda: [one(f"t0 / 8 * 9 + t0 % 8", self.value("t0"))],
            lambda: [one(f"(t0 {w.pick('& 7', '% 8')}) * {t // 8 + w.pick(0, 1)} + (t0 {w.pick('>> 3', '/ 8')})", self.value("t0", ["t0 / 8", "t0 % 8"]))],
            lambda: [f"for ({self.number()} j = t0 / 8; j < {w.pick(t // 8, t // 8 + 5)}; j += {t // 8})", "\t" + one("j * 8 + t0 % 8", self.value("j", ["t0 % 8"]))],
            lambda: [one("t0", w.pick("0", "t0"))] + w.pick(["__syncthreads();"], []) + [f"if ({condition})", "\t" + one("t0", self.value("t0"))],
            lambda: [f"if (t0 {w.pick('% 8', '/ 8')} == {w.pick(0, 2)})", "\t" + one(f"t0 {w.pick('/ 8', '% 8')}", self.value("t0"))],
            lambda: [f"if ({condition})", "\t" + one(f"t0 + {c}", self.value("t0"))],
            lambda: [f"if ({condition})", "\t" + one(f"t0 + {c}", self.value("t0")), "else", "\t" + one(f"t0 + {c}", self.value("t0"))],
            lambda: [f"if (t0 == {w.pick(0, 5, t - 1)})", "\t" + one(w.pick("0", str(c), "7"), self.value("t0"))],
            lambda: [f"for ({self.number()} j = t0; j < {w.pick(t + 5, 2 * t, 3 * t + 1, 'min(n, %d)' % (2 * t))}; j += {t})", "\t" + one(w.pick("j", "j + 4"), self.value("j"))],
            lambda: [f"for ({self.number()} j = {w.pick(0, 1)}; j < {k}; j++)", "\t" + one(w.pick(f"t0 * {k} + j", f"t0 + {t} * j", f"t0 * 4 + j"), self.value("t0", ["j"]))],
            lambda: [f"for (int j = 0; j < {k}; j++) {{", f"\tif ({w.pick('(t0 + j) % 3 == 0', 'i + j >= n', 'j == 1')}) {{", f"\t\t{w.pick('total += 1;', 'q += j;')}", "\t\tcontinue;", "\t}",
                     f"\tif ({condition})", "\t\tcontinue;", "\t" + one("t0 * 4 + j", self.value("t0")), "}"],
            lambda: [f"for (int j = 0; j < 3; j++) {{", "\t" + one("t0 * 4 + j", self.value("t0", ["j"])), "\t" + one("t0 * 4 + j + 1", "-j"), "}"],
            lambda: [f"q = {w.pick('t0', '3', 'i')};", f"if ({condition})", f"\tq {w.pick('=', '+=')} {w.pick('5', 't0 * 2', 'q + 1')};", one(f"t0 + {c}", self.value("t0", ["q"])),
                     f"q {w.pick('=', '+=')} 2;"],
            lambda: [f"for (int j = 0; j < {k}; j++)", f"\tfor ({self.number()} m = t0; m < {w.pick(t, t + 3)}; m += {t})", "\t\t" + one(f"j * {w.pick(t + 3, t + 4)} + m", self.value("m", ["j", "t0"]))])()

    def index(self, more=()):
        w, t = self.w, self.threads
        return w.pick("t0", f"t0 + {w.pick(1, 3, t, 2 * t)}", f"{t - 1} - t0", "t0 ^ 1", f"(t0 * 7 + {w.pick(0, 5)}) % {self.size}", "0", "7", f"(int){self.x.name}[i % n] & 15",
                      f"min(t0 + {t - 3}, {self.size - 1})", f"t0 / 8 * 9 + t0 % 8", *more, *more)

    def load(self, varying):
        w, t = self.w, self.threads
        take = lambda at: f"total += {self.cell(at)}{w.pick('', ' * 2', ' * (t0 + 1)')};"
        condition = w.pick("t0 > 3", "i < n", "t0 < 20 && i < n", *varying)
        return w.pick(
            lambda: [take(self.index())],
            lambda: [f"if ({condition})", "\t" + take(self.index())],
            lambda: [f"for ({self.number()} j = 0; j < {w.pick(3, t, 'min(%d, n)' % t)}; j++)", "\t" + take(self.index(["j", "t0 + j", f"t0 * 4 + j % 4", f"j + {t}"]))],
            lambda: ["{", "\tunsigned r = t0;", f"\tfor (int j = 0; j < {w.pick(2, 3)}; j++)", f"\t\tif (r < {w.pick(t, t // 2)}) {{", f"\t\t\tr += {w.pick(5, t - 4, t)};", "\t\t\t" + take("r"), "\t\t}", "}"],
            lambda: [f"if (t0 + {w.pick(0, 2, 9)} < {w.pick(t, 'n', t // 2)})", "\t" + take(f"t0 + {w.pick(0, 2, 9)}")])()


def staged_any(w):
    """Any stores, barriers and loads, in a loop around all of them or not; all of the array is set first."""
    w.taken |= {"q", "base", "p", "m", "r"}
    s, barrier = Stage(w), ["__syncthreads();"]
    repeated = w.often(0.45)
    varying = ["p == 0", "p % 2 == 0", "p * 32 < n"] if repeated else []
    rounds = []
    for _ in range(w.pick(1, 1, 2)):
        for _ in range(w.pick(1, 1, 2, 3)):
            rounds += s.fill(varying) + (barrier if w.often(0.8) else [])
        rounds += barrier
        for _ in range(w.pick(1, 2, 3)):
            rounds += s.load(varying)
        rounds += barrier
    threads = "threadIdx.x" if s.plane is None else f"threadIdx.y * {s.plane} + threadIdx.x"
    cells = f"stage[{s.size}]" if s.row is None else f"stage[{-(-s.size // s.row)}][{s.row}]"
    lines = [f"__shared__ {s.type} {cells};", f"const int t0 = {threads}, i = blockIdx.x * {s.threads} + t0{w.pick('', ', base = 0', ', base = blockIdx.x * 32')};", f"{s.type} total = 0;", "int q = 0;"]
    if "base" not in lines[1]:
        lines.insert(2, f"const int base = {w.pick('blockIdx.x', 'i / 2', '3')};")
    lines += [f"for (int j = t0; j < {s.size}; j += {s.threads})", f"\t{'stage[j]' if s.row is None else f'stage[j / {s.row}][j % {s.row}]' if w.often(0.5) else 'stage[0][j]'} = {w.pick('0', 'j')};"] + barrier
    if w.often(0.1):
        lines += ["if (i >= n)", "\treturn;"]
    if repeated:
        lines += [f"for (int p = 0; p < {w.pick('2', '3', 'n / 500 + 2')}; p++) {{"] + w.indent(rounds) + ["}"]
    else:
        lines += rounds
    lines += ["if (i < n)", "\t" + w.stored(s.y, "i", f"total{w.pick('', ' + q')}")]
    w.exact = s.type != "float"
    block = str(s.threads) if s.plane is None else f"dim3({s.plane}, {s.threads // s.plane})"
    return w.finish({"n": w.chance.choice(PROBLEMS)}, lines, ["int n"], ["n"], f"(n + {s.threads - 1}) / {s.threads}", block)
