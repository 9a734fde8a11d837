#include "sgemm_tiled.h"

#include "../common/host.h"

#ifdef SAMPLE_CUBLAS
#include <cublas_v2.h>
#endif

static double element_of(const std::vector<float> &a, const std::vector<float> &b, int row, int column, int n, int k)
{
	double sum = 0.0;
	for (int i = 0; i < k; i++)
		sum += double(a[size_t(row) * k + i]) * b[size_t(i) * n + column];
	return sum;
}

template <typename F> static bool check(int m, int n, int k, F launch)
{
	std::vector<float> a = sample::uniform<float>(size_t(m) * k, 31), b = sample::uniform<float>(size_t(k) * n, 32);
	sample::buffer<float> device_a(a), device_b(b), c(size_t(m) * n);
	launch(c.data(), device_a.data(), device_b.data(), m, n, k);
	std::vector<double> want(size_t(m) * n);
	for (int row = 0; row < m; row++) {
		for (int column = 0; column < n; column++)
			want[size_t(row) * n + column] = element_of(a, b, row, column, n, k);
	}
	return sample::agree("sgemm_tiled", c.download(), want, sample::default_tolerance<float>());
}

static void normal(float *c, const float *a, const float *b, int m, int n, int k)
{
	sgemm_tiled(c, a, b, m, n, k, nullptr);
}

static bool check_all()
{
	const int sizes[][3] = {{256, 256, 256}, {128, 64, 96}, {127, 65, 33}, {1, 1, 1}, {17, 200, 5}, {333, 129, 257}};
	bool passed = true;
	for (const int *size : sizes)
		passed = check(size[0], size[1], size[2], normal) && passed;
	return passed;
}

// A large product: elements picked over the whole matrix, corners included.
static bool check_large(int size, const std::vector<float> &a, const std::vector<float> &b, sample::buffer<float> &c)
{
	std::vector<float> got = c.download();
	const int picks = 64;
	for (int i = 0; i < picks; i++) {
		int row = int((long long)i * (size - 1) / (picks - 1)), column = int((long long)row * 7919 % size);
		if (i == picks - 1)
			column = size - 1;
		double want = element_of(a, b, row, column, size, size), value = got[size_t(row) * size + column];
		if (std::abs(value - want) > 1e-3 + 1e-4 * std::abs(want)) {
			std::fprintf(stderr, "sgemm_tiled %d: [%d][%d] is %g, should be %g\n", size, row, column, value, want);
			return false;
		}
	}
	return true;
}

#ifdef SAMPLE_CUBLAS
static void measure_cublas(int size, float *c, const float *a, const float *b)
{
	cublasHandle_t handle;
	if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
		std::printf("cublas %d: not available\n", size);
		return;
	}
	const float one = 1.0f, zero = 0.0f;
	// Column-major: the row-major product is b * a there.
	double ms = sample::median_ms([&] {
		cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, b, size, a, size, &zero, c, size);
	});
	std::printf("cublas %d: %.4f ms, %.1f GFLOP/s\n", size, ms, 2.0 * size * size * size / ms * 1e-6);
	cublasDestroy(handle);
}
#endif

static bool measure()
{
	bool passed = true;
	for (int size : {1024, 2048, 4096}) {
		std::vector<float> a = sample::uniform<float>(size_t(size) * size, 33), b = sample::uniform<float>(a.size(), 34);
		sample::buffer<float> device_a(a), device_b(b), c(a.size());
		double ms = sample::median_ms([&] { normal(c.data(), device_a.data(), device_b.data(), size, size, size); });
		std::printf("sgemm_tiled %d: %.4f ms, %.1f GFLOP/s\n", size, ms, 2.0 * size * size * size / ms * 1e-6);
		passed = check_large(size, a, b, c) && passed;
#ifdef SAMPLE_CUBLAS
		measure_cublas(size, c.data(), device_a.data(), device_b.data());
#endif
	}
	return passed;
}

int main(int argc, char **argv)
{
	sample::options options = sample::start(argc, argv);
	if (options.broken) {
		bool passed = check(256, 256, 256, sgemm_tiled_broken);
		passed = check(127, 65, 33, sgemm_tiled_broken) && passed;
		return sample::finish("sgemm_tiled --break", passed);
	}
	bool passed = check_all();
	if (passed && !options.check_only)
		passed = measure();
	return sample::finish("sgemm_tiled", passed);
}
