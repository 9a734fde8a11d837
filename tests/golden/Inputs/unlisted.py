"""unlisted.py KTCC SAMPLES FOLDER: of every template, some configuration runs on all sizes that no problem lists.

What guards ask for because the listed sizes share it must have a configuration without it. A template is left out
where the kernel as written cannot run on those sizes; the table says why.
"""
import concurrent.futures
import glob
import json
import os
import subprocess
import sys

ktcc, samples, folder = sys.argv[1:4]
# (file, region): why no configuration runs on all of them.
EXCEPTIONS = {
    ("constants.cu", "scaled"): "a step of 2 leaves the array",
    ("indices.cu", "numbered"): "its blocks are fewer than n needs",
    ("indices.cu", "border"): "its blocks are fewer than 1023 need",
    ("words.cu", "strides"): "16 blocks, whatever n is",
}


def space(path):
    flags = ["-std=c++17", f"-I{samples}/common", f"-I{folder}/../Inputs", f"-I{folder}/Inputs"]
    command = [ktcc, "space", "--json", "--device", "sm_90", path]
    done = subprocess.run(command + ([] if path.endswith(".cl") else ["--"] + flags), capture_output=True, text=True)
    read = json.loads(done.stdout) if done.stdout.strip() else []
    return path, read if isinstance(read, list) else [read]


paths = sorted(glob.glob(f"{folder}/*.cu") + glob.glob(f"{samples}/*/*.cu") + glob.glob(f"{samples}/opencl/*/*.cl"))
templates = structural = 0
found, bad = set(), []
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for path, regions in pool.map(space, paths):
        for region in regions:
            unlisted = region.get("unlisted")
            if not unlisted:
                continue
            templates += 1
            structural += unlisted["widest"] < unlisted["asked"]
            key = (os.path.basename(path), region["region"])
            if unlisted["most"] == len(unlisted["sizes"]):
                continue
            found.add(key)
            if key not in EXCEPTIONS:
                bad.append((key, [each for each in unlisted["sizes"] if "kept_out_by" in each]))
print(f"{templates} templates, {structural} with guards that some configurations do without")
for each in bad:
    print("no configuration runs everywhere:", each)
for each in sorted(set(EXCEPTIONS) - found):
    print("no exception any more:", each)
sys.exit(bool(bad) or found != set(EXCEPTIONS) or templates < 300 or structural < 80)
