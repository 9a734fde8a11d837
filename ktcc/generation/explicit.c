/* The explicit generator: text of the kernel and its callees with placeholders for parameters. */
#include "generation/generation.h"

#include <ctype.h>
#include <string.h>

#include "base/source.h"

struct text {
	const char *source;
	size_t size;
	const struct kt_region *region;
};

static void add_literal(struct kt_buf *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '$')
			kt_buf_addc(out, '$');
		kt_buf_addc(out, text[i]);
	}
}

/* A constant's type may differ from int (in OpenCL C it never does); directives take plain numbers only. */
static bool in_directive(const struct text *t, size_t offset)
{
	while (offset > 0 && t->source[offset - 1] != '\n')
		offset--;
	while (offset < t->size && (t->source[offset] == ' ' || t->source[offset] == '\t'))
		offset++;
	return offset < t->size && t->source[offset] == '#';
}

static kt_status add_parameter(struct kt_buf *out, const struct text *t, const struct kt_edit *edit,
			       struct kt_error *err)
{
	const struct kt_parameter *parameter;

	if (edit->index >= t->region->parameter_count)
		return kt_fail(err, KT_ERR_INVALID, "edit of an unknown parameter");
	parameter = &t->region->parameters[edit->index];
	if (parameter->fixed != NULL) {
		add_literal(out, t->source + edit->range.begin, edit->range.end - edit->range.begin);
	} else if (parameter->kind == KT_PARAMETER_CONSTANT && kt_target_of(t->region->language)->has_host_code &&
		   !in_directive(t, edit->range.begin)) {
		kt_buf_adds(out, "decltype(");
		add_literal(out, t->source + edit->range.begin, edit->range.end - edit->range.begin);
		kt_buf_addf(out, "){${%s}}", parameter->name);
	} else {
		kt_buf_addf(out, "${%s}", parameter->name);
	}
	return KT_OK;
}

static kt_status add_edit(struct kt_buf *out, const struct text *t, const struct kt_edit *edit, struct kt_error *err)
{
	switch (edit->kind) {
	case KT_EDIT_KERNEL_NAME:
		kt_buf_adds(out, "${ktune:kernel}");
		return KT_OK;
	case KT_EDIT_CALLEE:
		if (edit->index >= t->region->callee_count)
			return kt_fail(err, KT_ERR_INVALID, "edit of an unknown callee");
		kt_buf_addf(out, "${ktune:callee:%zu}", edit->index);
		return KT_OK;
	case KT_EDIT_PARAMETER:
		return add_parameter(out, t, edit, err);
	}
	return kt_fail(err, KT_ERR_INVALID, "edit of an unknown kind");
}

/* Appends source[begin, end) with the edits that lie in it. */
static kt_status add_range(struct kt_buf *out, const struct text *t, size_t begin, size_t end,
			   const struct kt_edit *edits, size_t count, struct kt_error *err)
{
	if (begin > end || end > t->size)
		return kt_fail(err, KT_ERR_INVALID, "bytes %zu to %zu do not fit the text", begin, end);
	for (size_t i = 0; i < count; i++) {
		const struct kt_range *range = &edits[i].range;

		if (range->end <= begin || range->begin >= end)
			continue;
		if (range->begin < begin || range->end > end || range->begin >= range->end)
			return kt_fail(err, KT_ERR_INVALID, "edit of bytes %u to %u does not fit the text",
				       (unsigned)range->begin, (unsigned)range->end);
		add_literal(out, t->source + begin, range->begin - begin);
		TRY(add_edit(out, t, &edits[i], err));
		kt_source_newlines(out, t->source + range->begin, range->end - range->begin);
		begin = range->end;
	}
	add_literal(out, t->source + begin, end - begin);
	return KT_OK;
}

/* Blanks the words of linkage in template text: static, extern, extern "C". Newlines stay. */
static void strip_linkage(char *text, size_t size)
{
	static const char *const words[] = {"static", "extern", "\"C\""};

	for (size_t i = 0; i < size;) {
		size_t length = 1;

		if (isalpha((unsigned char)text[i]) || text[i] == '_') {
			while (i + length < size &&
			       (isalnum((unsigned char)text[i + length]) || text[i + length] == '_'))
				length++;
		} else if (size - i >= 3 && memcmp(text + i, "\"C\"", 3) == 0) {
			length = 3;
		}
		for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
			if (strlen(words[w]) == length && memcmp(text + i, words[w], length) == 0)
				memset(text + i, ' ', length);
		i += length;
	}
}

