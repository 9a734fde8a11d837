"""instances.py KTCC NVCC FOLDER [NAME…]: the instances that a scan finds are the kernels that nvcc makes.

Each unit has one annotated kernel template K, launched as projects launch theirs. The symbols of its instances are compared
with the .entry names of the unit's PTX."""
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

PRAGMA = "#pragma ktune problem(n = 4096) in(x[n]) out(y[n])\n"
BODY = """{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i];
}
"""
PLAIN = PRAGMA + "template <typename T> __global__ void K(T *y, const T *x, int n)\n" + BODY
WIDE = PRAGMA + "template <typename T, int V> __global__ void K(T *y, const T *x, int n)\n" + BODY

UNITS = {
    # Host function templates, by deduction and by name.
    "deduced": PLAIN + """
template <typename T> void f(T *y, const T *x, int n) { K<<<1, 64>>>(y, x, n); }
void g(float *a, const float *b, double *c, const double *d, int n) { f(a, b, n); f(c, d, n); }
""",
    "nested": WIDE + """
template <typename T, int V> void inner(T *y, const T *x, int n) { K<T, 2 * V><<<1, 64>>>(y, x, n); }
template <typename T> void outer(T *y, const T *x, int n) { inner<T, 1>(y, x, n); inner<T, 4>(y, x, n); }
void g(float *y, const float *x, int n) { outer(y, x, n); }
""",
    "never_called": PLAIN + """
template <typename T> void f(T *y, const T *x, int n) { K<T><<<1, 64>>>(y, x, n); }
template <typename T> void unused(T *y, const T *x, int n) { K<long long><<<1, 64>>>((long long *)y, (const long long *)x, n); }
void g(short *y, const short *x, int n) { f(y, x, n); }
""",
    "discarded": WIDE + """
template <typename T> void f(T *y, const T *x, int n)
{
	if constexpr (sizeof(T) == 4)
		K<T, 4><<<1, 64>>>(y, x, n);
	else
		K<T, 2><<<1, 64>>>(y, x, n);
}
void g(float *y, const float *x, double *a, const double *b, int n) { f(y, x, n); f(a, b, n); }
""",
    "switch": WIDE + """
template <typename T> void f(T *y, const T *x, int n, int v)
{
	switch (v) {
	case 1: K<T, 1><<<n, 64>>>(y, x, n); break;
	case 2: K<T, 2><<<n, 64>>>(y, x, n); break;
	default: K<T, 8><<<n, 64>>>(y, x, n);
	}
}
template void f<float>(float *, const float *, int, int);
template void f<int>(int *, const int *, int, int);
""",
    "lambda": PLAIN + """
template <typename F> void dispatch(int kind, F &&f) { if (kind == 0) f(float()); else f(double()); }
void g(void *y, const void *x, int n, int kind)
{
	dispatch(kind, [&](auto tag) {
		using T = decltype(tag);
		K<T><<<1, 64>>>(static_cast<T *>(y), static_cast<const T *>(x), n);
	});
}
""",
    "lambda_variadic": WIDE + """
template <int N> struct number { static constexpr int value = N; };
template <typename F, int... V> void each(F &&f) { (f(number<V>()), ...); }
template <typename F> void some(F &&f) { f(number<1>()); f(number<16>()); }
void g(float *y, const float *x, int n)
{
	some([&](auto v) { K<float, decltype(v)::value><<<1, 64>>>(y, x, n); });
}
""",
    "macro_switch": PLAIN + """
enum class kind { f32, f64, i32 };
#define CASE(TYPE, E, ...) case kind::E: { using scalar_t = TYPE; __VA_ARGS__(); break; }
#define DISPATCH(KIND, ...) switch (KIND) { CASE(float, f32, __VA_ARGS__) CASE(double, f64, __VA_ARGS__) CASE(int, i32, __VA_ARGS__) }
void g(void *y, const void *x, int n, kind k)
{
	DISPATCH(k, [&] { K<scalar_t><<<1, 64>>>((scalar_t *)y, (const scalar_t *)x, n); });
}
""",
    "macro_bool": PRAGMA + "template <typename T, bool A, bool B> __global__ void K(T *y, const T *x, int n)\n" + BODY + """
#define BOOL(COND, NAME, ...) [&] { if (COND) { constexpr bool NAME = true; return __VA_ARGS__(); } else { constexpr bool NAME = false; return __VA_ARGS__(); } }()
void g(float *y, const float *x, int n, bool a, bool b)
{
	BOOL(a, A, [&] { BOOL(b, B, [&] { K<float, A, B><<<1, 64>>>(y, x, n); }); });
}
""",
    "alias": PLAIN + """
using element = float;
typedef unsigned char byte_t;
template <typename T> using same = T;
void g(void *y, const void *x, int n)
{
	K<element><<<1, 64>>>((float *)y, (const float *)x, n);
	K<same<same<byte_t>>><<<1, 64>>>((byte_t *)y, (const byte_t *)x, n);
}
""",
    "alias_of_kernel": WIDE + """
void g(float *y, const float *x, int n)
{
	auto kernel = K<float, 4>;
	kernel<<<1, 64>>>(y, x, n);
	auto *other = &K<float, 2>;
	other<<<1, 64>>>(y, x, n);
	K<float, 8><<<1, 64>>>(y, x, n);
}
""",
    "default_arguments": PRAGMA + "template <typename T, int V = 4, typename A = T> __global__ void K(T *y, const T *x, int n)\n" + BODY + """
void g(float *y, const float *x, int n)
{
	K<float><<<1, 64>>>(y, x, n);
	K<float, 2><<<1, 64>>>(y, x, n);
	K<float, 2, double><<<1, 64>>>(y, x, n);
	K<<<1, 64>>>(y, x, n);
}
""",
    "enumerator": "enum class op { add, mul };\nenum old { first = 3 };\n" + PRAGMA +
                  "template <typename T, op O, old F> __global__ void K(T *y, const T *x, int n)\n" + BODY + """
template <op O> void f(float *y, const float *x, int n) { K<float, O, first><<<1, 64>>>(y, x, n); }
void g(float *y, const float *x, int n) { f<op::add>(y, x, n); f<op::mul>(y, x, n); }
""",
    # Explicit instantiations of host templates: enumerators by name, arguments that are partly written.
    "enumerator_explicit": "enum kind_t { linear = 2, cubic = 5 };\nenum class mode { fast, exact = 7 };\n" + PRAGMA +
                           "template <typename T, kind_t O, mode M> __global__ void K(T *y, const T *x, int n)\n" + BODY + """
template <typename T, kind_t O, mode M> void f(T *y, const T *x, int n) { K<T, O, M><<<1, 64>>>(y, x, n); }
template void f<float, linear, mode::fast>(float *, const float *, int);
template void f<float, cubic, mode::exact>(float *, const float *, int);
template void f<double, kind_t::cubic, mode(7)>(double *, const double *, int);
""",
    "alias_explicit": "using element = float;\ntypedef unsigned short half_bits;\nusing bits = half_bits;\n" + PLAIN + """
template <typename T> void f(T *y, const T *x, int n) { K<T><<<1, 64>>>(y, x, n); }
template void f<element>(element *, const element *, int);
template void f<bits>(bits *, const bits *, int);
namespace ops { namespace detail { struct pair { int a, b; }; } using detail::pair; }
template void f<ops :: pair>(ops::pair *, const ops::pair *, int);
""",
    "discarded_explicit": "enum { small_rows, large_rows };\n" + WIDE + """
template <typename T, int M> void f(T *y, const T *x, int n)
{
	if (n > 64) {
		if constexpr (M > 0) {
			K<T, 4><<<1, 64>>>(y, x, n);
		} else if constexpr (sizeof(T) == 8)
			K<T, 2><<<1, 64>>>(y, x, n);
		else {
			K<T, 1><<<1, 64>>>(y, x, n);
		}
	}
	if constexpr (!(M == large_rows))
		K<T, 16><<<1, 64>>>(y, x, n);
}
template void f<float, small_rows>(float *, const float *, int);
template void f<double, small_rows>(double *, const double *, int);
template void f<int, large_rows>(int *, const int *, int);
""",
    "partial_explicit": "struct gpu; struct cpu;\n" + WIDE + """
template <typename D, typename T, typename I> struct copy { void operator()(T *y, const T *x, int n) {} };
template <typename T, typename I> struct copy<gpu, T, I> {
	void operator()(T *y, const T *x, I n)
	{
		constexpr int width = 8;
		K<T, width><<<1, 64>>>(y, x, int(n));
	}
};
#define MAKE(T) template struct copy<gpu, T, int>;
MAKE(float)
MAKE(double)
template struct copy<cpu, char, int>;
#undef MAKE
""",
    "partly_deduced": PRAGMA + "template <int V, typename T, typename U> __global__ void K(T *y, const T *x, int n, U s)\n" + BODY.replace("[i];", "[i] * T(s);") + """
template <typename T> void f(T *out, const T *in, int n)
{
	constexpr int width = 4;
	K<width><<<1, 64>>>(out, in, n, n);
}
template void f<float>(float *, const float *, int);
template void f<double>(double *, const double *, int);
""",
    "function_argument": "template <typename T> __device__ T neg(const T &v) { return -v; }\n__device__ float twice(float v) { return 2 * v; }\n" +
                         PRAGMA + "template <typename T, T (*F)(const T &)> __global__ void K(T *y, const T *x, int n)\n{\n\tint i = threadIdx.x;\n\tif (i < n)\n\t\ty[i] = F(x[i]);\n}\n" + """
template <typename T> void f(T *y, const T *x, int n) { K<T, neg<T>><<<1, 64>>>(y, x, n); }
void g(float *y, const float *x, double *a, const double *b, int n) { f(y, x, n); f(a, b, n); }
""",
    "functor": "struct relu { template <typename T> __device__ T operator()(T v) const { return v > T(0) ? v : T(0); } };\nnamespace ops { struct square { __device__ float operator()(float v) const { return v * v; } }; }\n" +
               PRAGMA + "template <typename F, typename T> __global__ void K(T *y, const T *x, int n)\n{\n\tint i = threadIdx.x;\n\tif (i < n)\n\t\ty[i] = F()(x[i]);\n}\n" + """
template <typename F> struct launcher { template <typename T> static void run(T *y, const T *x, int n) { K<F><<<1, 64>>>(y, x, n); } };
void g(float *y, const float *x, int n) { launcher<relu>::run(y, x, n); launcher<ops::square>::run(y, x, n); }
""",
    "template_template": "template <typename T> struct box { T v; };\n" + PRAGMA +
                         "template <template <typename> class B, typename T> __global__ void K(T *y, const T *x, int n)\n{\n\tint i = threadIdx.x;\n\tif (i < n)\n\t\ty[i] = B<T>{x[i]}.v;\n}\n" + """
void g(float *y, const float *x, int n) { K<box, float><<<1, 64>>>(y, x, n); }
""",
    "class_member": PLAIN + """
template <typename T, int N> struct layer {
	T *y;
	void forward(const T *x, int n) { launch(x, n); }
private:
	void launch(const T *x, int n) { K<T><<<N, 64>>>(y, x, n); }
	void never(const T *x, int n) { K<unsigned long long><<<N, 64>>>((unsigned long long *)y, (const unsigned long long *)x, n); }
};
void g(layer<float, 2> &l, const float *x, int n) { l.forward(x, n); }
""",
    "class_static": PLAIN + """
template <typename T> struct op { static void run(T *y, const T *x, int n) { K<T><<<1, 64>>>(y, x, n); } };
template struct op<float>;
template <> struct op<double> { static void run(double *y, const double *x, int n) { K<long><<<1, 64>>>((long *)y, (const long *)x, n); } };
void g(double *y, const double *x, int n) { op<double>::run(y, x, n); }
""",
    "constructor": PLAIN + """
template <typename T> struct task {
	task(T *y, const T *x, int n) { K<T><<<1, 64>>>(y, x, n); }
	~task() { K<unsigned short><<<1, 64>>>(nullptr, nullptr, 0); }
	void operator()(T *y, const T *x, int n) { K<signed char><<<1, 64>>>((signed char *)y, (const signed char *)x, n); }
};
void g(float *y, const float *x, int n) { task<float> now(y, x, n); }
""",
    "call_operator": PLAIN + """
template <typename T> struct run { void operator()(T *y, const T *x, int n) const { K<T><<<1, 64>>>(y, x, n); } };
void g(float *y, const float *x, int n) { run<float>()(y, x, n); run<float> named; named(y, x, n); }
""",
    "virtual_member": PLAIN + """
struct base { virtual void go(float *y, const float *x, int n) = 0; virtual ~base() {} };
template <typename T> struct derived : base { void go(float *y, const float *x, int n) override { K<T><<<1, 64>>>((T *)y, (const T *)x, n); } };
base *make() { return new derived<int>; }
""",
    "explicit_kernel": PLAIN + """
template __global__ void K<float>(float *, const float *, int);
template __global__ void K<unsigned>(unsigned *, const unsigned *, int);
extern template __global__ void K<double>(double *, const double *, int);
""",
    "specialised": PLAIN + """
template <> __global__ void K<double>(double *y, const double *x, int n) { if (n > 0) y[0] = x[0]; }
void g(float *y, const float *x, double *a, const double *b, int n) { K<<<1, 64>>>(y, x, n); K<<<1, 64>>>(a, b, n); }
""",
    "address": PLAIN + """
template <typename T> const void *of() { return reinterpret_cast<const void *>(&K<T>); }
const void *table[] = {of<float>(), of<char>()};
""",
    "variable_template": PLAIN + """
template <typename T> constexpr int threads = sizeof(T) * 16;
template <typename T> void (*const kernel)(T *, const T *, int) = K<T>;
void g(float *y, const float *x, int n) { kernel<float><<<1, (threads<float>)>>>(y, x, n); }
""",
    "pack": PLAIN + """
template <typename... T> struct list {};
template <typename... T> void all(list<T...>, void *y, const void *x, int n) { (K<T><<<1, 64>>>((T *)y, (const T *)x, n), ...); }
void g(void *y, const void *x, int n) { all(list<float, int, char>(), y, x, n); }
""",
    "recursive": WIDE + """
template <int V> void down(float *y, const float *x, int n)
{
	K<float, V><<<1, 64>>>(y, x, n);
	if constexpr (V > 1)
		down<V / 2>(y, x, n);
}
void g(float *y, const float *x, int n) { down<8>(y, x, n); }
""",
    "trait": "template <typename T> struct wide { using type = T; };\ntemplate <> struct wide<float> { using type = double; };\n" + PLAIN + """
template <typename T> void f(void *y, const void *x, int n)
{
	using W = typename wide<T>::type;
	K<W><<<1, 64>>>((W *)y, (const W *)x, n);
}
void g(void *y, const void *x, int n) { f<float>(y, x, n); f<short>(y, x, n); }
""",
    "namespaces": "namespace ops { namespace {\n" + PLAIN + "} namespace detail { struct tag { float v; }; } }\n" + """
using namespace ops;
void g(detail::tag *y, const detail::tag *x, int n) { K<<<1, 64>>>(y, x, n); }
namespace other { using ops::K; void h(float *y, const float *x, int n) { K<float><<<1, 64>>>(y, x, n); } }
""",
    "local_static": PLAIN + """
template <typename T> struct once { static int made; };
template <typename T> int start() { K<T><<<1, 64>>>(nullptr, nullptr, 0); return 1; }
template <typename T> int once<T>::made = start<T>();
int g() { return once<float>::made; }
static int at_start = start<int>();
""",
    "inherited": PLAIN + """
template <typename D> struct crtp { void go(int n) { static_cast<D *>(this)->run(n); } };
template <typename T> struct mine : crtp<mine<T>> { void run(int n) { K<T><<<1, 64>>>(nullptr, nullptr, n); } };
void g(int n) { mine<float> m; m.go(n); }
""",
    "partial_class": PLAIN + """
template <typename T, typename U> struct pair_op { void go(T *y, const T *x, int n) { K<T><<<1, 64>>>(y, x, n); } };
template <typename T> struct pair_op<T, int> { void go(T *y, const T *x, int n) { K<unsigned><<<1, 64>>>((unsigned *)y, (const unsigned *)x, n); } };
void g(float *y, const float *x, int n) { pair_op<float, float> a; a.go(y, x, n); pair_op<float, int> b; b.go(y, x, n); }
""",
    "overloaded_host": PLAIN + """
template <typename T> void f(T *y, const T *x, int n) { K<T><<<1, 64>>>(y, x, n); }
template <typename T> void f(T *y, int n) { K<long long><<<1, 64>>>((long long *)y, (const long long *)y, n); }
void f(double *y, const double *x, int n) { K<<<1, 64>>>(y, x, n); }
void g(float *y, const float *x, int n) { f(y, x, n); }
""",
    "enable_if": "template <bool B> struct only {};\ntemplate <> struct only<true> { using type = int; };\n" + PLAIN + """
template <typename T, typename only<sizeof(T) == 4>::type = 0> void f(T *y, const T *x, int n) { K<T><<<1, 64>>>(y, x, n); }
template <typename T, typename only<sizeof(T) == 8>::type = 0> void f(T *y, const T *x, int n) { K<unsigned long long><<<1, 64>>>((unsigned long long *)y, (const unsigned long long *)x, n); }
void g(float *y, const float *x, double *a, const double *b, int n) { f(y, x, n); f(a, b, n); }
""",
    "in_macro_function": PLAIN + """
#define DEFINE(NAME, T) void NAME(T *y, const T *x, int n) { K<T><<<1, 64>>>(y, x, n); }
DEFINE(run_float, float)
DEFINE(run_char, char)
""",
    "returned_lambda": PLAIN + """
template <typename T> auto launcher(int n) { return [n](T *y, const T *x) { K<T><<<1, 64>>>(y, x, n); }; }
void g(float *y, const float *x, int n) { auto go = launcher<float>(n); go(y, x); }
""",
}

