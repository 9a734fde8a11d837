#include "testing/check.h"

#include <string.h>

#include "base/device.h"

#define ADDRESS_STEP ((uint64_t)1 << 48) /* the distance of buffers where expressions look at addresses */

bool kt_fill_goes_beyond(enum kt_fill_kind kind)
{
	return kind == KT_FILL_NORMAL || kind == KT_FILL_RANGE || kind == KT_FILL_LARGE || kind == KT_FILL_SPECIAL;
}

int64_t kt_check_buffer_named(const struct kt_region *region, const char *name, size_t length)
{
	for (size_t b = 0; b < region->buffer_count; b++)
		if (strlen(region->buffers[b].name) == length && memcmp(region->buffers[b].name, name, length) == 0)
			return (int64_t)b;
	return -1;
}

/* The buffer whose elements these are as well: the one that it is like, or itself. */
static size_t likeness(const struct kt_region *region, size_t buffer)
{
	const char *like = region->buffers[buffer].like;
	const int64_t other = like != NULL ? kt_check_buffer_named(region, like, strlen(like)) : -1;

	return other >= 0 ? (size_t)other : buffer;
}

int64_t kt_check_seed(const struct kt_subject *subject, const struct kt_check *check, size_t buffer)
{
	buffer = likeness(subject->template_->region, buffer);
	return 1 + (check->seed - 1) * (KT_PARAMETERS * 4) + (int64_t)buffer;
}

/* ---- data */

/* Without a clause: small numbers of both signs, and integers that are small in every type. */
static struct kt_fill plain_fill(const struct kt_buffer *buffer, enum kt_scalar element)
{
	if (buffer->fill.kind != KT_FILL_DEFAULT)
		return buffer->fill;
	if (kt_scalar_is_float(element))
		return (struct kt_fill){.kind = KT_FILL_UNIFORM, .a = -1, .b = 1};
	return (struct kt_fill){.kind = KT_FILL_RANGE, .a = 0, .b = element == KT_BOOL ? 1 : 127};
}

/*
 * Integers without a clause are no indices: of both signs, with the upper bits set, and beyond what a float holds. Wide
 * signed ones no larger, so that sums of a few keep below the end of the type, and loops as long as one end.
 */
static struct kt_fill wide_range(enum kt_scalar element)
{
	static const struct {
		double least, most;
	} range[] = {[KT_BOOL] = {0, 1},           [KT_I8] = {-128, 127},    [KT_U8] = {0, 255},
	             [KT_I16] = {-32768, 32767},   [KT_U16] = {0, 65535},    [KT_I32] = {-0x1p25, 0x1p25},
	             [KT_U32] = {0, 4294967295.0}, [KT_I64] = {-0x1p40, 0x1p40}, [KT_U64] = {0, 0x1p40}};

	return (struct kt_fill){.kind = KT_FILL_RANGE, .a = range[element].least, .b = range[element].most};
}

/* The numbers [a, b) that most elements come from where some are unusual: around those that the clause gives. */
static struct kt_fill usual_numbers(struct kt_fill clause)
{
	if (clause.kind == KT_FILL_UNIFORM && clause.a < clause.b)
		return clause;
	if (clause.kind == KT_FILL_NORMAL && clause.b > 0)
		return (struct kt_fill){.kind = KT_FILL_UNIFORM, .a = clause.a - clause.b, .b = clause.a + clause.b};
	return (struct kt_fill){.kind = KT_FILL_UNIFORM, .a = -1, .b = 1};
}

struct kt_fill kt_check_fill(const struct kt_check *check, const struct kt_buffer *buffer, enum kt_scalar element)
{
	const struct kt_fill plain = plain_fill(buffer, element);

	if (check->fill == KT_FILL_DEFAULT || (check->fill == KT_FILL_RANGE && kt_scalar_is_float(element)))
		return plain;
	if (!kt_scalar_is_float(element)) {
		if (buffer->fill.kind == KT_FILL_DEFAULT && check->fill == KT_FILL_RANGE)
			return wide_range(element);
		if (buffer->fill.kind == KT_FILL_DEFAULT && (check->fill == KT_FILL_ZEROS || check->fill == KT_FILL_CONSTANT))
			return (struct kt_fill){.kind = check->fill, .a = 1, .b = 0};
		return plain;
	}
	/* Numbers that become an index, or whose order counts, are a promise; other clauses are samples of what may come. */
	if (kt_fill_is_promise(buffer->fill.kind))
		return plain;
	const struct kt_fill usual = usual_numbers(plain);

