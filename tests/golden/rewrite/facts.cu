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
	for (int row = blockIdx.x; row < rows; row += gridDim.x) { // CHECK-DAG: line [[# @LINE]] 'row' is shared out among blocks
		// CHECK-DAG: line [[# @LINE - 1]] 'row' is one value in a block
		float sum = 0.0f; // CHECK-DAG: line [[# @LINE]] 'sum' is a value of each thread's own
		for (int i = threadIdx.x; i < d; i += blockDim.x) // CHECK-DAG: line [[# @LINE]] 'i' is shared out among the threads of a block
			sum += x[row * d + 2 * i] * w[half]; // CHECK-DAG: line [[# @LINE - 1]] 'sum' is a sum over 'i'
		// CHECK-DAG: line [[# @LINE - 1]] 'x' is read at d * row + 2 * i, 2 apart in 'i'
		// CHECK-DAG: line [[# @LINE - 2]] 'w' is read at ((d) / (2)), the same for every 'i'
		part[threadIdx.x] = sum; // CHECK-DAG: line [[# @LINE]] shared memory 'part' is written at threadIdx.x
		__syncthreads(); // CHECK-DAG: line [[# @LINE]] threads meet, or ask where they stand, in '__syncthreads'
		if (warp == 0)
			atomicAdd(&y[row * d + (int)w[row]], part[0]); // CHECK-DAG: line [[# @LINE]] 'y' is changed atomically at {{.*}}, uneven in 'row'
	}
}
void run(float *y, const float *x, const float *w, int rows, int d) { facts<<<16, 128>>>(y, x, w, rows, d, 1); }
