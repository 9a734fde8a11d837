#!/usr/bin/env python3
"""Writes SYNTHETIC lock entries, for tests only: nothing in them was measured.

  make_entry.py --ktcc KTCC --lock DIR [--device H200|A100] [--rewrite ANSWER] FILE REGION NAME=VALUE...
                [REGION NAME=VALUE...] [-- nvcc flags]

Each REGION is a region's name (all its instances) or an instance's, such as "fill<float, 128>". The entry is for
an H200, or the device that is named, and holds the given configuration with invented times, under the region key that
`ktcc explain` shows. ANSWER is a file like the answer of `ktcc-clang rewrite`: the entries are recipes of its templates,
and the ktcc-clang beside KTCC must answer so.
Where TEST_ENTRIES names a folder, entries of the same words and files (those in the working folder, beside FILE
and below) come from there: it lives as long as one run of the tests.
"""
import argparse
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from entry_text import device_key

DEVICES = {
    "H200": {"vendor": "NVIDIA", "name": "NVIDIA H200", "cc": 90, "multiprocessors": 132, "memory_bus_bits": 6016,
             "l2_bytes": 62914560},
    "A100": {"vendor": "NVIDIA", "name": "NVIDIA A100-SXM4-80GB", "cc": 80, "multiprocessors": 108,
             "memory_bus_bits": 5120, "l2_bytes": 41943040},
}
BASELINE_NS, TUNED_NS = 2000, 1000


def digest(data):
    return hashlib.blake2b(data, digest_size=32).hexdigest()


def run(arguments, environment=None):
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: {done.stderr or done.stdout}")
    return json.loads(done.stdout)


def stable(value, indent=0):
    """The form that hashes are made of: arrays of scalars on one line, but several texts one a line."""
    if not isinstance(value, (dict, list)) or not value:
        return json.dumps(value)
    flat = isinstance(value, list) and not any(isinstance(item, (dict, list)) for item in value)
    if flat and sum(isinstance(item, str) for item in value) < 2:
        return json.dumps(value)
    inner = "\n" + "  " * (indent + 1)
    if isinstance(value, list):
        return "[" + ",".join(inner + stable(item, indent + 1) for item in value) + inner[:-2] + "]"
    return "{" + ",".join(f"{inner}{json.dumps(name)}: {stable(item, indent + 1)}"
                          for name, item in value.items()) + inner[:-2] + "}"


def timing(ns):
    return {"mean_ns": ns, "min_ns": ns, "deviation_ns": 1, "samples": 1}


def template_of(options, regions, case, region):
    """What the answer has for this instance; None: the kernel as written."""
    if not options.rewrite:
        return None
    with open(options.rewrite) as file:
        templates = json.load(file)["templates"]
    at = regions.index(region)
    instance = [one["name"] for one in region["instances"]].index(case["instance"])
    for template in templates:
        if (template["region"], template["instance"]) == (at, instance):
            return {name: value for name, value in template.items() if name not in ("region", "instance")}
    return None


def make(case, region, configuration, device, template):
    key = case["region_key"]
    rows = [{"problem": problem, "baseline_ns": BASELINE_NS, "tuned_ns": TUNED_NS, "floor_ns": TUNED_NS,
             "speedup": BASELINE_NS / TUNED_NS, "baseline": timing(BASELINE_NS), "tuned": timing(TUNED_NS)}
            for problem in region["problems"]]
    for row in rows:
        row["speedup"] = int(row["speedup"])
    entry = {"ktune": 2, "name": region["name"], "kernel": region["kernel"], "instance": case["instance"],
             "symbol": case["keys"]["symbol"],
             # Found by its region key; the other two stand for no text that exists.
             "keys": {"region": key, "near": digest(b"synthetic near" + key.encode()),
                      "closure": digest(b"synthetic closure" + key.encode()), "device": device_key(device)},
             "device": device, "baseline_best": False, "configuration": configuration, "problems": rows,
             "resources": {"registers": 1, "local_bytes": 0, "shared_bytes": 0}, "search": {"tried": 1, "legal": 1},
             "provenance": {"tool": "synthetic", "generator": "explicit", "toolkit": "13.0", "driver": "synthetic",
                            "date": "2000-01-01"}}
    if template:
        entry["provenance"]["generator"] = template["generator"]
        entry["recipe"] = {"passes": [{"name": each["name"], "version": 1} for each in template.get("strategies", [])]
                           or [{"name": "synthetic", "version": 1}], "text": "0" * 64}
    return entry


