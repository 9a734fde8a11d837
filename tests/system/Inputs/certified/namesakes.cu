// A kernel template, and another one of its name.
template <typename T> __global__ void counted(unsigned *bins, const T *x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
		atomicAdd(&bins[x[i] & 63], 1u);
}
#pragma ktune problem(n = 4096, 65536) in(x[n], w[n]) inout(bins[64])
template <typename T> __global__ void counted(unsigned *bins, const T *x, const unsigned *w, int n)
{
	__shared__ unsigned own[64];

	if (threadIdx.x < 64)
		own[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
		atomicAdd(&own[x[i] & 63], w[i]);
	__syncthreads();
	if (threadIdx.x < 64)
		atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
void run(unsigned *bins, const unsigned char *x, const unsigned *w, int n)
{
	counted<unsigned char><<<32, 256>>>(bins, x, n);
	counted<unsigned char><<<32, 256>>>(bins, x, w, n);
}
