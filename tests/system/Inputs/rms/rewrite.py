#!/usr/bin/env python3
"""What `ktcc-clang rewrite` could answer about rms.cu, and a SYNTHETIC recording of it: nothing in it was measured.

  rewrite.py reply               the answer: one kernel for each instance of the block
  rewrite.py recording HEADER    a recording whose first line is that of the recording HEADER
"""
import itertools
import json
import sys

THREADS = (64, 128, 256, 512)
ELEMENTS = ("float", "__half")
PROBLEMS = list(itertools.product((1, 16), (256, 4096)))

BODY = """\
{
	using T = %s;
	__shared__ float part[${THREADS}];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += ${THREADS}) {
		float v = to_float(x[(size_t)blockIdx.x * d + i]);
		sum += v * v;
	}
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int s = ${= THREADS / 2}; s > 0; s /= 2) {
		if (threadIdx.x < s)
			part[threadIdx.x] += part[threadIdx.x + s];
		__syncthreads();
	}
	const float scale = rsqrtf(part[0] / d + eps);
	for (int i = threadIdx.x; i < d; i += ${THREADS}) {
		size_t at = (size_t)blockIdx.x * d + i;
		y[at] = T(to_float(x[at]) * scale * to_float(weight[i]));
	}
}"""


def template(instance, element):
    head = (f"__global__ void ${{ktune:kernel}}(float *scales, const {element} *x, int d, float eps, {element} *y, "
            f"const {element} *weight)")
    return {"region": 0, "instance": instance, "generator": "rules", "rationale": "both kernels work on the same row",
            "concrete": True, "helpers": "", "head": head, "body": BODY % element,
            "parameters": [{"name": "THREADS", "values": list(THREADS), "original": None,
                            "meaning": "threads of a block"}],
            "restrictions": [], "guards": [{"text": "d <= 4096", "reason": "longer rows were not looked at"}],
            "grid": ["rows"], "block": ["THREADS"], "shared_bytes": "0",
            "strategies": [{"name": "fuse", "reason": "block k of both kernels works on row k"}]}


def timing(ns):
    return {"median_ns": ns, "mean_ns": ns, "min_ns": ns, "deviation_ns": 1, "samples": 100}


def recording(header):
    yield json.loads(open(header).readline())
    for element, (rows, d) in itertools.product(ELEMENTS, PROBLEMS):
        case = {"name": "rms_norm", "instance": f"rms_norm<{element}>", "problem": f"rows={rows} d={d}"}
        best = 500 + d
        yield {"kind": "region", **case, "skipped": False, "nondeterministic": False}
        yield {"kind": "floor", **case, "floor_ns": best / 2}
        yield {"kind": "compare", **case, "configuration": "", "timing": timing(3 * best)}
        for threads in THREADS:
            measured = {"configuration": f"THREADS={threads}", "timing": timing(best * (1 + abs(threads - 128) / 512))}
            yield {"kind": "try", **case, **measured, "verdict": "ok", "registers": 24, "local_bytes": 0,
                   "shared_bytes": 4 * threads, "occupancy_blocks": 4}
            yield {"kind": "compare", **case, **measured}


if sys.argv[1] == "recording":
    for line in recording(sys.argv[2]):
        print(json.dumps(line))
else:
    print(json.dumps({"templates": [template(*one) for one in enumerate(ELEMENTS)], "declined": [], "analysis": []}))
