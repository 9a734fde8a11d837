// Least and greatest values with their index: in two arrays, by shuffles, of a warp; of equal ones the lower index.
#define INFINITY __builtin_inff()
#pragma ktune problem((rows, d) = (64, 1000), (37, 100)) in(x[rows * d] : range(0, 9)) out(index[rows])
__global__ void in_arrays(int *index, const float *x, int d)
{
	__shared__ float keys[256];
	__shared__ int at[256];
	int t = threadIdx.x;
	float best = -3.4e38f;
	int own = 0;
	for (int i = t; i < d; i += blockDim.x) {
		float v = x[blockIdx.x * d + i];
		if (v > best) {
			best = v;
			own = i;
		}
	}
	keys[t] = best;
	at[t] = own;
	__syncthreads();
	for (int s = blockDim.x / 2; s > 0; s >>= 1) {
		if (t < s && (keys[t + s] > keys[t] || (keys[t + s] == keys[t] && at[t + s] < at[t]))) {
			keys[t] = keys[t + s];
			at[t] = at[t + s];
		}
		__syncthreads();
	}
	if (t == 0)
		index[blockIdx.x] = at[0];
}
#pragma ktune problem((rows, d) = (64, 1000), (37, 100)) in(x[rows * d] : range(-5, 5)) out(index[rows], least[rows])
__global__ void of_warp(int *index, int *least, const int *x, int rows, int d)
{
	const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
	if (row >= rows)
		return;
	int value = 0x7fffffff, at = -1;
	for (int i = lane; i < d; i += 32) {
		const int v = x[row * d + i];
		if (v < value || (v == value && i < at)) {
			value = v;
			at = i;
		}
	}
	for (int by = 16; by > 0; by >>= 1) {
		const int v = __shfl_down_sync(0xffffffff, value, by);
		const int k = __shfl_down_sync(0xffffffff, at, by);
		const bool takes = v != value ? v < value : k < at;
		value = takes ? v : value;
		at = takes ? k : at;
	}
	if (lane == 0) {
		index[row] = at;
		least[row] = value;
	}
}
void run(int *index, int *least, const float *x, const int *z, int rows, int d)
{
	in_arrays<<<rows, 256>>>(index, x, d);
	of_warp<<<(rows + 3) / 4, 128>>>(index, least, z, rows, d);
}
