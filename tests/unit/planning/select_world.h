/* A matrix of times that tests fill row by row, and what is chosen from it. */
#ifndef SELECT_WORLD_H
#define SELECT_WORLD_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "planning/select.h"

enum { MOST = 64 };

struct world {
	struct kt_arena *arena;
	struct kt_timing timings[MOST * MOST];
	int64_t values[2 * MOST];
	const char *names[2];
	bool allowed[2];
	struct kt_matrix matrix;
};

int select_setup(void **state);
int select_teardown(void **state);
/* The times of the next row; the first one is the original's. */
void select_row(struct world *w, const double *ns);
void select_one_variable(struct world *w, size_t problems, const int64_t *rows);
/* The last `shapes` columns of the matrix are launches that no problem lists; a bit of `covers` each. */
void select_unlisted(struct world *w, size_t shapes, const uint32_t *covers);
struct kt_selection select_chosen(struct world *w, bool special);
/* Which variant the printed rules choose at a point, tuned or not. */
size_t select_at(struct world *w, const struct kt_selection *s, int64_t a, int64_t b);

#endif
