/* Kernels whose address goes where no launch of this text is, and launches that lack a problem variable. */
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
#define LAUNCH(K, N) K<<<(N) / 128, 128>>>(nullptr, nullptr, N)
static const fn of_file[] = {kernel<float>, nullptr};
static const void *const kept = (const void *)kernel<double>;
static void (*const rows_of)(float *, const float *) = row;

int main()
{
	int rows = 64;
	LAUNCH(of_file[0], 4096);
	printf("%d\n", kept != nullptr);
	row<<<rows, WIDTH>>>(nullptr, nullptr);
	auto by_name = row;
	by_name<<<rows, WIDTH>>>(nullptr, nullptr);
	rows_of<<<rows, WIDTH>>>(nullptr, nullptr);
}
