/* Generation: from a region to a template. One function a generator. */
#ifndef KT_GENERATION_GENERATION_H
#define KT_GENERATION_GENERATION_H

#include "base/template.h"

/*
 * The explicit generator: the original kernel, over the parameters of its
 * `tune` clauses; nothing else changes. `source` is the main file's text.
 * Allocated in arena. KT_ERR_INVALID with a reason when an edit does not fit
 * the text. Of a launch region it has no text, and nothing to tune.
 */
kt_status kt_generate_explicit(struct kt_template **out, struct kt_arena *arena, const struct kt_region *region,
                               const char *source, size_t source_size, struct kt_error *err) KT_MUST_CHECK;

/*
 * The plain generator: the original kernel, with launch bounds as the one parameter, "RESIDENT". KT_ERR_INVALID with the
 * reason where that is not possible.
 */
kt_status kt_generate_plain(struct kt_template **out, struct kt_arena *arena, const struct kt_region *region,
                            const char *source, size_t source_size, struct kt_error *err) KT_MUST_CHECK;

/*
 * The user's line of the definition's start. Counted back from the body: the kernel's file need not begin where
 * the unit's text does. 0: not known.
 */
uint32_t kt_head_line(const struct kt_region *region, const char *source);

/* A template that the rules made of a region instance; numbers as in the unit. */
struct kt_rules_template {
	size_t region, instance;
	struct kt_template *template_;
};
/* Why they made none: instance −1: of any instance; line 0: of no line. */
struct kt_rules_decline {
	size_t region;
	int64_t instance;
	const char *reason; /* a name of base/decline.h */
	uint32_t line;
	const char *detail;
};
/* Something that they know about a line of the user's. */
struct kt_rules_note {
	size_t region;
	uint32_t line;
	const char *text;
};
struct kt_rules {
	size_t template_count, decline_count, note_count;
	struct kt_rules_template *templates;
	struct kt_rules_decline *declines;
	struct kt_rules_note *notes;
};

/*
 * The rules generator: reads what `ktcc-clang rewrite` answered (docs/protocol.md, "rewrite"). A template that
 * cannot be used is a decline, "bad-template"; an answer that is not one is an error. `source` is the unit's text.
 */
kt_status kt_rules_read(struct kt_rules **out, struct kt_arena *arena, const struct kt_unit *unit, const char *source,
                        const char *text, size_t size, struct kt_error *err) KT_MUST_CHECK;
/* NULL: there is none. */
struct kt_template *kt_rules_template(const struct kt_rules *rules, size_t region, size_t instance);
/* Why there is none, as one line: "line 12: index-depends-on-data: …"; NULL: no reason was reported. */
const char *kt_rules_declined(const struct kt_rules *rules, struct kt_arena *arena, size_t region, size_t instance);

/*
 * Appends the slice of the main file that holds what the region's kernel needs
 * (region->drops left out, pragma lines blank), without any variant.
 * `line_name`: every kept kernel and callee starts with `#line 1 "line_name"`;
 * NULL keeps the user's lines. Ends with a newline.
 */
void kt_slice(struct kt_buf *out, const struct kt_region *region, const char *source, size_t source_size,
              const char *line_name);
/*
 * The same without the region's kernels where they are no templates, which a compiler makes code of wherever they are
 * defined: most of what compiling a candidate takes. Nothing else of the slice may name them, else they stay.
 */
void kt_slice_bare(struct kt_buf *out, const struct kt_region *region, const char *source, size_t source_size,
                   const char *line_name);
/*
 * Appends what opens (or closes) the kernel's namespaces, so that a variant after a slice sees the names that the kernel sees.
 * Unnamed ones are left out: what is in them is visible from the namespace around.
 */
void kt_slice_scope(struct kt_buf *out, const struct kt_region *region, bool open);
/*
 * Appends host code that makes nvcc instantiate a kernel template:
 * name = function's name ("k_c3"), arguments = "<__half>" ("": plain, appends nothing).
 */
void kt_instantiate(struct kt_buf *out, const char *name, const char *arguments, size_t number);

#endif