/* One defaulted parameter: from "=" to the end of the default's text; empty when the text is spelled otherwise. */
static struct kt_range default_range(const struct text *t, size_t begin, size_t end, const char *value)
{
	struct kt_range none = {0, 0};

	for (size_t i = begin; i < end; i++) {
		const char *v = value;
		size_t j = i + 1;

		if (t->source[i] != '=')
			continue;
		/* Blanks may differ between the scan's spelling and the source's. */
		while (*v != '\0' && j < end) {
			if (isspace((unsigned char)*v))
				v++;
			else if (isspace((unsigned char)t->source[j]))
				j++;
			else if (*v++ != t->source[j++])
				break;
		}
		while (j < end && isspace((unsigned char)t->source[j]))
			j++;
		if (*v == '\0' && j < end && (t->source[j] == ',' || t->source[j] == ')'))
			return (struct kt_range){(uint32_t)i, (uint32_t)j};
	}
	return none;
}

/* The parameter list without default arguments: a variant is always called with all of them. */
static kt_status add_parameters(struct kt_buf *out, const struct text *t, struct kt_error *err)
{
	const struct kt_region *r = t->region;
	size_t begin = r->parameters_range.begin, end = r->parameters_range.end;

	for (size_t i = 0; i < r->argument_count; i++) {
		struct kt_range cut;

		if (r->arguments[i].default_text == NULL)
			continue;
		cut = default_range(t, begin, end, r->arguments[i].default_text);
		if (cut.end == 0)
			continue;
		TRY(add_range(out, t, begin, cut.begin, r->edits, r->edit_count, err));
		kt_source_newlines(out, t->source + cut.begin, cut.end - cut.begin);
		begin = cut.end;
	}
	return add_range(out, t, begin, end, r->edits, r->edit_count, err);
}

static kt_status make_head(struct kt_buf *out, const struct text *t, struct kt_error *err)
{
	const struct kt_region *r = t->region;
	size_t specifiers;

	/* `template <>` of an explicit specialisation: the variant is a plain kernel. */
	if (r->template_count == 0)
		kt_source_newlines(out, t->source + r->extent.begin, r->attributes.begin - r->extent.begin);
	else
		TRY(add_range(out, t, r->extent.begin, r->attributes.begin, r->edits, r->edit_count, err));

	specifiers = out->size;
	TRY(add_range(out, t, r->attributes.begin, r->attributes.end, r->edits, r->edit_count, err));
	if (out->data != NULL && !out->failed) {
		size_t from = kt_source_template_header(out->data, out->size);

		/* `extern "C"` may be before the attributes, `template <class T>` is never after them. */
		if (from > specifiers)
			from = specifiers;
		strip_linkage(out->data + from, out->size - from);
	}
	TRY(add_range(out, t, r->attributes.end, r->name_range.begin, r->edits, r->edit_count, err));
	kt_buf_adds(out, "${ktune:kernel}");
	TRY(add_range(out, t, r->name_range.end, r->parameters_range.begin, r->edits, r->edit_count, err));
	TRY(add_parameters(out, t, err));
	TRY(add_range(out, t, r->parameters_range.end, r->body.begin, r->edits, r->edit_count, err));
	if (out->data != NULL)
		while (out->size > 0 && isspace((unsigned char)out->data[out->size - 1]))
			out->data[--out->size] = '\0';
	return KT_OK;
}

/* Specifiers end at the function's own name, else at its parameter list. */
static size_t specifiers_end(const char *text, size_t size, size_t index)
{
	char own[48];
	struct kt_buf name = KT_BUF(sizeof own);
	const char *found, *round = memchr(text, '(', size);
	size_t end = round != NULL ? (size_t)(round - text) : size;

	kt_buf_addf(&name, "${ktune:callee:%zu}", index);
	found = memmem(text, size, kt_buf_text(&name), name.size);
	if (found != NULL)
		end = (size_t)(found - text);
	kt_buf_free(&name);
	return end;
}

