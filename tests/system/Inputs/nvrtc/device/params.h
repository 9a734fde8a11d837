#pragma once
#include <iostream>
#include <string>
#include <vector>

#include "common.h"

/* Passed to kernels by value; made and printed by host code. */
struct Params {
	float scale = 1.0f, bias = 0.0f;
	int n = 0;

	Params() = default;
	Params(float s, float b, int count) : scale(s), bias(b), n(count)
	{
		std::cerr << "params of " << n << "\n";
	}
	explicit Params(const std::string &text) { std::sscanf(text.c_str(), "%f,%f,%d", &scale, &bias, &n); }

	void upload(float *target) const { CUDA_CHECK(cudaMemcpy(target, &scale, sizeof scale, cudaMemcpyHostToDevice)); }
	std::string to_string() const { return std::to_string(scale) + "x+" + std::to_string(bias); }
	std::vector<float> reference(const std::vector<float> &x) const;
	__device__ float apply(float x) const { return scale * x + bias; }
	friend std::ostream &operator<<(std::ostream &out, const Params &p) { return out << p.to_string(); }
};

inline std::vector<float> Params::reference(const std::vector<float> &x) const
{
	std::vector<float> out;
	for (float value : x)
		out.push_back(scale * value + bias);
	return out;
}
