#include "emit/splices.h"

#include <string.h>

kt_status kt_splices_add(struct kt_splices *splices, struct kt_splice splice, struct kt_error *err)
{
	struct kt_splice *slot;
	NEED(slot = kt_arena_push(splices->arena, &splices->items, &splices->count, sizeof *slot),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory for the emission"));
	*slot = splice;
	return KT_OK;
}

kt_status kt_splices_blank(struct kt_splices *splices, const struct kt_emission *emission, struct kt_error *err)
{
	static const char mark[] = "\xef\xbb\xbf";
	struct kt_range range;
	size_t position = 0;
	while (kt_source_pragma(&range, emission->source, emission->source_size, &position))
		TRY(kt_splices_add(splices, (struct kt_splice){range.begin, range.end, "", true}, err));
	return emission->source_size >= 3 && memcmp(emission->source, mark, 3) == 0
	           ? kt_splices_add(splices, (struct kt_splice){0, 3, "", false}, err)
	           : KT_OK;
}