	switch (check->fill) {
	case KT_FILL_NORMAL:
		return (struct kt_fill){.kind = KT_FILL_NORMAL, .a = 0, .b = 1};
	case KT_FILL_CONSTANT:
		return (struct kt_fill){.kind = KT_FILL_CONSTANT, .a = buffer->fill.kind == KT_FILL_DEFAULT ? 0.5
		                                          : usual.a + (usual.b - usual.a) / 2, .b = 0};
	default:
		return (struct kt_fill){.kind = check->fill, .a = usual.a, .b = usual.b};
	}
}

int64_t kt_check_offset(const struct kt_subject *subject, const struct kt_check *check, size_t buffer)
{
	const struct kt_buffer *described = &subject->template_->region->buffers[buffer];
	const int64_t size = kt_buffer_element(described, subject->instance)->align;
	int64_t offset = check->offset;

	if (described->argument < 0 || offset == 0 || size == 0 || size > KT_CHECK_OFFSET_MOST || (check->shifted >= 0 && check->shifted != (int64_t)buffer))
		return 0;
	offset -= offset % size;
	return offset != 0 ? offset : size;
}

bool kt_check_fits(enum kt_scalar element, int64_t integer, bool is_value)
{
	const int bits = 8 * (int)kt_scalar_bytes(element);
	const bool is_signed = element == KT_I8 || element == KT_I16 || element == KT_I32 || element == KT_I64;

	if (element == KT_BOOL || bits >= 64)
		return is_value || is_signed || integer >= 0;
	return integer >= (is_signed || is_value ? -((int64_t)1 << (bits - 1)) : 0) &&
	       integer < (int64_t)1 << (is_signed && !is_value ? bits - 1 : bits);
}

/* ---- expressions */

/* The template's parameters hide those of the region. */
bool kt_check_lookup(int64_t *value, const char *name, void *context)
{
	const struct kt_check_scope *scope = context;
	const struct kt_template *template_ = scope->subject->template_;
	struct kt_scope outer = {template_->region, scope->subject->original, scope->check->problem,
	                         scope->subject->device};

	for (size_t i = 0; scope->configuration != NULL && i < template_->parameter_count; i++)
		if (strcmp(template_->parameters[i].name, name) == 0) {
			*value = scope->configuration[i];
			return true;
		}
	return kt_scope_lookup(value, name, &outer);
}

bool kt_check_point(uint64_t *address, int64_t *element_bytes, const char *name, void *context)
{
	const struct kt_check_scope *scope = context;
	const struct kt_region *region = scope->subject->template_->region;
	int64_t found = kt_check_buffer_named(region, name, strlen(name));

	if (found < 0)
		return false;
	/* An alias has the address of the other one. */
	if (scope->check->alias == found)
		found = scope->check->alias_of;
	*element_bytes = kt_buffer_unit(&region->buffers[found], scope->subject->instance);
	*address = ((uint64_t)found + 1) * ADDRESS_STEP +
	           (uint64_t)kt_check_offset(scope->subject, scope->check, (size_t)found);
	return *element_bytes > 0;
}

bool kt_check_holds(const struct kt_clause_expr *clause, const struct kt_check_scope *given)
{
	struct kt_check_scope scope = *given;
	struct kt_error ignored;
	int64_t value;

	return kt_expr_eval_at(&value, clause->expr, kt_check_lookup, kt_check_point, &scope, &ignored) == KT_OK &&
	       value != 0;
}

kt_status kt_check_temporaries(int64_t *counts, const struct kt_check_scope *given, struct kt_error *err)
{
	const struct kt_template *t = given->subject->template_;
	struct kt_check_scope scope = *given;
	int64_t bytes;

	for (size_t i = 0; i < t->temporary_count; i++)
		if (kt_expr_eval(&counts[i], t->temporaries[i].count.expr, kt_check_lookup, &scope, err) != KT_OK)
			return kt_fail_prefix(err, "size of '%s'", t->temporaries[i].name);
	if (!kt_template_temporary_bytes(&bytes, t, counts, given->subject->device->memory_bytes))
		return kt_fail(err, KT_ERR_INVALID, "temporaries below 0 or beyond their part of the device's memory");
	return KT_OK;
}

static bool has_temporaries(const struct kt_check_scope *scope)
{
	int64_t counts[KT_TEMPORARIES];
	struct kt_error ignored;

	return scope->subject->template_->temporary_count == 0 || kt_check_temporaries(counts, scope, &ignored) == KT_OK;
}

