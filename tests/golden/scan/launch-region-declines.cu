// RUN: %scan %s -- -std=c++17 | tr '{' '\n' | grep '"decline_detail"' | %FileCheck %s
// What keeps a block from being one unit, each with its reason and the line to look at.
#include <vector>
__global__ void fill(float *y, int n) { y[blockIdx.x] = n; }
__global__ void twice(float *y, float *t, int n) { y[blockIdx.x] = 2 * t[blockIdx.x] + n; }
template <typename T> __global__ void generic(T *y, int n) { y[blockIdx.x] = n; }
namespace other
{
__global__ void fill2(float *y, int n) { y[blockIdx.x] = n; }
} // namespace other
__device__ float total;
__global__ void adds(float *y, int n) { total += y[blockIdx.x] * n; }
__global__ void later(float *y, int n);
int next(int *n) { return ++*n; }
#define CLAUSES problem(n = 8) out(y[n]) scratch(t[n])
#define TWO(...) __VA_ARGS__; __VA_ARGS__
void run(float *y, float *t, int n, cudaStream_t s, cudaStream_t other_stream, std::vector<float> &v)
{
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 'cudaMemsetAsync(y, 0, n, s)' may have an effect between the launches: the effect of 'cudaMemsetAsync' is not known"
#pragma ktune problem(n = 8) out(y[n]) scratch(t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		cudaMemsetAsync(y, 0, n, s);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"launch-form","decline_detail":"line [[@LINE+3]]: the launch is part of another statement; write it as a statement"
#pragma ktune problem(n = 8) out(y[n]) scratch(t[n])
	{
		if (n > 1) fill<<<n, 1>>>(t, n);
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: a preprocessor directive is in the block; move it before or after the block"
#pragma ktune problem(n = 8) out(y[n]) scratch(t[n])
	{
		fill<<<n, 1>>>(t, n);
#ifdef SOMETHING
#endif
		twice<<<n, 1>>>(y, t, n);
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"launch-region-streams","decline_detail":"line [[@LINE+4]]: 's' and 'other_stream'"
#pragma ktune problem(n = 8) out(y[n]) scratch(t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		twice<<<n, 1, 0, other_stream>>>(y, t, n);
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"launch-region-effects","decline_detail":"line [[@LINE+3]]: an argument may have an effect: in 'next': memory is assigned"
#pragma ktune problem(n = 8) out(t[n])
	{
		fill<<<n, 1>>>(t, next(&n));
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"launch-region-effects","decline_detail":"line [[@LINE+3]]: an argument may have an effect: 'n' is assigned"
#pragma ktune problem(n = 8) out(t[n])
	{
		fill<<<n, 1>>>(t, n++);
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"launch-region-order","decline_detail":"line [[@LINE+5]]: declare 'half_of' before the first launch"
#pragma ktune problem(n = 8) out(y[n]) scratch(t[n])
	{
		fill<<<n, 1>>>(t, n);
		const int half_of = n / 2;
		twice<<<half_of, 2>>>(y, t, n);
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"launch-region-order","decline_detail":"line [[@LINE+4]]: 'const int seen = next(&n)' may have an effect between the launches: in 'next': memory is assigned"
#pragma ktune problem(n = 8) out(y[n]) scratch(t[n])
	{
		fill<<<n, 1>>>(t, n);
		const int seen = next(&n);
		twice<<<n, 1>>>(y, t, n);
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"launch-region-scope","decline_detail":"line [[@LINE+4]]: 'other::fill2'"
#pragma ktune problem(n = 8) out(t[n])
	{
		fill<<<n, 1>>>(t, n);
		other::fill2<<<n, 1>>>(t, n);
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"launch-region-order","decline_detail":"line [[@LINE+4]]: the kernel is defined after the function that launches it; move it before that function"
#pragma ktune problem(n = 8) out(t[n])
	{
		fill<<<n, 1>>>(t, n);
		later<<<n, 1>>>(t, n);
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"geometry-unknown","decline_detail":"line [[@LINE+3]]: '(int)v.size(), 1'; write it as an expression over problem variables and arguments"
#pragma ktune problem(n = 8) out(t[n])
	{
		fill<<<(int)v.size(), 1>>>(t, n);
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"no-instance","decline_detail":"line [[@LINE+4]]: the block launches several instances of one kernel; write a block for each"
#pragma ktune problem(n = 8) out(t[n]) scratch(integers[n])
	{
		int *integers = (int *)y;
		generic<<<n, 1>>>(t, n); generic<<<n, 1>>>(integers, n);
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"mutable-global","decline_detail":"'total'; write in, out or inout(total[COUNT]), or make it const"
#pragma ktune problem(n = 8) in(t[n])
	{
		adds<<<n, 1>>>(t, n);
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"arguments-unknown","decline_detail":"argument 'y' of 'run' is in no clause; write in(y[COUNT]), out(…) or inout(…) with its element count"
#pragma ktune problem(n = 8) out(t[n])
	{
		fill<<<n, 1>>>(t, n);
		twice<<<n, 1>>>(y, t, n);
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"binding-unknown","decline_detail":"line [[@LINE+3]]: 'rows' is no argument and no variable there; write '#pragma ktune bind(rows = EXPRESSION)' above the launch"
#pragma ktune problem(n = 8; rows = 2) out(t[n])
	{
		fill<<<n, 1>>>(t, n);
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"launch-form","decline_detail":"line [[@LINE+3]]: the launch is part of another statement; write it as a statement"
#pragma ktune problem(n = 8) out(t[n])
	{
		TWO(fill<<<n, 1>>>(t, n));
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"launch-form","decline_detail":"line [[@LINE+3]]: the launch is part of another statement; write it as a statement"
#pragma ktune problem(n = 8) out(t[n])
	{
		(void)0, fill<<<n, 1>>>(t, n);
	}
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"pragma-error"
#pragma ktune problem(n = 8) out(t[n]) grid(n) block(1)
	{
		fill<<<n, 1>>>(t, n);
	}
}
__global__ void later(float *y, int n) { y[blockIdx.x] = n; }
template <typename T> void unknown_instances(T *y, int n)
{
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"no-instance","decline_detail":"no call of 'unknown_instances' in this file names its template arguments; call it with them, or instantiate it explicitly"
#pragma ktune problem(n = 8) out(y[n])
	generic<T><<<n, 1>>>(y, n);
}
template <typename T> void deduced(T *y, int n)
{
// CHECK: "line":[[@LINE+1]],{{.*}}"decline":"no-instance","decline_detail":"line [[@LINE+2]]: the launch names no template arguments; write them: `kernel<…><<<…>>>`"
#pragma ktune problem(n = 8) out(y[n])
	generic<<<n, 1>>>(y, n);
}
template void deduced<float>(float *, int);
