/* Generation: from a region to a template. One function a generator. */
#ifndef KT_GENERATION_GENERATION_H
#define KT_GENERATION_GENERATION_H

#include "base/template.h"

/*
 * The explicit generator: the kernel as written, over the parameters of its
 * `tune` clauses; nothing else changes. `source` is the main file's text.
 * Allocated in arena. KT_ERR_INVALID with a reason when an edit does not fit
 * the text.
 */
kt_status kt_generate_explicit(struct kt_template **out, struct kt_arena *arena, const struct kt_region *region,
                               const char *source, size_t source_size, struct kt_error *err) KT_MUST_CHECK;

/*
 * Appends the slice of the main file that holds what the region's kernel needs
 * (region->drops left out, pragma lines blank), without any variant.
 * `line_name`: every kept kernel and callee starts with `#line 1 "line_name"`;
 * NULL keeps the user's lines. Ends with a newline.
 */
void kt_slice(struct kt_buf *out, const struct kt_region *region, const char *source, size_t source_size,
              const char *line_name);
/*
 * Appends what opens (or closes) the namespaces the kernel stands in, so that a
 * variant behind a slice sees the names that the kernel sees. Unnamed ones are
 * left out: what stands in them is visible from the namespace around.
 */
void kt_slice_scope(struct kt_buf *out, const struct kt_region *region, bool open);
/*
 * Appends host code that makes nvcc instantiate a kernel template:
 * name = function's name ("k_c3"), arguments = "<__half>" ("": plain, appends nothing).
 */
void kt_instantiate(struct kt_buf *out, const char *name, const char *arguments, size_t number);

#endif
