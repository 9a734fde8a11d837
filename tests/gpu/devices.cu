// One region that is slow as written, for a build of several architectures (devices.sh): prints a digest.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define BLOCK 32

#pragma ktune problem(n = 16777216) in(x[n]) inout(y[n]) tune(BLOCK = 32, 64, 256, 512) budget(trials = 8)
__global__ void blend(float *y, const float *x, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = y[i] * 0.5f + x[i];
}

static void check(cudaError_t error)
{
	if (error != cudaSuccess) {
		std::printf("error %s\n", cudaGetErrorName(error));
		std::exit(1);
	}
}

int main()
{
	const int n = 1 << 24;
	std::vector<float> host(static_cast<size_t>(n));
	unsigned long long hash = 1469598103934665603ull;
	float *x = nullptr, *y = nullptr;

	for (int i = 0; i < n; i++)
		host[static_cast<size_t>(i)] = static_cast<float>(i % 1001);
	check(cudaMalloc(&x, sizeof(float) * static_cast<size_t>(n)));
	check(cudaMalloc(&y, sizeof(float) * static_cast<size_t>(n)));
	check(cudaMemcpy(x, host.data(), sizeof(float) * static_cast<size_t>(n), cudaMemcpyHostToDevice));
	check(cudaMemcpy(y, host.data(), sizeof(float) * static_cast<size_t>(n), cudaMemcpyHostToDevice));
	for (int i = 0; i < 5; i++)
		blend<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n);
	check(cudaGetLastError());
	check(cudaMemcpy(host.data(), y, sizeof(float) * static_cast<size_t>(n), cudaMemcpyDeviceToHost));
	for (float v : host)
		hash = (hash ^ static_cast<unsigned long long>(v * 64.0f)) * 1099511628211ull;
	std::printf("%016llx\n", hash);
}
