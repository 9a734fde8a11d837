#!/usr/bin/env python3
"""Entries as files: the published schema, edited ones, other makers' ones, another machine, diff and exchange.

  lock.py KTCC NVCC FOLDER INPUTS RECORDING SCHEMA ENTRY...

ENTRY...: further entries that must be valid. Ends with "passed", or with what was not as expected.
"""
import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

import jsonschema

from entry_text import TEMPLATE, device_key, edited, rehashed, stable

KTCC, NVCC, FOLDER, INPUTS, RECORDING, SCHEMA = sys.argv[1:7]
FLAGS = ["-arch=sm_90", "-c", "saxpy.cu", "-o", "saxpy.o"]
EXPLAIN = ["explain", "--json", "saxpy.cu", "--", "-arch=sm_90"]
failed = 0


def check(what, good, detail=""):
    global failed
    if not good:
        failed += 1
        print(f"FAIL {what} {detail}")


def ktcc(machine, *words, offline=False, **settings):
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith("KTUNE_") or key == "KTUNE_LIBCLANG"}
    environment["KTUNE_CACHE_DIR"] = f"{FOLDER}/{machine}/cache"
    environment.update({f"KTUNE_{key}": value for key, value in settings.items()})
    front = ["unshare", "--net"] if offline else []
    return subprocess.run([*front, KTCC, *words], cwd=f"{FOLDER}/{machine}", env=environment, capture_output=True,
                          text=True)


def machine(name):
    os.makedirs(f"{FOLDER}/{name}")
    for file in ("saxpy.cu", "saxpy.h"):
        shutil.copy(f"{INPUTS}/{file}", f"{FOLDER}/{name}")
    return f"{FOLDER}/{name}"


# Edits by hand or by somebody hostile: what is done, what the reason must hold, and whether the schema sees it as well.
def put(*path_and_value):
    *path, last, value = path_and_value

    def change(entry):
        for step in path:
            entry = entry[step]
        entry[last] = value
    return change


def drop(*path):
    def change(entry):
        for step in path[:-1]:
            entry = entry[step]
        del entry[path[-1]]
    return change


def twice(entry):
    entry["problems"][0]["speedup"] *= 2


EDITS = [
    ("format", put("ktune", 3), "/ktune: ", True),
    ("unknown member", put("shell", "rm -rf ~"), "/shell: an unknown member", True),
    ("missing member", drop("keys", "near"), '/keys: member "near" is missing', True),
    ("name", put("name", "../../etc"), "/name: ", True),
    ("quote in the kernel", put("kernel", 'k"; system("x")'), "/kernel: ", True),
    ("newline in the device", put("device", "name", "x\n#include <x>"), "/device/name: ", True),
    ("text for a number", put("configuration", "BLOCK", "256;"), "/configuration/BLOCK: ", True),
    ("parameter with code", put("configuration", "BLOCK)", 1), "/configuration/BLOCK): ", True),
    ("negative time", put("problems", 0, "baseline_ns", -1), "/problems/0/baseline_ns: ", True),
    ("no problem", put("problems", []), "/problems: ", True),
    ("short hash", put("keys", "region", "12"), "/keys/region: ", True),
    ("speedup", twice, "/problems/0/speedup: ", False),
    ("rule", put("specialised", [{"when": "system(0)", "configuration": {"BLOCK": 64, "ITEMS": 1},
                                  "resources": {"registers": 1, "local_bytes": 0, "shared_bytes": 0}}]),
     "/specialised/0/when: ", False),
    ("verification", put("provenance", "verification", {"checks": -1}), "/provenance/verification/checks: ", True),
    ("device key", put("device", "multiprocessors", 7), "/keys/device: ", False),
]


def write(folder, name, entry):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{name}", "w") as out:
        out.write(stable(entry) + "\n")


