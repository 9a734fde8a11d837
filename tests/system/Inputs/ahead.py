"""ahead.py KTCC FOLDER: candidates of a driver that compiles at the first launch are compiled ahead.

A launcher writes down how runners are started. With two jobs some of them are below `nice` and launch each candidate
once; one that ends at once, as if a candidate had crashed it, changes nothing but the time. With one job there is none.
"""
import json
import os
import shutil
import subprocess
import sys

ktcc, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
with open(folder + "/k.cl", "w", encoding="utf-8") as source:
    source.write("""#ifndef V
#define V 1
#endif
#pragma ktune problem(n = 20000) in(x[n]) out(y[n]) tune(V = 1, 2, 4, 8, 16; B = 32, 64) grid(ceil_div(n, B * V)) local(B)
#ifndef B
#define B 64
#endif
kernel void scale(global float *y, global const float *x, int n)
{
	for (int i = 0; i < V; i++) {
		const int at = (get_group_id(0) * V + i) * B + get_local_id(0);
		if (at < n)
			y[at] = 3 * x[at];
	}
}
""")
with open(folder + "/launcher", "w", encoding="utf-8") as launcher:
    launcher.write("""#!/bin/sh
echo "$@" >> "$STARTS"
case "$*" in nice*) [ -z "$BROKEN" ] || exit 1 ;; esac
exec "$@"
""")
os.chmod(folder + "/launcher", 0o755)


def tune(name, jobs, **more):
    """Tunes with a cache of its own; returns the result and how runners were started."""
    own = f"{folder}/{name}"
    os.makedirs(own + "/lock")
    environment = dict(os.environ, KTUNE_CACHE_DIR=own + "/cache", KTUNE_LOCK_DIR=own + "/lock", KTUNE_LOG=own + "/log",
                       KTUNE_SANITIZE="off", KTUNE_JOBS=str(jobs), KTUNE_RUNNER_LAUNCHER=folder + "/launcher",
                       STARTS=own + "/starts", POCL_CACHE_DIR=own + "/pocl", **more)
    answer = subprocess.run([ktcc, "tune", "--json", "--strategy", "exhaustive", "--budget", "120", folder + "/k.cl"],
                            env=environment, check=True, stdout=subprocess.PIPE, text=True)
    result = json.loads(answer.stdout)[0]
    assert result["tuned"] and result["tried"] == 10 and result["wrong"] == result["uncompiled"] == 0, result
    assert result["entry"]["search"]["state"] == "exhausted", result
    spent = result["wall"]["of_run_s"]
    assert spent["compile"] > 0 and spent["verify"] >= 0 and spent["time"] >= 0 and spent["prepare"] >= 0, spent
    # What the driver compiles is part of what compiling took, as it is with nvcc.
    assert result["wall"]["compile_s"] >= spent["compile"], result
    with open(own + "/starts", encoding="utf-8") as starts:
        lines = starts.read().splitlines()
    return [line for line in lines if line.startswith("nice ")], len(lines)


ahead, starts = tune("two", 2)
print(ahead, starts)
assert ahead and all("--once" in line for line in ahead) and len(ahead) < starts, ahead
ahead, starts = tune("broken", 2, BROKEN="1")
assert ahead and len(ahead) < starts
ahead, starts = tune("one", 1)
assert not ahead and starts == 1
