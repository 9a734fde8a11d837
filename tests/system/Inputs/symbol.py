"""Writes another symbol into each entry of a lock directory, with the hash that it then has: symbol.py LOCK SYMBOL"""
import glob
import json
import sys

from entry_text import rehashed, stable

for path in glob.glob(sys.argv[1] + "/*/*.json"):
    with open(path) as file:
        entry = json.load(file)
    entry["symbol"] = sys.argv[2]
    with open(path, "w") as out:
        out.write(stable(rehashed(entry)) + "\n")
