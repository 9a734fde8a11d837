// RUN: %lower %s -- -std=c++17 | diff %S/opaque.ir -
// What is not understood: with its text, and what it may change.
#include <cuda_runtime.h>
struct counted {
	int *at;
	__device__ ~counted() { ++*at; }
};
#pragma ktune problem(n = 100) inout(y[n])
__global__ void limited(float *y, int *at, int n)
{
	int left = n, kept = n;
	asm("mov.u32 %0, %%laneid;" : "=r"(left));
	y[left] = 1.0f;
	counted c{at};
	switch (n) {
	case 1:
		y[1] = 1.0f;
	case 2:
		y[2] = 2.0f;
	}
	static float last;
	last = y[kept];
	for (int i = 0; i < n; i++) {
		switch (i) {
		case 1:
			if (kept > 3)
				break;
			y[i] = 3.0f;
			break;
		}
		y[i] += 1.0f;
	}
}
#pragma ktune problem(n = 100) inout(y[n])
__global__ void jumping(float *y, int n)
{
	for (int i = 0; i < n; i++) {
		if (i == 5)
			goto out;
	}
out:
	y[3] = 4.0f;
}
#pragma ktune problem(n = 100) inout(y[n])
__global__ void erroneous(float *y, int n)
{
	while (--n) {
		nope;
	}
	y[0] = n;
}
namespace own
{
__device__ int printf(const char *, int *written);
}
#pragma ktune problem(n = 100) inout(y[n])
__global__ void named_alike(int *y, int n)
{
	own::printf("writes", y + n);
}
#pragma ktune problem(n = 100) inout(y[n])
__global__ void counting(int *y, int n)
{
	auto next = [n](int by) mutable { n += by; return n; };
	y[0] = next(1);
	y[1] = next(1);
}
void run(float *y, int *at, int n)
{
	counting<<<1, 1>>>(at, n);
	named_alike<<<1, 1>>>(at, n);
	limited<<<1, 1>>>(y, at, n);
	jumping<<<1, 1>>>(y, n);
	erroneous<<<1, 1>>>(y, n);
}
