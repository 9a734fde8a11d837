/* What plan.c, plan_search.c and plan_confirm.c share: one tuning under way. */
#ifndef KT_PLANNING_PLAN_INTERNAL_H
#define KT_PLANNING_PLAN_INTERNAL_H

#include "planning/derived.h"
#include "planning/objective.h"
#include "planning/observer.h"
#include "planning/planning.h"
#include "planning/start.h"
#include "testing/ahead.h"
#include "tuning/compiled.h"
#include "tuning/search.h"

/* Ticket of the original kernel in the batch; configuration i has ticket i + 1. */
#define KT_ORIGINAL_TICKET 0

/* Most devices that tune a region together. */
#define KT_RUNNERS 8

/* Most trials that wait to be written down. */
#define KT_UNSTORED 256

/* Most that come into the last comparison. */
enum { KT_FINALISTS_MOST = 24 };

/* What was tried, for those whose code and launches are the same (plan_same.c). */
struct kt_same {
	char key[KT_HASH_TEXT];
	size_t index;                 /* the configuration that was tried */
	enum kt_verdict verdict;
	struct kt_trial seen;
	const struct kt_trial *trials; /* one per problem */
};

/* What the runner was asked about and has not answered. */
struct kt_under_way {
	struct kt_tester *tester;      /* that was asked */
	struct kt_built built;
	bool look;                     /* a first look, or everything that a search asks for: */
	size_t row;                    /* of the objective, and what the first look found */
	const struct kt_trial *looks;
	double begin_s;
	char key[KT_HASH_TEXT];        /* of a first look: plan_same.c */
};

/* Who may be the best by a first look, and is not verified yet. */
struct kt_contender {
	struct kt_built built;
	size_t row;
	const struct kt_trial *looks;
};

