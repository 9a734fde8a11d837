// Log-softmax with a block a row and a tree in shared memory.
#include "bench.h"

constexpr int kThreads = 128;

#pragma ktune problem((batch, classes) = (256, 1000), (8192, 1024), (512, 32000)) in(logits[batch * classes]) \
              out(result[batch * classes])
__global__ void log_softmax_block(float *result, const float *logits, int classes)
{
	__shared__ float partial[kThreads];
	const int tid = threadIdx.x;
	logits += (size_t)blockIdx.x * classes;
	result += (size_t)blockIdx.x * classes;

	float m = -INFINITY;
	for (int c = tid; c < classes; c += kThreads)
		m = fmaxf(m, logits[c]);
	partial[tid] = m;
	__syncthreads();
	for (unsigned s = kThreads / 2; s > 0; s >>= 1) {
		if (tid < s)
			partial[tid] = fmaxf(partial[tid], partial[tid + s]);
		__syncthreads();
	}
	m = partial[0];
	__syncthreads();

	float total = 0.f;
	for (int c = tid; c < classes; c += kThreads)
		total += expf(logits[c] - m);
	partial[tid] = total;
	__syncthreads();
	for (unsigned s = kThreads / 2; s > 0; s >>= 1) {
		if (tid < s)
			partial[tid] += partial[tid + s];
		__syncthreads();
	}
	const float log_sum = m + logf(partial[0]);
	for (int c = tid; c < classes; c += kThreads)
		result[c] = logits[c] - log_sum;
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "batch classes",
	                      {{"odd", {777, 1001}}, {"prime", {251, 10007}}, {"small", {3, 10}}, {"one", {1, 1}},
	                       {"between", {2000, 5000}}, {"large", {20000, 600}}, {"wide", {16, 128256}}, {"even", {900, 1002}},
	                       {"misaligned", {512, 1024}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int batch = v[0], classes = v[1];
		                      auto x = r.input<float>((size_t)batch * classes, -6, 6);
		                      auto y = r.output<float>((size_t)batch * classes);
		                      r.launch([&] { log_softmax_block<<<batch, kThreads>>>(y->device, x->device, classes); });
		                      size_t known = SIZE_MAX;
		                      double lse = 0;
		                      r.check(y, 1e-4, 1e-5, [&](size_t i) {
			                      const size_t row = i / classes;
			                      if (row != known) {
				                      double sum = 0;
				                      for (int c = 0; c < classes; c++)
					                      sum += std::exp((*x)[row * classes + c]);
				                      lse = std::log(sum), known = row;
			                      }
			                      return (*x)[i] - lse;
		                      });
		                      r.report();
	                      });
}
