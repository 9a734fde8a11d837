/*
 * Emission: the specialised copy of a source file. The original kernel stays;
 * behind it stand the variants and an inline dispatcher; each launch site
 * becomes a call of the dispatcher. What must hold for a variant to run is
 * decided there (docs/emission.md).
 */
#ifndef KT_EMIT_EMIT_H
#define KT_EMIT_EMIT_H

#include "base/template.h"
#include "store/store.h"

/* One variant: a template at a configuration for one device and one instance of the kernel. */
struct kt_variant {
	const struct kt_template *template_;
	size_t instance;               /* index into region->instances */
	const int64_t *configuration;
	const struct kt_device *device;
};

struct kt_emission {
	const struct kt_unit *unit;
	const char *source;            /* the user's text */
	size_t source_size;
	const char *unit_id;           /* what makes names of this translation unit its own: hash text */
	const char *line_file;         /* the file name that #line names: as the user gave it */
	size_t variant_count;
	const struct kt_variant *variants; /* all regions, instances and devices; grouped here */
};

/*
 * Appends the emitted source. The same input gives the same bytes on every
 * machine. Regions without a variant and launches with a decline stay as
 * written; `#pragma ktune` lines become blank lines.
 */
kt_status kt_emit(struct kt_buf *out, const struct kt_emission *emission, struct kt_error *err) KT_MUST_CHECK;

#endif
