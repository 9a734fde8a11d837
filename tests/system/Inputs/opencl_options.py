"""Every build option of OpenCL that ktcc knows, on a kernel: what changes code changes closure and region key, what does not
keeps them. A row of opencl_options.def without a line here is a failure. Prints what is wrong.

  opencl_options.py KTCC OPENCL_OPTIONS.DEF FOLDER
"""
import json
import os
import re
import subprocess
import sys

KERNEL = """#ifndef SCALE
#define SCALE 2
#endif
#include "own.h"
#pragma ktune problem(n = 1024) in(x[n]) out(y[n]) grid(ceil_div(n, BLOCK)) block(BLOCK) tune(BLOCK = 64, 128)
__kernel void scale(__global const float *x, __global float *y, int n)
{
	int i = get_global_id(0);
	if (i < n)
		y[i] = x[i] * SCALE + OWN + BLOCK * 0;
}
"""
FILES = {"k.cl": KERNEL, "plain/own.h": "#define OWN 1\n", "same/own.h": "#define OWN 1\n", "other/own.h": "#define OWN 7\n"}
BASE = ["-DBLOCK=64"]
# For each row: words, and whether they change code.
ROWS = {
    "DEFINE": [(["-DSCALE=3"], True), (["-D", "SCALE=3"], True), (["-DUNUSED=3"], False), (["-D", "UNUSED"], False)],
    "INCLUDE": [(["-Iother"], True), (["-I", "other"], True), (["-Isame"], False), (["-I", "same"], False)],
    "STANDARD": [(["-cl-std=CL1.2"], True), (["-cl-std=CL3.0"], True)],
    "SINGLE_CONSTANTS": [(["-cl-single-precision-constant"], True)],
    "DENORMS": [(["-cl-denorms-are-zero"], True)],
    "ROUNDED": [(["-cl-fp32-correctly-rounded-divide-sqrt"], True)],
    "NOT_OPTIMIZED": [(["-cl-opt-disable"], True)],
    "STRICT_ALIASING": [(["-cl-strict-aliasing"], True)],
    "UNIFORM_GROUPS": [(["-cl-uniform-work-group-size"], True)],
    "NO_PROGRESS": [(["-cl-no-subgroup-ifp"], True)],
    "MAD": [(["-cl-mad-enable"], True)],
    "NO_SIGNED_ZEROS": [(["-cl-no-signed-zeros"], True)],
    "UNSAFE": [(["-cl-unsafe-math-optimizations"], True)],
    "FINITE": [(["-cl-finite-math-only"], True)],
    "FAST": [(["-cl-fast-relaxed-math"], True)],
    "ARGUMENT_NAMES": [(["-cl-kernel-arg-info"], False)],
    "NO_WARNINGS": [(["-w"], False)],
    "WARNINGS_ARE_ERRORS": [(["-Werror"], False)],
    "DEBUG": [(["-g"], True)],
    "LIBRARY": [(["-create-library"], True)],
    "LINK_OPTIONS": [(["-enable-link-options"], True)],
    "LANGUAGE": [(["-x", "spir"], True)],
    "SPIR": [(["-spir-std=1.2"], True)],
}
# Vendors have options of their own, which count.
MORE = [("of a vendor", [(["-cl-nv-maxrregcount=40"], True), (["-cl-intel-128-GRF-per-thread"], True)])]


def keys(ktcc, folder, words):
    place = [] if any("other" in word or "same" in word for word in words) else ["-Iplain"]
    done = subprocess.run([ktcc, "explain", "--json", "k.cl", "--"] + BASE + place + words, cwd=folder, capture_output=True,
                          text=True, env=dict(os.environ, KTUNE_CACHE_DIR=os.path.join(folder, "cache")))
    try:
        return json.loads(done.stdout)["regions"][0]["keys"]
    except (ValueError, LookupError):
        return {"message": (done.stderr + done.stdout)[:300]}


def main():
    ktcc, table, folder = sys.argv[1:]
    for name, text in FILES.items():
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "w") as out:
            out.write(text)
    with open(table) as file:
        known = dict(re.findall(r"^OPENCL_OPTION\((\w+), .*, (CODE|MACRO|PLACE|NOTHING), (?:true|false)\)", file.read(), re.M))
    wrong = [f"{name}: a row in one of the tables" for name in set(known) ^ set(ROWS)]
    base, count, changed = keys(ktcc, folder, []), 0, 0
    if "closure" not in base:
        sys.exit(f"FAIL the kernel: {base}")
    for name, cases in list(ROWS.items()) + MORE:
        for words, changes in cases:
            found = keys(ktcc, folder, words)
            differ = sorted(part for part in ("closure", "region") if found.get(part) != base.get(part))
            count, changed = count + 1, changed + changes
            if differ != (["closure", "region"] if changes else []):
                wrong.append(f"{' '.join(words)} ({known.get(name)}): {differ or 'no key'} differs {found.get('message', '')}")
            if known.get(name) in ("CODE", "NOTHING") and changes != (known[name] == "CODE"):
                wrong.append(f"{' '.join(words)}: {known[name]} in the product")
    for line in wrong:
        print("FAIL", line)
    print(f"{count} options, {changed} change keys, {len(wrong)} wrong")


if __name__ == "__main__":
    main()
