/*
# 16×16 products on tensor cores: half precision in, single precision summed.
backend = "cuda"
arguments = ["y", "p", "q", "i32 d"]
buffers = ["out f32 y[256] absolute=1e-3 relative=1e-3", "in f16 p[16 * d] uniform -1 1",
           "in f16 q[16 * d] uniform -1 1"]
problems = [{d = 64}]
checks = [{d = 16}, {d = 256}]
block = [16, 16]
grid = [1]
launch.block = [32]
*/
KERNEL ORIGINAL(float *y, const f16 *p, const f16 *q, int d)
{
	float sum = 0.0f;
	for (int k = 0; k < d; k++)
		sum += __half2float(p[threadIdx.y * d + k]) * __half2float(q[k * 16 + threadIdx.x]);
	y[threadIdx.y * 16 + threadIdx.x] = sum;
}

KERNEL CANDIDATE(float *y, const f16 *p, const f16 *q, int d)
{
	using namespace nvcuda;
	wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
	wmma::fill_fragment(sum, 0.0f);
	for (int k = 0; k < d; k += 16) {
		wmma::load_matrix_sync(left, p + k, d);
		wmma::load_matrix_sync(right, q + k * 16, 16);
		wmma::mma_sync(sum, left, right, sum);
	}
	wmma::store_matrix_sync(y, sum, 16, wmma::mem_row_major);
}
