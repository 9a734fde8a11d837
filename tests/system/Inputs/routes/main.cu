#include <stdio.h>
#include "launch.h"

#pragma ktune problem(n = 4096) out(y[n]) value(with = 2) tune(BLOCK = 128, 64)
#define BLOCK 128
template <typename T> __global__ void k(T *y, int n, T with)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
		y[i] = with;
}
/* Overloads that a template launches by their name. */
__global__ void half_of(float *y, int n) { y[0] = n; }
template <typename T> __global__ void half_of(T *y, int n, T with) { y[0] = with; }
#pragma ktune problem(n = 4096) out(y[n]) tune(SPAN = 128, 64) grid(ceil_div(n, SPAN)) block(SPAN)
#define SPAN 128
__global__ void half_of(double *y, int n)
{
	for (int i = blockIdx.x * SPAN + threadIdx.x; i < n; i += gridDim.x * SPAN)
		y[i] = n / 2;
}
template <typename T> static void launch_halves(T *y, int n)
{
	half_of<<<(n + 127) / 128, 128>>>(y, n);
}
/* Nothing that is launched has the number of rows: the call tells it. */
#pragma ktune problem((rows, d) = (64, 256)) out(y[rows * d]) tune(THREADS = 128, 64) block(THREADS)
#define THREADS 128
__global__ void row_of(float *y, int d)
{
	for (int i = threadIdx.x; i < d; i += THREADS)
		y[blockIdx.x * d + i] = i;
}
/* No region. */
__global__ void other(float *y, int n, float with) { y[0] = with; }

extern "C" void stub_launched(const char *name, void **arguments)
{
	printf("%s n=%d;\n", name, *(int *)arguments[1]);
}

void erased(const void *kernel, int n, void **arguments)
{
	CHECKED(cudaLaunchKernel(kernel, dim3((n + BLOCK - 1) / BLOCK), dim3(BLOCK), arguments, 0, 0));
}

template <typename T> static void in_template(T *y, int n)
{
	const params p = params(dim3((n + BLOCK - 1) / BLOCK), BLOCK, 0, nullptr);
	launch(k<T>, p, y, n, T(1));
}

static void by_row(float *y, int count)
{
#pragma ktune bind(rows = 2 * count)
	launch(row_of, params(2 * count, 128, 0, 0), y, 256);
}

int main()
{
	float *y = nullptr;
	int n = 4096;
	float with = 3;
	void *arguments[] = {&y, &n, &with};

	in_template(y, n);
	launch(&k<float>, params((n + BLOCK - 1) / BLOCK, BLOCK, 0, 0), y, n, 2.0f);
	launch(k<float>, params(7, BLOCK, 0, 0), y, n, 2.0f);
	launch(k<double>, params((n + BLOCK - 1) / BLOCK, BLOCK, 0, 0), (double *)nullptr, n, 2.0);
	launch(other, params(1, 1, 0, 0), y, n, 2.0f);
	extended(k<float>, n, false, y, n, 2);
	extended(k<float>, n, true, y, n, 2);
	erased(reinterpret_cast<const void *>(&k<float>), n, arguments);
	CHECKED(::cudaLaunchKernel((const void *)k<float>, dim3((n + BLOCK - 1) / BLOCK), dim3(BLOCK), arguments, 0, 0));
	void (*by_address)(float *, int, float) = k<float>;
	launch(by_address, params((n + 127) / 128, 128, 0, 0), y, n, 2.0f);
	more(y, n);
	launch_halves((float *)nullptr, n);
	launch_halves((double *)nullptr, n);
	const int rows = 64;
	launch(row_of, params(rows, 128, 0, 0), y, 256);
	launch(row_of, params(dim3(7), 128, 0, 0), y, 256);
	by_row(y, 16);
	return 0;
}
