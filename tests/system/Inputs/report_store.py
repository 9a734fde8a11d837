#!/usr/bin/env python3
"""Makes a SYNTHETIC store for tests of `ktcc report`: nothing in it was measured.

  report_store.py --ktcc KTCC --store DIR [--regions N] [--trials N] [--attack]

The entries are imported by KTCC, trials and history are written into the database with their check sums. --attack:
names, rules and reasons hold what a page, a table or a spreadsheet might take for something else.
"""
import argparse
import hashlib
import json
import math
import os
import random
import sqlite3
import struct
import subprocess
import tempfile

from entry_text import device_key, rehashed

DEVICE = {"vendor": "NVIDIA", "name": "NVIDIA H200", "cc": 90, "multiprocessors": 132, "memory_bus_bits": 6016,
          "l2_bytes": 62914560}
VALUES = {"BLOCK": [64, 128, 256, 512, 1024], "VEC": [1, 2, 4, 8], "UNROLL": [1, 2, 4], "ROWS": [1, 2, 4],
          "STREAM": [0, 1, 2], "AHEAD": [0, 1]}
BEGIN_MS = 1795800000000
ATTACK = "</script><script>window.attacked=1</script><img src=x onerror=window.attacked=1> '\"`|[a](javascript:1)\\{{data}} &amp;"
BYTES_ATTACK = b"=cmd|'/C calc'!A0 \x01\x1b[31m \xff\xfe\xc0\xaf \xe2\x80\xa8 </script><!-- ]]> \"quoted\", a,b\nnext line\r\x7f"


def digest(data):
    return hashlib.blake2b(data, digest_size=32).hexdigest()


def row_sum(*values):
    """ktune_sum of ktcc/store/functions.c."""
    data = b""
    for value in values:
        if value is None:
            data += struct.pack("=qq", 5, 0)
        elif isinstance(value, int):
            data += struct.pack("=qq", 1, value)
        elif isinstance(value, float):
            data += struct.pack("=qd", 2, value)
        else:
            raw = value if isinstance(value, bytes) else value.encode()
            data += struct.pack("=qq", 3, len(raw)) + raw
    return struct.unpack(">q", bytes.fromhex(digest(data)[:16]))[0]


def frame(data):
    """A zstd frame of raw blocks."""
    out = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data))
    pieces = [data[i:i + 100000] for i in range(0, len(data), 100000)] or [b""]
    for i, piece in enumerate(pieces):
        out += struct.pack("<I", len(piece) << 3 | (i == len(pieces) - 1))[:3] + piece
    return out


def spread(ns, samples=300):
    return {"mean_ns": round(ns * 1.01, 1), "min_ns": round(ns * .96, 1), "deviation_ns": round(ns * .015, 1), "samples": samples}


def cost(values, problem, seed):
    """Times the bound: a surface with a best place that depends on the size."""
    size = math.log2(problem["rows"] * problem["d"])
    away = (abs(math.log2(values["BLOCK"]) - 8 - seed % 2) * .12 + abs(3 - math.log2(values["VEC"])) * .2 +
            abs(math.log2(values["ROWS"]) - (size > 22)) * .1 + (values["STREAM"] != (size > 21)) * .07 +
            (values["AHEAD"] == 0) * .03 + abs(math.log2(values["UNROLL"]) - 1) * .02)
    return 1.02 + away


def text(values):
    return " ".join(f"{name}={value}" for name, value in values.items())


