// Rows divided by their length: warps add by shuffles, then the first warp adds what they found.
#include "bench.h"

__device__ float warp_sum(float v)
{
	for (int d = warpSize / 2; d > 0; d /= 2)
		v += __shfl_down_sync(0xffffffffu, v, d);
	return v;
}

#pragma ktune problem((n, dim) = (128, 768), (4096, 1024), (1024, 4096)) in(x[n * dim]) out(y[n * dim])
__global__ void l2_normalize(const __nv_bfloat16 *x, __nv_bfloat16 *y, int dim)
{
	__shared__ float parts[32];
	__shared__ float inverse;
	const size_t base = (size_t)blockIdx.x * dim;
	float sum = 0.0f;
	for (int i = threadIdx.x; i < dim; i += blockDim.x) {
		float v = __bfloat162float(x[base + i]);
		sum += v * v;
	}
	sum = warp_sum(sum);
	if (threadIdx.x % 32 == 0)
		parts[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x < 32) {
		sum = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0.0f;
		sum = warp_sum(sum);
		if (threadIdx.x == 0)
			inverse = rsqrtf(sum + 1e-12f);
	}
	__syncthreads();
	for (int i = threadIdx.x; i < dim; i += blockDim.x)
		y[base + i] = __float2bfloat16(__bfloat162float(x[base + i]) * inverse);
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "n dim",
	                      {{"odd", {777, 1001}}, {"prime", {251, 769}}, {"small", {3, 10}}, {"one", {1, 1}}, {"between", {2000, 1500}},
	                       {"large", {20000, 640}}, {"wide", {64, 30000}}, {"even", {900, 1002}}, {"misaligned", {2048, 1024}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int n = v[0], dim = v[1];
		                      auto x = r.input<__nv_bfloat16>((size_t)n * dim, -2, 2);
		                      auto y = r.output<__nv_bfloat16>((size_t)n * dim);
		                      r.launch([&] { l2_normalize<<<n, 256>>>(x->device, y->device, dim); });
		                      r.check(y, 1e-4, 1e-2, [&](size_t i) {
			                      double sum = 0;
			                      for (int c = 0; c < dim; c++)
				                      sum += (*x)[i / dim * dim + c] * (*x)[i / dim * dim + c];
			                      return (*x)[i] / std::sqrt(sum + 1e-12);
		                      });
		                      r.report();
	                      });
}
