/* Shared by the files of this component. */
#ifndef KT_TESTING_INTERNAL_H
#define KT_TESTING_INTERNAL_H

#include "base/proc.h"
#include "testing/cases.h"
#include "testing/device_lock.h"
#include "testing/testing.h"

#define KT_TESTER_WORDS 64 /* most words of a launcher */

/* What a region is run with: the tuning problems, then the checks. */
struct kt_rows {
	const struct kt_check *checks;
	size_t count, timed;
};

/* ---- request*.c: each builds a JSON object that the caller deletes. */
/* host: the program of the region's host reference; NULL: the original alone is the reference. */
kt_status kt_request_region(cJSON **out, const struct kt_subject *subject, const struct kt_rows *rows,
                            const char *cubin, const char *function, const char *host, double limit_s,
                            struct kt_error *err) KT_MUST_CHECK;
/*
 * What a candidate is to be run on: `count` of the checks, from `first` on. Of tuning problems, one each or NULL: when
 * one gives up, when the candidate has lost, and in which order they are timed (kt_effort).
 */
struct kt_asked {
	size_t first, count;
	const double *give_up_ns, *lost_ns;
	const size_t *order;
};
/*
 * The members of a candidate: configuration, cubin, function, and of each row geometry and give_up_ns, or that it is
 * not to be run: where the candidate's guards do not hold, and on all checks that are not asked.
 */
kt_status kt_request_candidate(cJSON *object, const struct kt_subject *subject, const struct kt_rows *rows,
                               const struct kt_candidate *candidate, struct kt_asked asked, struct kt_error *err)
    KT_MUST_CHECK;

/* ---- reply.c */
kt_status kt_reply_outcome(struct kt_outcome *out, struct kt_arena *arena, const cJSON *reply,
                           const struct kt_subject *subject, const struct kt_rows *rows, struct kt_error *err)
    KT_MUST_CHECK;
/* Timings of the first `problems` rows of `rows` that there are. */
kt_status kt_reply_timings(struct kt_timing *out, const cJSON *reply, size_t candidates, size_t problems, size_t rows,
                           struct kt_error *err) KT_MUST_CHECK;
/* Adds what a comparison reports about the device, a block for each problem that was timed. */
kt_status kt_reply_energies(struct kt_energy *out, const cJSON *reply, size_t candidates, size_t problems, size_t count,
                            struct kt_error *err) KT_MUST_CHECK;
