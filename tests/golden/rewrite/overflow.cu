// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A counter of 32 bits takes steps as long as the whole loop: it may not pass its range behind the last index.
// CHECK: template of 0 0
// CHECK: guard (n) <= 1073740800
// CHECK: template of 1 0
// CHECK-NOT: guard
// CHECK: for (long long i
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
void run(float *y, int n)
{
	narrow<<<(n + 255) / 256, 256>>>(y, n);
	wide<<<(n + 255) / 256, 256>>>(y, n);
}
