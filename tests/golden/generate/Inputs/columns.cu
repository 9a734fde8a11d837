// Planes of n columns: each iteration has a column of them.
#pragma ktune problem((b, c, n) = (2, 3, 300), (3, 2, 512)) in(x[b * c * n]) out(y[b * c * n]) inout(z[b * 3 * n])
__global__ void planes(const float *__restrict__ x, float *__restrict__ y, float *__restrict__ z, int b, int c, int n)
{
	const int batch = blockIdx.x;
	x += batch * c * n;
	y += batch * c * n;
	z += batch * 3 * n;
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		float u = z[i], v = z[i + n];
		z[i] = v;
		z[i + n] = u;
		z[i + n + n] = u + v;
		for (int j = 0; j < c; j++)
			y[j * n + i] = x[j * n + i] * u;
	}
}
void run0(const float *x, float *y, float *z, int b, int c, int n)
{
	planes<<<b, 128>>>(x, y, z, b, c, n);
}
