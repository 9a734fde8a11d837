#pragma once
#include <fstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace project {
using std::string;
using std::vector;
typedef std::unordered_map<string, vector<float>> Weights;
static Weights cache;

namespace detail {
inline string path_of(const string &name) { return "/tmp/" + name; }
__device__ __forceinline__ float square(float x) { return x * x; }
} // namespace detail

inline bool load(const string &name)
{
	std::ifstream file(detail::path_of(name));
	vector<float> values;
	float value;
	while (file >> value)
		values.push_back(value);
	cache[name] = values;
	return !values.empty();
}

/* The same name on both sides. */
inline float norm(const vector<float> &x)
{
	float sum = 0;
	for (float value : x)
		sum += value * value;
	return sum;
}
__device__ inline float norm(float x, float y) { return detail::square(x) + detail::square(y); }
} // namespace project