/* The state of a tuning; lives for one kt_plan_tune. */
struct kt_search_run;
struct kt_watch;
struct kt_tuning {
	const struct kt_plan *plan;
	const struct kt_region *region;
	const struct kt_instance *instance;
	const struct kt_device *device;
	struct kt_arena *arena;
	struct kt_space *space;
	struct kt_batch *batch;
	struct kt_ahead *compiled_ahead; /* NULL: nothing is */
	char device_key[KT_HASH_TEXT];
	char trial_key[KT_HASH_TEXT];
	/* deadline: of everything, the last comparison included; others' time on the device comes on top of it */
	double started_s, deadline_s, waited_before_s;
	double search_began_s, search_end_s; /* 0: not yet */
	double region_s, baseline_s;  /* what preparing the region took, and timing the original in the manner of a search */
	/*
	 * Of one candidate: of the search, and of what was verified in it, on average; on all checks, the last; 0: none
	 * yet.
	 */
	double try_s, verify_s, check_s;
	double between_s[KT_BETWEEN]; /* see planning.h */
	size_t unstored_count;        /* trials that are not in the store yet */
	struct kt_trial_row unstored[KT_UNSTORED];
	int64_t trials_left;
	size_t problems;
	struct kt_timing *baseline;   /* one per problem */
	const double *copy_ns;       /* one per problem; 0: not known */
	double *weights;              /* of the clause, by problem; NULL: all count the same */
	struct kt_objective *objective;
	struct kt_derived derived;    /* launches that no problem lists */
	struct kt_prior *prior;       /* what is known from other tunings; NULL: nothing */
	struct kt_search_run *general;   /* the search for the general configuration (plan_search.c) */
	size_t built_count;
	struct kt_built *built;       /* what was right, in the order of trial */
	size_t pending_most;          /* candidates that are under way at a time */
	size_t waiting_count;
	size_t *waiting;              /* configurations that were asked for and are not tried yet; SIZE_MAX: none */
	size_t foreseen_count;        /* plan_foresee.c: of those that would be compared if the search ended now */
	size_t foreseen[KT_FINALISTS_MOST]; /* who has no binary of nvcc's that was asked for */
	const char *original_cubin, *original_function;
	struct kt_usage original_usage; /* threads 0: not known */
	size_t unlucky;               /* tried, and no compiler could run */
	size_t timed, verified;       /* tried on the device in this run; on everything that a search asks for */
	size_t under_way_count;
	/* In the order in which they were asked, which is that in which each of the testers answers. */
	struct kt_under_way under_way[KT_TESTER_AHEAD * KT_RUNNERS];
	size_t tester_count;          /* the plan's own first; 0: that one alone, and not asked yet */
	struct kt_tester *testers[KT_RUNNERS];
	double answered_s, unshared_s; /* when the last one was, and what was verified since the last first look */
	size_t contender_count;
	struct kt_contender *contenders;
	size_t looks_since, round;    /* first looks since the last round began, and how many come before the next */
	bool in_round;
	size_t ratios_seen;           /* first looks that timed all problems, and of each pair of these the least */
	double *least_ratios;         /* [p × problems + q]: time on q / time on p; NULL: there was none */
	size_t retracted_count;
	size_t *retracted;            /* configurations that strategies were told of as right, and that are not */
	double *look_factors;         /* one per problem: what a first look has to be multiplied with; NULL: all 1 */
	size_t screened;              /* lost after a first look: right on one check, and not verified beyond it */
	size_t tried, recalled, wrong, uncompiled, refused, total;
	size_t identical;             /* of those tried: decided by code that is the same */
	size_t same_count;
	struct kt_same *same;
	const char *stopped;          /* why the search ended; NULL: it did not begin */
	enum kt_search_state state;   /* how far it came; UNKNOWN: it did not end */
	size_t ended_in_row;          /* consecutive candidates with which the runner ended */
	struct kt_wrong first_wrong;
	size_t checks;                /* of the region, beside its problems */
	unsigned watched;             /* tools that have watched what was chosen, a bit each */
	double sanitized_s;           /* spent on tools that watch */
	size_t passes;                /* of the last comparison */
	struct kt_stability stability; /* of the device in it */
	bool confirmed;               /* by as many of them as there are at least */
	double largest_s;             /* spent on the largest problem */
	unsigned suspects;            /* those that found something in what is chosen now */
	size_t given;                 /* the configuration as the generator gave it, asked for first; SIZE_MAX: none */
	size_t start_count;           /* by estimate and by what was chosen elsewhere, asked for first as well */
	struct kt_start starts[KT_STARTS + KT_STARTS_KNOWN];
	size_t seen_count;            /* one per row of the objective: what is known beside its times */
	struct kt_trial *seen;
};

/* In the search; of a finalist, on all checks; in the last comparison. */
extern const struct kt_effort kt_search_effort, kt_check_effort, kt_final_effort;

/* ---- plan.c */
/* What the device was busy for this tuning since then. */
double kt_tuning_since(const struct kt_tuning *s, double begin_s);
/* May variants be made for some of the problems? */
bool kt_tuning_specialises(const struct kt_tuning *s);
/* May a variant be for some sizes alone, of which a single problem may be one? */
bool kt_tuning_selects_special(const struct kt_tuning *s);
/* The time since then belongs to this. */
void kt_tuning_spent(struct kt_tuning *s, enum kt_between between, double since_s);
/* The next built candidate; waits for it until until_s (INFINITY: as long as it takes). False when there is none. */
bool kt_tuning_next_built(struct kt_built *out, struct kt_tuning *s, double until_s);

/* ---- plan_observe.c */
/* Tells the plan's observer; count and total are kt_observation's `tried` and `total`. */
void kt_tuning_observe(const struct kt_tuning *s, enum kt_phase phase, size_t count, size_t total);

/* ---- plan_ahead.c */
/* Offers what is built to be compiled ahead, and looks after the processes that do it. */
void kt_tuning_poll_ahead(struct kt_tuning *s);
/* Of what is built, tries next what has its code already, else what is not being compiled at the moment. */
void kt_tuning_prefer_compiled(struct kt_tuning *s);

