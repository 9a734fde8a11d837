#ifdef KTUNE_TUNED
#include "sgemm_tuned.h"
#endif
#include "../common/host.h"

#ifndef KTUNE_TUNED
static struct ktune_opencl_launch ktune_sgemm(const char *device_name, long long m, long long n, long long k)
{
	const size_t columns = ((size_t)n + 15) / 16 * 16, rows = ((size_t)m + 15) / 16 * 16;
	(void)device_name;
	(void)k;
	return (struct ktune_opencl_launch){"sgemm", 2, {columns, rows, 1}, {16, 16, 1}, 0};
}
#endif

static double *reference(const float *a, const float *b, int m, int n, int k)
{
	double *c = sample_memory((size_t)m * (size_t)n * sizeof *c);
	for (int y = 0; y < m; y++) {
		double *row = c + (size_t)y * (size_t)n;
		memset(row, 0, (size_t)n * sizeof *row);
		for (int i = 0; i < k; i++) {
			for (int x = 0; x < n; x++)
				row[x] += (double)a[y * k + i] * (double)b[i * n + x];
		}
	}
	return c;
}

static void run(struct sample *s, int m, int n, int k)
{
	const size_t a_count = (size_t)m * (size_t)k, b_count = (size_t)k * (size_t)n, c_count = (size_t)m * (size_t)n;
	const struct ktune_opencl_launch launch = ktune_sgemm(sample_device(s), m, n, k);
	float *a = sample_uniform(a_count, 1), *b = sample_uniform(b_count, 2);
	double *want = reference(a, b, m, n, k);
	cl_mem da = sample_buffer(s, a, a_count * sizeof *a), db = sample_buffer(s, b, b_count * sizeof *b);
	cl_mem dc = sample_buffer(s, NULL, c_count * sizeof(float));
	cl_kernel kernel = sample_kernel(s, &launch);
	const cl_mem buffers[] = {dc, da, db};
	const cl_int sizes[] = {m, n, k};
	char problem[64];
	for (cl_uint i = 0; i < 3; i++) {
		sample_argument(kernel, i, sizeof buffers[i], &buffers[i]);
		sample_argument(kernel, 3 + i, sizeof sizes[i], &sizes[i]);
	}
	snprintf(problem, sizeof problem, "m=%d n=%d k=%d", m, n, k);
	sample_run(s, kernel, &launch, dc, want, c_count, 1e-3, problem, 2.0 * m * n * k, "GFLOP/s");
	clReleaseKernel(kernel);
	for (int i = 0; i < 3; i++)
		clReleaseMemObject(buffers[i]);
	free(a);
	free(b);
	free(want);
}

int main(int argc, char **argv)
{
	struct sample s = sample_start(argc, argv, SAMPLE_SOURCE);
	if (s.simulate) {
		run(&s, 64, 128, 16);
		return sample_finish(&s, "sgemm");
	}
	run(&s, 256, 256, 256);
	run(&s, 384, 384, 384);
	/* A size that was not tuned for, and one that no vector fits. */
	run(&s, 128, 320, 96);
	run(&s, 33, 65, 17);
	return sample_finish(&s, "sgemm");
}
