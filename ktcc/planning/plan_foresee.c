/* Who will be compared at the end is compiled by nvcc while the search still runs. */
#include <string.h>

#include "planning/plan_internal.h"

/* By how near they are to the best, the nearest first: where time ends, the others are not missed. */
static void order(size_t *finalists, size_t count, const struct kt_tuning *s)
{
	size_t left[KT_FINALISTS_MOST];

	memcpy(left, finalists, count * sizeof *left);
	for (size_t kept = count; kept > 1; kept--) {
		size_t before[KT_FINALISTS_MOST], at = 0;

		memcpy(before, left, kept * sizeof *before);
		(void)kt_tuning_fewer_finalists(left, kept, kept - 1, s);
		while (at + 1 < kept && before[at] == left[at])
			at++;
		finalists[kept - 1] = before[at];
	}
	if (count != 0)
		finalists[0] = left[0];
}

/* Of these, who has no binary of nvcc's yet; their number. */
static size_t unbuilt(size_t *out, const struct kt_tuning *s, const size_t *finalists, size_t count)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		if (kt_tuning_built(s, finalists[i]) == NULL)
			out[found++] = finalists[i];
	return found;
}

size_t kt_tuning_foresee_these(struct kt_tuning *s, const size_t *finalists, size_t count)
{
	struct kt_foreseen wanted[KT_FINALISTS_MOST];
	size_t ordered[KT_FINALISTS_MOST];

	memcpy(ordered, finalists, count * sizeof *ordered);
	order(ordered, count, s);
	s->foreseen_count = unbuilt(s->foreseen, s, finalists, count);
	count = unbuilt(ordered, s, ordered, count);
	for (size_t i = 0; i < count; i++)
		wanted[i] = (struct kt_foreseen){ordered[i] + 1, kt_space_get(s->space, ordered[i])};
	kt_batch_foresee(s->batch, wanted, count);
	return kt_batch_foreseen(s->batch);
}

void kt_tuning_foresee(struct kt_tuning *s)
{
	size_t finalists[KT_FINALISTS_MOST], missing[KT_FINALISTS_MOST], found, count;

	found = kt_tuning_finalists(finalists, s);
	if (found == 0)
		return;
	count = kt_tuning_affordable(s, found, 2 * kt_tuning_passes_share(s));
	count = kt_tuning_fewer_finalists(finalists, found, count, s);
	found = unbuilt(missing, s, finalists, count);
	if (found != s->foreseen_count || memcmp(missing, s->foreseen, found * sizeof *missing) != 0)
		(void)kt_tuning_foresee_these(s, finalists, count);
}
