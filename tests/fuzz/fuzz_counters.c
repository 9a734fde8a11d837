/*
 * The log of a profiler, as a stranger may have left it. Input: its bytes.
 *
 * Holds: at most as many launches as there is room for are read, each with a
 * kernel, and each counter is a number that is not negative, or not known; what
 * is refused has a reason without control characters.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "testing/counters.h"

enum { MOST = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_counted rows[MOST];
	struct kt_error err;
	size_t count;

	if (arena == NULL)
		return 0;
	if (kt_counters_read(rows, &count, MOST, arena, (const char *)data, size, &err) == KT_OK) {
		KT_FUZZ_REQUIRE(count >= 1 && count <= MOST);
		for (size_t i = 0; i < count; i++) {
			KT_FUZZ_REQUIRE(rows[i].kernel != NULL && strlen(rows[i].kernel) <= size);
			for (int c = 0; c < KT_COUNTERS; c++)
				KT_FUZZ_REQUIRE(isnan(rows[i].value[c]) || (rows[i].value[c] >= 0 && isfinite(rows[i].value[c])));
		}
	} else {
		KT_FUZZ_REQUIRE(err.message[0] != '\0');
		for (const char *at = err.message; *at != '\0'; at++)
			KT_FUZZ_REQUIRE((unsigned char)*at >= ' ' && *at != 0x7f);
	}
	kt_arena_free(arena);
	return 0;
}
