// Four kernels of one unqualified name, one text and one set of clauses.
constexpr int BLOCK = 64;
namespace a {
#pragma ktune name(first) problem(n = 1024) inout(x[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void k(float *x, int n) { int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) x[i] += 1; }
}
namespace b {
#pragma ktune name(second) problem(n = 1024) inout(x[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void k(float *x, int n) { int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) x[i] += 1; }
}
namespace {
#pragma ktune name(third) problem(n = 1024) inout(x[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void k(float *x, int n) { int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) x[i] += 1; }
}
namespace {
#pragma ktune name(fourth) problem(n = 1024) inout(x[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void k(double *x, int n) { int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) x[i] += 1; }
}
void run(float *p, double *q, int n)
{
	a::k<<<n / 64, 64>>>(p, n);
	b::k<<<n / 64, 64>>>(p, n);
	k<<<n / 64, 64>>>(p, n);
	k<<<n / 64, 64>>>(q, n);
}
