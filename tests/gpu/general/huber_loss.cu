// The sum of Huber losses: each thread adds its part to one place.
#include "bench.h"

#pragma ktune problem(n = 65536, 1048576, 8388608) in(pred[n], target[n]) inout(loss[1] : zeros) value(delta = 1.0f) \
              tolerance(rel = 1e-3)
__global__ void huber_loss(const float *pred, const float *target, float *loss, float delta, int n)
{
	float sum = 0.f;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		float d = fabsf(pred[i] - target[i]);
		sum += d <= delta ? 0.5f * d * d : delta * (d - 0.5f * delta);
	}
	atomicAdd(loss, sum);
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "n",
	                      {{"odd", {300007}}, {"prime", {1299709}}, {"small", {37}}, {"one", {1}}, {"between", {2000000}},
	                       {"large", {20000000}}, {"even", {3000002}}, {"below", {8191}}, {"misaligned", {4194304}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int n = v[0];
		                      auto pred = r.input<float>(n, -3, 3), target = r.input<float>(n, -3, 3);
		                      auto loss = r.output<float>(1);
		                      r.launch([&] {
			                      huber_loss<<<std::min((n + 255) / 256, 2048), 256>>>(pred->device, target->device, loss->device, 1.0f, n);
		                      });
		                      r.check(loss, 1e-5, 1e-3, [&](size_t) {
			                      double sum = 0;
			                      for (int i = 0; i < n; i++) {
				                      const double d = std::fabs((*pred)[i] - (*target)[i]);
				                      sum += d <= 1 ? 0.5 * d * d : d - 0.5;
			                      }
			                      return sum;
		                      });
		                      r.report();
	                      });
}