# What libclang does not show: the pragma's line says so, and what to write.
HIDDEN = {"function_argument": "no-instance", "template_template": "no-instance", "virtual_member": "no-instance"}


def unit(name):
    path = os.path.join(folder, name + ".cu")
    with open(path, "w") as out:
        out.write(UNITS[name])
    ptx = subprocess.run([nvcc, "-std=c++17", "-arch=sm_90", "-w", "-ptx", path, "-o", "-"], capture_output=True, text=True)
    if ptx.returncode != 0:
        return f"{name}: nvcc refuses it: {ptx.stderr}"
    # A kernel that is no template's, and a specialisation of its own text, are not instances of K's text.
    wanted = {symbol for symbol in re.findall(r"\.entry (\w+)", ptx.stdout)}
    scan = subprocess.run([ktcc, "scan", "--json", path, "--", "-std=c++17", "-arch=sm_90"], capture_output=True, text=True)
    if scan.returncode != 0:
        return f"{name}: {scan.stderr[:300]}"
    region = json.loads(scan.stdout)["regions"][0]
    found = {one.get("symbol") or one["name"] for one in region["instances"]}
    if name in HIDDEN:
        return None if region["decline"] == HIDDEN[name] and not found else f"{name}: {region['decline']}, {found}"
    # What is known by its text has no symbol yet.
    texts = {re.sub(r"^void (.*>)\(.*", r"\1", text).replace("(anonymous namespace)::", ""): symbol
             for symbol, text in zip(sorted(wanted), subprocess.run(["c++filt", *sorted(wanted)], capture_output=True,
                                                                    text=True).stdout.splitlines())}
    found = {texts.get(one, one) for one in found}
    if name == "specialised":
        wanted = {symbol for symbol in wanted if "IdE" not in symbol}
    anonymous = lambda symbols: {re.sub(r"\d+_GLOBAL__N__[0-9a-f]+_\d+_\w+?_cu_[0-9a-f]{8}|12_GLOBAL__N_1", "_GLOBAL__N_", s) for s in symbols}
    if anonymous(found) != anonymous(wanted):
        return (f"{name}: {region['decline'] or ''} {region['decline_detail'] or ''}\n"
                f"  not found: {sorted(anonymous(wanted) - anonymous(found))}\n  not made: {sorted(anonymous(found) - anonymous(wanted))}")
    return None


if __name__ == "__main__":
    ktcc, nvcc, folder = sys.argv[1:4]
    names = sys.argv[4:] or list(UNITS)
    os.makedirs(folder, exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        failures = [failure for failure in pool.map(unit, names) if failure]
    for failure in failures:
        print(failure)
    print(f"{len(names)} units, {len(failures)} failures")
    sys.exit(bool(failures))
