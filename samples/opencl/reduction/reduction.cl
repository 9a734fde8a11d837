// y[r] = sum of row r of x, which is rows x d: one work-group per row.
// By default each work-item adds every LX-th element, then a tree in local memory.
#ifndef VEC
#define VEC 1
#endif
#ifndef SUMS
#define SUMS 1
#endif
#ifndef LX
#define LX 256
#endif

// A vector of one element is the element: with these names VEC = 1 reads like any other width.
typedef float float1;
#define vload1(i, p) ((p)[i])
#define FLOAT_(n) float##n
#define FLOAT(n) FLOAT_(n)
#define LOAD_(n) vload##n
#define LOAD(n) LOAD_(n)

float __attribute__((overloadable)) total(float v)
{
	return v;
}

float __attribute__((overloadable)) total(float4 v)
{
	return v.x + v.y + v.z + v.w;
}

float __attribute__((overloadable)) total(float16 v)
{
	return total(v.lo.lo + v.lo.hi + v.hi.lo + v.hi.hi);
}

#pragma ktune problem(rows = 64, 1024; d = 4096) in(x[rows * d]) out(y[rows]) \
	tune(VEC = 1, 4, 16; SUMS = 1, 2, 4; LX = 1, 16, 64, 256)              \
	restriction(d % (VEC * SUMS * LX) == 0)                                \
	grid(rows) local(LX) tolerance(abs = 1e-3, rel = 1e-4)
kernel void reduction(global float *restrict y, global const float *restrict x, int d)
{
	typedef FLOAT(VEC) piece;
	local float part[LX];
	const int me = get_local_id(0);
	global const float *row = x + get_group_id(0) * (size_t)d + me * VEC;
	piece sum[SUMS];
#pragma unroll
	for (int s = 0; s < SUMS; s++)
		sum[s] = 0;
	for (int i = 0; i < d; i += LX * VEC * SUMS) {
#pragma unroll
		for (int s = 0; s < SUMS; s++)
			sum[s] += LOAD(VEC)(0, row + i + s * LX * VEC);
	}
#pragma unroll
	for (int s = 1; s < SUMS; s++)
		sum[0] += sum[s];
	part[me] = total(sum[0]);
	for (int half_size = LX / 2; half_size > 0; half_size /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (me < half_size)
			part[me] += part[me + half_size];
	}
	if (me == 0)
		y[get_group_id(0)] = part[0];
}
