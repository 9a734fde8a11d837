#ifdef KTUNE_TUNED
#include "transpose_tuned.h"
#endif
#include "../common/host.h"

#ifndef KTUNE_TUNED
static struct ktune_opencl_launch ktune_transpose(const char *device_name, long long rows, long long columns)
{
	const size_t x = ((size_t)columns + 15) / 16 * 16, y = ((size_t)rows + 15) / 16 * 16;
	(void)device_name;
	return (struct ktune_opencl_launch){"transpose", 2, {x, y, 1}, {16, 16, 1}, 0};
}
#endif

static double *reference(const float *x, size_t rows, size_t columns)
{
	double *y = sample_memory(rows * columns * sizeof *y);
	for (size_t r = 0; r < rows; r++) {
		for (size_t c = 0; c < columns; c++)
			y[c * rows + r] = (double)x[r * columns + c];
	}
	return y;
}

static void run(struct sample *s, int rows, int columns)
{
	const size_t count = (size_t)rows * (size_t)columns;
	const struct ktune_opencl_launch launch = ktune_transpose(sample_device(s), rows, columns);
	float *x = sample_uniform(count, 1);
	double *want = reference(x, (size_t)rows, (size_t)columns);
	cl_mem dx = sample_buffer(s, x, count * sizeof *x), dy = sample_buffer(s, NULL, count * sizeof *x);
	cl_kernel kernel = sample_kernel(s, &launch);
	const cl_int sizes[] = {rows, columns};
	char problem[64];
	sample_argument(kernel, 0, sizeof dy, &dy);
	sample_argument(kernel, 1, sizeof dx, &dx);
	sample_argument(kernel, 2, sizeof sizes[0], &sizes[0]);
	sample_argument(kernel, 3, sizeof sizes[1], &sizes[1]);
	snprintf(problem, sizeof problem, "rows=%d columns=%d", rows, columns);
	sample_run(s, kernel, &launch, dy, want, count, 0, problem, 8.0 * (double)count, "GB/s");
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
		run(&s, 128, 192);
		return sample_finish(&s, "transpose");
	}
	run(&s, 1024, 1024);
	run(&s, 1000, 1500);
	/* Sizes that were not tuned for. */
	run(&s, 17, 5);
	run(&s, 1, 100);
	return sample_finish(&s, "transpose");
}
