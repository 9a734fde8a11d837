"""A runner that pretends: it has no device and runs nothing, but answers the protocol of docs/protocol-runner.md.

  pretend.py FOLDER [delay=SECONDS] [open=SECONDS] [dies=BLOCK] [uuid=TEXT] [name=TEXT] … COMMAND…

In the place of ktcc-runner (KTUNE_RUNNER_LAUNCHER; the COMMAND behind is the real one's and is ignored). What a
configuration takes is a function of its values, so that a search has something to find. FAST=1 is twice as fast and wrong
on the fourth check and nowhere else. FOLDER/asked.jsonl gets a line for each request: which rows, with `screen`, when it
came and when it was answered.
delay: what a request about candidates takes; open: what opening the device takes. dies: a candidate with this BLOCK and
TURNS above 1 ends the runner, by turns with a fatal reply and without one. devices: how many there are (--device of
COMMAND says which this one is); slower: by what factor the second one is; kinds=2: it is another kind. inverse=1: what
is fast otherwise is slow. moved=NAME:FACTOR: where the buffer NAME begins at an offset a candidate takes FACTOR times as long.
unmoved=SECONDS: launches whose buffers begin at an offset, and are to be timed, take so long to prepare.
cuda=1: the device compiles CUDA C++ for sm_90. floor=NS: what a copy of the same bytes takes. ahead=NAME: a configuration with such a parameter is fast where it is not 1.
"""
import fcntl
import json
import os
import sys
import time
import zlib

folder, words = sys.argv[1], sys.argv[2:]
options = dict(word.split("=", 1) for word in words if "=" in word)
delay, opening, deadly = float(options.get("delay", 0)), float(options.get("open", 0)), int(options.get("dies", -1))
device = int(words[words.index("--device") + 1]) if "--device" in words else 0
slower = float(options.get("slower", 1)) if device else 1
other = " Other" if device and options.get("kinds") == "2" else ""
DEVICE = {"vendor": "Pretended", "name": "Pretended" + other, "cc": 0, "multiprocessors": 8, "memory_bus_bits": 0,
          "l2_bytes": 1 << 20, "warp_size": 32, "max_threads_per_block": 1024, "max_threads_per_multiprocessor": 2048,
          "max_blocks_per_multiprocessor": 32, "shared_bytes_per_block": 49152, "shared_bytes_per_block_optin": 49152,
          "shared_bytes_per_multiprocessor": 102400, "registers_per_block": 0, "registers_per_multiprocessor": 0,
          "memory_bytes": 1 << 34, "max_block": [1024] * 3, "max_grid": [2**31 - 1] * 3,
          "uuid": options.get("uuid", "") + (str(device) if device else ""),
          "driver": "none", "vector_f32": 4}
if options.get("cuda"):
    DEVICE.update(vendor="NVIDIA", cc=90, multiprocessors=132, memory_bus_bits=6016, l2_bytes=62914560,
                  shared_bytes_per_block_optin=232448, shared_bytes_per_multiprocessor=233472, registers_per_block=65536,
                  registers_per_multiprocessor=65536)
moved, factor = options.get("moved", ":1").split(":")
region = {}


def log(**fields):
    with open(f"{folder}/asked.jsonl", "a") as out:
        fcntl.flock(out, fcntl.LOCK_EX)
        out.write(json.dumps({"who": options.get("name", ""), "device": device, "pid": os.getpid(), **fields}) + "\n")


def values(configuration):
    return {name: int(value) for name, value in (word.split("=") for word in configuration.split())}


def is_moved(row):
    """Does the buffer of `moved` begin at an offset there?"""
    names = [each["name"] for each in region["buffers"]]
    return moved in names and row["buffers"][names.index(moved)].get("offset", 0) != 0


def duration_ns(configuration, row):
    """Of the original, whose configuration is empty, more than the best one's."""
    problem = row["problem"].split(" offset=")[0]
    size = 20000 * (1 + sum(map(ord, problem)) % 5)
    found = values(configuration)
    if not found:
        return 9.0 * size * slower
    slow = 1.0
    for name, value in found.items():
        if name != "FAST":
            slow += (zlib.crc32(f"{name}{value}".encode()) % 100) / 40
    if options.get("inverse"):
        slow = 20 / slow
    if found.get(options.get("ahead"), 1) != 1:
        slow /= 20
    return slower * size * slow / (2 if found.get("FAST") else 1) * (float(factor) if is_moved(row) else 1)


