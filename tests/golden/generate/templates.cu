// RUN: python3 %S/Inputs/serve.py %ktcc-clang %toolkit %s generate 0,0,1,1,1,4,2,1024 0,0,0,1,1,0,0,0 1,1,8 0,0,0,1,1,3,0,0 0,0,0 3,0,1,1,0,128,0 4,0,1,0,0,128,0 4,0,4,0,1,128,0 -- -std=c++17 > %t
// RUN: %FileCheck %s < %t

__device__ float weight(float v, int k)
{
	return v * (float)(k + 1);
}

// A scan: the rules have nothing for it. What passes offer, and the text of a configuration.
// CHECK: template of 0/0 by ir: read_only, blocks, loop_vector, loop_unroll, launch_bounds
// CHECK-NEXT: READ_ONLY [0, 1] original 0: inputs are loaded through the read-only data cache
// CHECK-NEXT: BLOCKS [1, 2, 4, 8] original 1: blocks whose work a block does, one after the other
// CHECK-NEXT: LOOP_VECTOR [1, 2, 4] original 1: neighbouring elements that a loop along a row loads at a time, where they are aligned
// CHECK-NEXT: UNROLL [0, 1, 2, 4, 8] original 0: iterations of the loop on line [[# @LINE + 20]] that are written out; 0: as in the original
// CHECK-NEXT: UNROLL2 [0, 1, 2, 4, 8] original 0: iterations of the loop on line [[# @LINE + 28]] that are written out; 0: as in the original
// CHECK-NEXT: RESIDENT [0, 256, 1024, 1536, 2048] original 0: threads that a multiprocessor must have registers for; 0: as in the original
// CHECK-NEXT: restriction LOOP_VECTOR * UNROLL <= 16
// CHECK-NEXT: restriction LOOP_VECTOR * UNROLL2 <= 16
// CHECK-NEXT: restriction RESIDENT <= device.max_threads_per_multiprocessor
// CHECK-NEXT: restriction RESIDENT <= 256 * device.max_blocks_per_multiprocessor
// CHECK-NEXT: guard READ_ONLY == 0 || disjoint(x, n, y, n)
// CHECK-NEXT: guard READ_ONLY == 0 || disjoint(w, 64, y, n)
// CHECK-NEXT: launch <<<['ceil_div((n + 255) / 256, BLOCKS)', '1', '1'], ['256', '1', '1'], 0>>>
// CHECK-NEXT: specialised
#pragma ktune problem(n = 65536, 131072) in(x[n], w[64]) out(y[n])
__global__ void filter(float *y, const float *x, const float *w, int n)
{
	__shared__ float tile[256];
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	tile[threadIdx.x] = i < n ? x[i] : 0.0f;
	__syncthreads();
	float sum = 0;
	for (int s = 1; s < blockDim.x; s *= 2) {
		const float other = threadIdx.x >= s ? tile[threadIdx.x - s] : 0.0f;
		__syncthreads();
		tile[threadIdx.x] += other;
		__syncthreads();
	}
#define SUM(k) weight(w[k], k)
#define v 3

	for (int k = 0; k < 64; k++)
		sum += SUM(k) * tile[threadIdx.x];
	if (i < n)
		y[i] = sum;
}

// Two instances, whose types are those of each, by the passes that may be used.
// CHECK-NEXT: template of 1/0 by ir: loop_unroll
// CHECK-NEXT: UNROLL [0, 1, 2, 4, 8] original 0
// CHECK-NEXT: launch <<<['(n + 127) / 128', '1', '1'], ['128', '1', '1'], 0>>>
// CHECK-NEXT: specialised
// CHECK-NEXT: template of 1/1 by ir: loop_unroll
// CHECK: launch <<<['(n + 127) / 128', '1', '1'], ['128', '1', '1'], 0>>>
// CHECK-NEXT: specialised
#pragma ktune problem(n = 65536) in(x[n]) out(y[n]) auto(loop_unroll)
template <typename T, int N> __global__ void repeat(T *y, const T *x, long n)
{
	const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;

	for (int k = 0; i < n && k < N; k++)
		y[i] = x[i] * (T)2;
}

