#!/bin/bash
# One program for several architectures: with the entry that this GPU was tuned for and a SYNTHETIC one for an A100 in
# one object, this GPU runs its variant; without its entry, the original; the results are the same.
#
#   devices.sh PREFIX
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(cd "${1:?usage: devices.sh PREFIX}" && pwd)
ktcc=$prefix/bin/ktcc
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
cc=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
flags=(-O3 -gencode=arch=compute_80,code=sm_80)
[[ $cc == 80 ]] || flags+=("-gencode=arch=compute_$cc,code=sm_$cc")
export KTUNE_LOCK_DIR=$work/ktune.lock KTUNE_CACHE_DIR=$work/cache
unset KTUNE_MODE KTUNE_DEVICE
mkdir "$KTUNE_LOCK_DIR"
cd "$here"

build() { # build OUTPUT
	"$ktcc" "$nvcc" "${flags[@]}" -c devices.cu -o "$work/$1.o"
	"$nvcc" "${flags[@]}" "$work/$1.o" -o "$work/$1"
	KTUNE_TRACE=1 "$work/$1" > "$work/$1.out" 2> "$work/$1.err"
	cat "$work/$1.err"
}

expect() { # expect OUTPUT PATTERN
	grep -Eq "^ktune: blend $2" "$work/$1.err" || { echo "FAIL $1: no counter '$2'"; exit 1; }
	cmp "$work/plain.out" "$work/$1.out"
}

"$nvcc" "${flags[@]}" devices.cu -o "$work/plain"
"$work/plain" > "$work/plain.out"
build tuned
own=("$KTUNE_LOCK_DIR"/blend-*/*.json)
[[ ${#own[@]} == 1 && -f ${own[0]} ]] || { echo "FAIL: no entry of this GPU"; exit 1; }
expect tuned "variant=5 original=0 .* on device 0: $name\$"

export KTUNE_MODE=cached
python3 "$here/../system/Inputs/make_entry.py" --ktcc "$ktcc" --lock "$KTUNE_LOCK_DIR" --device A100 devices.cu blend \
	BLOCK=64 -- "${flags[@]}"
build both
grep -q 'NVIDIA A100' "$work/both.o.ktune/devices.cu" || { echo "FAIL: no variant for the A100"; exit 1; }
grep -qF "\"$name\"" "$work/both.o.ktune/devices.cu" || { echo "FAIL: no variant for this GPU"; exit 1; }
expect both "variant=5 original=0 .* on device 0: $name\$"

rm "${own[0]}"
export KTUNE_CACHE_DIR=$work/cache-without
build without
grep -q 'NVIDIA A100' "$work/without.o.ktune/devices.cu" || { echo "FAIL: the A100's variant went as well"; exit 1; }
expect without "variant=0 original=5 .*device=5 .* on device 0: $name\$"
echo "ok devices"
