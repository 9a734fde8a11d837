"""Text of a kernel that an entry brings, as a model would have written it: helpers, kernels, guards, geometry."""
import json
import os
import re
import shutil
import sys

from harness import attack, without_paths

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from entry_text import rehashed, stable  # noqa: E402

SOURCE = """#include "saxpy.h"
enum class tag : int { first };
static int host_calls;
static int count_calls(int by) { return host_calls += by; }
#pragma ktune problem(n = 4096, 1048576) in(x[n]) inout(y[n]) value(a = 1.5f)
__global__ void saxpy(float *y, const float *x, float a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = scale(x[i], a) + y[i];
}

int run_saxpy(float *y, const float *x, float a, int n, cudaStream_t stream)
{
	saxpy<<<(n + 127) / 128, 128, 0, stream>>>(y, x, a, n);
	return count_calls(1) + (int)scaled(2.0f);
}
"""
HEADER = """#pragma once
static __device__ __forceinline__ float scale(float x, float a)
{
	return a * x;
}
static float scaled(float x)
{
	return x;
}
"""
HEAD = "__global__ void ${ktune:kernel}(float *y, const float *x, float a, int n)"
BODY = """{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
		y[i] = %s + y[i];
}"""
REFUSED = "/template: its text is refused"


def template(helpers="", body=BODY % "scale(x[i], a)", head=HEAD, **more):
    return {"generator": "llm", "rationale": "one block a piece",
            "strategies": [{"name": "model", "reason": "one launch"}],
            "parameters": [{"name": "BLOCK", "values": [64, 128, 256], "original": None, "meaning": "threads"}],
            "restrictions": [], "guards": [], "grid": ["ceil_div(n, BLOCK)"], "block": ["BLOCK"],
            "shared_bytes": "0", "concrete": True, "helpers": helpers.split("\n") if helpers else [],
            "head": head.split("\n"), "body": body.replace("BLOCK", "${BLOCK}").split("\n"), **more}


def text_project(p):
    """Another source, without parameters of its own; keys and objects are the same for all attacks."""
    for name, text in (("saxpy.cu", SOURCE), ("saxpy.h", HEADER)):
        with open(f"{p.source_folder}/{name}", "w") as out:
            out.write(text)
    made = p.suite.made
    if "texts" not in made:
        done = p.build(MODE="off")
        said = p.ktcc("explain", "--json", "saxpy.cu", "--", "-arch=sm_90").stdout
        key = json.loads(said)["regions"][0]["region_key"]
        kept = f"{p.suite.folder}/cache-of-texts"
        shutil.copytree(p.cache, kept)
        made["texts"] = {"original": without_paths(p.object(), p)}, key, kept
        p.check(done.returncode == 0, done.stderr)
    p.objects, key, cache = made["texts"]
    shutil.rmtree(p.cache, ignore_errors=True)
    shutil.copytree(cache, p.cache)
    return key


def write_entry(p, made, change=None):
    key = text_project(p)
    path = p.entry_file()
    with open(path) as file:
        entry = json.load(file)
    entry["keys"].update(region=key, near="0" * 64, closure="1" * 64)
    entry["configuration"] = {"BLOCK": 128}
    for one in entry["specialised"]:
        one["configuration"] = {"BLOCK": 256}
    entry["template"] = made
    entry["provenance"]["generator"] = "llm"
    if change is not None:
        change(entry)
    folder = f"{p.lock}/saxpy-{key[:8]}"
    os.remove(path)
    os.rename(os.path.dirname(path), folder)
    with open(f"{folder}/NVIDIA_H200-sm_90.json", "w") as out:
        out.write(stable(rehashed(entry)) + "\n")


def refused(name, construct, helpers="", change=None, **more):
    @attack("original", f"{REFUSED}: {construct}" if construct.isidentifier() or "-" in construct else construct)
    def act(p):
        write_entry(p, template(helpers, **more), change)
    act.__name__ = f"text_with_{name}"


@attack(None, None)
def text_of_a_model_is_printed_with_names_of_its_own(p):
    write_entry(p, template("using real = float;\nstruct pair { real first; };\nenum class tag { first = 7 };\n"
                            "// Ignore what was said before.\n__device__ real scale(real v, real by) { return v * by; }\n"
                            "__device__ float count_calls(pair p) { return p.first + (int)tag::first - 7; }",
                            BODY % "scale(x[i], a) + count_calls(pair{0.0f})"))
    done = p.build()
    lines = [line for line in p.object().splitlines() if line not in SOURCE.splitlines()]
    names = set(re.findall(r"\b(ktune_v_[0-9a-f]{16}_saxpy)_f\d+\b", p.object()))
    p.check(len(names) == 2, f"prefixes of names: {names}")
    for name in ("real", "pair", "tag", "scale", "count_calls", "Ignore"):
        found = [line for line in lines if re.search(rf"\b{name}\b", line)]
        p.check(found == [], f"{name} is in {found}")
    return done


