/* Macros with the names that a launch, a dispatcher and their header could have: before the kernel and its launches. */
#include <stdio.h>
#include "words.h"
#define BLOCK 128
#pragma ktune problem(rows = 64) in(x[rows * 256]) out(y[rows * 256]) tune(BLOCK = 64, 128) guard(ceil_div(rows, 2) < 100)
template <typename T> __global__ void kernel(T *y, const T *x)
{
	for (int i = threadIdx.x; i < 256; i += BLOCK)
		y[blockIdx.x * 256 + i] = x[blockIdx.x * 256 + i];
}
extern "C" void stub_launched(const char *called, void **) { printf("%s\n", called); }

static int calls_made;
static float *passed_on(float *y)
{
	calls_made++;
	return y;
}
template <typename F> static void with(F given_kernel, int rows, float *y, const float *x)
{
	given_kernel<<<rows, BLOCK>>>(y, x);
}
#define LAUNCH(K, G, ...) K<<<G, BLOCK>>>(__VA_ARGS__)

int main()
{
	int rows = 64;
	float *y = nullptr;
	const float *x = nullptr;
	kernel<<<rows, BLOCK>>>(y, x);
	kernel<float><<<rows, BLOCK>>>(passed_on(y), x);
	with(kernel<float>, rows, y, x);
	LAUNCH(kernel<float>, rows, y, x);
	void *arguments_of_kernel[] = {&y, &x};
	cudaLaunchKernel((void *)kernel<float>, dim3(rows), dim3(BLOCK), arguments_of_kernel, 0, 0);
	printf("%d\n", calls_made);
}
