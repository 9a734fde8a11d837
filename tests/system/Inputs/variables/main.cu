/* Kernels in variables of functions that launch them, as other people write it. Prints which kernels run. */
#include <map>
#include <stdio.h>
#define BLOCK 128

#pragma ktune problem(n = 4096) out(y[n]) in(x[n]) tune(BLOCK = 64, 128)
template <typename T> __global__ void kernel(T *y, const T *x, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = x[i];
}
#pragma ktune problem(n = 4096) out(y[n]) in(x[n]) tune(BLOCK = 64, 128)
template <typename T> __global__ void other(T *y, const T *x, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = x[i] + 1;
}
extern "C" void stub_launched(const char *name, void **) { printf("%s\n", name); }
using fn = void (*)(float *, const float *, int);

static void chosen(bool c, float *y, const float *x, int n)
{
	auto k = c ? kernel<float> : other<float>;
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n);
}
static void declared(float *y, const float *x, int n)
{
	void (*const k)(float *, const float *, int) = &kernel<float>;
	auto &by_reference = kernel<float>;
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n);
	by_reference<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n);
}
static void assigned(int which, float *y, const float *x, int n)
{
	fn k = nullptr;
	switch (which) {
	case 0:
		k = kernel<float>;
		break;
	default:
		k = other<float>;
	}
	auto launch = [&] { k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n); };
	launch();
}
static void tables(int which, float *y, const float *x, int n)
{
	static void (*const table[])(float *, const float *, int) = {kernel<float>, other<float>};
	std::map<int, fn> by_number = {{0, kernel<float>}, {1, other<float>}};
	const int first = which;
	table[which++]<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n);
	by_number[first]<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n);
	printf("%d\n", which);
}
template <typename T> static void in_template(T *y, const T *x, int n)
{
	const auto k = n > 7 ? &kernel<T> : &other<T>;
	const int blocks = (n + BLOCK - 1) / BLOCK;
	k<<<blocks, BLOCK>>>(y, x, n);
}
static void launch_it(fn k, int blocks, float *y, const float *x, int n)
{
	k<<<blocks, BLOCK>>>(y, x, n);
}
static void given_away(float *y, const float *x, int n)
{
	auto *k = kernel<float>;
	launch_it(k, (n + BLOCK - 1) / BLOCK, y, x, n);
}

int main()
{
	const int n = 4096;
	kernel<double><<<n / BLOCK, BLOCK>>>(nullptr, nullptr, n);
	chosen(true, nullptr, nullptr, n);
	chosen(false, nullptr, nullptr, n);
	declared(nullptr, nullptr, n);
	assigned(0, nullptr, nullptr, n);
	assigned(1, nullptr, nullptr, n);
	tables(0, nullptr, nullptr, n);
	tables(1, nullptr, nullptr, n);
	in_template<float>(nullptr, nullptr, n);
	in_template<double>(nullptr, nullptr, n);
	given_away(nullptr, nullptr, n);
}
