"""Pairs of kernels: the keys of some must differ in every part, those of others must agree. Prints what is wrong."""
import json
import os
import subprocess
import sys

CLAUSES = "problem(n = 1024) inout(x[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)"
BODY = "{ int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) x[i] = x[i] * SCALE; }"
HEAD = "constexpr int BLOCK = 64;\n#define SCALE 2\n"
LAUNCH = "void run(float *p, int n) { %s<<<n / 64, 64>>>(p, n); }\n"


def kernel(before="", after="", name="k", type_="float", head="__global__", clauses=CLAUSES, body=BODY, template=""):
    return f"{before}\n#pragma ktune {clauses}\n{template}{head} void {name}({type_} *x, int n) {body}\n{after}\n"


PLAIN = HEAD + kernel() + LAUNCH % "k"
IN_A = HEAD + kernel("namespace a {", "}") + LAUNCH % "a::k"
MINE = "template <typename T> struct Mine { T v; };\n"


def instance(arguments, declaration="template <typename T> ", type_="T"):
    return (HEAD + kernel(template=declaration, type_=type_) + "void run(float *p, int n) "
            + "{ k<%s><<<n / 64, 64>>>((%s *)p, n); }\n" % (arguments, arguments.split(",")[0] if type_ == "T" else "float"))


# What every part of closure, region and near key must tell apart: name, one file, another.
DIFFERENT = [
    ("namespaces", IN_A, HEAD + kernel("namespace b {", "}") + LAUNCH % "b::k"),
    ("a namespace and none", IN_A, PLAIN),
    ("nested namespaces", IN_A, HEAD + kernel("namespace a { namespace b {", "} }") + LAUNCH % "a::b::k"),
    ("an inline namespace", IN_A, HEAD + kernel("namespace a { inline namespace v1 {", "} }") + LAUNCH % "a::k"),
    ("an unnamed namespace", PLAIN, HEAD + kernel("namespace {", "}") + LAUNCH % "k"),
    ("an unnamed namespace in another", IN_A, HEAD + kernel("namespace a { namespace {", "} }") + LAUNCH % "a::k"),
    ("extern \"C\"", PLAIN, HEAD + kernel(head='extern "C" __global__') + LAUNCH % "k"),
    ("overloads", PLAIN, HEAD + kernel(type_="double") + "void run(double *p, int n) { k<<<n / 64, 64>>>(p, n); }\n"),
    ("names", PLAIN, HEAD + kernel(name="l") + LAUNCH % "l"),
    ("instances by type", instance("float"), instance("double")),
    ("instances by value", instance("3", "template <int V> ", "float"), instance("4", "template <int V> ", "float")),
    ("a template and none", PLAIN, instance("float")),
    ("clauses", PLAIN, HEAD + kernel(clauses=CLAUSES + " tolerance(abs = 1)") + LAUNCH % "k"),
    ("values of a parameter", PLAIN, PLAIN.replace("64, 128)", "64, 256)")),
    ("bodies", PLAIN, PLAIN.replace("x[i] * SCALE", "x[i] + SCALE")),
    ("a macro's value", PLAIN, PLAIN.replace("SCALE 2", "SCALE 3")),
    ("a macro that is taken back", "#define EXTRA 1\n" + PLAIN.replace("SCALE;", "(SCALE);").replace("SCALE 2\n", """SCALE EXTRA
#ifdef EXTRA
#define USED 1
#endif
"""), "#define EXTRA 2\n#undef EXTRA\n#define EXTRA 1\n" + PLAIN.replace("SCALE 2", "SCALE 2 /* */ + EXTRA")),
    ("#undef before the kernel", "__device__ const int ODD = 5;\n#define ODD 7\n#define TWICE 1\n" + PLAIN.replace("SCALE;", "ODD;"),
     "__device__ const int ODD = 5;\n#define ODD 7\n#undef ODD\n#define TWICE 1\n" + PLAIN.replace("SCALE;", "ODD;")),
    ("#undef before or after the kernel",
     "__device__ const int ODD = 5;\n#define ODD 7\n" + PLAIN.replace("SCALE;", "ODD;") + "#undef ODD\n",
     "__device__ const int ODD = 5;\n#define ODD 7\n#undef ODD\n" + PLAIN.replace("SCALE;", "ODD;")),
    ("a macro defined before or after the kernel",
     "#define ODD 7\n" + PLAIN.replace("SCALE;", "ODD;") + "#undef ODD\n#define ODD 8\n",
     "#define ODD 7\n#undef ODD\n#define ODD 8\n" + PLAIN.replace("SCALE;", "ODD;")),
    ("#undef of what another macro uses",
     "__device__ const int ODD = 5;\n#define ODD 7\n#define USE ODD\n" + PLAIN.replace("SCALE;", "USE;") + "#undef ODD\n",
     "__device__ const int ODD = 5;\n#define ODD 7\n#define USE ODD\n#undef ODD\n" + PLAIN.replace("SCALE;", "USE;")),
    ("a helper", "__device__ float f(float v) { return v; }\n" + PLAIN.replace("x[i] * SCALE", "f(x[i])"),
     "__device__ float f(float v) { return -v; }\n" + PLAIN.replace("x[i] * SCALE", "f(x[i])")),
    ("a table", "__device__ const float t[2] = {1, 2};\n" + PLAIN.replace("SCALE;", "t[i & 1];"),
     "__device__ const float t[2] = {1, 3};\n" + PLAIN.replace("SCALE;", "t[i & 1];")),
    ("launch bounds", PLAIN, PLAIN.replace("__global__", "__global__ __launch_bounds__(128)")),
]
# What no part of any key may depend on; the last is the folder of the second file.
SAME = [
    ("checkouts", PLAIN, PLAIN),
    ("checkouts, an unnamed namespace", HEAD + kernel("namespace {", "}") + LAUNCH % "k",
     HEAD + kernel("namespace {", "}") + LAUNCH % "k"),
    ("checkouts, static", HEAD + kernel(head="static __global__") + LAUNCH % "k",
     HEAD + kernel(head="static __global__") + LAUNCH % "k"),
    ("checkouts, a type of an unnamed namespace",
     "namespace { struct Mine { float v; }; }\n" + HEAD + kernel(type_="float", body=BODY.replace("x[i] * SCALE", "Mine{x[i]}.v")) + LAUNCH % "k",
     "namespace { struct Mine { float v; }; }\n" + HEAD + kernel(type_="float", body=BODY.replace("x[i] * SCALE", "Mine{x[i]}.v")) + LAUNCH % "k"),
    ("comments and blanks", PLAIN, PLAIN.replace("{ int i", "{ /* the index */\n\n  int i")),
    ("other kernels before it", PLAIN, HEAD + '__global__ void other(int *p) { __shared__ int s[4]; s[0] = *p; '
     'printf("%d", s[0]); *p = s[1]; }\n' + kernel() + LAUNCH % "k" + "void more(int *p) { other<<<1, 1>>>(p); }\n"),
    ("other functions and macros", PLAIN, "#define UNUSED 1\n__device__ float g(float v) { return v; }\n" + PLAIN),
    ("#undef of what it does not use", PLAIN, "#define UNUSED 1\n#undef UNUSED\n" + PLAIN),
    ("the budget", PLAIN, PLAIN.replace(CLAUSES, CLAUSES + " budget(seconds = 3)")),
]
PARTS = ["symbol", "closure", "near", "region", "ptx"]


