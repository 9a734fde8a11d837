#pragma once
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#define HD __host__ __device__ __forceinline__

namespace utils {
template <typename T>
HD T clamp(T value, T low, T high)
{
	return std::min(std::max(value, low), high);
}

HD float gelu(float x) { return 0.5f * x * (1.0f + std::tanh(0.79788456f * (x + 0.044715f * x * x * x))); }

inline std::vector<float> random_values(size_t count, unsigned seed)
{
	std::mt19937 generator(seed);
	std::normal_distribution<float> normal;
	std::vector<float> out(count);
	for (auto &value : out)
		value = normal(generator);
	return out;
}

static inline double largest_difference(const std::vector<float> &a, const std::vector<float> &b)
{
	double largest = 0;
	for (size_t i = 0; i < a.size(); i++)
		largest = std::max(largest, (double)std::fabs(a[i] - b[i]));
	return largest;
}

template <typename T>
__device__ T warp_sum(T value)
{
	for (int offset = 16; offset > 0; offset >>= 1)
		value += __shfl_xor_sync(0xffffffffu, value, offset);
	return value;
}
} // namespace utils
