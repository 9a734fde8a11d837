// What the replies of this folder are about, and what lies around it for them to misuse.
#include <cuda_fp16.h>
#include <cfloat>
#include <cinttypes>

#define PASTE(a, b) a##b
#define TEXT(x) #x
#define ON_LOAD __attribute__((constructor))
#define HOST_ONLY __host__
#define SCALE 2

struct Pair {
	float a, b;
};

__device__ int counter;
__device__ float table[64];
int host_state;
void host_function();
inline int host_inline() { return host_state; }

__device__ float scaled(float v) { return v * SCALE; }

__global__ void other(float *p);

__global__ void axpy(float *y, const float *__restrict__ x, float a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * scaled(x[i]) + y[i];
}
