#include "planning/enough.h"

#include <math.h>

size_t kt_enough_trials(size_t total)
{
	const double best = ceil(KT_ENOUGH_BEST * (double)total);
	double missed = 1;
	size_t drawn = 0;

	/* Without replacement: each draw misses all of the best with what is left of the others. */
	while (drawn < total && missed > 1 - KT_ENOUGH_SURE) {
		missed *= ((double)(total - drawn) - best) / (double)(total - drawn);
		drawn++;
		if (missed <= 0)
			break;
	}
	return drawn;
}
