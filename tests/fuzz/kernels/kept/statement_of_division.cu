// exact
// A compound division that is a statement lost its semicolon where the variant divides approximately.
#pragma ktune problem(n = 64, 1000) in(x[n], by[n]: uniform(1, 9)) out(y[n])
__global__ void k0(const float *x, const float *by, float *y, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		float v = x[i];
		int count = 0;
		if (v > 0.5f)
			v /= by[i];
		else if (v < -0.5f)
			v /= 3.0f;
		for (int k = 0; k < 2; k++)
			v /= by[i] + k;
		v /= 1.5f;
		while (count++ < 2)
			v /= 2.5f;
		y[i] = v;
	}
}
void run0(const float *x, const float *by, float *y, int n) { k0<<<4, 64>>>(x, by, y, n); }
