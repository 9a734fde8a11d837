// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Two configurations are two kernels: hints only where something is loaded or stored with one, launch bounds only of as
// many blocks as a multiprocessor has, a limit of the grid only where there are more blocks on a problem. And none is
// tried that has nothing to do for half of its threads, or no register left.
// CHECK: template of 0
// CHECK: parameter STREAM 0 1 2
// CHECK: restriction WAVES == 0 || ceil_div(4096, BLOCK * VEC * UNROLL) > device.multiprocessors * max(1, device.max_threads_per_multiprocessor / BLOCK) * WAVES
// CHECK: restriction RESIDENT <= BLOCK * device.max_blocks_per_multiprocessor
// CHECK: template of 1
// CHECK: parameter STREAM 0 2
// CHECK: template of 2
// CHECK: parameter STREAM 0 1
// CHECK-NOT: parameter STREAM 0 1 2
// CHECK: template of 3
// CHECK: parameter STREAM 0 1 2
// CHECK: restriction UNROLL * max(1, SPLIT) == 1 || BLOCK * VEC * UNROLL * max(1, SPLIT) < 16384
// CHECK: template of 4
// CHECK: restriction RESIDENT <= BLOCK_X * BLOCK_Y * device.max_blocks_per_multiprocessor
// CHECK: template of 5
// CHECK: restriction UNROLL * max(1, TURNS) * CLUSTER == 1 || BLOCK * VEC * UNROLL * max(1, TURNS) * CLUSTER < 8192
// CHECK: restriction VEC * TURNS * (4 + 4 * AHEAD) * max(BLOCK, RESIDENT) < 262144
#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void doubled(float *__restrict__ y, const float *__restrict__ x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = 2 * x[i];
}
#pragma ktune problem(n = 4096) in(x[n] : range(0, 255)) inout(counts[256])
__global__ void counted(unsigned *__restrict__ counts, const unsigned char *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&counts[x[i]], 1u);
}
#pragma ktune problem(n = 4096) out(y[n])
__global__ void filled(float *__restrict__ y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = 1;
}
#pragma ktune problem(rows = 4; d = 8192) in(x[rows * d]) out(y[rows * d])
__global__ void halves(float *__restrict__ y, const float *__restrict__ x, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = x[blockIdx.x * d + i] / 2;
}
#pragma ktune problem((w, h) = (512, 512)) in(x[w * h]) out(y[w * h])
__global__ void plane(float *__restrict__ y, const float *__restrict__ x, int w, int h)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y * blockDim.y + threadIdx.y;

	if (i < w && k < h)
		y[k * w + i] = 3 * x[k * w + i];
}
#pragma ktune problem((rows, d) = (4, 1024), (64, 4096)) in(x[rows * d], w[d]) out(y[rows * d])
__global__ void scaled(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ w, int d)
{
	__shared__ float part[256];
	float sum = 0;

	for (int i = threadIdx.x; i < d; i += 256)
		sum += x[blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int width = 128; width > 0; width /= 2) {
		if (threadIdx.x < width)
			part[threadIdx.x] += part[threadIdx.x + width];
		__syncthreads();
	}
	for (int i = threadIdx.x; i < d; i += 256)
		y[blockIdx.x * d + i] = x[blockIdx.x * d + i] * part[0] * w[i];
}
void run(float *y, const float *x, unsigned *counts, const unsigned char *bytes, int n, int rows, int d, int w, int h)
{
	doubled<<<(n + 255) / 256, 256>>>(y, x, n);
	counted<<<64, 256>>>(counts, bytes, n);
	filled<<<(n + 255) / 256, 256>>>(y, n);
	halves<<<rows, 256>>>(y, x, d);
	scaled<<<rows, 256>>>(y, x, x, d);
	plane<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(y, x, w, h);
}