/* ---- plan_reference.c */
/*
 * Prepares the plan's region in the tester, its host reference built where it has one: kt_tester_region, or with
 * `check` kt_tester_region_check. *by_host: that is why it fails.
 */
kt_status kt_plan_region(bool *by_host, struct kt_arena *arena, const struct kt_plan *plan, const char *cubin,
                         const char *function, const char *check, struct kt_error *err) KT_MUST_CHECK;

/* ---- plan_race.c: problems that a first look need not time */
/* A first look that found a candidate right. */
void kt_tuning_note_ratios(struct kt_tuning *s, const struct kt_trial *looks);
/* Sets in the effort of a first look the order in which problems are timed, and when the candidate has lost. */
void kt_tuning_race(struct kt_effort *effort, struct kt_tuning *s);
/* Was the candidate spared this problem? */
bool kt_tuning_is_lost(const struct kt_trial *trial);
/* Guesses the times that a candidate which has lost was spared, slower than the best. False: it was spared none. */
bool kt_tuning_fill_lost(double *ns, const struct kt_tuning *s, const struct kt_trial *trials);

/* ---- plan_try.c */
/* "rows=16 d=4096", as in the store */
void kt_tuning_problem_text(struct kt_buf *out, const struct kt_region *region, size_t problem);
/* Puts the trials that wait into the store. */
void kt_tuning_store_trials(struct kt_tuning *s);
/* Asks for a configuration: what an earlier run measured is taken over at once, else it waits for the compilers. */
kt_status kt_tuning_ask_for(struct kt_tuning *s, size_t index, struct kt_error *err) KT_MUST_CHECK;
/* Takes over all that earlier runs measured of this space on this device. */
kt_status kt_tuning_remembered(struct kt_tuning *s, struct kt_error *err) KT_MUST_CHECK;
/* Was it asked for, and not tried yet? */
bool kt_tuning_is_waiting(const struct kt_tuning *s, size_t index);
/* How many were asked for and are not tried yet. */
size_t kt_tuning_waiting(const struct kt_tuning *s);
/* Was the template's text written by a rule, and not by the user or a model? */
bool kt_tuning_is_by_rules(const struct kt_tuning *s);
/* Puts down what came of one configuration on one problem. */
void kt_tuning_remember_trial(struct kt_tuning *s, size_t index, size_t problem, const struct kt_trial *trial);
/* Adds a row to the objective; ns NULL: a configuration that failed. `seen`: what is known beside its times. */
kt_status kt_tuning_add_row(struct kt_tuning *s, size_t index, const double *ns, const struct kt_trial *seen,
                            struct kt_error *err) KT_MUST_CHECK;
kt_status kt_tuning_note_waiting(struct kt_tuning *s, size_t index, struct kt_error *err) KT_MUST_CHECK;
void kt_tuning_forget_waiting(struct kt_tuning *s, size_t index);
/* Of ours: a candidate that a rule wrote does not compile, or is wrong. */
void kt_tuning_count_mistake(const struct kt_tuning *s, const char *name);

/* ---- plan_runners.c: several devices */
/* The plan's tester, and those of its helpers that have prepared the region and measure the original alike. */
void kt_tuning_recruit(struct kt_tuning *s);
/* One that takes a candidate, the least busy; NULL: none does now. */
struct kt_tester *kt_tuning_free_tester(const struct kt_tuning *s);
/* Waits until one answers: its place among those that are under way, of which there are some. */
size_t kt_tuning_next_answer(struct kt_tuning *s);
/* Nothing is asked of them any more. */
void kt_tuning_dismiss(struct kt_tuning *s);
/* What else is to be done while a runner works. */
void kt_tuning_poll(struct kt_tuning *s);

/* ---- plan_attempt.c */
/*
 * Asks the runner for a first look at a built candidate; where there is no room for it the replies to earlier ones are
 * taken first. What comes of it is in the objective and the store after the kt_tuning_collect that takes its reply.
 */
