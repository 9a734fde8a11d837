// The kernel has a variable of the launching function's name: that function stays in the slice, with all instances.
#pragma ktune problem(n = 256) out(y[n]) tune(BLOCK = 64, 128)
#define BLOCK 128
template <typename T> __global__ void ramp(T *y, int n)
{
	int start = blockIdx.x * blockDim.x + threadIdx.x;
	if (start < n)
		y[start] = T(start);
}

void start(float *a, int *b, int n)
{
	ramp<float><<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(a, n);
	ramp<int><<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(b, n);
}
