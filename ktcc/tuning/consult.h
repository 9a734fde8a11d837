/*
 * A search that thinks in a thread: a model needs tens of milliseconds for what it asks next, in which its caller can go on
 * with what was asked before. What is asked is what the search would ask if it were told the same facts in one call.
 */
#ifndef KT_TUNING_CONSULT_H
#define KT_TUNING_CONSULT_H

#include "tuning/search.h"

#define KT_CONSULT_MOST 64 /* configurations of one question */

struct kt_consult;

/* The search is the consult's until it is closed: only the consult tells and asks it. It stays the caller's to close, later. */
kt_status kt_consult_open(struct kt_consult **out, struct kt_search *search, struct kt_error *err) KT_MUST_CHECK;
/* Waits for an answer that is under way, and drops it; accepts NULL. */
void kt_consult_close(struct kt_consult *consult);

/* As kt_search_tell and kt_search_retract; the search hears of it with the next question. Not while one is under way. */
void kt_consult_tell(struct kt_consult *consult, size_t index, double cost);
void kt_consult_retract(struct kt_consult *consult, size_t index);
/*
 * Asks for up to `most` configurations, KT_CONSULT_MOST at most. Where no thread can be had the answer is there when this
 * returns. Not while another question is under way.
 */
void kt_consult_ask(struct kt_consult *consult, size_t most);
/* Has something been asked whose answer was not taken? */
bool kt_consult_is_under_way(const struct kt_consult *consult);
/* Is the answer there? */
bool kt_consult_is_ready(const struct kt_consult *consult);
/* The answer, for which it waits: as kt_search_ask; room for KT_CONSULT_MOST. 0 where nothing was asked. */
size_t kt_consult_take(size_t *indices, struct kt_consult *consult);

#endif
