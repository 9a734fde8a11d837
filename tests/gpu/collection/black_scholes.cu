// European options, one a thread and step of a grid-stride loop.
#include <cuda_runtime.h>

__device__ static float normal_cdf(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

#pragma ktune problem(n = 65536, 16777216) value(rate = 0.02f, volatility = 0.3f) out(call[n], put[n]) \
              in(price[n] : uniform(5, 30), strike[n] : uniform(1, 100), years[n] : uniform(0.25, 10)) \
              tolerance(abs = 1e-3, rel = 1e-4)
__global__ void black_scholes(float *call, float *put, const float *price, const float *strike, const float *years,
                              float rate, float volatility, int n)
{
	int step = blockDim.x * gridDim.x;
	for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += step) {
		float root = sqrtf(years[i]);
		float d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
		float d2 = d1 - volatility * root;
		float discount = expf(-rate * years[i]) * strike[i];
		call[i] = price[i] * normal_cdf(d1) - discount * normal_cdf(d2);
		put[i] = discount * normal_cdf(-d2) - price[i] * normal_cdf(-d1);
	}
}

void run(float *call, float *put, const float *price, const float *strike, const float *years, float rate,
         float volatility, int n, cudaStream_t stream)
{
	black_scholes<<<480, 128, 0, stream>>>(call, put, price, strike, years, rate, volatility, n);
}
