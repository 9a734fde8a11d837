"""Searches with NVRTC: search.py KTCC NVCC FOLDER. Prints what became of the candidates."""
import itertools
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, TESTS)
from toolkit import toolkit_of  # noqa: E402

RECORDING = os.path.join(TESTS, "system", "recordings", "saxpy.jsonl")
BLOCKS, ITEMS, FAULTS, SPARES = (64, 128, 256, 512), (1, 2, 4), (1, 91, 92, 93), (1, 2)

# SPARE and FAULT bear on nothing: code is the same whatever they are.
SOURCE = """#include <cstdio>
#define BLOCK 128
#define ITEMS 1
#define FAULT 1
#define SPARE 1

#pragma ktune problem(n = 4096, 1048576) in(x[n]) inout(y[n]) value(a = 1.5f) \\
    tune(BLOCK = 64, 128, 256, 512) tune(ITEMS = 1, 2, 4) tune(FAULT = 1, 91, 92, 93) tune(SPARE = 1, 2) \\
    restriction(BLOCK * ITEMS <= 1024) restriction(FAULT == 1 || (BLOCK == 64 && ITEMS == 1 && SPARE == 1)) \\
    grid(ceil_div(n, BLOCK * ITEMS)) block(BLOCK)
__global__ void saxpy(float *y, const float *x, float a, int n)
{
	int first = blockIdx.x * BLOCK * ITEMS + threadIdx.x;
#pragma unroll
	for (int i = 0; i < ITEMS; i++) {
		int at = first + i * BLOCK;
		if (at < n && FAULT > 0 && SPARE > 0)
			y[at] = a * x[at] + y[at];
	}
}

void run_saxpy(float *y, const float *x, float a, int n, cudaStream_t stream)
{
	printf("%d\\n", n);
	saxpy<<<(n + BLOCK * ITEMS - 1) / (BLOCK * ITEMS), BLOCK, 0, stream>>>(y, x, a, n);
}
"""


def write(path, text, executable=False):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    if executable:
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


def make_recording(path):
    """Each line about a configuration once for all values of the parameters that bear on nothing."""
    out = []
    with open(RECORDING, encoding="utf-8") as file:
        for line in file:
            found = re.search(r'"configuration":"(BLOCK=\d+ ITEMS=\d+)"', line)
            if found is None:
                out.append(line)
                continue
            for fault, spare in itertools.product(FAULTS, SPARES):
                out.append(line.replace(found.group(1), f"{found.group(1)} FAULT={fault} SPARE={spare}"))
    write(path, "".join(out))


