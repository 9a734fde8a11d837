// y = silu(gate) * up, where a row of x holds d gates and then d values: y is rows x d, x is rows x 2d.
// A work-item computes VEC neighbours, STEPS times. By default: one element.
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

// A vector of one element is the element: with these names VEC = 1 reads like any other width.
typedef float float1;
#define vload1(i, p) ((p)[i])
#define vstore1(v, i, p) ((p)[i] = (v))
#define FLOAT_(n) float##n
#define FLOAT(n) FLOAT_(n)
#define LOAD_(n) vload##n
#define LOAD(n) LOAD_(n)
#define STORE_(n) vstore##n
#define STORE(n) STORE_(n)

#pragma ktune problem(rows = 16, 256; d = 4096) in(x[rows * 2 * d] : uniform(-4, 4)) out(y[rows * d]) \
	tune(VEC = 1, 4, 8, 16; STEPS = 1, 2, 4, 8; LX = 1, 16, 64, 256; NATIVE = 0, 1)                \
	restriction(d % VEC == 0)                                                                      \
	grid(ceil_div(d, VEC * STEPS * LX), rows) local(LX)
kernel void silu_and_mul(global float *restrict y, global const float *restrict x, int d)
{
	typedef FLOAT(VEC) piece;
	const size_t row = get_group_id(1);
	global const float *gate = x + row * 2 * d;
	const int first = (get_group_id(0) * LX * STEPS + get_local_id(0)) * VEC;
#pragma unroll
	for (int s = 0; s < STEPS; s++) {
		const int i = first + s * LX * VEC;
		if (i < d) {
			const piece g = LOAD(VEC)(0, gate + i), up = LOAD(VEC)(0, gate + d + i);
			const piece e = NATIVE ? native_exp(-g) : exp(-g);
			STORE(VEC)(g / (1.0f + e) * up, 0, y + row * d + i);
		}
	}
}
