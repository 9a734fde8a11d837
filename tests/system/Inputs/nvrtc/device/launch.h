#ifndef LAUNCH_H
#define LAUNCH_H
#include <functional>
#include <iostream>
#include <utility>

#include "common.h"

namespace launch {
struct Plan {
	dim3 grid, block;
	size_t shared = 0;
	cudaStream_t stream = nullptr;
};

inline std::ostream &operator<<(std::ostream &out, const Plan &plan)
{
	return out << plan.grid.x << "x" << plan.block.x;
}

template <typename Kernel, typename... Arguments>
void run(const Plan &plan, Kernel kernel, Arguments &&...arguments)
{
	kernel<<<plan.grid, plan.block, plan.shared, plan.stream>>>(std::forward<Arguments>(arguments)...);
	check(cudaGetLastError(), "launch");
}

inline Plan linear(int n, int block)
{
	Plan plan;
	plan.grid = dim3(DIV_UP(n, block));
	plan.block = dim3(block);
	std::cout << plan << "\n";
	return plan;
}

__device__ __forceinline__ int global_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
} // namespace launch
#endif