def schema_and_edits(lock, folder, entry):
    """All edits lie in one folder, so that one command judges them."""
    with open(SCHEMA) as file:
        validator = jsonschema.Draft202012Validator(json.load(file))
    verified = edited(entry, put("provenance", "verification", {"checks": 24, "watched_by": "memcheck, racecheck"}))
    generated = edited(entry, put("template", TEMPLATE))
    generated["provenance"]["generator"] = TEMPLATE["generator"]
    valid = [entry, verified, generated]
    for path in sys.argv[7:]:
        with open(path) as file:
            valid.append(json.load(file))
    for one in valid:
        errors = [error.message for error in validator.iter_errors(one)]
        check("the schema takes an entry", errors == [], f"{one['name']} {errors[:3]}")
    for index, (what, change, _, seen) in enumerate(EDITS):
        bad = rehashed(edited(entry, change))
        check(f"the schema on: {what}", validator.is_valid(bad) != seen)
        write(f"{lock}/{folder}", f"bad{index:02}.json", bad)
    write(f"{lock}/{folder}", "hash.json", edited(entry, put("configuration", "BLOCK", 64)))
    with open(f"{lock}/{folder}/text.json", "w") as out:
        out.write('{"ktune": 1,')
    write(f"{lock}/other-{'0' * 8}", "place.json", entry)
    note = edited(entry, put("x_note", {"why": "reviewed"}))
    note["problems"][0]["x_seen"] = True
    write(f"{lock}/{folder}", "note.json", note)
    write(f"{lock}/{folder}", "verified.json", rehashed(verified))
    write(f"{lock}/{folder}", "generated.json", rehashed(generated))
    write(f"{lock}/{folder}", "line.json", rehashed(edited(generated, put("template", "body", 0, "a\u0007b"))))
    said = ktcc("edits", "cache", "verify", "--lock-dir", lock).stdout
    reasons = [(f"bad{index:02}.json", reason) for index, (_, _, reason, _) in enumerate(EDITS)]
    reasons += [("hash.json", "/hash: the content was changed"), ("text.json", "/: "),
                ("line.json", "/template/body: text expected"), ("place.json", "/keys/region: the entry belongs into")]
    for file, reason in reasons:
        lines = [line for line in said.splitlines() if f"/{file}: " in line]
        check(f"{file} is refused with {reason}", len(lines) == 1 and f"{file}: {reason}" in lines[0], lines or said)
    check("a note is no damage", "note.json" not in said and "verified.json" not in said and
          "generated.json" not in said, said)
    check("everything was counted", f"{len(reasons)} problems" in said, said)


def refused_build(entry, folder):
    """The original compiles; one line names file, place and reason; required, it is an error."""
    at = machine("refused")
    write(f"{at}/ktune.lock/{folder}", "NVIDIA_H200-sm_90.json",
          rehashed(edited(entry, put("configuration", "BLOCK", 96))))
    said = ktcc("refused", KTCC_NVCC, *FLAGS).stderr
    check("a value that is not declared", os.path.exists(f"{at}/saxpy.o") and
          re.search(r"saxpy is left unmodified: .*NVIDIA_H200-sm_90.json: /configuration/BLOCK: a value is not among the "
                    r"declared ones", said), said)
    write(f"{at}/ktune.lock/{folder}", "NVIDIA_H200-sm_90.json", edited(entry, put("configuration", "BLOCK", 64)))
    done = ktcc("refused", KTCC_NVCC, *FLAGS, MODE="require")
    check("required", done.returncode == 102 and
          re.search(r"error: saxpy: .*NVIDIA_H200-sm_90.json: /hash: the content was changed", done.stderr),
          done.stderr)


def other_makers(entry, folder):
    """Entries of another driver, program or toolkit: used, and said to be no exact match only where the code may
    differ."""
    at = machine("makers")
    shutil.copytree(f"{FOLDER}/first/cache", f"{at}/cache")
    os.unlink(f"{at}/cache/store.sqlite")
    ktcc("makers", *EXPLAIN)
    rows = [("driver", "450.1", "exact"), ("tool", "ktcc 0.0.1", "exact"), ("toolkit", "12.4", "toolkit")]
    for field, value, closeness in rows:
        write(f"{at}/ktune.lock/{folder}", "NVIDIA_H200-sm_90.json",
              rehashed(edited(entry, put("provenance", field, value))))
        case = json.loads(ktcc("makers", *EXPLAIN).stdout)["regions"][0]
        check(f"another {field}", case["closeness"] == closeness, case["closeness"])
    done = ktcc("makers", KTCC_NVCC, *FLAGS)
    check("another toolkit is said", "uses the entry of NVIDIA H200 (toolkit match)" in done.stderr, done.stderr)
    write(f"{at}/ktune.lock/{folder}", "NVIDIA_H200-sm_90.json",
          rehashed(edited(entry, put("keys", {**entry["keys"], "region": entry["keys"]["region"][:8] + "0" * 56,
                                              "closure": "0" * 64, "near": "1" * 64}))))
    case = json.loads(ktcc("makers", *EXPLAIN).stdout)["regions"][0]
    check("keys of another version", case["closeness"] == "none" and case["entries"] == [], case)
    sister(at, entry, folder)
    counters = json.loads(ktcc("makers", "cache", "stats", "--json").stdout)["counters"]
    check("counted",
          [counters.get(name) for name in ("match:toolkit", "match:same-architecture", "entry:lock")] == [1, 1, 2],
          counters)


def sister(at, entry, folder):
    """The machine's GPU has no entry of its own, another one of its architecture has: used, said, and shown."""
    os.unlink(f"{at}/ktune.lock/{folder}/NVIDIA_H200-sm_90.json")
    other = edited(entry, put("device", "name", "NVIDIA H100"))
    other["keys"]["device"] = device_key(other["device"])
    write(f"{at}/ktune.lock/{folder}", "NVIDIA_H100-sm_90.json", rehashed(other))
    case = json.loads(ktcc("makers", *EXPLAIN, REPLAY=RECORDING).stdout)["regions"][0]
    check("another device of the architecture", case["closeness"] == "same-architecture", case["closeness"])
    done = ktcc("makers", KTCC_NVCC, *FLAGS, REPLAY=RECORDING, MODE="cached")
    check("another device is said", "uses the entry of NVIDIA H100 (same-architecture match)" in done.stderr,
          done.stderr)


