// One step of the Adam optimiser: four arrays, an element a thread.
#include <cuda_runtime.h>

#pragma ktune problem(n = 65536, 33554432) inout(weight[n], m[n], v[n] : uniform(0, 1)) in(grad[n]) \
              value(lr = 1e-3f, beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f, correct1 = 0.1f, correct2 = 0.001f)
__global__ void adam(float *weight, float *m, float *v, const float *grad, float lr, float beta1, float beta2, float eps,
                     float correct1, float correct2, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float g = grad[i];
	m[i] = beta1 * m[i] + (1.0f - beta1) * g;
	v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
	weight[i] -= lr * (m[i] / correct1) / (sqrtf(v[i] / correct2) + eps);
}

void run(float *weight, float *m, float *v, const float *grad, float lr, float beta1, float beta2, float eps,
         float correct1, float correct2, int n, cudaStream_t stream)
{
	adam<<<(n + 511) / 512, 512, 0, stream>>>(weight, m, v, grad, lr, beta1, beta2, eps, correct1, correct2, n);
}