kt_status kt_tuning_try(struct kt_tuning *s, const struct kt_built *built, struct kt_error *err) KT_MUST_CHECK;
/* Asks it for everything that a search asks for. */
kt_status kt_tuning_verify(struct kt_tuning *s, const struct kt_contender *contender, struct kt_error *err)
    KT_MUST_CHECK;
/* Takes the next reply; there is one under way. */
kt_status kt_tuning_collect(struct kt_tuning *s, struct kt_error *err) KT_MUST_CHECK;
/* Of those tried: how many are not under way any more. */
size_t kt_tuning_decided(const struct kt_tuning *s);
/* Everything that a search asks for, of one candidate; waits for it. Nothing is under way. */
kt_status kt_tuning_ask_runner(struct kt_outcome *outcome, struct kt_tuning *s, const struct kt_candidate *candidate,
                               struct kt_error *err) KT_MUST_CHECK;

/* ---- plan_contend.c */
/* After the newest row was added, by a first look that found it right: one more contender, or one that has lost. */
kt_status kt_tuning_contend(struct kt_tuning *s, const struct kt_built *built, const struct kt_trial *looks,
                            struct kt_error *err) KT_MUST_CHECK;
/* Is it time to verify a contender? idle: the device has nothing else to do. */
bool kt_tuning_round_is_due(struct kt_tuning *s, bool idle);
/* The most promising one; there is one. */
kt_status kt_tuning_verify_next(struct kt_tuning *s, struct kt_error *err) KT_MUST_CHECK;
/* Takes all replies that are under way. */
kt_status kt_tuning_drain(struct kt_tuning *s, struct kt_error *err) KT_MUST_CHECK;
/* The same, and verifies every contender that may win, as far as there is time until then. */
kt_status kt_tuning_settle(struct kt_tuning *s, double until_s, struct kt_error *err) KT_MUST_CHECK;

/* ---- plan_try.c */
/* Its times, NAN where there is none; what came of a configuration is kept in the store. */
void kt_tuning_remember_outcome(double *ns, struct kt_tuning *s, size_t index, const struct kt_outcome *outcome);
/* A configuration that was right on what a search looks at, and failed a check: its times are those of nothing. */
void kt_tuning_refute(struct kt_tuning *s, size_t index, const struct kt_trial *trial);
/* Keeps what was wrong with a configuration: in the store, in the log with the command that shows it again. */
void kt_tuning_remember_wrong(struct kt_tuning *s, size_t index, const struct kt_outcome *outcome);

/* ---- plan_screen.c: which candidates are verified beyond a first look */
/*
 * Does a first look leave it possible that the candidate is the best so far: in general, or on a problem that may
 * have a specialised variant? trials: one per problem.
 */
bool kt_tuning_may_win(const struct kt_tuning *s, size_t index, const struct kt_trial *trials);
/* By so much that it is worth to know at once whether it is right? */
bool kt_tuning_may_improve(const struct kt_tuning *s, size_t index, const struct kt_trial *trials);
/* A trial's time as a search counts it: a first look's as what the same candidate would take with more launches. */
double kt_tuning_trial_ns(const struct kt_tuning *s, size_t problem, const struct kt_trial *trial, bool look);
/*
 * What a candidate took in a first look and in full: few launches, and fewer before them, take longer or shorter than
 * many by a part that is much the same for all candidates, and might keep every one of them from beating a best that
 * had many.
 */
void kt_tuning_note_looks(struct kt_tuning *s, const struct kt_trial *looks, const struct kt_trial *full);
/* Of what is known of a row beside its times: is it right on one check alone? */
bool kt_tuning_is_screened(const struct kt_trial *seen);
/* How many of these configurations are. */
size_t kt_tuning_screened(const struct kt_tuning *s, const size_t *finalists, size_t count);
/*
 * Verifies those of them that were not, on everything that a search asks for, as far as there is time; what is wrong is
 * no configuration any more. False in *settled where one was wrong: others may take its place.
 */
