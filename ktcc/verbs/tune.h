/*
 * ktcc tune: what it prints while it tunes, and at the end. On a terminal it rewrites one line; elsewhere it prints a
 * line for an improvement; with --events a line of JSON for each event (docs/cli.md, "Events of a tuning").
 */
#ifndef KT_VERBS_TUNE_H
#define KT_VERBS_TUNE_H

#include "base/json.h"
#include "planning/observer.h"
#include "verbs/given.h"
#include "verbs/session.h"

/* ---- tune_print.c: what came of one region instance */
void kt_tune_print(struct kt_arena *arena, const struct kt_case *each);
cJSON *kt_tune_json(const struct kt_case *each);

/* ---- tune_t1.c: the problem of --t1. Does not return where Python could be started. */
kt_status kt_tune_t1(struct kt_arena *arena, const struct kt_given *given, struct kt_error *err) KT_MUST_CHECK;
/* The first option that tells nothing about a T1 file; NULL: there is none. */
const char *kt_tune_t1_foreign(const struct kt_given *given);

/* ---- tune_progress.c */
enum { KT_TUNE_POINTS = 256 };

struct kt_tune_progress {
	struct kt_observer observer;
	bool events, terminal, graphic; /* graphic: the terminal shows UTF-8 */
	double began_s, shown_s;
	/* Of the instance that is tuned: */
	char instance[256];
	enum kt_phase phase;
	double best;
	size_t point_count;
	struct kt_tune_point {
		double seconds, speedup; /* when the best became that */
	} points[KT_TUNE_POINTS];
	/* Of all: */
	size_t instances, tuned, without, originals; /* originals: their entry keeps the original */
	double log_gains;
};

void kt_tune_progress_open(struct kt_tune_progress *progress, bool events);
/* One instance is done. */
void kt_tune_note(struct kt_tune_progress *progress, const struct kt_case *each);
/* The last line, on standard output. */
void kt_tune_progress_close(struct kt_tune_progress *progress);

#endif
