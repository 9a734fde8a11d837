// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// What an iteration leaves in an object or an array of its thread, however it gets there, the next one of the thread finds:
// with other threads that is another one.
// CHECK-NOT: template of
// CHECK: declined carried
// CHECK: declined carried
// CHECK: declined carried
// CHECK: declined carried
// CHECK: declined carried
// CHECK: declined carried
// CHECK: declined carried
// CHECK: declined carried
// CHECK: declined carried
// CHECK: declined carried
// CHECK: declined carried
// CHECK: declined carried
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void member(float *y, const float *x, int n)
{
	float2 t = make_float2(0.0f, 0.0f);
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		t.x = t.x * 0.5f + x[i];
		y[i] = t.x;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void array(float *y, const float *x, int n)
{
	float a[2] = {0.0f, 1.0f};
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		a[0] = a[0] * 0.5f + x[i];
		y[i] = a[0];
	}
}
struct S { float v[2]; };
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void nested(float *y, const float *x, int n)
{
	S a = {{0.0f, 1.0f}};
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		a.v[0] = a.v[0] * 0.5f + x[i];
		y[i] = a.v[0];
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void pointer(float *y, const float *x, int n)
{
	float a[2] = {0.0f, 1.0f};
	float *p = a;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		p[1] = *p * 0.5f + x[i];
		*p += p[1];
		y[i] = p[1];
	}
}
__device__ float step(float *to, float x) { *to = *to * 0.5f + x; return *to; }
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void address(float *y, const float *x, int n)
{
	float a[2] = {0.0f, 1.0f};
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = step(&a[0], x[i]);
}
__device__ float stepr(float &to, float x) { to = to * 0.5f + x; return to; }
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void reference(float *y, const float *x, int n)
{
	float a[2] = {0.0f, 1.0f};
	float2 b = make_float2(0.0f, 0.0f);
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = stepr(a[1], x[i]) + stepr(b.y, x[i]);
}
struct T { float s; __device__ float go(float x) { s = s * 0.5f + x; return s; } __device__ float operator()(float x) { s = s * 0.5f + x; return s; } };
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void method(float *y, const float *x, int n)
{
	T t{0.0f}, u{0.0f};
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = t.go(x[i]);
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void call_operator(float *y, const float *x, int n)
{
	T t{0.0f};
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = t(x[i]);
}
struct U { T t; T a[2]; };
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void of_array(float *y, const float *x, int n)
{
	U t{};
	T a[2] = {};
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = a[0].go(x[i]);
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void of_member(float *y, const float *x, int n)
{
	U t{};
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = t.a[1].go(x[i]) + t.t(x[i]);
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void moved(float *y, const float *x, int n)
{
	float a[2] = {0.0f, 1.0f};
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float *p = a;
		p++;
		*p = *p * 0.5f + x[i];
		y[i] = *p;
	}
}
__device__ float place(float (&to)[2], float x) { to[0] = to[0] * 0.5f + x; return to[0]; }
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void array_reference(float *y, const float *x, int n)
{
	float a[2] = {0.0f, 1.0f};
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = place(a, x[i]);
}
void run(float *a, float *b, int n, cudaStream_t s)
{
	member<<<1, 32, 0, s>>>(a, b, n);
	array<<<1, 32, 0, s>>>(a, b, n);
	nested<<<1, 32, 0, s>>>(a, b, n);
	pointer<<<1, 32, 0, s>>>(a, b, n);
	address<<<1, 32, 0, s>>>(a, b, n);
	reference<<<1, 32, 0, s>>>(a, b, n);
	method<<<1, 32, 0, s>>>(a, b, n);
	call_operator<<<1, 32, 0, s>>>(a, b, n);
	of_array<<<1, 32, 0, s>>>(a, b, n);
	of_member<<<1, 32, 0, s>>>(a, b, n);
	moved<<<1, 32, 0, s>>>(a, b, n);
	array_reference<<<1, 32, 0, s>>>(a, b, n);
}
