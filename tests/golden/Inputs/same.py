"""Answers must be the same bytes with precompiled headers and without.

   same.py KTCC-CLANG TOOLKIT CACHE VERB FILE...

Asks about each FILE, with the compiler's arguments of its first RUN line, and compares. Says how many there were."""
import concurrent.futures
import re
import subprocess
import sys

program, toolkit, cache, verb, *files = sys.argv[1:]


def arguments(file):
    """Behind the first ' -- ' of a RUN line, up to a pipe."""
    with open(file, errors="replace") as text:
        found = re.search(r"RUN: %(?:scan|rewrite) %s -- ([^|&;>\n]*)", text.read())
    return found[1].split() if found else ["-std=c++17"]


def ask(file, more):
    command = [program, verb, "--file", file, "--toolkit", toolkit, "--arch", "90", *more, "--", *arguments(file)]
    done = subprocess.run(command, capture_output=True)
    return done.returncode, done.stdout


def ask_with(file):
    return ask(file, ["--cache", cache])


differ = 0
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    answers = list(pool.map(lambda file: ask(file, []), files))
    # The first time headers are made, the second time all are there.
    for _ in range(2):
        for file, without, with_ in zip(files, answers, pool.map(ask_with, files)):
            if without != with_:
                differ += 1
                print(f"{file}: differs: {without[0]} and {with_[0]}, {len(without[1])} and {len(with_[1])} bytes")
print(f"{len(files)} files, {differ} differ")
sys.exit(differ != 0)
