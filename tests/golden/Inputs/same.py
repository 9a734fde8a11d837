"""Answers must be the same bytes, however they are come by.

   same.py KTCC-CLANG TOOLKIT CACHE VERBS FILE...                       with precompiled headers (kept in CACHE) and without
   same.py --libclang A,B,... KTCC-CLANG TOOLKIT CACHE VERBS FILE...    with each of these libraries

Asks one process about each FILE, with the compiler's arguments of its first RUN line, all VERBS (scan,rewrite), and
compares. Says how many there were."""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

libraries = None
if sys.argv[1] == "--libclang":
    libraries = sys.argv[2].split(",")
    del sys.argv[1:3]
program, toolkit, cache, verbs, *files = sys.argv[1:]
REQUESTS = "".join(json.dumps({"verb": verb}) + "\n" for verb in verbs.split(","))
GOLDEN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# What an answer states about the library itself: no decision is made by it.
KNOWN = [
    (rb'"libclang":"[0-9.]+"', "its version"),
    (rb'"[^"]*/lib/clang/[0-9.]+/include/[^"]*",?', "headers of its own, among the system's files"),
]

# Files about which versions of libclang are known to differ; one that does not any more is to be taken out.
DIFFERENT = {
    "rewrite/instances.cu": "16 declines three class templates (threads-wait) for which newer ones lead to a template",
    "rewrite/sight.cu": "16 declines an instance (threads-wait) for which newer ones lead to a template",
    "rewrite/teams_seen.cu": "16 declines an instance for which newer ones lead to a template",
}


def arguments(file):
    """Behind the first ' -- ' of a RUN line, up to a pipe."""
    with open(file, errors="replace") as text:
        found = re.search(r"RUN: %(?:scan|rewrite) %s -- ([^|&;>\n]*)", text.read())
    words = found[1].split() if found else ["-std=c++17"]
    return [word.replace("%golden", GOLDEN).replace("%S", os.path.dirname(file)) for word in words]


def ask(file, more, libclang=None):
    command = [program, "serve", "--file", file, "--toolkit", toolkit, "--arch", "90", *more, "--", *arguments(file)]
    environment = dict(os.environ, **({"KTUNE_LIBCLANG": libclang} if libclang else {}))
    done = subprocess.run(command, input=REQUESTS.encode(), capture_output=True, env=environment)
    return done.returncode, done.stdout.split(b"\n")


def without_known(answer):
    code, lines = answer
    for pattern, _ in KNOWN:
        lines = [re.sub(pattern, b"", line) for line in lines]
    return code, lines


def answers(file):
    if libraries is None:
        # The first time headers are made, the second time they are there.
        return file, [ask(file, []), ask(file, ["--cache", cache]), ask(file, ["--cache", cache])]
    return file, [without_known(ask(file, ["--cache", cache], library)) for library in libraries]


def around(first, second):
    """Where they part, with what is there in both."""
    at = next((i for i, (a, b) in enumerate(zip(first, second)) if a != b), min(len(first), len(second)))
    return " | ".join(line[max(0, at - 60):at + 60].decode(errors="replace") for line in (first, second))


differ = 0
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for file, (first, *others) in pool.map(answers, files):
        if first[0] != 0 or any(line.startswith(b'{"failed"') for line in first[1]):
            differ += 1
            print(f"{file}: no answer: {first[0]} {first[1][0][:200].decode()}")
        known = libraries is not None and next((why for name, why in DIFFERENT.items() if file.endswith(name)), None)
        if known:
            if all(first == other for other in others):
                differ += 1
                print(f"{file}: does not differ, though listed: {known}", flush=True)
            continue
        for other in others:
            if first == other:
                continue
            differ += 1
            places = [around(a, b) for a, b in zip(first[1], other[1]) if a != b]
            print(f"{file}: differs: {first[0]} and {other[0]}; {'; '.join(places)}", flush=True)
print(f"{len(files)} files, {differ} differ")
sys.exit(differ != 0)
