// Devices hidden by the program itself before its first launch; the variable says nothing afterwards.
// entry: k BLOCK=64
// expect: k variant=2 original=0 .* on device 0
#include "trap.h"
#define BLOCK 128
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += 1;
}
int main()
{
	int n = 1000, devices = 0;
	setenv("CUDA_VISIBLE_DEVICES", "0", 1);
	float *y = filled<float>(n);
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
	setenv("CUDA_VISIBLE_DEVICES", "", 1);
	check(cudaGetDeviceCount(&devices));
	check(cudaSetDevice(0));
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
	std::printf("%d\n", devices);
	show("y", y, n);
}