static kt_status add_callee(struct kt_buf *out, const struct text *t, size_t index, struct kt_error *err)
{
	const struct kt_callee *callee = &t->region->callees[index];
	struct kt_buf copy = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_status status =
	    add_range(&copy, t, callee->extent.begin, callee->extent.end, callee->edits, callee->edit_count, err);

	THEN(status, kt_buf_check(&copy, "callee", err));
	if (status == KT_OK && copy.data != NULL) {
		size_t header, end;

		/* In C an inline function that is no longer static has no definition to call: linkage is left unmodified. */
		if (!kt_target_of(t->region->language)->has_host_code) {
			kt_buf_add(out, copy.data, copy.size);
			kt_buf_addc(out, '\n');
			goto done;
		}
		header = kt_source_template_header(copy.data, copy.size);
		end = header + specifiers_end(copy.data + header, copy.size - header, index);

		strip_linkage(copy.data + header, end - header);
		kt_buf_add(out, copy.data, header);
		kt_buf_adds(out, "static ");
		kt_buf_add(out, copy.data + header, copy.size - header);
		kt_buf_addc(out, '\n');
	}
done:
	kt_buf_free(&copy);
	return status;
}

static kt_status make_text(struct kt_template *out, struct kt_arena *arena, const struct text *t, struct kt_error *err)
{
	const struct kt_region *r = t->region;
	struct kt_buf helpers = KT_BUF(KT_LIMIT_SOURCE_BYTES), head = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_buf body = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_status status = KT_OK;

	for (size_t i = 0; status == KT_OK && i < r->callee_count; i++)
		status = add_callee(&helpers, t, i, err);
	THEN(status, make_head(&head, t, err));
	THEN(status, add_range(&body, t, r->body.begin, r->body.end, r->edits, r->edit_count, err));
	if (status != KT_OK)
		goto done;
	out->helpers = kt_arena_strdup(arena, kt_buf_text(&helpers));
	out->head = kt_arena_strdup(arena, kt_buf_text(&head));
	out->body = kt_arena_strdup(arena, kt_buf_text(&body));
	if (helpers.failed || head.failed || body.failed || out->helpers == NULL || out->head == NULL ||
	    out->body == NULL)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for the template of '%.80s'", r->name);
done:
	kt_buf_free(&helpers);
	kt_buf_free(&head);
	kt_buf_free(&body);
	return status;
}

uint32_t kt_head_line(const struct kt_region *region, const char *source)
{
	/* One kernel made of several has no line in the source. */
	if (region->step_count > 0)
		return 0;
	const size_t size = region->body.begin - region->extent.begin;
	const uint32_t lines = kt_source_line(source + region->extent.begin, size, size) - 1;

	return region->body_line > lines ? region->body_line - lines : 0;
}

kt_status kt_generate_explicit(struct kt_template **out, struct kt_arena *arena, const struct kt_region *region,
			       const char *source, size_t source_size, struct kt_error *err)
{
	const struct text text = {source, source_size, region};
	struct kt_template *template_ = kt_arena_alloc(arena, sizeof *template_);

	NEED(template_, kt_fail(err, KT_ERR_MEMORY, "out of memory for the template of '%.80s'", region->name));
	/* Several launches are not one kernel: such a template is for the original alone. */
	if (region->step_count > 0)
		template_->helpers = template_->head = template_->body = "";
	TRY(region->step_count > 0 ? KT_OK : make_text(template_, arena, &text, err));
	/* A grid that the cluster does not divide cannot be launched, and only the tuned problems were tried. */
	if (strstr(template_->head, "__cluster_dims__") != NULL)
		return kt_fail(err, KT_ERR_INVALID, "the kernel has fixed cluster dimensions");
	template_->region = region;
	template_->generator = "explicit";
	template_->rationale = "the original kernel, over the parameters of its tune clauses";
	template_->parameter_count = region->parameter_count;
	template_->parameters = region->parameters;
	template_->head_line = kt_head_line(region, source);
	template_->body_line = region->body_line;
	template_->restriction_count = region->restriction_count;
	template_->restrictions = region->restrictions;
	template_->guard_count = region->guard_count;
	template_->guards = region->guards;
	template_->grid_count = region->grid_count;
	template_->grid = region->grid;
	template_->block_count = region->block_count;
	template_->block = region->block;
	template_->shared_bytes = region->shared_bytes;
	*out = template_;
	return KT_OK;
}