kt_status kt_tuning_verify_screened(bool *settled, struct kt_tuning *s, const size_t *finalists, size_t count,
                                    struct kt_error *err) KT_MUST_CHECK;

/* ---- plan_same.c */
/*
 * What was tried with the code and the launches of this candidate; NULL: nothing, or it cannot be told. `key` becomes
 * what identifies both ("": nothing does), for kt_tuning_note_same.
 */
const struct kt_same *kt_tuning_same(char key[KT_HASH_TEXT], const struct kt_tuning *s, const struct kt_built *built);
kt_status kt_tuning_note_same(struct kt_tuning *s, const char key[KT_HASH_TEXT], size_t index,
                              const struct kt_outcome *outcome, const struct kt_trial *seen,
                              struct kt_error *err) KT_MUST_CHECK;
/* The same candidate was verified: those that share its code have what came of that. */
void kt_tuning_same_verified(struct kt_tuning *s, size_t index, const struct kt_outcome *outcome,
                             const struct kt_trial *seen);

/* ---- plan_search.c */
/* A configuration that strategies were told of as right is not. */
kt_status kt_tuning_retract(struct kt_tuning *s, size_t index, struct kt_error *err) KT_MUST_CHECK;
/* Opens the search and asks for the first candidates, so that they compile while the references are made. */
kt_status kt_tuning_begin(struct kt_tuning *s, struct kt_error *err) KT_MUST_CHECK;
/*
 * Searches until budget, space or trials are spent: first for the general
 * configuration, then, in the last quarter, for each problem where a variant of
 * its own is allowed. All that is measured is in the objective and the store.
 */
kt_status kt_tuning_search(struct kt_tuning *s, struct kt_error *err) KT_MUST_CHECK;
void kt_tuning_end(struct kt_tuning *s);
/* What was found out, for the generator of the next template. */
kt_status kt_tuning_digest(struct kt_digest *out, const struct kt_tuning *s, struct kt_error *err) KT_MUST_CHECK;

/* ---- plan_usage.c */
/* Does what the compiler reports about a candidate keep it from being run (tuning/compiled.h)? Appends why. */
bool kt_tuning_refuses(struct kt_buf *why, struct kt_tuning *s, const struct kt_built *built);
/* Threads of a block of the configuration, on the most demanding problem; 0: not known. */
int64_t kt_tuning_threads(const struct kt_tuning *s, const int64_t *configuration);

/* ---- plan_sanitize.c */
/*
 * Starts the tools that watch on these candidates, as far as settings and budget allow; *out is NULL where there is
 * nothing to do. The device may be used meanwhile for what is not timed.
 */
kt_status kt_tuning_watch(struct kt_watch **out, struct kt_tuning *s, const struct kt_candidate *candidates,
                          size_t count, struct kt_error *err) KT_MUST_CHECK;
/* Waits for them (NULL: there are none). *suspects: bits of the tools that found something in one of the candidates. */
void kt_tuning_watched(unsigned *suspects, struct kt_tuning *s, struct kt_watch *watch);
/* The findings of those tools about one candidate: one becomes its verdict, unless the original has it as well. */
kt_status kt_tuning_sanitize(struct kt_outcome *outcome, struct kt_tuning *s, const struct kt_candidate *candidate,
                             unsigned suspects, struct kt_error *err) KT_MUST_CHECK;
/* Appends address and thread to the message about an original that failed, where a tool knows them. */
void kt_tuning_explain_baseline(struct kt_tuning *s, struct kt_error *err);

/* What they may take of the budget; 0: no tool watches. */
double kt_tuning_watch_seconds(const struct kt_tuning *s);

