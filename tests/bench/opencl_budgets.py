#!/usr/bin/env python3
"""opencl_budgets.py KTCC FILE OUT [--budgets 20,60,120]: what a tuning comes to within budgets, on the first OpenCL device.

Each budget tunes every region of FILE in a fresh cache, and then a second time, which goes on with the trials of the
first. Writes OUT/results.json and OUT/table.md: seconds used (without waiting for the device), seconds of the driver's
compiler, configurations measured of all, how far the search came, the best that the search saw and the gain that was
confirmed. A summary of the load of the machine is part of it, since a processor is the device here.
"""
import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile


def best_seen(cache):
    """The fastest time of each space in the store, in ns, by space."""
    store = sqlite3.connect(f"file:{cache}/store.sqlite?mode=ro", uri=True)
    rows = dict(store.execute("SELECT space, MIN(median_ns) FROM trials WHERE median_ns > 0 GROUP BY space").fetchall())
    store.close()
    return rows


def tune(ktcc, source, folder, budget):
    environment = dict(os.environ, KTUNE_CACHE_DIR=folder + "/cache", KTUNE_LOCK_DIR=folder + "/lock",
                       KTUNE_LOG=folder + "/log", POCL_CACHE_DIR=folder + "/pocl")
    os.makedirs(folder + "/lock", exist_ok=True)
    answer = subprocess.run([ktcc, "tune", "--json", "--budget", str(budget), source], env=environment, check=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return json.loads(answer.stdout), answer.stderr


def summary(each, budget, run):
    entry = each.get("entry", {})
    problems = entry.get("problems", [])
    search = entry.get("search", {})
    gain = problems[0].get("speedup", 1.0) if problems else 1.0
    return {"region": each["region"], "budget_s": budget, "run": run, "tuned": each["tuned"],
            "seconds": round(each["wall"]["total_s"] - each["wall"]["wait_s"], 1),
            "compile_s": round(each["wall"]["compile_s"], 1), "recalled": each["recalled"], "tried": search.get("tried"),
            "legal": search.get("legal"), "state": search.get("state"), "enough_s": each.get("enough_s"),
            "reason": each["reason"], "gain": gain, "of_run_s": each["wall"]["of_run_s"],
            "configuration": entry.get("configuration")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ktcc")
    parser.add_argument("source")
    parser.add_argument("out")
    parser.add_argument("--budgets", default="20,60,120")
    arguments = parser.parse_args()
    results = []
    os.makedirs(arguments.out, exist_ok=True)
    for budget in [int(text) for text in arguments.budgets.split(",")]:
        folder = tempfile.mkdtemp(prefix="opencl-budgets-")
        for run in (1, 2):
            load = os.getloadavg()[0]
            answer, said = tune(arguments.ktcc, arguments.source, folder, budget)
            for each in answer:
                results.append(dict(summary(each, budget, run), load=round(load, 1)))
            results[-1]["said"] = said.splitlines()
            with open(arguments.out + "/results.json", "w", encoding="utf-8") as out:
                json.dump({"best_seen_ns": best_seen(folder + "/cache"), "results": results}, out, indent=1)
                out.write("\n")
        shutil.copy(folder + "/log", f"{arguments.out}/budget{budget}.log")
        shutil.rmtree(folder)
    with open(arguments.out + "/table.md", "w", encoding="utf-8") as out:
        out.write("| kernel | budget | run | seconds | of them compiling | measured | state | gain | load |\n")
        out.write("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
        for r in sorted(results, key=lambda r: (r["region"], r["budget_s"], r["run"])):
            measured = f"{r['tried']} of {r['legal']}" + (f", {r['recalled']} from the store" if r["recalled"] else "")
            out.write(f"| {r['region']} | {r['budget_s']} s | {r['run']} | {r['seconds']} | {r['compile_s']} | {measured} | "
                      f"{r['state']} | {r['gain']:.2f}x | {r['load']} |\n")


if __name__ == "__main__":
    main()
