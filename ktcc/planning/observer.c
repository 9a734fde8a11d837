#include "planning/observer.h"

#include <math.h>

#include "base/log.h"

const char *kt_phase_name(enum kt_phase phase)
{
	static const char *const names[KT_PHASES] = {"prepare", "search", "compare", "model"};

	return names[phase];
}

void kt_observe(const struct kt_observer *observer, const struct kt_observation *o)
{
	if (observer != NULL)
		observer->observe(observer->context, o);
	else if (o->phase == KT_PHASE_SEARCH)
		kt_progress("%s: configuration %zu of %zu, best %.2fx, %.0f s left", o->instance, o->tried, o->total,
		            fmax(o->speedup, 1), o->left_s);
	else if (o->phase == KT_PHASE_COMPARE)
		kt_progress("%s: confirming the best %zu", o->instance, o->tried);
	else if (o->phase == KT_PHASE_MODEL)
		kt_progress("%s: asking the model, round %zu", o->instance, o->tried);
}
