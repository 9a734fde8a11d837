/* What rounds.c, rounds_keep.c and rounds_ask.c share: the loop of one case under way. */
#ifndef KT_PLANNING_ROUNDS_INTERNAL_H
#define KT_PLANNING_ROUNDS_INTERNAL_H

#include "planning/tuning_report.h"
#include "planning/choice.h"
#include "planning/objective.h"
#include "planning/rounds.h"

struct kt_loop {
	struct kt_work *work;
	struct kt_case *each;
	struct kt_lease *lease;
	struct kt_decision_log decisions;
	char device_key[KT_HASH_TEXT];
	const struct kt_region *region;
	const struct kt_instance *instance;
	struct kt_model *model;      /* NULL: none, or not yet */
	struct kt_findings best;     /* entry NULL: nothing yet */
	struct kt_gain gain; /* of the best; the original's to begin with */
	const char *best_hash;       /* of its template; NULL: the original kernel */
	const struct kt_entry *stored; /* what the store has, of this loop or an earlier one; NULL: nothing */
	struct kt_buf tried;
	struct kt_family_history history;
	struct kt_allowance allowance; /* for the rules, and once more for the model's texts together */
	struct kt_progress progress;
	size_t families[KT_FAMILIES_MOST], family_count; /* of this round's suggestion */
	int64_t questions;           /* seeds that were used */
};

void kt_rounds_open(struct kt_loop *r, struct kt_work *work, struct kt_case *each, struct kt_lease *lease,
                    const struct kt_device *device);
/* One round of the decision log: as it begins, and with what it came to. */
struct kt_round kt_rounds_open_one(const struct kt_loop *r, unsigned number, unsigned attempt, unsigned repair,
                                   const char *generator);
void kt_rounds_close_one(struct kt_loop *r, struct kt_round *round, double begin_s);

/* ---- rounds_generated.c */
/* Geometric mean over the problems of the best's time by the copy's; 0: not known. */
double kt_rounds_over_copy(const struct kt_entry *entry);
/*
 * Tunes the templates that this machine's generators have: that of the case, and where it is by the rules and leaves
 * something to gain one by the IR as well. KT_REASON_NONE: at least one of them was measured.
 */
enum kt_reason kt_rounds_generated(struct kt_loop *r, struct kt_error *err);

/* ---- rounds_keep.c */
/* Keeps the state of the loop, "going" or "done", and what is awaited, for later builds. */
void kt_rounds_put_state(struct kt_work *work, const struct kt_case *each, const char *device_key, const char *state);
bool kt_rounds_await(struct kt_work *work, struct kt_case *each, const char *path);
/* This device's entry of an earlier loop; NULL: none. */
const struct kt_entry *kt_rounds_entry_here(const struct kt_loop *r);
/*
 * Is a result kept (a kt_plan.keep, context: the loop)? Where it is better than what this loop has, the loop goes on
 * from there; where it is better than what the store has as well, it is stored and published, and whatever ends this
 * process leaves it there. A model's text is checked once more, in the form that the entry has, as on every machine
 * that gets it.
 */
bool kt_rounds_keep(void *loop, const struct kt_entry *entry);
/* Tunes one template, and takes it over if it is kept. */
kt_status kt_rounds_try(struct kt_loop *r, struct kt_round *round, struct kt_planned *planned,
                        const struct kt_template *template_, const struct kt_share *share, struct kt_error *err)
    KT_MUST_CHECK;

/* ---- rounds_ask.c */
/* The facts of this round; its suggestion is kept for the tuning report. */
kt_status kt_rounds_facts(struct kt_prompt_facts *facts, struct kt_loop *r, const struct kt_device *device,
                          struct kt_error *err) KT_MUST_CHECK;
const char *kt_rounds_label(const struct kt_loop *r, unsigned round, unsigned attempt, unsigned repair);
/* Counts how an attempt ended; what it waits for is kept. */
void kt_rounds_note_end(struct kt_loop *r, const struct kt_model_answer *answer);

#endif
