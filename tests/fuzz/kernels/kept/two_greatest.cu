namespace own40 {
__device__ int fold_max_i(int v) {
for (int by = 16; by > 0; by /= 2) {
const int other = __shfl_xor_sync(0xffffffffu, v, by);
v = max(v, other);
}
__shared__ int warps[32];
__syncthreads();
if (threadIdx.x % 32 == 0)
warps[threadIdx.x / 32] = v;
__syncthreads();
v = warps[0];
for (int at = 1; at < 4; at++) {
const int other = warps[at];
v = max(v, other);
}
return v;
}
template <typename T> __device__ T mix(T a, T b, bool first) { return first ? a : b; }
__device__ float fminf(float a, float b) { return a * 0.5f - b; }
__device__ float max(float a, float b) { return a + 2 * b; }
}
#pragma ktune problem(rows = 16; d = 64, 4096) in(q[rows * d]) inout(data[rows * d]) out(rhs[rows])
__global__ void k40(const unsigned *__restrict__ q, float *__restrict__ data, int *__restrict__ rhs, int rows, int d)
{
	__shared__ float part0[128];
	int most = -1000;
	for (int i = threadIdx.x; i < d; i += 128) {
		auto t = *(q + ((size_t)blockIdx.x * d + i));
		most = max(most, (int)(((5 >> 1)) / 7));
	}
	most = own40::fold_max_i(most);
	float sum = -3.4e38f;
	for (int i = threadIdx.x; i < d; i += 128) {
		const int sum2 = q[i + blockIdx.x * d];
		sum = max(sum, (float)((float)(d % 16)));
	}
	part0[threadIdx.x] = sum;
	__syncthreads();
	for (unsigned s2 = 64; s2 > 0; s2 >>= 1) {
		if (threadIdx.x < s2)
			part0[threadIdx.x] = fmaxf(part0[threadIdx.x], part0[threadIdx.x + s2]);
		__syncthreads();
	}
	sum = part0[0];
	__syncthreads();
	for (int i = threadIdx.x; i < d; i += 128) {
		auto other = q[blockIdx.x * d + i];
		const float i_count = data[blockIdx.x * d + i];
		data[blockIdx.x * d + i] = own40::mix<float>(own40::fminf(i_count, i_count), sum / (fabsf(i_count) + 1.0f), other != ((((int)blockIdx.x) ^ 2))) + (own40::max(expf(-fabsf(i_count)), own40::fminf(i_count, sum)));
	}
	__syncthreads();
	if (threadIdx.x == 0)
		rhs[blockIdx.x] = most;
}
void run40(const unsigned *__restrict__ q, float *__restrict__ data, int *__restrict__ rhs, int rows, int d) { k40<<<rows, 128>>>(q, data, rhs, rows, d); }

