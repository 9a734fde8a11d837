// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Integers that are only added up are counted by each block for itself. Not so where a result is used, where the array is
// read as well, where another pointer may lead to it, where it is too long, or where floating-point numbers are added.
// CHECK: template of 0 0
// CHECK: parameter PRIVATE 1 4 8 2 0
// CHECK: restriction PRIVATE * 1028 <= 49152
// CHECK: restriction PRIVATE == 0 || WAVES > 0
// CHECK: guard disjoint(bins, 256, data, n)
// CHECK: strategy privatize
// CHECK: __shared__ unsigned int bins_own[${PRIVATE}][257];
// CHECK: if (cell >= 0 && cell < 256)
// CHECK: ${if PRIVATE}add_to_bins${else}atomicAdd${end}(&bins[data_pack.item[lane]], 1u);
// CHECK: ${if PRIVATE}add_to_bins${else}atomicAdd${end}(&bins[data[i]], 1u);
// CHECK: __syncthreads();
// CHECK: atomicAdd(bins + cell, sum);
// CHECK: template of 1 0
// CHECK-NOT: PRIVATE
// CHECK: template of 5 0
#pragma ktune problem(n = 65536) in(data[n] : range(0, 255)) inout(bins[256] : zeros)
__global__ void counts(unsigned *bins, const unsigned char *data, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bins[data[i]], 1u);
}
#pragma ktune problem(n = 65536) in(data[n] : range(0, 255)) inout(bins[256] : zeros) out(place[n])
__global__ void places(unsigned *__restrict__ bins, const unsigned char *__restrict__ data, unsigned *__restrict__ place, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		place[i] = atomicAdd(&bins[data[i]], 1u);
}
#pragma ktune problem(n = 65536) in(data[n] : range(0, 255)) inout(bins[256] : zeros)
__global__ void reads(unsigned *__restrict__ bins, const unsigned char *__restrict__ data, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		if (bins[data[i]] < 100)
			atomicAdd(&bins[data[i]], 1u);
}
#pragma ktune problem(n = 65536) in(data[n] : range(0, 255)) inout(bins[n] : zeros)
__global__ void many(unsigned *__restrict__ bins, const unsigned char *__restrict__ data, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bins[data[i]], 1u);
}
#pragma ktune problem(n = 65536) in(data[n] : range(0, 255)) inout(bins[256] : zeros) tolerance(abs = 1, rel = 1e-3)
__global__ void weights(float *__restrict__ bins, const unsigned char *__restrict__ data, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bins[data[i]], 1.0f);
}
#pragma ktune problem(n = 65536) in(data[n] : range(0, 255)) inout(bins[256] : zeros)
__global__ void through(unsigned *__restrict__ bins, const unsigned char *__restrict__ data, int n)
{
	unsigned *second = bins + 1;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		atomicAdd(&bins[data[i]], 1u);
		atomicAdd(&second[0], 1u);
	}
}
void run(unsigned *bins, const unsigned char *data, unsigned *place, float *sums, int n)
{
	counts<<<1024, 256>>>(bins, data, n);
	places<<<1024, 256>>>(bins, data, place, n);
	reads<<<1024, 256>>>(bins, data, n);
	many<<<1024, 256>>>(bins, data, n);
	weights<<<1024, 256>>>(sums, data, n);
	through<<<1024, 256>>>(bins, data, n);
}
