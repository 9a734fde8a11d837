#!/usr/bin/env python3
"""Does a build notice ktcc? The nvcc command lines of a real project, with and without it.

transparency.py compare --ktcc KTCC --name NAME --system SYSTEM [options] SOURCE…
transparency.py table FILE.csv…

Level 1, every command line: a recorder in place of nvcc must be started in the
same way (words, folder, environment, descriptors, limits, signals, standard
input), and its exit code or signal and its output must come back untouched.

Level 2, a sample: nvcc really compiles, without and with ktcc, to the same
path; exit code, object, depfile, standard output and standard error must be
the same. -objtemp is added on both sides: without it nvcc puts the name of a
temporary file into the object, and differs from itself.

README.md has the sources, the options and the meaning of the columns.
"""
import argparse
import concurrent.futures
import csv
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import commands
from recorder import Recorder, read_records

COLUMNS = ["name", "system", "kind", "source", "level1", "plain_exit", "ktcc_exit", "object", "depfile", "stdout",
           "stderr", "plain_s", "ktcc_s"]
ENDS = [0, 1, 2, 255, -9, -11]
UNSTEADY = "nvcc differs from itself"
SAID = b"given on standard input\n"
MARK = "/* ktune: a word that makes the launcher look, and no region */\n"
COMPILES = {"-c", "--compile", "-dc", "--device-c", "-dw", "--device-w"}
OUTPUTS = {"-o": "object", "--output-file": "object", "-MF": "depfile", "--dependency-output": "depfile"}
INPUTS = (".cu", ".cpp", ".cc", ".cxx", ".c")


class Harness:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.recorder = Recorder(os.path.join(scratch, "toolkit"), options.nvcc)
        self.cache = os.path.join(scratch, "cache")
        self.mark = os.path.join(scratch, "mark.h")
        self.own_entries = (b"KTUNE_INSIDE",) if options.marked else ()
        with open(self.mark, "w") as out:
            out.write(MARK)
        self.alone = own_processes()
        self.open_file = os.open(self.mark, os.O_RDONLY) # one that the compiler must find open as well

    def environment(self, **more):
        kept = {key: value for key, value in os.environ.items() if not key.startswith("KTUNE_")}
        return dict(kept, KTUNE_CACHE_DIR=self.cache, KTUNE_MODE="cached", **more)

    def statistics(self):
        """What ktcc counted: how far it went with the marked commands, and why it stood back."""
        done = subprocess.run([self.options.ktcc, "cache", "stats"], env=self.environment(), capture_output=True,
                              text=True)
        return done.stdout.rstrip()

    def words(self, command):
        return command + ["-include", self.mark] if self.options.marked else command

    # Level 1

    def record(self, launcher, index, command, folder):
        path = os.path.join(self.scratch, f"record-{index}")
        done = subprocess.run(launcher + [self.recorder.nvcc] + self.words(command), cwd=folder, input=SAID,
                              env=self.environment(TRANSPARENCY_RECORD=path, TRANSPARENCY_TALK="1",
                                                   TRANSPARENCY_END=str(ENDS[index % len(ENDS)])),
                              capture_output=True, pass_fds=[self.open_file], start_new_session=True)
        records = read_records(path)
        os.unlink(path)
        return done, records

    def level1(self, index, command, folder):
        """'equal', or what differs."""
        plain, before = self.record([], index, command, folder)
        launched, after = self.record([self.options.ktcc], index, command, folder)
        differing = [name for name in ("returncode", "stdout", "stderr")
                     if getattr(plain, name) != getattr(launched, name)]
        # Where ktcc has to parse it may ask nvcc something first; the compilation comes last.
        if len(before) != 1 or not after or (len(after) != 1 and not self.options.marked):
            differing.append(f"{len(after)} calls")
        else:
            differing += [name for name in before[0]
                          if self.comparable(name, before[0][name]) != self.comparable(name, after[-1][name])]
        return "equal" if not differing else " ".join(differing)

    def comparable(self, name, value):
        """What of a section must be the same: numbers of processes and pipes are not."""
        if name == "environment":
            return [entry for entry in value.split(b"\0") if entry.split(b"=")[0] not in self.own_entries]
        if name == "status":
            wanted = (b"Umask", b"SigBlk", b"SigIgn", b"SigCgt", b"NoNewPrivs", b"Cpus_allowed")
            return [line for line in value.splitlines() if line.split(b":")[0] in wanted]
        if name == "descriptors":
            lines = []
            for line in sorted(value.splitlines()):
                number, flags, target = line.split(b" ", 2)
                lines.append((number, flags, b"pipe" if target.startswith(b"pipe:") else target))
            return lines
        return value

    # Level 2

    def compile(self, launcher, command, folder, end):
        """Exit code, outputs by kind, standard output and error, seconds; None: too slow. Takes the outputs away."""
        words = self.words(command)
        if COMPILES.intersection(words):
            words = words + ["-objtemp"]
        outputs = find_outputs(command, folder)
        for path in outputs.values():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if os.path.exists(path):
                os.unlink(path)
        begin = time.monotonic()
        try:
            done = subprocess.run(self.alone + launcher + [self.options.nvcc] + words, cwd=folder,
                                  env=self.environment(), stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=min(self.options.each, max(0, end - begin)))
        except subprocess.TimeoutExpired:
            return None
        result = {"exit": done.returncode, "stdout": digest(done.stdout), "stderr": digest(done.stderr),
                  "seconds": time.monotonic() - begin}
        for kind in ("object", "depfile"):
            path = outputs.get(kind)
            exists = path is not None and os.path.exists(path)
            result[kind] = digest(open(path, "rb").read()) if exists else None
            if exists:
                os.unlink(path)
        return result

    def level2(self, command, folder, end):
        """The columns of one compared compilation; 'slow' where it ran past the limit."""
        plain = self.compile([], command, folder, end)
        launched = plain and self.compile([self.options.ktcc], command, folder, end)
        if launched is None:
            return {"object": "slow"}
        columns = {"plain_exit": plain["exit"], "ktcc_exit": launched["exit"], "plain_s": f"{plain['seconds']:.2f}",
                   "ktcc_s": f"{launched['seconds']:.2f}"}
        for kind in ("object", "depfile", "stdout", "stderr"):
            if plain[kind] is None and launched[kind] is None:
                columns[kind] = "none"
            else:
                columns[kind] = "identical" if plain[kind] == launched[kind] else "differs"
        if "differs" in columns.values():
            again = self.compile([], command, folder, end + self.options.each)
            for kind in ("object", "depfile", "stdout", "stderr"):
                if columns[kind] == "differs" and again is not None and again[kind] != plain[kind]:
                    columns[kind] = UNSTEADY
        return columns


