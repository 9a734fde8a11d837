// Pointers to arrays, as parameters and as written: rows of numbers, of vectors, of dimensions that a template has.
#pragma ktune in(a[6 * 24 * 24], w[16]) out(y[6 * 6 * 6])
__global__ void pre(const float a[6][24][24], float y[6][6][6], const float w[1][4][4])
{
	const int pos = blockIdx.x * blockDim.x + threadIdx.x, size = blockDim.x * gridDim.x, N = 6 * 6 * 6;
	for (int n = N * pos / size; n < N * (pos + 1) / size; ++n) {
		int idx = n;
		const int i = idx % 6, j = (idx /= 6) % 6, k = (idx /= 6) % 6;
		float sum = 0;
		for (int u = 0; u < 4; u++)
			for (int v = 0; v < 4; v++)
				sum += w[0][u][v] * a[i][4 * j + u][4 * k + v];
		y[i][j][k] = sum;
	}
}
#pragma ktune problem(rows = 64, 100) in(a[rows * 24], b[rows]) inout(y[rows * 24])
__global__ void add(float (*y)[24], const float (*a)[24], const float2 *b, int rows)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < rows)
		for (int k = 0; k < 24; k++)
			y[i][k] += a[i][k] * b[i].x;
}
#pragma ktune problem(rows = 64, 100) inout(y[rows * 24])
template <int D> __global__ void scale(float2 (*y)[D], int rows)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < rows)
		for (int k = 0; k < D; k++)
			y[i][k].x *= 2;
}
void run(float (*y)[24], const float (*a)[24], const float (*x)[24][24], const float (*w)[4][4], float (*z)[6][6], float2 (*f)[24], const float2 *b, int rows)
{
	pre<<<64, 64>>>(x, z, w);
	add<<<4, 32>>>(y, a, b, rows);
	scale<<<4, 32>>>(f, rows);
}