def keys(ktcc, root, text):
    os.makedirs(root, exist_ok=True)
    with open(os.path.join(root, "k.cu"), "w") as out:
        out.write("#include <cstdio>\n" + text)
    environment = dict(os.environ, KTUNE_CACHE_DIR=os.path.join(root, "cache"))
    done = subprocess.run([ktcc, "explain", "--json", "k.cu", "--", "-std=c++17", "-arch=sm_90"], cwd=root,
                          env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        return {"error": done.stderr}
    cases = json.loads(done.stdout)["regions"]
    if len(cases) != 1 or "region" not in cases[0].get("keys", {}):
        return {"error": done.stdout[:2000]}
    return cases[0]["keys"]


def main():
    ktcc, folder = sys.argv[1:]
    made = {}

    def of(text, root):
        if (text, root) not in made:
            made[text, root] = keys(ktcc, os.path.join(folder, root, str(len(made))), text)
        return made[text, root]

    wrong = 0
    for name, one, other in DIFFERENT:
        a, b = of(one, "a"), of(other, "a")
        # PTX names the kernel, so that it differs wherever the symbol does.
        same = [part for part in ("closure", "near", "region") if a.get(part) == b.get(part)]
        if same or "error" in a or "error" in b:
            wrong += 1
            print(f"FAIL {name}: equal: {same} {a.get('error', '')}{b.get('error', '')}")
    for name, one, other in SAME:
        a, b = of(one, "a"), of(other, "another/checkout, of it")
        differ = [part for part in PARTS if a.get(part) != b.get(part)]
        if differ or "error" in a or "error" in b:
            wrong += 1
            print(f"FAIL {name}: differ: {differ} {a.get('error', '')}{b.get('error', '')}")
    print(f"{len(DIFFERENT)} pairs that differ, {len(SAME)} that agree, {wrong} wrong")


if __name__ == "__main__":
    main()
