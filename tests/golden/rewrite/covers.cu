// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A grid that nobody can see to cover the index becomes a guard; a return ends its own index only; two pointers that may
// overlap must not, and the guard says with what sizes.
// CHECK: guard (n / 256 + 1) * (256) >= (n)
// CHECK: template of 1 0
// CHECK: continue;
// CHECK: template of 2 0
// CHECK: guard disjoint(x, n, y, n)
#pragma ktune problem(n = 65536) in(x[n]) out(y[n])
__global__ void copy(float *__restrict__ y, const float *__restrict__ x, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	y[i] = x[i];
}
#pragma ktune problem(n = 65536) in(x[n]) inout(y[n + 1])
__global__ void some(float *y, const float *x, int n)
{
	const int i = blockIdx.x * 128 + threadIdx.x;
	if (i >= n)
		return;
	float value = x[i];
	if (value < 0)
		return;
	y[i + 1] = value;
}
#pragma ktune problem(n = 65536) in(x[n]) out(y[n])
__global__ void twice(float *y, const float *x, int n)
{
	const int i = blockIdx.x * 128 + threadIdx.x;
	if (i < n)
		y[i] = 2 * x[i];
}
void run(float *y, const float *x, int n)
{
	copy<<<(n / 256 + 1), 256>>>(y, x, n);
	twice<<<(n + 127) / 128, 128>>>(y, x, n);
	some<<<(n + 127) / 128, 128>>>(y, x, n);
}
