#!/usr/bin/env python3
"""Drives ktcc-runner on a real GPU with kernels that are right, wrong and dangerous.

usage: runner_gpu.py RUNNER KERNELS_CU [--nvcc NVCC] [--record FILE]
Prints one line a case; exits 1 when one fails, 77 without a GPU.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = r"""
#include <cuda_fp16.h>
extern "C" __global__ void original(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i]; }
extern "C" __global__ void right(float *y, const float *x, int n, float a)
{ int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < 4; k++) if (i + k < n) y[i + k] = a * x[i + k]; }
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
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i]; if (i == 3 && i < n) x[3] += 1.0f; }
__device__ unsigned launches;
extern "C" __global__ void wavers(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned t = (unsigned)clock64();
  if (i < n) y[i] = a * x[i] * (1.0f + (t & 7) * 1.2e-7f); }
extern "C" __global__ void cheats(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned c = launches; if (i < n) y[i] = c > 5 ? 0.0f : a * x[i];
  __threadfence(); if (i == 0) launches = c + 1; }
extern "C" __global__ void greedy(float *y, const float *x, int n, float a)
{ extern __shared__ float s[]; int i = blockIdx.x * blockDim.x + threadIdx.x; s[threadIdx.x] = i < n ? a * x[i] : 0;
  if (i < n) y[i] = s[threadIdx.x]; }
extern "C" __global__ void part(float *y, const float *x, int n, float a, float *t, unsigned long long *flags)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { t[i] = a * x[i]; flags[i] = 1; } }
extern "C" __global__ void part_behind(float *y, const float *x, int n, float a, float *t, unsigned long long *flags)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i <= n) { t[i] = i < n ? a * x[i] : 1.0f; flags[i] = 1; } }
extern "C" __global__ void part_once(float *y, const float *x, int n, float a, float *t, unsigned long long *flags)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; const unsigned long long mark = 0x7bcdef0123456789ull;
  if (i < n && flags[i] != mark) { t[i] = a * x[i]; flags[i] = mark; } }
extern "C" __global__ void part_none(float *y, const float *x, int n, float a, float *t, unsigned long long *flags) { }
extern "C" __global__ void finish(float *y, const float *x, int n, float a, float *t, unsigned long long *flags)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = flags[i] ? t[i] : 0.0f; }
extern "C" __global__ void add_original(__half *r, const __half *x, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) r[i] = __float2half(__half2float(r[i]) + __half2float(x[i])); }
extern "C" __global__ void border(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i > 0 && i < n - 1) y[i] = a * x[i]; }
extern "C" __global__ void border4(float *y, const float *x, int n, float a)
{ int b = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = b; i < b + 4; i++) if (i > 0 && i < n - 1) y[i] = a * x[i]; }
extern "C" __global__ void reads_nan(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = sqrtf(x[i]) * a; }
extern "C" __global__ void fragile(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i]; if (n == 13 && i == 0) y[n] = 1.0f; }
extern "C" __global__ void explodes(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (n == 17) y += 1ll << 40; if (i < n) y[i] = a * x[i]; }
extern "C" __global__ void odd(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + (n % 2 && i == n - 1 && n != 4099); }
extern "C" __global__ void vectors(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (4 * i + 3 < n) { float4 v = ((const float4 *)x)[i];
  ((float4 *)y)[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w); }
  else for (int k = 4 * i; k < n; k++) y[k] = a * x[k]; }
extern "C" __global__ void twice(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; volatile float *v = y; volatile const float *w = x;
  if (i < n) { v[i] = 0.0f; v[i] = a * w[i]; } }
extern "C" __global__ void reads_behind(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + 0.0f * x[i + 1]; }
extern "C" __global__ void accumulates(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = i == 0 ? y[i] : a * x[i]; }
__device__ unsigned calls;
extern "C" __global__ void lazy(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned c = calls;
  if (c < 2 && i < n) y[i] = a * x[i]; __threadfence(); if (i == 0 && n > 1) calls = c + 1; }
extern "C" __global__ void half_precision(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = __half2float(__float2half(a * x[i])); }
extern "C" __global__ void races(float *y, const float *x, int n, float a)
{ __shared__ float s[256]; int i = blockIdx.x * blockDim.x + threadIdx.x; s[threadIdx.x] = i < n ? a * x[i] : 0;
  if (i < n) y[i] = s[threadIdx.x ^ 128]; }
