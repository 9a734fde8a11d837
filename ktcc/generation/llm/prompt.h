/*
 * What a model is asked: text with named placeholders (templates/prompts, no logic in it) filled from facts. Prompts are
 * bounded; what is least useful is cut first. Facts are data: a placeholder's name inside of one is text, and a row of
 * backticks cannot end the block around it.
 */
#ifndef KT_GENERATION_LLM_PROMPT_H
#define KT_GENERATION_LLM_PROMPT_H

#include "base/device.h"
#include "base/region.h"
#include "generation/llm/llm.h"

#define KT_PROMPT_BYTES ((size_t)64 << 10) /* the usual ceiling of all messages of a question together */
#define KT_PROMPT_MESSAGES 4

/* One text for each placeholder: `{{device}}` is `device`. NULL and "" read as "nothing is known". */
struct kt_prompt_facts {
	const char *name;        /* of the region */
	const char *device;      /* limits */
	const char *floor;       /* what moving the bytes costs at least, a line for each problem */
	const char *counters;    /* what a profiler counted of the best and of the original, a line each */
	const char *declaration; /* of the kernel that is to be written */
	const char *kernel;      /* its file, as far as it needs it; of a launch region the block after it */
	const char *headers;     /* the project's headers that the file includes */
	const char *arguments;   /* buffers, values, types */
	const char *problems;
	const char *geometry;    /* of the original's launch */
	const char *parameters;  /* of the region's tune clauses */
	const char *analysis;    /* what the rules found out, and where they stopped */
	const char *best;        /* the best text so far */
	const char *search;      /* who wrote it; its parameters, conditions and geometry */
	const char *tolerance;   /* how near the outputs have to come, a line for each buffer */
	const char *tried;       /* what was measured and what went wrong: the oldest first, a line for each item */
	const char *suggestion;  /* of the planning agent */
	const char *assembly;    /* whether inline assembly is allowed, as a part of a list of what is not */
	/* For a repair. */
	const char *complaint;   /* why the answer cannot be used */
};

/*
 * Fills text[0, size). At most `limit` bytes are appended: KT_ERR_LIMIT when
 * that is not enough without cutting what a question needs. KT_ERR_INVALID: a
 * placeholder without a fact.
 */
kt_status kt_prompt_fill(struct kt_buf *out, const char *text, size_t size, const struct kt_prompt_facts *facts,
                         size_t limit, struct kt_error *err) KT_MUST_CHECK;

/* "generate": a kernel region; "plan": a launch region. */
enum kt_prompt_kind { KT_PROMPT_KERNEL, KT_PROMPT_PLAN };

/*
 * The messages of a question. With an answer (NULL: none) that could not be
 * used, the question again, that answer and facts->complaint. Everything lives in
 * arena. KT_ERR_MISSING: templates are not installed.
 */
kt_status kt_prompt_messages(struct kt_llm_message out[KT_PROMPT_MESSAGES], size_t *count, struct kt_arena *arena,
                             enum kt_prompt_kind kind, const struct kt_prompt_facts *facts, const char *answer,
                             size_t limit, struct kt_error *err) KT_MUST_CHECK;

/*
 * The facts that a region and a device give by themselves: everything but headers, `floor`, counters, analysis, best, search,
 * tolerance, tried, suggestion, assembly and complaint, which are not changed. `declaration` is the one of kt_check_request_of.
 * Everything lives in arena.
 */
kt_status kt_prompt_region(struct kt_prompt_facts *facts, struct kt_arena *arena, const struct kt_region *region,
                           const struct kt_instance *instance, const struct kt_device *device, const char *source,
                           size_t source_size, const char *declaration, struct kt_error *err) KT_MUST_CHECK;

/* One measured or failed configuration. Negative numbers: not known. */
struct kt_prompt_trial {
	const char *configuration; /* "BLOCK=256 VEC=8", or words for the original kernel */
	const char *verdict;       /* "ok", "wrong-answer", … */
	double time_us, gigabytes_s, over_copy,
	    occupancy; /* over_copy: time divided by that of a copy; occupancy: 0 to 1 */
	int64_t registers, spill_bytes;
	const char *detail;        /* a compiler's error, the first difference; NULL: none */
};
/* Appends one item of `tried`. */
void kt_prompt_add_trial(struct kt_buf *out, const struct kt_prompt_trial *trial);

#endif
