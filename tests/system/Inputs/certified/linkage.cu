// A static kernel, and a template's instance that a host function template alone names.
#pragma ktune problem(n = 4096) in(x[n]) out(y[n / 256])
static __global__ void parts(const float *x, float *y)
{
	__shared__ float s[256];

	s[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if (threadIdx.x < half)
			s[threadIdx.x] += s[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = s[0] * s[0];
}

#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
template <typename Wide> __global__ void turned(const float *x, float *y)
{
	__shared__ Wide s[256];

	s[threadIdx.x] = (Wide)x[blockIdx.x * 256 + threadIdx.x];
	__syncthreads();
	y[blockIdx.x * 256 + threadIdx.x] = (float)s[255 - threadIdx.x];
}

template <bool IsLarge> void launch(const float *x, float *y, int n)
{
	parts<<<n / 256, 256>>>(x, y);
	turned<double><<<n / 256, 256>>>(x, y);
}
template void launch<true>(const float *, float *, int);
