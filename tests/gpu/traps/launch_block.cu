// Blocks of launches that one kernel replaces: in a host template, below an if, with checks for errors between the
// launches, in a captured graph; a guard keeps rows of other lengths out. Sums of small integers are exact in any order.
// template: rules
// entry: times_sum BLOCK=64 ROWS=1 CLUSTER=1 EVEN=1 TURNS=0 VEC=4 UNROLL=1 RESIDENT=0 STREAM=0
// entry: increment BLOCK=128 VEC=4 UNROLL=1 WAVES=0 RESIDENT=0 STREAM=0
// expect: times_sum variant=12 original=7 \(guard=7 geometry=0
// expect: increment variant=3 original=0
#include "trap.h"

template <typename T> __global__ void row_sums(T *sums, const T *x, int d)
{
	__shared__ T part[256];
	T sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int s = blockDim.x / 2; s > 0; s /= 2) {
		if (threadIdx.x < s)
			part[threadIdx.x] += part[threadIdx.x + s];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		sums[blockIdx.x] = part[0];
}

namespace
{
template <typename U> __global__ void times(U *y, const U *__restrict__ x, const U *factors, long width)
{
	for (long i = threadIdx.x; i < width; i += blockDim.x)
		y[blockIdx.x * width + i] = x[blockIdx.x * width + i] * factors[blockIdx.x];
}
} // namespace

template <typename T> int times_sum(T *y, const T *x, T *sums, int rows, int d, cudaStream_t stream)
{
	int failures = 0;
#pragma ktune problem(rows = 1, 33; d = 64, 900) in(x[rows * d]) out(y[rows * d]) scratch(sums[rows])
	{
		const int threads = 256;
		const dim3 grid(rows);
		row_sums<T><<<grid, threads, 0, stream>>>(sums, x, d);
		if (cudaGetLastError() != cudaSuccess)
			failures++;
		times<T><<<grid, threads, 0, stream>>>(y, x, sums, d);
		if (cudaGetLastError() != cudaSuccess)
			failures++;
	}
	return failures;
}
template int times_sum<int>(int *, const int *, int *, int, int, cudaStream_t);
template int times_sum<float>(float *, const float *, float *, int, int, cudaStream_t);

__global__ void add_one(int *y, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] += 1;
}

void increment(int *y, int n)
{
	if (n > 0)
#pragma ktune problem(n = 1, 1000) inout(y[n])
		add_one<<<(n + 63) / 64, 64>>>(y, n);
	else
		printf("nothing\n");
}

template <typename T> void run(const char *name, cudaStream_t stream)
{
	static const int rows_of[] = {1, 5, 33}, widths[] = {1, 64, 1000};
	T *x, *y, *sums;
	check(cudaMallocManaged(&x, 33 * 1000 * sizeof(T)));
	check(cudaMallocManaged(&y, 33 * 1000 * sizeof(T)));
	check(cudaMallocManaged(&sums, 33 * sizeof(T)));
	for (int i = 0; i < 33 * 1000; i++)
		x[i] = T(i * 7 % 5);
	for (int rows : rows_of)
		for (int d : widths) {
			double sum = 0;
			int failures = times_sum<T>(y, x, sums, rows, d, stream);
			check(cudaStreamSynchronize(stream));
			for (int i = 0; i < rows * d; i++)
				sum += double(y[i]) * (i % 11);
			printf("%s %d x %d: %.0f, %d failures\n", name, rows, d, sum, failures);
		}
	check(cudaFree(x));
	check(cudaFree(y));
	check(cudaFree(sums));
}

int main()
{
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t executable;
	int *y;
	check(cudaStreamCreate(&stream));
	run<float>("float", stream);
	run<int>("int", stream);
	check(cudaMallocManaged(&y, 1001 * sizeof(int)));
	for (int i = 0; i < 1001; i++)
		y[i] = i;
	increment(y, 1000);
	increment(y, 1);
	increment(y, 0);
	increment(y, 77);
	check(cudaDeviceSynchronize());
	printf("%d %d %d %d %d\n", y[0], y[1], y[77], y[999], y[1000]);
	check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	int failures = times_sum<int>(y, y, y + 1000, 1, 64, stream);
	check(cudaStreamEndCapture(stream, &graph));
	check(cudaGraphInstantiate(&executable, graph, 0));
	check(cudaGraphLaunch(executable, stream));
	check(cudaStreamSynchronize(stream));
	printf("captured: %d %d, %d failures\n", y[1], y[63], failures);
	return 0;
}
