/* Kernel shapes that an emission must survive. */
#ifndef KT_TESTS_SHAPES_H
#define KT_TESTS_SHAPES_H

#include "region_fixture.h"

struct shape {
	const char *name;
	struct fixture_spec spec;
	int64_t configuration[4]; /* of every variant */
};

static const struct shape shapes[] = {
    {"macro",
     {.source = "#define BLOCK 256\n"
		"#pragma ktune problem(n = 1024) in(x[n]) out(y[n]) \\\n"
		"    tune(BLOCK = 64, 128, 256)\n"
		"__global__ void __launch_bounds__(BLOCK) scale(float *y, const float *x, int n)\n"
		"{\n\tint i = blockIdx.x * BLOCK + threadIdx.x;\n\tif (i < n)\n\t\ty[i] = 2 * x[i];\n}\n"
		"void run(float *y, const float *x, int n, cudaStream_t s)\n"
		"{\n\tscale<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, s>>>(y, x, n);\n}\n",
      .kernel = "scale",
      .definition = "__global__ void __launch",
      .types = {"float *", "const float *", "int"},
      .names = {"y", "x", "n"},
      .parameters = {{"BLOCK", KT_PARAMETER_MACRO, 256, 0}},
      .variables = {"n"},
      .carried = {"n"},
      .restrictions = {"BLOCK <= 1024"},
      .grid = {"ceil_div(n, BLOCK)"},
      .block = {"BLOCK"}},
     {64}},
    {"constant with a callee",
     {.source =
	  "namespace ops {\nnamespace {\nconstexpr unsigned TILE = 16;\n"
	  "template <typename T> __device__ static inline T half_of(T v)\n{\n\treturn v / (TILE / 8);\n}\n"
	  "#pragma ktune tune(TILE = 8, 16)\n"
	  "static __global__ void halve(float *__restrict__ y, int rows)\n{\n"
	  "\t__shared__ float t[TILE];\n\tt[threadIdx.x % TILE] = half_of(y[threadIdx.x]);\n"
	  "\ty[threadIdx.x] = t[threadIdx.x % TILE] + rows;\n}\n}\n"
	  "void run(float *y, unsigned long count)\n{\n\thalve<<<\n\tdim3(count, 1), TILE\n\t>>>\n\t(y,\n\t3);\n}\n}\n",
      .kernel = "halve",
      .definition = "static __global__",
      .callee = "half_of",
      .callee_begin = "template <typename T> __device__",
      .types = {"float *__restrict", "int"},
      .names = {"y", "rows"},
      .parameters = {{"TILE", KT_PARAMETER_CONSTANT, 16, 0}},
      .variables = {"count"},
      .guards = {"aligned(y, 16)", "rows >= 0 && rows < count * 5"},
      .grid = {"count"},
      .block = {"TILE"},
      .in_anonymous_namespace = true},
     {8}},
    {"template",
     {.source = "namespace ops {\n"
		"#pragma ktune tune(BLOCK = 64, 128)\n"
		"template <typename T, int BLOCK>\n__global__ void add(T *y, const T *x, T a, int n)\n{\n"
		"\tint i = blockIdx.x * BLOCK + threadIdx.x;\n\tif (i < n)\n\t\ty[i] = x[i] + a;\n}\n"
		"template <typename T> void launch(T *y, const T *x, int n)\n{\n"
		"\tadd<T, 128><<<(n + 127) / 128, 128>>>(y, x, T(1), n);\n}\n}\n"
		"void run(float *f, double *d, long *l)\n{\n\tops::launch(f, f, 10);\n\tops::launch(d, d, 10);\n"
		"\tops::launch(l, l, 10);\n}\n",
      .kernel = "add",
      .definition = "template <typename T, int",
      .types = {"T *", "const T *", "T", "int"},
      .names = {"y", "x", "a", "n"},
      .templates = {"typename T", "int BLOCK"},
      .template_names = {"T", "BLOCK"},
      .instances = {{"float", "128"}, {"double", "128"}},
      .instance_types = {{"float *", "const float *", "float", "int"}, {"double *", "const double *", "double", "int"}},
      .parameters = {{"BLOCK", KT_PARAMETER_TEMPLATE, 128, 1}},
      .variables = {"n"},
      .carried = {"n"},
      .restrictions = {"n % BLOCK >= 0"},
      .grid = {"ceil_div(n, BLOCK)"},
      .block = {"BLOCK"}},
     {64}},
    {"defaults and an earlier declaration",
     {.source =
	  "#define V 1\nnamespace ops {\nstruct pair { int a, b; };\n"
	  "template <typename T = float, typename = void> __global__ void fill(T *y, pair p = {1, 2}, long n = 4);\n"
	  "void early(float *y)\n{\n\tfill<<<4, 32>>>(y);\n}\n"
	  "#pragma ktune tune(V = 1, 2)\n"
	  "template <typename T, typename> __global__ void fill(T *y, pair p, long n)\n{\n"
	  "\tfor (int i = 0; i < V; i++)\n\t\ty[i] = p.a + n;\n}\n"
	  "void late(float *y)\n{\n\tfill<float><<<dim3(4), 32, 0>>>(y, pair{3, 4}, 4);\n}\n}\n",
      .kernel = "fill",
      .definition = "template <typename T, typename>",
      .declaration =
	  "template <typename T = float, typename = void> __global__ void fill(T *y, pair p = {1, 2}, long n = 4)",
      .types = {"T *", "pair", "long"},
      .names = {"y", "p", "n"},
      .defaults = {NULL, "{1, 2}", "4"},
      .templates = {"typename T", "typename"},
      .template_names = {"T", ""},
      .template_defaults = {"float", "void"},
      .instances = {{"float", "void"}},
      .instance_types = {{"float *", "ops::pair", "long"}},
      .parameters = {{"V", KT_PARAMETER_MACRO, 1, 0}},
      .variables = {"n"},
      .carried = {"n"},
      .grid = {"n"},
      .block = {"32"}},
     {2}},
    {"extern C block",
     {.source = "#define V 1\nextern \"C\" {\n#pragma ktune tune(V = 1, 2)\n"
		"__global__ void plain(float *y, int rows = 2)\n{\n\ty[0] = V + rows;\n}\n}\n"
		"void run(float *y)\n{\n\tplain<<<2, 32>>>(y);\n}\n",
      .kernel = "plain",
      .definition = "__global__ void plain",
      .types = {"float *", "int"},
      .names = {"y", "rows"},
      .defaults = {NULL, "2"},
      .parameters = {{"V", KT_PARAMETER_MACRO, 1, 0}},
      .variables = {"rows"},
      .carried = {"rows"},
      .grid = {"rows"},
      .block = {"32"},
      .is_extern_c = true},
     {2}},
    {"extern C, overloads and arrays",
     {.source = "#define V 1\n#define min(a, b) ((a) < (b) ? (a) : (b))\n"
		"__global__ void twice(double *y)\n{\n\ty[0] *= 2;\n}\n#pragma ktune tune(V = 1, 2)\n"
		"extern __global__ void twice(float (*y)[4], const int k, int (*unused)(int))\n{\n\ty[k][V] *= min(2, "
		"k);\n}\n"
		"void run(float (*y)[4])\n{\n\tint rows = 2;\n\ttwice<<<rows, 32, 1024>>>(y, 1, nullptr);\n}\n",
      .kernel = "twice",
      .definition = "extern __global__",
      .types = {"float (*)[4]", "const int", "int (*)(int)"},
      .names = {"y", "k", "unused"},
      .parameters = {{"V", KT_PARAMETER_MACRO, 1, 0}},
      .variables = {"rows"},
      .guards = {"disjoint(y, 1, y, 0) && is_pow2(k)"},
      .grid = {"min(rows, 65535, device.multiprocessors)"},
      .block = {"32"},
      .shared = "1024 * V"},
     {2}},
};

#define SHAPES (sizeof shapes / sizeof shapes[0])

#endif
