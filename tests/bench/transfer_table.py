"""transfer_table.py FOLDER OUT.csv: what `script/bench-search --transfer` measured, as rows and as a table.

FOLDER holds KIND-TRIALS.json, answers of `ktcc simulate --compare --transfer KIND --prior-trials TRIALS`, of which only
none-0.json has to be there.
"""
import csv
import json
import os
import sys

KINDS = [("none", 0), ("device", 0), ("device", 200), ("kernel", 0), ("kernel", 200), ("hostile", 0)]
NAMES = {"device": "the same kernel on another device", "kernel": "other kernels", "hostile": "itself, fast and slow exchanged"}

folder, out = sys.argv[1:]
scores, told = {}, {}
with open(out, "w", newline="") as file:
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["transfer", "prior_trials", "space", "told", "budget", "runs", "score", "optimum_over_best"])
    for kind, trials in KINDS:
        if not os.path.exists(os.path.join(folder, f"{kind}-{trials}.json")):
            continue
        with open(os.path.join(folder, f"{kind}-{trials}.json")) as answer:
            data = json.load(answer)
        for space in data["spaces"]:
            told[kind, trials, space["space"]] = space["told"]
        for row in data["rows"]:
            if row["strategy"] != "default":
                continue
            key = kind, trials, row["space"]
            scores[key + (row["budget"],)] = row["score"]
            rows.writerow([*key, told[key], row["budget"], row["runs"], f'{row["score"]:.4f}',
                           f'{row["optimum_over_best"]:.4f}'])
budgets = sorted({key[3] for key in scores})
print("| known | spaces | " + " | ".join(f"{budget}: without | with" for budget in budgets) + " |")
print("| --- | ---: |" + " ---: | ---: |" * len(budgets))
for kind, trials in KINDS[1:]:
    spaces = [key[2] for key, count in told.items() if key[:2] == (kind, trials) and count > 0 and key + (budgets[0],) in scores]
    if not spaces:
        continue
    cells = []
    for budget in budgets:
        for known in (("none", 0), (kind, trials)):
            found = [scores[known + (space, budget)] for space in spaces if known + (space, budget) in scores]
            cells.append(f"{sum(found) / len(found):.3f}" if found else "–")
    what = NAMES[kind] + ("" if kind == "hostile" else ", all" if trials == 0 else f", {trials} evaluations")
    print(f"| {what} | {len(spaces)} | " + " | ".join(cells) + " |")
