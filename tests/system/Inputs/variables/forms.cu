/* Kernels in tables by their qualified names: in namespaces without a name, of C linkage, overloads; launched before
 * main as well. */
#include <stdio.h>
#define BLOCK 128
extern "C" void stub_launched(const char *name, void **)
{
	printf("%s\n", name);
}
namespace
{
namespace inner
{
#pragma ktune problem(n = 4096) out(y[n]) in(x[n]) tune(BLOCK = 64, 128)
template <typename T, int V> __global__ void anon(T *y, const T *x, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = x[i] * V;
}
} // namespace inner
} // namespace
extern "C" {
#pragma ktune problem(n = 4096) out(y[n]) in(x[n]) tune(BLOCK = 64, 128)
__global__ void plain(float *y, const float *x, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = x[i];
}
}
#pragma ktune problem(n = 4096) out(y[n]) in(x[n]) tune(BLOCK = 64, 128)
static __global__ void over(float *y, const float *x, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = x[i];
}
static __global__ void over(double *y, const double *x, int n)
{
	y[0] = x[n];
}
typedef void (*fn)(float *, const float *, int);
struct early {
	early();
} first;
static const fn table[] = {inner::anon<float, 1>, inner::anon<float, 2>, plain, over};
static void (*const doubles)(double *, const double *, int) = over;
early::early()
{
	int n = 4096;
	table[2]<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(nullptr, nullptr, n);
}
template <typename T> struct reg {
	static const fn f;
};
template <typename T> const fn reg<T>::f = &inner::anon<T, 4>;
int main()
{
	int n = 4096;
	for (int i = 0; i < 4; i++)
		table[i]<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(nullptr, nullptr, n);
	doubles<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(nullptr, nullptr, n);
	reg<float>::f<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(nullptr, nullptr, n);
	fn k = nullptr;
	bool big = n > 5;
	if (big) {
		k = plain;
	} else {
		k = over;
	}
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(nullptr, nullptr, n);
}
