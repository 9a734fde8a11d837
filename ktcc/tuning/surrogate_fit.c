/* Hyperparameters of the surrogate: gradient of the log posterior, resilient propagation. */
#include <math.h>
#include <string.h>

#include "tuning/surrogate_internal.h"

#define STEPS 15
#define STEP_FIRST 0.2
#define STEP_LEAST 0.01
#define STEP_MOST 1.0
/* Priors: a parameter matters little until it shows; little noise. Mean and deviation of the logarithms. */
#define SCALE_MEAN 1.5
#define PRODUCT_SCALE_MEAN 3.0
#define SCALE_DEVIATION 1.0
#define NOISE_MEAN (-6.9)
#define NOISE_DEVIATION 1.5
#define LOG_SCALE_LEAST (-4.0)
#define LOG_SCALE_MOST 5.0
#define LOG_NOISE_LEAST (-11.0)
#define LOG_NOISE_MOST 0.0

/* Products explain what is left: they have to show more before they count. */
static double scale_mean(const struct kt_hyper *hyper, size_t dimension)
{
	return dimension < hyper->parameters ? SCALE_MEAN : PRODUCT_SCALE_MEAN;
}

void kt_hyper_reset(struct kt_hyper *hyper, size_t dimensions, size_t parameters)
{
	memset(hyper, 0, sizeof *hyper);
	hyper->dimensions = dimensions;
	hyper->parameters = parameters;
	for (size_t d = 0; d < dimensions; d++)
		hyper->log_scale[d] = scale_mean(hyper, d);
	hyper->log_noise = NOISE_MEAN;
	hyper->amplitude = 1;
}

bool kt_cholesky_factorise(double *a, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j <= i; j++) {
			double sum = a[i * n + j];

			for (size_t k = 0; k < j; k++)
				sum -= a[i * n + k] * a[j * n + k];
			if (i != j)
				a[i * n + j] = sum / a[j * n + j];
			else if (sum > 1e-12)
				a[i * n + i] = sqrt(sum);
			else
				return false;
		}
	}
	return true;
}

static void fill_kernel(double *kernel, double *factor, const struct kt_hyper *hyper, const struct kt_hyper_data *data)
{
	const size_t n = data->count, dimensions = hyper->dimensions;
	double weights[KT_PARAMETERS];

	for (size_t d = 0; d < dimensions; d++)
		weights[d] = exp(-hyper->log_scale[d]);
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			const double *distance = data->distances + (i * n + j) * dimensions;
			double sum = 0;

			for (size_t d = 0; d < dimensions; d++)
				sum += weights[d] * distance[d];
			kernel[i * n + j] = factor[i * n + j] = exp(-sum);
		}
		factor[i * n + i] = 1 + exp(hyper->log_noise);
	}
}

double kt_cholesky_solve(double *alpha, const double *factor, const double *values, size_t n)
{
	double fit = 0;

	for (size_t i = 0; i < n; i++) {
		double sum = values[i];

		for (size_t k = 0; k < i; k++)
			sum -= factor[i * n + k] * alpha[k];
		alpha[i] = sum / factor[i * n + i];
		fit += alpha[i] * alpha[i];
	}
	for (size_t i = n; i-- > 0;) {
		double sum = alpha[i];

		for (size_t k = i + 1; k < n; k++)
			sum -= factor[k * n + i] * alpha[k];
		alpha[i] = sum / factor[i * n + i];
	}
	return fit;
}

/* Rows of L⁻ᵀ, so that both factors of K⁻¹ = L⁻ᵀ L⁻¹ are read along rows: inverse[c · n + i] = (L⁻¹)_ic. */
static void invert(double *inverse, const double *factor, size_t n)
{
	for (size_t c = 0; c < n; c++) {
		inverse[c * n + c] = 1 / factor[c * n + c];
		for (size_t i = c + 1; i < n; i++) {
			double sum = 0;

			for (size_t k = c; k < i; k++)
				sum -= factor[i * n + k] * inverse[c * n + k];
			inverse[c * n + i] = sum / factor[i * n + i];
		}
	}
}

