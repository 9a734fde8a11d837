/*
 * Those that are compared in the end, row by row, on the problems and on launches that no problem lists (plan_shapes.c,
 * plan_matrix.c).
 */
#ifndef KT_PLANNING_FINALS_H
#define KT_PLANNING_FINALS_H

#include "planning/plan_internal.h"
#include "planning/select.h"

struct kt_finals {
	struct kt_tuning *s;
	size_t rows;               /* row 0 is the original */
	size_t index[KT_FINALISTS_MOST + 1];
	struct kt_candidate candidates[KT_FINALISTS_MOST + 1];
	struct kt_timing *timings; /* [row × problems + problem] */
	struct kt_energy *energies; /* likewise; NULL: time alone counts */
	struct kt_timing *costs;   /* what is chosen by on the problems, where energies are */
	size_t wrong;              /* rows that left because they were wrong */
	/* Of launches that no problem lists: samples 0 where there are none, as on those that were left out. */
	struct kt_timing shapes[(KT_FINALISTS_MOST + 1) * KT_DERIVED_MOST]; /* [row × KT_DERIVED_MOST + shape] */
	/* A bit for each shape of those that the original can be run on, and that it would be known of if it were slow there. */
	uint32_t covers[KT_FINALISTS_MOST + 1];
	size_t dropped;            /* shapes that it cannot */
	struct kt_selection selection;
	struct kt_outcome outcomes[KT_SPECIALS + 1]; /* on all checks: of the general one that is chosen, then of the others */
};

/* What was chosen, after the original: rows, which variants they are (0: the general one). */
struct kt_chosen {
	size_t count, row[KT_SPECIALS + 2];
	int64_t variant[KT_SPECIALS + 2];
	struct kt_candidate candidates[KT_SPECIALS + 2];
};
/* plan_entry.c */
void kt_finals_chosen(struct kt_chosen *out, const struct kt_finals *finals);
kt_status kt_finals_entry(struct kt_planned *out, const struct kt_finals *finals, struct kt_error *err) KT_MUST_CHECK;

/* Takes a row out of all members. */
void kt_finals_drop(struct kt_finals *finals, size_t row);
/* It was right on what a search looks at, and is not on all: nothing more is expected of it. */
void kt_finals_give_up(struct kt_finals *finals, size_t row, const struct kt_outcome *outcome);

/*
 * Verifies and times all rows on the tuning's derived shapes, within a quarter of its budget: shapes that would take too
 * long are left out, the largest first, and rows for which no time is left have no times there. Rows that are wrong on
 * one leave. A shape on which the original fails is left out and reported. `finals` has rows, indices and candidates.
 */
kt_status kt_finals_time_shapes(struct kt_finals *finals, struct kt_error *err) KT_MUST_CHECK;
/* What that is expected to take, with N others beside the original. */
extern const double kt_tuning_shapes_least; /* the part of it that finalists make room for */
double kt_tuning_shapes_seconds(const struct kt_tuning *s, size_t others);
/*
 * The same of the shapes from `first` on, which were added since, and of the rows that are wanted; most_s seconds.
 * `wanted` has a member for each row; afterwards those are true that were timed. The others cover none of these shapes.
 */
kt_status kt_finals_time_probes(struct kt_finals *finals, size_t first, bool *wanted, double most_s,
                                struct kt_error *err) KT_MUST_CHECK;
/* What the comparison leaves for that. */
double kt_finals_probe_seconds(const struct kt_tuning *s);
/*
 * plan_probe.c: tries what would be chosen on sizes beside the problems, which its rules or guards let in: each such size
 * becomes a shape. A row that is slower than the original there is not chosen for it any more. Three turns at most; none where
 * the time is short.
 */
kt_status kt_finals_probe(struct kt_finals *finals, struct kt_error *err) KT_MUST_CHECK;
/*
 * plan_aligned.c: times what was chosen at launches whose pointers are no multiples of KT_ALIGNED_BYTES. The entry asks for
 * such multiples of those pointers that make a variant slower than the original, and of all pointers where there was no time
 * to know; no row is chosen by that. Nothing is asked for where the device cannot place buffers so.
 */
kt_status kt_finals_align(struct kt_entry *entry, const struct kt_finals *finals, struct kt_error *err) KT_MUST_CHECK;
/* What that may take, which the tools that watch a winner leave of the time; 0 where measurements come from a recording. */
double kt_finals_align_seconds(const struct kt_tuning *s);
/* Problems and shapes together; timings and values are allocated in the tuning's arena. */
kt_status kt_finals_matrix(struct kt_matrix *out, const struct kt_finals *finals, struct kt_error *err) KT_MUST_CHECK;
/* A line of the log for each problem and shape: microseconds of each row, "-" where it does not run, "?" where it was not timed. */
void kt_finals_log(const struct kt_matrix *matrix, const char *name);
/*
 * The row, not the original, that is missed least: the least weighted mean of log(original / row) over problems and
 * shapes, where a row that does not run takes what the original takes. 0: there is none.
 */
size_t kt_finals_least(const struct kt_finals *finals);
/*
 * Could a row be the general one by what was measured so far, or serve a size that no problem lists? With `timings` as they
 * are now. False where there are no shapes.
 */
bool kt_finals_hopeful(const struct kt_finals *finals, size_t row);

#endif
