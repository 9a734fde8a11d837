#!/usr/bin/env python3
"""recipes.py LOCK REPLY OUT: copies of a lock directory, each changed in one way, with a hash that fits: OUT/value and so on.

REPLY is what the rules answered when the entry was made: entries of format 1 kept its text.
"""
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from entry_text import rehashed, stable  # noqa: E402


# ---- hostile: the original stays

def empty(entry, _):
    del entry["recipe"]


def extra(entry, _):
    entry["recipe"]["guards"] = []


def huge(entry, _):
    entry["configuration"]["VEC"] = str(1 << 60)


def length(entry, _):
    entry["recipe"]["passes"] *= 40


def limit(entry, _):
    """Every value is declared; together they are more threads than the restriction allows."""
    entry["configuration"].update(VEC=4, BLOCK=512)


def parameter(entry, _):
    entry["configuration"] = {"VEC": 1, "BLOCKS": 128}
    for special in entry["specialised"]:
        special["configuration"] = {"VEC": 1, "BLOCKS": 128}


def rule(entry, _):
    entry["specialised"][0]["when"] = "d <= 4097 && device.cc == 90"


def special(entry, _):
    entry["specialised"][0]["configuration"]["BLOCK"] = 96


def specials(entry, _):
    entry["specialised"] *= 65


def text(entry, reply):
    """Code, where only a recipe may be."""
    entry["template"] = lines(reply, "static int at_start = system(\"true\");")


def value(entry, _):
    entry["configuration"]["BLOCK"] = 96


def version(entry, _):
    entry["recipe"]["passes"][0]["version"] = "system"


# ---- older: format 1, with the text of the rules

def lines(reply, more=None):
    template = json.loads(json.dumps(reply["templates"][0]))
    for name in ("region", "instance"):
        del template[name]
    for part in ("helpers", "head", "body"):
        template[part] = template[part].split("\n") + ([more] if part == "body" and more else [])
    return template


def older(entry, reply):
    entry["ktune"] = 1
    del entry["recipe"]
    entry["search"].pop("state", None)
    entry["template"] = lines(reply)


def older_other(entry, reply):
    older(entry, reply)
    entry["template"]["body"].insert(1, "\tint unused = 0;")


def main():
    lock, reply, out = sys.argv[1:4]
    (path,) = glob.glob(os.path.join(lock, "*", "*.json"))
    with open(reply) as file:
        reply = json.load(file)
    for change in (empty, extra, huge, length, limit, parameter, rule, special, specials, text, value, version, older,
                   older_other):
        with open(path) as file:
            entry = json.load(file)
        change(entry, reply)
        folder = os.path.join(out, change.__name__, os.path.basename(os.path.dirname(path)))
        os.makedirs(folder)
        with open(os.path.join(folder, os.path.basename(path)), "w") as file:
            file.write(stable(rehashed(entry)) + "\n")


if __name__ == "__main__":
    main()
