#!/usr/bin/env python3
"""Drives ktcc-runner on a real GPU with kernels that are right, wrong and dangerous.

usage: runner_gpu.py RUNNER KERNELS_CU [--nvcc NVCC] [--record FILE]
Prints one line a case; exits 1 when one fails, 77 without a GPU.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

SOURCE = r"""
#include <cuda_fp16.h>
extern "C" __global__ void original(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i]; }
extern "C" __global__ void right(float *y, const float *x, int n, float a)
{ int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x); for (int k = 0; k < 4; k++) if (i + k < n) y[i + k] = a * x[i + k]; }
extern "C" __global__ void wrong(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = i == 777 ? 3.0f : a * x[i]; }
extern "C" __global__ void unwritten(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n - 1) y[i] = a * x[i]; }
extern "C" __global__ void not_a_number(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = i == 5 ? __int_as_float(0x7fffffff) : a * x[i]; }
extern "C" __global__ void behind(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i <= n) y[i] = i < n ? a * x[i] : 1.0f; }
extern "C" __global__ void before(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i]; if (i == 0) y[-1] = 2.0f; }
extern "C" __global__ void illegal(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i + (1ll << 40)] = a * x[i]; }
extern "C" __global__ void traps(float *y, const float *x, int n, float a) { __trap(); }
extern "C" __global__ void hangs(float *y, const float *x, int n, float a)
{ volatile float *v = y; while (v[0] != 12345.678f) { } }
extern "C" __global__ void input_changed(float *y, float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i]; if (i == 3) x[3] += 1.0f; }
__device__ unsigned launches;
extern "C" __global__ void wavers(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned t = (unsigned)clock64(); if (i < n) y[i] = a * x[i] * (1.0f + (t & 7) * 1.2e-7f); }
extern "C" __global__ void cheats(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned c = launches; if (i < n) y[i] = c > 5 ? 0.0f : a * x[i];
  __threadfence(); if (i == 0) launches = c + 1; }
