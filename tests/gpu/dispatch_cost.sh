#!/bin/bash
# What a dispatcher costs a launch after the first: 10^6 launches of an empty kernel against as many plain ones.
#
#   dispatch_cost.sh PREFIX [OUT]
#
# Writes dispatch_cost.json (medians over copies of the kernels and processes) and every chunk (dispatch_cost.csv.gz) into
# OUT. Fails when a dispatched launch costs more than 30 ns above the original's.
set -euo pipefail
export LC_ALL=C KTUNE_MODE=cached
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(cd "${1:?usage: dispatch_cost.sh PREFIX [OUT]}" && pwd)
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${2:-$work}
export KTUNE_LOCK_DIR=$work/ktune.lock KTUNE_CACHE_DIR=$work/cache
unset KTUNE_DEVICE
flags=(-O3 -std=c++17 -arch=sm_90)
mkdir "$KTUNE_LOCK_DIR"
cd "$here"
python3 "$here/../system/Inputs/make_entry.py" --ktcc "$prefix/bin/ktcc" --lock "$KTUNE_LOCK_DIR" dispatch_cost.cu \
	simple UNROLL=2 loaded DEPTH=2 -- "${flags[@]}"
"$prefix/bin/ktcc" "$nvcc" "${flags[@]}" -c dispatch_cost.cu -o "$work/cost.o"
emitted=$work/cost.o.ktune/dispatch_cost.cu
grep -o 'ktune_v_[0-9a-f]*_\(simple\|loaded\)<[0-9]*>' "$emitted" | sort -u |
	sed 's/^\(ktune_v_[0-9a-f]*_\(.*\)<\(.*\)>\)$/VARIANT(\2, \3, \1)/' > "$work/names.h"
[ "$(wc -l < "$work/names.h")" = 64 ]
# The runtime's table of kernels is filled in another order; the processor's state is another with every process.
for order in late early; do
	"$nvcc" "${flags[@]}" -DDIRECT $([ $order = early ] && echo -DEARLY) -I"$work" -I"$prefix/include" \
		"$emitted" -o "$work/$order" &
done
wait
# What is measured must be the variant, and the original where it says so.
for order in late early; do
	KTUNE_TRACE=1 "$work/$order" > /dev/null 2> "$work/trace"
	grep -Eq '^ktune: simple variant=16000 original=16000 \(guard=0 geometry=16000 ' "$work/trace" &&
		grep -Eq '^ktune: loaded variant=16000 original=16000 \(guard=16000 geometry=0 ' "$work/trace" ||
		{ cat "$work/trace"; exit 1; }
done
for ((i = 0; i < 14; i++)); do
	order=$([ $((i % 2)) = 0 ] && echo late || echo early)
	"$work/$order" --seed $i --rounds 9 --raw "$work/process-$i-$order.csv"
done > "$work/runs"
python3 - "$work" "$out" << 'PYTHON'
import csv, glob, gzip, json, os, re, statistics, sys
work, out = sys.argv[1:]
runs = [json.loads(line) for line in open(work + "/runs")]
differences = {  # what the user sees; where it comes from
    "dispatched-original": 30, "refused-original": None, "dispatched-variant": None, "dispatched-call": None,
    "variant-original": None, "call-variant": None, "handle-call": None}
cells = {}  # (region, kind) -> {(process, copy): ns}
with gzip.open(out + "/dispatch_cost.csv.gz", "wt", newline="") as raw:
    raw.write("process,order,region,kind,copy,ns by round\n")
    for path in sorted(glob.glob(work + "/process-*.csv"), key=lambda p: int(re.findall(r"process-(\d+)", p)[0])):
        process, order = re.findall(r"process-(\d+)-(\w+)\.csv", path)[0]
        for row in csv.DictReader(open(path)):
            raw.write(",".join([process, order] + list(row.values())) + "\n")
            ns = statistics.median(map(float, row["ns by round"].split()))
            cells.setdefault((row["region"], row["kind"]), {})[int(process), int(row["copy"])] = ns
result = {"device": runs[0]["device"], "devices": runs[0]["devices"], "processes": len(runs), "copies": runs[0]["copies"],
          "launches of a kind": sum(r["rounds"] * r["copies"] * r["chunk"] for r in runs)}
bad = []
for region in ("simple", "loaded"):
    result[region] = {kind: round(statistics.median(values.values()), 1)
                      for (of, kind), values in cells.items() if of == region}
    for name, most in differences.items():
        kind, base = ({key: cells[region, k][key] for key in cells[region, k]} for k in name.split("-"))
        d = {key: kind[key] - base[key] for key in kind}
        by_process = [round(statistics.median([v for key, v in d.items() if key[0] == p]), 1) for p in range(len(runs))]
        quarters = statistics.quantiles(d.values(), n=4)
        result[region][name] = {"median": round(quarters[1], 1), "quartiles": [round(quarters[0], 1), round(quarters[2], 1)],
                                "by process": by_process}
        print(f"{region:7} {name:20} median {quarters[1]:7.1f}  quartiles {quarters[0]:7.1f} {quarters[2]:7.1f}  "
              f"processes {min(by_process):7.1f} to {max(by_process):7.1f}")
        if most is not None and quarters[1] > most:
            bad.append(f"{region} {name} {quarters[1]:.1f} ns > {most}")
json.dump(result, open(out + "/dispatch_cost.json", "w"), indent=1)
print({k: v for k, v in result.items() if k not in ("simple", "loaded")}, bad)
sys.exit(bool(bad))
PYTHON
