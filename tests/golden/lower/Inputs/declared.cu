// Functions of the toolkit that versions of libclang lack, for the types that the toolkit has them for.
#define EACH(name, type)                                  \
	__global__ void name(type *y, const type *x)      \
	{                                                 \
		__stwb(&y[0], __ldg(&x[0]));              \
		__stcg(&y[1], __ldca(&x[1]));             \
		__stcs(&y[2], __ldcg(&x[2]));             \
		__stwt(&y[3], __ldcs(&x[3]));             \
		y[4] = __ldlu(&x[4]);                     \
		y[5] = __ldcv(&x[5]);                     \
	}
EACH(of_char, char)
EACH(of_signed_char, signed char)
EACH(of_uchar, unsigned char)
EACH(of_short, short)
EACH(of_ushort, unsigned short)
EACH(of_int, int)
EACH(of_uint, unsigned)
EACH(of_long, long)
EACH(of_ulong, unsigned long)
EACH(of_longlong, long long)
EACH(of_ulonglong, unsigned long long)
EACH(of_float, float)
EACH(of_double, double)
EACH(of_char2, char2)
EACH(of_char4, char4)
EACH(of_uchar2, uchar2)
EACH(of_uchar4, uchar4)
EACH(of_short2, short2)
EACH(of_short4, short4)
EACH(of_ushort2, ushort2)
EACH(of_ushort4, ushort4)
EACH(of_int2, int2)
EACH(of_int4, int4)
EACH(of_uint2, uint2)
EACH(of_uint4, uint4)
EACH(of_longlong2, longlong2)
EACH(of_ulonglong2, ulonglong2)
EACH(of_float2, float2)
EACH(of_float4, float4)
EACH(of_double2, double2)
__global__ void reductions(int *y, unsigned *z, float2 *a)
{
	y[0] = __reduce_add_sync(~0u, y[0]) + __reduce_min_sync(~0u, y[0]) + __reduce_max_sync(~0u, y[0]);
	z[0] = __reduce_add_sync(~0u, z[0]) + __reduce_min_sync(~0u, z[0]) + __reduce_max_sync(~0u, z[0]);
	z[1] = __reduce_and_sync(~0u, z[0]) + __reduce_or_sync(~0u, z[0]) + __reduce_xor_sync(~0u, z[0]);
	atomicAdd(&a[0], a[1]);
	a[2].x = __tanhf(a[2].y);
}
