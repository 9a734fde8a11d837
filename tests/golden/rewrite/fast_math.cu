// RUN: %rewrite %s -- -std=c++17 > %t.json
// RUN: python3 %S/Inputs/show.py < %t.json | %FileCheck %s
// RUN: %rewrite %s -- -std=c++17 | cmp - %t.json
// Approximations stand in the variant's text where the outputs have a tolerance, in copies of the kernel's functions too.
// CHECK: template of 0
// CHECK: parameter FAST 0 1
// CHECK: strategy fast_math
// CHECK: ${if FAST}
// CHECK: static __device__ __forceinline__ float ${ktune:callee:25}(float v)
// CHECK: return ${if FAST}__fdividef(${end}1.0f${if FAST},${else} /${end} (1.0f + ${if FAST}__expf${else}expf${end}(-v))${if FAST})${end};
// CHECK: static __device__ __forceinline__ float ${ktune:callee:24}(float v)
// CHECK: return v * ${if FAST}${ktune:callee:25}${else}sigmoid${end}(v) +
// CHECK: y_pack.item[lane] = ${if FAST}__fdividef(${end}${if FAST}${ktune:callee:24}${else}swish${end}(x_pack.item[lane])${if FAST},${else} /${end} n{{ ?}}${if FAST})${end};
__device__ static float sigmoid(float v) { return 1.0f / (1.0f + expf(-v)); }
inline __device__ float swish(float v) { return v * sigmoid(v) + sqrtf(v * v); }

#pragma ktune problem(n = 65536) in(x[n]) out(y[n])
__global__ void smooth(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = swish(x[i]) / n;
}
// Nothing approximate where an output must be exact, or stands no difference.
// CHECK: template of 1
// CHECK-NOT: FAST
#pragma ktune problem(n = 65536) in(x[n]) out(y[n])
__global__ void whole(signed char *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = (signed char)(x[i] / 3.1f);
}
// CHECK: template of 2
#pragma ktune problem(n = 65536) in(x[n]) out(y[n]) tolerance(abs = 0, rel = 0)
__global__ void exact(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = expf(x[i]);
}
// A small error decides here.
// CHECK: template of 3
#pragma ktune problem(n = 65536) in(x[n]) out(y[n])
__global__ void decides(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float share = x[i] / n;
		y[i] = share > 0.5f ? 1.0f : 0.0f;
	}
}
// The list does not have it.
// CHECK: template of 4
#pragma ktune auto(geometry, vectorize) problem(n = 65536) in(x[n]) out(y[n])
__global__ void listed(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = expf(x[i]);
}
// What happens once a row alone is left as it is.
// CHECK: template of 5
#pragma ktune problem(n = 65536) value(s = 2.0f) in(x[n]) out(y[n])
__global__ void once(float *__restrict__ y, const float *__restrict__ x, float s, int n)
{
	float factor = 1.0f / s;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = x[i] * factor;
}
// A device symbol is an output as any other.
// CHECK: template of 6
__device__ double sums[65536];
#pragma ktune problem(n = 65536) in(x[n]) out(y[n]) out(sums[n])
__global__ void symbol(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = expf(x[i]);
		sums[i] = expf(x[i]) + 1.0;
	}
}
// CHECK: no fast math: 'y' has no tolerance for it
// CHECK: no fast math: 'y' has no tolerance for it
// CHECK: no fast math: what is computed is compared, rounded or an integer here
// CHECK: no fast math: 'sums' has no tolerance for it
void run(float *y, const float *x, signed char *b, int n)
{
	smooth<<<1024, 256>>>(y, x, n);
	whole<<<1024, 256>>>(b, x, n);
	exact<<<1024, 256>>>(y, x, n);
	decides<<<1024, 256>>>(y, x, n);
	listed<<<1024, 256>>>(y, x, n);
	once<<<1024, 256>>>(y, x, 2.0f, n);
	symbol<<<1024, 256>>>(y, x, n);
}
