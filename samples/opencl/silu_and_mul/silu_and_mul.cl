// y = silu(gate) * up, where a row of x holds d gates and then d values: y is rows x d, x is rows x 2d.
// A work-item computes VEC neighbours, STEPS times. As written: one element.
#ifndef VEC
#define VEC 1
#endif
#ifndef STEPS
#define STEPS 1
#endif
#ifndef LX
#define LX 256
#endif
#ifndef NATIVE
#define NATIVE 0
#endif

#define JOIN(a, b) a##b
#define JOINED(a, b) JOIN(a, b)
#if VEC == 1
typedef float piece;
#define LOAD(p) (*(p))
#define STORE(v, p) (*(p) = (v))
#else
typedef JOINED(float, VEC) piece;
#define LOAD(p) JOINED(vload, VEC)(0, p)
#define STORE(v, p) JOINED(vstore, VEC)(v, 0, p)
#endif
#if NATIVE
#define EXP native_exp
#else
#define EXP exp
#endif

#pragma ktune problem(rows = 16, 256; d = 4096) in(x[rows * 2 * d] : uniform(-4, 4)) out(y[rows * d]) \
	tune(VEC = 1, 4, 8, 16; STEPS = 1, 2, 4, 8; LX = 1, 16, 64, 256; NATIVE = 0, 1)                \
	restriction(d % VEC == 0)                                                                      \
	global(ceil_div(d, VEC * STEPS * LX), rows) local(LX)
kernel void silu_and_mul(global float *restrict y, global const float *restrict x, int d)
{
	const size_t row = get_group_id(1);
	global const float *gate = x + row * 2 * d;
	const int first = (get_group_id(0) * LX * STEPS + get_local_id(0)) * VEC;
#pragma unroll
	for (int s = 0; s < STEPS; s++) {
		const int i = first + s * LX * VEC;
		if (i < d) {
			const piece g = LOAD(gate + i);
			STORE(g / (1.0f + EXP(-g)) * LOAD(gate + d + i), y + row * d + i);
		}
	}
}
