#ifdef KTUNE_TUNED
#include "reduction_tuned.h"
#endif
#include "../common/host.h"

#ifndef KTUNE_TUNED
static struct ktune_opencl_launch ktune_reduction(const char *device_name, long long rows, long long d)
{
	(void)device_name;
	(void)d;
	return (struct ktune_opencl_launch){"reduction", 1, {(size_t)rows * 256, 1, 1}, {256, 1, 1}, 0};
}
#endif

static double *reference(const float *x, size_t rows, size_t d)
{
	double *y = sample_memory(rows * sizeof *y);
	for (size_t r = 0; r < rows; r++) {
		y[r] = 0;
		for (size_t i = 0; i < d; i++)
			y[r] += (double)x[r * d + i];
	}
	return y;
}

static void run(struct sample *s, int rows, int d)
{
	const size_t count = (size_t)rows * (size_t)d;
	const struct ktune_opencl_launch launch = ktune_reduction(sample_device(s), rows, d);
	float *x = sample_uniform(count, 1);
	double *want = reference(x, (size_t)rows, (size_t)d);
	cl_mem dx = sample_buffer(s, x, count * sizeof *x);
	cl_mem dy = sample_buffer(s, NULL, (size_t)rows * sizeof *x);
	cl_kernel kernel = sample_kernel(s, &launch);
	const cl_int width = d;
	char problem[64];
	sample_argument(kernel, 0, sizeof dy, &dy);
	sample_argument(kernel, 1, sizeof dx, &dx);
	sample_argument(kernel, 2, sizeof width, &width);
	snprintf(problem, sizeof problem, "rows=%d d=%d", rows, d);
	sample_run(s, kernel, &launch, dy, want, (size_t)rows, 1e-3, problem, 4.0 * (double)count, "GB/s");
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
		return sample_finish(&s, "reduction");
	}
	run(&s, 64, 4096);
	run(&s, 1024, 4096);
	/* Sizes that were not tuned for; the original kernel needs whole steps of 256. */
	run(&s, 5, 256);
	run(&s, 33, 1280);
	return sample_finish(&s, "reduction");
}
