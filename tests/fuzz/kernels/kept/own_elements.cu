// exact
// Iterations of one thread write one element after another: which is the last depends on the geometry.
#pragma ktune problem(n = 4096) out(last[64]) in(x[n])
__global__ void k0(int *__restrict__ last, const int *__restrict__ x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		if (x[i] > 0)
			last[i % 64] = i;
	}
}
void run0(int *last, const int *x, int n) { k0<<<1, 64>>>(last, x, n); }
