/* One kernel template, tuned for two groups of instances with their own problems, and for one instance not at all. */
#include <stdio.h>

extern "C" void stub_launched(const char *name, void **arguments)
{
	(void)arguments;
	printf("%s\n", name);
}

#pragma ktune name(twice_float) instances(float) problem(n = 4096) in(x[n]) out(y[n]) tune(B = 64, 128)
#pragma ktune name(twice_whole) instances(int, long) problem(n = 4096; m = 8) in(x[n * m]) out(y[n * m]) tune(B = 64, 256) value(many = m)
template <typename T, int B> __global__ void twice(T *y, const T *x, int n, int many)
{
	const int i = blockIdx.x * B + threadIdx.x;

	if (i < n * many)
		y[i] = x[i] + x[i];
}
/* The second pragma has a variable that the first one lacks. */
int main()
{
	float *x = nullptr;
	const int n = 4096, many = 1, m = 8;

	twice<float, 128><<<(n + 127) / 128, 128>>>(x, x, n, many);
	twice<int, 128><<<(n * m + 127) / 128, 128>>>((int *)x, (int *)x, n, m);
	twice<double, 128><<<(n + 127) / 128, 128>>>((double *)x, (double *)x, n, many);
	twice<long, 128><<<(n * m + 127) / 128, 128>>>((long *)x, (long *)x, n, m);
	return cudaGetLastError() != cudaSuccess;
}