bool kt_check_allowed(const struct kt_check_scope *given)
{
	struct kt_check_scope scope = *given;
	const struct kt_template *template_ = scope.subject->template_;
	const struct kt_region *region = template_->region;
	const bool original = scope.configuration == NULL;
	const struct kt_clause_expr *guards = original ? region->guards : template_->guards;
	const struct kt_clause_expr *restrictions = original ? region->restrictions : template_->restrictions;
	const size_t guard_count = original ? region->guard_count : template_->guard_count;
	const size_t restriction_count = original ? region->restriction_count : template_->restriction_count;

	for (size_t i = 0; i < guard_count; i++)
		if (!kt_check_holds(&guards[i], given))
			return false;
	for (size_t i = 0; i < restriction_count; i++)
		if (kt_template_at_launch(template_, &restrictions[i]) && !kt_check_holds(&restrictions[i], given))
			return false;
	return original || has_temporaries(&scope);
}

static kt_status dimensions(int64_t out[3], const struct kt_clause_expr *clauses, size_t count,
                            struct kt_check_scope *scope, const char *what, struct kt_error *err)
{
	if (count == 0)
		return kt_fail(err, KT_ERR_INVALID, "the %s is unknown", what);
	for (size_t i = 0; i < 3; i++) {
		out[i] = 1;
		if (i < count && clauses[i].expr != NULL &&
		    kt_expr_eval(&out[i], clauses[i].expr, kt_check_lookup, scope, err) != KT_OK)
			return kt_fail_prefix(err, "%s", what);
	}
	return KT_OK;
}

size_t kt_check_steps(const struct kt_subject *subject)
{
	const size_t count = subject->template_->region->step_count;

	return count > 0 ? count : 1;
}

kt_status kt_check_step(struct kt_geometry *out, const struct kt_check_scope *given, size_t step, struct kt_error *err)
{
	const struct kt_subject *subject = given->subject;
	const struct kt_region *region = subject->template_->region;
	struct kt_scope scope = {region, subject->original, given->check->problem, subject->device};

	return region->step_count > 0 ? kt_step_geometry(out, step, &scope, err) : kt_region_geometry(out, &scope, err);
}

kt_status kt_check_kernel(struct kt_geometry *out, const struct kt_check_scope *given, size_t index,
                          struct kt_error *err)
{
	const struct kt_template_kernel kernel = kt_template_kernel_at(given->subject->template_, index);
	struct kt_check_scope scope = *given;
	kt_status status = dimensions(out->grid, kernel.grid, kernel.grid_count, &scope, "grid", err);

	out->shared_bytes = 0;
	return status == KT_OK ? dimensions(out->block, kernel.block, kernel.block_count, &scope, "block", err) : status;
}

kt_status kt_check_geometry(struct kt_geometry *out, const struct kt_check_scope *given, struct kt_error *err)
{
	const struct kt_template *t = given->subject->template_;
	struct kt_check_scope scope = *given;

	if (scope.configuration == NULL)
		return kt_check_step(out, given, 0, err);
	TRY(kt_check_kernel(out, given, 0, err));
	if (t->shared_bytes.expr != NULL &&
	    kt_expr_eval(&out->shared_bytes, t->shared_bytes.expr, kt_check_lookup, &scope, err) != KT_OK)
		return kt_fail_prefix(err, "shared memory");
	return KT_OK;
}

struct kt_buffer kt_check_group(const struct kt_buffer *buffer, size_t group)
{
	struct kt_buffer out = *buffer;

	if (group > 0 && group <= buffer->member_count) {
		const struct kt_member_fill *member = &buffer->members[group - 1];

		out.fill = member->fill;
		memcpy(out.bounds, member->bounds, sizeof out.bounds);
	}
	return out;
}

kt_status kt_check_buffer(struct kt_buffer *out, const struct kt_check_scope *given, size_t index, struct kt_error *err)
{
	const struct kt_buffer *buffer = &given->subject->template_->region->buffers[index];
	struct kt_check_scope scope = *given;

	while (buffer->otherwise != NULL) {
		int64_t holds = 0;

		if (kt_expr_eval(&holds, buffer->when.expr, kt_check_lookup, &scope, err) != KT_OK)
			return kt_fail_prefix(err, "when of '%s'", buffer->name);
		if (holds != 0)
			break;
		buffer = buffer->otherwise;
	}
	*out = *buffer;
	return KT_OK;
}