/* ---- plan_budget.c: all in seconds, by what was measured of this tuning so far */
/* When the budget is over; when what has begun has to end. */
double kt_tuning_deadline(const struct kt_tuning *s);
double kt_tuning_hard_end(const struct kt_tuning *s);
/* When the search has to end so that what it found is compared and checked in time. It moves as costs become known. */
double kt_tuning_search_end(const struct kt_tuning *s);
/* For the last comparison, its checks and the tools after it. */
double kt_tuning_reserve(const struct kt_tuning *s);
/* Repetitions that the budget allows for the kernel's speed: of a pass over the original and `others` more, of a
 * candidate in the search, of one on all checks. */
struct kt_effort kt_tuning_confirm_effort(const struct kt_tuning *s, size_t others);
struct kt_effort kt_tuning_search_effort(const struct kt_tuning *s);
struct kt_effort kt_tuning_screen_effort(const struct kt_tuning *s);
struct kt_effort kt_tuning_check_effort(const struct kt_tuning *s);
/* One pass over the original and `others` more; one candidate on all checks. */
double kt_tuning_pass_seconds(const struct kt_tuning *s, size_t others);
double kt_tuning_check_seconds(const struct kt_tuning *s);
/* N others than the original compared on the problems, each of them checked, and what wins once more. */
double kt_tuning_comparison_seconds(const struct kt_tuning *s, size_t others);
/* The part of the budget that passes get where one pass does not need more. */
double kt_tuning_passes_share(const struct kt_tuning *s);
/* How many of `most`, one at least, can be compared and checked in that time. */
size_t kt_tuning_affordable(const struct kt_tuning *s, size_t most, double left_s);
/* One candidate on everything that a search asks for. */
double kt_tuning_verify_seconds(const struct kt_tuning *s);
double kt_tuning_largest_seconds(const struct kt_tuning *s);
/* A budget with which the search would have come far enough (enough.h), as a round number. */
double kt_tuning_enough_seconds(const struct kt_tuning *s);

/* ---- plan_failure.c */
/* Was something tried, and none of it right? What the device cannot hold, or a guard keeps out, does not count. */
bool kt_tuning_all_failed(const struct kt_tuning *s);
/* Why the kernel has no result, where the text was ours: the first failure and how to show it again. */
const char *kt_tuning_failure(enum kt_reason *reason, const struct kt_tuning *s);

/* ---- plan_foresee.c */
/* Has nvcc compile what would come into the last comparison if the search ended now, in the background. */
void kt_tuning_foresee(struct kt_tuning *s);
/* The same of these, at once: others are not wanted. How many of their binaries are there. */
size_t kt_tuning_foresee_these(struct kt_tuning *s, const size_t *finalists, size_t count);

/* ---- plan_finalists.c */
/* Configurations for the last comparison, in the order of the space, which is what ties are broken by (select.h). */
size_t kt_tuning_finalists(size_t *finalists, const struct kt_tuning *s);
/* Is the original the only configuration? */
bool kt_tuning_is_alone(const struct kt_tuning *s);
/* Has the search seen something that is faster than the original? It may not be verified yet: finalists are, first. */
bool kt_tuning_seems_faster(const struct kt_tuning *s);
/* Keeps `most` of them, those that are nearest to the best in general or, where that counts, on a problem. */
size_t kt_tuning_fewer_finalists(size_t *finalists, size_t count, size_t most, const struct kt_tuning *s);

/* ---- plan_counters.c */
/* What the plan's profiler counts of the result, on the problems furthest from the copy bandwidth bound. */
void kt_tuning_count(struct kt_planned *out, struct kt_tuning *s);

/* ---- plan_confirm.c */
/* nvcc's binary of a configuration; NULL: there is none. */
const struct kt_built *kt_tuning_built(const struct kt_tuning *s, size_t index);
/* To a tenth of a nanosecond, well below what the device's clock resolves: entries are read by people. */
double kt_tuning_tenth(double ns);
/* Re-tests the best beside the baseline with the full effort and fills the entry with what won. */
kt_status kt_tuning_confirm(struct kt_tuning *s, struct kt_planned *out, struct kt_error *err) KT_MUST_CHECK;

#endif
