#include "silu_and_mul.h"

#include "../../../../samples/common/host.h"

template <typename T> static std::vector<double> reference(const std::vector<T> &x, int rows, int d)
{
	std::vector<double> y(size_t(rows) * d);
	for (int row = 0; row < rows; row++) {
		for (int i = 0; i < d; i++) {
			double gate = sample::number(x[size_t(row) * 2 * d + i]);
			double up = sample::number(x[size_t(row) * 2 * d + d + i]);
			y[size_t(row) * d + i] = gate / (1.0 + std::exp(-gate)) * up;
		}
	}
	return y;
}

// `offset` moves both buffers off their alignment by so many elements.
template <typename T> static bool check(int rows, int d, int offset)
{
	std::vector<T> x = sample::uniform<T>(size_t(rows) * 2 * d + offset, 7 + d, -4.0f, 4.0f);
	sample::buffer<T> in(x), out(size_t(rows) * d + offset);
	silu_and_mul(out.data() + offset, in.data() + offset, rows, d, nullptr);
	x.erase(x.begin(), x.begin() + offset);
	std::vector<T> y = out.download();
	y.erase(y.begin(), y.begin() + offset);
	return sample::agree("silu_and_mul", y, reference(x, rows, d), sample::default_tolerance<T>());
}

template <typename T> static bool check_all()
{
	const int sizes[][3] = {{1, 4096, 0}, {64, 4096, 0}, {3, 11008, 0}, {5, 4097, 0},
	                        {17, 33, 0},  {2, 1, 0},     {64, 4096, 1}};
	bool passed = true;
	for (const int *size : sizes)
		passed = check<T>(size[0], size[1], size[2]) && passed;
	return passed;
}

template <typename T> static void measure()
{
	for (int rows : {1, 64, 4096}) {
		for (int d : {4096, 11008}) {
			sample::buffer<T> in(sample::uniform<T>(size_t(rows) * 2 * d, 3)), out(size_t(rows) * d);
			double ms = sample::median_ms([&] { silu_and_mul(out.data(), in.data(), rows, d, nullptr); });
			std::printf("silu_and_mul %s rows=%d d=%d: %.4f ms, %.1f GB/s\n", sample::type_name<T>(), rows, d, ms,
			            double(rows) * d * 6 / ms * 1e-6);
		}
	}
}

static bool check_broken()
{
	const int rows = 9, d = 4096;
	std::vector<__half> x = sample::uniform<__half>(size_t(rows) * 2 * d, 11);
	bool passed = true;
	for (silu_break what : {silu_break::block, silu_break::grid, silu_break::rows}) {
		sample::buffer<__half> in(x), out(size_t(rows) * d);
		silu_and_mul_broken(what, out.data(), in.data(), rows, d);
		passed = sample::agree("silu_and_mul --break", out.download(), reference(x, rows, d),
		                       sample::default_tolerance<__half>()) && passed;
	}
	return check<__half>(64, 4096, 1) && check<__half>(5, 4097, 0) && passed;
}

int main(int argc, char **argv)
{
	sample::options options = sample::start(argc, argv);
	if (options.broken)
		return sample::finish("silu_and_mul --break", check_broken());
	bool passed = check_all<__half>();
	passed = check_all<__nv_bfloat16>() && passed;
	if (passed && !options.check_only) {
		measure<__half>();
		measure<__nv_bfloat16>();
	}
	return sample::finish("silu_and_mul", passed);
}