/* A file has the numbers of one size. */
static kt_status check_file(const struct kt_check_scope *scope, size_t index, const struct kt_buffer *buffer,
                            struct kt_error *err)
{
	const struct kt_element *element = kt_buffer_element(buffer, scope->subject->instance);
	int64_t count = 0;

	if (buffer->file.text == NULL)
		return KT_OK;
	TRY(kt_check_count(&count, scope, index, err));
	count *= (int64_t)element->number_count;
	return count == buffer->file.count ? KT_OK
	                                   : kt_fail(err, KT_ERR_INVALID, "'%s' has %lld numbers, and '%s' has %lld",
	                                             buffer->file.text, (long long)buffer->file.count, buffer->name,
	                                             (long long)count);
}

/* A buffer that is like another one has its elements, one by one. */
static kt_status check_likeness(const struct kt_check_scope *scope, size_t index, struct kt_error *err)
{
	const struct kt_region *region = scope->subject->template_->region;
	const size_t other = likeness(region, index);
	int64_t own = 0, others = 0;

	if (other == index)
		return KT_OK;
	TRY(kt_check_count(&own, scope, index, err));
	TRY(kt_check_count(&others, scope, other, err));
	return own == others ? KT_OK
	                     : kt_fail(err, KT_ERR_INVALID, "'%s' has %lld elements and '%s', which it is like, %lld",
	                               region->buffers[index].name, (long long)own, region->buffers[other].name,
	                               (long long)others);
}

kt_status kt_check_bounds(struct kt_fill *out, const struct kt_check_scope *given, size_t index, size_t group,
                          struct kt_error *err)
{
	struct kt_check_scope scope = *given;
	struct kt_buffer own;

	TRY(kt_check_buffer(&own, given, index, err));
	own = kt_check_group(&own, group);
	const struct kt_buffer *buffer = &own;
	struct kt_fill fill = buffer->fill;

	TRY(check_likeness(given, index, err));
	TRY(check_file(given, index, buffer, err));
	for (size_t i = 0; i < KT_FILL_NUMBERS; i++) {
		int64_t bound;

		if (buffer->bounds[i].expr == NULL)
			continue;
		if (kt_expr_eval(&bound, buffer->bounds[i].expr, kt_check_lookup, &scope, err) != KT_OK)
			return kt_fail_prefix(err, "fill of '%s'", buffer->name);
		kt_fill_set(&fill, i, (double)bound);
	}
	const char *wrong = kt_fill_mistake(&fill);

	if (wrong != NULL)
		return kt_fail(err, KT_ERR_INVALID, "fill of '%s': %s: %.0f, %.0f", buffer->name, wrong, fill.a, fill.b);
	*out = fill;
	return KT_OK;
}

kt_status kt_check_count(int64_t *out, const struct kt_check_scope *given, size_t index, struct kt_error *err)
{
	const struct kt_buffer *buffer = &given->subject->template_->region->buffers[index];
	struct kt_check_scope scope = *given;
	int64_t count = 0, bytes = 0;

	if (kt_expr_eval(&count, buffer->count.expr, kt_check_lookup, &scope, err) != KT_OK)
		return kt_fail_prefix(err, "size of '%s'", buffer->name);
	const struct kt_element *element = kt_buffer_element(buffer, scope.subject->instance);
	if (buffer->type != NULL && element->bytes > 0) {
		if (count % element->bytes != 0)
			return kt_fail(err, KT_ERR_INVALID, "'%s' would have %lld bytes, and %s has %u", buffer->name, (long long)count,
			               buffer->type, element->bytes);
		count /= element->bytes;
	}
	if (count < 0 || __builtin_mul_overflow(count, (int64_t)element->bytes, &bytes) ||
	    bytes > INT64_MAX / 256)
		return kt_fail(err, KT_ERR_INVALID, "'%s' would have %lld elements", buffer->name, (long long)count);
	if (buffer->argument < 0 && element->bytes == 0)
		return kt_fail(err, KT_ERR_INVALID, "device symbol '%s' has a type that cannot be built", buffer->name);
	if (buffer->argument < 0 && count > buffer->symbol.elements)
		return kt_fail(err, KT_ERR_INVALID, "device symbol '%s' has %lld elements, its clause counts %lld", buffer->name,
		               (long long)buffer->symbol.elements, (long long)count);
	*out = count;
	return KT_OK;
}
