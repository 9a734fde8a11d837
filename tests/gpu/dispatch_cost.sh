#!/bin/bash
# What a dispatcher costs a launch after the first: 10^6 launches of an empty kernel against as many plain ones.
#
#   dispatch_cost.sh PREFIX [OUT]
#
# Writes dispatch_cost.json (medians over 24 processes) and every round (dispatch_cost.csv.gz) into OUT. Fails above 30 ns.
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
flags=(-O3 -arch=sm_90)
mkdir "$KTUNE_LOCK_DIR"
cd "$here"
python3 "$here/../system/Inputs/make_entry.py" --ktcc "$prefix/bin/ktcc" --lock "$KTUNE_LOCK_DIR" dispatch_cost.cu \
	simple UNROLL=2 loaded DEPTH=2 -- "${flags[@]}"
"$prefix/bin/ktcc" "$nvcc" "${flags[@]}" -c dispatch_cost.cu -o "$work/cost.o"
"$nvcc" "${flags[@]}" "$work/cost.o" -o "$work/cost"
# What is measured must be the variant.
KTUNE_TRACE=1 "$work/cost" --rounds 1 > /dev/null 2> "$work/trace"
for region in simple loaded; do
	grep -Eq "^ktune: $region variant=16000 original=0 " "$work/trace" || { cat "$work/trace"; exit 1; }
done
# Where the kernels come to lie differs from process to process, and a launch's time with it by some 10 ns.
for ((i = 0; i < 24; i++)); do
	"$work/cost" --rounds 10 --raw "$work/rounds-$i.csv"
done > "$work/runs"
(head -n 1 "$work/rounds-0.csv" && tail -qn +2 "$work"/rounds-*.csv) | gzip -nc > "$out/dispatch_cost.csv.gz"
python3 - "$work/runs" "$out/dispatch_cost.json" << 'PYTHON'
import json, statistics, sys
runs = [json.loads(line) for line in open(sys.argv[1])]
result = {"device": runs[0]["device"], "devices": runs[0]["devices"], "processes": len(runs),
          "launches": len(runs) * runs[0]["rounds"] * runs[0]["copies"] * runs[0]["chunk"]}
for name in ("plain_ns", "null_ns", "simple_ns", "loaded_ns"):
    values = [run[name] for run in runs]
    result[name] = round(statistics.median(values), 1)
    result[name + "_by_process"] = values
json.dump(result, open(sys.argv[2], "w"), indent=1)
print({name: value for name, value in result.items() if not name.endswith("_by_process")})
sys.exit(max(result["simple_ns"], result["loaded_ns"]) > 30)
PYTHON
