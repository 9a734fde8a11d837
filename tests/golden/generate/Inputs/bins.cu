// Accumulation in few elements, as people write it.

#pragma ktune problem((n, bins) = (65536, 64), (4096, 26)) in(x[n] : range(0, bins - 1)) inout(hist[bins])
__global__ void plain(int *hist, const int *x, int n, int bins)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		atomicAdd(&hist[x[i]], 1);
}

#pragma ktune problem((n) = (65536), (5000)) in(x[n]) inout(hist[256])
__global__ void strided(unsigned *hist, const unsigned char *x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(hist + x[i], 1u);
}

// The author's copy in shared memory, of constant size.
#pragma ktune problem((n) = (65536), (4096)) in(x[n]) inout(hist[256])
__global__ void shared_by_hand(unsigned *hist, const unsigned char *x, int n)
{
	__shared__ unsigned own[256];
	own[threadIdx.x] = 0;
	__syncthreads();
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		atomicAdd(&own[x[i]], 1u);
	__syncthreads();
	atomicAdd(&hist[threadIdx.x], own[threadIdx.x]);
}

// Of a size that the launch gives, with a loop over the grid.
#pragma ktune problem((n, bins) = (65536, 100), (3000, 7)) in(x[n] : range(0, 99)) inout(hist[bins])
__global__ void shared_of_launch(int *hist, const int *x, int n, int bins)
{
	extern __shared__ int own[];
	for (int b = threadIdx.x; b < bins; b += blockDim.x)
		own[b] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		if (x[i] < bins)
			atomicAdd(&own[x[i]], 1);
	__syncthreads();
	for (int b = threadIdx.x; b < bins; b += blockDim.x)
		if (own[b] > 0)
			atomicAdd(&hist[b], own[b]);
}

// Channels, an early return, a clamp.
#pragma ktune problem((n) = (30000), (777)) in(x[3 * n]) inout(hist[96])
__global__ void channels(unsigned *hist, const float *x, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	for (int c = 0; c < 3; c++) {
		int b = (int)(x[i * 3 + c] * 32.f);
		b = b < 0 ? 0 : b > 31 ? 31 : b;
		atomicAdd(&hist[c * 32 + b], 1u);
	}
}

// Weights, 64-bit counts, and a bin that a search finds.
#pragma ktune problem((n, k) = (20000, 16), (999, 5)) in(x[n], edges[k]) inout(weights[k], counts[k])
__global__ void weighted(float *weights, unsigned long long *counts, const float *x, const float *edges, int n, int k)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		int low = 0, high = k - 1;
		while (low < high) {
			int middle = (low + high) / 2;
			if (edges[middle] < x[i])
				low = middle + 1;
			else
				high = middle;
		}
		atomicAdd(&weights[low], x[i]);
		atomicAdd(&counts[low], 1ull);
	}
}

// Clusters: sums of vectors, and their number; one sum of all.
#pragma ktune problem((n, d, k) = (8192, 4, 10), (500, 3, 4)) in(x[n * d], of[n] : range(0, k - 1)) inout(sums[k * d], counts[k], all[1])
__global__ void clusters(float *sums, int *counts, float *all, const float *x, const int *of, int n, int d, int k)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int c = of[i];
	for (int j = 0; j < d; j++)
		atomicAdd(&sums[c * d + j], x[i * d + j]);
	atomicAdd(&counts[c], 1);
	atomicAdd(all, x[i * d]);
}

// A joint histogram of an image, blocks of two dimensions.
#pragma ktune problem((w, h) = (256, 128), (100, 37)) in(a[w * h], b[w * h]) inout(joint[256])
__global__ void joint(int *joint, const unsigned char *a, const unsigned char *b, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < w && y < h)
		atomicAdd(&joint[(a[y * w + x] >> 4) * 16 + (b[y * w + x] >> 4)], 1);
}

// A block has a row; neither bins below zero nor past the end are counted.
#pragma ktune problem((count, n) = (64, 500), (5, 1000)) in(x[count * n] : range(-3, 40)) inout(hist[32])
__global__ void by_row(int *hist, const int *x, int count, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		int v = x[blockIdx.x * n + i];
		if (v >= 0 && v < 32)
			atomicAdd(&hist[v], 1);
	}
}

// Least, greatest, and bits of few segments.
#pragma ktune problem((n) = (16384), (700)) in(x[n] : range(-1000, 1000), of[n] : range(0, 19)) inout(least[20], greatest[20], any[20], all[20], odd[20])
__global__ void segments(int *least, long long *greatest, unsigned *any, unsigned *all, unsigned *odd, const int *x, const int *of, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		atomicMin(&least[of[i]], x[i]);
		atomicMax(&greatest[of[i]], (long long)x[i] * 100000);
		atomicOr(&any[of[i]], (unsigned)x[i]);
		if (x[i] & 1) {
			atomicAnd(&all[of[i]], (unsigned)x[i]);
			atomicXor(&odd[of[i]], (unsigned)x[i]);
		}
	}
}

// Atomics that see elements as numbers without a sign; a variable of the program.
__device__ long long wide[32];
#pragma ktune problem((n) = (20000), (600)) in(x[n] : range(0, 31)) inout(counts[32], codes[32], wide[32])
__global__ void casts(long long *__restrict__ counts, int *__restrict__ codes, const int *__restrict__ x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		atomicAdd((unsigned long long *)&counts[x[i]], 1ull);
		atomicMax((unsigned *)codes + x[i], (unsigned)i * 65537u);
		atomicAdd((unsigned long long *)&wide[x[i]], (unsigned long long)i);
	}
}

// What is subtracted, in a loop over neighbours that a thread has.
#pragma ktune problem((n) = (20000), (603)) in(from[n] : range(0, 11), to[n] : range(0, 11)) inout(left[12], joined[12])
__global__ void moved(int *left, unsigned *joined, const int *from, const int *to, int n)
{
	int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
	for (int k = 0; k < 4; k++)
		if (first + k < n && from[first + k] != to[first + k]) {
			atomicSub(&left[from[first + k]], 1);
			atomicAdd(&joined[to[first + k]], 1u);
		}
}

void run(int *hist, unsigned *bins, float *weights, unsigned long long *counts, long long *greatest, unsigned *any, unsigned *all, const int *x, const unsigned char *bytes,
	 const float *values, const float *edges, int n, int k, int d, int count, int w, int h)
{
	plain<<<(n + 255) / 256, 256>>>(hist, x, n, k);
	strided<<<32, 128>>>(bins, bytes, n);
	shared_by_hand<<<(n + 255) / 256, 256>>>(bins, bytes, n);
	shared_of_launch<<<16, 128, k * 4>>>(hist, x, n, k);
	channels<<<(n + 255) / 256, 256>>>(bins, values, n);
	weighted<<<(n + 127) / 128, 128>>>(weights, counts, values, edges, n, k);
	clusters<<<(n + 127) / 128, 128>>>(weights, hist, weights, values, x, n, d, k);
	joint<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(hist, bytes, bytes, w, h);
	by_row<<<count, 128>>>(hist, x, count, n);
	casts<<<(n + 255) / 256, 256>>>(greatest, hist, x, n);
	moved<<<(n + 511) / 512, 128>>>(hist, bins, x, x, n);
	segments<<<(n + 255) / 256, 256>>>(hist, greatest, any, all, any, x, x, n);
}
