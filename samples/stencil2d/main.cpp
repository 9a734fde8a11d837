#include "stencil2d.h"

#include "../common/host.h"

static std::vector<double> reference(const std::vector<float> &in, int width, int height)
{
	static const double weights[3] = {0.25, 0.5, 0.25};
	std::vector<double> out(in.size());
	for (int y = 0; y < height; y++) {
		for (int x = 0; x < width; x++) {
			double sum = 0.0;
			for (int dy = -1; dy <= 1; dy++) {
				for (int dx = -1; dx <= 1; dx++) {
					int row = std::clamp(y + dy, 0, height - 1), column = std::clamp(x + dx, 0, width - 1);
					sum += weights[dy + 1] * weights[dx + 1] * in[size_t(row) * width + column];
				}
			}
			out[size_t(y) * width + x] = sum;
		}
	}
	return out;
}

template <typename F> static bool check(int width, int height, F launch)
{
	std::vector<float> field = sample::uniform<float>(size_t(width) * height, 41);
	sample::buffer<float> in(field), out(field.size());
	launch(out.data(), in.data(), width, height);
	return sample::agree("stencil2d", out.download(), reference(field, width, height), sample::default_tolerance<float>());
}

static void normal(float *out, const float *in, int width, int height)
{
	stencil2d(out, in, width, height, nullptr);
}

static bool check_all()
{
	const int sizes[][2] = {{1024, 1024}, {512, 64}, {1, 1}, {17, 3}, {3, 131}, {129, 257}, {1000, 777}};
	bool passed = true;
	for (const int *size : sizes)
		passed = check(size[0], size[1], normal) && passed;
	return passed;
}

static void measure()
{
	for (int size : {1024, 4096, 8192}) {
		size_t count = size_t(size) * size;
		sample::buffer<float> in(sample::uniform<float>(count, 42)), out(count);
		double ms = sample::median_ms([&] { normal(out.data(), in.data(), size, size); });
		std::printf("stencil2d %dx%d: %.4f ms, %.1f GB/s\n", size, size, ms, double(count) * 8 / ms * 1e-6);
	}
}

int main(int argc, char **argv)
{
	sample::options options = sample::start(argc, argv);
	if (options.broken) {
		bool passed = check(1024, 1024, stencil2d_broken);
		passed = check(129, 257, stencil2d_broken) && passed;
		return sample::finish("stencil2d --break", passed);
	}
	bool passed = check_all();
	if (passed && !options.check_only)
		measure();
	return sample::finish("stencil2d", passed);
}
