// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Volatile memory is read and written as the kernel does it, whatever name its type has. What threads only add up in
// shared memory is no such memory to anybody else.
// CHECK: template of 0 0
// CHECK-NOT: _pack
// CHECK: template of 4 0
// CHECK: x_pack
// CHECK: template of 5 0
// CHECK-NOT: _pack
// CHECK: template of 9 0
// CHECK-NOT: _pack
typedef volatile float vfloat;
using seen = const volatile int;
#pragma ktune problem(n = 4096) in(x[n]) inout(y[n])
__global__ void own(vfloat *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i] + y[i];
}
#pragma ktune problem(n = 4096) in(x[n]) inout(y[n])
__global__ void aliased(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	vfloat *to = y;
	if (i < n)
		to[i] = x[i];
}
#pragma ktune problem(n = 4096) in(x[n]) inout(y[n])
__global__ void old(int *y, seen *x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = x[i];
}
__device__ float watch(vfloat *p) { return *p; }
#pragma ktune problem(n = 4096) inout(x[n]) inout(y[n])
__global__ void watched(float *y, float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = watch(&x[i]);
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows])
__global__ void folded(float *y, const float *x, int d)
{
	__shared__ vfloat part[128];
	float s = 0.0f;
	for (int i = threadIdx.x; i < d; i += 128)
		s += x[blockIdx.x * d + i];
	part[threadIdx.x] = s;
	__syncthreads();
	for (int w = 64; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(n = 4096) in(x[n]) inout(y[n])
__global__ void local(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		volatile float t = x[i];
		t = t * 2.0f;
		y[i] = t;
	}
}
#pragma ktune problem(n = 4096) in(x[n]) inout(y[n])
__global__ void cast(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		*(vfloat *)&y[i] = x[i];
}
#pragma ktune problem(n = 4096) in(x[n]) inout(y[n])
__global__ void referred(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		vfloat &to = y[i];
		to = x[i];
	}
}
#pragma ktune problem(n = 4096; m = 16) in(x[n * m]) inout(y[n])
__global__ void added(float *y, const vfloat *x, int n, int m)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float s = 0.0f;
	for (int k = 0; k < m; k++)
		s += x[i * m + k];
	y[i] = s;
}
template <typename T> struct wrap { using type = volatile T; };
#pragma ktune problem(n = 4096) in(x[n]) inout(y[n])
template <typename T> __global__ void named(typename wrap<T>::type *y, const T *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i] + y[i];
}
void run(float *y, const float *x, int n, int rows, int d, int m, int *yi, int *xi)
{
	own<<<(n + 255) / 256, 256>>>(y, x, n);
	aliased<<<(n + 255) / 256, 256>>>(y, x, n);
	old<<<(n + 255) / 256, 256>>>(yi, xi, n);
	watched<<<(n + 255) / 256, 256>>>(y, y + 1, n);
	folded<<<rows, 128>>>(y, x, d);
	local<<<(n + 255) / 256, 256>>>(y, x, n);
	cast<<<(n + 255) / 256, 256>>>(y, x, n);
	referred<<<(n + 255) / 256, 256>>>(y, x, n);
	added<<<(n + 255) / 256, 256>>>(y, x, n, m);
	named<float><<<(n + 255) / 256, 256>>>(y, x, n);
}
