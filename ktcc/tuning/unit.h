/*
 * One translation unit of candidates: its text and the command that compiles
 * it. Lines of the slice belong to the file "k", lines of a candidate to a file
 * of the candidate's name, so that a message tells whom it is about.
 */
#ifndef KT_TUNING_UNIT_H
#define KT_TUNING_UNIT_H

#include "tuning/batch.h"

#define KT_UNIT_NAME_BYTES 32 /* "kt_c" and a ticket */

enum kt_unit_output { KT_UNIT_CUBIN, KT_UNIT_PTX, KT_UNIT_PROGRAM };

/* "kt_c12" */
void kt_unit_name(char out[KT_UNIT_NAME_BYTES], size_t ticket);

/* Appends the slice and opens the kernel's namespaces. bare: of a unit without the original (kt_slice_bare). */
void kt_unit_begin(struct kt_buf *out, const struct kt_template *template_, const char *source, size_t source_size,
                   bool bare);
/* Appends what makes the compiler keep the original of this instance. */
void kt_unit_original(struct kt_buf *out, const struct kt_template *template_, const struct kt_instance *instance);
/* Appends one variant with its instance; on failure nothing is appended. */
kt_status kt_unit_variant(struct kt_buf *out, const struct kt_template *template_, const struct kt_instance *instance,
                          size_t ticket, const int64_t *configuration, struct kt_error *err) KT_MUST_CHECK;
void kt_unit_end(struct kt_buf *out, const struct kt_template *template_);

/* Compiles the text of a unit to PTX for the architecture and appends its normal form (kt_ptx_normalise). */
kt_status kt_unit_ptx(struct kt_buf *out, struct kt_arena *arena, const struct kt_compile *compile,
                      const struct kt_region *region, const struct kt_buf *text, struct kt_error *err) KT_MUST_CHECK;

/* "<scratch>/<stem><number><suffix>", absolute; NULL when out of memory. */
char *kt_unit_path(struct kt_arena *arena, const struct kt_compile *compile, const char *stem, size_t number,
                   const char *suffix);
/* The compiler's argv in arena, with one more option unless extra is NULL; NULL when out of memory. */
char **kt_unit_command(struct kt_arena *arena, const struct kt_compile *compile, const struct kt_region *region,
                       enum kt_unit_output output, const char *source_path, const char *output_path,
                       const char *extra);
/*
 * The compiler's environment: ours, with temporary files in scratch and without
 * the options that the arguments hold already; NULL when out of memory.
 */
char **kt_unit_environment(struct kt_arena *arena, const struct kt_compile *compile);

#endif
