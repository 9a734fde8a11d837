// RUN: %ktcc-clang scan --file %s -- -cl-std=CL2.0 | %FileCheck %s
// What no launch can be built for, each by its reason.
// CHECK: "name":"unions",{{.*}}"decline":"argument-type","decline_detail":"argument 'y' of 'unions'
// CHECK-SAME: "name":"unsized",{{.*}}"decline":"arguments-unknown","decline_detail":"'t' points to local memory of unknown size; write smem(BYTES)"
// CHECK-SAME: "name":"two",{{.*}}"decline":"argument-type","decline_detail":"'s' and 't' both point to local memory
// CHECK-SAME: "name":"itemless",{{.*}}"decline":"geometry-unknown","decline_detail":"'itemless' has no launch here; write global(…) and local(…)
// CHECK-SAME: "name":"written",{{.*}}"decline":"mutable-global","decline_detail":"'counter'; an OpenCL host can neither write nor read it: pass it as an argument"
// CHECK-SAME: "name":"broken",{{.*}}"decline":"scan-failed"
// CHECK-SAME: error: 'table' is a variable of the program, which an OpenCL host can neither write nor read{{.*}}hint: pass it as an argument; one that only an initialiser gives values needs no clause
union number {
	float real;
	int integer;
};
#pragma ktune problem(n = 4) out(y[n]) grid(n) block(1)
kernel void unions(global union number *y, int n) { y[get_global_id(0)].integer = n; }
#pragma ktune problem(n = 4) out(y[n]) grid(n) block(1)
kernel void unsized(global float *y, local float *t, int n) { y[get_global_id(0)] = n; }
#pragma ktune problem(n = 4) out(y[n]) grid(n) block(1) smem(16)
kernel void two(global float *y, local float *s, local float *t, int n) { y[get_global_id(0)] = n; }
#pragma ktune problem(n = 4) out(y[n]) global(n)
kernel void itemless(global float *y, int n) { y[get_global_id(0)] = n; }
global int counter;
#pragma ktune problem(n = 4) out(y[n]) global(n) local(1)
kernel void written(global float *y, int n) { y[get_global_id(0)] = counter++; }
constant float table[2] = {1, 2};
#pragma ktune problem(n = 4) out(y[n]) in(table[2]) global(n) local(1)
kernel void named(global float *y, int n) { y[get_global_id(0)] = table[n & 1]; }
#pragma ktune problem(n = 4) out(y[n]) global(n) local(1)
kernel void broken(global float *y, int n) { y[get_global_id(0)] = missing(n); }
