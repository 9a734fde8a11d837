// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A counter of 32 bits takes steps as long as the whole loop: it may not pass its range behind the last index.
// CHECK: template of 0 0
// CHECK: guard (n) <= 1073740800
// CHECK: template of 1 0
// CHECK-NOT: guard
// CHECK: for (long long i
// CHECK: template of 2 0
// CHECK: guard (n) <= 1073740800
// CHECK: template of 3 0
// CHECK: guard (n) <= 1073740800
#pragma ktune problem(n = 65536) inout(y[n])
__global__ void narrow(float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] += 1.0f;
}
#pragma ktune problem(n = 65536) inout(y[n])
__global__ void wide(float *y, long long n)
{
	long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
	if (i < n)
		y[i] += 1.0f;
}
#pragma ktune problem(n = 65536) in(x[n]) inout(sum[1])
__global__ void total(float *sum, const float *__restrict__ x, int n)
{
	__shared__ float part[64];
	float own = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		own += x[i];
	part[threadIdx.x] = own;
	__syncthreads();
	for (int width = 32; width > 0; width /= 2) {
		if (threadIdx.x < width)
			part[threadIdx.x] += part[threadIdx.x + width];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(sum, part[0]);
}
#pragma ktune problem(n = 65536) inout(y[n * 4])
__global__ void fours(float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		for (int k = 0; k < 4; k++)
			y[i * 4LL + k] += k;
}
void run(float *y, float *s, int n)
{
	fours<<<(n + 255) / 256, 256>>>(y, n);
	total<<<64, 64>>>(s, y, n);
	narrow<<<(n + 255) / 256, 256>>>(y, n);
	wide<<<(n + 255) / 256, 256>>>(y, n);
}
