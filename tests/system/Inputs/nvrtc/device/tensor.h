#pragma once
#include "common.h"

#include <memory>
#include <numeric>
#include <vector>

class Tensor {
public:
	explicit Tensor(std::vector<int> shape) : shape_(std::move(shape))
	{
		CUDA_CHECK(cudaMalloc(&data_, size() * sizeof(float)));
	}
	~Tensor() { cudaFree(data_); }
	size_t size() const { return std::accumulate(shape_.begin(), shape_.end(), size_t{1}, std::multiplies<>()); }
	float *data() { return data_; }

private:
	std::vector<int> shape_;
	float *data_ = nullptr;
};

using TensorPtr = std::shared_ptr<Tensor>;

/* What a kernel gets of it. */
struct View {
	float *data;
	int rows, columns;
	__host__ __device__ float &at(int row, int column) const { return data[row * columns + column]; }
};
