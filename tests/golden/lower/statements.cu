// RUN: %lower %s -- -std=c++17 | diff %S/statements.ir -
// Each kind of statement.
#include <cuda_runtime.h>
#pragma ktune problem(n = 100) in(x[n]) out(y[n])
__global__ void loops(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		if (x[i] < 0.0f)
			continue;
		y[i] = x[i];
	}
	int k = 0;
	while (k < n)
		k++;
	do {
		k -= 2;
		if (k == 7)
			break;
	} while (k > 0);
#pragma unroll 4
	for (int j = 0;; j++)
		if (j * j > n)
			break;
#pragma unroll
	for (; k < 8; ++k)
		y[k] += 1.0f;
}
#pragma ktune problem(n = 100) in(x[n]) out(y[n])
__global__ void branches(float *y, const float *x, int n)
{
	const int i = threadIdx.x;
	if (i >= n)
		return;
	else if (i == 3 && x[i] > 1.0f)
		y[i] = 2.0f;
	else if (i < 9 || n > 4)
		y[i] = i % 2 == 0 ? x[i] : 1.0f;
	y[i] = n > 3 ? 1.0f : 2.0f;
	switch (n) {
	case 1:
	case 2:
		y[0] = 1.0f;
		break;
	case 3: {
		y[1] = 2.0f;
		break;
	}
	default:
		y[2] = 3.0f;
	}
	for (int k = 0; k < n; k++)
		switch (k) {
		case 5:
			continue;
		default:
			y[k] = 0.0f;
		}
}
enum mode { plain, scaled = 7 };
#pragma ktune problem(n = 100) out(y[n]) value(m = 1, wide = 2)
__global__ void choices(int *y, int n, unsigned m, long wide, mode kind)
{
	switch (m) {
	case 12:
		y[0] += n;
		break;
	case -1u:
	case 'a':
		y[1] = n;
		break;
	default:
		return;
	}
	switch (wide) {
	case 1L << 40:
		y[2] = n;
		break;
	case -3:
		y[3] = n;
	}
	switch (kind) {
	case scaled:
		y[4] = n;
	}
	switch (n) {
	default:
	case 10:
		y[5] = m;
		break;
	case 11:
	case 12:
		y[6] = m;
	}
}
void run(float *y, const float *x, int *z, int n)
{
	choices<<<1, 128>>>(z, n, 1, 2, plain);
	loops<<<1, 128>>>(y, x, n);
	branches<<<1, 128>>>(y, x, n);
}
