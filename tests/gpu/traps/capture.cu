// Launches under stream capture (the first one too), from two threads, and on a stream per thread.
// flags: -Xcompiler=-pthread
// entry: k BLOCK=64
// entry: first WIDTH=64
// expect: k variant=21 original=0
// expect: first variant=1 original=0
#include <thread>
#include "trap.h"
#define BLOCK 128
#define WIDTH 128
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += 1;
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(WIDTH = 64, 128)
__global__ void first(float *y, int n)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		y[i] *= 2;
}
int main()
{
	int n = 1000;
	float *y = filled<float>(n), *z = filled<float>(n);
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t ready;
	check(cudaStreamCreate(&stream));
	check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	first<<<(n + WIDTH - 1) / WIDTH, WIDTH, 0, stream>>>(y, n);
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(y, n);
	check(cudaStreamEndCapture(stream, &graph));
	check(cudaGraphInstantiate(&ready, graph, 0));
	for (int i = 0; i < 3; i++)
		check(cudaGraphLaunch(ready, stream));
	check(cudaStreamSynchronize(stream));
	auto work = [n](float *p) {
		for (int i = 0; i < 10; i++)
			k<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, cudaStreamPerThread>>>(p, n);
		check(cudaStreamSynchronize(cudaStreamPerThread));
	};
	std::thread one(work, y), two(work, z);
	one.join();
	two.join();
	show("y", y, n);
	show("z", z, n);
}
