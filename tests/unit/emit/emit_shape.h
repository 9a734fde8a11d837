/* Emits one shape: a variant per instance on one device. */
#ifndef KT_TESTS_EMIT_SHAPE_H
#define KT_TESTS_EMIT_SHAPE_H

#include "generation/generation.h"
#include "shapes.h"

static inline void emit_shape(struct kt_buf *out, struct fixture *f, const struct shape *shape)
{
	struct kt_device device = fx_device();
	struct kt_variant variants[2];
	struct kt_template *template_;
	struct kt_emitted emitted;
	struct kt_error err;
	struct kt_emission emission = {&f->unit, f->source, strlen(f->source), "unit", "k.cu",
	                               f->region.instance_count, variants, NULL, NULL};

	fx_ok(kt_generate_explicit(&template_, f->arena, &f->region, f->source, strlen(f->source), &err), &err);
	for (size_t i = 0; i < f->region.instance_count; i++)
		variants[i] = (struct kt_variant){.template_ = template_, .instance = i, .configuration = shape->configuration,
		                                  .device = &device};
	fx_ok(kt_emit(&emitted, f->arena, &emission, &err), &err);
	kt_buf_adds(out, emitted.files[0].text);
}

#endif
