/*
 * From the time matrix to what is emitted: one general configuration, the few
 * specialised ones that pay, and for each of those the rule over problem
 * variables that chooses it at a launch (docs/selection.md).
 *
 * Cover: greedy. The specialised variant that lowers the sum of log times over
 * all problems most is added; on a problem it counts from kt_select_least_gain
 * on, and only beyond the noise: where a gain is about that large another measurement
 * decides otherwise, and that is what one is ready to lose so. After each addition every variant gets the row that is
 * best for what it serves, and each problem goes to the variant that is fastest
 * there, from half a percent on: where a threshold decides whether a problem
 * is served by a variant that is there anyway, another measurement would find
 * its choice that much slower or faster. Rules: learnt on the tuned problems in
 * four kinds,
 *
 *   exact     the problems themselves; anything else is the general one's
 *   interval  a box around them, its sides half way (geometrically) to the
 *             nearest problem of another variant, open where there is none
 *   nearest   the same over the product of the variables: the tuned problem
 *             whose cost is nearest in ratio decides
 *   bounds    open on all sides, with up to three conditions over variables and
 *             products of them that keep what is slower out: where a box around
 *             what it serves would hold a launch that is not its own
 *
 * Choices of at most two variants and of one are made as well: the one with fewer is taken where it is worth at most 2 % less
 * in the sum.
 *
 * A variant that gains little is for its problems exactly, whatever the others' rules are: on sizes between the tuned
 * ones it was not measured.
 *
 * Ties go to the row that comes first: what is within half a percent of the best
 * (in the mean over the problems it is for) is as good as it, and another
 * measurement would find another order. Rows are in the order of the space.
 *
 * Launches that no problem lists (derived.h) are problems too, and weigh less. The general configuration is one of those
 * that cover most of them, and loses on none; a rule may not send one to a variant that is slower there than another one
 * or the original, and names none of them by its value.
 *
 * The kind of rules is chosen by leaving one problem out at a time: the regret
 * of what the rule then chooses for it, against the best variant there. What is
 * slower than the original there weighs four times, as in a search.
 */
#ifndef KT_PLANNING_SELECT_H
#define KT_PLANNING_SELECT_H

#include "planning/derived.h"
#include "store/store.h"

#define KT_SPECIALS 4            /* most specialised variants of one region instance and device */
/* with more problems there is only a general one: leaving out each costs their square */
#define KT_SELECT_PROBLEMS 512

/* On one problem, less than this is no reason to have a variant (a ratio − 1). */
extern const double kt_select_least_gain;

enum kt_rule_kind { KT_RULE_EXACT, KT_RULE_INTERVAL, KT_RULE_NEAREST, KT_RULE_BOUNDS };
const char *kt_rule_kind_name(enum kt_rule_kind kind); /* "exact", "interval", "nearest", "bounds" */

/* What there is to choose from. Row 0 of the matrix is the original. */
struct kt_matrix {
	size_t rows, problems, variables;
	const struct kt_timing *timings; /* [row × problems + problem], measured interleaved */
	const int64_t *values;           /* [problem × variables + variable]; NULL where variables is 0 */
	const char *const *names;        /* of the variables */
	const bool *allowed;             /* one a variable: may a rule name it? NULL: all */
	/*
	 * N problems, the last ones, are launches that no problem lists; of one that was not timed row 0 has the median 0.
	 * covers: one per row, a bit for each of them that the row's guards let in; NULL where there are none.
	 */
	size_t shapes;
	const uint32_t *covers;
	const double *weights; /* one per listed problem, together as many as there are; NULL: 1 */
};
#define KT_SELECT_MOST (KT_PROBLEMS + KT_DERIVED_MOST) /* most problems of a matrix */

/* Does the pragma list it? The others come after those. */
bool kt_matrix_lists(const struct kt_matrix *matrix, size_t problem);
/* What a problem counts: 1 or its weight, and less for a launch that no problem lists. */
double kt_matrix_weight(const struct kt_matrix *matrix, size_t problem);
/* Does the row run there? The next variant, or in the end the original, does otherwise. */
bool kt_matrix_covers(const struct kt_matrix *matrix, size_t row, size_t problem);
/* How many of the launches that no problem lists it covers. */
size_t kt_matrix_width(const struct kt_matrix *matrix, size_t row);
/* Slower by more than 2 % and the noise, of which at most 1 % counts; on what no problem lists, and two ticks. */
bool kt_timing_slower(const struct kt_timing *tuned, const struct kt_timing *than, bool listed);
/* The same on a problem of the matrix. */
bool kt_matrix_slower(const struct kt_matrix *matrix, const struct kt_timing *tuned, const struct kt_timing *than,
                      size_t problem);

/* May it lose on launches that no problem lists? */
enum kt_select_loss { KT_SELECT_NO_LOSS, KT_SELECT_UNLISTED_LOSS };
/*
 * The best single row; SIZE_MAX: the original is. Its weighted geometric mean exceeds 1 by more than the noise (the
 * pooled median absolute deviation, at least 1%), and no problem is slower. Only rows count that cover as much as any row
 * that gains in the mean, also where that one loses on a launch that no problem lists. `everywhere`: among the rows that run on every listed problem. Of rows within kt_select_tie of the
 * best the first one wins: which of them is ahead another measurement would see otherwise.
 */
size_t kt_select_winner(const struct kt_matrix *matrix, bool everywhere, enum kt_select_loss loss);

struct kt_selection {
	size_t general;               /* a row; 0: the original */
	size_t special_count;
	size_t specials[KT_SPECIALS]; /* rows */
	const char *when[KT_SPECIALS];/* the rule of each, as an expression; arena */
	enum kt_rule_kind kind;
	double regret;                /* mean left-out regret of the rules, as a ratio − 1; 0 without specials */
	int64_t *serves;              /* one per problem: 0 the general row, K specials[K − 1]; arena */
};

/*
 * Chooses. `special` false: only a general row. No tuned problem becomes slower
 * than with the general row alone: a rule that cannot keep a problem of another
 * variant out is not used.
 */
kt_status kt_select(struct kt_selection *out, struct kt_arena *arena, const struct kt_matrix *matrix, bool special,
                    struct kt_error *err) KT_MUST_CHECK;

/* The row that serves a problem. */
size_t kt_selection_row(const struct kt_selection *selection, size_t problem);

#endif
