#include "silu_and_mul.h"

#include "../common/host.h"

template <typename T> static std::vector<double> reference(const std::vector<T> &in, int64_t B, int64_t D, strides from)
{
	std::vector<double> out(B * D);
	for (int64_t b = 0; b < B; b++) {
		for (int64_t d = 0; d < D; d++) {
			double gate = sample::number(in[b * from.s0 + d * from.s1]);
			double up = sample::number(in[b * from.s0 + (D + d) * from.s1]);
			out[b * D + d] = gate / (1.0 + std::exp(-gate)) * up;
		}
	}
	return out;
}

// `step` lies between elements of a row of the input, `spare` behind each of its rows.
template <typename T> static bool check(int64_t B, int64_t D, int64_t step, int64_t spare)
{
	strides from = {2 * D * step + spare, step}, to = {D, 1};
	std::vector<T> in = sample::uniform<T>(B * from.s0, 7 + D, -4.0f, 4.0f);
	sample::buffer<T> source(in), target(B * D);
	silu_and_mul(target.data(), source.data(), B, D, from, to, nullptr);
	return sample::agree("silu_and_mul", target.download(), reference(in, B, D, from), sample::default_tolerance<T>());
}

template <typename T> static bool check_all()
{
	const int64_t sizes[][4] = {{16, 11008, 1, 0}, {300, 4096, 1, 0}, {5, 4097, 1, 0}, {17, 33, 1, 0},
	                            {2, 1, 1, 0},      {9, 4096, 2, 0},   {9, 4096, 1, 3}, {9, 4096, 1, 64}};
	bool passed = true;
	for (const int64_t *size : sizes)
		passed = check<T>(size[0], size[1], size[2], size[3]) && passed;
	return passed;
}

template <typename T> static void measure()
{
	for (int64_t B : {16, 256, 4096}) {
		for (int64_t D : {11008, 28672}) {
			sample::buffer<T> in(sample::uniform<T>(B * 2 * D, 3)), out(B * D);
			double ms = sample::median_ms([&] {
				silu_and_mul(out.data(), in.data(), B, D, strides{2 * D, 1}, strides{D, 1}, nullptr);
			});
			std::printf("silu_and_mul %s B=%lld D=%lld: %.4f ms, %.1f GB/s\n", sample::type_name<T>(), (long long)B,
			            (long long)D, ms, double(B) * double(D) * 6 / ms * 1e-6);
		}
	}
}

int main(int argc, char **argv)
{
	sample::options options = sample::start(argc, argv);
	bool passed = check_all<__half>();
	passed = check_all<__nv_bfloat16>() && passed;
	if (passed && !options.check_only) {
		measure<__half>();
		measure<__nv_bfloat16>();
	}
	return sample::finish("silu_and_mul", passed);
}
