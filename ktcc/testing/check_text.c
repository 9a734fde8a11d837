/* Checks as values and as text: what `ktcc verify --check` takes and shows. */
#include "testing/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct kt_check kt_check_of_problem(const struct kt_subject *subject, size_t problem)
{
	const struct kt_region *region = subject->template_->region;

	return (struct kt_check){
	    .problem = region->variable_count != 0 ? region->problems + problem * region->variable_count : NULL,
	    /* Different data in every buffer and problem, the same on every run. */
	    .seed = 1 + (int64_t)problem,
	    .shifted = -1,
	    .alias = -1,
	    .alias_of = -1,
	};
}

bool kt_check_equal(const struct kt_subject *subject, const struct kt_check *a, const struct kt_check *b)
{
	const size_t variables = subject->template_->region->variable_count;

	return a->fill == b->fill && a->seed == b->seed && a->offset == b->offset &&
	       (a->offset == 0 || a->shifted == b->shifted) && a->alias == b->alias && a->alias_of == b->alias_of &&
	       (variables == 0 || memcmp(a->problem, b->problem, variables * sizeof *a->problem) == 0);
}

static bool is_tuning_problem(const struct kt_subject *subject, const struct kt_check *check)
{
	for (size_t p = 0; p < subject->template_->region->problem_count; p++) {
		const struct kt_check problem = kt_check_of_problem(subject, p);

		if (kt_check_equal(subject, &problem, check))
			return true;
	}
	return false;
}

void kt_check_print(struct kt_buf *out, const struct kt_subject *subject, const struct kt_check *check)
{
	const struct kt_region *region = subject->template_->region;
	const char *blank = "";

	for (size_t v = 0; v < region->variable_count; v++, blank = " ")
		kt_buf_addf(out, "%s%s=%lld", blank, region->variables[v], (long long)check->problem[v]);
	if (is_tuning_problem(subject, check))
		return;
	if (check->fill != KT_FILL_DEFAULT)
		kt_buf_addf(out, "%sfill=%s", blank, kt_fill_names[check->fill]), blank = " ";
	if (check->offset != 0 && check->shifted >= 0)
		kt_buf_addf(out, "%soffset=%s:%lld", blank, region->buffers[check->shifted].name, (long long)check->offset),
		    blank = " ";
	else if (check->offset != 0)
		kt_buf_addf(out, "%soffset=%lld", blank, (long long)check->offset), blank = " ";
	if (check->alias >= 0)
		kt_buf_addf(out, "%salias=%s:%s", blank, region->buffers[check->alias].name,
		            region->buffers[check->alias_of].name),
		    blank = " ";
	kt_buf_addf(out, "%sseed=%lld", blank, (long long)check->seed);
}

static bool read_number(int64_t *out, const char *text)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return end != text && *end == '\0' && errno == 0;
}

static bool read_fill(struct kt_check *out, const struct kt_region *region, const char *value)
{
	(void)region;
	for (int kind = 0; kind < KT_FILLS; kind++)
		if (strcmp(kt_fill_names[kind], value) == 0) {
			out->fill = (enum kt_fill_kind)kind;
			return true;
		}
	return false;
}

static bool read_offset(struct kt_check *out, const struct kt_region *region, const char *value)
{
	const char *colon = strchr(value, ':');

	if (colon != NULL && (out->shifted = kt_check_buffer_named(region, value, (size_t)(colon - value))) < 0)
		return false;
	return read_number(&out->offset, colon != NULL ? colon + 1 : value) && out->offset >= 0 &&
	       out->offset <= KT_CHECK_OFFSET_MOST;
}

static bool read_alias(struct kt_check *out, const struct kt_region *region, const char *value)
{
	const char *colon = strchr(value, ':');

	NEED(colon, false);
	out->alias = kt_check_buffer_named(region, value, (size_t)(colon - value));
	out->alias_of = kt_check_buffer_named(region, colon + 1, strlen(colon + 1));
	return out->alias >= 0 && out->alias_of >= 0 && out->alias != out->alias_of &&
	       region->buffers[out->alias].argument >= 0 &&
	       (out->alias > out->alias_of || region->buffers[out->alias_of].argument < 0);
}

static bool read_seed(struct kt_check *out, const struct kt_region *region, const char *value)
{
	(void)region;
	return read_number(&out->seed, value) && out->seed > 0 && out->seed < INT64_MAX / (KT_PARAMETERS * 8);
}

static const struct {
	const char *name;
	bool (*read)(struct kt_check *out, const struct kt_region *region, const char *value);
} options[] = {{"fill", read_fill}, {"offset", read_offset}, {"alias", read_alias}, {"seed", read_seed}};

/* One word "NAME=VALUE"; a variable's name goes before an option's, once. */
static bool read_word(struct kt_check *out, int64_t *values, bool *given, const struct kt_region *region, char *word)
{
	char *equals = strchr(word, '=');

	NEED(equals, false);
	*equals = '\0';
	for (size_t v = 0; v < region->variable_count; v++)
		if (!given[v] && strcmp(region->variables[v], word) == 0)
			return given[v] = read_number(&values[v], equals + 1);
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (strcmp(options[i].name, word) == 0)
			return options[i].read(out, region, equals + 1);
	return false;
}

kt_status kt_check_read(struct kt_check *out, struct kt_arena *arena, const struct kt_subject *subject,
                        const char *text, struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	struct kt_check check = {.shifted = -1, .alias = -1, .alias_of = -1};
	int64_t *values = kt_arena_array(arena, region->variable_count + 1, sizeof *values);
	char *words = kt_arena_strdup(arena, text), *rest = NULL;
	bool given[KT_PROBLEM_VARIABLES] = {false};

	if (values == NULL || words == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "check: out of memory");
	for (char *word = strtok_r(words, " \t", &rest); word != NULL; word = strtok_r(NULL, " \t", &rest)) {
		const char *whole = kt_arena_strdup(arena, word);

		if (whole == NULL || !read_word(&check, values, given, region, word))
			return kt_fail(err, KT_ERR_INVALID, "check '%s': '%s' is not understood", text, whole);
	}
	for (size_t v = 0; v < region->variable_count; v++)
		if (!given[v])
			return kt_fail(err, KT_ERR_INVALID, "check '%s': %s has no value", text, region->variables[v]);
	check.problem = region->variable_count != 0 ? values : NULL;
	/* Without a seed it is a tuning problem with that problem's data, if there is one. */
	for (size_t p = 0; check.seed == 0 && p < region->problem_count; p++) {
		const struct kt_check problem = kt_check_of_problem(subject, p);

		check.seed = problem.seed;
		if (!kt_check_equal(subject, &problem, &check))
			check.seed = 0;
	}
	if (check.seed == 0)
		check.seed = 1;
	*out = check;
	return KT_OK;
}
