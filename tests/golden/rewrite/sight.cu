// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Where a thread stands may be asked out of sight: in a constructor, a first value of a class, an argument that is not
// written, an operator, a function that another file has or that assembly is in, a class of a library. Then nothing is shared
// out anew.
// CHECK-NOT: template of {{[0-9]|1[0-3]}} 0
// CHECK: template of 14 0
// What gives values alone is seen.
// CHECK: parameter VEC
// CHECK: template of 15 0
// CHECK: parameter VEC
// CHECK: template of 16 0
// CHECK: parameter BLOCK
// CHECK: template of 17 0
// CHECK: parameter VEC
// An assignment that nobody wrote, but for what its members do.
// CHECK: template of 18 0
// CHECK: parameter BLOCK
// CHECK-NOT: template of 19 0
// CHECK: template of 20 0
// Clusters are of blocks, and an atomic function of a block is none to others.
// CHECK-NOT: template of 2
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <math.h>
struct place {
	int at;
	__device__ place() : at(threadIdx.x) {}
	__device__ place(int from);
	__device__ ~place() {}
};
__device__ inline place::place(int from) : at(from + threadIdx.x) {}
struct first {
	int at = threadIdx.x;
};
struct holder {
	place inner;
	int other;
	__device__ holder() : other(0) {}
};
struct number {
	float value;
	__device__ number operator*(const number &other) const { return number{value * other.value + threadIdx.x}; }
	__device__ number operator+(const number &other) const { return number{value + other.value}; }
	__device__ operator int() const { return threadIdx.x; }
};
struct random_bits {
	unsigned state;
	__device__ void operator>>(unsigned &to) { to = state = state * 1664525u + 1013904223u; }
	__device__ operator unsigned() { return state = state * 1664525u + 1013904223u; }
};
struct pair {
	float first = 1.0f, second = 2.0f;
	__device__ pair() {}
	__device__ pair(float a) : first(a), second(a) {}
	__device__ float sum(float scale = 1.0f) const { return (first + second) * scale; }
};
struct watched {
	float value;
	__device__ watched &operator=(const watched &other)
	{
		value = other.value + threadIdx.x;
		return *this;
	}
};
struct plain {
	float values[2];
};
struct around {
	watched inner[2];
};
struct declared {
	float value;
	declared() = default;
	declared(const declared &) = default;
	declared &operator=(const declared &) = default;
};
__device__ inline float shifted(float a, int by = threadIdx.x) { return a + by; }
__device__ float elsewhere(float a);
__device__ inline int hidden() { return (threadIdx).x; }
__device__ inline int lane()
{
	int at;
	asm("mov.u32 %0, %%laneid;" : "=r"(at));
	return at;
}
__device__ inline float exponential(float a)
{
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(a) : "f"(a));
	return a;
}
#define OWN own()
__device__ inline int own() { return threadIdx.x; }
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void constructed(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		place p;
		y[i] = x[i] + p.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void converting(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		place p = i;
		y[i] = x[i] + p.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void initialised(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		first p;
		y[i] = x[i] + p.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void in_braces(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = x[i] + first{}.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void held(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		holder p;
		y[i] = x[i] + p.inner.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void multiplied(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		number a{x[i]}, b{2.0f};
		y[i] = (a * b).value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void converted(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		number a{x[i]};
		int at = a;
		y[i] = at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void omitted(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = shifted(x[i]);
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void unknown(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = elsewhere(x[i]);
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void unread(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = x[i] + hidden();
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void assembled(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = x[i] + lane();
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void grouped(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = x[i] + cooperative_groups::this_thread_block().thread_rank();
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void in_macro(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = x[i] + OWN;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void extracted(float *__restrict__ y, const float *__restrict__ x, int n)
{
	random_bits bits{1};
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned v;
		bits >> v;
		y[i] = x[i] + v % 2;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void added(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		number a{x[i]}, b{2.0f};
		y[i] = (a + b).value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void paired(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		pair p, q(x[i]);
		y[i] = p.sum() + q.sum(2.0f);
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void raised(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = exponential(x[i]);
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void stepped(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = x[i] * fminf(x[i], INFINITY);
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void assigned(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		plain a{x[i], 2.0f}, b;
		b = a;
		y[i] = b.values[0];
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void watching(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		around a, b;
		a.inner[0].value = x[i];
		b = a;
		y[i] = b.inner[0].value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void by_default(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		declared a, b;
		a.value = x[i];
		b = a;
		y[i] = b.value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void clustered(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = x[i] + __clusterGridDimInClusters().x;
	}
}
#pragma ktune problem(rows = 5, 16; d = 100, 257) in(x[rows * d]) inout(y[rows])
__global__ void of_a_block(int *__restrict__ y, const int *__restrict__ x, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x) {
		atomicAdd_block(&y[blockIdx.x], x[blockIdx.x * d + i]);
	}
}

void run_rows(int *y, const int *x, int rows, int d) { of_a_block<<<rows, 64>>>(y, x, d); }
void run(float *y, const float *x, int n)
{
	constructed<<<(n + 63) / 64, 64>>>(y, x, n);
	converting<<<(n + 63) / 64, 64>>>(y, x, n);
	initialised<<<(n + 63) / 64, 64>>>(y, x, n);
	in_braces<<<(n + 63) / 64, 64>>>(y, x, n);
	held<<<(n + 63) / 64, 64>>>(y, x, n);
	multiplied<<<(n + 63) / 64, 64>>>(y, x, n);
	converted<<<(n + 63) / 64, 64>>>(y, x, n);
	omitted<<<(n + 63) / 64, 64>>>(y, x, n);
	unknown<<<(n + 63) / 64, 64>>>(y, x, n);
	unread<<<(n + 63) / 64, 64>>>(y, x, n);
	assembled<<<(n + 63) / 64, 64>>>(y, x, n);
	grouped<<<(n + 63) / 64, 64>>>(y, x, n);
	in_macro<<<(n + 63) / 64, 64>>>(y, x, n);
	extracted<<<(n + 63) / 64, 64>>>(y, x, n);
	added<<<(n + 63) / 64, 64>>>(y, x, n);
	paired<<<(n + 63) / 64, 64>>>(y, x, n);
	raised<<<(n + 63) / 64, 64>>>(y, x, n);
	stepped<<<(n + 63) / 64, 64>>>(y, x, n);
	assigned<<<(n + 63) / 64, 64>>>(y, x, n);
	watching<<<(n + 63) / 64, 64>>>(y, x, n);
	by_default<<<(n + 63) / 64, 64>>>(y, x, n);
	clustered<<<(n + 63) / 64, 64>>>(y, x, n);
}
