// For fault_reports.c: nvcc -arch=sm_90 -cubin -o kernels.cubin kernels.cu
extern "C" __global__ void good(float *p, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		p[i] = p[i] * 1.5f + 1;
}

extern "C" __global__ void illegal(float *p, int n)
{
	if (threadIdx.x == 0 && blockIdx.x == 0)
		*reinterpret_cast<float *>(reinterpret_cast<size_t>(p) + (size_t(1) << 46)) = float(n);
}

extern "C" __global__ void trapk(float *, int)
{
	__trap();
}

extern "C" __global__ void misal(float *p, int n)
{
	if (threadIdx.x == 0 && blockIdx.x == 0)
		*reinterpret_cast<double *>(reinterpret_cast<char *>(p) + 4) = n;
}

extern "C" __global__ void hang(float *p, int)
{
	while (*static_cast<volatile float *>(p) != 12345.f)
		;
}
