// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// A plain kernel: ranges of the launch, the argument that carries a variable, geometry from the launch.
// CHECK: "name":"fill","kernel":"fill","qualified":"fill"
// CHECK-SAME: "decline":null
// CHECK-SAME: "problems":[{"n":100},{"n":1000}]
// CHECK-SAME: "name":"z","argument":0,"direction":"out","scratch":false,"count":"n"
// CHECK-SAME: "grid":["(n + 255) / 256"],"block":["256"]
// CHECK-SAME: "instances":[{"name":"fill","symbol":"_Z4fillPfi","arguments":[],"elements":["f32","i32"],"types":["float *","int"]}]
// CHECK-SAME: "launches":[{"file":"{{[^"]*}}","line":14,"column":2,"decline":null
// CHECK-SAME: "instance":0,"bindings":[{"argument":1,"text":null}]
#pragma ktune problem(n = 100, 1000) out(z[n])
__global__ void fill(float *z, int n) { if (threadIdx.x + blockIdx.x * blockDim.x < n) z[0] = 1; }
void run(float *z, int n) {
	fill<<<(n + 255) / 256, 256>>>(z, n); }
