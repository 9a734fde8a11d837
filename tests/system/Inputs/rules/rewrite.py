#!/usr/bin/env python3
"""What `ktcc-clang rewrite` could answer about silu.cu, and a SYNTHETIC recording of it: nothing in it was measured.

  rewrite.py reply               the answer, with a template
  rewrite.py declined            the answer that there is none
  rewrite.py recording HEADER    a recording whose first line is that of the recording HEADER
"""
import itertools
import json
import sys

VEC, BLOCK = (1, 2, 4), (128, 256, 512)
PROBLEMS = list(itertools.product((16, 4096), (4096, 4099)))

HELPERS = """\
static __device__ __forceinline__ float ${ktune:callee:0}(float gate, float up)
{
	return gate / (1.0f + expf(-gate)) * up;
}"""
HEAD = "__global__ void __launch_bounds__(${BLOCK}) ${ktune:kernel}(float *y, const float *x, int d)"
BODY = """\
{
	const long row = blockIdx.x;
	const float *gates = x + row * 2 * d, *ups = gates + d;
	${if VEC > 1}
	// A piece of ${= 4 * VEC} bytes.
	struct alignas(${= 4 * VEC}) piece { float at[${VEC}]; };
	for (int i = threadIdx.x * ${VEC}; i < d; i += ${= BLOCK * VEC}) {
		const piece gate = *reinterpret_cast<const piece *>(gates + i);
		const piece up = *reinterpret_cast<const piece *>(ups + i);
		piece out;
#pragma unroll
		for (int k = 0; k < ${VEC}; k++)
			out.at[k] = ${ktune:callee:0}(gate.at[k], up.at[k]);
		*reinterpret_cast<piece *>(y + row * d + i) = out;
	}
	${else}
	for (int i = threadIdx.x; i < d; i += ${BLOCK})
		y[row * d + i] = ${ktune:callee:0}(gates[i], ups[i]);
	${end}
}"""


def template():
    return {"region": 0, "instance": 0, "generator": "rules", "rationale": "the row in wide accesses by one block",
            "concrete": True, "helpers": HELPERS, "head": HEAD, "body": BODY,
            "parameters": [{"name": "VEC", "values": list(VEC), "original": 1, "meaning": "elements of one access"},
                           {"name": "BLOCK", "values": list(BLOCK), "original": None, "meaning": "threads of a block"}],
            "restrictions": [{"text": "VEC == 1 || d % VEC == 0", "reason": "an access must not cross a row's end"},
                             {"text": "VEC * BLOCK <= 1024", "reason": "a row has a piece for every thread"}],
            "guards": [{"text": "aligned(x, 16) && aligned(y, 16)", "reason": "wide accesses are aligned"}],
            "grid": ["rows"], "block": ["BLOCK"], "shared_bytes": "0",
            "strategies": [{"name": "geometry", "reason": "the row loop holds for any block"},
                           {"name": "vectorize", "reason": "neighbouring threads take neighbouring elements"}]}


def reply():
    return {"templates": [template()], "declined": [],
            "analysis": [{"region": 0, "line": 8, "text": "the loop over i is strided by the block"},
                         {"region": 0, "line": 9, "text": "x is read at i + 1 * threadIdx.x"}]}


def declined():
    return {"templates": [], "declined": [{"region": 0, "instance": 0, "reason": "index-depends-on-data", "line": 9,
                                           "detail": "the index of x is loaded from memory"}], "analysis": []}


def allowed(vec, d):
    return vec == 1 or d % vec == 0


def time(rows, d, vec, block):
    """Wide accesses and small blocks are good; more so in large problems."""
    return 100 * rows * d / 4096 * (1 + 2 / vec) * (1 + block / 2048) / (16 if rows == 16 else 64) * 16


def timing(ns):
    return {"median_ns": ns, "mean_ns": ns, "min_ns": ns, "deviation_ns": 1, "samples": 100}


def recording(header):
    def row(kind, problem, **more):
        return {"kind": kind, "name": "silu", "instance": "silu<float>", **more,
                "problem": "rows=%d d=%d" % problem}

    yield json.loads(open(header).readline())
    for rows, d in PROBLEMS:
        yield row("region", (rows, d), skipped=False, nondeterministic=False)
        yield row("floor", (rows, d), floor_ns=time(rows, d, 4, 128) / 2)
        yield row("compare", (rows, d), configuration="", timing=timing(2 * time(rows, d, 1, 256)))
    for vec, block, (rows, d) in itertools.product(VEC, BLOCK, PROBLEMS):
        text, ok = f"VEC={vec} BLOCK={block}", allowed(vec, d)
        measured = timing(time(rows, d, vec, block) if ok else 0)
        yield row("try", (rows, d), configuration=text, verdict="ok" if ok else "skipped", timing=measured,
                  registers=24, local_bytes=0, shared_bytes=0, occupancy_blocks=4)
        if ok:
            yield row("compare", (rows, d), configuration=text, timing=measured)


if sys.argv[1] == "recording":
    for line in recording(sys.argv[2]):
        print(json.dumps(line))
else:
    print(json.dumps(reply() if sys.argv[1] == "reply" else declined()))
