#!/usr/bin/env python3
"""Answers that a model could give about rules/silu.cu, and a SYNTHETIC recording of them: nothing in it was measured.

  llm_loop.py recording HEADER            a recording, beside that of rules/rewrite.py, of the templates of all answers
  llm_loop.py answer DIR LABEL=NAME…      writes answer NAME beside each question in DIR whose file begins with LABEL
  llm_loop.py transcript DIR LABEL=NAME…  the same as transcripts, without questions
  llm_loop.py forge LOCK                  makes the second kernel of a plan's entry one that no check lets through

Answers, each with parameters of its own: `better` (a little), `best` (more), `slower`, `wrong` (results), `broken`
(does not compile), `host` (text that the check refuses), `prose` (no answer at all), `declined`; for the launches of
rms/rms.cu, whose recording knows the parameter: `rms-__half`, one kernel; `two`, a plan of two; `own`, one with memory
of its own; plans that are refused: `again`, `fewer`, `shared`, `temporary`, `clash`, `narrow`, `alone`.
"""
import glob
import itertools
import json
import os
import subprocess
import sys

from entry_text import rehashed, stable, whole

HERE = os.path.dirname(os.path.abspath(__file__))
PROBLEMS = list(itertools.product((16, 4096), (4096, 4099)))
VALUES = (64, 128)

# What a template's parameter is called, and how its times compare with the fastest of the rules; 0: wrong results.
TIMES = {"BETTER": 0.9, "BEST": 0.6, "SLOWER": 2.0, "WRONG": 0}

KERNEL = """\
__global__ void __launch_bounds__(%(name)s) silu(float *y, const float *x, int d)
{
	const float *gates = x + (long)blockIdx.x * 2 * d, *ups = gates + d;
	for (int i = threadIdx.x; i < d; i += %(name)s)
		y[(long)blockIdx.x * d + i] = gated(gates[i], ups[i])%(more)s;
}
"""
HELPER = """\
__device__ __forceinline__ float gated(float gate, float up)
{
	return gate / (1.0f + __expf(-gate)) * up;
}
"""


RMS = """\
__global__ void __launch_bounds__(THREADS) row_scales(float *scales, const %(T)s *x, int d, float eps, %(T)s *y,
	const %(T)s *weight)
{
	__shared__ float part[THREADS / 32];
	const %(T)s *row = x + (size_t)blockIdx.x * d;
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += THREADS) {
		const float v = to_float(row[i]);
		sum += v * v;
	}
#pragma unroll
	for (int mask = 16; mask > 0; mask /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, mask);
	if (threadIdx.x %% 32 == 0)
		part[threadIdx.x / 32] = sum;
	__syncthreads();
	sum = 0;
	for (int i = 0; i < THREADS / 32; i++)
		sum += part[i];
	const float scale = rsqrtf(sum / d + eps);
	for (int i = threadIdx.x; i < d; i += THREADS)
		y[(size_t)blockIdx.x * d + i] = (%(T)s)(to_float(row[i]) * scale * to_float(weight[i]));
}
"""


# The same work, each kernel with all arguments of the region.
TWO = """\
__global__ void sums(float *scales, const float *x, int d, float eps, float *y, const float *weight)
{
	__shared__ float part[THREADS / 32];
	const float *row = x + (size_t)blockIdx.x * d;
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += THREADS)
		sum += square(row[i]);
#pragma unroll
	for (int mask = 16; mask > 0; mask /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, mask);
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = sum;
	__syncthreads();
	sum = 0;
	for (int i = 0; i < THREADS / 32; i++)
		sum += part[i];
	if (threadIdx.x == 0)
		scales[blockIdx.x] = rsqrtf(sum / d + eps);
}
__global__ void __launch_bounds__(THREADS) products(float *scales, const float *x, int d, float eps, float *y,
	const float *weight)
{
	const int i = blockIdx.x * THREADS + threadIdx.x;
	if (i < d)
		y[(size_t)blockIdx.y * d + i] = x[(size_t)blockIdx.y * d + i] * scales[blockIdx.y] * weight[i];
}
"""


def two():
    arguments = ["scales", "x", "d", "eps", "y", "weight"]
    launches = [{"kernel": "sums", "arguments": arguments, "grid": ["rows"], "block": ["THREADS"],
                 "shared_bytes": None},
                {"kernel": "products", "arguments": arguments, "grid": ["ceil_div(d, THREADS)", "rows"],
                 "block": ["THREADS"],
                 "shared_bytes": None}]
    return dict(reply("THREADS"), helpers="__device__ float square(float v) { return v * v; }\n", kernel=TWO, grid=None,
                block=None,
                launches=launches, temporaries=[])


def own():
    """The sums stand in memory of the plan's own, and `scales` stays unwritten."""
    plan = two()
    plan["kernel"] = TWO.replace("weight)", "weight,\n\tfloat *sum_of, double *unused)").replace(
        "scales[blockIdx.x]", "sum_of[blockIdx.x]").replace("scales[blockIdx.y]", "sum_of[blockIdx.y]")
    for launch in plan["launches"]:
        launch["arguments"] = launch["arguments"] + ["sum_of", "unused"]
    return dict(plan, temporaries=[{"name": "sum_of", "element": "f32", "count": "rows"},
                                   {"name": "unused", "element": "f64", "count": "THREADS / 64"}])