/* Negative log posterior and its gradient (dimensions, then noise). INFINITY when it has no value. */
static double posterior(double *gradient, struct kt_hyper *hyper, const struct kt_hyper_data *data)
{
	const size_t n = data->count, dimensions = hyper->dimensions;
	double *kernel = data->work, *factor = kernel + n * n, *inverse = factor + n * n, *alpha = inverse + n * n;
	const double noise = exp(hyper->log_noise);
	double value = 0, amplitude;

	fill_kernel(kernel, factor, hyper, data);
	if (!kt_cholesky_factorise(factor, n))
		return (double)INFINITY;
	/* One pseudo-observation of variance 1 keeps the amplitude in place while there are few points. */
	amplitude = (kt_cholesky_solve(alpha, factor, data->values, n) + 1) / (double)(n + 1);
	hyper->amplitude = amplitude;
	for (size_t i = 0; i < n; i++)
		value += log(factor[i * n + i]);
	value += 0.5 * (double)(n + 1) * log(amplitude);
	invert(inverse, factor, n);
	for (size_t d = 0; d <= dimensions; d++)
		gradient[d] = 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j <= i; j++) {
			const double *distance = data->distances + (i * n + j) * dimensions;
			double slope = -alpha[i] * alpha[j] / amplitude;

			for (size_t k = i; k < n; k++)
				slope += inverse[i * n + k] * inverse[j * n + k];
			if (i == j) {
				gradient[dimensions] += 0.5 * slope * noise;
				continue;
			}
			slope *= kernel[i * n + j];
			for (size_t d = 0; d < dimensions; d++)
				gradient[d] += slope * distance[d];
		}
	}
	for (size_t d = 0; d < dimensions; d++) {
		const double off = (hyper->log_scale[d] - scale_mean(hyper, d)) / SCALE_DEVIATION;

		value += 0.5 * off * off;
		gradient[d] = gradient[d] * exp(-hyper->log_scale[d]) + off / SCALE_DEVIATION;
	}
	const double off = (hyper->log_noise - NOISE_MEAN) / NOISE_DEVIATION;

	gradient[dimensions] += off / NOISE_DEVIATION;
	return value + 0.5 * off * off;
}

static double clamp(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

static void step(struct kt_hyper *hyper, double *steps, double *before, const double *gradient)
{
	for (size_t d = 0; d <= hyper->dimensions; d++) {
		const double same = gradient[d] * before[d];
		double *at = d < hyper->dimensions ? &hyper->log_scale[d] : &hyper->log_noise;

		if (same != 0)
			steps[d] = clamp(steps[d] * (same > 0 ? 1.3 : 0.5), STEP_LEAST, STEP_MOST);
		*at -= gradient[d] > 0 ? steps[d] : gradient[d] < 0 ? -steps[d] : 0;
		*at = d < hyper->dimensions ? clamp(*at, LOG_SCALE_LEAST, LOG_SCALE_MOST)
		                            : clamp(*at, LOG_NOISE_LEAST, LOG_NOISE_MOST);
		before[d] = gradient[d];
	}
}

void kt_hyper_fit(struct kt_hyper *hyper, const struct kt_hyper_data *data)
{
	double steps[KT_PARAMETERS + 1], before[KT_PARAMETERS + 1], gradient[KT_PARAMETERS + 1];
	double least = (double)INFINITY;
	struct kt_hyper best = *hyper;

	for (size_t d = 0; d <= hyper->dimensions; d++) {
		steps[d] = STEP_FIRST;
		before[d] = 0;
	}
	for (int i = 0; i < STEPS; i++) {
		const double value = posterior(gradient, hyper, data);

		if (!isfinite(value)) {
			hyper->log_noise += 1;
			continue;
		}
		if (value < least) {
			least = value;
			best = *hyper;
		}
		step(hyper, steps, before, gradient);
	}
	*hyper = best;
}
