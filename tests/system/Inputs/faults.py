#!/usr/bin/env python3
"""A search with bad candidates in it: it ends, with all of them tried and none of them kept, and leaves no process.

  faults.py DIRECTORY CASES EVERY [--ratio R] COMMAND…

Runs COMMAND, which tunes, with FAULTS=1 in the place of the word "FAULTS": CASES candidates, and CASE=EVERY-1 and each
EVERY behind it is bad: rejected, or lost after a first look for being slow. With --ratio it runs with FAULTS=0 as well, and fails where that takes less than 1/R of the
time. Everything is looked at before it fails, and each finding has a line.
"""
import glob
import json
import os
import re
import sqlite3
import subprocess
import sys
import time


def processes():
    """Of this session: what the run left behind, zombies as well."""
    found = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            text = open(path).read()
        except OSError:
            continue
        name = text[text.index("(") + 1:text.rindex(")")]
        state, _, _, session = text[text.rindex(")") + 2:].split()[:4]
        if int(session) == os.getsid(0) and name.startswith("ktcc"):
            found[int(text.split()[0])] = f"{name} {state}"
    return found


def gpu_bytes():
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "-i",
                               os.environ.get("CUDA_VISIBLE_DEVICES", "0")], capture_output=True, text=True)
        return int(done.stdout.split()[0]) if done.returncode == 0 else None
    except (OSError, ValueError, IndexError):
        return None


def accepted(directory, every):
    """Bad candidates of which the store has times that are not a first look's alone (detail "screened")."""
    store = sqlite3.connect(f"file:{directory}/cache1/store.sqlite?mode=ro", uri=True)
    rows = store.execute("SELECT DISTINCT configuration FROM trials WHERE median_ns > 0 AND detail IS NOT 'screened'")
    cases = [int(re.search(r"\bCASE=(\d+)", row[0])[1]) for row in rows]
    store.close()
    return [case for case in cases if case % every == every - 1]


def run(directory, faults, command):
    environment = dict(os.environ, KTUNE_CACHE_DIR=f"{directory}/cache{faults}",
                       KTUNE_LOCK_DIR=f"{directory}/lock{faults}",
                       KTUNE_LOG=f"{directory}/log{faults}")
    os.makedirs(environment["KTUNE_LOCK_DIR"], exist_ok=True)
    begin = time.time()
    done = subprocess.run([word.replace("FAULTS", f"FAULTS={faults}") for word in command], env=environment,
                          capture_output=True, text=True)
    wall = time.time() - begin
    if done.returncode != 0:
        sys.exit(f"FAULTS={faults}: exit code {done.returncode}: {done.stderr}{done.stdout}")
    return json.loads(done.stdout)[0], wall


def main():
    directory, cases, every = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    words, ratio = sys.argv[4:], None
    if words[0] == "--ratio":
        ratio, words = float(words[1]), words[2:]
    # A session of its own: other tests run beside this one.
    if os.getsid(0) != os.getpid():
        if os.getpgrp() == os.getpid():
            sys.exit(subprocess.run([sys.executable] + sys.argv, start_new_session=True).returncode)
        os.setsid()
    if ratio is not None:
        run(f"{directory}/first", 0, [word.replace(f"{cases}n", "16n") for word in words])
    before, memory, bad = processes(), gpu_bytes(), []
    faulty, faulty_s = run(directory, 1, words)
    rejected = faulty["wrong"] + faulty["uncompiled"] + faulty["refused"]
    print(f"with faults: {faulty['tried']} tried, {faulty['wrong']} wrong, {faulty['uncompiled']} not compiled, "
          f"{faulty['refused']} refused, {faulty_s:.1f} s", flush=True)
    if faulty["tried"] != cases or not cases // every // 2 <= rejected <= cases // every:
        bad.append(f"{cases} should be tried and {cases // every} of them rejected, not {rejected}: {faulty}")
    for case in accepted(directory, every):
        bad.append(f"a bad candidate was accepted: CASE={case}")
    configuration = faulty["entry"]["configuration"]
    if not faulty["entry"]["baseline_best"] and configuration.get("CASE", 0) % every == every - 1:
        bad.append(f"a bad candidate is kept: {configuration}")
    time.sleep(0.5)
    left = {pid: name for pid, name in processes().items() if pid not in before}
    if left:
        bad.append(f"processes are left: {left}")
    if memory is not None:
        after = gpu_bytes()
        print(f"device memory: {memory} MiB before, {after} MiB after", flush=True)
        if after > memory + 64:
            bad.append("device memory was lost")
    if ratio is not None:
        clean, clean_s = run(directory, 0, words)
        print(f"without faults: {clean['tried']} tried, {clean['wrong']} wrong, {clean_s:.1f} s: the faults cost "
              f"{100 * (faulty_s / clean_s - 1):.0f}%", flush=True)
        if clean["tried"] != cases or clean["wrong"] != 0:
            bad.append(f"{cases} should be tried and none be wrong: {clean}")
        if faulty_s > ratio * clean_s:
            bad.append(f"the faults cost too much: {faulty_s / clean_s:.2f} times as long, not {ratio}")
    for finding in bad:
        print(f"failed: {finding}")
    sys.exit(1 if bad else 0)


main()
