#!/usr/bin/env python3
"""Random kernels (tests/fuzz/kernels/generate.py), lowered to the IR, and each pass run beside them by the interpreter.

  run.py --count N [--seed S] [--first N] [--launches N] [--seconds N] [--files FILE...] KTCC_CLANG IR_COMPARE [TOOLKIT]

Kernels are lowered in units of 40. What ir_compare prints of a kernel that differs is printed; its counts are added up.
--files: CUDA files instead of random kernels, with the arguments of their first RUN line. --seconds: no further unit behind
that time. Exit code 1: a kernel differs; 77: there is no toolkit."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "kernels"))
import generate

UNIT = 40


def arguments(file):
    with open(file, errors="replace") as text:
        found = re.search(r"RUN: %(?:scan|rewrite|lower) %s (?:--\w+ )*-- ([^|&;>\n]*)", text.read())
    places = {"%golden": ROOT + "/tests/golden", "%samples": ROOT + "/samples", "%S": os.path.dirname(file)}
    words = found[1].split() if found else ["-std=c++17"]
    for name, place in places.items():
        words = [word.replace(name, place) for word in words]
    return words


def units(options, folder):
    """A file of CUDA and the arguments that it is compiled with, one after the other."""
    for file in options.files or []:
        yield os.path.abspath(file), arguments(file)
    for first in range(options.first, options.first + (0 if options.files else options.count), UNIT):
        file = os.path.join(folder, f"unit{first}.cu")
        with open(file, "w") as out:
            out.write("#include <cuda_fp16.h>\n")
            for number in range(first, min(first + UNIT, options.first + options.count)):
                out.write(generate.kernel(options.seed, number).text + "\n")
        yield file, ["-std=c++17"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--launches", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--files", nargs="*")
    parser.add_argument("clang")
    parser.add_argument("compare")
    parser.add_argument("toolkit", nargs="?")
    options = parser.parse_args()
    nvcc = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_PATH", "/usr/local/cuda"), "bin", "nvcc")
    options.toolkit = options.toolkit or os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    if not os.path.isdir(options.toolkit):
        return 77
    totals, wrong, end = {}, False, time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as folder:
        for file, words in units(options, folder):
            if time.monotonic() > end:
                break
            ir = os.path.join(folder, "unit.ir")
            with open(ir, "w") as out:
                subprocess.run([options.clang, "lower", "--file", file, "--toolkit", options.toolkit, "--all", "--", *words],
                               stdout=out, stderr=subprocess.DEVNULL, check=False)
            done = subprocess.run([options.compare, "--launches", str(options.launches), ir], capture_output=True, text=True,
                                  check=False)
            *found, counts = done.stdout.splitlines() or ["no answer"]
            wrong |= done.returncode != 0
            print("\n".join(found), end="\n" if found else "")
            for number, name in re.findall(r"(\d+) ([a-z_ ]+)", counts):
                totals[name] = totals.get(name, 0) + int(number)
            if done.returncode not in (0, 1):
                print(f"{file}: ir_compare ends with {done.returncode}")
    print(", ".join(f"{number} {name}" for name, number in totals.items()))
    return 1 if wrong or not totals.get("kernels") else 0


if __name__ == "__main__":
    sys.exit(main())
