#!/usr/bin/env python3
"""Where the time of a tuning goes: candidates a second, and seconds by phase, of plain kernels tuned from cold.

  throughput.py --ktcc KTCC --out FILE.csv [--budget 12] [--only REGEX] [--at-once] [--calls FOLDER] [--arch sm_90]

Tunes sgemm_tiled, silu_and_mul, merge_attn_states and fused_add_rmsnorm of samples/, one after the other, and with
--at-once all four at a time as well. Between ktcc and its runner is a copy of this script (KTUNE_RUNNER_LAUNCHER), which
notes when each request was sent and answered: it adds less than a millisecond to an exchange, and needs nothing of the
ktcc that is measured but the protocol. FILE.csv has a row a region instance and one for the whole of each run:

  run           alone, at-once
  kernel        and instance; "all" sums the kernels of a run
  tried         requests about candidates during the search: first looks, and those that verify who may win
  looks         of them, first looks: one for each configuration that was decided on the device
  problems      that a first look has timed, on average
  verdicts      of all of them, those with a verdict other than "ok" and "skipped"
  search_s      from the first of them to the last reply
  per_second    looks / search_s
  each_ms       mean milliseconds from a request to its reply; median_ms likewise
  load_ms, verify_ms, time_ms, device_ms, other_ms   parts of each_ms by the runner's own account (`spent_s`); other:
                reading and writing messages, and where the runner says nothing of it loading
  idle          part of search_s in which the runner had nothing to do: it waits for a compiler, or for ktcc
  starved_s, asking_s, store_s, built_s, request_s, reply_s   what ktcc did between requests, over the whole tuning, where
                it says so (enum kt_between)
  wait_s        for the device while others measured
  compile_s, run_s, total_s                 as `ktcc tune --json` reports them
  final_s       from the end of the search to the last reply
  utilisation   mean of nvidia-smi's utilisation of the GPU during the run, percent
  busy          of a tuning that is alone: the part of its time in which the runner worked on a request
  speedup       geometric mean of the entry: a faster search must not find less

--phases FILE.csv: who used processors and GPU in which phase of the tunings that are alone (phases.py), and beside each
search what as many processes of NVRTC compile of its space with nothing else to do (--nvrtc N configurations; 0: not).
--calls FOLDER: another run with FOLDER/libcuda.so.1 (driver_calls.c says how it is built) in front of the driver; what is
printed then is the median number of calls of each driver function from one candidate to the next, and the microseconds
in them. The tables are printed as well. KTUNE_SANITIZE is off: tools that watch are no part of it.
"""
import argparse
import concurrent.futures
import csv
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, f"{HERE}/../bench")

import compile_rate  # noqa: E402
import phases  # noqa: E402
import tuning  # noqa: E402

SAMPLES = os.path.abspath(f"{HERE}/../../samples")
KERNELS = ["sgemm_tiled", "silu_and_mul", "merge_attn_states", "fused_add_rmsnorm"]
PARTS = ("load", "verify", "time", "device")
BETWEEN = {"starved": "starved_s", "search": "asking_s", "store": "store_s", "built": "built_s", "request": "request_s",
           "reply": "reply_s"}
COLUMNS = ["run", "kernel", "instance", "tried", "looks", "problems", "verdicts", "search_s", "per_second", "each_ms",
           "median_ms", "load_ms", "verify_ms", "time_ms", "device_ms", "other_ms", "idle", "starved_s", "asking_s",
           "store_s", "built_s", "request_s", "reply_s", "wait_s", "compile_s", "run_s", "total_s", "final_s", "utilisation", "busy", "speedup"]


# ---- between ktcc and the runner

def tap(folder, command):
    """Copies lines both ways and notes each exchange; the exit code is the runner's."""
    runner = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    sent = []  # requests without a reply: a spare gets two before anybody reads
    log = open(f"{folder}/{os.getpid()}.jsonl", "w", buffering=1)

    def requests():
        for line in sys.stdin.buffer:
            sent.append((time.monotonic(), line))
            try:
                runner.stdin.write(line)
                runner.stdin.flush()
            except BrokenPipeError:
                break
        runner.stdin.close()

    threading.Thread(target=requests, daemon=True).start()
    before = 0
    for line in runner.stdout:
        now = time.monotonic()
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        begin, request = sent.pop(0)
        # What is sent ahead waits in the pipe until the request before it is answered.
        begin, before = max(begin, before), now
        log.write(json.dumps({"begin": begin, "end": now, **facts(json.loads(request), json.loads(line))}) + "\n")
    return runner.wait()


def facts(request, reply):
    found = {"request": request["request"], "spent_s": reply.get("spent_s", {})}
    if request["request"] == "region":
        found["instance"] = request["instance"]
    if request["request"] == "try":
        found["verdict"] = reply.get("verdict", "error")
        found["rows"] = sum(not row.get("skip") for row in request["problems"])
        found["all"] = len(request["problems"])
        found["look"] = request.get("screen", False)
        found["timed"] = sum("timing" in row for row in reply.get("problems", []))
    if request["request"] == "compare":
        found["candidates"] = len(request["candidates"])
    return found