extern "C" __global__ void sticky(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; float v; if (i >= n) return;
  asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(v) : "l"(x + i), "l"(0x14f0000000000000ull));
  asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" :: "l"(y + i), "f"(a * v), "l"(0x14f0000000000000ull)
               : "memory"); }
extern "C" __global__ void sums(float *y, const float *x, int n, float a)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(y, a * x[i]); }
extern "C" __global__ void plus_one(int n, const float *t, float *y)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = t[i] + 1.0f; }
extern "C" __global__ void fused(float *t, const float *x, long long n, float a, float *y)
{ long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + 1.0f; }
extern "C" __global__ void fused_wrong(float *t, const float *x, long long n, float a, float *y)
{ long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { t[i] = a * x[i]; y[i] = a * x[i]; } }
extern "C" __global__ void wide(float *y, const float *x, long long n)
{ long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2.0f * x[i]; }
extern "C" __global__ void wide_cut(float *y, const float *x, long long n)
{ int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); if (i >= 0 && i < n) y[i] = 2.0f * x[i]; }
"""


class Runner:
    def __init__(self, command, support):
        self.command, self.support, self.child, self.region_request = command, support, None, None
        self.fatal_codes = (3,)

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
            self.code = self.child.wait(60)
            assert self.code in self.fatal_codes, f"a fatal reply and the exit code {self.code}"
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


def scale_region(runner, cubin, function="original", fill=("uniform", -1, 1), limit_s=4, write_bytes=None):
    problems = [dict(problem=f"n={n}", geometry=geometry(n), values=[None, None, n, 1.5], read_bytes=4 * n,
                     write_bytes=4 * n if write_bytes is None else write_bytes,
                     buffers=[dict(count=n, fill="zeros"),
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


def many_modules(runner, cubin, folder):
    """More cubins than stay loaded: the original, loaded first and used last, must still be there."""
    for i in range(100):
        copy = os.path.join(folder, f"copy{i}.cubin")
        shutil.copy(cubin, copy)
        reply = attempt(runner, copy, "right", per_thread=4, repetitions=1, warmups=0)
        if reply.get("verdict") != "ok":
            check("many modules", False, reply)
            return
    reply = runner.ask(request="compare", candidates=[{"configuration": ""}], warmups=1, repetitions=5)
    check("the original after 100 other cubins", "timings" in reply, reply)


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


CHECKS = (dict(n=13), dict(n=17), dict(n=255), dict(n=256), dict(n=1031, fill="large"), dict(n=1031, fill="denormal"),
          dict(n=1031, fill="special"), dict(n=1031, fill="constant"), dict(n=1031, fill="sparse"),
          dict(n=1028, offsets=(4, 0)), dict(n=1028, offsets=(0, 8)), dict(n=1028, alias=True))


def scale_checks(runner, cubin, function="original", checks=CHECKS):
    problems = [dict(problem=f"n={n}", geometry=geometry(n), values=[None, None, n, 1.5], read_bytes=4 * n,
                     write_bytes=4 * n,
                     buffers=[dict(count=n, fill="zeros"), dict(count=n, fill="uniform", a=-1, b=1, seed=3)])
                for n in (4096, 4099)]
    for c in checks:
        n, offsets = c["n"], c.get("offsets", (0, 0))
        x = dict(count=n, fill=c.get("fill", "uniform"), a=-1, b=1, seed=9, offset=offsets[1])
        problems.append(dict(problem=f"check {c}", check=True, geometry=geometry(n), values=[None, None, n, 1.5],
                             buffers=[dict(count=n, fill="zeros", offset=offsets[0]), x]))
        if c.get("alias"):
            x["alias"] = 0
    return runner.region(name="scale", instance=function, cubin=cubin, function=function, limit_s=4,
                         arguments=[dict(buffer=0), dict(buffer=1), dict(element="i32"), dict(element="f32")],
                         buffers=[dict(name="y", element="f32", direction="out", absolute=1e-5, relative=1e-4),
                                  dict(name="x", element="f32", direction="in")], problems=problems)


def try_checks(runner, cubin, function, per_thread=1, skip=()):
    sizes = [4096, 4099] + [c["n"] for c in CHECKS]
    problems = [dict(skip=True) if i - 2 in skip else dict(geometry=geometry(n, per_thread))
                for i, n in enumerate(sizes)]
    return runner.ask(request="try", cubin=cubin, function=function, configuration=f"C={function}", warmups=2,
                      repetitions=10, problems=problems)


def checks(runner, cubin):
    reply = scale_checks(runner, cubin)
    check("region with checks", "error" not in reply and not any(p["skipped"] for p in reply["problems"]), reply)
    reply = try_checks(runner, cubin, "right", per_thread=4)
    check("right on all checks", reply.get("verdict") == "ok" and
          all(p["verdict"] == "ok" for p in reply["problems"]) and
          all(("timing" in p) == (i < 2) for i, p in enumerate(reply["problems"])), reply)
    reply = try_checks(runner, cubin, "right", per_thread=4, skip=range(2, 12))
    check("checks that are not asked", reply.get("verdict") == "ok" and
          [p["verdict"] for p in reply["problems"]] == ["ok"] * 4 + ["skipped"] * 10 and
          reply["problems"][9]["detail"] == "not asked", reply)
    for function, wanted, where in (("odd", "wrong-answer", 2), ("twice", "wrong-answer", 13),
                                    ("reads_behind", None, 0), ("accumulates", "wrong-answer", 0), ("lazy", None, 0),
                                    ("half_precision", "wrong-answer", 0)):
        reply = try_checks(runner, cubin, function)
        bad = [i for i, p in enumerate(reply.get("problems", [])) if p["verdict"] not in ("ok", "skipped")]
        check(f"{function}: {reply.get('verdict')}, {reply['problems'][bad[0]].get('detail') if bad else ''}",
              bad and bad[0] == where and
              reply["verdict"] in ((wanted,) if wanted else ("wrong-answer", "non-deterministic")),
              reply)
    u = reply["problems"][0].get("ulp", [{}])[0]
    check("distances", u.get("buffer") == "y" and sum(u["counts"]) == 4096 and u["largest"] > 1e-4 and
          len(u["counts"]) > 8, u)
    reply = try_checks(runner, cubin, "vectors", per_thread=4, skip=(9, 10))
    check("vectors where they are aligned", reply.get("verdict") == "ok", reply)
    reply = try_checks(runner, cubin, "vectors", per_thread=4)
    check("vectors off alignment", reply.get("verdict") == "crashed" and reply["problems"][11]["verdict"] == "crashed",
          reply)
    runner.start()
    reply = scale_checks(runner, cubin, "fragile")
    check("a check on which the original writes beyond is skipped", reply["problems"][2]["skipped"] and
          "past the end of y" in reply["problems"][2]["detail"] and not reply["problems"][3]["skipped"], reply)
    reply = scale_checks(runner, cubin, "explodes")
    check("a check on which the original faults is named", reply.get("fatal") and reply.get("problem") == 3, reply)
    runner.start()


def wavering(runner, cubin):
    """Atomics in an order of their own: accepted by the original's own spread, but nothing beyond it."""
    n = 1 << 20
    reply = runner.region(
        name="sum", instance="sum", cubin=cubin, function="sums", limit_s=4,
        arguments=[dict(buffer=0), dict(buffer=1), dict(element="i32"), dict(element="f32")],
        buffers=[dict(name="y", element="f32", direction="inout", absolute=0, relative=0),
                 dict(name="x", element="f32", direction="in")],
        problems=[dict(problem=f"n={n}", geometry=geometry(n), values=[None, None, n, 1.5], read_bytes=4 * n,
                       write_bytes=4,
                       buffers=[dict(count=1, fill="zeros"), dict(count=n, fill="uniform", a=-1, b=1, seed=8)])])
    check("an original with atomics", reply.get("problems", [{}])[0].get("nondeterministic") is True, reply)
    request = dict(request="try", cubin=cubin, configuration="A=1", repetitions=5, warmups=1)
    reply = runner.ask(function="sums", problems=[dict(geometry=geometry(n))], **request)
    check("atomics are accepted", reply.get("verdict") == "ok", reply)
    reply = runner.ask(function="sums", problems=[dict(geometry=geometry(n - 1024))], **request)
    check("a block too few is not", reply.get("verdict") == "wrong-answer", reply)