extern "C" __global__ void greedy(float *y, const float *x, int n, float a)
{ extern __shared__ float s[]; int i = blockIdx.x * blockDim.x + threadIdx.x; s[threadIdx.x] = i < n ? a * x[i] : 0; if (i < n) y[i] = s[threadIdx.x]; }
extern "C" __global__ void add_original(__half *r, const __half *x, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) r[i] = __float2half(__half2float(r[i]) + __half2float(x[i])); }
extern "C" __global__ void border(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i > 0 && i < n - 1) y[i] = a * x[i]; }
extern "C" __global__ void border4(float *y, const float *x, int n, float a)
{ int b = 4 * (blockIdx.x * blockDim.x + threadIdx.x); for (int i = b; i < b + 4; i++) if (i > 0 && i < n - 1) y[i] = a * x[i]; }
extern "C" __global__ void reads_nan(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = sqrtf(x[i]) * a; }
"""


class Runner:
    def __init__(self, command, support):
        self.command, self.support, self.child, self.region_request = command, support, None, None

    def start(self):
        self.child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.device = self.ask(request="hello", protocol=1)
        if "error" in self.device:
            return self.device
        return self.ask(request="support", cubin=self.support)

    def ask(self, **request):
        self.child.stdin.write(json.dumps(request) + "\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        if not line:
            raise RuntimeError(f"the runner ended with {self.child.wait()}")
        reply = json.loads(line)
        if reply.get("fatal"):
            assert self.child.wait(10) == 3, "a fatal reply and no exit"
            self.child = None
        return reply

    def region(self, **members):
        self.region_request = dict(request="region", **members)
        return self.ask(**self.region_request)

    def revive(self):
        if self.child is None:
            reply = self.start()
            assert "error" not in reply, reply
            reply = self.ask(**self.region_request)
            assert "error" not in reply, reply


SIZES = (1, 1000, 4099, 1 << 20, 25000000)


def geometry(n, per_thread=1, shared=0):
    return dict(grid=[-(-n // (256 * per_thread)), 1, 1], block=[256, 1, 1], shared_bytes=shared)


def scale_region(runner, cubin, function="original", fill=("uniform", -1, 1), limit_s=4):
    problems = [dict(problem=f"n={n}", geometry=geometry(n), values=[None, None, n, 1.5], read_bytes=4 * n,
                     write_bytes=4 * n, buffers=[dict(count=n, fill="zeros"),
                                                 dict(count=n, fill=fill[0], a=fill[1], b=fill[2], seed=i + 1)])
                for i, n in enumerate(SIZES)]
    return runner.region(name="scale", instance=function, cubin=cubin, function=function, limit_s=limit_s,
                         arguments=[dict(buffer=0), dict(buffer=1), dict(element="i32"), dict(element="f32")],
                         buffers=[dict(name="y", element="f32", direction="out", absolute=1e-5, relative=1e-4),
                                  dict(name="x", element="f32", direction="in")], problems=problems)


def attempt(runner, cubin, function, per_thread=1, shared=0, repetitions=20, warmups=5):
    return runner.ask(request="try", cubin=cubin, function=function, configuration=f"F={function}",
                      warmups=warmups, repetitions=repetitions,
                      problems=[dict(geometry=geometry(n, per_thread, shared)) for n in SIZES])


failures = 0


def check(name, good, what):
    global failures
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {name}" + ("" if good else f": {json.dumps(what)[:1500]}"), flush=True)


def verdict(runner, cubin, function, wanted, **more):
    runner.revive()
    start = time.monotonic()
    reply = attempt(runner, cubin, function, **more)
    seconds = time.monotonic() - start
    details = [p.get("detail") for p in reply.get("problems", []) if p.get("detail")]
    check(f"{function}: {wanted} ({seconds:.2f} s; {details[:1]})", reply.get("verdict") == wanted, reply)
    return reply


def inplace(runner, cubin):
    sizes = (33, 100000)
    reply = runner.region(
        name="add", instance="add", cubin=cubin, function="add_original", limit_s=4,
        arguments=[dict(buffer=0), dict(buffer=1), dict(element="i32")],
        buffers=[dict(name="r", element="f16", direction="inout", absolute=1e-3, relative=4e-3),
                 dict(name="x", element="f16", direction="in")],
        problems=[dict(problem=f"n={n}", geometry=geometry(n), values=[None, None, n], read_bytes=4 * n,
                       write_bytes=2 * n, buffers=[dict(count=n, fill="normal", a=0, b=1, seed=7),
                                                   dict(count=n, fill="uniform", a=-1, b=1, seed=8)]) for n in sizes])
    check("region in place", "error" not in reply, reply)
    reply = runner.ask(request="try", cubin=cubin, function="add_original", configuration="F=add", repetitions=20,
                       warmups=5, problems=[dict(geometry=geometry(n)) for n in sizes])
    check("add in place: ok", reply.get("verdict") == "ok", reply)


def timing(runner, cubin):
    runner.revive()
    reply = attempt(runner, cubin, "right", per_thread=4, repetitions=100, warmups=20)
    effort = dict(warmups=20, repetitions=100)
    one = dict(cubin=cubin, function="right", configuration="F=right",
               problems=[dict(geometry=geometry(n, 4)) for n in SIZES])
    compared = runner.ask(request="compare", candidates=[dict(configuration=""), one, dict(configuration="")], **effort)
    check("compare", "timings" in compared, compared)
    floor = runner.ask(request="floor", **effort)
    check("floor", all(f > 0 for f in floor.get("floor_ns", [0])), floor)
    rows = compared["timings"]
    for i, n in enumerate(SIZES):
        a, b, c = (row[i]["timing"] for row in rows)
        tried = reply["problems"][i]["timing"]
        print(f"     n={n}: original {a['median_ns']:.0f} ± {a['deviation_ns']:.0f} ns, again {c['median_ns']:.0f}, right "
              f"{b['median_ns']:.0f} (tried {tried['median_ns']:.0f}), floor {floor['floor_ns'][i]:.0f}")
    a, c, f = rows[0][-1]["timing"]["median_ns"], rows[2][-1]["timing"]["median_ns"], floor["floor_ns"][-1]
    check("two timings of the original agree within 3 %", abs(a - c) < 0.03 * a, [a, c])
    check("no kernel is much faster than the floor", a > 0.9 * f, [a, f])
    start = time.monotonic()
    for _ in range(20):
        reply = attempt(runner, cubin, "right", per_thread=4, repetitions=10, warmups=2)
    each = (time.monotonic() - start) / 20
    print(f"     one try of {len(SIZES)} problems, up to 200 MB: {each * 1000:.1f} ms")
    check("60 tries fit into 8 s", each * 60 < 8, each)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner")
    parser.add_argument("kernels")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--arch", default="native")
    parser.add_argument("--record")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, cubin, support = (os.path.join(folder, f) for f in ("k.cu", "k.cubin", "support.cubin"))
        with open(source, "w") as out:
            out.write(SOURCE)
        subprocess.run([options.nvcc, "-cubin", f"-arch={options.arch}", "-w", "-o", cubin, source], check=True)
        subprocess.run([options.nvcc, "-cubin", f"-arch={options.arch}", "-o", support, options.kernels], check=True)
        runner = Runner([options.runner] + (["--record", options.record] if options.record else []), support)
        reply = runner.start()
        if "error" in reply:
            print(f"skipped: {reply['error']}")
            return 77
        print("     " + json.dumps(runner.device["device"]))
        reply = scale_region(runner, cubin)
        check("region", "error" not in reply and not any(p["skipped"] or p["nondeterministic"] for p in reply["problems"]),
              reply)
        good = verdict(runner, cubin, "right", "ok", per_thread=4)
        check("attributes", good["registers"] > 0 and good["occupancy_blocks"] > 0, good)
        verdict(runner, cubin, "original", "ok")
        verdict(runner, cubin, "greedy", "ok", shared=100 * 1024)
        verdict(runner, cubin, "greedy", "over-limit", shared=1024 * 1024)
        verdict(runner, cubin, "no_such_kernel", "no-compile")
        for function in ("wrong", "unwritten", "not_a_number"):
            verdict(runner, cubin, function, "wrong-answer")
        verdict(runner, cubin, "behind", "out-of-bounds")
        verdict(runner, cubin, "before", "out-of-bounds")
        verdict(runner, cubin, "input_changed", "wrong-answer")
        verdict(runner, cubin, "wavers", "non-deterministic")
        reply = attempt(runner, cubin, "cheats")
        check("cheats: caught", reply.get("verdict") in ("wrong-answer", "non-deterministic"), reply)
        verdict(runner, cubin, "illegal", "out-of-bounds")
        check("the runner left after a fault", runner.child is None, "still there")
        verdict(runner, cubin, "right", "ok", per_thread=4)
        verdict(runner, cubin, "traps", "crashed")
        verdict(runner, cubin, "hangs", "timed-out")
        verdict(runner, cubin, "right", "ok", per_thread=4)
        timing(runner, cubin)
        reply = scale_region(runner, cubin, "border")
        check("region that leaves elements unwritten", "error" not in reply and
              not any(p["nondeterministic"] for p in reply["problems"]), reply)
        verdict(runner, cubin, "border4", "ok", per_thread=4)
        verdict(runner, cubin, "original", "wrong-answer")
        reply = scale_region(runner, cubin, "reads_nan")
        check("region with NaN in its outputs", "error" not in reply, reply)
        verdict(runner, cubin, "reads_nan", "ok")
        verdict(runner, cubin, "original", "wrong-answer")
        reply = scale_region(runner, cubin, "wavers")
        check("an original that wavers", reply.get("problems", [{}])[-1].get("nondeterministic") is True, reply)
        verdict(runner, cubin, "original", "ok")
        reply = scale_region(runner, cubin, "behind")
        check("an original that writes behind its output is refused", "behind the end of y" in reply.get("error", ""), reply)
        inplace(runner, cubin)
    print("failed" if failures else "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
