/*
 * Emission: the specialised copy of a source file, and of the headers that hold
 * regions, lead to them or launch them. The copy keeps the original kernel;
 * the variants and an inline dispatcher follow it; each launch site
 * becomes a call of the dispatcher. What must hold for a variant to run is
 * decided there (docs/emission.md).
 */
#ifndef KT_EMIT_EMIT_H
#define KT_EMIT_EMIT_H

#include "base/emitted.h"
#include "base/template.h"
#include "store/store.h"

#define KT_EMITTED_FORM 13 /* grows when the same variant is emitted differently; part of every name and manifest */

/* The classes of ktune.h that functions for launches in other sources take, by their namespace: they are the same in both. */
#define KT_LINKED_FORM "v5"

/* One variant: a template at a configuration for one device and one instance of the kernel. */
struct kt_variant {
	const struct kt_template *template_;
	size_t instance;               /* index into region->instances */
	const int64_t *configuration;
	const struct kt_device *device;
	struct kt_clause_expr when; /* the rule over problem variables under which it is tried; expr NULL: always */
};

struct kt_emission {
	const struct kt_unit *unit;
	const char *source;            /* the unit's text */
	size_t source_size;
	const char *unit_id;           /* what makes names of this translation unit its own: hash text */
	const char *line_file;         /* the main file's name for #line: as the user gave it */
	size_t variant_count;
	const struct kt_variant *variants; /* all regions, instances and devices; grouped here, tried in this order */
	const struct kt_flat *flat;    /* what the text is made of, with pieces; NULL: the main file alone */
	const char *prefix;            /* of the copies' names in the main file's includes: "OUT.ktune/"; NULL: none */
};

/*
 * Makes the emitted files, in arena. The same input gives the same bytes on
 * every machine. Regions without a variant and launches with a decline are left
 * unmodified; `#pragma ktune` lines become blank lines. A copy includes other
 * copies by their names and everything else as the user's file does.
 */
kt_status kt_emit(struct kt_emitted *out, struct kt_arena *arena, const struct kt_emission *emission,
                  struct kt_error *err) KT_MUST_CHECK;

#endif