def make_entry(index, rng, attack):
    names = ["silu_and_mul", "rms_norm", "softmax", "rotary", "dequantise", "layer_norm", "gelu", "top_k"]
    name = names[index % len(names)] + ("" if index < len(names) else f"_{index // len(names)}")
    problems = [{"rows": rows, "d": d} for rows in (16, 256, 4096) for d in (4096, 11008)]
    general = {"BLOCK": 256 << index % 2, "VEC": 8, "UNROLL": 2, "ROWS": 1, "STREAM": 0, "AHEAD": 1}
    special = dict(general, ROWS=2, STREAM=1)
    rows = []
    for problem in problems:
        bound = 1500 + problem["rows"] * problem["d"] * 6 / 4800
        original = round(bound * (1.6 + rng.random() * 1.5), 1)
        large = problem["rows"] == 4096
        tuned = round(bound * cost(special if large else general, problem, index), 1)
        row = {"problem": problem, "baseline_ns": original, "general_ns": round(bound * cost(general, problem, index), 1),
               "tuned_ns": tuned, "floor_ns": round(bound, 1), "speedup": round(original / tuned, 3),
               "baseline": spread(original), "tuned": spread(tuned)}
        if large:
            row = {"problem": problem, "variant": 1, **{k: v for k, v in row.items() if k != "problem"}}
        rows.append(row)
    resources = {"registers": 40, "local_bytes": 0, "shared_bytes": 128}
    entry = {"ktune": 2, "name": name, "kernel": name + "_kernel",
             "instance": f"{name}<__half>" if not attack else f"{name}<{ATTACK}>", "symbol": f"_Z{len(name)}{name}v",
             "keys": {"region": digest(f"region {index}".encode()), "near": digest(f"near {index}".encode()),
                      "closure": digest(f"closure {index}".encode()), "device": device_key(DEVICE)},
             "device": DEVICE, "baseline_best": False, "configuration": general,
             "specialised": [{"when": "rows >= 4096", "configuration": special, "resources": resources}], "problems": rows,
             "unlisted": [{"problem": {"rows": r, "d": d}, "variant": v, "baseline_ns": b, "tuned_ns": t} for r, d, v, b, t in
                          ((1, 1003, -1, 2100, 2100), (17, 4099, 0, 2600, 2300), (333, 8192, 0, 8100, 5600), (8192, 4096, 1, 91000, 47000))],
             "resources": resources, "search": {"tried": 480, "legal": 1080, "state": "measured"},
             "provenance": {"tool": "ktcc 0.1.0", "generator": "explicit", "toolkit": "13.0", "driver": "580.159.04",
                            "date": "2026-11-27", "verification": {"checks": 23, "watched_by": "memcheck, racecheck"},
                            "stability": {"blocks": 18, "throttled": 1, "repeats": 2, "sm_mhz_least": 1830, "sm_mhz_most": 1980,
                                          "celsius_most": 61, "watts_most": 540}}}
    return rehashed(entry)


def verdict_of(rng, attack):
    draw = rng.random()
    if attack and draw < .3:
        return "wrong-answer", BYTES_ATTACK
    if attack and draw < .5:
        return "no-compile", ATTACK
    if draw < .03:
        return "no-compile", "k.cu(12): error: no instance of overloaded function matches"
    if draw < .05:
        return "wrong-answer", "y[3] is 1.25, but 2.5 is expected on rows=17 d=4099"
    if draw < .06:
        return "over-limit", "1,024 threads of 96 registers need more than a multiprocessor has"
    if draw < .2:
        return "skipped", "too slow on another problem"
    return "ok", "screened" if draw < .6 else None


def configurations(rng, count):
    seen, choices = set(), list(VALUES.values())
    most = math.prod(len(values) for values in choices)
    while len(seen) < min(count, most):
        seen.add(tuple(rng.choice(values) for values in choices))
    listed = sorted(seen)
    rng.shuffle(listed)
    return [dict(zip(VALUES, values)) for values in listed]


