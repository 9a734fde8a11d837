// RUN: %lower %s -- -std=c++17 | diff %S/assembly.ir -
// Functions that compute a number in assembly are called by their names; what may do more is not understood.
#include <cuda_fp16.h>
#include <stdint.h>
static __device__ int8_t rounded(float x)
{
	uint32_t made;
	asm volatile("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(made) : "f"(x));
	return reinterpret_cast<const int8_t &>(made);
}
namespace fast {
namespace {
__device__ __forceinline__ float power(const float &x)
{
	float y;
	asm("{\n\t.reg .f32 t;\n\tmul.f32 t, %1, 0f3F800000;\n\tex2.approx.ftz.f32 %0, t;\n}" : "=f"(y) : "f"(x));
	return y;
}
}
template <typename T> __device__ T twice(T x)
{
	int more = 1;
	asm("add.s32 %0, %0, %1;" : "+r"(more) : "n"(1));
	return (T)(more * power((float)x));
}
}
#pragma ktune problem(n = 100) in(x[n]) out(y[n], z[n])
__global__ void computing(float *y, int8_t *z, const float *x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		z[i] = rounded(3.0f * x[i]);
		y[i] = fast::twice(x[i]) + fast::power(x[i]);
	}
}
static __device__ int lane(int x) { int r; asm("mov.u32 %0, %%laneid;" : "=r"(r) : "r"(x)); return r; }
static __device__ float loaded(long x) { float r; asm("ld.global.f32 %0, [%1];" : "=f"(r) : "l"(x)); return r; }
static __device__ int ordered(int x) { asm volatile("mov.b32 %0, %0;" : "+r"(x) : : "memory"); return x; }
static __device__ int waits(int x) { asm volatile("bar.sync 0;"); return x; }
static __device__ int carried(int x) { asm volatile("add.cc.u32 %0, %0, %0;" : "+r"(x)); return x; }
static __device__ int anywhere(long x) { int r; asm("mov.u32 %0, 1;" : "=r"(r)); return r + *(const int *)x; }
static __device__ int through(long x) { int *r; asm("mov.u64 %0, %1;" : "=l"(r) : "l"(x)); return *r; }
static __device__ int kept(int x) { static int last; asm("mov.u32 %0, %0;" : "+r"(x)); last += x; return last; }
static __device__ int joint(int x) { __shared__ int all; asm("mov.u32 %0, %0;" : "+r"(x)); all = x; return all; }
static __device__ int thread(int x) { asm("mov.u32 %0, %0;" : "+r"(x)); return x + threadIdx.x; }
static __device__ int given(int *x) { int r; asm("mov.u32 %0, 1;" : "=r"(r)); return r + *x; }
static __device__ int nested(int x) { asm("mov.u32 %0, %0;" : "+r"(x)); return x + lane(x); }
static __device__ int predicated(int x) { asm("{.reg .pred p; setp.ne.s32 p, %0, 0; @p exit;}" : "+r"(x)); return x; }
#pragma ktune problem(n = 100) inout(y[n])
__global__ void limited(int *y, int n)
{
	y[0] = lane(n);
	y[1] = (int)loaded(n);
	y[2] = ordered(n);
	y[3] = waits(n);
	y[4] = carried(n);
	y[5] = anywhere(n);
	y[6] = through(n);
	y[7] = kept(n);
	y[8] = joint(n);
	y[9] = thread(n);
	y[10] = given(y);
	y[11] = nested(n);
	y[12] = predicated(n);
}
