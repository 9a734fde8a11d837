#!/usr/bin/env python3
"""spoil.py LOCK OUT: copies of a lock directory, each wrong in one way, with a hash that fits: OUT/guard and so on."""
import glob
import hashlib
import json
import os
import sys


def directive(entry):
    entry["template"]["body"][1:1] = ["#include <stdlib.h>"]


def escape(entry):
    entry["template"]["body"] += ["static int at_start = system(\"true\");"]


def guard(entry):
    entry["template"]["guards"][0]["text"] = "aligned(x, 16) && nobody > 0"


def hole(entry):
    entry["template"]["body"][1] = "\t${VIC};"


def none(entry):
    del entry["template"]


def restriction(entry):
    entry["template"]["restrictions"][1]["text"] = "VEC * BLOCK <= 8"


def value(entry):
    entry["configuration"]["BLOCK"] = 96


def stable(value, indent=0):
    """The project's stable form: arrays of scalars on one line, several texts one a line."""
    pad = "  " * (indent + 1)
    if isinstance(value, dict) and value:
        rows = [f"{json.dumps(name)}: {stable(item, indent + 1)}" for name, item in value.items()]
        return "{\n" + ",\n".join(pad + row for row in rows) + "\n" + "  " * indent + "}"
    if isinstance(value, list):
        rows = [stable(item, indent + 1) for item in value]
        if not any(isinstance(item, (dict, list)) for item in value) and \
                sum(isinstance(item, str) for item in value) < 2:
            return "[" + ", ".join(rows) + "]"
        return "[\n" + ",\n".join(pad + row for row in rows) + "\n" + "  " * indent + "]"
    return json.dumps(value, ensure_ascii=False)


def main():
    (path,) = glob.glob(os.path.join(sys.argv[1], "*", "*.json"))
    for change in (directive, escape, guard, hole, none, restriction, value):
        entry = json.load(open(path))
        del entry["hash"]
        change(entry)
        entry["hash"] = hashlib.blake2b((stable(entry) + "\n").encode(), digest_size=32).hexdigest()
        folder = os.path.join(sys.argv[2], change.__name__, os.path.basename(os.path.dirname(path)))
        os.makedirs(folder)
        with open(os.path.join(folder, os.path.basename(path)), "w") as out:
            out.write(stable(entry) + "\n")


if __name__ == "__main__":
    main()
