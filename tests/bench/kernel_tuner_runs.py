"""Kernel Tuner's strategies on recorded spaces, with its own defaults, by its own simulation mode: one JSON line a run.

A run's evaluations are the different configurations that its simulation answers, in order, invalid ones included, as
its own budget counts them.
"""
import argparse
import contextlib
import copy
import gzip
import io
import json
import multiprocessing
import os
import random
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
warnings.filterwarnings("ignore")
import numpy as np

def read(path):
    with (gzip.open(path) if path.endswith(".gz") else open(path)) as f:
        return json.load(f)

class Space:
    def __init__(self, t1, t4):
        self.name = os.path.basename(t4).split(".")[0]
        spec = read(t1)["ConfigurationSpace"]
        self.params = {p["Name"]: json.loads(p["Values"].replace("'",'"')) for p in spec["TuningParameters"]}
        self.restrictions = [c["Expression"] for c in spec.get("Conditions", [])]
        self.cache = {}
        for r in read(t4)["results"]:
            c = r["configuration"]
            row = {k: c[k] for k in self.params}
            row["time"] = r["measurements"][0]["value"] if r["invalidity"] == "correct" else \
                {"compile": "CompilationFailedConfig"}.get(r["invalidity"], "RuntimeFailedConfig")
            row.update(compile_time=0, verification_time=0, benchmark_time=0, strategy_time=0, framework_time=0,
                       timestamp="x")
            self.cache[",".join(str(c[k]) for k in self.params)] = row

def prepare(space):
    import kernel_tuner.util as util, kernel_tuner.interface as interface
    from kernel_tuner.util import CompilationFailedConfig, RuntimeFailedConfig
    errors = {"CompilationFailedConfig": CompilationFailedConfig(), "RuntimeFailedConfig": RuntimeFailedConfig()}
    for row in space.cache.values():
        if isinstance(row["time"], str):
            row["__error__"] = errors[row["time"]]
    interface.util.process_cache = lambda *a, **k: space.cache
    interface.util.close_cache = lambda *a, **k: None
    made = interface.Searchspace
    keep = {}
    def make(*a, **k):
        key = repr(sorted(k.items()))
        if key not in keep:
            keep[key] = made(*a, **k)
        return copy.copy(keep[key])
    interface.Searchspace = make

def one(space, strategy, budget, seed):
    import kernel_tuner
    from kernel_tuner.runners.simulation import SimulationRunner
    random.seed(seed); np.random.seed(seed)
    seen, trace = set(), []
    plain = SimulationRunner.run
    def run(self, elements, options):
        elements = list(elements)
        results = plain(self, elements, options)
        for e, r in zip(elements, results):
            key = ",".join(str(i) for i in e)
            if r is not None and key in space.cache and key not in seen:
                seen.add(key)
                v = space.cache[key]["time"]
                trace.append(None if isinstance(v, str) else v)
        return results
    SimulationRunner.run = run
    begun = time.perf_counter()
    error = ""
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            kernel_tuner.tune_kernel("k", "", (1, 1), [], dict(space.params), restrictions=list(space.restrictions),
                                     lang="CUDA", quiet=True, cache="none", simulation_mode=True, objective="time",
                                     strategy=strategy, strategy_options={"max_fevals": budget}, seed=seed)
    except Exception as e:
        error = f"{type(e).__name__}: {e}"[:200]
    finally:
        SimulationRunner.run = plain
    best, steps = float("inf"), []
    for n, v in enumerate(trace[:budget], 1):
        if v is not None and v < best:
            best = v
            steps.append([n, v])
    return {"space": space.name, "strategy": strategy, "budget": budget, "seed": seed,
            "evaluations": min(len(trace),budget), "trace": steps,
            "seconds": round(time.perf_counter() - begun, 3), "error": error}

def work(task):
    t1, t4, names, budgets, seeds, limit = task
    space = Space(t1, t4)
    prepare(space)
    lines = []
    for budget in budgets:
        for strategy in names:
            begun = time.perf_counter()
            for seed in seeds:
                run = one(space, strategy, budget, seed)
                lines.append(json.dumps(run))
                if time.perf_counter() - begun > limit or not run["evaluations"]:
                    break
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--t1", action="append", required=True)
    parser.add_argument("--t4", action="append", required=True)
    parser.add_argument("--strategies", default="", help="default: all that can run with a budget")
    parser.add_argument("--budgets", default="25,50,100,200,400")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--limit", type=float, default=60,
                        help="seconds after which a strategy gets no further seed for a budget and space")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", required=True)
    wish = parser.parse_args()
    import kernel_tuner.interface as interface
    # brute_force takes no budget; the others need packages that Kernel Tuner does not require.
    without = {"brute_force", "skopt", "pyatf_strategies"}
    names = wish.strategies.split(",") if wish.strategies else [n for n in interface.strategy_map if n not in without]
    budgets = [int(b) for b in wish.budgets.split(",")]
    tasks = [(t1, t4, names, [b], range(wish.seeds), wish.limit) for t1, t4 in zip(wish.t1, wish.t4) for b in budgets]
    with open(wish.out, "w") as out, multiprocessing.get_context("spawn").Pool(wish.jobs, maxtasksperchild=1) as pool:
        for lines in pool.imap_unordered(work, tasks, chunksize=1):
            print(*lines, sep="\n", file=out, flush=True)