def own_processes():
    """A prefix for a process namespace of its own, so that process numbers, which nvcc puts into names, are alike."""
    prefix = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    try:
        works = subprocess.run(prefix + ["true"], capture_output=True).returncode == 0
    except OSError:
        works = False
    return prefix if works else []


def digest(data):
    return hashlib.sha256(data).hexdigest()


def find_outputs(command, folder):
    found = {}
    for at, word in enumerate(command):
        name, has_value, value = word.partition("=")
        if name not in OUTPUTS or (not has_value and at + 1 == len(command)):
            continue
        found[OUTPUTS[name]] = os.path.join(folder, value if has_value else command[at + 1])
    return found


def find_input(command):
    """Index of the source among the words; None for a link."""
    for at in range(len(command) - 1, -1, -1):
        if command[at].endswith(INPUTS) and not command[at].startswith("-") and \
                (at == 0 or command[at - 1] not in OUTPUTS):
            return at
    return None


def broken(command, scratch):
    """Commands made of this one that must fail, by kind."""
    at = find_input(command)
    folder = os.path.join(scratch, "broken")
    os.makedirs(folder, exist_ok=True)
    for name, text in (("missing_header.cu", '#include "no_such_header.h"\n'),
                       ("syntax_error.cu", "__global__ void k(int *p) { *p = ; }\nint main(\n"),
                       ("no_such_file.cu", None)):
        path = os.path.join(folder, name)
        if text is not None:
            with open(path, "w") as out:
                out.write(text)
        yield name.removesuffix(".cu"), command[:at] + [path] + command[at + 1:]
    yield "unknown_option", command + ["--no-such-option-of-nvcc"]


