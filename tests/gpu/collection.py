#!/usr/bin/env python3
"""Plain kernels of many families, each with one pragma line, tuned one after the other from cold.

  collection.py --ktcc KTCC --out FILE.csv [--only REGEX] [--budget 10] [--jobs N] [--least X] [--lenient] [--scan]
                [--templates]

Columns: tuning.py. Fails where a candidate was wrong or did not compile (--lenient: lists them), where ktcc gave no
answer, or where the geometric mean over the kernels is below --least. --scan asks ktcc what it sees in each file, which
needs no GPU, and fails where it declines one. --templates asks twice for the templates by rules, also without a GPU: a
line a region instance with what applies and what can be chosen, or why nothing does; it fails where the two answers
differ in a byte.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import tuning

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from toolkit import toolkit_of  # noqa: E402


def seen(options, file, flags):
    """What is wrong with a file's regions, as text: mistakes in a pragma, a region that is declined, none at all."""
    done = subprocess.run([options.ktcc, "scan", "--json", file, "--", f"-arch={options.arch}", "-std=c++17", *flags],
                          capture_output=True, text=True)
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        return done.stderr or "no answer"
    declined = [f"{region['name']}: {region['decline']}: {region.get('decline_detail')}" for region in answer["regions"]
                if region["decline"]]
    return answer.get("diagnostics") or "\n".join(declined) or ("" if answer["regions"] else "no region")


def scan(options, jobs):
    """The number of files that have something wrong."""
    jobs = [job for job in jobs if re.search(options.only, job[0])]
    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        answers = list(pool.map(lambda job: seen(options, job[1], job[2]), jobs))
    for job, answer in zip(jobs, answers):
        print(job[0], answer or "ok")
    return sum(answer != "" for answer in answers)


def rewritten(options, file, flags):
    """(ktcc-clang's answer, whether it is the same byte for byte when it is asked again)"""
    clang = os.path.join(os.path.dirname(os.path.realpath(shutil.which(options.ktcc))), "..", "libexec", "ktcc",
                         "ktcc-clang")
    toolkit = toolkit_of(options.nvcc)
    command = [clang, "rewrite", "--file", file, "--toolkit", toolkit, "--arch", options.arch.removeprefix("sm_"), "--",
               "-std=c++17", *flags]
    first, second = (subprocess.run(command, capture_output=True, text=True) for _ in range(2))
    if first.returncode != 0:
        return {"templates": [], "declined": [{"reason": first.stderr.strip()}]}, False
    return json.loads(first.stdout), first.stdout == second.stdout


def templates(options, jobs):
    """The number of files without an answer, or with two."""
    failed = 0
    for name, file, flags, *_ in jobs:
        if not re.search(options.only, name):
            continue
        answer, same = rewritten(options, file, flags)
        for template in answer["templates"]:
            choices = " ".join(f"{each['name']}:{len(each['values'])}" for each in template["parameters"])
            print(f"{name} {template['instance']}: {' '.join(each['name'] for each in template['strategies'])}; "
                  f"{choices}")
        for each in answer["declined"]:
            print(f"{name} {each.get('instance', '')}: nothing: {each['reason']}: {each.get('detail', '')} (line "
                  f"{each.get('line', '?')})")
        if not same:
            print(f"{name}: DIFFERENT when asked again")
        failed += not same
    return failed


def main():
    parser = argparse.ArgumentParser()
    tuning.arguments(parser, "collection.work")
    tuning.judged(parser)
    parser.add_argument("more", nargs="*", metavar="FILE", help="further files, treated like those of the collection")
    options = parser.parse_args()
    files = sorted(glob.glob(f"{HERE}/collection/*.cu")) + (options.more or [])
    jobs = [(os.path.basename(file)[:-len(".cu")], file, []) for file in files]
    if options.scan or options.templates:
        sys.exit((scan if options.scan else templates)(options, jobs) != 0)
    tuning.main_table(options, jobs)


if __name__ == "__main__":
    main()
