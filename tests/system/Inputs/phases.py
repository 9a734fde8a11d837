"""The table of phases of tests/gpu/throughput.py, from exchanges that are made up and a rate of NVRTC that is measured.

  phases.py TESTS KTCC FILE
"""
import argparse
import sys

TESTS, KTCC, FILE = sys.argv[1:4]
sys.path[:0] = [TESTS + "/gpu", TESTS + "/bench"]

import compile_rate
import phases
import throughput


class Watch:
    """A machine at work for ten seconds, half a processor second each, and the GPU in every second one."""
    used = [(second + 0.5, "nvrtc", 0.5) for second in range(10)]
    busy = [(second + 0.5, 100 * (second % 2)) for second in range(10)]


def exchange(request, begin, end, **more):
    return {"request": request, "begin": begin, "end": end, "spent_s": {"verify": 0.25, "time": 0.5}, **more}


exchanges = [exchange("hello", 0.1, 0.5), exchange("region", 2, 3, instance="f"),
             exchange("try", 4, 5, look=True), exchange("try", 5.5, 6, look=True),
             exchange("compare", 8, 9, candidates=3)]
rows = phases.rows(Watch, "alone", "k", exchanges, 0, 10, throughput.of_search)
assert [row["phase"] for row in rows] == ["build", "prepare", "search", "final", "rest", "all"], rows
assert [row["seconds"] for row in rows] == [2, 2, 2, 3, 1, 10]
assert [row["wait_s"] for row in rows] == [2, 1, 0.5, 2, 1, 6.5]
assert rows[2]["runner"] == 0.75 and rows[2]["verify_s"] == 0.5 and rows[2]["time_s"] == 1
assert rows[2]["gpu"] == 50 and rows[2]["nvrtc_cpu_s"] == 1 and set(rows[2]) <= set(phases.COLUMNS)

found = compile_rate.measure(KTCC, FILE, [], "sm_90", 3, "nvrtc", 2)
assert found["by"] == "nvrtc" and found["compiled"] == 3 and found["candidates"] > 0, found
throughput.SAMPLES = FILE.rsplit("/", 2)[0]
options = argparse.Namespace(ktcc=KTCC, arch="sm_90", nvrtc=3, jobs=2)
name = FILE.rsplit("/", 2)[1]
for row in rows:
    row["kernel"] = name
throughput.add_rates(options, rows, [{"kernel": name, "instance": "f", "per_second": 12.5}], [name])
assert rows[2]["per_second"] == 12.5 and rows[2]["nvrtc_per_second"] > 0
assert abs(rows[2]["of_nvrtc"] - 12.5 / rows[2]["nvrtc_per_second"]) < 0.05 * rows[2]["of_nvrtc"]
assert "of_nvrtc" not in rows[1] and set(rows[2]) <= set(phases.COLUMNS)
print("the table has what it says")
