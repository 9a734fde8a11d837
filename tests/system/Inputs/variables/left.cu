/* Kernels in variables whose launches run the original. */
#include <stdio.h>

#pragma ktune problem(n = 4096) out(y[n]) in(x[n]) grid((n + 127) / 128) block(128) auto
template <typename T> __global__ void kernel(T *y, const T *x, int n)
{
	int i = blockIdx.x * 128 + threadIdx.x;
	if (i < n)
		y[i] = x[i];
}
#pragma ktune problem(rows = 64) out(y[rows * 256]) in(x[rows * 256]) tune(WIDTH = 64, 128)
#define WIDTH 128
__global__ void row(float *y, const float *x)
{
	for (int i = threadIdx.x; i < 256; i += WIDTH)
		y[blockIdx.x * 256 + i] = x[blockIdx.x * 256 + i];
}
extern "C" void stub_launched(const char *name, void **) { printf("%s\n", name); }
using fn = void (*)(float *, const float *, int);
struct configuration {
	fn kernel_of;
	int block_size;
};
static fn const of_file[] = {kernel<float>, nullptr};
template <fn K> static void by_template(int n) { K<<<n / 128, 128>>>(nullptr, nullptr, n); }

int main()
{
	int n = 4096, rows = 64;
	fn by_type = kernel;
	by_type<<<n / 128, 128>>>(nullptr, nullptr, n);
	constexpr fn constant = kernel<float>;
	constant<<<n / 128, 128>>>(nullptr, nullptr, n);
	of_file[0]<<<n / 128, 128>>>(nullptr, nullptr, n);
	configuration member = {kernel<float>, 128};
	member.kernel_of<<<n / 128, 128>>>(nullptr, nullptr, n);
	by_template<kernel<float>>(n);
	row<<<rows, WIDTH>>>(nullptr, nullptr);
	auto by_name = row;
	by_name<<<rows, WIDTH>>>(nullptr, nullptr);
}
