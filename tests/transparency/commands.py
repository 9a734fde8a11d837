"""Where a build's nvcc command lines come from.

A source is KIND:PATH:
  json:FILE    a compile_commands.json
  ninja:DIR    a folder with build.ninja (asked with `ninja -t commands`)
  rules:FILE   several outputs of `ninja -t commands`, each after a line "# in DIRECTORY" (keep_rules writes it)
  make:FILE    the output of `make -n -w -k` (w: it names the folders it enters)

Every line that calls nvcc is given to the shell with nvcc replaced by the
recorder, so that quoting, command substitution and `cd` are the shell's, and
what comes out are words and a folder.
"""
import json
import os
import re
import subprocess

from recorder import read_records

CALL = re.compile(r"(?<![^\s;(&|=\"'])(?:[^\s;(&|=\"']*/)?nvcc(?=\s)")
ENTERING = re.compile(r"make(?:\[\d+\])?: (Entering|Leaving) directory '(.*)'")
LINE_SECONDS = 60


def read_json(path):
    for entry in json.load(open(path)):
        line = entry.get("command") or " ".join(map(shell_word, entry["arguments"]))
        yield entry["directory"], line


def shell_word(word):
    return "'" + word.replace("'", "'\\''") + "'"


def read_ninja(folder):
    done = subprocess.run(["ninja", "-t", "commands"], cwd=folder, capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        yield os.path.abspath(folder), line


def read_rules(path):
    folder = os.getcwd()
    for line in open(path):
        if line.startswith("# in "):
            folder = line[5:].rstrip("\n")
        else:
            yield folder, line.rstrip("\n")


def read_make(path):
    folders = [os.getcwd()]
    for line in open(path).read().replace("\\\n", " ").splitlines():
        move = ENTERING.match(line)
        if move is None:
            yield folders[-1], line
        elif move[1] == "Entering":
            folders.append(move[2])
        else:
            folders.pop()


READERS = {"json": read_json, "ninja": read_ninja, "rules": read_rules, "make": read_make}


def take(source, recorder, scratch):
    """The commands of a source as (words after nvcc, folder), each once, in the order of the build."""
    kind, _, path = source.partition(":")
    record = os.path.join(scratch, "taken")
    environment = dict(os.environ, TRANSPARENCY_RECORD=record, CCACHE_DISABLE="1")
    seen, commands = set(), []
    for folder, line in READERS[kind](path):
        if not CALL.search(line):
            continue
        line = CALL.sub(lambda _: recorder.nvcc, line)
        subprocess.run(["bash", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LINE_SECONDS)
        for entry in read_records(record):
            command = (tuple(entry["argv"].split(b"\0")[1:-1]), entry["directory"])
            if command[0] and command not in seen:
                seen.add(command)
                commands.append(([os.fsdecode(word) for word in command[0]], os.fsdecode(command[1])))
        if os.path.exists(record):
            os.unlink(record)
    return commands
