/* What the cases are written in: CUDA C++ and OpenCL C 1.2 behind one set of words. */
#ifdef __OPENCL_VERSION__
#define KERNEL kernel void
#define KERNEL_OF(threads) __attribute__((reqd_work_group_size(threads, 1, 1))) kernel void
#define GLOBAL global
#define SHARED local
#define TABLE constant
#define DIMENSION_x 0
#define DIMENSION_y 1
#define DIMENSION_z 2
#define LOCAL_ID(d) ((int)get_local_id(DIMENSION_##d))
#define LOCAL_SIZE(d) ((int)get_local_size(DIMENSION_##d))
#define GROUP_ID(d) ((int)get_group_id(DIMENSION_##d))
#define GROUPS(d) ((int)get_num_groups(DIMENSION_##d))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#define ATOMIC_ADD(p, v) atomic_add(p, v)
#define LOAD_F16(p, i) vload_half(i, p)
#define STORE_F16(v, p, i) vstore_half_rte(v, i, p)
#define MAKE_FLOAT2(a, b) ((float2)(a, b))
#define MAKE_FLOAT4(a, b, c, d) ((float4)(a, b, c, d))
#define BITS_OF(f) as_int(f)
#define FLOAT_OF(i) as_float(i)
#define DEVICE static
typedef half f16;
static float round_f16(float v)
{
	ushort bits;
	vstore_half_rte(v, 0, (half *)&bits);
	return vload_half(0, (half *)&bits);
}
typedef char i8;
#else
#include <assert.h>
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
#define KERNEL extern "C" __global__ void
#define KERNEL_OF(threads) extern "C" __global__ void __launch_bounds__(threads)
#define GLOBAL
#define SHARED __shared__
#define TABLE static __constant__ const
#define LOCAL_ID(d) ((int)threadIdx.d)
#define LOCAL_SIZE(d) ((int)blockDim.d)
#define GROUP_ID(d) ((int)blockIdx.d)
#define GROUPS(d) ((int)gridDim.d)
#define BARRIER() __syncthreads()
#define FENCE() __threadfence()
#define ATOMIC_ADD(p, v) atomicAdd(p, v)
#define LOAD_F16(p, i) __half2float((p)[i])
#define STORE_F16(v, p, i) ((p)[i] = __float2half_rn(v))
#define MAKE_FLOAT2(a, b) make_float2(a, b)
#define MAKE_FLOAT4(a, b, c, d) make_float4(a, b, c, d)
#define BITS_OF(f) __float_as_int(f)
#define FLOAT_OF(i) __int_as_float(i)
#define DEVICE static __device__
typedef __half f16;
static __device__ float round_f16(float v) { return __half2float(__float2half_rn(v)); }
typedef signed char i8;
#endif
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef long i64;
typedef unsigned long u64;

/* Words, because a candidate may be launched on far more elements than an int counts. */
#define GLOBAL_ID(d) ((i64)GROUP_ID(d) * LOCAL_SIZE(d) + LOCAL_ID(d))
#define GLOBAL_SIZE(d) ((i64)GROUPS(d) * LOCAL_SIZE(d))
#define FIRST (LOCAL_ID(x) == 0 && GROUP_ID(x) == 0)

/* bfloat16 travels as its bits. */
DEVICE float load_bf16(u16 bits) { return FLOAT_OF((int)((u32)bits << 16)); }
DEVICE u16 round_bf16(float v)
{
	u32 bits = (u32)BITS_OF(v);
	return (u16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
