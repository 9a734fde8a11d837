// RUN: %lower %s --all -- -std=c++17 | diff %S/called.ir -
// Functions that template arguments name are called like others; which one a pointer leads to is not known.
__device__ float twice(float v) { return v * 2; }
__device__ float half_of(float v) { return v * 0.5f; }
template <typename T> __device__ T negated(T v) { return -v; }
struct Scale { static __device__ float by(float v) { return v * 3; } };
__device__ void pairs(const float *x, int i, float2 &v) { v.x = x[2 * i]; v.y = x[2 * i + 1]; }
typedef void (*reader)(const float *, int, float2 &);
template <float (*op)(float)> __global__ void each(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = op(x[i]);
}
template <float (&op)(float)> __global__ void each_ref(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = op(x[i]);
}
template <auto op> __device__ float apply(float v) { return (*op)(v); }
__global__ void applied(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = apply<half_of>(x[i]);
}
template <reader read> __global__ void each_pair(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float2 v;
	read(x, i, v);
	y[i] = v.x + v.y;
}
template <float (*op)(float)> __device__ float later(float v, int n) { for (int i = 0; i < n; i++) v = op(v); return v; }
template <float (*op)(float)> __global__ void chosen(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float (*f)(float) = n > 3 ? op : twice;
	if (i < n)
		y[i] = f(x[i]);
}
void run(float *y, const float *x, int n)
{
	each<twice><<<n / 128, 128>>>(y, x, n);
	each<&half_of><<<n / 128, 128>>>(y, x, n);
	each<negated<float>><<<n / 128, 128>>>(y, x, n);
	each<Scale::by><<<n / 128, 128>>>(y, x, n);
	each_ref<twice><<<n / 128, 128>>>(y, x, n);
	applied<<<n / 128, 128>>>(y, x, n);
	each_pair<pairs><<<n / 128, 128>>>(y, x, n);
	chosen<half_of><<<n / 128, 128>>>(y, x, n);
}
// A class with constructors, of which the one without arguments is by default.
struct short_float {
	unsigned short bits;
	short_float() = default;
	__device__ short_float(float v) : bits(static_cast<unsigned short>(__float_as_uint(v) >> 16)) {}
	__device__ operator float() const { return __uint_as_float(static_cast<unsigned>(bits) << 16); }
};
#pragma ktune problem(n = 100) in(x[n]) out(y[n])
__global__ void made_later(short_float *y, const short_float *x, int n)
{
	const int i = threadIdx.x;
	short_float v;
	if (i < n) {
		if (x[i] > 0.0f)
			v = x[i];
		else
			v = 2.0f;
		y[i] = v;
	}
}
