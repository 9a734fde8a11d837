// One kernel over three device symbols, in forms that are right (0, 5) and wrong: one element beyond what the clause
// counts (1), an output held apart from a symbol (2), a changed input (3), an output that is left as it was (4).
#include <cstdio>
#define FORM 0
static __constant__ float gains[20];
namespace {
__device__ float shift[8192];
}
__device__ float kept[8192];
__device__ const float offsets[4] = {0.5f, 0.25f, 0.125f, 0.0625f}; // constant: needs no clause

#pragma ktune problem(n = 1000, 8000) in(x[n]) in(gains[16]) in(shift[n]) out(y[n]) out(kept[n]) \
    tune(FORM = 0, 1, 2, 3, 4, 5) grid(ceil_div(n, 128)) block(128)
__global__ void scaled(float *y, const float *x, int n)
{
	const int i = blockIdx.x * 128 + threadIdx.x;
	__shared__ float local[16];
	if (FORM == 5 && threadIdx.x < 16)
		local[threadIdx.x] = gains[threadIdx.x];
	__syncthreads();
	if (i >= n)
		return;
	float v = x[i] * (FORM == 5 ? local[i % 16] : gains[i % 16]);
	if (FORM == 2) {
		*(volatile float *)&y[i] = v;
		v = *(volatile float *)&y[i];
	}
	v += *(volatile float *)&shift[i] + offsets[i % 4];
	y[i] = v;
	if (FORM == 3)
		shift[i] = v;
	if (FORM != 4)
		kept[i] = v;
	if (FORM == 1 && i == n - 1)
		kept[i + 1] = v;
}

static void show(const char *what, const float *where, int n)
{
	double sum = 0;
	float *host = new float[n];
	cudaMemcpy(host, where, n * sizeof *host, cudaMemcpyDefault);
	for (int i = 0; i < n; i++)
		sum += host[i] * (i + 1);
	std::printf("%s %.9g\n", what, sum);
	delete[] host;
}

int main()
{
	const int n = 8000;
	float *x, *y, *into = nullptr, *out = nullptr, host[8192];
	for (int i = 0; i < 8192; i++)
		host[i] = float(i % 97) / 97;
	cudaMalloc(&x, sizeof host);
	cudaMalloc(&y, sizeof host);
	cudaMemcpy(x, host, sizeof host, cudaMemcpyDefault);
	cudaMemcpyToSymbol(gains, host, sizeof gains);
	cudaMemcpyToSymbol(shift, host, sizeof shift);
	cudaGetSymbolAddress(reinterpret_cast<void **>(&into), shift);
	cudaGetSymbolAddress(reinterpret_cast<void **>(&out), kept);
	scaled<<<(n + 127) / 128, 128>>>(y, x, n);
	show("y", y, n);
	show("kept", out, n);
	// The output is the symbol that is read.
	scaled<<<(n + 127) / 128, 128>>>(into, x, n);
	show("shift", into, n);
	show("kept", out, n);
	const cudaError_t error = cudaDeviceSynchronize();
	std::printf("%s\n", cudaGetErrorString(error));
	return error != cudaSuccess;
}
