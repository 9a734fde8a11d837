#include "fused_add_rmsnorm.h"

#include "../../../../samples/common/host.h"

static const float eps = 1e-6f;

// Adds x to residual, rounded to T as the kernel stores it, and returns y.
template <typename T>
static std::vector<double> reference(std::vector<double> &residual, const std::vector<T> &x,
                                     const std::vector<T> &weight, int rows, int d)
{
	std::vector<double> y(size_t(rows) * d);
	for (int row = 0; row < rows; row++) {
		double squares = 0.0;
		size_t begin = size_t(row) * d;
		for (int i = 0; i < d; i++) {
			double sum = residual[begin + i] + sample::number(x[begin + i]);
			residual[begin + i] = sample::number(sample::element<T>(float(sum)));
			squares += residual[begin + i] * residual[begin + i];
		}
		double scale = 1.0 / std::sqrt(squares / d + eps);
		for (int i = 0; i < d; i++)
			y[begin + i] = residual[begin + i] * scale * sample::number(weight[i]);
	}
	return y;
}

// `offset` moves x off its alignment by so many elements; `launch` is what runs.
template <typename T, typename F> static bool check(int rows, int d, int offset, F launch)
{
	std::vector<T> x = sample::uniform<T>(size_t(rows) * d + offset, 5 + d, -2.0f, 2.0f);
	std::vector<T> before = sample::uniform<T>(size_t(rows) * d, 6 + d, -2.0f, 2.0f);
	std::vector<T> weight = sample::uniform<T>(d, 7 + d, 0.5f, 1.5f);
	sample::buffer<T> device_x(x), device_residual(before), device_weight(weight), out(size_t(rows) * d);
	launch(out.data(), device_residual.data(), device_x.data() + offset, device_weight.data(), rows, d);
	x.erase(x.begin(), x.begin() + offset);
	std::vector<double> residual;
	for (T value : before)
		residual.push_back(sample::number(value));
	std::vector<double> y = reference(residual, x, weight, rows, d);
	sample::tolerance limit = sample::default_tolerance<T>();
	bool passed = sample::agree("fused_add_rmsnorm y", out.download(), y, limit);
	return sample::agree("fused_add_rmsnorm residual", device_residual.download(), residual, limit) && passed;
}

template <typename T> static void normal(T *y, T *residual, const T *x, const T *weight, int rows, int d)
{
	fused_add_rmsnorm(y, residual, x, weight, eps, rows, d, nullptr);
}

static void broken(__half *y, __half *residual, const __half *x, const __half *weight, int rows, int d)
{
	fused_add_rmsnorm_broken(y, residual, x, weight, eps, rows, d);
}

template <typename T> static bool check_all()
{
	const int sizes[][3] = {{1, 4096, 0}, {64, 4096, 0}, {5, 8192, 0}, {3, 16384, 0},
	                        {7, 1023, 0}, {2, 1, 0},     {9, 4096, 3}};
	bool passed = true;
	for (const int *size : sizes)
		passed = check<T>(size[0], size[1], size[2], normal<T>) && passed;
	return passed;
}

template <typename T> static void measure()
{
	for (int rows : {1, 64, 4096}) {
		for (int d : {4096, 8192}) {
			size_t count = size_t(rows) * d;
			// Small numbers: the residual grows with each launch.
			sample::buffer<T> x(sample::uniform<T>(count, 3, -1e-3f, 1e-3f));
			sample::buffer<T> residual(sample::uniform<T>(count, 4)), weight(sample::uniform<T>(d, 5)), out(count);
			double ms = sample::median_ms([&] {
				normal<T>(out.data(), residual.data(), x.data(), weight.data(), rows, d);
			});
			std::printf("fused_add_rmsnorm %s rows=%d d=%d: %.4f ms, %.1f GB/s\n", sample::type_name<T>(), rows, d, ms,
			            double(count) * 8 / ms * 1e-6);
		}
	}
}

int main(int argc, char **argv)
{
	sample::options options = sample::start(argc, argv);
	if (options.broken) {
		bool passed = check<__half>(9, 4096, 0, broken);
		passed = check<__half>(9, 4096, 1, normal<__half>) && passed;
		passed = check<__half>(7, 1023, 0, normal<__half>) && passed;
		return sample::finish("fused_add_rmsnorm --break", passed);
	}
	bool passed = check_all<__half>();
	passed = check_all<__nv_bfloat16>() && passed;
	if (passed && !options.check_only) {
		measure<__half>();
		measure<__nv_bfloat16>();
	}
	return sample::finish("fused_add_rmsnorm", passed);
}