def compare(options):
    scratch = tempfile.mkdtemp(prefix="transparency.")
    try:
        harness = Harness(options, scratch)
        rows = run(options, harness)
    finally:
        shutil.rmtree(scratch)
    with open(options.csv, "w", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print_table([options.csv])
    return 0 if rows and all(map(passed, rows)) else 1


def run(options, harness):
    taken = [command for source in options.source
             for command in commands.take(source, harness.recorder, harness.scratch)]
    chance = random.Random(options.seed)
    rows, work = [], []
    for words, folder in taken:
        at = find_input(words)
        rows.append({"name": options.name, "system": options.system, "kind": "as it is",
                     "source": os.path.basename(words[at]) if at is not None else "(link)"})
        work.append((rows[-1], words, folder))
    sources = [item for item in work if find_input(item[1]) is not None]
    failing = []
    for row, words, folder in chance.sample(sources, min(options.broken, len(sources))):
        for kind, changed in broken(words, harness.scratch):
            rows.append(dict(row, kind=kind))
            failing.append((rows[-1], changed, folder))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        both = work + failing
        for (row, _, _), answer in zip(both,
                                       pool.map(lambda item: harness.level1(item[0], *item[1][1:]), enumerate(both))):
            row["level1"] = answer
    print(f"{options.name}: {len(taken)} command lines, level 1 done", flush=True)
    if options.marked:
        print(harness.statistics(), flush=True)
    chance.shuffle(work)
    end = time.monotonic() + options.seconds

    def step(item):
        row, words, folder = item
        if row["kind"] != "as it is":
            row.update(harness.level2(words, folder, float("inf")))
        elif time.monotonic() < end:
            row.update(harness.level2(words, folder, end))

    # The same output must not be written twice at one time: such commands run one after the other.
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda group: list(map(step, group)), by_output(failing + work)))
    return rows


def by_output(items):
    groups = {}
    for index, item in enumerate(items):
        outputs = find_outputs(item[1], item[2])
        groups.setdefault(outputs.get("object", index), []).append(item)
    return list(groups.values())


def passed(row):
    return (row["level1"] == "equal" and str(row.get("plain_exit", "")) == str(row.get("ktcc_exit", "")) and
            all(row.get(kind) != "differs" for kind in ("object", "depfile", "stdout", "stderr")))


def print_table(files):
    """One row a file, of what is in them."""
    print("| code base | build system | command lines | level 1 equal | compiled | objects identical | depfiles "
          "identical | exit codes equal | messages identical | commands that fail |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for path in files:
        rows = list(csv.DictReader(open(path)))
        done = [row for row in rows if row["plain_exit"] != ""]
        failing = [row for row in done if row["plain_exit"] != "0"]

        def share(kind):
            with_it = [row for row in done if row[kind] in ("identical", "differs")]
            unsteady = sum(row[kind] == UNSTEADY for row in done)
            return (f"{sum(row[kind] == 'identical' for row in with_it)}/{len(with_it)}" +
                    (f" ({unsteady} more where {UNSTEADY})" if unsteady else ""))

        same_exit = sum(row["plain_exit"] == row["ktcc_exit"] for row in done)
        same_text = sum(row["stdout"] == row["stderr"] == "identical" for row in done)
        print(f"| {rows[0]['name']} | {rows[0]['system']} | {sum(row['kind'] == 'as it is' for row in rows)} "
              f"| {sum(row['level1'] == 'equal' for row in rows)}/{len(rows)} "
              f"| {len(done)} | {share('object')} | {share('depfile')} | {same_exit}/{len(done)} "
              f"| {same_text}/{len(done)} | {sum(map(passed, failing))}/{len(failing)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("compare", help="compare one code base and write FILE.csv")
    one.add_argument("--ktcc", required=True, help="the launcher under test")
    one.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc", help="the real compiler")
    one.add_argument("--name", required=True, help="of the code base")
    one.add_argument("--system", required=True, help="of building")
    one.add_argument("--csv", required=True, help="where the rows go")
    one.add_argument("--seconds", type=float, default=300,
                     help="time for compilations (default 300); one that is cut off is not counted")
    one.add_argument("--each", type=float, default=120, help="give a compilation up after that (default 120)")
    one.add_argument("--broken", type=int, default=2, help="commands to break, in four ways each (default 2)")
    one.add_argument("--jobs", type=int, default=2)
    one.add_argument("--seed", type=int, default=1, help="of the order in which commands are compiled")
    one.add_argument("--marked", action="store_true",
                     help="make the launcher parse every file: -include of a header with its word")
    one.add_argument("source", nargs="+", help="json:FILE, ninja:DIR, rules:FILE, make:FILE")
    every = verbs.add_parser("table", help="print the table of CSV files")
    every.add_argument("file", nargs="+")
    options = parser.parse_args()
    if options.verb == "table":
        print_table(options.file)
        return 0
    options.ktcc = os.path.abspath(options.ktcc)
    return compare(options)


if __name__ == "__main__":
    sys.exit(main())
