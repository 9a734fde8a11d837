// exact
// A volatile access is opaque: the next iteration of the same thread may write what it reads.
#pragma ktune problem(n = 1024, 8192) inout(src[n]) in(table[n], p[n + 4], data[n])
__global__ void k139(float *src, const float *table, const float *p, const float *data, int n)
{
	for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float divisor0 = table[i];
		auto row_of = p[i + 3];
		const float other = *(const volatile float *)&data[i];
		float square = *(src + (i));
		src[i] = other;
	}
}
void run139(float *src, const float *table, const float *p, const float *data, int n) { k139<<<2, 32>>>(src, table, p, data, n); }
