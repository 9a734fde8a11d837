"""Faults of every kind while builds run on one store, and after each: the builds that go on make right objects, nothing
that was measured before is gone, nothing unverified is used, and the next build without a fault is as if there had been
none.

usage: faults.py KTCC FOLDER [--seed N] [--kills N] [--every N] [--mutations N] [--parts PART…]

  kill       kill -9 of ktcc, of the runner, of the scanner or of a compiler at a random instant of two builds of one
             region, --kills times
  crash      ktcc ends at each of its changes to a file in turn (every --every-th)
  eio        each change fails with EIO in turn, once; and all from there on
  full       a disk of each size that is too small: a tmpfs where one may be mounted, else ENOSPC from a change on
  upkeep     ktcc ends at, or gets EIO from, each change in turn while it replaces a damaged store, brings one of an
             older version up to date, or collects what is not used
  readonly   a file system that takes no writes
  clock      the clock jumps, before a build and in it
  mutate     the database, its log, the files that lock, and entries of a lock directory: bits flipped, cut,
             overwritten, lengthened, --mutations times
"""
import argparse
import contextlib
import errno
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import mutate
import upkeep
import world as worlds

sys.path.insert(0, worlds.INPUTS)
from entry_text import rehashed, stable  # noqa: E402

# Right ones, and two that only look fast.
WRONG = {"BLOCK=64 ITEMS=4", "BLOCK=512 ITEMS=2"}
PARTS = ("kill", "crash", "eio", "full", "upkeep", "readonly", "clock", "mutate")
VICTIMS = ("ktcc", "ktcc-runner", "nvcc", "ktcc-clang")


def make_recording(path):
    lines = []
    with open(worlds.RECORDING) as given:
        for line in given:
            row = json.loads(line)
            if row.get("configuration") in WRONG and row["kind"] == "try":
                row["verdict"] = "wrong-answer"
                row["detail"] = "y[0] is 1, but 2 is expected"
                fast = dict(row, kind="compare", timing=dict(row["timing"], median_ns=100, mean_ns=100, min_ns=100))
                lines.append(fast)
            lines.append(row)
    with open(path, "w") as out:
        out.writelines(json.dumps(row) + "\n" for row in lines)