def timing(ns, samples):
    return {"median_ns": ns, "mean_ns": ns, "min_ns": ns, "deviation_ns": ns / 1000, "samples": samples}


def attempt(request):
    screen = request.get("screen", False)
    found = values(request["configuration"])
    rows, checks = [], 0
    reply = {"verdict": "ok", "problems": rows, "registers": 0, "local_bytes": 0, "shared_bytes": 0}
    for problem, asked in zip(region["problems"], request["problems"]):
        checks += problem.get("check", False)
        row = {"problem": problem["problem"], "verdict": "ok"}
        if asked.get("skip") or reply["verdict"] != "ok":
            row.update(verdict="skipped", detail="not asked" if asked.get("skip") else "not reached")
        elif found.get("FAST") and problem.get("check") and checks == 4:
            row.update(verdict="wrong-answer", detail="y: 1 wrong elements, first at index 7")
            reply["verdict"] = "wrong-answer"
        rows.append(row)
    lost = False
    for i in request.get("order", []) + [i for i in range(len(rows)) if i not in request.get("order", [])]:
        row, problem = rows[i], region["problems"][i]
        if row["verdict"] != "ok" or reply["verdict"] != "ok" or problem.get("check"):
            continue
        if lost:
            row.update(verdict="skipped", detail="too slow on another problem")
            continue
        ns = duration_ns(request["configuration"], problem)
        row["timing"] = timing(ns, 5 if screen else 9)
        lost = 0 < request["problems"][i].get("lost_ns", 0) < ns
    return reply


def compare(request):
    return {"timings": [[{"timing": timing(duration_ns(each["configuration"], problem), 100)
                          if not problem.get("check") else {"samples": 0}}
                         for problem in region["problems"]] for each in request["candidates"]],
            "conditions": [None if problem.get("check") else
                           {"sm_mhz": [1980, 1900], "memory_mhz": [3201, 3201], "celsius": [40, 55], "watts": [200, 430],
                            "reasons": 0, "throttled": i == 1, "repeats": 2 if i == 1 else 0}
                           for i, problem in enumerate(region["problems"])]}


def answer(request):
    kind = request["request"]
    if kind == "hello" and device >= int(options.get("devices", 1)):
        return {"error": f"there is no device {device}", "code": "missing"}
    if kind == "hello":
        return {"protocol": 1, "backend": "cuda" if options.get("cuda") else "opencl", "wants_support": False, "device": DEVICE}
    if kind == "region" and options.get("unmoved") and any(
            buffer.get("offset", 0) for row in request["problems"] if not row.get("check") for buffer in row["buffers"]):
        time.sleep(float(options["unmoved"]))
    if kind == "region":
        region.clear()
        region.update(request)
        return {"problems": [{"problem": each["problem"], "skipped": False, "nondeterministic": False}
                             for each in request["problems"]]}
    if kind == "try":
        return attempt(request)
    if kind == "compare":
        return compare(request)
    if kind == "floor":
        return {"floor_ns": [float(options.get("floor", 1000)) if not each.get("check") else 0 for each in region["problems"]]}
    if kind == "copy-floor":
        return {"patterns": [{"name": "read 1 write 1", "points": [{"bytes": 65536, "median_ns": 1000, "deviation_ns": 1}]}]}
    return {"error": "unknown", "code": "invalid"}


for line in sys.stdin:
    request, begin = json.loads(line), time.monotonic()
    if request["request"] in ("try", "compare") and delay:
        time.sleep(delay)
    if request["request"] == "hello":
        time.sleep(opening)
    found = values(request.get("configuration", ""))
    if request["request"] == "try" and found.get("BLOCK") == deadly and found["TURNS"] > 1:
        log(request="death", configuration=request["configuration"], begin=begin, end=time.monotonic())
        if found["TURNS"] % 2:
            os._exit(3)
        print(json.dumps({"verdict": "crashed", "fatal": True, "problems":
                          [{"problem": each["problem"], "verdict": "crashed"} for each in request["problems"]]}), flush=True)
        os._exit(3)
    reply = answer(request)
    asked = [i for i, each in enumerate(request.get("problems", [])) if request["request"] == "try" and not each.get("skip")]
    log(request=request["request"], configuration=request.get("configuration"), rows=asked, screen=request.get("screen", False),
        verdict=reply.get("verdict"), candidates=[each["configuration"] for each in request.get("candidates", [])],
        count=len(region.get("problems", [])), timed=sum(not each.get("check", False) for each in region.get("problems", [])), begin=begin, end=time.monotonic())
    print(json.dumps(reply), flush=True)
