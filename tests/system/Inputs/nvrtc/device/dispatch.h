#pragma once
#include <stdexcept>
#include <type_traits>
#include <vector>

#define DISPATCH_WIDTH(width, ...) \
	[&] { \
		switch (width) { \
		case 1: { constexpr int WIDTH = 1; return __VA_ARGS__(); } \
		case 4: { constexpr int WIDTH = 4; return __VA_ARGS__(); } \
		default: throw std::invalid_argument("width"); \
		} \
	}()
#define REGISTER(name) static const bool registered_##name = registry().add(#name);

struct Registry {
	std::vector<const char *> names;
	bool add(const char *name)
	{
		names.push_back(name);
		return true;
	}
};
inline Registry &registry()
{
	static Registry all;
	return all;
}

template <typename T, int WIDTH>
struct alignas(sizeof(T) * WIDTH) Pack {
	T values[WIDTH];
	static_assert(std::is_trivially_copyable<T>::value, "values");
};
template <typename T, typename = std::enable_if_t<std::is_floating_point<T>::value>>
__device__ T half_of(T x)
{
	return x / 2;
}