def session_members(leader):
    """(process, name) of all that runs in the session."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                text = file.read()
        except OSError:
            continue
        state, _, _, session = text[text.rindex(")") + 2:].split()[:4]
        if int(session) == leader and state != "Z":
            found.append((int(name), text[text.index("(") + 1:text.rindex(")")]))
    return found


class Faults(upkeep.Upkeep, mutate.Mutate):
    wrong = WRONG

    def __init__(self, options):
        self.options, self.random = options, random.Random(options.seed)
        self.world = worlds.World(options.folder, options.ktcc)
        self.recording = os.path.join(self.world.folder, "recording.jsonl")
        make_recording(self.recording)
        self.shim = os.path.join(self.world.folder, "shim.so")
        worlds.compile_c(self.shim, os.path.join(worlds.HERE, "shim.c"), "-shared", "-fPIC", "-ldl")
        self.references, self.figures, self.number = {}, {}, 0

    # One build.

    def source(self, number):
        name = f"k{number}.cu"
        path = os.path.join(self.world.folder, name)
        if not os.path.exists(path):
            with open(path, "w") as out:
                out.write(worlds.source(number))
        return name

    def environment(self, cache, **more):
        return self.world.environment(cache, KTUNE_REPLAY=self.recording, **more)

    def fault(self, **values):
        return dict({f"FAULT_{name}": str(value) for name, value in values.items()}, LD_PRELOAD=self.shim)

    def start(self, number, output, cache, **more):
        return subprocess.Popen(self.world.command(self.source(number), output), cwd=self.world.folder,
                                env=self.environment(cache, **more), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, start_new_session=True)

    def build(self, number, output, cache, **more):
        with self.start(number, output, cache, **more) as child:
            said = child.communicate(timeout=120)[0]
        return child.returncode, said

    def path(self, *parts):
        return os.path.join(self.world.folder, *parts)

    # What is right.

    def reference(self, number):
        """The objects of a build without faults, and of one without ktcc."""
        if number not in self.references:
            self.references[number] = []
            for mode, output in (("auto", "reference.o"), ("off", "plain.o")):
                code, said = self.build(number, output, self.path("reference-cache"), KTUNE_MODE=mode)
                assert code == 0, said
                self.references[number].append(worlds.read(self.path(output)))
            tuned, plain = self.references[number]
            assert tuned != plain and b"ktune_v_" in tuned, "the reference is not specialised"
        return self.references[number]

    def judge(self, number, output, cache, what):
        """'tuned', 'original', or 'other': another right configuration won, because what beats it could not be
        tried."""
        data = worlds.read(self.path(output))
        tuned, plain = self.reference(number)
        if data in (tuned, plain):
            return "tuned" if data == tuned else "original"
        done = self.world.cache(cache, "list", "--json")
        entries = [row for row in json.loads(done.stdout)] if done.returncode == 0 else []
        used = {re.sub(r" \(\+\d+\)$", "", row["configuration"]) for row in entries}
        code, said = self.build(number, output + ".again.o", cache, KTUNE_MODE="cached")
        assert code == 0 and worlds.read(self.path(output + ".again.o")) == data, \
            f"{what}: {output} is no right object: {said}"
        assert not used & WRONG, f"{what}: a wrong configuration is used: {used}"
        return "other"

    def count(self, part, name):
        figures = self.figures.setdefault(part, {})
        figures[name] = figures.get(name, 0) + 1

    def kept(self, known, cache, what):
        now = worlds.trials(cache)
        assert now is not None, f"{what}: the store cannot be read"
        # What is measured better later replaces its row: a trial is gone where its configuration on a problem is.
        gone = {row[:5] for row in known} - {row[:5] for row in now}
        assert not gone, f"{what}: {len(gone)} of {len(known)} measured trials are gone"
        return now

    def healthy(self, number, output, cache, what, part, **more):
        """The build after a fault."""
        code, said = self.build(number, output, cache, **more)
        assert code == 0, f"{what}: the next build failed: {said}"
        found = self.judge(number, output, cache, what)
        assert found != "original", f"{what}: the next build left the region as written: {said}"
        self.count(part, "next " + found)

    def whole(self, lock, what):
        """Every entry of a lock directory is one, whatever happened while it was written."""
        for folder, _, names in os.walk(lock):
            for name in names:
                path = os.path.join(folder, name)
                if name.endswith(".json"):
                    text = worlds.read(path).decode()
                    assert stable(rehashed(json.loads(text))) + "\n" == text, f"{what}: {path} is no whole entry"

    def verified(self, cache, what, *words):
        done = self.world.cache(cache, "verify", "--json", *words)
        assert done.returncode == 0 and json.loads(done.stdout)["problems"] == 0, f"{what}: {done.stdout}{done.stderr}"

    # The parts.

    def kill(self):
        cache, known, killed, number = self.path("kill-cache"), set(), 0, -1
        begin = time.monotonic()
        self.build(-1, "kill.o", cache, FAKE_DELAY_MS="4")
        lasts = time.monotonic() - begin
        while killed < self.options.kills and number < 5 * self.options.kills:
            number += 1
            what, wanted = f"kill {number}", VICTIMS[killed % len(VICTIMS)]
            children = [self.start(number, f"kill{side}.o", cache, FAKE_DELAY_MS="4") for side in range(2)]
            begin, instant = time.monotonic(), self.random.uniform(0, 0.7 * lasts)
            while time.monotonic() < begin + instant and any(child.poll() is None for child in children):
                time.sleep(0.001)
            # The instant is chosen; whoever of the wanted kind comes next is the victim, after a while whoever is
            # there.
            victim = None
            while victim is None and any(child.poll() is None for child in children):
                kinds = (wanted,) if time.monotonic() - begin < instant + lasts / 4 else VICTIMS
                found = [(process, side, name) for side, child in enumerate(children)
                         for process, name in session_members(child.pid) if name in kinds]
                victim = self.random.choice(found) if found else None
            what_came = "ended before the instant"
            if victim is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim[0], signal.SIGKILL)
                    what_came, killed = f"killed {victim[2]}", killed + 1
            self.count("kill", what_came)
            for side, child in enumerate(children):
                said = child.communicate(timeout=120)[0]
                mine = victim is not None and victim[1] == side
                name = victim[2] if mine else None
                if child.returncode == 0:
                    self.count("kill", self.judge(number, f"kill{side}.o", cache, what))
                else:
                    assert name in ("ktcc", "nvcc"), \
                        f"{what}: exit code {child.returncode}, though nothing of it was killed: {said}"
                    self.count("kill", f"build ended with its {name}")
            # Machines are slower at times.
            lasts = 0.5 * lasts + 0.5 * min(time.monotonic() - begin, 2 * lasts)
            known = self.kept(known, cache, what)
            for side in range(2):
                self.healthy(number, f"kill{side}.o", cache, what, "kill")
            known = self.kept(known, cache, what)
        assert killed == self.options.kills, f"{killed} of {self.options.kills} processes could be killed"
        self.verified(cache, "after all kills")
        self.figures["kill"]["kills"], self.figures["kill"]["trials"] = killed, len(known)

    def changes(self, warm):
        """How many changes to files one build makes."""
        cache, counted = self.path("count-cache"), self.path("count")
        shutil.rmtree(cache, ignore_errors=True)
        if warm:
            self.build(0, "count.o", cache)
        code, said = self.build(0, "count2.o", cache, **self.fault(PATH=self.world.folder, COUNT=counted))
        assert code == 0, said
        with open(counted) as file:
            return max(map(int, file.read().split()))

    def in_turn(self, part, runs):
        """Each of `runs` (what, fault) on a store that holds another region's trials; then healthy builds."""
        cache, base, lock = self.path(part + "-cache"), self.path(part + "-base"), self.path(part + "-lock")
        for path in (cache, base):
            shutil.rmtree(path, ignore_errors=True)
        self.build(1000, "base.o", base)
        known = worlds.trials(base)
        for number, (what, fault) in enumerate(runs):
            # A build that finds an entry, and, in turn, one that tunes; every other one into a lock directory as well.
            target = 1000 if number % 3 == 0 else 1001
            for path in (cache, lock):
                shutil.rmtree(path, ignore_errors=True)
            shutil.copytree(base, cache)
            os.makedirs(lock)
            place = {"KTUNE_LOCK_DIR": lock} if number % 2 else {}
            code, said = self.build(target, f"{part}.o", cache, **place, **fault)
            self.whole(lock, f"{part} {what}")
            if fault.get("FAULT_ERROR") == "0" and code != 0:
                self.count(part, "ktcc ended")
            else:
                assert code == 0, f"{part} {what}: exit code {code}: {said}"
                self.count(part, self.judge(target, f"{part}.o", cache, f"{part} {what}"))
            now = self.kept(known, cache, f"{part} {what}")
            self.healthy(target, f"{part}.o", cache, f"{part} {what}", part, **place)
            self.kept(now, cache, f"{part} {what}")
            self.whole(lock, f"{part} {what}")
            self.verified(cache, f"{part} {what}", "--lock-dir", lock)

    def every(self, **fault):
        most = max(self.changes(False), self.changes(True))
        # Three kinds of builds take turns, so the step must be no multiple of three.
        return [(f"at change {at} of {most}", self.fault(PATH=self.world.folder, AT=at, **fault))
                for at in range(1, most + 1, self.options.every)]

    def synced(self):
        """An entry of a lock directory is on the disk before it has its name."""
        cache, lock, counted = self.path("synced-cache"), self.path("synced-lock"), self.path("synced-count")
        os.makedirs(lock)
        code, said = self.build(1500, "synced.o", cache, KTUNE_LOCK_DIR=lock,
                                **self.fault(PATH=lock, KINDS="s", COUNT=counted))
        assert code == 0, said
        with open(counted) as file:
            assert max(map(int, file.read().split())) == 1, "an entry is written without a sync"

    def crash(self):
        self.in_turn("crash", self.every(ERROR=0))

    def eio(self):
        self.synced()
        self.in_turn("eio", self.every(ERROR=errno.EIO) + self.every(ERROR=errno.EIO, STICKY=1) +
                     self.every(ERROR=errno.EIO, KINDS="s", STICKY=1)[:8])

    def full(self):
        self.in_turn("full", self.every(ERROR=errno.ENOSPC, STICKY=1, KINDS="wt"))
        mount = self.path("small")
        os.makedirs(mount, exist_ok=True)
        step = 4 * self.options.every
        for kib in range(4, 900, step):
            if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "none", mount],
                              capture_output=True).returncode != 0:
                self.figures["full"]["tmpfs"] = "may not be mounted here"
                return
            try:
                cache, what = os.path.join(mount, "cache"), f"a disk of {kib} KiB"
                for output in ("small.o", "small2.o"):
                    code, said = self.build(0, output, cache)
                    assert code == 0, f"{what}: {said}"
                    self.count("full", "tmpfs " + self.judge(0, output, cache, what))
                known = worlds.trials(cache) or set()
                subprocess.run(["mount", "-o", "remount,size=64m", mount], check=True)
                for output in ("small.o", "small3.o"):
                    code, said = self.build(0, output, cache)
                    assert code == 0 and self.judge(0, output, cache, what) == "tuned", \
                        f"{what}, then room again: {said}"
                self.kept(known, cache, what)
                self.verified(cache, what)
            finally:
                subprocess.run(["umount", "-l", mount], check=True)

    def readonly(self):
        """Nothing below the store can be written: known regions are served, unknown ones are tuned and forgotten."""
        cache = self.path("readonly-cache")
        self.build(2000, "base.o", cache)
        known = worlds.trials(cache)
        for number, expected in ((2000, "tuned"), (2001, "tuned"), (2000, "tuned")):
            code, said = self.build(number, "readonly.o", cache,
                                    **self.fault(PATH=cache, AT=1, STICKY=1, ERROR=errno.EROFS))
            assert code == 0, said
            found = self.judge(number, "readonly.o", cache, "read-only")
            assert found == expected, (number, found, said)
            self.count("readonly", found)
            assert self.kept(known, cache, "read-only") == known
        empty = self.path("readonly-empty")
        os.makedirs(empty)
        code, said = self.build(2000, "readonly.o", empty, **self.fault(PATH=empty, AT=1, STICKY=1, ERROR=errno.EROFS))
        assert code == 0 and self.judge(2000, "readonly.o", empty, "read-only and empty") == "tuned", said
        self.count("readonly", "empty")

    def clock(self):
        cache, known, year = self.path("clock-cache"), set(), 365 * 86400
        jumps = [(offset * sign, at) for offset in (10 * year, 86400, 3600, 1) for sign in (1, -1)
                 for at in (0, 2, 10, 40)]
        for number, (seconds, at) in enumerate(jumps[::1 + self.options.every // 15]):
            what = f"clock {seconds} s from reading {at}"
            code, said = self.build(3000 + number, "clock.o", cache, **self.fault(CLOCK=seconds, CLOCK_AT=at))
            assert code == 0 and self.judge(3000 + number, "clock.o", cache, what) == "tuned", f"{what}: {said}"
            # Twice, beside one another, with clocks that differ: one tunes.
            children = [self.start(4000 + number, f"clock{side}.o", cache,
                                   **self.fault(CLOCK=seconds * side, CLOCK_AT=at))
                        for side in range(2)]
            said = "".join(child.communicate(timeout=120)[0] for child in children)
            assert said.count("configurations tried in") == 1, f"{what}: {said}"
            for side in range(2):
                assert self.judge(4000 + number, f"clock{side}.o", cache, what) == "tuned"
            known = self.kept(known, cache, what)
            self.count("clock", "jumps")
        self.verified(cache, "after all jumps")

    def go(self):
        for part in PARTS:
            if part in (self.options.parts or PARTS):
                begin = time.monotonic()
                getattr(self, part)()
                self.figures[part]["seconds"] = round(time.monotonic() - begin, 1)
                print(part, json.dumps(self.figures[part]), flush=True)


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("ktcc")
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--mutations", type=int, default=1000)
    parser.add_argument("--parts", nargs="+", choices=PARTS)
    Faults(parser.parse_args()).go()


main()
