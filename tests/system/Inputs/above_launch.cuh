#pragma once
template <typename T> __global__ void scale(T *__restrict__ to, const T *__restrict__ from, T factor, int count)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
		to[i] = factor * from[i];
}
