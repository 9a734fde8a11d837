/*
 * The tuning report of the rounds of one region instance, in the store: a JSON
 * record per round and attempt, with everything that is needed to show it and to
 * repeat it. Texts (templates, questions, answers) are kept by content, the
 * record names their hashes. The table is `decisions` of docs/store.md.
 *
 *   "round"    of the decision log: a line for people
 *   "record"   the hash of the round's record
 *   "rounds"   why they ended
 */
#ifndef KT_PLANNING_TUNING_REPORT_H
#define KT_PLANNING_TUNING_REPORT_H

#include "base/json.h"
#include "planning/decision_log.h"
#include "planning/model.h"

#define KT_TUNING_REPORT_RECORD "record"
#define KT_TUNING_REPORT_END "rounds"

/* One template's way, or an answer's that became none. */
struct kt_round {
	unsigned number, attempt, repair; /* number 0: of the rules; repair 0: the answer itself */
	const char *generator;            /* "rules", "explicit", "llm" */
	const char *name;                 /* of the instance */
	const struct kt_model_answer *answer; /* NULL: none was asked for */
	size_t family_count;
	const size_t *families;               /* that were suggested */
	const struct kt_template *template_;  /* NULL: there was none */
	const char *parent;                   /* hash of the best template before; NULL: the original kernel */
	const struct kt_planned *planned;     /* NULL: nothing was tuned */
	const char *failed;                   /* why the tuning failed; NULL: it did not */
	struct kt_gain before, after;     /* of the best, before this round and after it */
	bool kept;
	double seconds;                       /* of the wall, waiting included */
};

/* Keeps a round: artifacts, record, and both lines of the decision log. What cannot be kept is lost, nothing else. */
void kt_tuning_report_round(const struct kt_decision_log *decisions, const struct kt_round *round);
/* Keeps why the rounds ended, and what they cost. */
void kt_tuning_report_end(const struct kt_decision_log *decisions, enum kt_stop stop, const struct kt_llm_usage *usage,
                    unsigned rounds);

/* A text that was kept by content. False: it is gone. */
bool kt_tuning_report_text(struct kt_buf *out, struct kt_store *store, const char *hash);

#endif
