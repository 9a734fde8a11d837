"""many_regions.py CLANG TOOLKIT FOLDER: a file with twice the regions, or launches, takes about twice the time to scan.

The times are those of the processor; the smallest of some runs counts.
"""
import os
import resource
import subprocess
import sys

clang, toolkit, folder = sys.argv[1:]
MOST = 2.5  # times as long for twice as many
RUNS = 2
KERNEL = """#pragma ktune problem(n = 4096) in(x[n]) out(y[n]) tune(B{0} = 64, 128)
#define B{0} 128
__global__ void k{0}(float *y, const float *x, int n)
{{
	int i = blockIdx.x * B{0} + threadIdx.x;
	if (i < n)
		y[i] = x[i] + {0};
}}
"""
LAUNCH = """void run{1}(float *y, const float *x, int n)
{{
	int blocks = (n + B{0} - 1) / B{0};
	k{0}<<<blocks, B{0}>>>(y, x, n);
}}
"""


def seconds(name, text):
    path = os.path.join(folder, f"{name}.cu")
    with open(path, "w") as file:
        file.write(text)
    best = None
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([clang, "scan", "--toolkit", toolkit, "--arch", "90", "--file", path, "--", "-std=c++17"], check=True,
                       stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        one = after.ru_utime - before.ru_utime
        best = one if best is None else min(best, one)
    return best


def regions(count):
    return "".join(KERNEL.format(i) + LAUNCH.format(i, i) for i in range(count))


def launches(count):
    return KERNEL.format(0) + "".join(LAUNCH.format(0, i) for i in range(count))


os.makedirs(folder, exist_ok=True)
for name, text, count in (("regions", regions, 250), ("launches", launches, 500)):
    once, twice = seconds(name, text(count)), seconds(f"{name}-twice", text(2 * count))
    print(f"{name}: {count} take {once:.2f} s, {2 * count} {twice:.2f} s, {twice / once:.2f} times as long")
    assert twice <= MOST * once, name