def exchanges(folder):
    found = []
    for path in glob.glob(f"{folder}/*.jsonl"):
        with open(path) as log:
            # A runner that is killed may leave part of a line.
            found += [json.loads(line) for line in log if line.endswith("\n")]
    return sorted(found, key=lambda each: each["begin"])


def by_instance(found):
    """
    instance → (tries of the search, when the last exchange ended). The search ends with its last first look and whatever
    was verified before the runner had to wait for nvcc's binaries of the finalists.
    """
    searches, instance, final = {}, None, False
    for each in found:
        if each["request"] == "region":
            final = final and each["instance"] == instance
            instance = each["instance"]
            searches.setdefault(instance, ([], []))
        if instance is None:
            continue
        final = final or each.get("candidates", 1) > 1
        searches[instance][1].append(each["end"])
        if each["request"] == "try" and not final:
            searches[instance][0].append(each)
    return {name: (of_search(tries), max(ends)) for name, (tries, ends) in searches.items()}


def of_search(tries):
    last = max((i for i, each in enumerate(tries) if each["look"]), default=len(tries) - 1)
    while last + 1 < len(tries) and tries[last + 1]["begin"] - tries[last]["end"] < 0.05:
        last += 1
    return tries[:last + 1]


# ---- one run

def tune(options, run, name, jobs):
    """(kernel, cases, exchanges, when it began and ended)"""
    folder = os.path.abspath(f"{options.work}/{run}/{name}")
    os.makedirs(f"{folder}-tap", exist_ok=True)
    for path in glob.glob(f"{folder}-tap/*.jsonl"):
        os.remove(path)
    more = {"KTUNE_SANITIZE": "off", "KTUNE_RUNNER_LAUNCHER":
            f"{sys.executable} {os.path.abspath(__file__)} --tap {folder}-tap", "KTUNE_CACHE_DIR":
            os.path.abspath(f"{options.work}/{run}-{name}-cache"), **({"KTUNE_JOBS": str(jobs)} if jobs else {})}
    if run == "calls":
        more.update(LD_LIBRARY_PATH=os.path.abspath(options.calls), DRIVER_CALLS=f"{folder}-tap/calls")
    inner = argparse.Namespace(**{**vars(options), "work": f"{options.work}/{run}"})
    begin = time.monotonic()
    cases, _ = tuning.tune(inner, name, f"{SAMPLES}/{name}/{name}.cu", ["-O3"], more=more)
    return name, cases, exchanges(f"{folder}-tap"), begin, time.monotonic()


def show_calls(paths):
    """What the runner asks of the driver from one module to the next: the median over all candidates."""
    steps = []
    for path in paths:
        with open(path) as log:
            lines = [json.loads(line) for line in log if line.endswith("\n")]
        for before, after in zip(lines, lines[1:]):
            more = {name: [now - then for now, then in zip(after[name], before.get(name, (0, 0)))]
                    for name in after if name != "at_us"}
            steps.append((after["at_us"] - before["at_us"], more))
    print(f"{len(steps)} candidates, from one to the next {statistics.median(us for us, _ in steps) * 1e-3:.2f} ms" if steps
          else "no calls were noted")
    for name in sorted({name for _, each in steps for name in each}):
        count, us = (statistics.median(each.get(name, (0, 0))[i] for _, each in steps) for i in (0, 1))
        if count:
            print(f"{name:44} {count:8.0f} calls {us:10.1f} us")


def mean_ms(values):
    return round(1e3 * statistics.mean(values), 3) if values else ""


def row_of(run, name, case, tries, end):
    instance = case.get("instance", case["region"])
    wall, entry = case["wall"], case.get("entry") or {}
    row = {"run": run, "kernel": name, "instance": instance, "tried": len(tries),
           "compile_s": round(wall["compile_s"], 3), "run_s": round(wall["run_s"], 3), "total_s": round(wall["total_s"], 3), "wait_s": round(wall.get("wait_s", 0), 3)}
    for name, column in BETWEEN.items():
        if name in wall.get("between_s", {}):
            row[column] = round(wall["between_s"][name], 3)
    gains = [each["baseline_ns"] / each.get("tuned_ns", each["baseline_ns"]) for each in entry.get("problems", [])]
    row["speedup"] = round(tuning.geomean(gains), 3) if gains else ""
    if not tries:
        return row
    lasted = [each["end"] - each["begin"] for each in tries]
    search_s = tries[-1]["end"] - tries[0]["begin"]
    looks = [each for each in tries if each["look"]]
    spent = {part: [each["spent_s"].get(part, 0) for each in tries] for part in PARTS}
    other = [total - sum(each["spent_s"].get(part, 0) for part in PARTS) for total, each in zip(lasted, tries)]
    return {**row, "verdicts": sum(each["verdict"] not in ("ok", "skipped") for each in tries),
            "looks": len(looks), "problems": round(statistics.mean(each["timed"] for each in looks), 2) if looks else "",
            "search_s": round(search_s, 3), "per_second": round(len(looks) / search_s, 2), "each_ms": mean_ms(lasted),
            "median_ms": round(1e3 * statistics.median(lasted), 3), "other_ms": mean_ms(other),
            **{f"{part}_ms": mean_ms(spent[part]) for part in PARTS},
            "idle": round(1 - sum(lasted) / search_s, 3), "final_s": round(end - tries[-1]["end"], 3)}


