// A result lies in what is loaded through the read-only cache: what the kernel as written computes there is not defined.
namespace own180 {
__device__ float max(float a, float b) { return a + 2 * b; }
__device__ float fold_sum_f(float v) {
for (int by = 16; by > 0; by /= 2) {
const float other = __shfl_xor_sync(0xffffffffu, v, by);
v = v + other;
}
return v;
}
__device__ int min(int a, int b) { return a - b; }
__device__ float fminf(float a, float b) { return a * 0.5f - b; }
__device__ float square(float a) { return a * a; }
}
#pragma ktune problem(rows = 64; d = 64, 4096) in(table[rows * d], dst[rows * d], src[rows * d]) inout(weights[rows * d]) out(rhs[rows])
__global__ void k180(const signed char *__restrict__ table, const float *dst, const unsigned *src, __half *weights, float *rhs, int rows, int d)
{
	const int row = blockIdx.x;
	float total = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x) {
		float sum = __ldg(&dst[(size_t)row * d + i]);
		const int turn = __ldg(&src[(size_t)row * d + i]);
		int x_near0 = __ldg(&table[(size_t)row * d + i]);
		total += own180::max(sum, sum) + (sum * ((float)(x_near0 % 16)));
	}
	total = own180::fold_sum_f(total);
	int block_row = ((int)row) - ((int)row);
	auto apply = [&](int by) { block_row -= by; };
	apply(((d % 3) ^ 7));
	for (int col = threadIdx.x; col < d; col += blockDim.x) {
		float x_group = dst[row * d + col];
		auto wide = src[row * d + col];
		const int y_new0 = table[row * d + col];
		float mask = __half2float(*(weights + (row * d + col)));
		int other = (unsigned)((int)col);
		if (total != ((1.5f > 0.5f ? total : x_group))) {
			other += (1 - 7) - (own180::min((int)(total * 4), y_new0));
		} else {
			other -= (wide ^ 4) + (y_new0 * wide);
		}
		weights[row * d + col] = __float2half(own180::fminf((float)(((int)row) - other & 31), (0.5f + ((float)(wide % 16))) - (total * ((float)(y_new0 % 16)))));
	}
	for (unsigned i = threadIdx.x; i < d; i += blockDim.x) {
		float value = dst[i + row * d];
		float step = __half2float(weights[i + row * d]);
		weights[i + row * d] = __float2half((total / (fabsf(max((float)((float)((int)row % 16)), (float)(0.25f))) + 1.0f)) * ((own180::square(3.0f)) / (fabsf(sqrtf(fabsf(total))) + 1.0f)));
	}
	if (threadIdx.x == 0)
		rhs[row] = (float)((int)(total * 4) & 31);
}
void run180(const signed char *__restrict__ table, const float *dst, const unsigned *src, __half *weights, float *rhs, int rows, int d) { k180<<<rows, 32>>>(table, dst, src, weights, rhs, rows, d); }
