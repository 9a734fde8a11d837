// Images of [n, channels, hw] with the statistics of their channel, which two divisions find for each element.
#include <cuda_runtime.h>

#pragma ktune problem((n, channels, hw) = (4, 64, 1024), (128, 256, 3136)) value(eps = 1e-5f) out(y[n * channels * hw]) \
              in(x[n * channels * hw], mean[channels], var[channels] : uniform(0.5, 2), gamma[channels], beta[channels])
__global__ void batchnorm_inference(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ mean,
                                    const float *__restrict__ var, const float *__restrict__ gamma,
                                    const float *__restrict__ beta, float eps, int n, int channels, int hw)
{
	int total = n * channels * hw;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
		int c = (i / hw) % channels;
		y[i] = gamma[c] * (x[i] - mean[c]) / sqrtf(var[c] + eps) + beta[c];
	}
}

void run(float *y, const float *x, const float *mean, const float *var, const float *gamma, const float *beta, float eps,
         int n, int channels, int hw, cudaStream_t stream)
{
	batchnorm_inference<<<1024, 256, 0, stream>>>(y, x, mean, var, gamma, beta, eps, n, channels, hw);
}
