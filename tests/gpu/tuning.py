"""What the scripts of this folder share: `ktcc tune` started on one file, and its answer as rows of a table.

A job is (name, file, flags of nvcc). `tune` runs it from cold in a folder of its own;
`rows` has one row a region instance and problem:

  kernel, instance, problem, baseline_us, tuned_us, floor_us, speedup, of_floor, strategies, configuration, tried,
  wrong, uncompiled, wall_s, reason

`reason` is empty where something was gained; else it says why not.
"""
import concurrent.futures
import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time

COLUMNS = ["kernel", "instance", "problem", "baseline_us", "tuned_us", "floor_us", "speedup", "of_floor", "strategies",
           "configuration", "tried", "wrong", "uncompiled", "wall_s", "reason"]
GAIN = 1.02       # below it nothing was gained
AT_FLOOR = 0.93   # a kernel that reaches this share of its copy floor has nothing to gain


class Failed(Exception):
    """ktcc gave no answer at all."""


def arguments(parser, work):
    """The options that every script here has."""
    parser.add_argument("--ktcc", default=shutil.which("ktcc") or "ktcc")
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--out", help="the CSV")
    parser.add_argument("--work", default=work, help="a folder for stores, logs and copies")
    parser.add_argument("--only", default="", help="kernels whose name holds this regular expression")
    parser.add_argument("--budget", help="of a region, as for ktcc tune --budget")
    parser.add_argument("--jobs", type=int, help="compilers at a time")


def judged(parser):
    """The options of scripts that `run` judges."""
    parser.add_argument("--least", type=float, default=0.0, help="geometric mean that is asked for")
    parser.add_argument("--at-once", type=int, default=1,
                        help="kernels at a time: they compile side by side and measure in turn")
    parser.add_argument("--lenient", action="store_true",
                        help="candidates that were wrong or did not compile are only listed")
    parser.add_argument("--scan", action="store_true", help="only ask what ktcc sees in the files: needs no GPU")
    parser.add_argument("--templates", action="store_true", help="only ask for the templates by rules: needs no GPU")


