// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// What an operand of the host's text is called by the pragma: bound expressions, members of what is passed, extents of a clause.
struct sizes { int count[3]; int size(int i) const; int operator[](int i) const; };
struct box { int nx, ny; };
struct shape { box inner; sizes s; };
template <typename T> T round_up(T a, T b) { return (a + b - 1) / b; }

// CHECK: "name":"bound","kernel":"bound"
// CHECK-SAME: "grid":["(n + 256 - 1) / 256","m"],"block":["256"]
// In a larger name, of another object or with another index it is another operand.
// CHECK-SAME: "grid":[],"block":["64"]
// CHECK-SAME: "grid":[],"block":["65"]
// CHECK-SAME: "grid":[],"block":["66"]
// The operands of a binding that has an operator are none of an expression.
// CHECK-SAME: "grid":[],"block":["67"]
#pragma ktune name(bound) problem(n = 256, 1024; m = 2) out(y[n * m]) bind(n = x.size(0), m = (long)q->s[1])
__global__ void bound(float *y) { y[0] = 1; }
void run(float *y, const sizes &x, const shape *q, const sizes *other)
{
	dim3 grid(round_up<int>(x.size(0), 256), q->s[1]);
	bound<<<grid, 256>>>(y);
	bound<<<other->size(0), 64>>>(y);
	bound<<<x.size(0).half, 65>>>(y);
	bound<<<x.size(1), 66>>>(y);
#pragma ktune bind(n = x.count[0] + 1, m = q->s[1])
	bound<<<2 * x.count[0] + 1, 67>>>(y);
}

// What is passed for a structure has its members' values, and those that no clause gives have none.
// CHECK: "name":"members","kernel":"members"
// CHECK-SAME: "grid":["1","b.ny"],"block":["b.nx"]
// CHECK-SAME: "grid":["s.inner.ny"],"block":["64"]
// CHECK-SAME: "grid":[],"block":["64"]
#pragma ktune name(members) problem(nx = 64; ny = 32) out(y[nx * ny]) value(b = {nx, ny}, s.inner = {nx, ny}, s.s.count = {1, 2, 3})
__global__ void members(float *y, box b, shape s) { y[0] = b.nx + s.inner.nx; }
void run(float *y, box &domain, shape all)
{
	members<<<dim3(1, domain.ny), domain.nx>>>(y, domain, all);
	members<<<all.inner.ny, 64>>>(y, domain, all);
	members<<<domain.nz, 64>>>(y, domain, all);
}

// A parameter of the host that is an extent of a clause has its value in the other parts.
// CHECK: "name":"extents","kernel":"extents"
// CHECK-SAME: "shared_bytes":"(256 <= 32 ? 2 * 256 : 256) * 4"
#pragma ktune name(extents) problem(n = 65536) out(y[n]) grid(ceil_div(n, 256)) block(256)
__global__ void extents(float *y, int n) { extern __shared__ float s[]; s[threadIdx.x] = 1; if (blockIdx.x * 256 + threadIdx.x < n) y[n] = s[0]; }
void run(float *y, int n, int threads, int blocks)
{
	dim3 block(threads, 1, 1), grid(blocks, 1, 1);
	int bytes = (threads <= 32 ? 2 * threads : threads) * sizeof(float);
	extents<<<grid, block, bytes>>>(y, n);
}

// What is no extent has none of its values.
// CHECK: "name":"whole","kernel":"whole"
// CHECK-SAME: "launches":[{{.*}}"grid":[],"block":[]{{.*}}"diagnostics":""
#pragma ktune name(whole) problem(n = 65536) out(y[n]) grid(n / 64, 2) block(64)
__global__ void whole(float *y, int n) { y[n] = 1; }
void run(float *y, int n, const dim3 &grid, dim3 block) { whole<<<grid, block>>>(y, n); }
