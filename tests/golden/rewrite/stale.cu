// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A name keeps the value that it was given: where what it was made of is changed behind it, it is no other word for that.
// CHECK-NOT: x + (r
// CHECK: template of 1 0
// CHECK-NOT: x + (r
// CHECK: x + (base
// CHECK: x[base + i]
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows * n]) out(y[rows * n])
__global__ void pointer(float *__restrict__ y, const float *__restrict__ x, int n)
{
	int r = blockIdx.x * n;
	const float *p = x + r;
	r = 0;
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		y[blockIdx.x * n + i + r] = p[i];
}
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows * n]) out(y[rows * n])
__global__ void number(float *__restrict__ y, const float *__restrict__ x, int n)
{
	int r = blockIdx.x;
	const int base = r * n;
	r = 0;
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		y[blockIdx.x * n + i + r] = x[base + i];
}
void run(float *y, const float *x, int rows, int n)
{
	pointer<<<rows, 256>>>(y, x, n);
	number<<<rows, 256>>>(y, x, n);
}