def environment(options, folder):
    """Settings under which nothing is known yet: a store and a lock directory of this folder."""
    found = {key: value for key, value in os.environ.items()
             if not key.startswith("KTUNE_") or key in ("KTUNE_PREFIX", "KTUNE_JOBS")}
    os.makedirs(f"{folder}/lock", exist_ok=True)
    found.update(KTUNE_CACHE_DIR=f"{folder}/cache", KTUNE_LOCK_DIR=f"{folder}/lock", KTUNE_LOG=f"{folder}/ktune.log")
    found["PATH"] = os.path.dirname(os.path.abspath(options.nvcc)) + os.pathsep + found.get("PATH", "")
    at_once = getattr(options, "at_once", 1)
    if options.jobs or at_once > 1:
        found["KTUNE_JOBS"] = str(options.jobs or max(1, len(os.sched_getaffinity(0)) // at_once))
    return found


def tune(options, name, file, flags, extra=(), more=None):
    """(cases, wall seconds): ktcc's own JSON objects, one a region instance. more: further settings."""
    folder = os.path.abspath(f"{options.work}/{name}")
    shutil.rmtree(folder, ignore_errors=True)
    command = [options.ktcc, "tune", "--json", "--retune", *extra]
    if options.budget:
        command += ["--budget", options.budget]
    command += [file, "--", f"-arch={options.arch}", "-std=c++17", *flags]
    begin = time.monotonic()
    done = subprocess.run(command, env={**environment(options, folder), **(more or {})}, capture_output=True, text=True)
    wall = time.monotonic() - begin
    with open(f"{folder}/tune.txt", "w") as log:
        log.write(" ".join(command) + "\n" + done.stderr + done.stdout)
    try:
        return json.loads(done.stdout), wall
    except json.JSONDecodeError:
        raise Failed(f"{name}: exit code {done.returncode}: {done.stderr.strip()[-400:]}") from None


def words(values):
    return " ".join(f"{name}={value}" for name, value in values.items())


def why_no_gain(case, speedup, of_floor):
    if speedup >= GAIN:
        return ""
    if of_floor and of_floor >= AT_FLOOR:
        return f"at {of_floor:.2f} of the copy floor"
    if case.get("detail"):
        return case["detail"]
    return "no configuration is faster" if case.get("tried") else "nothing to try"


def applied(entry):
    return [strategy["name"] for strategy in (entry.get("template") or {}).get("strategies", [])]


def chosen(entry, problem):
    """The configuration that serves a problem: the special variant's, else the general one's."""
    variant = problem.get("variant", 0)
    if entry.get("baseline_best") and not variant:
        return "as written"
    return words(entry["specialised"][variant - 1]["configuration"] if variant else entry.get("configuration", {}))


def rows(name, cases, wall):
    for case in cases:
        entry = case.get("entry")
        common = {"kernel": name, "instance": case.get("instance", case["region"]), "tried": case.get("tried", 0),
                  "wrong": case.get("wrong", 0), "uncompiled": case.get("uncompiled", 0),
                  "wall_s": round(case.get("wall", {}).get("total_s", wall), 1)}
        if not entry:
            yield dict(common, reason=f"{case['reason']}: {case.get('detail', '')}".rstrip(": "))
            continue
        for problem in entry["problems"]:
            baseline = problem["baseline_ns"]
            as_written = entry["baseline_best"] and not problem.get("variant", 0)
            tuned = baseline if as_written else problem.get("tuned_ns", baseline)
            floor = problem.get("floor_ns", 0)
            speedup, of_floor = baseline / tuned, floor / tuned if floor else None
            yield dict(common, problem=words(problem["problem"]), baseline_us=round(baseline / 1e3, 2),
                       tuned_us=round(tuned / 1e3, 2), floor_us=round(floor / 1e3, 2) if floor else "",
                       speedup=round(speedup, 3), of_floor=round(of_floor, 3) if of_floor else "",
                       strategies=" ".join(applied(entry)), configuration=chosen(entry, problem),
                       reason=why_no_gain(case, speedup, of_floor))


def geomean(values):
    values = [value for value in values if value]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def by_kernel(table):
    """kernel → geometric mean of the speedups over its instances and problems; 1 where nothing could be tuned."""
    found = {}
    for row in table:
        found.setdefault(row["kernel"], []).append(row.get("speedup") or 1.0)
    return {name: geomean(values) for name, values in found.items()}


def write(path, table, columns=COLUMNS):
    """All rows so far: a run that is cut short leaves what it has."""
    if not path:
        return
    with open(path + ".part", "w", newline="") as out:
        writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    os.replace(path + ".part", path)


def answer(options, job):
    """(job, cases, wall seconds, why there is no answer)"""
    try:
        return (job, *tune(options, *job), "")
    except Failed as failure:
        return job, [], 0.0, str(failure)


def run(options, jobs):
    """Every job, a line for each row as it comes; the exit code of the script."""
    table, broken, wrong = [], [], []
    wanted = [job for job in jobs if re.search(options.only, job[0])]
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        for done in concurrent.futures.as_completed([pool.submit(answer, options, job) for job in wanted]):
            job, cases, wall, failure = done.result()
            name = job[0]
            if failure:
                broken.append(failure)
                table.append({"kernel": name, "reason": f"no answer: {failure}"})
                print(failure, flush=True)
            for row in rows(name, cases, wall):
                table.append(row)
                print(f"{name:28} {row.get('problem', ''):44} {row.get('baseline_us', ''):>10} "
                      f"{row.get('tuned_us', ''):>10} "
                      f"{row.get('floor_us', ''):>9} {row.get('speedup', ''):>7}  {row.get('configuration', '')}  "
                      f"{row['reason']}", flush=True)
            for case in cases:
                if case.get("wrong") or case.get("uncompiled"):
                    wrong.append(f"{name}: {case.get('wrong', 0)} wrong, {case.get('uncompiled', 0)} did not compile: "
                                 f"{json.dumps(case.get('first_wrong'))}")
            write(options.out, table)
    means = by_kernel(table)
    for name, mean in sorted(means.items(), key=lambda item: item[1]):
        print(f"{name}: {mean:.2f}x")
    for line in wrong:
        print(line)
    overall = geomean(means.values())
    print(f"{len(means)} kernels, geometric mean {overall:.3f}x, {len(wrong)} with a wrong candidate, {len(broken)} "
          "without an answer")
    return bool(broken or (wrong and not options.lenient) or not means or overall < options.least)


def main_table(options, jobs):
    """run, with the exit code handed to the shell."""
    sys.exit(run(options, jobs))
