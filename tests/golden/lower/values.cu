// RUN: %lower %s --all -- -std=c++17 | diff %S/values.ir -
// Each kind of conversion, and operators whose order matters.
#include <cuda_fp16.h>
enum kind { FEW = 3, MANY };
constexpr int width = 7;
template <typename T, int N> __global__ void of_template(T *y, int n)
{
	y[n] = T(N) * n;
	if constexpr (N > 4)
		y[0] = 1;
	else
		y[1] = sizeof(T);
}
#pragma ktune problem(n = 100) inout(y[n], s[n], h[n])
__global__ void converted(float *y, short *s, __half *h, unsigned char *c, double *d, int n)
{
	unsigned u = n;
	long long l = u;
	size_t z = n * l;
	bool b = n, both = b && u;
	char narrow = n;
	s[0] += 3;
	c[1] = c[0] + narrow;
	y[0] = d[0] * n;
	y[u] = z + both + MANY + width + 'a' + (kind)2;
	y[n] = n / 3 + 1.5 - 2.5f;
	n = y[3];
	n <<= 2u;
	l >>= n;
	h[0] = h[1] * h[2] - h[3];
	h[2] = __float2half(y[1]);
	h[3] = y[2];
	h[1] += h[0];
	y[4] = (float)h[0] + (h[0] < h[1]);
	y[5] = -n + ~u + !b + +narrow;
}
#pragma ktune problem(n = 100) inout(y[n])
__global__ void ordered(float *y, int n)
{
	int i = 0, j;
	y[i++] = y[++i];
	j = i = n;
	j += i++ * i;
	y[j] = (i -= 2, y[i]);
	y[n] *= y[j] + 1.0f;
}
void run(float *y, short *s, __half *h, unsigned char *c, double *d, int n)
{
	of_template<float, 8><<<1, 1>>>(y, n);
	of_template<double, 2><<<1, 1>>>(d, n);
	converted<<<1, 1>>>(y, s, h, c, d, n);
	ordered<<<1, 1>>>(y, n);
}
__global__ void of_null(float *y, const float *x)
{
	if (x != NULL && y != 0)
		y[threadIdx.x] = x[threadIdx.x];
}
