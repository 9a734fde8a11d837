// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Where guards keep some buffers apart already they keep all of them apart, and the pointers say so. A kernel
// that needs no guard stays as it is declared.
// CHECK: template of 0
// CHECK-DAG: guard disjoint(x, rows * d, y, rows * d)
// CHECK-DAG: guard disjoint(scale, rows, y, rows * d)
// CHECK: strategy restrict
// CHECK: ${ktune:kernel}(float *__restrict__ y,
// CHECK-NEXT: const float *__restrict__ x, const float *__restrict__ scale, int d)
// CHECK: template of 1
// CHECK-NOT: strategy restrict
// CHECK: ${ktune:kernel}(float *__restrict__ y,
// CHECK-NEXT: const float *__restrict__ x, int d)
#pragma ktune problem(rows = 16; d = 1024) in(x[rows * d], scale[rows]) out(y[rows * d])
__global__ void scaled(float *y, const float *x, const float *scale, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = scale[blockIdx.x] * x[blockIdx.x * d + i];
}
void run(float *y, const float *x, const float *s, int rows, int d) { scaled<<<rows, 64>>>(y, x, s, d); }
#pragma ktune problem(rows = 16; d = 1024) in(x[rows * d]) out(y[rows * d])
__global__ void declared(float *__restrict__ y, const float *__restrict__ x, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = 2 * x[blockIdx.x * d + i];
}
void run2(float *y, const float *x, int rows, int d) { declared<<<rows, 64>>>(y, x, d); }
// What an atomic function gets is written, however its address is put together.
// CHECK: template of 2
// CHECK-DAG: guard disjoint(y, rows * d, z, rows)
// CHECK-DAG: guard disjoint(x, rows * d, z, rows)
// CHECK: float *__restrict__ z, int d)
#pragma ktune problem(rows = 16; d = 1024) in(x[rows * d]) out(y[rows * d]) inout(z[rows])
__global__ void counted(float *y, const float *x, float *z, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x) {
		y[blockIdx.x * d + i] = 2 * x[blockIdx.x * d + i];
		atomicAdd(z + blockIdx.x, 1.0f);
	}
}
void run3(float *y, const float *x, float *z, int rows, int d) { counted<<<rows, 64>>>(y, x, z, d); }