// Nothing of it is printed that is not understood.
#pragma ktune problem(n = 65536) in(x[n]) out(y[n]) grid((n + 127) / 128) block(128)
__global__ void jumps(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
again:
	if (i < n)
		y[i] = x[i];
	i += 1 << 30;
	if (i < 0)
		goto again;
}

// Structures are the user's.
// CHECK: template of 3/0 by ir: read_only, items, block_size, launch_bounds
// CHECK: specialised
namespace { struct hidden { float a; }; }
struct pair { float a, b; };
#pragma ktune problem(n = 65536) in(x[n]) out(y[n]) grid((n + 127) / 128) block(128)
__global__ void pairs(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	pair p = {x[i], x[i]};
	y[i] = p.a + p.b;
}

// A kernel of one element a thread: no input is read that the compiler does not know to be read-only.
// CHECK: template of 4/0 by ir: items, block_size, launch_bounds
#pragma ktune problem(n = 65536) in(x[n]) out(y[n]) grid((n + 127) / 128) block(128)
__global__ void copy(float *__restrict__ y, const float *__restrict__ x, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i];
}

// A class without a name is one of the variant, where no argument leads to it.
// CHECK: template of 5/0 by ir: read_only,
#pragma ktune problem(n = 65536) in(x[n]) out(y[n]) grid((n + 127) / 128) block(128)
__global__ void unnamed(float *y, const float *x, int n)
{
	hidden p = {x[threadIdx.x]};
	y[threadIdx.x] = p.a;
}

#pragma ktune problem(n = 65536) in(x[n]) out(y[n]) value(p.a = 2) grid((n + 127) / 128) block(128)
__global__ void given(float *y, const float *x, hidden p, int n)
{
	y[threadIdx.x] = x[threadIdx.x] * p.a;
}

void run(float *y, double *z, const float *x, const double *c, const float *w, int n, int block)
{
	filter<<<(n + 255) / 256, 256>>>(y, x, w, n);
	repeat<float, 3><<<(n + 127) / 128, 128>>>(y, x, n);
	repeat<double, 5><<<(n + 127) / 128, 128>>>(z, c, n);
	jumps<<<(n + 127) / 128, 128>>>(y, x, n);
	pairs<<<(n + 127) / 128, 128>>>(y, x, n);
	copy<<<(n + 127) / 128, 128>>>(y, x, n);
	unnamed<<<(n + 127) / 128, 128>>>(y, x, n);
	given<<<(n + 127) / 128, 128>>>(y, x, hidden{2}, n);
}
// CHECK: declined 2/0 opaque-statement line {{[0-9]+}}: a statement of the kind {{[0-9]+}}
// CHECK-NEXT: declined 6/0 structure-type line {{[0-9]+}}: a class that an argument leads to has no name
// CHECK: line {{[0-9]+}}: read_only does not apply: no input is read that the compiler does not know to be read-only
// CHECK: line {{[0-9]+}}: loop_unroll does not apply: the kernel has no loop

// The configuration of the first template; no variable has a macro's name.
// CHECK: static __device__ float ${ktune:callee:0}(float v_2, int k)
// CHECK: __global__ void __launch_bounds__(256, 4) ${ktune:kernel}(float *y, const float *x, const float *w, int n)
// CHECK: tile[threadIdx.x] = i < n ? __ldg(&x[i]) : 0.0f;
// CHECK: #pragma unroll 4
// CHECK-NEXT: for (; (unsigned int)s < blockDim.x; s *= 2) {
// CHECK: #pragma unroll 2
// CHECK-NEXT: for (; k < 64; k++) {
// CHECK-NEXT: sum += ${ktune:callee:0}(__ldg(&w[k]), k) * tile[threadIdx.x];
// That of the originals is the kernel.
// CHECK: __global__ void ${ktune:kernel}(float *y, const float *x, const float *w, int n)
// CHECK-NOT: {{#pragma|__ldg}}
// CHECK: __global__ void ${ktune:kernel}(double *y, const double *x, long n)
// CHECK: #pragma unroll 8
// CHECK-NEXT: for (; i < n && k < 5; k++) {
// CHECK: failed: 3 is no value of UNROLL
// CHECK: failed: a value for each of the 6 parameters expected
// CHECK: p = pair{__ldg(&x[i]), __ldg(&x[i])};
// CHECK: __global__ void ${ktune:kernel}(float *__restrict__ y, const float *__restrict__ x, int n)
