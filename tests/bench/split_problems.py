"""split_problems.py OUT NAME.T1.json NAME_DEVICE.T4.json [T1 T4]…: a recording of ours as one per problem.

A T4 file of `ktcc tune --t4` has the time on each problem beside the mean: NAME_p0.T4.json.gz, NAME_p1.T4.json.gz, … have
one of them each, so that `ktcc simulate --transfer device` leaves one problem out.
"""
import gzip
import json
import os
import shutil
import sys

out, files = sys.argv[1], sys.argv[2:]
os.makedirs(out, exist_ok=True)
for t1, t4 in zip(files[::2], files[1::2]):
    name = os.path.basename(t1).split(".")[0]
    with (gzip.open if t4.endswith(".gz") else open)(t4, "rt") as file:
        results = json.load(file)["results"]
    problems = list(dict.fromkeys(each["name"] for result in results for each in result["measurements"]
                                  if each["name"].startswith("time ")))
    if len(problems) < 2:
        continue
    shutil.copy(t1, f"{out}/{name}.T1.json")
    for number, problem in enumerate(problems):
        split = []
        for result in results:
            found = [dict(each, name="time") for each in result["measurements"] if each["name"] == problem]
            invalid = {} if found or result["invalidity"] != "correct" else {"invalidity": "runtime"}
            split.append(dict(result, measurements=found, objectives=["time"], **invalid))
        with gzip.open(f"{out}/{name}_p{number}.T4.json.gz", "wt", compresslevel=1) as file:
            json.dump({"results": split}, file)
