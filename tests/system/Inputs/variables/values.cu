/* Kernels that constants, tables, structures and template arguments hold, as other people write it. Prints which kernels run. */
#include <cuda_runtime.h>
#include <stdio.h>

#include "by_type.h"
#define BLOCK 128

namespace ops {
#pragma ktune problem(n = 4096) out(y[n]) in(x[n]) tune(BLOCK = 64, 128)
template <typename T> __global__ void kernel(T *y, const T *x, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = x[i];
}
}
#pragma ktune problem(n = 4096) out(y[n]) in(x[n]) tune(BLOCK = 64, 128)
__global__ void other(float *y, const float *x, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = x[i] + 1;
}
__global__ void unmarked(float *y, const float *x, int n)
{
	if (threadIdx.x < n)
		y[0] = x[0];
}
extern "C" void stub_launched(const char *name, void **) { printf("%s\n", name); }
using ops::kernel;
using fn = void (*)(float *, const float *, int);
#define BLOCKS ((n + BLOCK - 1) / BLOCK)

static fn const of_file[] = {kernel<float>, other, unmarked};
static const struct {
	const char *name;
	fn run;
	int dynamic;
} table[] = {{"kernel", &kernel<float>, 0}, {"other", &other, 0}};
template <auto K, typename... A> static void by_auto(int n, A... a) { K<<<BLOCKS, BLOCK>>>(a..., n); }
template <typename T> static void in_template(int n) { by_auto<&kernel<T>>(n, (T *)nullptr, (const T *)nullptr); }
template <typename T> struct policy {
	static constexpr auto run = &kernel<T>;
};
template <typename P> static void by_policy(int n) { P::run<<<BLOCKS, BLOCK>>>(nullptr, nullptr, n); }
struct launcher {
	fn run;
	void operator()(int n) const { run<<<BLOCKS, BLOCK>>>(nullptr, nullptr, n); }
};
/* An object that converts to a kernel, where a template launches what it is given. */
struct handle {
	fn run;
	operator fn() const { return run; }
};
template <typename K> static void in_any(K k, int n) { k<<<BLOCKS, BLOCK>>>(nullptr, nullptr, n); }
static fn pick(int which)
{
	switch (which) {
	case 0: return kernel<float>;
	case 1: return other;
	default: return unmarked;
	}
}
static fn set_later;
static void set(bool wide) { set_later = wide ? kernel<float> : other; }

int main()
{
	int n = 4096, at = 0;
	fn deduced = kernel;
	deduced<<<BLOCKS, BLOCK>>>(nullptr, nullptr, n);
	constexpr fn constant = kernel<float>;
	constant<<<BLOCKS, BLOCK>>>(nullptr, nullptr, n);
	for (int i = 0; i < 3; i++)
		of_file[i]<<<BLOCKS, BLOCK>>>(nullptr, nullptr, n);
	table[at++].run<<<BLOCKS, BLOCK, table[0].dynamic>>>(nullptr, nullptr, n);
	(*table[at].run)<<<BLOCKS, BLOCK>>>(nullptr, nullptr, n);
	by_type<kernel<float>>(n);
	by_type<&other>(n);
	by_type<unmarked>(n);
	in_template<float>(n);
	in_template<double>(n);
	by_policy<policy<double>>(n);
	launcher{kernel<float>}(n);
	pick(0)<<<BLOCKS, BLOCK>>>(nullptr, nullptr, n);
	pick(2)<<<BLOCKS, BLOCK>>>(nullptr, nullptr, n);
	set(false);
	set_later<<<BLOCKS, BLOCK>>>(nullptr, nullptr, n);
	float *y = nullptr;
	void *arguments[] = {&y, &y, &n};
	cudaLaunchKernel((const void *)table[0].run, dim3(BLOCKS), dim3(BLOCK), arguments, 0, nullptr);
	constant<<<7, 128>>>(nullptr, nullptr, n);
	in_any(of_file[1], n);
	in_any(handle{other}, n);
}
