// What the host programs of the samples share: options, device buffers,
// comparison with a reference, and the median time of a launch.
//
//   --check-only   check results, measure nothing
//   --break        only launches that no variant may take; results are checked
//
// Exit codes: 0 all right, 1 a wrong result or a CUDA error, 77 no CUDA device.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace sample {

constexpr int no_device = 77;
constexpr int warm_ups = 20;
constexpr int repetitions = 50;

struct options {
	bool check_only = false;
	bool broken = false;
};

inline void require(cudaError_t status, const char *what)
{
	if (status == cudaSuccess)
		return;
	std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
	std::exit(1);
}

// Reads the command line; ends the program where there is nothing to run on.
inline options start(int argc, char **argv)
{
	options result;
	for (int i = 1; i < argc; i++) {
		if (!std::strcmp(argv[i], "--check-only")) {
			result.check_only = true;
		} else if (!std::strcmp(argv[i], "--break")) {
			result.broken = true;
		} else {
			std::fprintf(stderr, "usage: %s [--check-only] [--break]\n", argv[0]);
			std::exit(2);
		}
	}
	int count = 0;
	if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
		std::printf("no CUDA device\n");
		std::exit(no_device);
	}
	return result;
}

// Device memory of `count` elements; it is freed with the object.
template <typename T> class buffer {
public:
	explicit buffer(size_t count) : count_(count)
	{
		require(cudaMalloc(&data_, std::max<size_t>(count, 1) * sizeof(T)), "cudaMalloc");
	}
	explicit buffer(const std::vector<T> &values) : buffer(values.size()) { upload(values); }
	~buffer() { cudaFree(data_); }
	buffer(const buffer &) = delete;
	buffer &operator=(const buffer &) = delete;

	T *data() { return data_; }
	void upload(const std::vector<T> &values)
	{
		require(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "upload");
	}
	std::vector<T> download()
	{
		std::vector<T> values(count_);
		require(cudaDeviceSynchronize(), "kernel");
		require(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "download");
		return values;
	}

private:
	T *data_ = nullptr;
	size_t count_;
};

inline float number(float value) { return value; }
inline float number(__half value) { return __half2float(value); }
inline float number(__nv_bfloat16 value) { return __bfloat162float(value); }

template <typename T> T element(float value);
template <> inline float element<float>(float value) { return value; }
template <> inline __half element<__half>(float value) { return __float2half(value); }
template <> inline __nv_bfloat16 element<__nv_bfloat16>(float value) { return __float2bfloat16(value); }

template <typename T> const char *type_name();
template <> inline const char *type_name<float>() { return "f32"; }
template <> inline const char *type_name<__half>() { return "f16"; }
template <> inline const char *type_name<__nv_bfloat16>() { return "bf16"; }

// How far a result may be from a reference computed in double precision.
struct tolerance {
	double absolute, relative;
};
template <typename T> tolerance default_tolerance();
template <> inline tolerance default_tolerance<float>() { return {1e-4, 1e-4}; }
template <> inline tolerance default_tolerance<__half>() { return {1e-3, 4e-3}; }
template <> inline tolerance default_tolerance<__nv_bfloat16>() { return {8e-3, 2e-2}; }

// Numbers in [low, high), the same on every machine for the same seed.
template <typename T> std::vector<T> uniform(size_t count, uint64_t seed, float low = -1.0f, float high = 1.0f)
{
	std::vector<T> values(count);
	uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
	for (T &value : values) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		value = element<T>(low + (high - low) * float(state >> 40) / float(1 << 24));
	}
	return values;
}

// True when all elements agree; else prints the first that does not.
template <typename T>
bool agree(const char *what, const std::vector<T> &got, const std::vector<double> &want, tolerance limit)
{
	for (size_t i = 0; i < want.size(); i++) {
		double value = number(got[i]);
		if (std::isinf(want[i]) && value == want[i])
			continue;
		if (std::abs(value - want[i]) <= limit.absolute + limit.relative * std::abs(want[i]))
			continue;
		std::fprintf(stderr, "%s %s: element %zu is %g, should be %g\n", what, type_name<T>(), i, value, want[i]);
		return false;
	}
	return true;
}

// Median time of `launch` in milliseconds, by events around each launch.
template <typename F> double median_ms(F launch)
{
	cudaEvent_t begin, end;
	require(cudaEventCreate(&begin), "cudaEventCreate");
	require(cudaEventCreate(&end), "cudaEventCreate");
	for (int i = 0; i < warm_ups; i++)
		launch();
	std::vector<float> times(repetitions);
	for (float &time : times) {
		require(cudaEventRecord(begin), "cudaEventRecord");
		launch();
		require(cudaEventRecord(end), "cudaEventRecord");
		require(cudaEventSynchronize(end), "launch");
		require(cudaEventElapsedTime(&time, begin, end), "cudaEventElapsedTime");
	}
	cudaEventDestroy(begin);
	cudaEventDestroy(end);
	std::sort(times.begin(), times.end());
	return (double(times[repetitions / 2 - 1]) + double(times[repetitions / 2])) / 2;
}

inline int finish(const char *name, bool passed)
{
	std::printf("%s: %s\n", name, passed ? "ok" : "FAILED");
	return passed ? 0 : 1;
}

} // namespace sample
