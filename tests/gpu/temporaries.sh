#!/bin/bash
# A plan with memory of its own (a SYNTHETIC entry for this GPU): on several streams and threads, captured, with an error
# pending, without memory, after cudaDeviceReset. Prints what a launch costs the host, beside the launches as written.
#
#   temporaries.sh PREFIX
set -euo pipefail
export LC_ALL=C KTUNE_MODE=cached
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(cd "${1:?usage: temporaries.sh PREFIX}" && pwd)
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export KTUNE_LOCK_DIR=$work/ktune.lock KTUNE_CACHE_DIR=$work/cache
unset KTUNE_DEVICE
mkdir "$KTUNE_LOCK_DIR"
cd "$here"
# The plan is this file's, not the rules': recipes are followed by asking whoever writes templates.
sh ../system/Inputs/rules/program.sh "$prefix" "$work/prefix"
cp temporaries.json "$work/prefix/libexec/ktcc/rewrite.json"
prefix=$work/prefix

"$nvcc" -O2 -std=c++17 -arch=sm_90 temporaries.cu -o "$work/plain"
"$work/plain" > "$work/plain.out" 2> "$work/plain.err"
cat "$work/plain.out" "$work/plain.err"
for stream in legacy per-thread; do
	flags=(-O2 -std=c++17 -arch=sm_90 "--default-stream=$stream")
	python3 ../system/Inputs/make_entry.py --ktcc "$prefix/bin/ktcc" --lock "$KTUNE_LOCK_DIR" --rewrite temporaries.json \
		temporaries.cu sums CHUNK=128 -- "${flags[@]}"
	"$prefix/bin/ktcc" "$nvcc" "${flags[@]}" -c temporaries.cu -o "$work/$stream.o"
	"$nvcc" "${flags[@]}" "$work/$stream.o" -o "$work/$stream"
	KTUNE_TRACE=1 "$work/$stream" > "$work/$stream.out" 2> "$work/$stream.err"
	cat "$work/$stream.err"
	cmp "$work/plain.out" "$work/$stream.out"
	# Captured, pending, full: the launches as written; all others, those behind the reset too, are the plan.
	grep -Eq '^ktune: sums variant=6657 original=3 \(guard=0 geometry=0 device=0 architecture=0 problem=0 error=3\)' \
		"$work/$stream.err"
	KTUNE_TRACE=0 "$work/$stream" 2>&1 > "$work/$stream.out" | grep cost
	cmp "$work/plain.out" "$work/$stream.out"
done
