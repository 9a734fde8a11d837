// REQUIRES: nvcc
// RUN: rm -rf %t && mkdir %t && python3 %system/Inputs/make_entry.py --ktcc %ktcc --lock %t/lock %s scale BLOCK=64 vector BLOCK=64 copy BLOCK=64 -- -arch=sm_90 -std=c++17
// RUN: env KTUNE_LOCK_DIR=%t/lock %ktcc emit -o %t/out.cu %s -- -arch=sm_90 -std=c++17 && grep -v CHECK %t/out.cu | %FileCheck %s
// RUN: cd %t && %nvcc -arch=sm_90 -std=c++17 -I%prefix/include -Werror all-warnings -c out.cu -o out.o
// A dispatcher passes structures and vectors as they are, and reads variables from the members that carry them.
#define BLOCK 128
struct P { const float *x; float *y; int rows; int dims[2]; float scale; };
// CHECK: ktune_r_{{[0-9a-f]+}}(const void *ktune_k, const ::ktune::launch_ &ktune_at, ktune_T0 &ktune_a0)
// CHECK: const long long ktune_v0 = ::ktune::value_(ktune_f, ktune_a0.rows);
// CHECK: const long long ktune_v1 = ::ktune::value_(ktune_f, ktune_a0.dims[0]);
// CHECK: ::ktune::disjoint_(ktune_f, (ktune_a0.x), {{.*}}, (ktune_a0.y),
// CHECK: ktune_d_{{.*}}_scale(const ::ktune::launch_ &ktune_at, const P ktune_a0)
#pragma ktune problem(rows = 64; cols = 128, 100) in(p.x[rows * cols]) out(p.y[rows * cols]) value(p.rows = rows, p.dims = {cols, 1}, p.scale = 2) \
	tune(BLOCK = 64, 128) grid(ceil_div(rows * cols, BLOCK)) block(BLOCK) guard(disjoint(p.x, rows * cols, p.y, rows * cols) && p.rows < 4096)
__global__ void scale(const __grid_constant__ P p)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < p.rows * p.dims[0])
		p.y[i] = p.scale * p.x[i] + p.dims[1];
}
// CHECK: ktune_d_{{.*}}(const ::ktune::launch_ &ktune_at, float * ktune_a0, int3 ktune_a1)
#pragma ktune problem(n = 1000) inout(y[n]) value(d = {n, 5, 6}) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void vector(float *y, int3 d)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < d.x)
		y[i] += d.y * d.z;
}
template <typename T, int D> struct Tensor { T *data; int size[D]; };
// CHECK: const long long ktune_v0 = ::ktune::value_(ktune_f, ktune_a0.size[0]);
#pragma ktune problem(n = 1000) in(from.data[n]) out(to.data[n]) value(to.size = {n}, from.size = {n}) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
template <typename T> __global__ void copy(Tensor<T, 1> to, Tensor<const T, 1> from)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < to.size[0])
		to.data[i] = from.data[i];
}
void run(P p, float *y, int3 d, const Tensor<float, 1> &to, const Tensor<const float, 1> &from)
{
	scale<<<(p.rows * p.dims[0] + BLOCK - 1) / BLOCK, BLOCK>>>(p);
	vector<<<(d.x + BLOCK - 1) / BLOCK, BLOCK>>>(y, d);
	copy<float><<<(to.size[0] + BLOCK - 1) / BLOCK, BLOCK>>>(to, from);
}
