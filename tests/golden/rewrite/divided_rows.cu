// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// In place or not, one condition decides for all loops of a row where one of them divides its index: each element stays with its thread.
// CHECK: template of 0
// CHECK: const bool wide = {{.*}}(x + (
// CHECK-NEXT: (y + (
// CHECK-NEXT: width % ${VEC} == 0 &&
// CHECK: template of 1
// CHECK: const bool wide = {{.*}}(x + (
// CHECK-NEXT: (long long)((long long)channels * width)
// CHECK: const bool wide = {{.*}}(y + (
// CHECK: width % ${VEC} == 0 &&
__device__ float block_sum(float v)
{
	__shared__ float part[128];
	part[threadIdx.x] = v;
	__syncthreads();
	for (int s = blockDim.x / 2; s > 0; s >>= 1) {
		if (threadIdx.x < s)
			part[threadIdx.x] += part[threadIdx.x + s];
		__syncthreads();
	}
	return part[0];
}
#pragma ktune problem(groups = 4; channels = 6, 8; width = 32, 25) in(x[groups * channels * width], w[channels]) \
              out(y[groups * channels * width])
__global__ void centre(const float *x, const float *w, float *y, int groups, int channels, int width)
{
	const int size = channels * width;
	const float *from = x + blockIdx.x * size;
	float *to = y + blockIdx.x * size;
	float sum = 0;
	for (int i = threadIdx.x; i < size; i += blockDim.x)
		sum += from[i];
	const float mean = block_sum(sum) / size;
	for (int i = threadIdx.x; i < size; i += blockDim.x)
		to[i] = (from[i] - mean) * w[i / width];
}
// Where the arrays do not overlap, the loop that divides has another condition.
#pragma ktune problem(groups = 4; channels = 6, 8; width = 32, 25) in(x[groups * channels * width], w[channels]) \
              out(y[groups * channels * width])
__global__ void disjoint(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int groups, int channels, int width)
{
	const int size = channels * width;
	const float *from = x + blockIdx.x * size;
	float *to = y + blockIdx.x * size;
	float sum = 0;
	for (int i = threadIdx.x; i < size; i += blockDim.x)
		sum += from[i];
	const float mean = block_sum(sum) / size;
	for (int i = threadIdx.x; i < size; i += blockDim.x)
		to[i] = (from[i] - mean) * w[i / width];
}
void run(float *x, float *w, float *y, int groups, int channels, int width)
{
	centre<<<groups, 128>>>(x, w, y, groups, channels, width);
	disjoint<<<groups, 128>>>(x, w, y, groups, channels, width);
}
