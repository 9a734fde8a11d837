#pragma once
static __device__ __forceinline__ float scale(float x, float a)
{
	return a * x;
}
