#!/usr/bin/env python3
"""Writes SYNTHETIC lock entries with recipes of the real generator, for tests only: nothing in them was measured.

  entry.py PREFIX TOOLKIT LOCK FILE [NAME=VALUE…] -- flags

For an H200, one a region instance that has a template. Parameters that are not given, or have no such value, have their
first.
"""
import hashlib
import json
import os
import subprocess
import sys

from second import device_key  # noqa: E402
from entry_text import stable  # noqa: E402

DEVICE = {"vendor": "NVIDIA", "name": "NVIDIA H200", "cc": 90, "multiprocessors": 132, "memory_bus_bits": 6016,
          "l2_bytes": 62914560}


def digest(text):
    return hashlib.blake2b(text.encode(), digest_size=32).hexdigest()


def ask(*arguments):
    return json.loads(subprocess.run(arguments, capture_output=True, text=True, check=True).stdout)


def make(case, region, template, given):
    configuration = {each["name"]: given[each["name"]] if given.get(each["name"]) in each["values"]
                     else each["values"][0]
                     for each in template["parameters"]}
    key, timing = case["region_key"], {"mean_ns": 1, "min_ns": 1, "deviation_ns": 0, "samples": 1}
    problems = [{"problem": region["problems"][0], "baseline_ns": 2, "tuned_ns": 1, "speedup": 2, "baseline": timing,
                 "tuned": timing}]
    entry = {"ktune": 2, "name": region["name"], "kernel": region["kernel"], "instance": case["instance"],
             "keys": {"region": key, "near": digest("near" + key), "closure": digest("closure" + key),
                      "device": device_key(DEVICE)},
             "device": DEVICE, "baseline_best": False, "configuration": configuration, "problems": problems,
             "resources": {"registers": 1, "local_bytes": 0, "shared_bytes": 0}, "search": {"tried": 1, "legal": 1},
             "provenance": {"tool": "synthetic", "generator": template["generator"], "toolkit": "13.0",
                            "driver": "synthetic", "date": "2000-01-01"},
             "recipe": {"passes": [{"name": each["name"], "version": 1} for each in template["strategies"]],
                        "text": "0" * 64}}
    return entry


def write(entry, path):
    entry.pop("hash", None)
    entry["hash"] = digest(stable(entry) + "\n")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(stable(entry) + "\n")


def settle(prefix, lock, file, flags):
    """Says of each entry that what its recipe comes to is what was measured."""
    os.environ["KTUNE_LOCK_DIR"] = lock
    for region in ask(f"{prefix}/bin/ktcc", "explain", "--json", file, *flags)["regions"]:
        for found in region["entries"]:
            if "rebuilt" in found:
                entry = json.load(open(found["path"]))
                entry["recipe"]["text"] = found["rebuilt"]
                write(entry, found["path"])


def main():
    at = sys.argv.index("--")
    (prefix, toolkit, lock, file), flags = sys.argv[1:5], sys.argv[at:]
    given = {name: int(value) for name, value in (word.split("=") for word in sys.argv[5:at])}
    clang = [each for each in flags if not each.startswith("-arch")]
    regions = ask(f"{prefix}/bin/ktcc", "scan", "--json", file, *flags)["regions"]
    cases = ask(f"{prefix}/bin/ktcc", "explain", "--json", file, *flags)["regions"]
    answer = ask(f"{prefix}/libexec/ktcc/ktcc-clang", "rewrite", "--file", file, "--toolkit", toolkit, "--arch", "90",
                 *clang)
    for template in answer["templates"]:
        region = regions[template.pop("region")]
        own = [case for case in cases if (case["region"], case["line"]) == (region["name"], region["line"])]
        entry = make(own[template.pop("instance")], region, template, given)
        folder = os.path.join(lock, f"{entry['name']}-{entry['keys']['region'][:8]}")
        write(entry, os.path.join(folder, "NVIDIA_H200-sm_90.json"))
    settle(prefix, os.path.abspath(lock), file, flags)


main()