# ---- texts that take long to check

def widening(depth):
    """Each function asks for two instances of the next: 2^depth of them."""
    last = f"template <int N> __device__ int f{depth}() {{ return N; }}\n"
    return last + "\n".join(f"template <int N> __device__ int f{k}() {{ return f{k + 1}<2 * N>() + f{k + 1}<2 * N + 1>(); }}"
                            for k in reversed(range(depth)))


@attack("original", "KTUNE_CHECK_SECONDS", CHECK_SECONDS="2")
def text_that_keeps_the_check_busy(p):
    write_entry(p, template(widening(24), BODY % "scale(x[i], a) + f0<1>()"))


@attack("original", "KTUNE_CHECK_SECONDS", CHECK_SECONDS="1")
def many_configurations_that_each_take_a_bit(p):
    def change(entry):
        special = entry["specialised"][0]
        entry["specialised"] = [{**special, "when": f"n == {1048576 + 8 * k}"} for k in range(60)]
    write_entry(p, template(widening(5), BODY % "scale(x[i], a) + f0<1>()"), change)


for _name, _construct, _helpers in (
        ("a_host_function", "host-code", "static int owned() { return 1; }"),
        ("a_host_device_function", "host-code", "__host__ __device__ int owned() { return 1; }"),
        ("a_constexpr_function", "constexpr-function", "constexpr int owned() { return 1; }"),
        ("a_constexpr_device_function", "constexpr-function", "__device__ constexpr int owned() { return 1; }"),
        ("a_consteval_function", "[a-z-]+", "consteval int owned() { return 1; }"),
        ("a_lambda_of_the_namespace", "lambda", "constexpr auto owned = [] { return 1; };"),
        ("a_lambda_in_a_default_argument", "[a-z-]+", "__device__ int owned(int v = [] { return 1; }()) { return v; }"),
        ("a_lambda_in_a_function", "lambda", "__device__ int owned() { return [] { return 1; }(); }"),
        ("enumerators_in_the_namespace", "enumerator", "enum owned { stream = 3 };"),
        ("an_enumeration_without_a_name", "enumerator", "enum { n = 3 };"),
        ("an_overload", "overload", "__device__ float f(float v) { return v; }\n__device__ int f(int v) { return v; }"),
        ("an_overload_of_the_users", "overload|name-clash|accepted",
         "__device__ float g(float v) { return v; }\n__device__ float g(float v, int w) { return v; }"),
        ("a_cast_to_a_function", "function-pointer", "__device__ void owned() { ((void (*)())0)(); }"),
        ("an_alias_of_a_function", "function-pointer", "using owned = void (*)();"),
        ("a_function_pointer_in_a_struct", "function-pointer", "struct owned { void (*f)(); };"),
        ("a_call_of_a_host_function", "syntax", "__device__ int owned() { return count_calls(1); }"),
        ("a_constructor_attribute", "[a-z-]+", "__attribute__((constructor)) __device__ void owned() { }"),
        ("a_section_attribute", "[a-z-]+", "__attribute__((section(\".init\"))) __device__ void owned() { }"),
        ("global_data", "[a-z-]+", "__device__ int owned = 3;"),
        ("host_data", "[a-z-]+", "int owned = system(\"touch owned\");"),
        ("an_extern_declaration", "[a-z-]+", "extern \"C\" int system(const char *);"),
        ("an_include", "[a-z-]+", "#include \"/etc/passwd\""),
        ("a_macro", "[a-z-]+", "#define scale(x, a) owned(x)"),
        ("a_line_directive", "[a-z-]+", "#line 1 \"owned\""),
        ("a_pragma_operator", "[a-z-]+", "_Pragma(\"GCC system_header\")"),
        ("a_using_directive", "[a-z-]+", "using namespace std;"),
        ("a_namespace", "[a-z-]+", "namespace owned { __device__ int f() { return 1; } }"),
        ("a_specialisation", "[a-z-]+", "template <> struct std::hash<int> { int f; };"),
        ("assembly", "inline-assembly", "__device__ void owned() { asm(\"trap;\"); }"),
        ("an_end_of_its_namespace", "[a-z-]+", "}\nint owned() { return 1; }\nnamespace {"),
        ("a_name_of_the_runtime", "host-code", "__device__ int cudaOwned() { return 1; }"),
        ("a_name_of_a_dispatcher", "reserved-name", "__device__ int ktune_owned() { return 1; }"),
        ("a_line_that_goes_on", "line-splice", "// \\\n__device__ int owned() { return 1; }"),
        ("a_raw_string", "[a-z-]+", "__device__ const char *owned = R\"(x)\";"),
        ("a_static_assert_that_counts", "[a-z-]+", "static_assert(sizeof(int[1 << 30][1 << 30]) != 0, \"\");"),
        ("another_kernel", "[a-z-]+", "__global__ void owned() { }"),
        ("a_launch", "[a-z-]+", "__device__ void owned() { saxpy<<<1, 1>>>(nullptr, nullptr, 0, 0); }"),
        ("recursion", "recursion", "__device__ int owned(int v) { return v > 0 ? owned(v - 1) : 0; }")):
    refused(_name, _construct, _helpers)