def add_rates(options, parts, rows, names):
    """What NVRTC alone does on the spaces, beside what the searches did."""
    jobs = options.jobs or len(os.sched_getaffinity(0))
    for name in names:
        found = compile_rate.measure(options.ktcc, f"{SAMPLES}/{name}/{name}.cu", ["-O3"], options.arch, options.nvrtc, "nvrtc",
                                     jobs)
        alone = found["compiled"] / found["candidates"] if found["candidates"] else 0
        print(f"{name}: {jobs} processes of NVRTC compile {alone:.1f} configurations a second", flush=True)
        for part in parts:
            if part["kernel"] != name or part["phase"] != "search":
                continue
            row = next(row for row in rows if row["kernel"] == name and row["instance"] == part["instance"])
            part.update(per_second=row["per_second"], nvrtc_per_second=round(alone, 1),
                        of_nvrtc=round(row["per_second"] / alone, 3) if alone else "")


def measure(options, run, names):
    """The rows of these kernels, alone one after the other, or all at a time, and those of their phases."""
    rows, parts, at_once = [], [], len(names) if run == "at-once" else 1
    jobs = max(1, len(os.sched_getaffinity(0)) // at_once) if at_once > 1 else options.jobs
    watch, done = phases.Watch(), []
    watch.start()
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        done = list(pool.map(lambda name: tune(options, run, name, jobs), names))
        wall = time.monotonic() - begin
        watch.stop()
        for name, cases, found, began, ended in done:
            parts += phases.rows(watch, run, name, found, began, ended, of_search) if at_once == 1 else []
            searches = by_instance(found)
            for case in cases:
                tries, end = searches.get(case.get("instance", case["region"]), ([], 0))
                rows.append(row_of(run, name, case, tries, end))
    tried, searched = sum(row["tried"] for row in rows), sum(row.get("search_s", 0) for row in rows)
    looks = sum(row.get("looks", 0) for row in rows)
    busy = [part["runner"] * part["seconds"] for part in parts if part["phase"] == "all"]
    smi = [percent for _, percent in watch.busy]
    rows.append({"run": run, "kernel": "all", "tried": tried, "looks": looks, "search_s": round(searched, 3),
                 "total_s": round(wall, 3), "per_second": round(looks * at_once / searched, 2) if searched else "",
                 "utilisation": round(statistics.mean(smi), 1) if smi else "",
                 "busy": round(sum(busy) / wall, 3) if busy else ""})
    return rows, parts


def show(rows, columns):
    shown = [name for name in columns if name not in ("run",)]
    widths = {name: max(len(name), *(len(str(row.get(name, ""))) for row in rows)) for name in shown}
    for row in [{name: name for name in shown}, *rows]:
        print("  ".join(f"{str(row.get(name, '')):>{widths[name]}}" for name in shown), flush=True)


def main():
    if sys.argv[1:2] == ["--tap"]:
        sys.exit(tap(sys.argv[2], sys.argv[3:]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tuning.arguments(parser, "build/gpu/work/throughput")
    parser.add_argument("--at-once", action="store_true", dest="all_at_once", help="all kernels at a time as well")
    parser.add_argument("--phases", help="the CSV of phases")
    parser.add_argument("--nvrtc", type=int, default=256, help="configurations that NVRTC compiles alone; 0: none")
    parser.add_argument("--calls", help="a folder with the library that counts calls of the driver")
    options = parser.parse_args()
    options.budget = options.budget or "12"
    names, table = [name for name in KERNELS if re.search(options.only, name)], []
    for run in ["alone"] + (["at-once"] if options.all_at_once else []):
        rows, parts = measure(options, run, names)
        print(f"{run}:")
        show(rows, COLUMNS)
        if parts and options.nvrtc:
            add_rates(options, parts, rows, names)
        if parts:
            print("phases:")
            show(parts, phases.COLUMNS)
        if parts and options.phases:
            tuning.write(options.phases, parts, phases.COLUMNS)
        table += rows
        tuning.write(options.out, table, COLUMNS)
    if options.calls:
        for name in names[1:2] or names:
            measure(options, "calls", [name])
            print(f"{name}: calls of the driver")
            show_calls(glob.glob(f"{os.path.abspath(options.work)}/calls/{name}-tap/calls.*"))
    sys.exit(any(not row["tried"] for row in table))


if __name__ == "__main__":
    main()
