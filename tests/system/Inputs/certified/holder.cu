// A class of the toolkit whose members are of the class that they are in: its type is asked for while it is made.
#include <cuda/std/array>

#pragma ktune problem(rows = 16, 256; n = 1024) in(x[rows * n]) out(y[rows])
__global__ void ends(float *y, const float *x, int n)
{
	cuda::std::array<float, 2> kept{0.0f, 0.0f};
	const float *row = x + blockIdx.x * n;
	for (int i = 0; i < n; i++)
		kept[i % 2] += row[i];
	if (threadIdx.x == 0)
		y[blockIdx.x] = kept[0] - kept[1];
}

void run(float *y, const float *x, int rows, int n)
{
	ends<<<rows, 32>>>(y, x, n);
}
