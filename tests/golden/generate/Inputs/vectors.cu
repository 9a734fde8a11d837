// Rows whose elements are accessed as vectors through casts, of an address and of a pointer that is set once, and several sums of a thread.
struct four {
	float x, y, z, w;
};

#pragma ktune problem(rows = 3; d = 256, 1100) in(x[rows * d], w[d]) out(y[rows * d]) tolerance(abs = 1e-3, rel = 1e-3)
__global__ void addressed(const float *x, const float *w, float *y, unsigned d)
{
	__shared__ float part[256];
	const unsigned row = blockIdx.x * d, vectors = d / 4;
	float sum = 0;

	for (unsigned i = threadIdx.x; i < vectors; i += blockDim.x) {
		four v = *reinterpret_cast<const four *>(&x[row + i * 4]);

		for (unsigned s = 0; s < 4; s++) {
			float one = reinterpret_cast<const float *>(&v)[s];

			sum += one * one;
		}
	}
	part[threadIdx.x] = sum;
	__syncthreads();
	for (unsigned h = blockDim.x / 2; h > 0; h /= 2) {
		if (threadIdx.x < h)
			part[threadIdx.x] += part[threadIdx.x + h];
		__syncthreads();
	}
	sum = 1 / (part[0] / d + 1);
	for (unsigned i = threadIdx.x; i < vectors; i += blockDim.x) {
		four v = *reinterpret_cast<const four *>(&x[row + i * 4]), u = *reinterpret_cast<const four *>(&w[i * 4]);
		float made[4];

		for (unsigned s = 0; s < 4; s++)
			made[s] = reinterpret_cast<const float *>(&v)[s] * sum * reinterpret_cast<const float *>(&u)[s];
		*reinterpret_cast<four *>(&y[row + i * 4]) = *reinterpret_cast<four *>(&made);
	}
}
void run(const float *x, const float *w, float *y, int rows, unsigned d) { addressed<<<rows, 256>>>(x, w, y, d); }

#pragma ktune problem(rows = 3; d = 256, 1100) in(x[rows * d]) out(y[rows * d]) tolerance(abs = 1e-3, rel = 1e-3)
__global__ void pointed(const float *x, float *y, int d)
{
	__shared__ float sums[128], squares[128];
	const four *from = reinterpret_cast<const four *>(x + blockIdx.x * d);
	four *to = reinterpret_cast<four *>(y + blockIdx.x * d);

	sums[threadIdx.x] = 0;
	squares[threadIdx.x] = 0;
	for (int i = threadIdx.x; i < d / 4; i += blockDim.x) {
		four v = from[i];

		sums[threadIdx.x] += v.x + v.y + v.z + v.w;
		squares[threadIdx.x] += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
	}
	__syncthreads();
	for (int h = blockDim.x / 2; h > 0; h /= 2) {
		if (threadIdx.x < h) {
			sums[threadIdx.x] += sums[threadIdx.x + h];
			squares[threadIdx.x] += squares[threadIdx.x + h];
		}
		__syncthreads();
	}
	const float mean = sums[0] / d, scale = 1 / (squares[0] / d + 1);
	for (int i = threadIdx.x; i < d / 4; i += blockDim.x) {
		four v = from[i];

		v.x = (v.x - mean) * scale;
		v.y = (v.y - mean) * scale;
		v.z = (v.z - mean) * scale;
		v.w = (v.w - mean) * scale;
		to[i] = v;
	}
}
void run(const float *x, float *y, int rows, int d) { pointed<<<rows, 128>>>(x, y, d); }
