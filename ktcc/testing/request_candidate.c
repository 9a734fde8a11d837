/* Requests to the runner about candidates. */
#include <math.h>
#include <string.h>

#include "testing/request.h"

/* The names in a text with a blank between two. */
kt_status kt_request_names(const char *const **out, size_t *count, struct kt_arena *arena, const char *text,
                           struct kt_error *err)
{
	const char **names = NULL;
	*count = 0;
	while (*text) {
		const size_t length = strcspn(text, " ");
		if (!kt_arena_push_text(arena, &names, count, kt_arena_strndup(arena, text, length)))
			return kt_no_memory(err);
		text += length + (text[length] == ' ');
	}
	*out = names;
	return KT_OK;
}

static kt_status fill_further(struct kt_run_row *out, struct kt_arena *arena, const struct kt_check_scope *scope,
                              struct kt_error *err)
{
	out->further_count = scope->subject->template_->further_count;
	NEED(out->further = kt_arena_array(arena, out->further_count + 1, sizeof *out->further), kt_no_memory(err));
	for (size_t i = 0; i < out->further_count; i++)
		TRY(kt_check_kernel(&out->further[i], scope, i + 1, err));
	return KT_OK;
}

static kt_status fill_temporary_counts(struct kt_run_row *out, struct kt_arena *arena,
                                       const struct kt_check_scope *scope, struct kt_error *err)
{
	out->temporary_count = scope->subject->template_->temporary_count;
	NEED(out->temporaries = kt_arena_array(arena, KT_TEMPORARIES, sizeof *out->temporaries), kt_no_memory(err));
	return out->temporary_count ? kt_check_temporaries(out->temporaries, scope, err) : KT_OK;
}

static kt_status fill_row(struct kt_run_row *out, struct kt_arena *arena, const struct kt_check_scope *scope,
                          struct kt_error *err)
{
	NEED(out->geometry = kt_arena_alloc(arena, sizeof *out->geometry), kt_no_memory(err));
	TRY(kt_check_geometry(out->geometry, scope, err));
	TRY(fill_further(out, arena, scope, err));
	return fill_temporary_counts(out, arena, scope, err);
}

static kt_status fill_rows(struct kt_run_request *out, struct kt_arena *arena, const struct kt_subject *subject,
                           const struct kt_rows *rows, const struct kt_candidate *candidate,
                           const struct kt_asked *asked, struct kt_error *err)
{
	const size_t begin = rows->timed + asked->first, end = begin + asked->count;
	out->row_count = rows->count;
	NEED(out->rows = kt_arena_array(arena, out->row_count + 1, sizeof *out->rows), kt_no_memory(err));
	for (size_t r = 0; r < rows->count; r++) {
		const struct kt_check_scope scope = {subject, candidate->configuration, &rows->checks[r]};
		const bool timed = r < rows->timed;
		/* Where a guard keeps the variant out the original runs, and there is nothing to be wrong. */
		out->rows[r].skip = (!timed && (r < begin || r >= end)) || !kt_check_allowed(&scope);
		if (out->rows[r].skip)
			continue;
		TRY(fill_row(&out->rows[r], arena, &scope, err));
		out->rows[r].give_up_ns = timed && asked->give_up_ns ? fmax(0, asked->give_up_ns[r]) : 0;
		out->rows[r].lost_ns = timed && asked->lost_ns ? fmax(0, asked->lost_ns[r]) : 0;
	}
	return KT_OK;
}

/* In which order problems are timed. */
static kt_status fill_order(struct kt_run_request *out, struct kt_arena *arena, const struct kt_rows *rows,
                            const size_t *order, struct kt_error *err)
{
	out->order_count = rows->timed;
	NEED(out->order = kt_arena_array(arena, rows->timed + 1, sizeof *out->order), kt_no_memory(err));
	for (size_t i = 0; i < rows->timed; i++)
		out->order[i] = order[i];
	return KT_OK;
}

/* The first kernel, and those after it. */
static kt_status fill_functions(struct kt_run_request *out, struct kt_arena *arena, const char *functions,
                                struct kt_error *err)
{
	const char *const *names = NULL;
	size_t count = 0;
	TRY(kt_request_names(&names, &count, arena, functions, err));
	out->function = count ? names[0] : NULL;
	out->further = count ? names + 1 : NULL;
	out->further_count = count ? count - 1 : 0;
	return KT_OK;
}

/* Names and element types of temporaries; fill_temporary_counts has their sizes for each problem. */
static kt_status fill_temporaries(struct kt_run_request *out, struct kt_arena *arena, const struct kt_template *t,
                                  struct kt_error *err)
{
	out->temporary_count = t->temporary_count;
	NEED(out->temporaries = kt_arena_array(arena, out->temporary_count + 1, sizeof *out->temporaries), kt_no_memory(err));
	for (size_t i = 0; i < t->temporary_count; i++)
		out->temporaries[i] = (struct kt_run_temporary){t->temporaries[i].name, t->temporaries[i].element};
	return KT_OK;
}

static kt_status fill_configuration(struct kt_run_request *out, struct kt_arena *arena, const struct kt_template *t,
                                    const int64_t *configuration, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_configuration_print(&text, t->parameters, t->parameter_count, configuration);
	kt_status status = kt_buf_check(&text, "a configuration's text", err);
	if (!status && !(out->configuration = kt_arena_strdup(arena, kt_buf_text(&text))))
		status = kt_no_memory(err);
	kt_buf_free(&text);
	return status;
}

static kt_status fill_candidate(struct kt_run_request *out, struct kt_arena *arena, const struct kt_subject *subject,
                                const struct kt_rows *rows, const struct kt_candidate *candidate,
                                const struct kt_asked *asked, struct kt_error *err)
{
	const struct kt_template *t = subject->template_;
	TRY(fill_configuration(out, arena, t, candidate->configuration, err));
	out->cubin = candidate->cubin;
	out->options = t->build_options;
	TRY(fill_functions(out, arena, candidate->function ? candidate->function : "", err));
	TRY(fill_temporaries(out, arena, t, err));
	TRY(fill_rows(out, arena, subject, rows, candidate, asked, err));
	return asked->order ? fill_order(out, arena, rows, asked->order, err) : KT_OK;
}

kt_status kt_request_candidate(cJSON *object, const struct kt_subject *subject, const struct kt_rows *rows,
                               const struct kt_candidate *candidate, struct kt_asked asked, struct kt_error *err)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	/* The original goes by the empty configuration. */
	struct kt_run_request record = {.configuration = ""};
	kt_status status = arena ? KT_OK : kt_no_memory(err);
	if (candidate->cubin || candidate->configuration)
		THEN(status, fill_candidate(&record, arena, subject, rows, candidate, &asked, err));
	if (!status)
		kt_print_members(object, &record, &kt_run_request, NULL);
	kt_arena_free(arena);
	return status;
}