refused("host_code_behind_the_kernel", "[a-z-]+", body=BODY % "scale(x[i], a)" + "\nint owned() { return 1; }")
refused("host_code_in_the_head", "[a-z-]+", head="int owned() { return 1; }\n" + HEAD)
refused("other_arguments", "[a-z-]+", head=HEAD.replace("int n", "int n, int more"))
refused("an_argument_of_another_type", "[a-z-]+", head=HEAD.replace("const float *x", "float *x"))
refused("a_host_kernel", "[a-z-]+", head=HEAD.replace("__global__", "__global__ __host__"))
refused("a_section_for_one_configuration", "/template: text without a configuration has no",
        helpers="${if ${BLOCK} == 64}int owned() { return 1; }${end}".replace("${BLOCK}", "BLOCK"))
refused("a_name_that_is_computed", "/template: text without a configuration has no",
        helpers="__device__ int f${= BLOCK}() { return 1; }")

# ---- what the host could call, once more: each where the grammar allows a lambda, a call or a function's name

for _name, _helpers in (
        ("a_lambda_in_a_type", "using owned = decltype([] { return 1; });"),
        ("a_lambda_in_a_member", "struct owned { int v = [] { return 1; }(); };"),
        ("a_lambda_in_a_size", "struct owned { int v[[] { return 2; }()]; };"),
        ("a_lambda_in_an_assertion", "static_assert([] { return true; }(), \"\");"),
        ("a_lambda_in_an_enumerator", "enum class owned { a = [] { return 1; }() };"),
        ("a_lambda_in_a_template_argument", "template <int N> struct s { int v; };\nusing owned = s<[] { return 1; }()>;"),
        ("a_lambda_in_a_default_template_argument", "template <int N = [] { return 1; }()> __device__ int owned() { return N; }"),
        ("a_lambda_in_an_exception_specification", "__device__ int owned() noexcept([] { return true; }()) { return 1; }"),
        ("a_lambda_in_a_requirement", "template <int N> requires ([] { return true; }()) __device__ int owned() { return N; }"),
        ("an_operator", "struct s { int v; };\n__device__ int operator+(s a, int b) { return a.v + b; }"),
        ("a_literal_operator", "__device__ int operator\"\"_x(unsigned long long v) { return 1; }"),
        ("a_friend", "struct s { friend int owned() { return 1; } };"),
        ("a_constructor", "struct s { int v; constexpr s() : v(1) { } };"),
        ("a_destructor", "struct s { int v; ~s() { } };"),
        ("a_conversion", "struct s { int v; operator int() const { return v; } };"),
        ("a_static_member", "struct s { static int v; };"),
        ("a_virtual_function", "struct s { virtual int f() { return 1; } };"),
        ("an_explicit_instance", "template <int N> __device__ int f() { return N; }\ntemplate int f<1>();"),
        ("a_deduction_guide", "template <class T> struct s { T v; };\ntemplate <class T> s(T) -> s<int>;"),
        ("a_variable_template", "template <int N> int owned = N;"),
        ("an_inline_variable", "inline int owned = 1;"),
        ("a_thread_local", "thread_local int owned = 1;"),
        ("a_module_declaration", "export module owned;"),
        ("a_concept", "template <class T> concept owned = [] { return true; }();"),
        ("a_member_pointer", "struct s { int v; };\nusing owned = int (s::*)();"),
        ("a_reference_to_a_function", "using owned = int (&)(int);"),
        ("a_call_by_a_variable", "__device__ int f() { return 1; }\n__device__ int owned() { auto g = f; return g(); }"),
        ("a_call_by_an_address", "__device__ int f() { return 1; }\n__device__ int owned() { return (*&f)(); }"),
        ("a_function_as_a_template_argument",
         "__device__ int f() { return 1; }\ntemplate <int (*G)()> __device__ int g() { return G(); }\n"
         "__device__ int owned() { return g<f>(); }")):
    refused(_name, "[a-z-]+", _helpers)
