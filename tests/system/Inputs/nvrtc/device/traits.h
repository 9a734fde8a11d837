#pragma once
#include <cuda_fp16.h>

#include <map>
#include <string>
#include <typeinfo>

enum class Activation { Identity, Relu, Square };

template <typename T>
struct Traits;
template <>
struct Traits<float> {
	using Accumulator = float;
	static constexpr int width = 4;
	static std::string name() { return "float"; }
};
template <>
struct Traits<__half> {
	using Accumulator = float;
	static constexpr int width = 8;
	static std::string name() { return typeid(__half).name(); }
};

template <typename T>
using AccumulatorOf = typename Traits<T>::Accumulator;

template <Activation A>
struct Apply {
	__device__ static float to(float x) { return x; }
};
template <>
struct Apply<Activation::Relu> {
	__device__ static float to(float x) { return x > 0.0f ? x : 0.0f; }
};

template <typename T>
std::string describe();
template <>
inline std::string describe<float>()
{
	return "32 bits";
}

inline Activation parse(const std::string &text)
{
	static const std::map<std::string, Activation> names = {{"identity", Activation::Identity},
	                                                        {"relu", Activation::Relu}};
	return names.at(text);
}