def newer_store():
    """A store that a newer program wrote: read, said in one line, and not changed."""
    at = machine("newer")
    shutil.copytree(f"{FOLDER}/first/cache", f"{at}/cache")
    with contextlib.closing(sqlite3.connect(f"{at}/cache/store.sqlite")) as store:
        store.execute("PRAGMA user_version = 99")
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = open(f"{at}/cache/store.sqlite", "rb").read()
    done = ktcc("newer", "emit", "saxpy.cu", "-o", "-", "--", "-arch=sm_90", MODE="require")
    check("a newer store is read", done.returncode == 0 and "ktune_" in done.stdout, done.stderr)
    check("in one line",
          re.fullmatch(r"ktcc: .*was written by a newer ktcc \(schema version 99, .*\) and is only read\n",
                       done.stderr),
          done.stderr)
    done = ktcc("newer", "tune", "saxpy.cu", "--", "-arch=sm_90", REPLAY=RECORDING, MODE="retune")
    check("and tuning goes on", done.returncode == 0 and "configurations tried" in done.stderr, done.stderr)
    check("a newer store is left alone", open(f"{at}/cache/store.sqlite", "rb").read() == before and
          not any("corrupt" in name for name in os.listdir(f"{at}/cache")))


def exchange(lock, entry, folder):
    """Export, import, diff and verify agree with each other."""
    same = ktcc("first", "cache", "diff", "--lock-dir", lock)
    check("nothing differs", same.returncode == 0 and "0 differences" in same.stdout, same.stdout)
    copy = f"{FOLDER}/first/exported"
    ktcc("first", "cache", "export", "--lock-dir", copy)
    check("export writes what tuning wrote", open(f"{copy}/{folder}/NVIDIA_H200-sm_90.json").read() ==
          open(f"{lock}/{folder}/NVIDIA_H200-sm_90.json").read())
    older = edited(entry, put("provenance", "driver", "450.1"))
    older["configuration"]["BLOCK"] = 64 if entry["configuration"]["BLOCK"] != 64 else 128
    write(f"{copy}/{folder}", "NVIDIA_H200-sm_90.json", rehashed(older))
    done = ktcc("first", "cache", "diff", copy)
    check("a difference", done.returncode == 100 and
          re.search(r"~ saxpy on NVIDIA H200: configuration .*BLOCK=.* → .*driver .* → 450.1",
                                                               done.stdout), done.stdout)
    done = ktcc("first", "cache", "diff", lock, copy, "--json")
    check("of two folders", [item["change"] for item in json.loads(done.stdout)] == ["changed"], done.stdout)
    empty = f"{FOLDER}/first/empty"
    os.makedirs(empty)
    check("removed and added", "- saxpy" in ktcc("first", "cache", "diff", lock, empty).stdout and
          "+ saxpy" in ktcc("first", "cache", "diff", empty, lock).stdout)
    done = ktcc("edits", "cache", "import", copy)
    check("import", "1 entries imported" in done.stdout, done.stdout)
    check("imported as it was", ktcc("edits", "cache", "diff", copy).returncode == 0)


def another_machine(lock):
    """A checkout with ktune.lock/ on a machine with no GPU, no network and an empty cache."""
    at = machine("ci")
    shutil.copytree(lock, f"{at}/ktune.lock")
    offline = shutil.which("unshare") is not None and \
        subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode == 0
    done = ktcc("ci", KTCC_NVCC, *FLAGS, MODE="require", offline=offline)
    check("it builds", done.returncode == 0 and done.stderr == "", done.stderr)
    ours, theirs = (open(f"{FOLDER}/{name}/saxpy.o.ktune/saxpy.cu", "rb").read() for name in ("first", "ci"))
    check("the emitted source is the same", ours == theirs)
    check("it is specialised", b"ktune_" in theirs)
    print(f"another machine: {len(theirs)} bytes, the same; without a network: {offline}")


def main():
    global KTCC_NVCC
    KTCC_NVCC = NVCC
    at = machine("first")
    os.makedirs(f"{at}/ktune.lock")
    done = ktcc("first", NVCC, *FLAGS, REPLAY=RECORDING)
    check("tuned", "configurations tried" in done.stderr, done.stderr)
    lock = f"{at}/ktune.lock"
    folder, = (name for name in os.listdir(lock) if name.startswith("saxpy-"))
    with open(f"{lock}/{folder}/NVIDIA_H200-sm_90.json") as file:
        text = file.read()
    entry = json.loads(text)
    check("the stable form", stable(entry) + "\n" == text and rehashed(entry) == entry)
    machine("edits")
    schema_and_edits(f"{FOLDER}/edits/lock", folder, entry)
    exchange(lock, entry, folder)
    another_machine(lock)
    refused_build(entry, folder)
    other_makers(entry, folder)
    newer_store()
    print("passed" if failed == 0 else f"{failed} failed")
    sys.exit(failed != 0)


main()
