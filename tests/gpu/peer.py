#!/usr/bin/env python3
"""ktcc beside Kernel Tuner (1.5, CuPy) on one space: configurations a second, and what each finds best.

  peer.py --ktcc KTCC --out FILE.csv [--runs 3] [--only ktcc|peer] [--space]

The space is that of samples/sgemm_tiled for 2048 × 2048 × 2048 with shorter lists, 558 legal configurations, and both
measure all of it, by turns, from cold. Every configuration is verified by both: by Kernel Tuner once, against `answer`,
by ktcc as docs/verification.md says. FILE.csv has a row a run:

  who, run        ktcc or peer, and the number of the run
  configurations  that were measured (of ktcc: tried, those with equal code included)
  wall_s          of the whole, of ktcc with the comparison of the finalists and the entry
  search_s        ktcc: from the first candidate that is sent to the device to the last one's reply; peer: of its tune_kernel
  per_second      configurations / search_s
  best_ms         of the best configuration, by who found it
  again_ms        of the same configuration, timed here: median of 50 launches with cold caches, the same for both
  configuration   the best one

Kernel Tuner is no part of what is installed: its wheels are put on PYTHONPATH, with those of jsonschema, referencing,
rpds-py, jsonschema-specifications, attrs, xmltodict, python-constraint2, pymoo, moocore, cffi, pycparser, autograd, cma,
alive-progress, about-time, graphemeu, Deprecated and wrapt. --space counts the configurations on both sides, and needs no GPU.
"""
import argparse
import itertools
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

import throughput
import tuning

SIZE = 2048
LISTS = {"BM": [64, 128], "BN": [64, 128], "BK": [8, 16, 32], "TM": [4, 8], "TN": [4, 8], "VEC": [1, 2], "PAD": [0, 1],
         "UNROLL": [1, 4, 8]}
COLUMNS = ["who", "run", "configurations", "wall_s", "search_s", "per_second", "best_ms", "again_ms", "configuration"]


def sample():
    with open(f"{throughput.SAMPLES}/sgemm_tiled/sgemm_tiled.cu") as source:
        return source.read()


