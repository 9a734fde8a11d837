#include "merge_attn_states.h"

#include "../../../../samples/common/host.h"

struct problem {
	int tokens, heads, head_dim;
	size_t rows() const { return size_t(tokens) * heads; }
	size_t count() const { return rows() * head_dim; }
};

// Log-sum-exps of one part: some rows have no keys at all.
static std::vector<float> scores(const problem &size, uint64_t seed, size_t empty_every)
{
	std::vector<float> values = sample::uniform<float>(size.rows(), seed, -6.0f, 6.0f);
	for (size_t i = 0; i < values.size(); i += empty_every)
		values[i] = -INFINITY;
	return values;
}

template <typename T, typename F> static bool check(const problem &size, int offset, F launch)
{
	std::vector<T> v_a = sample::uniform<T>(size.count() + offset, 21);
	std::vector<T> v_b = sample::uniform<T>(size.count() + offset, 22);
	// Every third and every fifth row: some rows are empty in one part, some in both.
	std::vector<float> s_a = scores(size, 23, 3), s_b = scores(size, 24, 5);
	sample::buffer<T> device_va(v_a), device_vb(v_b), v(size.count());
	sample::buffer<float> device_sa(s_a), device_sb(s_b), s(size.rows());
	launch(v.data(), s.data(), device_va.data() + offset, device_sa.data(), device_vb.data() + offset, device_sb.data(),
	       size);
	std::vector<double> want_v(size.count()), want_s(size.rows());
	for (size_t row = 0; row < size.rows(); row++) {
		double largest = std::max(s_a[row], s_b[row]);
		bool empty = std::isinf(largest);
		double weight_a = empty ? 0.0 : std::exp(s_a[row] - largest);
		double weight_b = empty ? 0.0 : std::exp(s_b[row] - largest);
		want_s[row] = empty ? -INFINITY : largest + std::log(weight_a + weight_b);
		for (int i = 0; i < size.head_dim; i++) {
			size_t at = row * size.head_dim + i;
			double sum = sample::number(v_a[at + offset]) * weight_a + sample::number(v_b[at + offset]) * weight_b;
			want_v[at] = empty ? 0.0 : sum / (weight_a + weight_b);
		}
	}
	bool passed = sample::agree("merge_attn_states v", v.download(), want_v, sample::default_tolerance<T>());
	return sample::agree("merge_attn_states s", s.download(), want_s, sample::default_tolerance<float>()) && passed;
}

template <typename T>
static void normal(T *v, float *s, const T *v_a, const float *s_a, const T *v_b, const float *s_b, const problem &size)
{
	merge_attn_states(v, s, v_a, s_a, v_b, s_b, size.tokens, size.heads, size.head_dim, nullptr);
}

static void broken(__half *v, float *s, const __half *v_a, const float *s_a, const __half *v_b, const float *s_b,
                   const problem &size)
{
	merge_attn_states_broken(v, s, v_a, s_a, v_b, s_b, size.tokens, size.heads, size.head_dim);
}

template <typename T> static bool check_all()
{
	bool passed = true;
	for (const problem &size : {problem{1, 32, 128}, problem{64, 32, 128}, problem{7, 3, 64}, problem{5, 2, 100},
	                            problem{3, 5, 33}, problem{2, 1, 1}})
		passed = check<T>(size, 0, normal<T>) && passed;
	return check<T>(problem{9, 32, 128}, 1, normal<T>) && passed;
}

template <typename T> static void measure()
{
	for (int tokens : {1, 64, 4096}) {
		problem size = {tokens, 32, 128};
		sample::buffer<T> v_a(sample::uniform<T>(size.count(), 1)), v_b(sample::uniform<T>(size.count(), 2)), v(size.count());
		sample::buffer<float> s_a(sample::uniform<float>(size.rows(), 3)), s_b(sample::uniform<float>(size.rows(), 4));
		sample::buffer<float> s(size.rows());
		double ms = sample::median_ms([&] {
			normal<T>(v.data(), s.data(), v_a.data(), s_a.data(), v_b.data(), s_b.data(), size);
		});
		std::printf("merge_attn_states %s tokens=%d heads=32 head_dim=128: %.4f ms, %.1f GB/s\n",
		            sample::type_name<T>(), tokens, ms, (double(size.count()) * 6 + double(size.rows()) * 12) / ms * 1e-6);
	}
}

int main(int argc, char **argv)
{
	sample::options options = sample::start(argc, argv);
	if (options.broken) {
		bool passed = check<__half>({9, 32, 128}, 0, broken);
		passed = check<__half>({9, 32, 128}, 1, normal<__half>) && passed;
		passed = check<__half>({3, 5, 33}, 0, normal<__half>) && passed;
		return sample::finish("merge_attn_states --break", passed);
	}
	bool passed = check_all<__half>();
	passed = check_all<__nv_bfloat16>() && passed;
	if (passed && !options.check_only) {
		measure<__half>();
		measure<__nv_bfloat16>();
	}
	return sample::finish("merge_attn_states", passed);
}
