/*
 * Launch bounds: how many threads a multiprocessor must have room for. The compiler gives each thread no more registers
 * than that leaves it, so that more threads hide each other's memory latency.
 *
 * Sound because it changes where values are kept and nothing else: `__launch_bounds__(BLOCK, n)` is a promise about the size of
 * the block, which the template's geometry keeps, and a request for n blocks at a time.
 */
#include <string.h>

#include "generation/rules/family.h"

bool kt_rule_bounds(struct kt_family *family)
{
	static const int64_t threads[] = {0, 1024, 2048};
	const char *size = "";

	if (!kt_family_allows(family, "bounds") || !kt_rule_target(family)->has_cuda_words ||
	    family->launch_bounds[0] == '\0')
		return false;
	for (size_t d = 0; d < 3; d++)
		if (family->blocks[d] != NULL && strcmp(family->blocks[d], "1") != 0)
			size = kt_family_text(family, "%s%s%s", size, size[0] != '\0' ? " * " : "", family->blocks[d]);
	if (size[0] == '\0')
		return false;
	kt_family_parameter(family, "RESIDENT",
	                    "threads that a multiprocessor must have registers for; 0: as the compiler likes", threads,
	                    sizeof threads / sizeof threads[0]);
	kt_family_restrict(family, "RESIDENT <= device.max_threads_per_multiprocessor",
	                   "a multiprocessor holds no more threads");
	kt_family_restrict(family, kt_family_text(family, "RESIDENT <= %s * device.max_blocks_per_multiprocessor", size),
	                   "the compiler takes no bound of more blocks than a multiprocessor holds");
	family->launch_bounds =
	    kt_family_text(family, "__launch_bounds__(${%s%s}${if RESIDENT}, ${= max(1, RESIDENT / (%s))}${end}) ",
	                   strchr(size, ' ') != NULL ? "= " : "", size, size);
	kt_family_applied(family, "bounds", "fewer registers a thread leave room for more of them");
	return true;
}

enum { REGISTER_BYTES = 4 * 65536 }; /* of a multiprocessor, on all devices since compute capability 5.0 */

/* Packs that take all registers of a thread are kept in memory after all. */
void kt_rule_registers(struct kt_family *family)
{
	enum { OTHER_WORDS = 16 }; /* addresses, counters, and what is computed at a time */
	const char *most = kt_family_has(family, "RESIDENT") ? "max(BLOCK, RESIDENT)" : "BLOCK";
	const char *ahead = family->ahead_bytes > 0 ? kt_family_text(family, " + %u * AHEAD", family->ahead_bytes) : "";

	if (family->held_words != NULL && kt_family_has(family, "RESIDENT"))
		kt_family_restrict(family,
		                   kt_family_text(family, "RESIDENT * (%d%s) <= %d", OTHER_WORDS, family->held_words,
		                                  REGISTER_BYTES / 4),
		                   "what a patch holds leaves a thread registers");
	if (!kt_family_has(family, "TURNS"))
		return;
	kt_family_restrict(family,
	                   kt_family_text(family, "VEC * TURNS * (%u%s) * %s < %d", family->kept_bytes, ahead, most,
	                                  REGISTER_BYTES),
	                   "what is kept leaves a thread registers");
}
