"""pass_texts.py SOURCE KTCC FILE…: the table of parameters (ktcc/base/pass_texts.h) has what the generators make.

Every parameter that a generator names in its source is a row and every row is named there; the templates of each FILE have no
other parameters and no other values; each pass of the rules is applied to a file or has a line that tells why not.
"""
import json
import os
import re
import subprocess
import sys

source, ktcc, *files = sys.argv[1:]


def read(path):
    with open(os.path.join(source, path), encoding="utf-8") as file:
        return file.read()


table = read("ktcc/base/pass_texts.h")
joined = re.sub(r"\\\n\s*", "", table)
passes = dict(re.findall(r'X\("(\w+)", "(rules|ir)", ', joined))
rows = re.findall(r'X\("(\w+)", "([A-Z_]+)", "[^"]*",\s*"([^"]*)"\)', joined)
assert len(passes) > 30 and len(rows) > 50, (len(passes), len(rows))
assert list(passes) == re.findall(r'X\("(\w+)", \d+\)', read("ktcc/base/passes.h")), "a pass without a text"
assert {name for name, _, _ in rows} <= set(passes)

# What the sources name.
for generator, call, folder in (("rules", "kt_family_parameter", "ktcc/generation/rules"), ("ir", "kt_ir_offer_values", "ktcc/generation/ir")):
    text = "".join(read(f"{folder}/{name}") for name in sorted(os.listdir(os.path.join(source, folder))) if name.endswith((".c", ".h")))
    named = set(re.findall(call + r'\((?:family|offer),\s*"([A-Z_]+)"', text))
    listed = {parameter for name, parameter, _ in rows if passes[name] == generator}
    assert named, generator
    assert named <= listed, (generator, "not in the table", named - listed)
    assert all(f'"{parameter}"' in text for parameter in listed), (generator, "not in the source", [p for p in listed if f'"{p}"' not in text])


def allowed(generator, parameter):
    """The values of a parameter; None: not all are numbers."""
    base = re.sub(r"\d+$", "", parameter)
    texts = [values for name, listed, values in rows if passes[name] == generator and listed in (parameter, base)]
    assert texts, f"{parameter} of {generator} is not in the table"
    return {int(value) for text in texts for value in text.split(", ")} if all(re.fullmatch(r"[\d, ]+", text) for text in texts) else None


applied, reasons, seen = set(), {}, set()
for path in files:
    flags = [] if path.endswith(".cl") else ["--", "-arch=sm_90", "-std=c++17"]
    done = subprocess.run([ktcc, "explain", "--analysis", "--json", path, *flags], capture_output=True, text=True)
    assert done.returncode == 0, (path, done.stderr)
    for template in json.loads(done.stdout)["templates"]:
        generator = template["generator"]
        applied |= set(template["strategies"])
        for parameter, values in template["parameters"].items():
            seen.add(parameter)
            known = allowed(generator, parameter)
            assert known is None or set(values) <= known, (path, generator, parameter, values, known)
        if generator == "rules":
            without = {one["pass"]: one for one in template["not_applied"]}
            assert set(without) == {name for name in passes if passes[name] == "rules"} - set(template["strategies"]), (path, without)
            assert all(one.get("needs") or one.get("reason") for one in without.values()), without
            reasons.update({name: one for name, one in without.items() if one.get("reason")})
assert len(seen) >= 10 and len(applied) >= 10, (seen, applied)
# Why a loop has no vectors, and why there is no fast math, is what was found, at its line.
assert reasons["vectorize"]["line"] > 0 and reasons["fast_math"]["reason"].startswith("no fast math"), reasons
print(f"{len(rows)} parameters, {len(seen)} of them in {len(files)} files")
