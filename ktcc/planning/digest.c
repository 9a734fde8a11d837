#include "planning/digest.h"

#include <math.h>
#include <string.h>

/* A compiler's message may be long; its beginning has the cause. */
#define DETAIL_BYTES 2000

static bool copy(struct kt_tried *to, struct kt_arena *arena, const struct kt_tried *from, size_t problems)
{
	*to = *from;
	to->configuration = kt_arena_strdup(arena, from->configuration);
	if (from->detail != NULL)
		to->detail = kt_arena_strndup(arena, from->detail, strnlen(from->detail, DETAIL_BYTES));
	if (from->ns != NULL) {
		double *own = kt_arena_array(arena, problems + 1, sizeof *own);

		if (own != NULL)
			memcpy(own, from->ns, problems * sizeof *own);
		to->ns = own;
	}
	return to->configuration != NULL && (from->detail == NULL || to->detail != NULL) &&
	       (from->ns == NULL || to->ns != NULL);
}

static bool add_failed(struct kt_digest *digest, struct kt_arena *arena, const struct kt_tried *tried)
{
	for (size_t i = 0; i < digest->failed_count; i++)
		if (digest->failed[i].verdict == tried->verdict)
			return true;
	return digest->failed_count == KT_DIGEST_FAILED || copy(&digest->failed[digest->failed_count++], arena, tried, 0);
}

bool kt_digest_add(struct kt_digest *digest, struct kt_arena *arena, const struct kt_tried *tried, size_t problems)
{
	size_t at = digest->best_count;
	struct kt_tried own;

	if (tried->verdict != KT_VERDICT_OK)
		return tried->verdict == KT_VERDICT_SKIPPED || add_failed(digest, arena, tried);
	while (at > 0 && tried->cost < digest->best[at - 1].cost)
		at--;
	if (!isfinite(tried->cost) || at == KT_DIGEST_BEST)
		return true;
	if (!copy(&own, arena, tried, problems))
		return false;
	digest->best_count += digest->best_count < KT_DIGEST_BEST;
	memmove(&digest->best[at + 1], &digest->best[at], (digest->best_count - at - 1) * sizeof digest->best[0]);
	digest->best[at] = own;
	return true;
}
