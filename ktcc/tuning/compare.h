/*
 * Strategies against each other: runs over seeds, spaces and budgets, ours and those
 * that others have recorded, all by the score of tuning/simulate.h.
 */
#ifndef KT_TUNING_COMPARE_H
#define KT_TUNING_COMPARE_H

#include "tuning/simulate.h"
#include "tuning/transfer.h"

#define KT_COMPARE_BUDGETS 16
#define KT_COMPARE_SPACES 64
#define KT_COMPARE_ROWS 64 /* strategies */
/* Two budgets a space come on top of the listed ones: 2 % and 6 % of its configurations, where that is at most 1000. */
#define KT_COMPARE_SHARES 2
extern const double kt_compare_shares[KT_COMPARE_SHARES];

struct kt_compare_space {
	const char *name; /* of the T4 file, up to its first dot */
	const struct kt_t1 *t1;
	const struct kt_space *space;
	const struct kt_recording *recording;
	struct kt_prior *prior; /* what its searches are told; NULL: nothing */
	double *baseline;
	size_t budgets[KT_COMPARE_BUDGETS + KT_COMPARE_SHARES]; /* at most the size of the space; 0: none */
};

/* All runs of one strategy on one space for one budget. */
struct kt_compare_cell {
	size_t runs, room;
	double *sum;   /* of the best times: sum[1 … budget] */
	double *final; /* best time of each run */
};

struct kt_compare_row {
	const char *strategy;
	struct kt_compare_cell cells[KT_COMPARE_SPACES][KT_COMPARE_BUDGETS + KT_COMPARE_SHARES];
};

struct kt_compare {
	struct kt_arena *arena;
	bool is_without_shares; /* set before spaces are added: the listed budgets are all */
	size_t space_count, budget_count, row_count;
	size_t budgets[KT_COMPARE_BUDGETS];
	struct kt_compare_space spaces[KT_COMPARE_SPACES];
	struct kt_compare_row *rows[KT_COMPARE_ROWS];
};

/* Adds a space; the budgets must have been set. */
kt_status kt_compare_add_space(struct kt_compare *compare, const char *t4_path, const struct kt_t1 *t1,
                               const struct kt_space *space, const struct kt_recording *recording,
                               struct kt_error *err) KT_MUST_CHECK;
/*
 * From now on each space is told of the others (tuning/transfer.h). A space of which it is told nothing is searched as
 * before.
 */
kt_status kt_compare_transfer(struct kt_compare *compare, enum kt_transfer transfer, size_t trials,
                              struct kt_error *err) KT_MUST_CHECK;
/* Frees what is not in the arena. */
void kt_compare_close(struct kt_compare *compare);
/* Runs one of ours on every space for every budget, seeds 0 … seeds − 1. */
kt_status kt_compare_run(struct kt_compare *compare, const char *strategy, size_t seeds, struct kt_error *err)
    KT_MUST_CHECK;
/*
 * Takes runs of others in: a file of lines {"strategy", "space", "budget", "trace": [[n, best_ms], …]}, a trace
 * naming every n at which the best changed. Lines about other spaces or budgets are passed over.
 */
kt_status kt_compare_traces(struct kt_compare *compare, const char *path, struct kt_error *err) KT_MUST_CHECK;

/* NAN when there is no run. `budget` counts the space's budgets. */
double kt_compare_score(const struct kt_compare *compare, size_t row, size_t space, size_t budget);
/* Median over the runs of optimum ÷ best; NAN when there is no run. */
double kt_compare_ratio(const struct kt_compare *compare, size_t row, size_t space, size_t budget);
/* The mean of the scores over the spaces; NAN when one is missing. */
double kt_compare_aggregate(const struct kt_compare *compare, size_t row, size_t budget);

#endif
