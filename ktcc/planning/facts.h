/* What a model is told about a region instance: what planning knows, as the facts of a prompt. */
#ifndef KT_PLANNING_FACTS_H
#define KT_PLANNING_FACTS_H

#include "generation/llm/prompt.h"
#include "planning/counts.h"
#include "planning/digest.h"
#include "tuning/compiled.h"

/* What was found out so far. */
struct kt_findings {
	const struct kt_entry *entry;        /* of the best so far; NULL: nothing was measured */
	const struct kt_template *template_; /* of the best so far, or the only one there is; NULL: the original kernel */
	struct kt_usage original;            /* of the original kernel; threads 0: not known */
	const struct kt_counts *counts;      /* of the best so far; NULL: nothing was counted */
};

/* One per problem of the entry, or of the region where nothing was measured; *count of them. NULL: out of memory. */
struct kt_measure *kt_findings_measure(size_t *count, struct kt_arena *arena, const struct kt_region *region,
                                       const struct kt_instance *instance, const struct kt_device *device,
                                       const struct kt_findings *findings);

/*
 * Sets `floor`, counters, best, search, tolerance, headers and assembly. `headers`: paths of the project's files, the
 * main one first, relative to `directory`. Texts live in arena. KT_ERR_MEMORY.
 */
kt_status kt_facts_fill(struct kt_prompt_facts *facts, struct kt_arena *arena, const struct kt_region *region,
                        const struct kt_instance *instance, const struct kt_device *device,
                        const struct kt_findings *findings, const struct kt_unit *unit, const char *directory,
                        bool allow_assembly, struct kt_error *err) KT_MUST_CHECK;

/* Appends what one tuning tried, as items of `tried`. */
void kt_facts_add_digest(struct kt_buf *out, const struct kt_region *region, const struct kt_instance *instance,
                         const struct kt_device *device, const struct kt_entry *entry, const struct kt_digest *digest);

/* Appends the suggestion g = A(m): the bound of each problem and the families that promise most,
 * of which *used are told. */
void kt_facts_suggest(struct kt_buf *out, size_t families[KT_FAMILIES_MOST], size_t *used,
                      const struct kt_measure *measures, size_t count, const struct kt_device *device,
                      const struct kt_family_history *history);

#endif
