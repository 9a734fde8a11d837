// RUN: %rewrite %s -- | python3 %S/Inputs/show.py | %FileCheck %s
// The same strategies in OpenCL C: work-groups, packs in the global address space, sums through local memory.
// CHECK: template of 0 0
// CHECK: parameter BLOCK 32 64 128 256 512 1024
// CHECK: strategy shuffle
// CHECK: float ${ktune:callee:2}_float(float value, __local float *parts)
// CHECK: barrier(CLK_LOCAL_MEM_FENCE);
// CHECK: __kernel __attribute__((reqd_work_group_size(${= BLOCK}, 1, 1))) void ${ktune:kernel}(__global float *restrict y,
// CHECK-NEXT: const __global float *x, int d)
// CHECK: __local float parts_float[${BLOCK}];
// CHECK: struct __attribute__((aligned(${= VEC * 4}))) pack_f32 {
// CHECK: (ulong)(x + ({{.*}}get_group_id(0)
// CHECK: i_group = get_local_id(0) * ${VEC};
// CHECK: *(__global const pack_f32 *)(x +
// CHECK: ${ktune:callee:2}_float((float)(sum), parts_float)
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d]) out(y[rows]) grid(rows) local(64)
__kernel void row_sum(__global float *restrict y, __global const float *x, int d)
{
	__local float part[64];
	const int t = get_local_id(0);
	float sum = 0.0f;

	for (int i = t; i < d; i += get_local_size(0))
		sum += x[get_group_id(0) * d + i];
	part[t] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
		if (t < s)
			part[t] += part[t + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (t == 0)
		y[get_group_id(0)] = part[0];
}

// Whether buffers overlap is asked in the kernel: a launch has no addresses that a guard could compare. Data in constant
// memory is left alone.
// CHECK: template of 1 0
// CHECK-NOT: guard disjoint
// CHECK: ((ulong)(x + (long)n) <= (ulong)y || (ulong)(y + (long)n) <= (ulong)x)
// CHECK-NOT: c_pack
// CHECK: y_pack.item[lane] = c[i] * x_pack.item[lane];
#pragma ktune problem(n = 1024) in(x[n], c[n]) out(y[n]) global(n) local(64)
__kernel void scale(__global float *y, __global const float *x, __constant float *c, int n)
{
	const int i = get_global_id(0);

	if (i < n)
		y[i] = c[i] * x[i];
}

// A row is read again: no pack is kept from one loop to the next.
// CHECK: template of 2 0
// CHECK-NOT: parameter TURNS
// CHECK-NOT: &x_pack
#pragma ktune problem(rows = 64; d = 512) in(x[rows * d]) out(y[rows * d]) grid(rows) local(64)
__kernel void row_norm(__global float *restrict y, __global const float *restrict x, int d)
{
	__local float part[64];
	const int row = get_group_id(0), t = get_local_id(0);
	float sum = 0.0f;

	for (int i = t; i < d; i += get_local_size(0))
		sum += x[row * d + i] * x[row * d + i];
	part[t] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
		if (t < s)
			part[t] += part[t + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const float scale = rsqrt(part[0] / d + 1e-6f);
	for (int i = t; i < d; i += get_local_size(0))
		y[row * d + i] = x[row * d + i] * scale;
}

// CHECK: declined threads-wait line [[# @LINE + 11 ]]
// Messages use the words of the language.
// CHECK-NOT: {{blockIdx|threadIdx|blockDim|__syncthreads}}
// CHECK: work-items synchronise, or depend on the work-item index, in 'barrier'
#pragma ktune problem(n = 1024) in(x[n]) out(y[n]) global(n) local(64)
__kernel void waits(__global float *restrict y, __global const float *restrict x, int n)
{
	const int i = get_global_id(0);

	if (i < n) {
		y[i] = 2 * x[i];
		barrier(CLK_GLOBAL_MEM_FENCE);
	}
}
// What the user calls so keeps its name.
// CHECK: 'block' is 16 on every problem
// CHECK: 'a' is written at get_local_size(0) * get_group_id(0) + get_local_id(0)
#pragma ktune problem(block = 16; threads = 64) out(a[block * threads]) global(block * threads) local(64)
__kernel void terms(__global float *restrict a, int block, int threads)
{
	a[get_global_id(0)] = block * threads;
}
// CHECK-NOT: {{blockIdx|threadIdx|blockDim|__syncthreads}}
