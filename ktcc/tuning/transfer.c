#include "tuning/transfer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuning/search.h"

#define ARENA_BYTES ((size_t)256 << 20)

bool kt_transfer_from_name(enum kt_transfer *out, const char *name)
{
	static const char *const names[] = {
#define NAME(id, name, text) name,
	    KT_TRANSFERS(NAME)
#undef NAME
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], name) == 0) {
			*out = (enum kt_transfer)i;
			return true;
		}
	return false;
}

static struct kt_prior_column *columns_of(struct kt_arena *arena, const struct kt_t1 *t1)
{
	struct kt_prior_column *columns = kt_arena_array(arena, t1->parameter_count + 1, sizeof *columns);

	for (size_t d = 0; columns != NULL && d < t1->parameter_count; d++)
		columns[d] = (struct kt_prior_column){t1->parameters[d].name, kt_kind_guess(t1->parameters[d].name)};
	return columns;
}

/* The configurations that a search of `trials` evaluations measures, as indices, and their number. */
static kt_status search(size_t *indices, size_t *count, const struct kt_transfer_space *space, size_t trials,
                        struct kt_error *err)
{
	struct kt_search *search;
	TRY(kt_search_open(&search, "default", space->space, 0, trials, err));
	size_t index;

	while (*count < trials && kt_search_ask(&index, 1, search) == 1) {
		indices[(*count)++] = index;
		if (space->recording->verdict[index] == KT_TELL_OK)
			kt_search_tell(search, index, space->recording->ms[index]);
		else
			kt_search_tell_verdict(search, index, (enum kt_tell)space->recording->verdict[index]);
	}
	kt_search_close(search);
	return KT_OK;
}

static kt_status make_source(struct kt_prior_source *out, struct kt_arena *arena, const struct kt_transfer_space *space,
                             size_t trials, bool is_inverted, struct kt_error *err)
{
	const size_t dimensions = space->t1->parameter_count;
	const size_t most = trials == 0 || trials > space->recording->count ? space->recording->count : trials;
	size_t *indices = kt_arena_array(arena, most + 1, sizeof *indices), count = 0;
	int64_t *values = kt_arena_array(arena, most * dimensions + 1, sizeof *values);
	double *costs = kt_arena_array(arena, most + 1, sizeof *costs);
	kt_status status = KT_OK;

	if (indices == NULL || values == NULL || costs == NULL || (out->columns = columns_of(arena, space->t1)) == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for what earlier tunings found");
	for (; trials == 0 && count < most; count++)
		indices[count] = count;
	if (trials != 0)
		status = search(indices, &count, space, most, err);
	for (size_t i = 0; status == KT_OK && i < count; i++) {
		const double ms = space->recording->ms[indices[i]];

		memcpy(values + i * dimensions, kt_space_get(space->space, indices[i]), dimensions * sizeof *values);
		costs[i] = is_inverted && isfinite(ms) ? 1 / ms : ms;
	}
	out->label = space->name;
	out->column_count = dimensions;
	out->row_count = count;
	out->values = values;
	out->costs = costs;
	return status;
}

static bool is_told(enum kt_transfer transfer, bool is_itself, bool is_same_kernel)
{
	switch (transfer) {
	case KT_TRANSFER_DEVICE:
		return !is_itself && is_same_kernel;
	case KT_TRANSFER_KERNEL:
		return !is_itself && !is_same_kernel;
	case KT_TRANSFER_ALL:
		return !is_itself;
	case KT_TRANSFER_HOSTILE:
		return is_itself;
	case KT_TRANSFER_NONE:
		break;
	}
	return false;
}

kt_status kt_transfer_prior(struct kt_prior **out, const struct kt_transfer_space *spaces, size_t count, size_t target,
                            enum kt_transfer transfer, size_t trials, struct kt_error *err)
{
	const struct kt_transfer_space *of = &spaces[target];
	struct kt_arena *arena = kt_arena_new(ARENA_BYTES);
	struct kt_prior_source *sources = arena == NULL ? NULL : kt_arena_array(arena, count + 1, sizeof *sources);
	kt_status status = sources != NULL ? KT_OK : kt_no_memory(err);
	size_t told = 0;

	*out = NULL;
	/* The same kernel first: of many sources only some are used. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t s = 0; status == KT_OK && s < count; s++) {
			const bool is_same = strcmp(spaces[s].t1->name, of->t1->name) == 0;

			if (is_same != (pass == 0) || !is_told(transfer, s == target, is_same))
				continue;
			sources[told].is_same_kernel = is_same;
			status = make_source(&sources[told++], arena, &spaces[s], trials, s == target, err);
		}
	if (status == KT_OK) {
		struct kt_prior_column *columns = columns_of(arena, of->t1);

		status =
		    columns == NULL ? kt_no_memory(err) : kt_prior_open(out, of->space, columns, sources, told, err);
	}
	kt_arena_free(arena);
	return status;
}
