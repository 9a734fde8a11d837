// c = a * b, row-major: a is m x k, b is k x n, c is m x n.
// A work-item computes ROWS rows of VEC columns. As written: one element.
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

#define JOIN(a, b) a##b
#define JOINED(a, b) JOIN(a, b)
#if VEC == 1
typedef float column;
#define LOAD(p) (*(p))
#define STORE(v, p) (*(p) = (v))
#else
typedef JOINED(float, VEC) column;
#define LOAD(p) JOINED(vload, VEC)(0, p)
#define STORE(v, p) JOINED(vstore, VEC)(v, 0, p)
#endif

#pragma ktune problem((m, n, k) = (256, 256, 256), (384, 384, 384))                \
	in(a[m * k], b[k * n]) out(c[m * n])                                       \
	tune(VEC = 1, 4, 8, 16; ROWS = 1, 2, 4, 8, 16; LX = 1, 4, 16; LY = 1, 4, 16) \
	restriction(n % VEC == 0) restriction(m % ROWS == 0)                       \
	global(ceil_div(n, VEC * LX), ceil_div(m, ROWS * LY)) local(LX, LY)        \
	flops(2 * m * n * k) tolerance(abs = 1e-3, rel = 1e-4)
kernel void sgemm(global float *restrict c, global const float *restrict a, global const float *restrict b, int m,
                  int n, int k)
{
	const int x = get_global_id(0) * VEC, y = get_global_id(1) * ROWS;
	if (x >= n || y >= m)
		return;
	column sum[ROWS];
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		sum[r] = 0;
	for (int i = 0; i < k; i++) {
		const column right = LOAD(b + i * n + x);
#pragma unroll
		for (int r = 0; r < ROWS; r++)
			sum[r] += a[(y + r) * k + i] * right;
	}
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		STORE(sum[r], c + (y + r) * n + x);
}
