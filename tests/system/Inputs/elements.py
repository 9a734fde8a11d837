#!/usr/bin/env python3
"""Each number of an element is compared by itself and named in what is found; what belongs to no number is not compared.

  elements.py KTCC SOURCE FOLDER

A row: what the variant does to one element (WRONG in the source), and what `ktcc verify` says of it; None: nothing.
"""
import pathlib
import subprocess
import sys

ktcc, source, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
ROWS = [
    ("y[k].z += 1", "y: 1 wrong numbers, first at index 7 (z), largest error 1 at index 7 (z)"),
    ("y[k].w = NAN", "y: 1 wrong numbers, first at index 7 (w)"),
    ("z[k].y += 1", "z: 1 wrong numbers, first at index 7 (y)"),
    ("edges[k].from ^= 1", "edges: 1 wrong numbers, first at index 7 (from)"),
    ("edges[k].weight += 0.01f; edges[k].at.y ^= 4", "edges: 2 wrong numbers, first at index 7 (weight), largest error 4 at index 7 (at.y)"),
    ("edges[k].exact[0] += 1e-9", "edges: 1 wrong numbers, first at index 7 (exact[0])"),
    ("sums[k].x ^= (long)1 << 40", "sums: 1 wrong numbers, first at index 7 (x)"),
    ("((global float2 *)raw)[k].y += 1", "raw: 1 wrong numbers, first at index 7 (y), largest error 1 at index 7 (y)"),
    ("((global float2 *)raw)[k].y *= 1.00001f; y[k].z *= 1.00001f; ((global uchar *)&edges[k])[9] = 5; ((global float *)&z[k])[3] = 5", None),
    ("((global float *)&y[n])[0] = 0", "bytes written past the end of y"),
    ("((global float *)x)[0] = 9", "input x was changed"),
]
for number, (wrong, says) in enumerate(ROWS):
    changed = folder / f"wrong{number}.cl"
    changed.write_text(source.read_text().replace("#define WRONG\n", f"#define WRONG {wrong}\n"))
    run = subprocess.run([ktcc, "verify", changed, "--configuration", "STEP=4"], capture_output=True, text=True)
    said = run.stdout + run.stderr
    assert (run.returncode == 0) == (says is None), (wrong, said)
    assert says is None or says in said, (wrong, says, said)
print(len(ROWS), "rows")