class Place:
    """A toolkit whose library goes wrong, the source and the recording."""

    def __init__(self, ktcc, nvcc, folder):
        self.ktcc, self.folder = os.path.abspath(ktcc), os.path.abspath(folder)
        self.toolkit = os.path.join(self.folder, "toolkit")
        root = toolkit_of(nvcc)
        os.makedirs(os.path.join(self.toolkit, "bin"))
        os.makedirs(os.path.join(self.toolkit, "lib64"))
        os.symlink(os.path.join(root, "include"), os.path.join(self.toolkit, "include"))
        self.calls = os.path.join(self.folder, "calls")
        write(os.path.join(self.toolkit, "bin", "nvcc"),
              f'#!/bin/sh\necho "$*" >> {self.calls}\nexec {nvcc} "$@"\n', executable=True)
        self.real = os.path.join(root, "lib64", "libnvrtc.so")
        self.library = os.path.join(self.toolkit, "lib64", "libnvrtc.so")
        subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-D_GNU_SOURCE", "-fPIC", "-shared", "-I",
                        os.path.join(os.path.dirname(TESTS), "ktcc"), "-o", self.library,
                        os.path.join(TESTS, "fakes", "nvrtc.c"), "-ldl"], check=True)
        write(os.path.join(self.folder, "saxpy.cu"), SOURCE)
        make_recording(os.path.join(self.folder, "recording.jsonl"))

    def tune(self, name, *flags, killer=None, **more):
        """The answer of `ktcc tune`, its log, and its counters."""
        if os.path.exists(self.calls):
            os.remove(self.calls)
        cache, log = os.path.join(self.folder, name + ".cache"), os.path.join(self.folder, name + ".log")
        lock = os.path.join(self.folder, name + ".lock")
        os.makedirs(lock)
        environment = dict(os.environ, KTUNE_CACHE_DIR=cache, KTUNE_LOG=log, KTUNE_JOBS="2", KTUNE_SANITIZE="off",
                           KTUNE_REPLAY=os.path.join(self.folder, "recording.jsonl"), KTUNE_LOCK_DIR=lock,
                           KTUNE_TEST_NVRTC=self.real, KTUNE_COMPILE_SECONDS="20",
                           PATH=os.path.join(self.toolkit, "bin") + os.pathsep + os.environ["PATH"])
        environment.update(more)
        process = subprocess.Popen([self.ktcc, "tune", "--json", "--strategy", "exhaustive", "--budget", "60n,600s",
                                    "saxpy.cu", "--", "-arch=sm_90", *flags],
                                   cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        if killer is not None:
            threading.Thread(target=killer, args=(process,), daemon=True).start()
        out, said = process.communicate()
        try:
            answer = json.loads(out)
        except ValueError as error:
            raise SystemExit(f"{name}: {process.returncode}\n{out}{said}") from error
        answer = answer[0] if isinstance(answer, list) else answer
        with open(log, encoding="utf-8") as file:
            text = file.read()
        stats = subprocess.run([self.ktcc, "cache", "stats", "--json"], env=environment, capture_output=True, text=True,
                               check=True)
        return answer, text, json.loads(stats.stdout)["counters"]

    def left(self):
        """Processes of ours that still run."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    line = file.read().decode(errors="replace")
            except OSError:
                continue
            if self.toolkit in line:
                found.append(line.replace("\0", " "))
        return found


def kill_now_and_then(process):
    """Ends the processes of NVRTC, each some time after it was seen."""
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
                children = file.read().split()
            for pid in children:
                with open(f"/proc/{pid}/comm", encoding="ascii") as file:
                    if file.read().strip() == "ktcc-nvrtc":
                        os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass
        time.sleep(0.4)


def show(name, answer):
    print(f"{name}: {answer['tried']} tried, {answer['uncompiled']} not compiled, {answer['wrong']} wrong")


def show_left(name, place):
    left = place.left()
    print(f"{name}: no process left" if not left else f"{name}: left: {left}")


def main():
    ktcc, nvcc, folder = sys.argv[1:4]
    place = Place(ktcc, nvcc, folder)

    answer, log, counters = place.tune("faults")
    show("faults", answer)
    print(f"faults: {answer['identical']} decided by the same code")
    for word, said in (("signal 11", "killed by signal 11"), ("compiling: ", "out of memory"),
                       ("longer than 20 s", "took longer than 20 s")):
        print(f"faults: {said}" if word in log else f"faults: no {word!r} in the log")
    won = " ".join(f"{name}={value}" for name, value in answer["entry"]["configuration"].items())
    with open(place.calls, encoding="utf-8") as file:
        compiled = sum("-cubin" in line for line in file)
    print(f"faults: won {won}, compiled by {'nvcc' if compiled >= 2 else 'nobody'}")
    print(f"faults: counted nvrtc {counters.get('nvrtc', 0)}")
    show_left("faults", place)

    answer, log, counters = place.tune("killed", killer=kill_now_and_then)
    # Those that nvcc compiles because their process was killed meet no fault.
    answer["uncompiled"] = "0 to 3" if 0 <= answer["uncompiled"] <= 3 else answer["uncompiled"]
    show("killed", answer)
    show_left("killed", place)

    answer, log, counters = place.tune("nvcc", KTUNE_COMPILER="nvcc")
    show("nvcc", answer)
    print(f"nvcc: {answer['identical']} decided by the same code")
    print(f"nvcc: counted nvcc:setting {counters.get('nvcc:setting', 0)}")

    counters = place.tune("option", "-Xcudafe", "--display_error_number")[2]
    print(f"option: counted nvcc:option {counters.get('nvcc:option', 0)}")
    shutil.rmtree(os.path.join(place.toolkit, "lib64"))
    counters = place.tune("library")[2]
    print(f"no library: counted nvcc:no-library {counters.get('nvcc:no-library', 0)}")


main()