def is_legal(BM, BN, BK, TM, TN, VEC, PAD, UNROLL):
    """The restrictions of the sample."""
    threads = (BM // TM) * (BN // TN)
    return (64 <= threads <= 1024 and BM * BK % (threads * VEC) == 0 and BK * BN % (threads * VEC) == 0 and
            (BM * (BK + PAD) + BK * BN) * 4 <= 49152)


def legal():
    return [dict(zip(LISTS, values)) for values in itertools.product(*LISTS.values()) if is_legal(*values)]


def ours(folder):
    """The sample, for one problem and with these lists."""
    os.makedirs(folder, exist_ok=True)
    text = re.sub(r"problem\(\(m, n, k\) = .*\)\)", f"problem((m, n, k) = ({SIZE}, {SIZE}, {SIZE}))", sample())
    for name, values in LISTS.items():
        text = re.sub(rf"tune\({name} = [^)]*\)", f"tune({name} = {', '.join(map(str, values))})", text)
        # The values as written are one of them.
        text = re.sub(rf"#define {name} \d+", f"#define {name} {values[0]}", text)
    with open(f"{folder}/sgemm_2048.cu", "w") as out:
        out.write(text)
    shutil.copy(f"{throughput.SAMPLES}/sgemm_tiled/sgemm_tiled.h", folder)
    return f"{folder}/sgemm_2048.cu"


def theirs():
    """The kernel alone: parameters become macros, and what only ktcc or the host needs is left out."""
    text = re.sub(r"#pragma ktune (?:.*\\\n)*.*\n", "", sample())
    text = "".join(line for line in text.splitlines(keepends=True)
                   if not re.match(r"#define (BM|BN|BK|TM|TN|VEC|PAD|UNROLL) |#include", line))
    # The launcher behind the kernel is the host's.
    begin = text.index("__global__ void sgemm_tiled_kernel")
    depth, end = 0, text.index("{", begin)
    for end in range(end, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            break
    return text[:end + 1] + "\n"


def our_run(options, number):
    folder = os.path.abspath(f"{options.work}/ktcc-{number}")
    shutil.rmtree(folder, ignore_errors=True)
    file = ours(f"{folder}/source")
    tap = f"{folder}/tap"
    os.makedirs(tap)
    more = {"KTUNE_SANITIZE": "off", "KTUNE_RUNNER_LAUNCHER": f"{sys.executable} {os.path.abspath(throughput.__file__)} --tap {tap}"}
    cases, wall = tuning.tune(argparse.Namespace(**{**vars(options), "budget": "600"}), f"ktcc-{number}/tuning", file, ["-O3"],
                              ("--strategy", "exhaustive"), more)
    case, found = cases[0], throughput.exchanges(tap)
    tries, _ = throughput.by_instance(found)[case.get("instance", case["region"])]
    entry = case["entry"]
    search = tries[-1]["end"] - tries[0]["begin"]
    return {"who": "ktcc", "run": number, "configurations": case["tried"], "wall_s": round(wall, 2), "search_s": round(search, 2),
            "per_second": round(case["tried"] / search, 2), "best_ms": round(entry["problems"][0]["tuned_ns"] * 1e-6, 4),
            "configuration": entry["configuration"]}


PARAMETERS = {"block_size_x": [64, 128, 256, 512, 1024], **LISTS}
# Kernel Tuner 1.5 finds no value for a restriction that compares a parameter with a product of integer divisions.
RESTRICTIONS = ["block_size_x * TM * TN == BM * BN", "BM * BK % (block_size_x * VEC) == 0",
                "BK * BN % (block_size_x * VEC) == 0", "(BM * (BK + PAD) + BK * BN) * 4 <= 49152"]


def tune_theirs(numpy):
    """What tune_kernel is given."""
    random = numpy.random.default_rng(1)
    a, b = (random.uniform(-1, 1, (SIZE, SIZE)).astype(numpy.float32) for _ in range(2))
    c, size = numpy.zeros((SIZE, SIZE), numpy.float32), numpy.int32(SIZE)
    return {"kernel_name": "sgemm_tiled_kernel", "kernel_source": theirs(), "problem_size": (SIZE, SIZE),
            "arguments": [c, a, b, size, size, size], "tune_params": PARAMETERS, "restrictions": RESTRICTIONS,
            "grid_div_x": ["BN"], "grid_div_y": ["BM"], "answer": [a @ b, None, None, None, None, None], "atol": 1e-2,
            "lang": "CUPY", "compiler_options": ["-std=c++17"], "quiet": True}


def their_run(number):
    """In a process of its own, so that nothing is warm: see --one."""
    begin = time.monotonic()
    done = subprocess.run([sys.executable, os.path.abspath(__file__), "--one"], capture_output=True, text=True)
    wall = time.monotonic() - begin
    if done.returncode:
        raise tuning.Failed(f"Kernel Tuner: {done.stderr.strip()[-800:]}")
    print(done.stderr[-600:], file=sys.stderr)
    found = json.loads(done.stdout.splitlines()[-1])
    return {"who": "peer", "run": number, "configurations": found["count"], "wall_s": round(wall, 2),
            "search_s": round(found["seconds"], 2), "per_second": round(found["count"] / found["seconds"], 2),
            "best_ms": round(found["best_ms"], 4), "configuration": found["best"]}


def complete_identity(runtime):
    """CuPy 14 ends a device's identity at its first zero byte, and Kernel Tuner then refuses it: it has 16 bytes."""
    properties = runtime.getDeviceProperties

    def padded(device):
        found = properties(device)
        return {**found, "uuid": found["uuid"].ljust(16, b"\0")}

    runtime.getDeviceProperties = padded


def one():
    import cupy
    import kernel_tuner
    import numpy
    complete_identity(cupy.cuda.runtime)
    arguments = tune_theirs(numpy)
    begin = time.monotonic()
    results, _ = kernel_tuner.tune_kernel(**arguments)
    seconds = time.monotonic() - begin
    # One that did not compile or was wrong has an error instead of a number, or no time at all.
    right = [each for each in results if isinstance(each.get("time"), (int, float))]
    if not right:
        sys.exit(f"no configuration was measured; the first: {results[:1]}")
    print(f"{len(results) - len(right)} without a time: {[each for each in results if each not in right][:2]}", file=sys.stderr)
    best = min(right, key=lambda each: each["time"])
    print(json.dumps({"count": len(right), "seconds": seconds, "best_ms": float(best["time"]),
                      "best": {name: int(best[name]) for name in LISTS}}))


def time_again(configuration):
    """The same way for both: NVRTC's code, the L2 written over before each launch."""
    import cupy
    defines = "".join(f"#define {name} {value}\n" for name, value in configuration.items())
    module = cupy.RawModule(code=defines + theirs(), options=("-std=c++17",), name_expressions=["sgemm_tiled_kernel"])
    kernel = module.get_function("sgemm_tiled_kernel")
    random = cupy.random.RandomState(1)
    a, b = (random.uniform(-1, 1, (SIZE, SIZE)).astype(cupy.float32) for _ in range(2))
    c, sweep = cupy.zeros((SIZE, SIZE), cupy.float32), cupy.zeros(32 << 20, cupy.float32)
    size = cupy.int32(SIZE)
    grid = (-(-SIZE // configuration["BN"]), -(-SIZE // configuration["BM"]))
    block = (configuration["BM"] // configuration["TM"] * (configuration["BN"] // configuration["TN"]),)
    times = []
    for _ in range(60):
        sweep += 1
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        kernel(grid, block, (c, a, b, size, size, size))
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end))
    return round(statistics.median(times[10:]), 4)


def count_spaces(options):
    counted = sum(all(eval(each, {}, values) for each in RESTRICTIONS)  # pylint: disable=eval-used
                  for values in (dict(zip(PARAMETERS, row)) for row in itertools.product(*PARAMETERS.values())))
    file = ours(f"{options.work}/space")
    done = subprocess.run([options.ktcc, "space", "--json", "--device", options.arch, file, "--", f"-arch={options.arch}",
                           "-std=c++17"], capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    answer = answer[0] if isinstance(answer, list) else answer
    print(f"{len(legal())} legal, Kernel Tuner's restrictions leave {counted}, ktcc's {answer['legal']}; "
          f"its kernel has {len(theirs().splitlines())} lines")
    sys.exit(not len(legal()) == counted == answer["legal"] == 558)


def main():
    if sys.argv[1:] == ["--one"]:
        sys.exit(one())
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tuning.arguments(parser, "build/gpu/work/peer")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--space", action="store_true")
    options = parser.parse_args()
    if options.space:
        count_spaces(options)
    table = []
    for number in range(options.runs):
        for who, run in (("ktcc", lambda n: our_run(options, n)), ("peer", their_run)):
            if options.only in ("", who):
                found = run(number)
                found["again_ms"] = time_again(found["configuration"])
                found["configuration"] = tuning.words(found["configuration"])
                table.append(found)
                print("  ".join(f"{name}={found[name]}" for name in COLUMNS), flush=True)
                tuning.write(options.out, table, COLUMNS)
    rates = {who: [row["per_second"] for row in table if row["who"] == who] for who in ("ktcc", "peer")}
    again = {who: [row["again_ms"] for row in table if row["who"] == who] for who in ("ktcc", "peer")}
    if all(rates.values()):
        print(f"ktcc {statistics.median(rates['ktcc']):.1f}/s, peer {statistics.median(rates['peer']):.1f}/s: "
              f"{statistics.median(rates['ktcc']) / statistics.median(rates['peer']):.1f} times; best "
              f"{statistics.median(again['ktcc']):.4f} ms beside {statistics.median(again['peer']):.4f} ms")


if __name__ == "__main__":
    main()
