// Distances of four points a thread, in registers alone. Matrices whose threads compute several results are in tests/gpu/products.
#pragma ktune problem(n = 64, 96; m = 64, 128; d = 16, 33) in(x[n * d], y[m * d]) out(distances[n * m]) restriction(m % 64 == 0 && m <= 128 && n <= 100 && d <= 33) auto(product)
__global__ void four_distances(const float *x, const float *y, float *distances, int n, int m, int d)
{
	const int i = blockIdx.y * 16 + threadIdx.y, first = (blockIdx.x * 16 + threadIdx.x) * 4;
	float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};

	if (i >= n)
		return;
	for (int k = 0; k < d; k++) {
		const float one = x[i * d + k];

		for (int q = 0; q < 4; q++) {
			const float apart = one - y[(first + q) * d + k];

			sums[q] += apart * apart;
		}
	}
	for (int q = 0; q < 4; q++)
		distances[i * m + first + q] = sqrtf(sums[q]);
}

void run_four_distances(const float *x, const float *y, float *distances, int n, int m, int d)
{
	four_distances<<<dim3(m / 64, (n + 15) / 16), dim3(16, 16)>>>(x, y, distances, n, m, d);
}
