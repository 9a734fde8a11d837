// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// What `ktcc explain --analysis` says of each line.
#pragma ktune problem(rows = 16, 64; d = 1024, 4096) value(stride = 1) in(x[rows * d], w[d]) out(y[rows * d]) tolerance(abs = 1e-3)
__global__ void facts(float *y, const float *__restrict__ x, const float *w, int rows, int d, int stride)
{ // CHECK-DAG: line [[# @LINE]] 'rows' is a multiple of 16 on every problem
  // CHECK-DAG: line [[# @LINE - 1]] 'd' is a multiple of 1024 on every problem
  // CHECK-DAG: line [[# @LINE - 2]] 'stride' is 1 on every problem
  // CHECK-DAG: line [[# @LINE - 3]] 'y' and 'w' may overlap
	__shared__ float part[128];
	const int half = d / 2, warp = threadIdx.x / 32; // CHECK-DAG: line [[# @LINE]] 'half' is one value in the grid
	// CHECK-DAG: line [[# @LINE - 1]] 'warp' is one value in a warp
	for (int row = blockIdx.x; row < rows; row += gridDim.x) { // CHECK-DAG: line [[# @LINE]] 'row' is distributed over blocks
		// CHECK-DAG: line [[# @LINE - 1]] 'row' is one value in a block
		float sum = 0.0f; // CHECK-DAG: line [[# @LINE]] 'sum' is a value per thread
		for (int i = threadIdx.x; i < d; i += blockDim.x) // CHECK-DAG: line [[# @LINE]] 'i' is distributed over the threads of a block
			sum += x[row * d + 2 * i] * w[half]; // CHECK-DAG: line [[# @LINE - 1]] 'sum' is a sum over 'i'
		// CHECK-DAG: line [[# @LINE - 1]] 'x' is read at d * row + 2 * i, with a step of 2 in 'i'
		// CHECK-DAG: line [[# @LINE - 2]] 'w' is read at ((d) / (2)), the same for every 'i'
		part[threadIdx.x] = sum; // CHECK-DAG: line [[# @LINE]] shared memory 'part' is written at threadIdx.x
		__syncthreads(); // CHECK-DAG: line [[# @LINE]] threads synchronise, or depend on the thread index, in '__syncthreads'
		const float first = part[0]; // CHECK-DAG: line [[# @LINE]] 'first' is one value in a block
		if (warp == 0 && first != 0)
			atomicAdd(&y[row * d + (int)w[row]], part[0]); // CHECK-DAG: line [[# @LINE]] 'y' is changed atomically at {{.*}}, with no constant step in 'row'
	}
}
void run(float *y, const float *x, const float *w, int rows, int d) { facts<<<16, 128>>>(y, x, w, rows, d, 1); }

// What an index holds besides the loop's variable changes, too.
#pragma ktune problem(n = 64; a = 4, 8) in(x[n * a]) out(y[n * a])
__global__ void steps(float *y, const float *x, int n, int a)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	if (i >= n)
		return;
	for (int t = a * a; t > 0; t -= a * 4)
		y[i] += x[t]; // CHECK-DAG: line [[# @LINE]] 'x' is read at t, where 't' changes between accesses
}
void run_steps(float *y, float *x, int n, int a) { steps<<<(n + 127) / 128, 128>>>(y, x, n, a); }
