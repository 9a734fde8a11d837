#include "select_world.h"

#include "base/expr.h"

int select_setup(void **state)
{
	static struct world w;

	memset(&w, 0, sizeof w);
	w.arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	w.names[0] = "rows";
	w.names[1] = "d";
	w.allowed[0] = w.allowed[1] = true;
	w.matrix = (struct kt_matrix){.variables = 1, .timings = w.timings, .values = w.values, .names = w.names,
	                              .allowed = w.allowed};
	*state = &w;
	return w.arena != NULL ? 0 : -1;
}

int select_teardown(void **state)
{
	kt_arena_free(((struct world *)*state)->arena);
	return 0;
}

void select_row(struct world *w, const double *ns)
{
	for (size_t p = 0; p < w->matrix.problems; p++)
		w->timings[w->matrix.rows * w->matrix.problems + p] =
		    (struct kt_timing){ns[p], ns[p], ns[p], ns[p] * 0.002, 100};
	w->matrix.rows++;
}

void select_one_variable(struct world *w, size_t problems, const int64_t *rows)
{
	w->matrix.problems = problems;
	memcpy(w->values, rows, problems * sizeof *rows);
}

struct kt_selection select_chosen(struct world *w, bool special)
{
	struct kt_selection selection;
	struct kt_error err;

	assert_int_equal(kt_select(&selection, w->arena, &w->matrix, special, &err), KT_OK);
	return selection;
}

struct point {
	const struct world *w;
	const int64_t *values;
};

static bool lookup(int64_t *value, const char *name, void *context)
{
	const struct point *point = context;

	for (size_t v = 0; v < point->w->matrix.variables; v++)
		if (strcmp(point->w->names[v], name) == 0) {
			*value = point->values[v];
			return true;
		}
	return false;
}

size_t select_at(struct world *w, const struct kt_selection *s, int64_t a, int64_t b)
{
	int64_t values[2] = {a, b}, holds = 0;
	struct point point = {w, values};
	struct kt_error err;

	for (size_t k = 0; k < s->special_count; k++) {
		struct kt_expr *expr;

		assert_int_equal(kt_expr_parse(&expr, w->arena, s->when[k], strlen(s->when[k]), &err), KT_OK);
		assert_int_equal(kt_expr_eval(&holds, expr, lookup, &point, &err), KT_OK);
		if (holds != 0)
			return s->specials[k];
	}
	return s->general;
}

void select_unlisted(struct world *w, size_t shapes, const uint32_t *covers)
{
	w->matrix.shapes = shapes;
	w->matrix.covers = covers;
}
