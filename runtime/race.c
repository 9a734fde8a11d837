#include "race.h"

#include <math.h>

/* Times are no more exact than this: equal ones do not make a mean infinitely certain. */
#define LEAST_DEVIATION 1e-3

void kt_race_add(struct kt_race *race, double candidate, double incumbent)
{
	if (!(candidate > 0) || !(incumbent > 0) || !isfinite(candidate) || !isfinite(incumbent))
		return;
	const double ratio = log(candidate / incumbent), beside = ratio - race->mean;
	race->count++;
	race->mean += beside / (double)race->count;
	race->squares += beside * (ratio - race->mean);
}

double kt_race_evidence(const struct kt_race *race)
{
	const double n = (double)race->count, freedom = n - 1, wide = 1 + n * KT_RACE_SPREAD;
	if (race->count < KT_RACE_LEAST || race->mean <= 0)
		return 0;
	const double variance = fmax(race->squares / freedom, LEAST_DEVIATION * LEAST_DEVIATION);
	const double t2 = n * race->mean * race->mean / variance;
	return exp(0.5 * n * (log1p(t2 / freedom) - log1p(t2 / (freedom * wide))) - 0.5 * log(wide));
}

bool kt_race_is_lost(const struct kt_race *race)
{
	return kt_race_evidence(race) >= 1 / KT_RACE_ERROR;
}
