// All pairs: a thread a body, which meets every other one.
#include <cuda_runtime.h>

#pragma ktune problem(n = 4096, 32768) in(x[n], y[n], z[n], mass[n] : uniform(0, 1)) out(fx[n], fy[n], fz[n]) \
              value(softening = 1e-2f) flops(20 * n * n) tolerance(abs = 1e-1, rel = 1e-3)
__global__ void nbody(float *fx, float *fy, float *fz, const float *x, const float *y, const float *z, const float *mass,
                      int n, float softening)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
	for (int j = 0; j < n; j++) {
		float dx = x[j] - x[i];
		float dy = y[j] - y[i];
		float dz = z[j] - z[i];
		float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
		float pull = mass[j] * inverse * inverse * inverse;
		sum_x += dx * pull;
		sum_y += dy * pull;
		sum_z += dz * pull;
	}
	fx[i] = sum_x;
	fy[i] = sum_y;
	fz[i] = sum_z;
}

void run(float *fx, float *fy, float *fz, const float *x, const float *y, const float *z, const float *mass, int n,
         float softening, cudaStream_t stream)
{
	nbody<<<(n + 255) / 256, 256, 0, stream>>>(fx, fy, fz, x, y, z, mass, n, softening);
}
