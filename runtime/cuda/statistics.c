#include <math.h>
#include <stdlib.h>

#include "cuda/session.h"

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double middle(const double *sorted, size_t count)
{
	return count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

void kt_timing_summary(struct kt_timing *out, double *samples, size_t count)
{
	*out = (struct kt_timing){0};
	if (!count)
		return;
	double sum = 0;
	qsort(samples, count, sizeof *samples, ascending);
	for (size_t i = 0; i < count; i++)
		sum += samples[i];
	out->median_ns = middle(samples, count);
	out->mean_ns = sum / (double)count;
	out->min_ns = samples[0];
	out->samples = (int64_t)count;
	for (size_t i = 0; i < count; i++)
		samples[i] = fabs(samples[i] - out->median_ns);
	qsort(samples, count, sizeof *samples, ascending);
	out->deviation_ns = middle(samples, count);
}
