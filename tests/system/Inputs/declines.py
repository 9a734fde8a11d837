"""Reasons of the rules: the table in docs/generation.md is that of ktcc/base/decline.h, and `ktcc explain --analysis` prints
place, cause and fix of each kernel that the rules decline in FILE, in this order.

  declines.py KTCC ROOT FILE -- FLAGS
"""
import json
import re
import subprocess
import sys

ktcc, root, file = sys.argv[1:4]
flags = sys.argv[4:]
with open(f"{root}/ktcc/base/decline.h", encoding="utf-8") as header:
    text = header.read().replace("\\\n", "")
ROW = re.compile(r'X\((\w+), "([a-z-]+)",\s*"((?:[^"\\]|\\.)*)"\)')
rows = {name: fix for _, name, fix in ROW.findall(text)}
with open(f"{root}/docs/generation.md", encoding="utf-8") as page:
    table = page.read().split("| reason | for example | what helps |\n", 1)[1].split("\n\n", 1)[0]
documented = {cells[0].strip("` "): cells[-1].strip() for cells in
              (line.strip("|").split(" | ") for line in table.splitlines()[1:])}
assert rows and documented == rows, f"docs/generation.md: {set(rows.items()) ^ set(documented.items())}"

command = [ktcc, "explain", "--analysis", file, *flags]
said = json.loads(subprocess.run(command[:2] + ["--json"] + command[2:], capture_output=True, text=True, check=True).stdout)
lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
for one in said["declined"]:
    fix = rows[one["reason"]] if "; " not in one["detail"] else ""
    assert one["fix"] == fix, one
    line = f"{one['file']}:{one['line']}: {one['region']}: {one['reason']}: {one['detail']}" + (f"; {fix}" if fix else "")
    assert "; " in line and line in lines, f"not printed: {line}"
print(f"{len(rows)} reasons, {len(said['declined'])} kernels declined for {len({one['reason'] for one in said['declined']})} of them")
