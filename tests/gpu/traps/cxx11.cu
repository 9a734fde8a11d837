// The oldest standard that emitted code stays valid in.
// flags: -std=c++11
// entry: k BLOCK=64
// entry: t WIDTH=64
// expect: k variant=1 original=0
// expect: t variant=1 original=0
#include <cstdio>
#define BLOCK 128
#define WIDTH 128
constexpr __host__ __device__ int width() { return 2; }
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += width();
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(WIDTH = 64, 128, 256) grid(ceil_div(n, WIDTH)) block(WIDTH)
template <class T> __global__ void t(T *y, int n)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		y[i] *= T(2);
}
int main()
{
	float *y = nullptr, host[1000], sum = 0;
	for (int i = 0; i < 1000; i++)
		host[i] = (float)i;
	cudaMalloc(&y, sizeof host);
	cudaMemcpy(y, host, sizeof host, cudaMemcpyHostToDevice);
	k<<<(1000 + BLOCK - 1) / BLOCK, BLOCK>>>(y, 1000);
	t<<<(1000 + WIDTH - 1) / WIDTH, WIDTH>>>(y, 1000);
	cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
	for (int i = 0; i < 1000; i++)
		sum += host[i];
	std::printf("%f %s\n", sum, cudaGetErrorName(cudaGetLastError()));
}
