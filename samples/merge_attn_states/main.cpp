#include "merge_attn_states.h"

#include "../common/host.h"

struct size {
	int64_t tokens, heads, head_dim;
};

template <typename T> static bool check(size n, int64_t offset)
{
	int64_t rows = n.tokens * n.heads, count = rows * n.head_dim;
	std::vector<T> v_a = sample::uniform<T>(count + offset, 3), v_b = sample::uniform<T>(count + offset, 5);
	std::vector<float> s_a = sample::uniform<float>(rows, 7, -6.0f, 6.0f);
	std::vector<float> s_b = sample::uniform<float>(rows, 9, -6.0f, 6.0f);
	sample::buffer<T> from_a(v_a), from_b(v_b), v(count + offset);
	sample::buffer<float> sum_a(s_a), sum_b(s_b), s(rows);
	merge_attn_states(v.data() + offset, s.data(), from_a.data() + offset, sum_a.data(), from_b.data() + offset,
	                  sum_b.data(), n.tokens, n.heads, n.head_dim, nullptr);
	std::vector<double> want(count), want_sum(rows);
	for (int64_t row = 0; row < rows; row++) {
		double a = std::exp2(double(s_a[row])), b = std::exp2(double(s_b[row]));
		want_sum[row] = std::log2(a + b);
		for (int64_t i = row * n.head_dim; i < (row + 1) * n.head_dim; i++)
			want[i] = (sample::number(v_a[i + offset]) * a + sample::number(v_b[i + offset]) * b) / (a + b);
	}
	std::vector<T> got = v.download();
	got.erase(got.begin(), got.begin() + offset);
	return sample::agree("merge_attn_states", got, want, sample::default_tolerance<T>()) &&
	       sample::agree("merge_attn_states sums", s.download(), want_sum, sample::default_tolerance<float>());
}

template <typename T> static bool check_all()
{
	bool passed = true;
	for (size n : {size{16, 64, 128}, size{64, 32, 256}, size{3, 5, 77}, size{1, 1, 1}, size{33, 7, 96}})
		passed = check<T>(n, 0) && passed;
	return check<T>({16, 64, 128}, 1) && passed;
}

template <typename T> static void measure()
{
	for (size n : {size{16, 32, 256}, size{512, 32, 256}, size{4096, 32, 256}, size{4096, 64, 128}}) {
		int64_t rows = n.tokens * n.heads, count = rows * n.head_dim;
		sample::buffer<T> v_a(sample::uniform<T>(count, 3)), v_b(sample::uniform<T>(count, 5)), v(count);
		sample::buffer<float> s_a(sample::uniform<float>(rows, 7)), s_b(sample::uniform<float>(rows, 9)), s(rows);
		double ms = sample::median_ms([&] {
			merge_attn_states(v.data(), s.data(), v_a.data(), s_a.data(), v_b.data(), s_b.data(), n.tokens, n.heads,
			                  n.head_dim, nullptr);
		});
		std::printf("merge_attn_states %s tokens=%lld heads=%lld head_dim=%lld: %.4f ms, %.1f GB/s\n",
		            sample::type_name<T>(), (long long)n.tokens, (long long)n.heads, (long long)n.head_dim, ms,
		            (double(count) * 6 + double(rows) * 12) / ms * 1e-6);
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
	return sample::finish("merge_attn_states", passed);
}
