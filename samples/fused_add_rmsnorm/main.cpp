#include "fused_add_rmsnorm.h"

#include "../common/host.h"

static const float eps = 1e-6f;

template <typename T> static bool check(int rows, int d)
{
	size_t count = size_t(rows) * d;
	std::vector<T> x = sample::uniform<T>(count, 3), residual = sample::uniform<T>(count, 5);
	std::vector<T> weight = sample::uniform<T>(d, 7, 0.5f, 1.5f);
	sample::buffer<T> in(x), sum(residual), factor(weight), y(count);
	sample::buffer<float> scale(rows);
	fused_add_rmsnorm(y.data(), sum.data(), in.data(), factor.data(), scale.data(), eps, rows, d, nullptr);
	std::vector<double> want(count), want_sum(count);
	for (int row = 0; row < rows; row++) {
		double squares = 0.0;
		for (size_t i = size_t(row) * d; i < size_t(row + 1) * d; i++) {
			want_sum[i] = double(sample::number(x[i])) + double(sample::number(residual[i]));
			squares += want_sum[i] * want_sum[i];
		}
		double root = 1.0 / std::sqrt(squares / d + eps);
		for (int i = 0; i < d; i++)
			want[size_t(row) * d + i] = want_sum[size_t(row) * d + i] * root * sample::number(weight[i]);
	}
	return sample::agree("fused_add_rmsnorm", y.download(), want, sample::default_tolerance<T>()) &&
	       sample::agree("fused_add_rmsnorm residual", sum.download(), want_sum, sample::default_tolerance<T>());
}

template <typename T> static bool check_all()
{
	const int sizes[][2] = {{16, 4096}, {64, 8192}, {3, 4097}, {5, 33}, {2, 1}, {300, 1000}};
	bool passed = true;
	for (const int *size : sizes)
		passed = check<T>(size[0], size[1]) && passed;
	return passed;
}

template <typename T> static void measure()
{
	for (int rows : {16, 256, 4096}) {
		for (int d : {4096, 8192}) {
			size_t count = size_t(rows) * d;
			sample::buffer<T> x(sample::uniform<T>(count, 3)), residual(sample::uniform<T>(count, 5)), y(count);
			sample::buffer<T> weight(sample::uniform<T>(d, 7));
			sample::buffer<float> scale(rows);
			double ms = sample::median_ms([&] {
				fused_add_rmsnorm(y.data(), residual.data(), x.data(), weight.data(), scale.data(), eps, rows, d, nullptr);
			});
			std::printf("fused_add_rmsnorm %s rows=%d d=%d: %.4f ms, %.1f GB/s\n", sample::type_name<T>(), rows, d, ms,
			            double(count) * 4 * sizeof(T) / ms * 1e-6);
		}
	}
}

int main(int argc, char **argv)
{
	sample::options options = sample::start(argc, argv);
	bool passed = check_all<float>();
	passed = check_all<__half>() && passed;
	passed = check_all<__nv_bfloat16>() && passed;
	if (passed && !options.check_only) {
		measure<float>();
		measure<__half>();
		measure<__nv_bfloat16>();
	}
	return sample::finish("fused_add_rmsnorm", passed);
}
