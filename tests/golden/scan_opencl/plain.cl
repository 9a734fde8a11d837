// RUN: %ktcc-clang scan --file %s -- -cl-std=CL1.2 | %FileCheck %s
// A kernel: address spaces, one instance, geometry from the clauses in work-groups, no launch asked for.
// CHECK: "language":"opencl","regions":[{"name":"scale","kernel":"scale","qualified":"scale"
// CHECK-SAME: "decline":null
// CHECK-SAME: "grid":["ceil_div(n, BLOCK)","2"],"block":["BLOCK"],"shared_bytes":"BLOCK * 4"
// CHECK-SAME: {"name":"y","type":"__global float *restrict","default_text":null,"is_pointer":true,"is_const":false,"is_restrict":true,"address_space":"global"}
// CHECK-SAME: {"name":"x","type":"constant float *","default_text":null,"is_pointer":true,"is_const":true,"is_restrict":false,"address_space":"constant"}
// CHECK-SAME: {"name":"t","type":"local float *","default_text":null,"is_pointer":true,"is_const":false,"is_restrict":false,"address_space":"local"}
// CHECK-SAME: {"name":"n","type":"const int","default_text":null,"is_pointer":false,"is_const":true,"is_restrict":false,"address_space":"private"}
// CHECK-SAME: "instances":[{"name":"scale","arguments":[],"elements":["f32","f32","f16","none","f64","u32","i32"],"types":["__global float *restrict","__constant float *","const __global half *","__local float *","double","unsigned int","const int"]}]
// CHECK-SAME: "launches":[]
// CHECK-SAME: "has_errors":false
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#ifndef BLOCK
#define BLOCK 64
#endif
#pragma ktune problem(n = 100) in(x[n], h[n]) out(y[n]) value(a = 2, u = 3) tune(BLOCK = 32, 64) \
	global(n, 2) local(BLOCK) smem(BLOCK * 4)
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void scale(__global float *restrict y, constant float *x,
	global const half *h, local float *t, double a, uint u, const int n)
{
	const int i = get_global_id(0);
	t[get_local_id(0)] = x[i] * a + u;
	if (i < n)
		y[i] = t[get_local_id(0)] + vload_half(i, h);
}
