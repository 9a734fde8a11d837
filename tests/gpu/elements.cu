// Vectors, structures and arrays, in forms that are right (0, 5) and wrong in one number: of a vector (1), an index (2), a
// half (3), a number that is left as it was (4), one behind the end (6). Form 5 writes what belongs to no number.
#include <cstdio>
#include <cuda_fp16.h>
#define FORM 0
struct edge {
	int from, to;
	float weight;
	bool seen; /* three bytes behind it belong to nothing */
};

#pragma ktune problem(n = 1000, 65536) in(x[n], a[n * 4]) inout(e[n]: {from = range(0, n - 1)}, h[n]) out(y[n]) \
    tune(FORM = 0, 1, 2, 3, 4, 5, 6) grid(ceil_div(n, 128)) block(128)
__global__ void mixed(float4 *y, const float4 *x, edge *e, half2 *h, const float (*a)[4], int n)
{
	const int i = blockIdx.x * 128 + threadIdx.x;
	if (i >= n)
		return;
	float4 v = x[e[i].from];
	v.w += a[i][3];
	if (FORM == 1 && i == 77)
		v.z += 0.5f;
	if (FORM != 4 || i != 77) {
		y[i] = v;
	} else {
		y[i].x = v.x;
		y[i].y = v.y;
		y[i].z = v.z;
	}
	e[i].to = e[i].from + (FORM == 2 && i == 77);
	e[i].seen = !e[i].seen;
	if (FORM == 5)
		((char *)&e[i])[14] = 5;
	h[i] = __halves2half2(h[i].y, FORM == 3 && i == 77 ? __float2half(9) : h[i].x);
	if (FORM == 6 && i == n - 1)
		y[n].x = 1;
}

int main()
{
	const int n = 65536;
	float4 *x, *y;
	float(*a)[4];
	half2 *h;
	edge *e;
	cudaMallocManaged(&x, n * sizeof *x);
	cudaMallocManaged(&y, n * sizeof *y);
	cudaMallocManaged(&a, n * sizeof *a);
	cudaMallocManaged(&h, n * sizeof *h);
	cudaMallocManaged(&e, n * sizeof *e);
	for (int i = 0; i < n; i++) {
		x[i] = make_float4(float(i % 97), float(i % 89), float(i % 83), float(i % 79));
		e[i] = edge{(i * 7) % n, 0, 1, i % 3 == 0};
		h[i] = __floats2half2_rn(float(i % 11), float(i % 13));
		a[i][3] = float(i % 5);
	}
	mixed<<<(n + 127) / 128, 128>>>(y, x, e, h, a, n);
	if (cudaDeviceSynchronize() != cudaSuccess)
		return 1;
	double sums[4] = {0, 0, 0, 0};
	for (int i = 0; i < n; i++) {
		sums[0] += double(y[i].x + 2 * y[i].y + 3 * y[i].z + 4 * y[i].w) * (i % 101);
		sums[1] += double(e[i].to) * (i % 101);
		sums[2] += e[i].seen;
		sums[3] += double(__half2float(h[i].x) + 2 * __half2float(h[i].y)) * (i % 101);
	}
	std::printf("%.9g %.9g %.9g %.9g\n", sums[0], sums[1], sums[2], sums[3]);
	return 0;
}
