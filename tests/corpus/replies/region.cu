// What the replies of this folder are about, and what lies around it for them to misuse.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <limits>
#include <cfloat>
#include <cinttypes>

#define PASTE(a, b) a##b
#define TEXT(x) #x
#define ON_LOAD __attribute__((constructor))
#define HOST_ONLY __host__
#define SCALE 2
#define CONSTANT constexpr
#define ON_BOTH __host__ __device__
#define SCALED(v) scaled(v)
#define INLINE __forceinline__

struct Pair {
	float a, b;
};

__device__ int counter;
__device__ float table[64];
int host_state;
void host_function();
inline int host_inline() { return host_state; }

constexpr int host_twice(int v) { return 2 * v; }
template <typename T> constexpr T host_half(T v) { return v / 2; }
__device__ float by_pointer(float (*f)(float), float v) { return f(v); }
__device__ float (*device_pointer)(float);
struct Table {
	float (*entry)(float);
	__device__ float (Table::*member)(float);
	__device__ float method(float v) { return v; }
};
struct Host {
	float v;
	constexpr explicit Host(float w) : v(w) {}
	constexpr float twice() const { return 2 * v; }
	__device__ operator float() const { return v; }
};
template <typename T> struct Trait {
	static constexpr int value = 1;
};
template <typename T> constexpr int trait = 1;
template <typename T> __device__ T changed(T v) { return v; }
namespace user {
struct Vec {
	float x;
};
__device__ inline float norm(Vec v) { return v.x; }
template <typename T> __device__ float measured(T v) { return norm(v); }
}

CONSTANT ON_BOTH INLINE float scaled(float v) { return v * SCALE; }
__device__ float shifted(float v) { return SCALED(v) + device_pointer(v) + 1; }

__global__ void other(float *p);

__global__ void axpy(float *y, const float *__restrict__ x, float a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * scaled(x[i]) + y[i];
}
