#ifdef KTUNE_TUNED
#include "silu_and_mul_tuned.h"
#endif
#include "../common/host.h"

#ifndef KTUNE_TUNED
static struct ktune_opencl_launch ktune_silu_and_mul(const char *device_name, long long rows, long long d)
{
	const size_t columns = ((size_t)d + 255) / 256 * 256;
	(void)device_name;
	return (struct ktune_opencl_launch){"silu_and_mul", 2, {columns, (size_t)rows, 1}, {256, 1, 1}, 0};
}
#endif

static double *reference(const float *x, size_t rows, size_t d)
{
	double *y = sample_memory(rows * d * sizeof *y);
	for (size_t r = 0; r < rows; r++) {
		for (size_t i = 0; i < d; i++) {
			const double gate = (double)x[r * 2 * d + i];
			y[r * d + i] = gate / (1.0 + exp(-gate)) * (double)x[r * 2 * d + d + i];
		}
	}
	return y;
}

static void run(struct sample *s, int rows, int d)
{
	const size_t count = (size_t)rows * (size_t)d;
	const struct ktune_opencl_launch launch = ktune_silu_and_mul(sample_device(s), rows, d);
	float *x = sample_uniform(2 * count, 1);
	double *want = reference(x, (size_t)rows, (size_t)d);
	cl_mem dx = sample_buffer(s, x, 2 * count * sizeof *x), dy = sample_buffer(s, NULL, count * sizeof *x);
	cl_kernel kernel = sample_kernel(s, &launch);
	const cl_int width = d;
	char problem[64];
	sample_argument(kernel, 0, sizeof dy, &dy);
	sample_argument(kernel, 1, sizeof dx, &dx);
	sample_argument(kernel, 2, sizeof width, &width);
	snprintf(problem, sizeof problem, "rows=%d d=%d", rows, d);
	sample_run(s, kernel, &launch, dy, want, count, 1e-4, problem, 12.0 * (double)count, "GB/s");
	clReleaseKernel(kernel);
	clReleaseMemObject(dx);
	clReleaseMemObject(dy);
	free(x);
	free(want);
}

int main(int argc, char **argv)
{
	struct sample s = sample_start(argc, argv, SAMPLE_SOURCE);
	if (s.simulate) {
		run(&s, 4, 4096);
		return sample_finish(&s, "silu_and_mul");
	}
	run(&s, 16, 4096);
	run(&s, 256, 4096);
	/* A size that was not tuned for, and one that no vector fits. */
	run(&s, 7, 1024);
	run(&s, 3, 33);
	return sample_finish(&s, "silu_and_mul");
}
