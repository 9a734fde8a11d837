// Buffers of vectors and structures: read and written as a whole, number by number, through pointers and references.
#include <cuda_fp16.h>
struct edge {
	int from, to;
	float weight;
};
struct block {
	half scale;
	signed char values[6];
	double sum;
	bool seen;
};
struct pair {
	float2 low, high;
};
template <typename T> struct point {
	T x, y, z;
	__device__ T dot(const point &p) const { return x * p.x + y * p.y + z * p.z; }
};

#pragma ktune problem(n = 4096, 1000003) in(x[n], e[n]) out(y[n], z[n])
__global__ void strided(float4 *__restrict__ y, const float4 *__restrict__ x, const edge *__restrict__ e, float *__restrict__ z, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float4 v = x[i];
		v.x *= 2;
		y[i] = v;
		z[i] = e[i].weight * v.y + (float)e[i].to;
	}
}

#pragma ktune problem(n = 4096, 100003) in(x[n]) inout(b[n])
__global__ void members(block *b, const float2 *x, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		block &one = b[i];
		for (int k = 0; k < 6; k++)
			one.sum += one.values[k] * x[i].x;
		one.values[i % 6] = 3;
		one.seen = !one.seen;
		b[i].scale = __float2half(x[i].y);
	}
}

#pragma ktune problem(rows = 64; d = 4096, 4104) in(x[rows * d / 4]) out(y[rows])
__global__ void rows_of(float *y, const float4 *x, int rows, int d)
{
	__shared__ float part[32];
	float sum = 0;
	const float4 *p = x + (size_t)blockIdx.x * (d / 4);
	for (int i = threadIdx.x; i < d / 4; i += blockDim.x) {
		const float4 v = p[i];
		sum += v.x + v.y + v.z + v.w;
	}
	for (int o = 16; o; o /= 2)
		sum += __shfl_xor_sync(~0u, sum, o);
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x == 0) {
		float all = 0;
		for (int w = 0; w < blockDim.x / 32; w++)
			all += part[w];
		y[blockIdx.x] = all;
	}
}

#pragma ktune problem(n = 4096, 65537) in(a[n], b[n]) out(y[n], p[n])
template <typename T> __global__ void points(T *y, pair *p, const point<T> *a, const point<T> *b, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		y[i] = a[i].dot(b[i]);
		p[i].low = make_float2((float)a[i].x, (float)b[i].y);
		p[i].high.x = (float)y[i];
		p[i].high.y = 1;
	}
}

#pragma ktune problem(n = 4096, 65537) in(c[n]) inout(h[n]) out(g[n])
__global__ void packs(uchar4 *g, half2 *h, const uchar4 *c, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		const uchar4 v = c[i];
		g[i] = make_uchar4(v.w, v.z, (unsigned char)(v.y + 1), v.x);
		h[i].x = __float2half(__half2float(h[i].y) * v.x);
	}
}

#pragma ktune problem(n = 4096, 65537) in(x[n * 4]) out(y[n * 2])
__global__ void untyped(void *__restrict__ y, const void *__restrict__ x, int n)
{
	const unsigned *from = (const unsigned *)x;
	unsigned short *to = (unsigned short *)y;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		to[i] = (unsigned short)(from[i] >> 3);
}

void run(float4 *y, const float4 *x, const edge *e, float *z, block *b, const float2 *f, pair *p, const point<float> *q,
         const point<double> *r, double *dz, uchar4 *g, half2 *h, int n, int rows, int d)
{
	strided<<<16, 256>>>(y, x, e, z, n);
	members<<<(n + 127) / 128, 128>>>(b, f, n);
	rows_of<<<rows, 256>>>(z, x, rows, d);
	points<<<(n + 127) / 128, 128>>>(z, p, q, q, n);
	points<<<(n + 127) / 128, 128>>>(dz, p, r, r, n);
	packs<<<16, 128>>>(g, h, g, n);
	untyped<<<16, 128>>>(g, h, n);
}
