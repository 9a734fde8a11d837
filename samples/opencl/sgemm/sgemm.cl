// c = a * b, row-major: a is m x k, b is k x n, c is m x n.
// A work-item computes ROWS rows of VEC columns. By default: one element.
#ifndef VEC
#define VEC 1
#endif
#ifndef ROWS
#define ROWS 1
#endif
#ifndef LX
#define LX 16
#endif
#ifndef LY
#define LY 16
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

#pragma ktune problem((m, n, k) = (256, 256, 256), (384, 384, 384))                \
	in(a[m * k], b[k * n]) out(c[m * n])                                       \
	tune(VEC = 1, 4, 8, 16; ROWS = 1, 2, 4, 8, 16; LX = 1, 4, 16; LY = 1, 4, 16) \
	restriction(n % VEC == 0) restriction(m % ROWS == 0)                       \
	grid(ceil_div(n, VEC * LX), ceil_div(m, ROWS * LY)) local(LX, LY)        \
	flops(2 * m * n * k) tolerance(abs = 1e-3, rel = 1e-4)
kernel void sgemm(global float *restrict c, global const float *restrict a, global const float *restrict b, int m,
                  int n, int k)
{
	typedef FLOAT(VEC) column;
	const int x = get_global_id(0) * VEC, y = get_global_id(1) * ROWS;
	if (x >= n || y >= m)
		return;
	column sum[ROWS];
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		sum[r] = 0;
	for (int i = 0; i < k; i++) {
		const column right = LOAD(VEC)(0, b + i * n + x);
#pragma unroll
		for (int r = 0; r < ROWS; r++)
			sum[r] += a[(y + r) * k + i] * right;
	}
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		STORE(VEC)(sum[r], 0, c + (y + r) * n + x);
}
