/*
 * The decision log: what one tuning decided and why, in the store, for `ktcc explain`.
 * A store that cannot be written loses the line, nothing else.
 *
 *   tuning     one begins, of one template or several: by which program, within which budget
 *   template   the text that is tuned, by which generator, over which parameters
 *   strategy   what the generator did to the kernel, and why it may
 *   declined   what it did not do: line, reason, detail
 *   space      configurations that are legal, and that the device can run
 *   start      what was tried first by an estimate, and why
 *   search     what was tried
 *   wrong      the first candidate that was found wrong, and on what
 *   stopped    why the search ended
 *   won        what was chosen, and what it gains; or that the original kernel is kept
 *   failed     why there is no entry
 *   round, record, rounds   of all templates of one tuning together: `planning/tuning_report.h`
 */
#ifndef KT_PLANNING_DECISION_LOG_H
#define KT_PLANNING_DECISION_LOG_H

#include "planning/plan_internal.h"

#define KT_DECISION_BEGIN "tuning" /* the event with which a tuning report begins */

struct kt_decision_log {
	struct kt_store *store; /* NULL: nothing is kept */
	const char *region_key, *device_key;
};
void kt_decision_note(const struct kt_decision_log *decisions, const char *event, const char *format, ...)
    KT_PRINTF(3, 4);

/* Of one tuning: what is known when it begins, when the search has ended, when it is over. */
void kt_tuning_note_begin(const struct kt_tuning *s);
void kt_tuning_note_search(const struct kt_tuning *s);
void kt_tuning_note_end(const struct kt_tuning *s, const struct kt_planned *planned, const struct kt_error *err,
                        bool failed);

#endif
