// exact
// A value that is added to an element was taken for an element that is added to; what was there before is asked for.
#pragma ktune problem(n = 64, 1000) in(x[n]) inout(y[n])
__global__ void k0(const int *x, int *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		atomicAdd(&y[i], x[i]);
		y[i] = y[i] * 2 + 1;
	}
}
void run0(const int *x, int *y, int n) { k0<<<(n + 63) / 64, 64>>>(x, y, n); }
#pragma ktune problem(n = 64, 1000) in(x[n]) inout(c[8])
__global__ void k1(const int *x, int *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		atomicAdd(&c[i & 7], x[i]);
		atomicAdd(c, x[i]);
		atomicAdd(c + 3, x[i] * 2);
	}
}
void run1(const int *x, int *c, int n) { k1<<<(n + 63) / 64, 64>>>(x, c, n); }
#pragma ktune problem(n = 64, 1000) in(x[n]) inout(c[4]) out(y[n])
__global__ void k2(const int *__restrict__ x, int *__restrict__ c, int *__restrict__ y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		int old = atomicAdd(&c[x[i] & 3], 1);
		y[i] = old >= 0 ? 5 : 6;
	}
}
void run2(const int *x, int *c, int *y, int n) { k2<<<(n + 63) / 64, 64>>>(x, c, y, n); }
#pragma ktune problem(n = 64, 1000) in(x[n]) inout(c[4]: range(1, 9)) out(y[n])
__global__ void k3(const int *__restrict__ x, int *__restrict__ c, int *__restrict__ y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		y[i] = 3;
		if (atomicAdd(&c[x[i] & 3], 1))
			y[i] = 4;
	}
}
void run3(const int *x, int *c, int *y, int n) { k3<<<(n + 63) / 64, 64>>>(x, c, y, n); }