def write(entry, path):
    entry.pop("hash", None)
    entry["hash"] = digest((stable(entry) + "\n").encode())
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(stable(entry) + "\n")


def settle(options, flags, lock):
    """Says of each recipe that what it comes to is what was measured."""
    environment = dict(os.environ, KTUNE_LOCK_DIR=os.path.abspath(lock), KTUNE_DEVICE=DEVICES[options.device]["name"])
    for case in run([options.ktcc, "explain", "--json", options.file] + flags, environment)["regions"]:
        for found in case["entries"]:
            if "rebuilt" in found:
                with open(found["path"]) as file:
                    entry = json.load(file)
                entry["recipe"]["text"] = found["rebuilt"]
                write(entry, found["path"])


def parse(words):
    wanted = []
    for word in words:
        if re.fullmatch(r"\w+=-?\d+", word):
            name, value = word.split("=")
            wanted[-1][1][name] = int(value)
        else:
            wanted.append((word, {}))
    return wanted


def make_all(options, flags, lock):
    os.makedirs(lock, exist_ok=True)
    device = DEVICES[options.device]
    scanned = run([options.ktcc, "scan", "--json", options.file] + flags)["regions"]
    regions = {(region["name"], region["line"]): region for region in scanned}
    cases = run([options.ktcc, "explain", "--json", options.file] + flags)["regions"]
    for name, configuration in parse(options.words):
        chosen = [case for case in cases if name in (case["region"], case.get("instance"))]
        if not chosen:
            sys.exit(f"{options.file}: no region or instance {name}")
        for case in chosen:
            if "region_key" not in case:
                sys.exit(f"{options.file}: {name} is left unmodified: {case.get('reason')} {case.get('detail', '')}")
            region = regions[case["region"], case["line"]]
            entry = make(case, region, configuration, device, template_of(options, scanned, case, region))
            folder = os.path.join(lock, f"{entry['name']}-{case['region_key'][:8]}")
            write(entry, os.path.join(folder, f"{device['name'].replace(' ', '_')}-sm_{device['cc']}.json"))
    if options.rewrite:
        settle(options, flags, lock)


def recipe(options, flags):
    """What the entries of one test run follow from: the words, and the text of the files that FILE may include."""
    hashed = hashlib.blake2b(json.dumps([options.device, options.file, options.words, flags]).encode())
    if options.rewrite:
        with open(options.rewrite, "rb") as file:
            hashed.update(file.read())
    found = {path for folder in (".", os.path.dirname(options.file) or ".")
             for path in glob.glob(os.path.join(glob.escape(folder), "**/*.[ch]*"), recursive=True)}
    for path in sorted(filter(os.path.isfile, found)):
        with open(path, "rb") as file:
            hashed.update(os.path.basename(path).encode() + hashlib.blake2b(file.read()).digest())
    return hashed.hexdigest()[:32]


def main():
    words, flags = sys.argv[1:], []
    if "--" in words:
        at = words.index("--")
        words, flags = words[:at], words[at:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ktcc", required=True)
    parser.add_argument("--lock", required=True)
    parser.add_argument("--device", default="H200", choices=DEVICES)
    parser.add_argument("--rewrite")
    parser.add_argument("file")
    parser.add_argument("words", nargs="+")
    options = parser.parse_args(words)
    kept = os.environ.get("TEST_ENTRIES")
    if not kept:
        make_all(options, flags, options.lock)
        return
    kept = os.path.join(kept, recipe(options, flags))
    if not os.path.exists(kept):
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        with tempfile.TemporaryDirectory(dir=os.path.dirname(kept)) as folder:
            make_all(options, flags, os.path.join(folder, "lock"))
            try:
                os.rename(os.path.join(folder, "lock"), kept)
            except OSError:
                pass  # Another test was first.
    shutil.copytree(kept, options.lock, dirs_exist_ok=True)


main()
