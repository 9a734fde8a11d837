// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Functions and variables of the project are not the toolkit's of the same name: their declarations say which are which.
// CHECK-NOT: template of {{[1-9]}}
// CHECK: template of 0 0
// CHECK-NOT: template of {{[1-9]}}
// CHECK: declined carried line [[#@LINE+33]]
// CHECK: declined shape line [[#@LINE+56]]
// CHECK: declined carried line [[#@LINE+68]]
// CHECK: declined body-unread line [[#@LINE+82]]
// CHECK: declined geometry-used line [[#@LINE+95]]
namespace mine {
__device__ float max(float a, float b) { return a + 2 * b; }
__device__ float fmaxf(float a, float b) { return a * 0.5f + b; }
__device__ void __syncthreads() {}
}
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows * n]) out(y[rows])
__global__ void toolkit(float *__restrict__ y, const float *__restrict__ x, int n)
{
	__shared__ float part[256];
	float most = 0;
	for (int i = threadIdx.x; i < n; i += 256)
		most = max(most, x[(size_t)blockIdx.x * n + i]);
	part[threadIdx.x] = most;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] = ::fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
void run0(float *y, const float *x, int rows, int n) { toolkit<<<rows, 256>>>(y, x, n); }
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows * n]) out(y[rows])
__global__ void in_loop(float *__restrict__ y, const float *__restrict__ x, int n)
{
	__shared__ float part[256];
	float most = 0;
	for (int i = threadIdx.x; i < n; i += 256)
		most = mine::max(most, x[(size_t)blockIdx.x * n + i]);
	part[threadIdx.x] = most;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
void run1(float *y, const float *x, int rows, int n) { in_loop<<<rows, 256>>>(y, x, n); }
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows * n]) out(y[rows])
__global__ void in_tree(float *__restrict__ y, const float *__restrict__ x, int n)
{
	__shared__ float part[256];
	float most = 0;
	for (int i = threadIdx.x; i < n; i += 256)
		most = max(most, x[(size_t)blockIdx.x * n + i]);
	part[threadIdx.x] = most;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] = mine::fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
void run2(float *y, const float *x, int rows, int n) { in_tree<<<rows, 256>>>(y, x, n); }
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows * n]) out(y[rows])
__global__ void lambda(float *__restrict__ y, const float *__restrict__ x, int n)
{
	__shared__ float part[256];
	auto fmax = [](float a, float b) { return a + 2 * b; };
	float most = 0;
	for (int i = threadIdx.x; i < n; i += 256)
		most = fmax(most, x[(size_t)blockIdx.x * n + i]);
	part[threadIdx.x] = most;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
void run3(float *y, const float *x, int rows, int n) { lambda<<<rows, 256>>>(y, x, n); }
#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void own_index(float *__restrict__ y, const float *__restrict__ x, int n)
{
	struct {
		int x;
	} threadIdx = {5};
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i];
}
void run4(float *y, const float *x, int n) { own_index<<<n / 64, 64>>>(y, x, n); }
#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void own_barrier(float *__restrict__ y, const float *__restrict__ x, int n)
{
	__shared__ float part[256];
	for (int i = threadIdx.x; i < n; i += 256)
		part[threadIdx.x] = x[(size_t)blockIdx.x * n + i];
	mine::__syncthreads();
	for (int i = threadIdx.x; i < n; i += 256)
		y[(size_t)blockIdx.x * n + i] = part[threadIdx.x];
}
void run5(float *y, const float *x, int n) { own_barrier<<<n / 256, 256>>>(y, x, 256); }
