#!/usr/bin/env python3
"""By how much the same launches differ from process to process, and how much of it an empty kernel has.

  launches.py RUNNER KERNELS_CU [PROCESSES]

Each process prepares a region twice and compares its kernel, two empty ones and another three times, on four sizes. A
line of JSON each: [candidate][size] → [median, mean, median absolute deviation] in ns, as measured, and what a launch
took as the runner says. Behind them, for each kernel and size: how far the processes' means are apart, how far when
that of the small empty kernel is taken off, and their correlation; and how far when what the runner says is taken off,
which is what a client does.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

SOURCE = r"""
extern "C" __global__ void original(float *y, const float *x, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }
extern "C" __global__ void empty(float *y, const float *x, int n) { }
extern "C" __global__ void four(float *y, const float *x, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (4 * i + 3 < n) ((float4 *)y)[i] = ((const float4 *)x)[i]; }
"""
SIZES = (4096, 65536, 1 << 20, 1 << 24)
NAMES = ("one element a thread", "empty", "empty, as many blocks", "four elements a thread")
EMPTY = 1


def geometry(n, each=1):
    return dict(grid=[-(-n // (256 * each)), 1, 1], block=[256, 1, 1], shared_bytes=0)


class Runner:
    def __init__(self, runner, support, cubin):
        self.cubin = cubin
        self.child = subprocess.Popen([runner], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask(request="hello", protocol=1)
        self.ask(request="support", cubin=support)

    def ask(self, **request):
        self.child.stdin.write(json.dumps(request) + "\n")
        self.child.stdin.flush()
        reply = json.loads(self.child.stdout.readline())
        assert "error" not in reply, reply
        return reply

    def region(self):
        problems = [dict(problem=f"n={n}", geometry=geometry(n), values=[None, None, n], read_bytes=4 * n,
                         write_bytes=4 * n,
                         buffers=[dict(count=n, fill="zeros"), dict(count=n, fill="uniform", a=-1, b=1, seed=3)])
                    for n in SIZES]
        self.ask(request="region", name="launches", instance="launches", cubin=self.cubin, function="original",
                 arguments=[dict(buffer=0), dict(buffer=1), dict(element="i32")],
                 buffers=[dict(name="y", element="f32", direction="out"),
                          dict(name="x", element="f32", direction="in")],
                 problems=problems)

    def compare(self, seed):
        one = dict(grid=[1, 1, 1], block=[32, 1, 1], shared_bytes=0)
        candidates = [dict(configuration="")]
        for name, function, shapes in (("A=1", "empty", [one] * len(SIZES)),
                                       ("A=2", "empty", [geometry(n) for n in SIZES]),
                                       ("A=3", "four", [geometry(n, 4) for n in SIZES])):
            candidates.append(dict(configuration=name, cubin=self.cubin, function=function,
                                   problems=[dict(geometry=shape) for shape in shapes]))
        reply = self.ask(request="compare", candidates=candidates, seed=seed)
        return [[[cell["timing"][key] for key in ("median_ns", "mean_ns", "deviation_ns")] for cell in row]
                for row in reply["timings"]], reply["launch_ns"]


def main():
    runner, kernels = sys.argv[1:3]
    means, launches = [], []
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/k.cu", "w") as source:
            source.write(SOURCE)
        for cubin, source in (("k", f"{folder}/k.cu"), ("s", kernels)):
            subprocess.run(["nvcc", "-arch=native", "-cubin", "-o", f"{folder}/{cubin}.cubin", source], check=True)
        for process in range(int(sys.argv[3]) if len(sys.argv) > 3 else 12):
            one = Runner(os.path.abspath(runner), f"{folder}/s.cubin", f"{folder}/k.cubin")
            seen, said = [], []
            for region in range(2):
                one.region()
                for turn in range(3):
                    timings, launch_ns = one.compare(1 + turn)
                    seen.append(timings)
                    said.append(launch_ns)
                    print(json.dumps(dict(process=process, region=region, k=turn, t=timings, launch_ns=launch_ns)),
                          flush=True)
            means.append([[statistics.mean(t[c][p][1] for t in seen) for p in range(len(SIZES))]
                          for c in range(len(NAMES))])
            launches.append(statistics.mean(said))
            one.child.stdin.close()
            one.child.wait()
    empty = [statistics.mean(mean[EMPTY]) for mean in means]
    print(f"empty: {min(empty):.0f} to {max(empty):.0f} ns; as the runner says {min(launches):.0f} to "
          f"{max(launches):.0f} ns")
    for c, name in enumerate(NAMES):
        for p, n in enumerate(SIZES):
            raw = [mean[c][p] for mean in means]
            off = [value - base for value, base in zip(raw, empty)]
            best = [value - base for value, base in zip(raw, launches)]
            if c != EMPTY:
                print(f"{name}, {n}: apart {max(raw) - min(raw):.0f} ns, set off {max(off) - min(off):.0f} ns, "
                      f"by the runner's {max(best) - min(best):.0f} ns (deviation {statistics.pstdev(best):.0f}), "
                      f"correlation {statistics.correlation(empty, raw):.2f}")


main()
