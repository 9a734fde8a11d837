"""One class a kernel: its buffers, its reference in double precision, and every contestant as a call of one set of
buffers.

`calls(libraries, options)` is name → function of a set's number. A contestant leaves its result in `results()` of that
set, or returns it. `read` and `write` are the bytes that a call has to move.
"""
import ctypes

import torch
import torch.nn.functional as functional

import triton_kernels

TYPES = {"f32": (0, torch.float32), "f16": (1, torch.float16), "bf16": (2, torch.bfloat16)}
# |got - want| <= absolute + relative * |want|: a result of each type, rounded once or twice.
TOLERANCE = {"f32": (1e-5, 1e-4), "f16": (2e-3, 4e-3), "bf16": (1.6e-2, 1.6e-2)}
EPS = 1e-6


def address(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def uniform(shape, dtype, low=-1.0, high=1.0):
    return torch.empty(shape, dtype=torch.float32, device="cuda").uniform_(low, high).to(dtype)


class Case:
    """Shared by the three: `n` maps the problem's variables to numbers, as the sample's pragma names them."""

    def __init__(self, type_name, n, clock):
        self.type_name, self.n, self.clock = type_name, n, clock
        self.code, self.dtype = TYPES[type_name]
        self.size = self.dtype.itemsize
        self.read, self.write = self.traffic()
        self.sets = clock.sets(self.read + self.write)
        self.buffers = [self.make() for _ in range(self.sets)]
        # What a compiled function returns stays alive for a round of sets: its memory is then another one each time.
        self.kept = [None] * self.sets

    @property
    def problem(self):
        return " ".join(f"{name}={value}" for name, value in self.n.items())

    def handle(self):
        return ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

    def keep(self, function):
        def call(i):
            self.kept[i] = function(self.buffers[i])
        return call

    def compiled(self, function):
        torch._dynamo.reset()
        return torch.compile(function, mode="max-autotune-no-cudagraphs", dynamic=False)

    def best_triton(self, configurations, make):
        """The fastest of the configurations on this shape."""
        timed = []
        for configuration in configurations:
            try:
                timed.append((self.clock.quick(make(configuration), self.sets), configuration))
            except Exception as error:  # a configuration that the device refuses
                print(f"triton {self.problem} {configuration}: {type(error).__name__}", flush=True)
        return make(min(timed)[1])

    def close(self, got, want):
        absolute, relative = TOLERANCE[self.type_name if got.dtype == self.dtype else "f32"]
        off = (got.double() - want).abs() - (absolute + relative * want.abs())
        return bool((off <= 0).all())

    def check(self, name, call):
        """Runs the contestant once on fresh data and compares: an AssertionError names it."""
        self.refresh(0)
        want = self.reference(self.buffers[0])
        self.kept[0] = None
        for tensor in self.outputs(self.buffers[0]):
            tensor.fill_(float("nan"))
        torch.cuda.synchronize()
        with torch.cuda.stream(self.clock.stream):
            call(0)
        torch.cuda.synchronize()
        got = self.kept[0] if self.kept[0] is not None else self.results(self.buffers[0])
        for part, (mine, right) in enumerate(zip(got, want)):
            assert self.close(mine, right), f"{name}: wrong result {part} for {self.type_name} {self.problem}"
        self.kept[0] = None

    def refresh(self, i):
        pass


class Silu(Case):
    name, variables = "silu_and_mul", ("B", "D")

    def traffic(self):
        return 2 * self.n["B"] * self.n["D"] * self.size, self.n["B"] * self.n["D"] * self.size

    def make(self):
        rows, d = self.n["B"], self.n["D"]
        return uniform((rows, 2 * d), self.dtype, -4, 4), torch.empty((rows, d), dtype=self.dtype, device="cuda")

    def outputs(self, set_):
        return [set_[1]]

    results = outputs

    def reference(self, set_):
        gate, up = set_[0].double().chunk(2, dim=1)
        return [gate * torch.sigmoid(gate) * up]

    def calls(self, libraries, options):
        rows, d = self.n["B"], self.n["D"]

        def native(library, function):
            entry = getattr(libraries[library], function)
            return lambda i: entry(self.code, address(self.buffers[i][1]), address(self.buffers[i][0]), rows, d,
                                   self.handle())

        def expression(x):
            gate, up = x.chunk(2, dim=1)
            return (functional.silu(gate.float()) * up.float()).to(x.dtype)

        found = {"plain": native("plain", "sample_silu"), "tuned": native("tuned", "sample_silu"),
                 "production": native("production", "production_silu"),
                 "production-fast": native("fast", "production_silu"),
                 "triton": self.best_triton(triton_kernels.silu_configurations(rows, d),
                                            lambda c: lambda i: triton_kernels.silu(
                     self.buffers[i][1], self.buffers[i][0], rows, d, c))}
        if options.compile:
            function = self.compiled(expression)
            found["compile"] = self.keep(lambda set_: [function(set_[0])])
        return found


class Merge(Case):
    name, variables = "merge_attn_states", ("tokens", "heads", "head_dim")

    def traffic(self):
        rows = self.n["tokens"] * self.n["heads"]
        count = rows * self.n["head_dim"] * self.size
        return 2 * count + 8 * rows, count + 4 * rows

    def make(self):
        shape = (self.n["tokens"], self.n["heads"])
        full = (*shape, self.n["head_dim"])
        return (uniform(full, self.dtype), uniform(shape, torch.float32, -4, 4), uniform(full, self.dtype),
                uniform(shape, torch.float32, -4, 4), torch.empty(full, dtype=self.dtype, device="cuda"),
                torch.empty(shape, dtype=torch.float32, device="cuda"))

    def outputs(self, set_):
        return [set_[4], set_[5]]

    results = outputs

    def reference(self, set_):
        v_a, s_a, v_b, s_b = (tensor.double() for tensor in set_[:4])
        a, b = torch.exp2(s_a), torch.exp2(s_b)
        return [(v_a * a[..., None] + v_b * b[..., None]) / (a + b)[..., None], torch.log2(a + b)]

    def calls(self, libraries, options):
        tokens, heads, head_dim = (self.n[name] for name in self.variables)

        def native(library, function):
            entry = getattr(libraries[library], function)
            # v, s, v_a, s_a, v_b, s_b
            return lambda i: entry(self.code, *(address(self.buffers[i][k]) for k in (4, 5, 0, 1, 2, 3)), tokens, heads,
                                   head_dim, self.handle())

        def expression(v_a, s_a, v_b, s_b):
            largest = torch.maximum(s_a, s_b)
            a, b = torch.exp2(s_a - largest), torch.exp2(s_b - largest)
            total = a + b
            merged = v_a.float() * (a / total)[..., None] + v_b.float() * (b / total)[..., None]
            return merged.to(v_a.dtype), largest + torch.log2(total)

        found = {"plain": native("plain", "sample_merge"), "tuned": native("tuned", "sample_merge"),
                 "production": native("production", "production_merge"),
                 "production-fast": native("fast", "production_merge"),
                 "triton": self.best_triton(
                     triton_kernels.merge_configurations(tokens * heads, head_dim),
                     lambda c: lambda i: triton_kernels.merge(
                         self.buffers[i][4], self.buffers[i][5], *self.buffers[i][:4], tokens * heads, c))}
        if options.compile:
            function = self.compiled(expression)
            found["compile"] = self.keep(lambda set_: function(*set_[:4]))
        return found


class RmsNorm(Case):
    name, variables = "fused_add_rmsnorm", ("rows", "d")

    def traffic(self):
        count = self.n["rows"] * self.n["d"] * self.size
        return 2 * count + self.n["d"] * self.size, 2 * count

    def make(self):
        rows, d = self.n["rows"], self.n["d"]
        return (uniform((rows, d), self.dtype), uniform((rows, d), self.dtype), uniform((d,), self.dtype, 0.5, 1.5),
                torch.empty((rows, d), dtype=self.dtype, device="cuda"),
                torch.empty((rows,), dtype=torch.float32, device="cuda"))

    def refresh(self, i):
        self.buffers[i][1].copy_(uniform((self.n["rows"], self.n["d"]), self.dtype))

    def outputs(self, set_):
        return [set_[3], set_[4]]

    def results(self, set_):
        return [set_[3], set_[1]]

    def reference(self, set_):
        total = set_[0].double() + set_[1].double()
        scale = torch.rsqrt((total * total).mean(dim=1, keepdim=True) + EPS)
        return [total * scale * set_[2].double(), total]

    def calls(self, libraries, options):
        rows, d = self.n["rows"], self.n["d"]
        eps = ctypes.c_float(EPS)

        def sample(library):
            entry = libraries[library].sample_rmsnorm
            # y, residual, x, weight, scale
            return lambda i: entry(self.code, *(address(self.buffers[i][k]) for k in (3, 1, 0, 2, 4)), eps, rows, d,
                                   self.handle())

        def production(library):
            entry = libraries[library].production_rmsnorm
            return lambda i: entry(self.code, *(address(self.buffers[i][k]) for k in (3, 1, 0, 2)), eps, rows, d,
                                   self.handle())

        def expression(x, residual, weight):
            total = x.float() + residual.float()
            residual.copy_(total)
            scale = torch.rsqrt((total * total).mean(dim=1, keepdim=True) + EPS)
            return (total * scale * weight.float()).to(x.dtype)

        def eager(set_):
            set_[1].add_(set_[0])
            return [functional.rms_norm(set_[1], (d,), set_[2], EPS), set_[1]]

        found = {"plain": sample("plain"), "tuned": sample("tuned"), "production": production("production"),
                 "production-fast": production("fast"), "eager": self.keep(eager),
                 "triton": self.best_triton(
                     triton_kernels.rmsnorm_configurations(rows, d), lambda c: lambda i: triton_kernels.rmsnorm(
                         self.buffers[i][3], self.buffers[i][1], self.buffers[i][0], self.buffers[i][2], EPS, rows, d,
                         c))}
        if options.compile:
            function = self.compiled(expression)
            found["compile"] = self.keep(lambda set_: [function(*set_[:3]), set_[1]])
        return found


KERNELS = {kernel.name: kernel for kernel in (Silu, Merge, RmsNorm)}


def copies(case, library, multiprocessors):
    """The traffic alone: name → call, in several shapes, and PyTorch's own copy of as many bytes."""
    reads = [torch.empty(case.read + 32, dtype=torch.uint8, device="cuda") for _ in range(case.sets)]
    writes = [torch.empty(case.write + 32, dtype=torch.uint8, device="cuda") for _ in range(case.sets)]
    half = (case.read + case.write) // 2

    def copy(blocks, threads):
        return lambda i: library.timing_copy(address(writes[i]), ctypes.c_size_t(case.write), address(reads[i]),
                                             ctypes.c_size_t(case.read), blocks, threads, case.handle())

    halves = [(read[:half] if read.numel() >= half else torch.empty(half, dtype=torch.uint8, device="cuda"),
               torch.empty(half, dtype=torch.uint8, device="cuda")) for read in reads]
    found = {f"copy-{blocks}x{threads}": copy(blocks, threads)
             for blocks, threads in ((0, 128), (0, 256), (0, 512), (8 * multiprocessors, 256),
                                     (2 * multiprocessors, 1024))}
    found["torch-copy"] = lambda i: halves[i][1].copy_(halves[i][0])
    return found