def steps(runner, cubin):
    """An original of two kernels with an array between them, each with arguments of its own; the candidate is one
    kernel."""
    sizes = (1000, 1 << 24)
    reply = runner.region(
        name="steps", instance="steps", cubin=cubin, limit_s=4,
        steps=[dict(function="original", arguments=[0, 1, 2, 3]), dict(function="plus_one", arguments=[2, 0, 4])],
        arguments=[dict(buffer=0), dict(buffer=1), dict(element="i64"), dict(element="f32"), dict(buffer=2)],
        buffers=[dict(name="t", element="f32", direction="scratch"), dict(name="x", element="f32", direction="in"),
                 dict(name="y", element="f32", direction="out", absolute=1e-5, relative=1e-5)],
        problems=[dict(problem=f"n={n}", geometries=[geometry(n), dict(grid=[-(-n // 64), 1, 1], block=[64, 1, 1])],
                       values=[None, None, n, 1.5, None], read_bytes=4 * n, write_bytes=4 * n,
                       buffers=[dict(count=n), dict(count=n, a=-1, b=1, seed=8), dict(count=n)]) for n in sizes])
    check("an original of two kernels", "error" not in reply, reply)
    request = dict(cubin=cubin, configuration="F=1", problems=[dict(geometry=geometry(n)) for n in sizes])
    reply = runner.ask(request="try", function="fused", repetitions=5, warmups=1, **request)
    check("one kernel for both", reply.get("verdict") == "ok", reply)
    reply = runner.ask(request="try", function="fused_wrong", repetitions=5, warmups=1, **request)
    check("one kernel for the first of both", reply.get("verdict") == "wrong-answer", reply)
    plan = dict(request, problems=[dict(geometry=geometry(n), further=[geometry(n)]) for n in sizes])
    reply = runner.ask(request="try", function="fused_wrong", further=["fused"], repetitions=5, warmups=1, **plan)
    check("two kernels of a plan, the second right", reply.get("verdict") == "ok", reply)
    reply = runner.ask(request="try", function="fused", further=["fused_wrong"], repetitions=5, warmups=1, **plan)
    check("two kernels of a plan, the second wrong", reply.get("verdict") == "wrong-answer", reply)
    reply = runner.ask(request="compare", candidates=[{"configuration": ""}, dict(function="fused", **request)],
                       warmups=5,
                       repetitions=20)
    times = [row[1]["timing"]["median_ns"] for row in reply.get("timings", [])]
    check(f"both take longer than one: {times}", len(times) == 2 and times[0] > 1.5 * times[1], reply)


def temporaries(runner, cubin):
    """Plans of two kernels with memory of their own between them."""
    def plan(function, count=lambda n: n):
        return dict(cubin=cubin, configuration=f"F={function}", function=function, further=["finish"],
                    temporaries=[dict(name="t", element="f32"), dict(name="flags", element="u64")],
                    problems=[dict(geometry=geometry(n + 1), further=[geometry(n)], temporaries=[count(n), n + 1])
                              for n in SIZES])

    def one(function, wanted, says="", **more):
        reply = runner.ask(request="try", repetitions=20, warmups=5, **plan(function, **more))
        details = " ".join(row.get("detail", "") for row in reply.get("problems", []))
        check(f"memory of its own, {function}: {wanted} ({details[:60]})",
              reply.get("verdict") == wanted and says in details, reply)

    scale_region(runner, cubin)
    one("part", "ok")
    one("part_behind", "out-of-bounds", "past the end of t")
    one("part_behind", "ok", count=lambda n: n + 1)
    one("part_once", "wrong-answer", "other data")
    one("part_none", "wrong-answer")
    one("part", "over-limit", "with temporaries it needs", count=lambda n: 1 << 40)
    one("part", "ok")
    reply = runner.ask(request="compare", warmups=5, repetitions=20, candidates=[
        {"configuration": ""}, plan("part"), plan("part_behind", count=lambda n: 2 * n + 1)])
    times = [row[-1]["timing"]["median_ns"] for row in reply.get("timings", [])]
    check(f"beside the original: {times}", len(times) == 3 and min(times) > 0 and times[0] < times[1], reply)
    verdict(runner, cubin, "right", "ok", per_thread=4)


def huge(runner, cubin):
    """More than 2^31 elements, and more output than the host keeps."""
    sizes = (5000, (1 << 31) + 5)
    reply = runner.region(
        name="wide", instance="wide", cubin=cubin, function="wide", limit_s=8,
        arguments=[dict(buffer=0), dict(buffer=1), dict(element="i64")],
        buffers=[dict(name="y", element="f32", direction="out", absolute=0, relative=0),
                 dict(name="x", element="f32", direction="in")],
        problems=[dict(problem=f"n={n}", check=n > 5000, geometry=geometry(n), values=[None, None, n], read_bytes=4 * n,
                       write_bytes=4 * n, buffers=[dict(count=n, fill="zeros"), dict(count=n, a=-1, b=1, seed=8)])
                       for n in sizes])
    check("a check of 2^31 elements", "error" not in reply and not reply["problems"][1]["skipped"], reply)
    request = dict(request="try", cubin=cubin, configuration="W=1", repetitions=5, warmups=1,
                   problems=[dict(geometry=geometry(n)) for n in sizes])
    start = time.monotonic()
    reply = runner.ask(function="wide", **request)
    check(f"right there ({time.monotonic() - start:.2f} s)", reply.get("verdict") == "ok", reply)
    reply = runner.ask(function="wide_cut", **request)
    check(f"wrong only there: {reply['problems'][1].get('detail')}", reply.get("verdict") == "wrong-answer" and
          reply["problems"][0]["verdict"] == "ok", reply)


def curves(runner):
    start = time.monotonic()
    reply = runner.ask(request="copy-floor", warmups=5, repetitions=20)
    names = [p["name"] for p in reply.get("patterns", [])]
    check(f"copy floor ({time.monotonic() - start:.1f} s)", len(names) == 3 and
          all(len(p["points"]) == 15 and all(q["median_ns"] > 0 for q in p["points"]) for p in reply["patterns"]),
          reply)
    for p in reply.get("patterns", []):
        print(f"     {p['name']}: " + " ".join(f"{q['bytes'] / q['median_ns']:.0f}" for q in p["points"]) + " GB/s")


def once(command, support, cubin, function, sanitizer=(), says=""):
    """The mode for tools: one launch a problem on buffers of their own; the runner ends with its input."""
    runner = Runner([*sanitizer, *command, "--once"], support)
    runner.fatal_codes = (3, 9)
    try:
        reply = runner.start()
    except (RuntimeError, ValueError, BrokenPipeError) as error:
        reply = dict(error=str(error))
    if "error" in reply and sanitizer:
        print(f"     {sanitizer[2]} does not work here: {reply['error']}")
        return
    check("once: hello", "error" not in reply, reply)
    reply = scale_checks(runner, cubin)
    check("once: region", "error" not in reply, reply)
    reply = try_checks(runner, cubin, function, per_thread=4 if function == "right" else 1)
    if runner.child:
        runner.child.stdin.close()
    code = runner.child.wait(60) if runner.child else runner.code
    what = f"once: {function} below {sanitizer[2]}" if sanitizer else f"once: {function}"
    check(f"{what} ends with {code}", (says or reply.get("verdict") == "ok") and code == (9 if says else 0),
          [reply, code])
    if sanitizer:
        text = open(sanitizer[-1]).read()
        print("     " + "\n     ".join(text.split("\n")[:8 if says else 2]))
        clean = "ERROR SUMMARY: 0 errors" in text or "(0 errors" in text
        check(f"{what}: {says or 'nothing'}", says in text and clean != bool(says), text[:3000])


def watched(command, support, cubin, folder):
    """Each tool has nothing against a right kernel, and finds what it is for."""
    for tool, function, says in (("memcheck", "behind", "by thread (3,0,0) in block (16,0,0)"),
                                 ("racecheck", "races", "Race reported"),
                                 ("initcheck", "accumulates", "Uninitialized __global__ memory read"),
                                 ("synccheck", None, None)):
        front = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", "--log-file", os.path.join(folder, tool)]
        for each, found in (("right", ""), ("sticky", "")) + (((function, says),) if function else ()):
            once(command, support, cubin, each, front, found)


def lopsided(runner, cubin):
    """What reads much and writes next to nothing, as a sum does, has a floor below that of a copy of as many bytes."""
    both = runner.ask(request="floor", warmups=2, repetitions=20)["floor_ns"][-1]
    scale_region(runner, cubin, write_bytes=4)
    reads = runner.ask(request="floor", warmups=2, repetitions=20)["floor_ns"][-1]
    check(f"floor of a sum: {reads:.0f} ns, of a copy {both:.0f} ns", 0.3 * both < reads < both, [reads, both])
    scale_region(runner, cubin)


def timing(runner, cubin):
    runner.revive()
    reply = attempt(runner, cubin, "right", per_thread=4, repetitions=100, warmups=20)
    effort = dict(warmups=20, repetitions=100)
    one = dict(cubin=cubin, function="right", configuration="F=right",
               problems=[dict(geometry=geometry(n, 4)) for n in SIZES])
    compared = runner.ask(request="compare", candidates=[dict(configuration=""), one, dict(configuration="")], **effort)
    check("compare", "timings" in compared, compared)
    check("an empty kernel has its turns in it", 500 < compared.get("launch_ns", 0) < 20000, compared.get("launch_ns"))
    cells = [cell["timing"] for row in compared.get("timings", []) for cell in row if "timing" in cell]
    check("what is short has more samples",
          all(cell["samples"] == (300 if cell["mean_ns"] < 20000 else 100) for cell in cells
              if not 18000 < cell["mean_ns"] < 22000), cells)
    floor = runner.ask(request="floor", **effort)
    check("floor", all(f > 0 for f in floor.get("floor_ns", [0])), floor)
    check("an empty kernel was launched beside", 500 < floor.get("launch_ns", 0) < 20000, floor.get("launch_ns"))
    check("and is no slower than any copy", floor.get("launch_ns", 0) < 1.05 * min(floor["floor_ns"]), floor)
    check("conditions are told or not at all", all(c["sm_mhz"][0] > 0 for c in compared.get("conditions", [])),
          compared)
    print(f"     conditions: {json.dumps(compared.get('conditions', [None])[-1])} warnings: {compared.get('warnings')}")
    hot = runner.ask(request="compare", candidates=[dict(configuration="")], hot=True,
                     **effort)["timings"][0][3]["timing"]
    cold = compared["timings"][0][3]["timing"]
    check(f"hot is faster than cold: {hot['median_ns']:.0f} ns, {cold['median_ns']:.0f} ns",
          hot["median_ns"] < cold["median_ns"],
          [hot, cold])
    rows = compared["timings"]
    for i, n in enumerate(SIZES):
        a, b, c = (row[i]["timing"] for row in rows)
        tried = reply["problems"][i]["timing"]
        print(f"     n={n}: original {a['median_ns']:.0f} ± {a['deviation_ns']:.0f} ns, again {c['median_ns']:.0f}, "
              f"right {b['median_ns']:.0f} (tried {tried['median_ns']:.0f}), floor {floor['floor_ns'][i]:.0f}")
    a, c, f = rows[0][-1]["timing"]["median_ns"], rows[2][-1]["timing"]["median_ns"], floor["floor_ns"][-1]
    check("two timings of the original agree within 3 %", abs(a - c) < 0.03 * a, [a, c])
    check("no kernel is much faster than the floor", a > 0.9 * f, [a, f])
    # Lines that a kernel asks the cache to keep gain nothing, for itself or for the next.
    sticky = dict(cubin=cubin, function="sticky", configuration="F=sticky",
                  problems=[dict(geometry=geometry(n)) for n in SIZES])
    rows = runner.ask(request="compare", candidates=[dict(configuration=""), sticky], **effort)["timings"]
    again = runner.ask(request="compare", candidates=[dict(configuration="")], **effort)["timings"]
    a, b, c = (row[3]["timing"]["median_ns"] for row in (rows[0], rows[1], again[0]))
    check(f"kept lines: {b:.0f} ns, original {a:.0f} ns beside it and {c:.0f} ns alone", b > 0.9 * c and
          abs(a - c) < 0.05 * c,
          [a, b, c])
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
        check("region", "error" not in reply and
              not any(p["skipped"] or p["nondeterministic"] for p in reply["problems"]),
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
        lopsided(runner, cubin)
        many_modules(runner, cubin, folder)
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
        check("an original that writes behind its output is refused", "past the end of y" in reply.get("error", ""),
              reply)
        inplace(runner, cubin)
        checks(runner, cubin)
        wavering(runner, cubin)
        steps(runner, cubin)
        temporaries(runner, cubin)
        huge(runner, cubin)
        curves(runner)
        for function in ("right", "behind"):
            once([options.runner], support, cubin, function)
        if shutil.which("compute-sanitizer"):
            watched([options.runner], support, cubin, folder)
    print("failed" if failures else "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
