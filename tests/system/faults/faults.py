"""Faults of every kind while builds run on one store, and after each: the builds that go on make right objects, nothing that
was measured before is gone, nothing unverified is used, and the next build without a fault is as if there had been none.

usage: faults.py KTCC FOLDER [--seed N] [--kills N] [--every N] [--mutations N] [--parts PART…]

  kill       kill -9 of ktcc, of the runner, of the scanner or of a compiler at a random instant of two builds of one
             region, --kills times
  crash      ktcc ends at each of its changes to a file in turn (every --every-th)
  eio        each change fails with EIO in turn, once; and all from there on
  full       a disk of each size that is too small: a tmpfs where one may be mounted, else ENOSPC from a change on
  readonly   a file system that takes no writes
  clock      the clock jumps, before a build and in it
  mutate     the database, its log, the files that lock, and entries of a lock directory: bits flipped, cut, overwritten,
             lengthened, --mutations times
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
import time

import world as worlds

# Right ones, and two that only look fast.
WRONG = {"BLOCK=64 ITEMS=4", "BLOCK=512 ITEMS=2"}
PARTS = ("kill", "crash", "eio", "full", "readonly", "clock", "mutate")
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


class Faults:
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
        """'tuned', 'original', or 'other': another right configuration won, because what beats it could not be tried."""
        data = worlds.read(self.path(output))
        tuned, plain = self.reference(number)
        if data in (tuned, plain):
            return "tuned" if data == tuned else "original"
        done = self.world.cache(cache, "list", "--json")
        entries = [row for row in json.loads(done.stdout)] if done.returncode == 0 else []
        used = {re.sub(r" \(\+\d+\)$", "", row["configuration"]) for row in entries}
        code, said = self.build(number, output + ".again.o", cache, KTUNE_MODE="cached")
        assert code == 0 and worlds.read(self.path(output + ".again.o")) == data, f"{what}: {output} is no right object: {said}"
        assert not used & WRONG, f"{what}: a wrong configuration is used: {used}"
        return "other"

    def count(self, part, name):
        figures = self.figures.setdefault(part, {})
        figures[name] = figures.get(name, 0) + 1

    def kept(self, known, cache, what):
        now = worlds.trials(cache)
        assert now is not None, f"{what}: the store cannot be read"
        assert known <= now, f"{what}: {len(known - now)} of {len(known)} measured trials are gone"
        return now

    def healthy(self, number, output, cache, what, part):
        """The build after a fault."""
        code, said = self.build(number, output, cache)
        assert code == 0, f"{what}: the next build failed: {said}"
        found = self.judge(number, output, cache, what)
        assert found != "original", f"{what}: the next build left the region as written: {said}"
        self.count(part, "next " + found)

    def verified(self, cache, what):
        done = self.world.cache(cache, "verify", "--json")
        assert done.returncode == 0 and json.loads(done.stdout)["problems"] == 0, f"{what}: {done.stdout}{done.stderr}"

    # The parts.

    def kill(self):
        cache, known = self.path("kill-cache"), set()
        for attempt in range(self.options.kills):
            number, what = attempt, f"kill {attempt}"
            wanted = VICTIMS[attempt % len(VICTIMS)]
            children = [self.start(number, f"kill{side}.o", cache, FAKE_DELAY_MS="4") for side in range(2)]
            time.sleep(self.random.uniform(0, 0.14))
            # The instant is chosen; whoever of the wanted kind comes next is the victim.
            victim, until = None, time.monotonic() + 0.1
            while victim is None and time.monotonic() < until and any(child.poll() is None for child in children):
                found = [(process, side) for side, child in enumerate(children)
                         for process, name in session_members(child.pid) if name == wanted]
                victim = self.random.choice(found) if found else None
            if victim is not None:
                with contextlib.suppress(OSError):
                    os.kill(victim[0], signal.SIGKILL)
            self.count("kill", f"killed {wanted}" if victim is not None else f"no {wanted} any more")
            for side, child in enumerate(children):
                said = child.communicate(timeout=120)[0]
                mine = victim is not None and victim[1] == side
                if child.returncode == 0:
                    self.count("kill", self.judge(number, f"kill{side}.o", cache, what))
                else:
                    assert mine and wanted in ("ktcc", "nvcc"), f"{what}: {wanted} of the other build was killed: {said}"
                    self.count("kill", f"build ended with its {wanted}")
            known = self.kept(known, cache, what)
            for side in range(2):
                self.healthy(number, f"kill{side}.o", cache, what, "kill")
            known = self.kept(known, cache, what)
        self.verified(cache, "after all kills")
        self.figures["kill"]["trials"] = len(known)

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
        cache, base = self.path(part + "-cache"), self.path(part + "-base")
        for path in (cache, base):
            shutil.rmtree(path, ignore_errors=True)
        self.build(1000, "base.o", base)
        known = worlds.trials(base)
        for number, (what, fault) in enumerate(runs):
            # A build that finds an entry, and, in turn, one that tunes.
            target = 1000 if number % 3 == 0 else 1001
            shutil.rmtree(cache, ignore_errors=True)
            shutil.copytree(base, cache)
            code, said = self.build(target, f"{part}.o", cache, **fault)
            if fault.get("FAULT_ERROR") == "0" and code != 0:
                self.count(part, "ktcc ended")
            else:
                assert code == 0, f"{part} {what}: exit code {code}: {said}"
                self.count(part, self.judge(target, f"{part}.o", cache, f"{part} {what}"))
            now = self.kept(known, cache, f"{part} {what}")
            self.healthy(target, f"{part}.o", cache, f"{part} {what}", part)
            self.kept(now, cache, f"{part} {what}")
            self.verified(cache, f"{part} {what}")

    def every(self, **fault):
        most = max(self.changes(False), self.changes(True))
        # Three kinds of builds take turns, so the step must be no multiple of three.
        return [(f"at change {at} of {most}", self.fault(PATH=self.world.folder, AT=at, **fault))
                for at in range(1, most + 1, self.options.every)]

    def crash(self):
        self.in_turn("crash", self.every(ERROR=0))

    def eio(self):
        self.in_turn("eio", self.every(ERROR=errno.EIO) + self.every(ERROR=errno.EIO, STICKY=1) +
                     self.every(ERROR=errno.EIO, KINDS="s", STICKY=1)[:8])

    def full(self):
        self.in_turn("full", self.every(ERROR=errno.ENOSPC, STICKY=1, KINDS="wt"))
        mount = self.path("small")
        os.makedirs(mount, exist_ok=True)
        step = 4 * self.options.every
        for kib in range(4, 900, step):
            if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "none", mount], capture_output=True).returncode != 0:
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
                    assert code == 0 and self.judge(0, output, cache, what) == "tuned", f"{what}, then room again: {said}"
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
            code, said = self.build(number, "readonly.o", cache, **self.fault(PATH=cache, AT=1, STICKY=1, ERROR=errno.EROFS))
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
        jumps = [(offset * sign, at) for offset in (10 * year, 86400, 3600, 1) for sign in (1, -1) for at in (0, 2, 10, 40)]
        for number, (seconds, at) in enumerate(jumps[::1 + self.options.every // 15]):
            what = f"clock {seconds} s from reading {at}"
            code, said = self.build(3000 + number, "clock.o", cache, **self.fault(CLOCK=seconds, CLOCK_AT=at))
            assert code == 0 and self.judge(3000 + number, "clock.o", cache, what) == "tuned", f"{what}: {said}"
            # Twice, beside one another, with clocks that differ: one tunes.
            children = [self.start(4000 + number, f"clock{side}.o", cache, **self.fault(CLOCK=seconds * side, CLOCK_AT=at))
                        for side in range(2)]
            said = "".join(child.communicate(timeout=120)[0] for child in children)
            assert said.count("configurations tried in") == 1, f"{what}: {said}"
            for side in range(2):
                assert self.judge(4000 + number, f"clock{side}.o", cache, what) == "tuned"
            known = self.kept(known, cache, what)
            self.count("clock", "jumps")
        self.verified(cache, "after all jumps")

    # Mutations.

    def spoil(self, path):
        """One change of a file; what was done."""
        data = bytearray(worlds.read(path) or b"")
        kind = self.random.choice(("flip", "flip", "flips", "cut", "page", "noise", "longer", "empty", "swap"))
        where = self.random.randrange(len(data)) if data else 0
        if kind in ("flip", "flips") and data:
            for _ in range(1 if kind == "flip" else self.random.randint(2, 200)):
                where = self.random.randrange(len(data))
                data[where] ^= 1 << self.random.randrange(8)
        elif kind == "cut":
            del data[where:]
        elif kind == "page":
            where -= where % 4096
            data[where:where + 4096] = bytes(len(data[where:where + 4096]))
        elif kind == "noise":
            size = min(self.random.randint(1, 5000), len(data) - where)
            data[where:where + size] = self.random.randbytes(size)
        elif kind == "empty":
            data.clear()
        elif kind == "swap" and len(data) >= 8192:
            one, two = (4096 * self.random.randrange(len(data) // 4096) for _ in range(2))
            data[one:one + 4096], data[two:two + 4096] = data[two:two + 4096], data[one:one + 4096]
        else:
            data += self.random.randbytes(self.random.randint(1, 9000))
        with open(path, "wb") as out:
            out.write(data)
        return f"{kind} at {where}"

    def files(self, cache, lock):
        """What can be spoilt, by kind."""
        leases = os.path.join(cache, "leases")
        entries = [os.path.join(folder, name) for folder, _, names in os.walk(lock) for name in names]
        return {"database": [os.path.join(cache, "store.sqlite")], "log": [os.path.join(cache, "store.sqlite-wal")],
                "index of the log": [os.path.join(cache, "store.sqlite-shm")],
                "locks": [os.path.join(cache, "store.lock")] + [os.path.join(leases, name) for name in os.listdir(leases)],
                "entries": entries}

    def main_file_trials(self, base):
        """Those that are in the database itself, not in its log."""
        alone = self.path("main-only")
        shutil.rmtree(alone, ignore_errors=True)
        os.makedirs(alone)
        shutil.copy(os.path.join(base, "store.sqlite"), alone)
        return worlds.trials(alone)

    def mutate(self):
        base, cache, lock = self.path("mutate-base"), self.path("mutate-cache"), self.path("mutate-lock")
        regions = 8
        for number in range(regions):
            os.makedirs(self.path("lock-base"), exist_ok=True)
            code, said = self.build(5000 + number, f"m{number}.o", base)
            assert code == 0, said
        self.build(5000, "lock.o", self.path("lock-cache"), KTUNE_LOCK_DIR=self.path("lock-base"))
        every, main = worlds.trials(base), self.main_file_trials(base)
        lost, total, started = 0, 0, time.monotonic()
        for attempt in range(self.options.mutations):
            for path, source in ((cache, base), (lock, self.path("lock-base"))):
                shutil.rmtree(path, ignore_errors=True)
                shutil.copytree(source, path)
            kinds = self.files(cache, lock)
            kind = self.random.choice(("database", "database", "log", "log", "index of the log", "locks", "entries"))
            target = self.random.choice(kinds[kind])
            what = f"mutation {attempt}, {kind}: {self.spoil(target)}"
            number = self.random.randrange(regions) if kind != "entries" else 0
            more = {"KTUNE_LOCK_DIR": lock} if kind == "entries" else {}
            # The same command, which a manifest knows; another one, which must look; and both again.
            for output in (f"m{number}.o", "mutated.o", f"m{number}.o"):
                code, said = self.build(5000 + number, output, cache, **more)
                assert code == 0, f"{what}: {said}"
                self.count("mutate", self.judge(5000 + number, output, cache, what))
            now = worlds.trials(cache)
            if now is None:
                # Nobody came across the damage: whoever checks makes the next build see to it.
                self.count("mutate", "damage seen by a check only")
                self.world.cache(cache, "verify")
                code, said = self.build(5000 + number, "mutated.o", cache, **more)
                assert code == 0, f"{what}: {said}"
                now = worlds.trials(cache)
            assert now is not None, f"{what}: the store cannot be read"
            for wrong in (row for row in now - every if row[5] != "ok" and row[2] not in WRONG):
                raise AssertionError(f"{what}: a trial of {wrong} was made up")
            gone = every - now
            if kind in ("index of the log", "locks", "entries"):
                assert not gone, f"{what}: {len(gone)} trials are gone"
            elif kind == "log":
                assert not main & gone, f"{what}: {len(main & gone)} trials of the database are gone"
            elif gone:
                lost, total = lost + len(gone), total + len(every)
            self.count("mutate", f"spoilt {kind}")
            if gone and os.environ.get("FAULTS_SHOW"):
                print(what, len(gone))
            if gone:
                self.count("mutate", f"trials lost with the {kind}")
        figures = self.figures["mutate"]
        figures["trials before"], figures["of them in the database itself"] = len(every), len(main)
        figures["lost of those at stake, where a database lost some"] = f"{lost} of {total}"
        figures["seconds"] = round(time.monotonic() - started, 1)

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
