#!/usr/bin/env python3
"""A unit with many errors outside of its kernel, each with notes, and many functions that the kernel's instances call."""
ERRORS, INSTANCES, FUNCTIONS = 1000, 4, 24

print("struct one { __device__ one(int); };\nstruct two { __device__ two(int); };\n__device__ void overloaded(one);\n__device__ void overloaded(two);")
for i in range(FUNCTIONS):
    print(f"__device__ inline float f{i}(float x) {{ return x * {i}.5f; }}")
print("#pragma ktune problem(n = 65536) in(x[n]) out(y[n])")
print("template <int N> __global__ void k(float *y, const float *x, int n)\n{\n\tint i = blockIdx.x * 256 + threadIdx.x;")
calls = "".join(f" + f{i}(x[i])" for i in range(FUNCTIONS))
print(f"\tif (i < n)\n\t\ty[i] = N{calls};\n}}")
for i in range(ERRORS):
    print(f"__device__ inline void h{i}() {{ overloaded({i}); }}")
print("void run(float *y, const float *x, int n)\n{")
for i in range(INSTANCES):
    print(f"\tk<{i}><<<n / 256, 256>>>(y, x, n);")
print("}")
