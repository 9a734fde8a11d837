// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// A block of launches in a host template: its signature is what the host passes, its instances are the host's, each step
// says which of its arguments a kernel gets. Declarations in front of the launches feed the geometry.
// CHECK: "name":"rms_norm","kernel":"row_scales","qualified":"ops::row_scales",{{.*}}"line":51,"column":1,"decline":null
// CHECK-SAME: "values":[{"name":"eps","argument":3,
// CHECK-SAME: "buffers":[{"name":"x","argument":1,"direction":"in"{{.*}}{"name":"scales","argument":0,"direction":"scratch","scratch":true,"count":"rows"
// CHECK-SAME: "arguments":[{"name":"scales","type":"float *","default_text":null,"expression":"scales","is_pointer":true,"is_const":false
// CHECK-SAME: {"name":"x","type":"const T *","default_text":null,"expression":"x","is_pointer":true,"is_const":true
// CHECK-SAME: {"name":"d","type":"long","default_text":null,"expression":"d","is_pointer":false
// CHECK-SAME: {"name":"eps","type":"float","default_text":null,"expression":"1e-6f"
// CHECK-SAME: {"name":"y","type":"T *",
// CHECK-SAME: "templates":[{"name":"T","declaration":"typename T"
// CHECK-SAME: "instances":[{"name":"rms_norm<__half>","arguments":["__half"],"elements":["f32","f16","i64","f32","f16"],"types":["float *","const __half *","long","float","__half *"]}
// CHECK-SAME: {"name":"rms_norm<float>","arguments":["float"],"elements":["f32","f32","i64","f32","f32"]
// CHECK-SAME: "launches":[{"file":"{{[^"]*}}","line":56,{{.*}}"instance":-1,"bindings":[{"argument":-1,"text":"rows"},{"argument":2,"text":null}]
// CHECK-SAME: "steps":[{"kernel":"row_scales","qualified":"ops::row_scales","line":56,
// CHECK-SAME: "arguments":[0,1,2,3],"names":["scales","in","d","eps"],"instances":["row_scales<__half, 256>","row_scales<float, 256>"]
// CHECK-SAME: "configuration":"grid, threads, 0, stream","grid":["rows"],"block":["256"],"shared_bytes":"0"}
// CHECK-SAME: {"kernel":"scale_rows","qualified":"ops::scale_rows","line":58,
// CHECK-SAME: "arguments":[4,1,0,2],"names":["y","x","scales","width"],"instances":["scale_rows<__half>","scale_rows<float>"],"types":["__half *","const __half *","float *","long","float *","const float *","float *","long"]
// CHECK-SAME: "grid":["rows","2"],"block":["max(32, min(d, 1024))"],"shared_bytes":"0"}]
// One launch below a pragma, in a plain function; integers of different types become one; what is no name is called as the kernel calls it.
// CHECK-SAME: {"name":"one","kernel":"plain",{{.*}}"line":70,"column":1,"decline":null
// CHECK-SAME: "arguments":[{"name":"y","type":"float *"{{.*}}{"name":"count","type":"int",{{.*}}"expression":"2 * n"
// CHECK-SAME: {"name":"n","type":"long long",
// CHECK-SAME: "instances":[{"name":"one","arguments":[],"elements":["f32","i32","i64"],"types":["float *","int","long long"]}]
// CHECK-SAME: "steps":[{"kernel":"plain",{{.*}}"arguments":[0,1,2,2],"names":["y","count","a","b"],"instances":["plain"],
#include <cuda_fp16.h>
#define CHECK_LAUNCH() (void)cudaGetLastError()
namespace ops
{
template <typename T, int THREADS = 256> __global__ void row_scales(float *scales, const T *in, int d, float eps)
{
	float sum = eps;
	for (int i = threadIdx.x; i < d; i += THREADS)
		sum += static_cast<float>(in[blockIdx.x * d + i]);
	scales[blockIdx.x] = sum;
}
namespace
{
template <typename U> __global__ void scale_rows(U *y, const U *__restrict__ x, float *scales, long width)
{
	for (long i = threadIdx.x; i < width; i += blockDim.x)
		y[blockIdx.x * width + i] = U(static_cast<float>(x[blockIdx.x * width + i]) * scales[blockIdx.x]);
}
} // namespace
template <typename T> cudaError_t rms_norm(T *y, const T *x, float *scales, int rows, long d, cudaStream_t stream)
{
	if (rows == 0)
		return cudaSuccess;
#pragma ktune problem(rows = 1, 16; d = 256, 4096) in(x[rows * d]) out(y[rows * d]) scratch(scales[rows]) value(eps = 1e-6f)
	{
		const int threads = 256;
		dim3 grid(rows), other(rows, 2);
		using index = long;
		row_scales<T><<<grid, threads, 0, stream>>>(scales, x, d, 1e-6f);
		CHECK_LAUNCH();
		scale_rows<T><<<other, max(32, min((int)d, 1024)), 0, stream>>>(y, x, scales, d);
		cudaError_t error = cudaGetLastError();
	}
	return cudaSuccess;
}
template cudaError_t rms_norm<__half>(__half *, const __half *, float *, int, long, cudaStream_t);
template cudaError_t rms_norm<float>(float *, const float *, float *, int, long, cudaStream_t);
} // namespace ops
static __global__ void plain(float *y, int count, int a, unsigned b) { y[blockIdx.x] = count + a * b; }
void one(float *y, int n)
{
	if (n > 0)
#pragma ktune problem(n = 64) out(y[n]) value(count = 128)
		plain<<<n, 1>>>(y, 2 * n, n, n);
}
// A second pragma of the kernel: both stay regions of launches.
void again(float *y, int n)
{
#pragma ktune problem(n = 64) out(y[n]) value(a = 1, b = 2)
	plain<<<n, 1>>>(y, n, 1, 2);
}
