/* For emit's files only: which launches call the dispatcher, and with what. */
#ifndef KT_EMIT_LAUNCHES_H
#define KT_EMIT_LAUNCHES_H

#include "base/source.h"
#include "emit/dispatch.h"

/*
 * Decides for each launch of plan->region whether it is rewritten, and how
 * problem variables travel. Returns the number of rewritten launches in *count.
 * KT_ERR_INVALID when a launch's ranges do not fit the text.
 */
kt_status kt_emit_choose(size_t *count, struct kt_emit_region *plan, struct kt_arena *arena,
                         const struct kt_emission *emission, struct kt_error *err) KT_MUST_CHECK;
/*
 * Fills *count splices, four at most, for one rewritten launch, in the unit's text or in that of the macro that writes it;
 * their text is the arena's. It calls the dispatcher, or, where the
 * order of its expressions matters, the ordered one as the compiler calls a kernel: the configuration first, then
 * the arguments.
 */
kt_status kt_emit_rewrite(struct kt_splice out[4], size_t *count, struct kt_arena *arena, const struct kt_emit_region *plan,
                          const struct kt_launch *launch, const struct kt_emission *emission,
                          struct kt_error *err) KT_MUST_CHECK;

/* The same of a site: it asks whether the kernel that it is given has variants, and launches the original if not. */
kt_status kt_emit_site(struct kt_splice out[4], size_t *count, struct kt_arena *arena, const struct kt_launch_site *site,
                       const struct kt_emission *emission, struct kt_error *err) KT_MUST_CHECK;

/*
 * The splices of a launch region's block, in arena: in front of its first launch the variants are tried, and each
 * launch runs where none did. Declarations and checks stay, and run once.
 */
kt_status kt_emit_block(struct kt_splice **out, size_t *count, struct kt_arena *arena,
                        const struct kt_emit_region *plan, const struct kt_emission *emission,
                        struct kt_error *err) KT_MUST_CHECK;

#endif
