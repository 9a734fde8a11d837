#!/usr/bin/env python3
"""A stand-in for Nsight Compute, which does as $NCU_DOES says. Its numbers are made up.

table: prints a table of the launches it was asked for, between other lines, as the real one does. denied, old,
garbage: what it says where counters are not allowed, where it does not know an option, nothing of use. flood: 100 MB.
hang: does not end. swapped: a table of other launches. dies: ends by a signal. Leaves a line in $NCU_CALLED.
"""
import json
import os
import signal
import sys
import time

METRICS = {
    "gpu__time_duration.sum": ("nsecond", "12,345"),
    "dram__bytes_read.sum": ("byte", "1,048,576"),
    "dram__bytes_write.sum": ("Kbyte", "524.288"),
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": ("%", "44.60"),
    "lts__t_sector_hit_rate.pct": ("%", "12"),
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio": ("sector/request", "32"),
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio": ("sector/request", "4"),
    "sm__cycles_active.avg.pct_of_peak_sustained_elapsed": ("%", "90"),
    "sm__warps_active.avg.pct_of_peak_sustained_active": ("%", "50"),
    "smsp__issue_active.avg.pct_of_peak_sustained_active": ("%", "10"),
    "smsp__average_warp_latency_per_inst_issued.ratio": ("cycle", "40"),
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": ("", "30"),
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": ("", "n/a"),
}
FIRST = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
         "Device", "CC"]
# As the real one (2025.3) has them: a column for each attribute of the device, in front of the metrics.
ATTRIBUTES = [f"device__attribute_{i}" for i in range(300)]


def option(name):
    return sys.argv[sys.argv.index(name) + 1]


def cells(row):
    return ",".join(f'"{cell}"' for cell in row) + "\n"


def table(names):
    metrics = option("--metrics").split(",")
    assert all(metric in METRICS for metric in metrics), metrics
    text = "==PROF== Connected to process 1 (ktcc-runner)\n==WARNING== something\n" + cells(FIRST + ATTRIBUTES + metrics)
    text += cells([""] * len(FIRST + ATTRIBUTES) + [METRICS[metric][0] for metric in metrics])
    for i, name in enumerate(names):
        text += cells([i, 1, "ktcc-runner", "127.0.0.1", name, 1, 7, "(128, 1, 1)", "(16, 1, 1)", 0, "9.0"] +
                      ["1"] * len(ATTRIBUTES) + [METRICS[metric][1] for metric in metrics])
    return text + "==PROF== Disconnected from process 1\n"


def main():
    does = os.environ["NCU_DOES"]
    with open(os.environ["NCU_CALLED"], "a") as called:
        called.write(does + "\n")
    if does == "old":
        sys.exit("unrecognised option '--config-file'. Use --help for further details.")
    requests = [json.loads(line) for line in sys.stdin]
    names = option("--kernel-name").removeprefix("regex:^(").removesuffix(")$").split("|")
    log = option("--log-file")
    # What nobody may do without, and nobody else may be bothered with.
    assert option("--clock-control") == "none" and option("--config-file") == "off"
    assert os.environ["TMPDIR"] == os.environ["HOME"] == os.path.dirname(log)
    assert sys.argv[-2].endswith("/ktcc-runner") and sys.argv[-1] == "--once", sys.argv
    assert requests[0]["request"] == "hello" and int(option("--launch-count")) == len(names)
    tries = [request for request in requests if request["request"] == "try"]
    assert [request.get("function", "original") for request in tries[:2]] == names[:2], (tries, names)
    print("not for the log")
    if does == "hang":
        time.sleep(1000)
    if does == "dies":
        os.kill(os.getpid(), signal.SIGSEGV)
    with open(log, "w") as out:
        if does == "flood":
            for _ in range(100):
                out.write("x" * 999999 + "\n")
        out.write({"table": table(names), "swapped": table(names[::-1]), "garbage": "\0\1\2 what\n" * 10,
                   "flood": "", "denied": "==PROF== Connected to process 1 (ktcc-runner)\n==ERROR== ERR_NVGPUCTRPERM - "
                   "The user does not have permission to access NVIDIA GPU Performance Counters on the target device "
                   "0.\n"}[does])
    return does == "denied"


sys.exit(main())
