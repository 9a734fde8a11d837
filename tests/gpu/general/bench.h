/*
 * Runs one kernel on shapes that its pragma does not list, checks each result against double precision, and times it.
 *
 * A file of this folder has a kernel with a pragma, a function that launches it as a program would, and a `main` that
 * names the problem variables, the shapes and how a case is made. Its program prints a line a shape:
 *
 *   kind  values, joined by commas  median microseconds of a launch  worst error as a share of what is allowed  state
 *
 * The state is ok, wrong (an element differs by more than is allowed) or outside (a byte before or after an output
 * changed). --shapes prints the problem variables and the shapes instead and needs no GPU.
 */
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {

inline void must(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
	exit(2);
}

__host__ __device__ inline uint64_t mixed(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ x >> 33;
}

template <typename T> double value_of(T x) { return (double)x; }
inline double value_of(__half x) { return __half2float(x); }
inline double value_of(__nv_bfloat16 x) { return __bfloat162float(x); }

template <typename T> __host__ __device__ T made_of(double x) { return (T)x; }
template <> __host__ __device__ inline __half made_of(double x) { return __float2half((float)x); }
template <> __host__ __device__ inline __nv_bfloat16 made_of(double x) { return __float2bfloat16((float)x); }

/* What element i of a buffer is before the launch: one function for host and device, with the same rounding on both. */
struct fill {
	uint64_t seed;
	double low, width; /* real: low + width * [0, 1) */
	uint64_t below;    /* else whole: low + [0, below) */

	__host__ __device__ double at(size_t i) const
	{
		const uint64_t random = mixed(seed + i);
#ifdef __CUDA_ARCH__
		return below ? low + (double)(random % below) : __dadd_rn(low, __dmul_rn(width, (random >> 11) * 0x1p-53));
#else
		return below ? low + (double)(random % below) : low + width * ((random >> 11) * 0x1p-53);
#endif
	}
};

template <typename T> __global__ void fill_kernel(T *to, size_t count, fill f)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)blockDim.x * gridDim.x)
		to[i] = made_of<T>(f.at(i));
}

/* count elements that begin `offset` elements after an address that cudaMalloc gave, with 256 bytes on either side. */
template <typename T> struct buffer {
	static constexpr size_t margin = 256;
	T *device = nullptr;
	char *whole = nullptr;
	size_t count, lead;
	fill content;

	buffer(size_t count, size_t offset, fill content) : count(count), lead(margin + offset * sizeof(T)), content(content)
	{
		must(cudaMalloc(&whole, lead + count * sizeof(T) + margin), "cudaMalloc");
		must(cudaMemset(whole, 0x5a, lead + count * sizeof(T) + margin), "cudaMemset");
		device = (T *)(whole + lead);
		fill_kernel<<<1024, 256>>>(device, count, content);
		must(cudaDeviceSynchronize(), "fill");
	}
	~buffer() { cudaFree(whole); }
	buffer(const buffer &) = delete;

	/* before the launch */
	double operator[](size_t i) const { return value_of(made_of<T>(content.at(i))); }
	/* after it */
	double result(size_t i) const
	{
		T value;
		must(cudaMemcpy(&value, device + i, sizeof value, cudaMemcpyDeviceToHost), "copy");
		return value_of(value);
	}
	bool margins_kept() const
	{
		std::vector<char> bytes(lead + margin);

		must(cudaMemcpy(bytes.data(), whole, lead, cudaMemcpyDeviceToHost), "copy");
		must(cudaMemcpy(bytes.data() + lead, whole + lead + count * sizeof(T), margin, cudaMemcpyDeviceToHost), "copy");
		return std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 0x5a; });
	}
};

struct shape {
	const char *kind;
	std::vector<long long> values;
	int offset = 0; /* of every buffer, in elements */
};

class run {
public:
	explicit run(const shape &s) : shape_(s) {}

	/* uniform in [low, high) */
	template <typename T> std::shared_ptr<buffer<T>> input(size_t count, double low, double high)
	{
		return made<T>(count, {++seed_ << 40, low, high - low, 0});
	}
	/* whole numbers from low to high */
	template <typename T> std::shared_ptr<buffer<T>> whole(size_t count, long long low, long long high)
	{
		return made<T>(count, {++seed_ << 40, (double)low, 0, (uint64_t)(high - low) + 1});
	}
	/* zeros */
	template <typename T> std::shared_ptr<buffer<T>> output(size_t count) { return whole<T>(count, 0, 0); }

	/* One launch, for the checks; report() repeats it for the time. */
	void launch(const std::function<void()> &call)
	{
		call_ = call;
		call_();
		must(cudaDeviceSynchronize(), "launch");
	}

	/* |result - expected| <= absolute + relative * |expected| on the first, the last and 2,000 other elements. */
	template <typename T, typename F>
	void check(const std::shared_ptr<buffer<T>> &out, double absolute, double relative, F expected)
	{
		const size_t samples = std::min<size_t>(out->count, 2128);

		outside_ = outside_ || !out->margins_kept();
		for (size_t s = 0; s < samples; s++) {
			size_t i = s < 64 ? s : s < 128 ? out->count - 1 - (s - 64) : mixed(s) % out->count;
			if (out->count <= 2128)
				i = s;
			const double want = expected(i), got = out->result(i);
			const double error = want == got ? 0 : std::fabs(got - want) / (absolute + relative * std::fabs(want));
			worst_ = error > worst_ || std::isnan(error) ? error : worst_;
		}
	}

	/* Times launches, each after the L2 cache was overwritten, and prints the line. The buffers still exist. */
	void report()
	{
		static char *sweep;
		const size_t bytes = 128 << 20;
		cudaEvent_t begin, end;
		std::vector<float> times;

		if (sweep == nullptr)
			must(cudaMalloc(&sweep, bytes), "cudaMalloc");
		must(cudaEventCreate(&begin), "event");
		must(cudaEventCreate(&end), "event");
		for (int i = 0; i < 15; i++) {
			float ms;

			must(cudaMemset(sweep, i, bytes), "sweep");
			must(cudaEventRecord(begin), "event");
			call_();
			must(cudaEventRecord(end), "event");
			must(cudaEventSynchronize(end), "event");
			must(cudaEventElapsedTime(&ms, begin, end), "event");
			if (i >= 4)
				times.push_back(ms * 1000);
		}
		std::sort(times.begin(), times.end());
		std::string values;
		for (long long value : shape_.values)
			values += (values.empty() ? "" : ",") + std::to_string(value);
		printf("%s %s %.3f %.3g %s\n", shape_.kind, values.c_str(), times[times.size() / 2], worst_,
		       outside_ ? "outside" : worst_ <= 1 ? "ok" : "wrong");
		fflush(stdout);
	}

private:
	template <typename T> std::shared_ptr<buffer<T>> made(size_t count, fill content)
	{
		return std::make_shared<buffer<T>>(count, shape_.offset, content);
	}

	const shape &shape_;
	uint64_t seed_ = 0;
	double worst_ = 0;
	bool outside_ = false;
	std::function<void()> call_;
};

inline int main_of(int argc, char **argv, const char *variables, const std::vector<shape> &shapes,
                   const std::function<void(run &, const long long *)> &one)
{
	if (argc > 1 && strcmp(argv[1], "--shapes") == 0) {
		printf("%s\n", variables);
		for (const shape &s : shapes) {
			printf("%s", s.kind);
			for (long long value : s.values)
				printf(" %lld", value);
			printf("\n");
		}
		return 0;
	}
	for (const shape &s : shapes) {
		run r(s);

		one(r, s.values.data());
	}
	return 0;
}

} // namespace bench
