#pragma once
#include <cuda_runtime_api.h>
#include <cublas_v2.h>
#include <curand.h>

struct GpuTimer {
	cudaEvent_t begin, end;
	GpuTimer() { cudaEventCreate(&begin); cudaEventCreate(&end); }
	~GpuTimer() { cudaEventDestroy(begin); cudaEventDestroy(end); }
	void start() { cudaEventRecord(begin, 0); }
	float stop()
	{
		float ms = 0;
		cudaEventRecord(end, 0);
		cudaEventSynchronize(end);
		cudaEventElapsedTime(&ms, begin, end);
		return ms;
	}
};
struct Handles {
	cublasHandle_t blas;
	curandGenerator_t random;
	Handles() { cublasCreate(&blas); }
};
static inline __device__ float lerp(float a, float b, float t) { return a + t * (b - a); }
