// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Each thread needs its neighbour's sum of the turn before: no template, and the line where they wait.
// CHECK-NOT: template of
// CHECK: declined threads-wait line [[# @LINE + 10]] threads carry values between iterations
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d]) out(y[rows * d])
__global__ void scan(float *y, const float *x, int d)
{
	__shared__ float part[256];
	int i = blockIdx.x * d + threadIdx.x;
	part[threadIdx.x] = x[i];
	__syncthreads();
	for (int by = 1; by < 256; by *= 2) {
		float other = threadIdx.x >= by ? part[threadIdx.x - by] : 0.0f;
		__syncthreads();
		part[threadIdx.x] += other;
		__syncthreads();
	}
	y[i] = part[threadIdx.x];
}
void run(float *y, const float *x, int rows, int d) { scan<<<rows, 256>>>(y, x, d); }
