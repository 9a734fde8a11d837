/*
 * The plain generator: the original kernel, and parameters of its launch and compilation alone. It reads none of the kernel's
 * body. It is for kernels that no other generator understands, or whose print is not proven to be the kernel.
 *
 * Launch bounds are sound where every launch has blocks of one known size: `__launch_bounds__(T, n)` promises blocks of at
 * most T threads and asks for registers for n of them at a time. Where values are kept changes none.
 */
#include <string.h>

#include "base/lex.h"
#include "generation/generation.h"

enum { MOST_THREADS = 1024, MOST_VALUES = 5 };

struct maker {
	struct kt_arena *arena;
	const struct kt_region *region;
	const char *source;
	size_t source_size;
	int64_t block; /* threads */
	struct kt_error *err;
};

/* Threads of a block, where they are a constant; 0: they are not. */
static int64_t block_of(const struct kt_region *r)
{
	struct kt_scope scope = {r, NULL, NULL, NULL};
	struct kt_error ignored;
	int64_t size = r->block_count > 0, value;

	for (size_t d = 0; d < r->block_count && size != 0; d++) {
		const bool is_known =
		    kt_expr_eval(&value, r->block[d].expr, kt_scope_lookup, &scope, &ignored) == KT_OK && value > 0;

		size = is_known && value <= MOST_THREADS ? size * value : 0;
	}
	return size <= MOST_THREADS ? size : 0;
}

/* Are the words between `template <…>` and the name those of any kernel? Another one may be a bound, or a macro of one. */
static bool is_bare(const struct maker *m)
{
	static const char *const words[] = {"static", "inline", "extern", "\"C\"", "__global__", "void"};
	const struct kt_range range = m->region->attributes;
	struct kt_text text;
	struct kt_error ignored;

	if (kt_lex(&text, m->arena, m->source, range.begin, range.end, false, &ignored) != KT_OK)
		return false;
	for (size_t i = 0; i < text.count; i++) {
		const struct kt_token *token = &text.tokens[i];
		bool is_known = false;

		for (size_t w = 0; w < sizeof words / sizeof *words; w++)
			is_known = is_known || (strlen(words[w]) == token->end - token->begin &&
			                        memcmp(m->source + token->begin, words[w], strlen(words[w])) == 0);
		if (!is_known)
			return false;
	}
	return true;
}

static kt_status make_restriction(struct kt_clause_expr *out, const struct maker *m, const char *text)
{
	NEED(text, kt_fail(m->err, KT_ERR_MEMORY, "out of memory for a template"));
	out->text = text;
	return kt_expr_parse(&out->expr, m->arena, text, strlen(text), m->err);
}

static kt_status add_restrictions(struct kt_template *t, const struct maker *m)
{
	static const char *const reasons[] = {
	    "a multiprocessor holds no more threads",
	    "the compiler takes no bound of more blocks than a multiprocessor holds",
	};
	struct kt_clause_expr *list = kt_arena_array(m->arena, 2, sizeof *list);
	kt_status status;

	NEED(list, kt_fail(m->err, KT_ERR_MEMORY, "out of memory for a template"));
	status = make_restriction(&list[0], m, "RESIDENT <= device.max_threads_per_multiprocessor");
	if (status == KT_OK)
		status = make_restriction(&list[1], m,
		                          kt_arena_printf(m->arena, "RESIDENT <= %lld * device.max_blocks_per_multiprocessor",
		                                          (long long)m->block));
	t->restrictions = list;
	t->restriction_count = 2;
	t->restriction_reasons = reasons;
	return status;
}

static bool add_parameter(struct kt_template *t, const struct maker *m)
{
	static const int64_t threads[] = {1024, 1536, 2048};
	struct kt_parameter *p = kt_arena_alloc(m->arena, sizeof *p);
	int64_t *values = kt_arena_array(m->arena, MOST_VALUES, sizeof *values);
	size_t count = 0;

	if (p == NULL || values == NULL)
		return false;
	values[count++] = 0;
	values[count++] = m->block;
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
		if (threads[i] / m->block > values[count - 1] / m->block)
			values[count++] = threads[i];
	*p = (struct kt_parameter){.name = "RESIDENT",
				   .value_count = count,
				   .values = values,
				   .kind = KT_PARAMETER_PLACEHOLDER,
				   .meaning =
				       "threads that a multiprocessor must have registers for; 0: as in the original"};
	t->parameters = p;
	t->parameter_count = 1;
	return true;
}

/* "… __global__ void ${if RESIDENT}__launch_bounds__(256, ${= RESIDENT / 256}) ${end}${ktune:kernel}(…)" */
static bool add_bounds(struct kt_template *t, const struct maker *m)
{
	const char *name = strstr(t->head, "${ktune:kernel}");

	NEED(name, false);
	t->head = kt_arena_printf(m->arena, "%.*s${if RESIDENT}__launch_bounds__(%lld, ${= RESIDENT / %lld}) ${end}%s",
	                          (int)(name - t->head), t->head, (long long)m->block, (long long)m->block, name);
	return t->head != NULL;
}

kt_status kt_generate_plain(struct kt_template **out, struct kt_arena *arena, const struct kt_region *region,
                            const char *source, size_t source_size, struct kt_error *err)
{
	static const struct kt_template_strategy strategy = {
	    "launch_bounds", "fewer registers for each thread leave room for more threads"};
	const struct maker m = {arena, region, source, source_size, block_of(region), err};
	struct kt_template *t;
	if (!kt_target_of(region->language)->has_host_code || region->step_count > 0)
		return kt_fail(err, KT_ERR_INVALID, "it is no kernel of CUDA C++ by itself");
	if (m.block == 0)
		return kt_fail(err, KT_ERR_INVALID,
		                    "the block of the launches is no constant; write block(N) where the program always launches N threads");
	if (!is_bare(&m))
		return kt_fail(err, KT_ERR_INVALID, "the kernel has attributes, and may have launch bounds");
	TRY(kt_generate_explicit(&t, arena, region, source, source_size, err));
	t->generator = "plain";
	t->rationale = "the original kernel, with launch bounds";
	t->strategies = &strategy;
	t->strategy_count = 1;
	if (!add_parameter(t, &m) || !add_bounds(t, &m))
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for the template of '%.80s'", region->name);
	TRY(add_restrictions(t, &m));
	*out = t;
	return KT_OK;
}
