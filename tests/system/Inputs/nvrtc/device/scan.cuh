#pragma once
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/sort.h>

#include "common.h"

inline void exclusive_sum(int *out, const int *in, int count)
{
	void *scratch = nullptr;
	size_t bytes = 0;
	cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, count);
	CUDA_CHECK(cudaMalloc(&scratch, bytes));
	cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, count);
	CUDA_CHECK(cudaFree(scratch));
}

inline void sort(thrust::device_vector<int> &keys) { thrust::sort(keys.begin(), keys.end()); }

__device__ inline float sigmoid(float x) { return 1.0f / (1.0f + __expf(-x)); }
