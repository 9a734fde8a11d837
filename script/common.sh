# shellcheck shell=bash
# For the other scripts to source: where things are.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# nvcc on PATH, for every caller: the toolkit's default place is not on it everywhere.
if ! command -v nvcc >/dev/null && [[ -x ${CUDA_PATH:-/usr/local/cuda}/bin/nvcc ]]; then
	PATH=${CUDA_PATH:-/usr/local/cuda}/bin:$PATH
fi
export CUDACXX=${CUDACXX:-$(command -v nvcc || true)}

has_gpu() {
	[[ -e /dev/nvidia0 || -e /dev/dxg ]] || { command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; }
}

# build PRESET: configures when there is nothing yet, then builds.
build() {
	(
		cd "$root" || exit
		[[ -f build/$1/build.ninja ]] || cmake --preset "$1"
		cmake --build "build/$1"
	)
}
