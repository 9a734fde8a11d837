#!/usr/bin/env python3
"""Reads the output of guards.cu below the stub runtime: each launch must be the variant's exactly where its guards
hold.

  guards.py VEC < OUTPUT
"""
import re
import sys

vec, inside, outside, expected = int(sys.argv[1]), 0, 0, None
for line in sys.stdin:
    if line.startswith("n="):
        n = int(re.match(r"n=(\d+)", line).group(1))
        moves = [int(number) for number in re.findall(r"\+(\d+)", line)]
        overlap = "x=y" in line or "x+4092" in line
        expected = n % vec == 0 and all(move % vec == 0 for move in moves) and not overlap
        where = line.strip()
    elif line.startswith("launch"):
        variant = "ktune_v_" in line
        assert variant == expected, f"{where}: {'variant' if variant else 'original'}: {line}"
        inside, outside = inside + variant, outside + (not variant)
assert inside > 10 and outside > 60, (inside, outside)
print(f"variant {inside}, original {outside}")
