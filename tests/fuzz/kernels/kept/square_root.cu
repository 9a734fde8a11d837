// exact
namespace own3 {
__device__ float fminf(float a, float b) { return a * 0.5f - b; }
}
#pragma ktune problem(n = 1000; c = 8, 32) inout(q[n * c], g[1]) in(x[n * c]: range(0, 9), z[n * c + 4])
__global__ void k3(float *q, const int *x, const float *z, float *g, int n, int c)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * c; i += blockDim.x * gridDim.x) {
		int part_all = __ldg(&x[(i + 1) % (n * c)]);
		float w = z[i + 4];
		auto y_new0 = q[i];
		q[i] -= sqrtf(fabsf(own3::fminf(0.25f, w))) + ((i != ((4 ^ 4)) ? y_new0 + ((float)(i % 16)) : y_new0));
		atomicAdd(g, w / (fabsf(y_new0) + 1.0f));
	}
}
void run3(float *q, const int *x, const float *z, float *g, int n, int c) { k3<<<(n * c + 127) / 128, 128>>>(q, x, z, g, n, c); }