def add_trials(db, entry, index, trials, rng, attack):
    key, device = digest(f"trials {index}".encode()), entry["keys"]["device"]
    db.execute("UPDATE results SET trial_key = ? WHERE region_key = ?", (key, entry["keys"]["region"]))
    space = db.execute("INSERT INTO spaces(trial_key, device_key, used) VALUES(?, ?, ?)", (key, device, BEGIN_MS // 1000)).lastrowid
    problems, now, left = entry["problems"], BEGIN_MS, trials
    pool = configurations(rng, math.ceil(trials / len(problems)))
    # Values of the synthetic space run out: further ones differ in one more parameter.
    pool += [dict(values, TAIL=tail) for tail in range(1, 1 + math.ceil(trials / len(problems) / len(pool))) for values in pool]
    for values in pool:
        verdict, detail = verdict_of(rng, attack)
        now += int(rng.random() * 120)
        for at, row in enumerate(problems):
            if left == 0:
                return
            left -= 1
            problem = row["problem"]
            ns = row["floor_ns"] * cost(values, problem, index) * (1 + rng.gauss(0, .01))
            one = [text(values), text(problem), at, verdict, *([ns, ns * 1.01, ns * .97, ns * .012] if verdict == "ok" else [0.0] * 4),
                   9 if verdict == "ok" else 0, 32 + rng.randrange(40), 0, 128, detail]
            if isinstance(detail, bytes):
                one[-1] = detail
            total = row_sum(key, device, *one)
            db.execute("INSERT INTO trials(space, configuration, problem, problem_index, verdict, median_ns, mean_ns, min_ns,"
                       " deviation_ns, samples, registers, local_bytes, shared_bytes, detail, sum, measured)"
                       " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,CAST(? AS TEXT),?,?)", (space, *one, total, now + at))


def add_history(db, entry, index, attack):
    counters = [{"problem": {"rows": 4096, "d": 4096}, "of": of, "kernel": entry["kernel"], **({"bound": "memory"} if of == "best" else {}),
                 "time_ns": ns, "read_bytes": 6.7e7, "written_bytes": 3.4e7, "memory_busy_percent": busy, "warps_percent": warps}
                for of, ns, busy, warps in (("original", 51000, 41, 62), ("best", 25300, 84, 71))]
    record = json.dumps({"round": 0, "generator": "explicit", "tuning": {"counters": counters}}).encode()
    name = digest(record)
    if index == 0:
        db.execute("INSERT INTO artifacts(hash, size, data) VALUES(?, ?, ?)", (name, len(record), frame(record)))
        db.execute("INSERT INTO blobs(key, hash, used) VALUES(?, ?, ?)", (f"plan {name}", name, BEGIN_MS // 1000))
    lines = [("tuning", "ktcc 0.1.0, 6 problems, 60 s"), ("space", "1080 legal configurations, 1044 that the device can run"),
             ("search", "500 configurations tried, 12 wrong"), ("stopped", ATTACK if attack else "enough was measured"),
             *([("record", name)] if index == 0 else []), ("won", text(entry["configuration"]))]
    for second, (event, detail) in enumerate(lines):
        db.execute("INSERT INTO ledger(time, region_key, device_key, event, detail) VALUES(?, ?, ?, ?, ?)",
                   (BEGIN_MS // 1000 + 9 * second, entry["keys"]["region"], entry["keys"]["device"], event, detail))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ktcc", required=True)
    parser.add_argument("--store", required=True)
    parser.add_argument("--regions", type=int, default=1)
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--attack", action="store_true")
    asked = parser.parse_args()
    rng = random.Random(1)
    entries = [make_entry(i, rng, asked.attack) for i in range(asked.regions)]
    with tempfile.TemporaryDirectory() as folder:
        for i, entry in enumerate(entries):
            with open(os.path.join(folder, f"{i}.json"), "w") as file:
                json.dump(entry, file, ensure_ascii=False)
        subprocess.run([asked.ktcc, "cache", "import", folder], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "KTUNE_CACHE_DIR": asked.store})
    with sqlite3.connect(os.path.join(asked.store, "store.sqlite")) as db:
        for i, entry in enumerate(entries):
            add_trials(db, entry, i, asked.trials // asked.regions, rng, asked.attack)
            add_history(db, entry, i, asked.attack)


if __name__ == "__main__":
    main()
