#!/usr/bin/env python3
"""Reads the output of guards.cu below the stub runtime: each launch must be the variant's exactly where its guards
hold.

  guards.py VEC TRACE < OUTPUT

TRACE: what KTUNE_TRACE=1 printed: it has each size, how often the original ran there, and the first guard that did not
hold.
"""
import collections
import re
import sys

vec, inside, outside, expected = int(sys.argv[1]), 0, 0, None
missed = collections.Counter()
for line in sys.stdin:
    if line.startswith("n="):
        n = int(re.match(r"n=(\d+)", line).group(1))
        moves = [int(number) for number in re.findall(r"\+(\d+)", line)]
        overlap = "x=y" in line or "x+4092" in line
        expected = n % vec == 0 and all(move % vec == 0 for move in moves) and not overlap
        if not expected:
            guard = ("aligned(x, 4 * VEC) && aligned(y, 4 * VEC)" if any(move % vec for move in moves) else
                     "disjoint(x, n, y, n)" if overlap else "n % VEC == 0")
            missed[n, guard] += 1
        where = line.strip()
    elif line.startswith("launch"):
        variant = "ktune_v_" in line
        assert variant == expected, f"{where}: {'variant' if variant else 'original'}: {line}"
        inside, outside = inside + variant, outside + (not variant)
assert inside > 10 and outside > 60, (inside, outside)
print(f"variant {inside}, original {outside}")
traced = collections.Counter()
clauses = []
for line in open(sys.argv[2]):
    size = re.match(r"ktune: twice n=(\d+): the original ran (\d+) times?: this guard does not hold: (.*)", line)
    if size:
        traced[int(size[1]), size[3]] += int(size[2])
    clauses += re.findall(r"^ktune: twice: to tune for these sizes, add to its pragma: (.*)", line)
assert traced == missed, (traced, missed)
# A pointer that is not aligned is no matter of the size.
sizes = sorted(n for n, guard in missed if guard.startswith("n %"))
assert clauses == [f"problem(n = {', '.join(map(str, sizes))})"], clauses