def spoiled(how):
    plan = own()
    if how == "clash":
        text = json.dumps(plan).replace("sum_of", "eps")
        return json.loads(text)
    if how == "narrow":
        plan["kernel"] = plan["kernel"].replace("float *sum_of", "double *sum_of")
    if how == "alone":
        plan["launches"] = plan["launches"][:1]
    return plan


def rms(element):
    """As some models give it: a plan of one launch."""
    launch = {"kernel": "row_scales", "arguments": ["scales", "x", "d", "eps", "y", "weight"], "grid": ["rows"],
              "block": ["THREADS"], "shared_bytes": None}
    return dict(reply("THREADS"), helpers=None, kernel=RMS % {"T": element}, grid=None, block=None, launches=[launch],
                temporaries=[])


def reply(name, more="", helper=HELPER):
    return {"decline": None, "rationale": f"rows in pieces, {name.lower()}", "expected_effect": "less waiting",
            "helpers": helper, "kernel": KERNEL % {"name": name, "more": more},
            "parameters": [{"name": name, "values": list(VALUES), "reason": "threads of a block"}], "restrictions": [],
            "guards": [], "grid": ["rows"], "block": [name], "shared_bytes": None, "temporaries": None,
            "launches": None}


def text_of(name):
    if name == "prose":
        return "I would use wider loads."
    if name == "declined":
        return json.dumps(dict(reply("NONE"), decline="it is fast already", kernel=None, helpers=None, parameters=[]))
    if name.startswith("rms-"):
        return json.dumps(rms(name[4:]))
    if name == "two":
        return json.dumps(two())
    if name in ("again", "fewer", "shared"):
        plan = two()
        plan["launches"][1].update({"again": {"kernel": "sums"}, "fewer": {"arguments": ["scales", "x"]},
                                    "shared": {"shared_bytes": "4 * THREADS"}}[name])
        return json.dumps(plan)
    if name == "temporary":
        return json.dumps(dict(two(), temporaries=[{"name": "sum", "element": "f32", "count": "rows"}]))
    if name == "own":
        return json.dumps(own())
    if name in ("clash", "narrow", "alone"):
        return json.dumps(spoiled(name))
    if name == "host":
        return json.dumps(reply("BEST", helper="#include \"/etc/passwd\"\n" + HELPER))
    if name == "broken":
        # The check's front end takes it, the compiler does not.
        return json.dumps(reply("BROKEN", helper="constexpr int many = 100000;\n" + HELPER,
                                more=" + 0 * [] { __shared__ float much[many]; "
                                     "much[threadIdx.x] = 1; return much[0]; }()"))
    return json.dumps(reply(name.upper()))


def timing(ns):
    return {"median_ns": ns, "mean_ns": ns, "min_ns": ns, "deviation_ns": 1, "samples": 100}


def fastest(rows, d):
    """What rules/rewrite.py says of VEC=4, or VEC=1 where a row's end is in the way, and BLOCK=128."""
    return 100 * rows * d / 4096 * (1 + 2 / (4 if d % 4 == 0 else 1)) * (1 + 128 / 2048) / \
        (16 if rows == 16 else 64) * 16


def recording(header):
    print(subprocess.run([sys.executable, f"{HERE}/rules/rewrite.py", "recording", header], check=True,
                         capture_output=True, text=True).stdout, end="")
    for name, factor in TIMES.items():
        for value, (rows, d) in itertools.product(VALUES, PROBLEMS):
            row = {"name": "silu", "instance": "silu<float>", "problem": f"rows={rows} d={d}",
                   "configuration": f"{name}={value}", "timing": timing(factor * fastest(rows, d) * (1 + value / 4096))}
            tried = {"verdict": "ok", "registers": 24, "local_bytes": 0, "shared_bytes": 0, "occupancy_blocks": 4}
            if factor == 0:
                tried.update(verdict="wrong-answer", detail="y[5]: 1 instead of 2")
            print(json.dumps({"kind": "try", **row, **tried}))
            if factor != 0:
                print(json.dumps({"kind": "compare", **row}))


def answer(folder, plan):
    for question in sorted(glob.glob(f"{folder}/*.md")):
        for label, name in plan:
            path = question[:-len(".md")] + ".reply.md"
            if os.path.basename(question).startswith(label) and not question.endswith(".reply.md") and \
                    not os.path.exists(path):
                with open(path, "w") as out:
                    out.write("model: somebody\n\n" + text_of(name))


def transcript(folder, plan):
    os.makedirs(folder, exist_ok=True)
    for label, name in plan:
        with open(f"{folder}/{label}.0123456789abcdef.json", "w") as out:
            json.dump({"version": 1, "label": label, "model": "recorded\x1b1", "when_unix": 1700000000,
                       "text": text_of(name)}, out)


def forge(lock):
    for path in glob.glob(f"{lock}/*/*.json"):
        entry = whole(path)
        for kernel in entry["template"].get("further", []):
            kernel["body"] = ["{", "y[0] = clock();", "}"]
        with open(path, "w") as out:
            out.write(stable(rehashed(entry)) + "\n")


if sys.argv[1] == "forge":
    forge(sys.argv[2])
elif sys.argv[1] == "recording":
    recording(sys.argv[2])
else:
    {"answer": answer, "transcript": transcript}[sys.argv[1]](sys.argv[2], [word.split("=") for word in sys.argv[3:]])
