// The same in a device symbol that the kernel writes.
#define TWICE934(a) ((a) + (a))
namespace own934 {
__device__ float max(float a, float b) { return a + 2 * b; }
}
__device__ float symbol0_934[8192];
#pragma ktune problem(n = 1024, 8192; c = 8, 32) out(rhs[n], symbol0_934[n]) in(y[n]: range(0, 9), g[n * c]) inout(q[1])
__global__ void k934(float *__restrict__ rhs, const unsigned char *y, const float *g, float *__restrict__ q, int n, int c)
{
	long long i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	auto acc = __ldg(&y[i]);
	float s = 0;
	for (int k = 0; k < c; k++) {
		s += __ldg(&g[i * c + k]) * (0.25f / (fabsf((float)(n % 16)) + 1.0f));
	}
	rhs[i] = ((s + 3.0f) * (max((float)(1.5f), (float)(s)))) * (fabsf(TWICE934(1.5f)));
	symbol0_934[i] = own934::max(0.25f, s);
	atomicAdd(q, fmaxf(0.25f, s));
}
void run934(float *__restrict__ rhs, const unsigned char *y, const float *g, float *__restrict__ q, int n, int c) { k934<<<(n + 31) / 32, 32>>>(rhs, y, g, q, n, c); }