kt_status kt_reply_stability(struct kt_stability *out, const cJSON *reply, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_reply_copy(double *out, const cJSON *reply, size_t problems, size_t rows, struct kt_error *err)
    KT_MUST_CHECK;
kt_status kt_reply_curves(struct kt_curve **out, size_t *count, struct kt_arena *arena, const cJSON *reply,
                          struct kt_error *err) KT_MUST_CHECK;
/* Every problem gets this verdict: the runner did not come to an answer. */
kt_status kt_outcome_fill(struct kt_outcome *out, struct kt_arena *arena, const struct kt_subject *subject,
                          const struct kt_rows *rows, enum kt_verdict verdict, const char *detail, struct kt_error *err)
    KT_MUST_CHECK;

/* ---- tester.c, for largest.c and attempt.c */
struct kt_tester;
/* A request with an effort's members; effort may be NULL. */
cJSON *kt_tester_request(const char *name, const struct kt_tester *t, const struct kt_effort *effort);
/* What the child was given of the region. */
struct kt_rows kt_tester_held_rows(const struct kt_tester *t);
/* Nothing is under way (attempt.c). */
kt_status kt_tester_need_idle(const struct kt_tester *t, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_tester_need_region(const struct kt_tester *t, struct kt_error *err) KT_MUST_CHECK;
/* One try on the rows that the child has; a child that does not come to an answer is a verdict. */
kt_status kt_tester_try_rows(struct kt_outcome *out, struct kt_arena *arena, struct kt_tester *t,
                             const struct kt_rows *rows, const cJSON *request, double limit_s, struct kt_error *err)
    KT_MUST_CHECK;

/* One comparison on the rows that the child has. */
kt_status kt_tester_compare_rows(struct kt_timing *timings, struct kt_tester *t, const struct kt_rows *rows,
                                 const struct kt_candidate *candidates, size_t count, const struct kt_effort *effort,
                                 struct kt_error *err) KT_MUST_CHECK;

/* What becomes of a try that was answered with `reply` or, by `status` and err, not at all; deletes the reply. */
kt_status kt_tester_outcome(struct kt_outcome *out, struct kt_arena *arena, struct kt_tester *t,
                            const struct kt_rows *rows, cJSON *reply, bool answered, kt_status status,
                            struct kt_error *err) KT_MUST_CHECK;

/*
 * largest.c: the original's side of other rows, in the place of the region that the child has. The original alone is
 * the reference: a host that computes it one element after the other would leave no time for anything large.
 */
kt_status kt_tester_send_rows(struct kt_tester *t, const struct kt_rows *rows, double limit_s, struct kt_error *err)
    KT_MUST_CHECK;

/* ---- attempt.c: candidates that the runner was asked about and has not answered yet */
struct kt_attempt {
	struct kt_candidate candidate;
	struct kt_effort effort;
	const double *limits;  /* give_up_ns, one for each timed problem; the caller's arena */
	const char *refused;   /* why there is nothing to ask the runner; NULL: there is */
	struct kt_rows rows;   /* of the region as the runner had it when it was asked */
	bool sent;             /* else the request follows when it is the next one */
	kt_status sending;
	double sent_s, limit_s;
};

/* ---- child.c: the runner as a process, started again when it ends. */
struct kt_tester {
	struct kt_arena *arena;        /* as long as the tester */
	struct kt_arena *region_arena; /* until the next region */
	char *argv[KT_TESTER_WORDS + 12];
	struct kt_pipe *pipe;          /* NULL: to be started */
	struct kt_spare {
		struct kt_pipe *pipe;  /* NULL: none */
		bool supports;         /* it was sent the support */
	} spares[2];                   /* take its place when it ends, the first one first */
	struct kt_pipe *leaving[8];    /* those that ended, round and round */
	size_t left;
	size_t companions;             /* processes of tools that use the device as well */
	struct kt_device device;
	bool replays, wants_support;
	bool supported, prepared;      /* the running child has the support, the region */
	bool holds_largest, holds_shapes; /* it has the largest problem, or other shapes, in the place of the region */
	struct kt_rows shapes;         /* which shapes those are */
	struct kt_check largest;       /* which that is */
	bool largest_by_time;          /* and why it is no larger */
	double largest_try_s;          /* what a candidate took there */
	double region_s;               /* what preparing the region took */
	char *support;
	struct kt_subject subject;
	const char *cubin, *function;  /* the original; NULL with a recording */
	const char *next_host;         /* the caller's, of the regions that are prepared from now on */
	const char *host;              /* the program of its host reference; NULL: none */
	bool by_host;                  /* the last error was about that */
	struct kt_rows rows;
	struct kt_check *checks;       /* of rows; those that the original cannot be run on are taken out */
	size_t dropped;                /* checks that the original cannot be run on */
	size_t unusual_faults;         /* checks with unusual data on which it faulted */
	size_t refuted[KT_CHECKS_FIRST]; /* the number of candidates that each of these checks refuted */
	size_t held;                   /* the number of rows, the first ones, that the child has; at least those that are timed */
	struct kt_buf region;          /* the request, for a child that is started again; empty: none */
	struct kt_device_lock *lock;   /* NULL: no other process measures on such a device */
	bool holds_device;             /* the lock is held */
	size_t attempt_count;
	struct kt_attempt attempts[KT_TESTER_AHEAD]; /* in the order in which they were asked */
	int64_t refused_row;           /* on which the original failed, so that there is no region; −1: none */
	int64_t blamed;                /* the row that the last error names; −1: none */
	size_t starts;
	double try_s, busy_s, spent_s[KT_SPENT];
	double answered_s;             /* when the last reply came */
	double waited_s;               /* for the device, while others measured on it */
	/* of an empty kernel: by the last reply that had it, and by what is on record; 0: not known */
	double launch_ns, reference_ns;
	struct kt_stability stability; /* of the comparisons since kt_tester_stability was called last */
	kt_meanwhile *meanwhile;       /* NULL: none */
	void *meanwhile_state;
	bool warned;
	bool measures_energy;
};

/* The command line of the runner, its launcher in front. */
kt_status kt_child_arguments(char **argv, size_t room, struct kt_arena *arena, const struct kt_config *config,
                             const char *const *front, const char *option, struct kt_error *err) KT_MUST_CHECK;
void kt_child_stop(struct kt_tester *t);
/* All processes, and waits for them. */
void kt_child_close(struct kt_tester *t);
/* How many processes of this tester may use the device beside the runner. */
size_t kt_child_companions(const struct kt_tester *t);
kt_status kt_child_start(struct kt_tester *t, struct kt_error *err) KT_MUST_CHECK;
/*
 * A child with support and region, as far as this tester has come: with at least `rows` rows of the region. One that
 * is started again gets what a search needs, and the rest when it is asked for.
 */
kt_status kt_child_ready(struct kt_tester *t, size_t rows, struct kt_error *err) KT_MUST_CHECK;
/*
 * One request line and its reply, which the caller deletes. A child that does
 * not answer properly is ended. `answered`: the error is one that the runner reported.
 */
kt_status kt_child_exchange(cJSON **reply, bool *answered, struct kt_tester *t, const char *line, double limit_s,
                            struct kt_error *err) KT_MUST_CHECK;
/* The same with the first `rows` rows of the region; with all of them it is t->region. */
kt_status kt_child_region(cJSON **reply, struct kt_tester *t, size_t rows, struct kt_error *err) KT_MUST_CHECK;
/* The same with any request. In both the device is this process's alone meanwhile. */
kt_status kt_child_measure(cJSON **reply, bool *answered, struct kt_tester *t, const cJSON *request, double limit_s,
                           struct kt_error *err) KT_MUST_CHECK;
/*
 * Sends a request for an attempt and waits for nothing: the device is this process's alone until kt_child_release.
 * `behind`: the runner works on another one, so that it is sent only where it fits into the pipe (attempt->sent).
 */
kt_status kt_child_ask(struct kt_attempt *attempt, struct kt_tester *t, const cJSON *request, bool behind,
                       struct kt_error *err) KT_MUST_CHECK;
/* The reply to an attempt that was sent, as kt_child_exchange has it. */
kt_status kt_child_answer(cJSON **reply, bool *answered, struct kt_tester *t, const struct kt_attempt *attempt,
                          struct kt_error *err) KT_MUST_CHECK;
void kt_child_release(struct kt_tester *t);
/* The longest wait for a request about this number of problems. */
double kt_child_limit(const struct kt_tester *t, size_t problems);

#endif
