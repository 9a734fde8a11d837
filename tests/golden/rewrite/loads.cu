// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Functions that read through their pointer are reads: the toolkit's, and a project's own around them. Names for types in the body are
// no statement that does anything.
// CHECK: template of 0 0
// CHECK: strategy vectorize
// CHECK: const pack_f32 x_pack =
// CHECK: y_pack.item[lane] = x_pack.item[lane] * __ldg(scale) + bias_pack.item[lane];
// CHECK: y[i] = __ldg(&x[i]) * __ldg(scale) + load(bias + i);
template <typename T> inline __device__ T load(const T *from)
{
	return __ldg(from);
}
#pragma ktune problem(n = 65536) in(x[n], bias[n], scale[1]) out(y[n])
__global__ void scaled(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ bias,
                       const float *__restrict__ scale, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	using value = float;
	typedef int place;
	static_assert(sizeof(value) == 4, "floats");
	if (i >= n)
		return;
	y[i] = __ldg(&x[i]) * __ldg(scale) + load(bias + i);
}
// CHECK: template of 1 0
// CHECK: strategy shuffle
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows * n]) out(y[rows * n])
__global__ void mean(float *__restrict__ y, const float *__restrict__ x, int n)
{
	__shared__ float part[256];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < n; i += 256)
		sum += __ldg(x + blockIdx.x * n + i);
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int width = 128; width > 0; width /= 2) {
		if (threadIdx.x < width)
			part[threadIdx.x] += part[threadIdx.x + width];
		__syncthreads();
	}
	for (int i = threadIdx.x; i < n; i += 256)
		y[blockIdx.x * n + i] = load(&x[blockIdx.x * n + i]) - part[0] / n;
}
void run(float *y, const float *x, int rows, int n)
{
	scaled<<<(n + 255) / 256, 256>>>(y, x, x, x, n);
	mean<<<rows, 256>>>(y, x, n);
}
