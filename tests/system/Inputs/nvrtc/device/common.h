#pragma once
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#define CUDA_CHECK(call) \
	do { \
		cudaError_t error_ = (call); \
		if (error_ != cudaSuccess) { \
			std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
			std::exit(EXIT_FAILURE); \
		} \
	} while (0)

#define DIV_UP(a, b) (((a) + (b)-1) / (b))

inline void check(cudaError_t error, const std::string &what)
{
	if (error != cudaSuccess)
		throw std::runtime_error(what + ": " + cudaGetErrorString(error));
}

static inline int multiprocessors()
{
	int device = 0, count = 0;
	CUDA_CHECK(cudaGetDevice(&device));
	CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
	return count;
}
