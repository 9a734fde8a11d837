// A plan with memory of its own on a real device (temporaries.sh): sums of rows, exact in any order. What is printed to
// standard output is the same with and without the plan.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define MUST(call) must(call, #call)
static void must(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	printf("%s: %s\n", what, cudaGetErrorName(error));
	exit(1);
}

__global__ void clear(int *y, int rows)
{
	if (blockIdx.x * blockDim.x + threadIdx.x < rows)
		y[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

__global__ void add(int *y, const int *x, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		atomicAdd(&y[blockIdx.x], x[(long)blockIdx.x * d + i]);
}

void sums(int *y, const int *x, int rows, int d, cudaStream_t s)
{
#pragma ktune name(sums) problem(rows = 16; d = 4096) in(x[rows*d]) out(y[rows])
	{
		clear<<<(rows + 255) / 256, 256, 0, s>>>(y, rows);
		add<<<rows, 256, 0, s>>>(y, x, d);
	}
}

static const int ROWS = 64, D = 1 << 16, BIG = 1 << 26;

struct data {
	int *x = nullptr, *y = nullptr;

	explicit data(int elements = ROWS * D)
	{
		std::vector<int> host(elements);
		for (int i = 0; i < elements; i++)
			host[i] = i % 11 - 3;
		MUST(cudaMalloc(&x, elements * sizeof *x));
		MUST(cudaMalloc(&y, ROWS * sizeof *y));
		MUST(cudaMemcpy(x, host.data(), elements * sizeof *x, cudaMemcpyHostToDevice));
	}
	~data()
	{
		(void)cudaFree(x);
		(void)cudaFree(y);
	}
	long total(int rows, cudaStream_t s) const
	{
		int host[ROWS] = {0};
		long sum = 0;
		MUST(cudaMemcpyAsync(host, y, rows * sizeof *y, cudaMemcpyDeviceToHost, s));
		MUST(cudaStreamSynchronize(s));
		for (int i = 0; i < rows; i++)
			sum += (long)host[i] * (i + 1);
		return sum;
	}
};

static void several_sizes(cudaStream_t s)
{
	data one;
	for (int rows : {1, 7, 64})
		for (int d : {1, 127, 128, 4097, D}) {
			sums(one.y, one.x, rows, d, s);
			printf("%d x %d: %ld %s\n", rows, d, one.total(rows, s), cudaGetErrorName(cudaGetLastError()));
		}
}

// Threads with streams of their own: each launch has its own memory while others run.
static void at_once()
{
	std::vector<std::thread> threads;
	std::vector<long> wrong(8);
	for (size_t t = 0; t < wrong.size(); t++)
		threads.emplace_back([t, &wrong] {
			cudaStream_t s;
			data one;
			MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
			const int rows = 8 + (int)t, d = 5000 + 977 * (int)t;
			sums(one.y, one.x, rows, d, s);
			const long right = one.total(rows, s);
			for (int i = 0; i < 200; i++) {
				MUST(cudaMemsetAsync(one.y, 0x55, ROWS * sizeof *one.y, s));
				sums(one.y, one.x, rows, d, s);
				if (i % 10 == 9)
					wrong[t] += one.total(rows, s) != right;
			}
			MUST(cudaStreamDestroy(s));
		});
	for (std::thread &thread : threads)
		thread.join();
	for (long count : wrong)
		printf("at once: %ld wrong\n", count);
}

// The graph can be cloned and instantiated twice, as that of the launches as written.
static void captured(cudaStream_t s)
{
	cudaGraph_t graph, clone;
	cudaGraphExec_t executables[3];
	data one;
	MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	sums(one.y, one.x, 5, 4000, s);
	MUST(cudaStreamEndCapture(s, &graph));
	MUST(cudaGraphClone(&clone, graph));
	MUST(cudaGraphInstantiate(&executables[0], graph, 0));
	MUST(cudaGraphInstantiate(&executables[1], graph, 0));
	MUST(cudaGraphInstantiate(&executables[2], clone, 0));
	for (cudaGraphExec_t each : executables) {
		MUST(cudaMemsetAsync(one.y, 0x55, ROWS * sizeof *one.y, s));
		MUST(cudaGraphLaunch(each, s));
		printf("captured: %ld\n", one.total(5, s));
		MUST(cudaGraphExecDestroy(each));
	}
	MUST(cudaGraphDestroy(graph));
	MUST(cudaGraphDestroy(clone));
}

// Another thread captures while this one allocates: its capture stays valid.
static void beside_a_capture(cudaStream_t s)
{
	cudaStream_t other;
	cudaGraph_t graph;
	data one;
	MUST(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	MUST(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
	std::thread([&] { sums(one.y, one.x, 6, 4000, s); }).join();
	MUST(cudaStreamEndCapture(other, &graph));
	printf("beside a capture: %ld\n", one.total(6, s));
	MUST(cudaGraphDestroy(graph));
	MUST(cudaStreamDestroy(other));
}

static void pending(cudaStream_t s)
{
	data one;
	(void)cudaSetDevice(1000);
	sums(one.y, one.x, 3, 300, s);
	printf("pending: %s\n", cudaGetErrorName(cudaGetLastError()));
	printf("then %s, %ld\n", cudaGetErrorName(cudaGetLastError()), one.total(3, s));
}

// What idle launches keep goes to an allocation of the program's; where nothing is left the launches as written run.
static void full(cudaStream_t s)
{
	const size_t spare = (size_t)160 << 20;
	size_t before, after, total;
	void *rest;
	data one(BIG);
	sums(one.y, one.x, 1, 1000, s);
	const long small = one.total(1, s);
	MUST(cudaMemGetInfo(&before, &total));
	sums(one.y, one.x, 1, BIG, s);
	const long big = one.total(1, s);
	MUST(cudaMemGetInfo(&after, &total));
	fprintf(stderr, "kept: %zu MiB\n", (before - after) >> 20);
	MUST(cudaMalloc(&rest, before - spare));
	sums(one.y, one.x, 1, BIG, s);
	printf("full: %s, %d\n", cudaGetErrorName(cudaGetLastError()), one.total(1, s) == big);
	MUST(cudaFree(rest));
	sums(one.y, one.x, 1, 1000, s);
	printf("again: %ld, %ld, %s\n", big, one.total(1, s) - small, cudaGetErrorName(cudaGetLastError()));
}

static void cost(cudaStream_t s)
{
	data one;
	double best = 1e9;
	for (int round = 0; round < 50; round++) {
		const auto begin = std::chrono::steady_clock::now();
		for (int i = 0; i < 100; i++)
			sums(one.y, one.x, 1, 128, s);
		const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
		MUST(cudaStreamSynchronize(s));
		best = spent.count() / 100 < best ? spent.count() / 100 : best;
	}
	fprintf(stderr, "cost: %.0f ns of the host a launch of the block\n", best);
}

int main()
{
	cudaStream_t s;
	several_sizes(0);
	MUST(cudaStreamCreate(&s));
	several_sizes(s);
	at_once();
	captured(s);
	beside_a_capture(s);
	pending(s);
	full(s);
	cost(s);
	MUST(cudaDeviceReset());
	MUST(cudaStreamCreate(&s));
	several_sizes(s);
	return 0;
}
