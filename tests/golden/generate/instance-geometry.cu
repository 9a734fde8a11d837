// RUN: python3 %S/Inputs/serve.py %ktcc-clang %toolkit %s generate -- -std=c++17 | %FileCheck %s
// Each instance's template has the launch of that instance: bytes of shared memory over sizeof(T) differ.
// CHECK: template of 0/0 by ir
// CHECK: launch {{.*}}, 256 * 4>>>
// CHECK: template of 0/1 by ir
// CHECK: launch {{.*}}, 256 * 8>>>
#pragma ktune problem(n = 65536, 1048576) in(x[n]) out(y[ceil_div(n, 256)])
template <typename T> __global__ void halves(T *y, const T *x, int n)
{
	extern __shared__ __align__(16) unsigned char memory[];
	T *values = reinterpret_cast<T *>(memory);
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	values[threadIdx.x] = i < n ? x[i] : T(0);
	__syncthreads();
	for (int s = 128; s > 0; s /= 2) {
		if (threadIdx.x < s)
			values[threadIdx.x] += values[threadIdx.x + s];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = values[0];
}
template <typename T> void host(T *y, const T *x, int n)
{
	halves<T><<<(n + 255) / 256, 256, 256 * sizeof(T)>>>(y, x, n);
}
void all(float *f, double *d, int n)
{
	host(f, f, n);
	host(d, d, n);
}
