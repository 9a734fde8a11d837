/*
 * What nvcc makes of an original kernel, begun before it is needed: the PTX that its region key is made of, and the cubin
 * that candidates are compared with. A batch takes over a compiler that still runs, and the output of one that has ended.
 */
#ifndef KT_TUNING_EARLY_H
#define KT_TUNING_EARLY_H

#include "tuning/unit.h"

struct kt_early {
	struct kt_proc *proc; /* NULL: never started, taken over, or ended */
	bool built;           /* the output is there */
	enum kt_unit_output mode;
	char text[KT_HASH_TEXT]; /* hash of the unit */
	int64_t arch;
	char feature;
	const char *source, *output; /* paths */
	double began_s;
};

/*
 * Starts nvcc on the text of a unit, which becomes <scratch>/<stem><number>.cu; strings are in arena. *out is zeroed, or to
 * be closed afterwards.
 */
kt_status kt_early_start(struct kt_early *out, struct kt_arena *arena, const struct kt_compile *compile,
                         const struct kt_region *region, const struct kt_buf *text, enum kt_unit_output mode,
                         const char *stem, size_t number, struct kt_error *err) KT_MUST_CHECK;
/* The same for the original of an instance. */
kt_status kt_early_original(struct kt_early *out, struct kt_arena *arena, const struct kt_compile *compile,
                            const struct kt_template *template_, const struct kt_instance *instance, const char *source,
                            size_t source_size, enum kt_unit_output mode, size_t number,
                            struct kt_error *err) KT_MUST_CHECK;
/* Waits for the PTX and appends its normal form (kt_ptx_normalise). */
kt_status kt_early_ptx(struct kt_buf *out, struct kt_early *early, struct kt_error *err) KT_MUST_CHECK;
/*
 * Normalised PTX of the kernel instance alone, with the functions and data that it refers to (the region key's raw
 * material; tuning/ptx_entry.h), of a launch region of its kernels, from the PTX of its original. *symbol, in arena: the
 * kernels' names in the form of base/symbol.h, a blank between two.
 */
kt_status kt_baseline_ptx(struct kt_buf *out, const char **symbol, struct kt_arena *arena, struct kt_early *early,
                          const struct kt_region *region, const struct kt_instance *instance,
                          struct kt_error *err) KT_MUST_CHECK;
/* Is it the cubin of this text for this architecture, there or under way? NULL is none. */
bool kt_early_serves(const struct kt_early *early, const struct kt_compile *compile, const struct kt_buf *text);
/*
 * Hands over the compiler. *began_s: when it would have begun if it had ended now, where it has ended; else when it
 * began.
 */
struct kt_proc *kt_early_take(double *began_s, struct kt_early *early);
/* Kills what runs. */
void kt_early_close(struct kt_early *early);

#endif
