"""What the fault run and the parallel run share: programs, a fast compiler with its toolkit, sources, a recording.

The compiler is nvcc.c: what it makes of a source is the source, so that an object shows which kernels are in it, and a
build costs milliseconds. The GPU is answered by the recording of saxpy: all regions carry its name and differ in a
constant.
"""
import hashlib
import os
import shutil
import sqlite3
import struct
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.path.join(os.path.dirname(HERE), "Inputs")
RECORDING = os.path.join(os.path.dirname(HERE), "recordings", "saxpy.jsonl")

# What libclang includes of a toolkit by itself: empty here, so that no toolkit is needed; none counts where there is one.
HEADERS = """cuda.h cuda_runtime.h host_config.h host_defines.h driver_types.h device_functions.hpp math_functions.hpp
device_atomic_functions.h device_atomic_functions.hpp device_double_functions.h math_functions_dbl_ptx3.hpp
sm_20_atomic_functions.hpp sm_20_intrinsics.hpp sm_32_atomic_functions.hpp sm_60_atomic_functions.hpp sm_61_intrinsics.hpp
texture_fetch_functions.h texture_indirect_functions.h crt/common_functions.h crt/device_functions.hpp crt/device_double_functions.hpp
crt/device_runtime.h crt/host_runtime.h crt/math_functions.hpp crt/sm_70_rt.hpp""".split()

# The first lines stand for what they would have said.
SOURCE = """#ifndef __CUDA_RUNTIME_H__
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
struct dim3 { unsigned x, y, z; __attribute__((host, device)) dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)
	: x(a), y(b), z(c) {} };
typedef struct CUstream_st *cudaStream_t;
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, unsigned long shared = 0, cudaStream_t stream = 0);
extern const __attribute__((device)) dim3 threadIdx, blockIdx;
#endif
#ifndef BLOCK
#define BLOCK 128
#endif
#define ITEMS 1

#pragma ktune problem(n = 4096, 1048576) in(x[n]) inout(y[n]) value(a = 1.5f) \\
    tune(BLOCK = @BLOCKS@) tune(ITEMS = 1, 2, 4) restriction(BLOCK * ITEMS <= 1024) \\
    grid(ceil_div(n, BLOCK * ITEMS)) block(BLOCK)
__global__ void saxpy(float *y, const float *x, float a, int n)
{
	int first = blockIdx.x * BLOCK * ITEMS + threadIdx.x;
#pragma unroll
	for (int i = 0; i < ITEMS; i++) {
		int at = first + i * BLOCK;
		if (at < n)
			y[at] = @NUMBER@ * a * x[at] + y[at];
	}
}

void run_saxpy_@NUMBER@(float *y, const float *x, float a, int n, cudaStream_t stream)
{
	saxpy<<<(n + BLOCK * ITEMS - 1) / (BLOCK * ITEMS), BLOCK, 0, stream>>>(y, x, a, n);
}
"""


def source(number, blocks="64, 128, 256, 512"):
    return SOURCE.replace("@NUMBER@", str(number)).replace("@BLOCKS@", blocks)


def compile_c(output, path, *flags):
    subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-O1", "-Wall", "-Wextra", "-D_GNU_SOURCE", *flags, "-o",
                    output, path],
                   check=True)


class World:
    """A folder with everything in it; `ktcc` is the installed program."""

    def __init__(self, folder, ktcc):
        self.folder, self.ktcc = os.path.abspath(folder), os.path.abspath(ktcc)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.toolkit = os.path.join(self.folder, "toolkit")
        self.nvcc = os.path.join(self.toolkit, "bin", "nvcc")
        os.makedirs(os.path.dirname(self.nvcc))
        os.makedirs(os.path.join(self.toolkit, "include", "crt"))
        for name in HEADERS:
            with open(os.path.join(self.toolkit, "include", name), "w") as out:
                out.write("#define CUDA_VERSION 13000\n" if name == "cuda.h" else "")
        compile_c(self.nvcc, os.path.join(HERE, "nvcc.c"))
        self.log = os.path.join(self.folder, "log")
        self.calls = os.path.join(self.folder, "calls")

    def environment(self, cache, **more):
        kept = {name: os.environ[name]
                for name in ("HOME", "LANG", "LD_LIBRARY_PATH", "KTUNE_LIBCLANG") if name in os.environ}
        kept.update(PATH=os.path.dirname(self.nvcc) + os.pathsep + os.environ["PATH"], KTUNE_CACHE_DIR=cache,
                    KTUNE_REPLAY=RECORDING, KTUNE_LOG=self.log, FAKE_LOG=self.calls, XDG_CONFIG_HOME=self.folder,
                    KTUNE_JOBS="2", KTUNE_SANITIZE="off", TMPDIR=self.temporary())
        kept.update(more)
        return kept

    def temporary(self):
        path = os.path.join(self.folder, "tmp")
        os.makedirs(path, exist_ok=True)
        return path

    def command(self, source, output, *more):
        return [self.ktcc, "nvcc", "-arch=sm_90", *more, "-c", source, "-o", output]

    def cache(self, cache, *words, **more):
        return subprocess.run([self.ktcc, "cache", *words], env=self.environment(cache, **more), capture_output=True,
                              text=True)

    def counters(self, cache):
        import json
        done = self.cache(cache, "stats", "--json")
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        return json.loads(done.stdout)["counters"]


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def check_sum(*values):
    """ktune_sum of ktcc/store/functions.c: the first 64 bits of BLAKE2b-256 over type and value of each."""
    hashed = hashlib.blake2b(digest_size=32)
    for value in values:
        if value is None:
            hashed.update(struct.pack("<qq", 5, 0))
        elif isinstance(value, int):
            hashed.update(struct.pack("<qq", 1, value))
        elif isinstance(value, float):
            hashed.update(struct.pack("<qd", 2, value))
        else:
            raw = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
            hashed.update(struct.pack("<qq", 3 if isinstance(value, str) else 4, len(raw)) + raw)
    return int.from_bytes(hashed.digest()[:8], "big", signed=True)


def trials(cache):
    """The measured rows, those that fit their check sum, as a program that is not ours reads them; None: it cannot."""
    path = os.path.join(cache, "store.sqlite")
    if not os.path.exists(path):
        return set()
    try:
        store = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
        store.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        rows = store.execute("SELECT t.sum, s.trial_key, s.device_key, t.configuration, t.problem, t.problem_index, "
                             "t.verdict, "
                             "t.median_ns, t.mean_ns, t.min_ns, t.deviation_ns, t.samples, t.registers, t.local_bytes, "
                             "t.shared_bytes, t.detail FROM trials t JOIN spaces s ON s.id = t.space").fetchall()
        store.close()
        return {row[1:] for row in rows if row[0] == check_sum(*row[1:])}
    except sqlite3.Error:
        return None
