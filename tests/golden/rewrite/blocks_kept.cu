// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Without `geometry` blocks keep the threads they have; all else that is allowed is written.
// CHECK: template of 0
// CHECK: parameter BLOCK 256{{$}}
// CHECK: parameter WAVES 0{{$}}
// CHECK-NOT: strategy geometry
// CHECK: strategy vectorize
#pragma ktune auto(vectorize) problem(n = 4096) in(x[n]) inout(y[n]) value(a = 2.0f)
__global__ void axpy(float *__restrict__ y, const float *__restrict__ x, float a, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] += a * x[i];
}
// CHECK: declined {{.*}}nothing-applies{{.*}}geometry is not among the strategies that may be used
// Blocks of 96.
#pragma ktune auto(vectorize) problem(n = 4096) in(x[n]) inout(y[n]) value(a = 2.0f)
__global__ void odd(float *__restrict__ y, const float *__restrict__ x, float a, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] += a * x[i];
}
void run(float *y, const float *x, int n)
{
	axpy<<<(n + 255) / 256, 256>>>(y, x, 2.0f, n);
	odd<<<(n + 95) / 96, 96>>>(y, x, 2.0f, n);
}
