/*
 * The planning agent: one region instance from "nothing known" to an entry in
 * the store. Generation, tuning and testing do the work; planning decides what
 * is tried, when to stop and what is kept.
 */
#ifndef KT_PLANNING_PLANNING_H
#define KT_PLANNING_PLANNING_H

#include "base/config.h"
#include "base/template.h"
#include "planning/contest.h"
#include "planning/counts.h"
#include "planning/digest.h"
#include "store/store.h"
#include "testing/testing.h"
#include "tuning/batch.h"
#include "tuning/compiled.h"

/*
 * What ktcc does itself between two requests to the runner. The runner has nothing to do meanwhile, except what is in its
 * pipe (testing/attempt.c).
 */
enum kt_between {
	KT_BETWEEN_STARVED, /* it waits for a compiler */
	KT_BETWEEN_SEARCH,  /* it waits for what a strategy asks to try */
	KT_BETWEEN_STORE,   /* trials are written down */
	KT_BETWEEN_BUILT,   /* what compilers made is taken in, and finalists are foreseen */
	KT_BETWEEN_REQUEST, /* a request is made and sent */
	KT_BETWEEN_REPLY,   /* a verdict is noted, without writing it down */
	KT_BETWEEN
};
/* "starved" */
const char *kt_between_name(enum kt_between between);

/* Where the wall time of one tuning went, in seconds. */
struct kt_wall {
	double scan_s, compile_s, run_s, total_s; /* compile and run overlap: their sum may exceed the total */
	double wait_s;                            /* for the device, while others used it: on top of any budget */
	double spent_s[KT_SPENT];                 /* parts of run_s */
	double between_s[KT_BETWEEN];             /* parts of what is neither run_s nor wait_s */
};

struct kt_plan {
	const struct kt_config *config;
	struct kt_store *store;          /* NULL: nothing is remembered */
	struct kt_tester *tester;        /* open */
	/*
	 * Makes the tester ready for a region, once compilers work for the tuning; `run` is to be called meanwhile. NULL: it
	 * is ready.
	 */
	kt_status (*prepare)(void *context, kt_meanwhile *run, void *state, struct kt_error *err);
	void *prepare_context;
	/* Of further devices of the same kind, open and made ready as the tester is; they may be asked about candidates. */
	struct kt_tester *const *helpers;
	const size_t *helper_count;      /* known when `prepare` has returned; NULL: there are none */
	const struct kt_template *template_;
	size_t instance;
	const char *source;
	size_t source_size;
	struct kt_compile compile;
	const char *region_key, *closure, *near_key; /* keys of this instance */
	const char *symbol;                          /* of its kernel, as kt_case.symbol */
	const char *assembler;                       /* options of ptxas, as kt_work_input.assembler */
	const char *measure_key;         /* what a measurement depends on besides configuration and problem */
	struct kt_lease *lease;          /* gets signs of life; NULL: none is held */
	const char *toolkit;             /* "13.0": provenance */
	double most_seconds;             /* whatever the budget: the rest of the build's; negative: no such limit */
	/* What this tuning may take of the region's budget; 0: all of it, by the settings and the region. */
	double share_seconds;
	int64_t share_trials;
	/* Whose text the template is, where it is a model's; all NULL otherwise (store.h, kt_entry). */
	struct kt_entry_author author;
	/* Asked once, with what was found: keep it? It answers whether it did. NULL: nothing is kept. */
	bool (*keep)(void *context, const struct kt_entry *entry);
	void *keep_context;
	const char *ncu;                 /* the profiler that is asked about a result that is kept; NULL: none */
	double allowance_seconds;        /* of which it gets a share: the instance's part of its region's budget */
	size_t declined_count;
	const char *const *declined;     /* what the generator did not do: "line 12: index-depends-on-data: …" */
	size_t known_count;
	const struct kt_entry *const *known; /* of the same region, for other instances or devices: where the search starts */
	const struct kt_observer *observer; /* is told how far it is (observer.h); NULL: a terminal is */
	const char *strategy;            /* NULL: by space and budget */
	uint64_t seed;
};

/* A candidate that was rejected, as `ktcc verify` shows it again; configuration NULL: none was. check NULL: it did not
 * compile. */
struct kt_wrong {
	const char *configuration, *check, *detail;
	enum kt_verdict verdict;
};

struct kt_planned {
	struct kt_entry entry;
	enum kt_reason reason;           /* KT_REASON_NONE, or why there is no better configuration */
	const char *refusal;             /* of an empty space: what the device refuses most of, or NULL */
	struct kt_wall wall;
	/*
	 * Of those tried; recalled: known from an earlier run, identical: decided by code that others have, too, refused:
	 * compiled and not run (tuning/compiled.h).
	 */
	int64_t tried, recalled, identical, wrong, uncompiled, refused;
	struct kt_wrong first_wrong;
	/* A budget that would have come far enough, in time or in trials; 0: this one did. */
	double enough_s;
	int64_t enough_trials;
	struct kt_contest contest;
	struct kt_digest digest;
	struct kt_usage original_usage;  /* of the original kernel; threads 0: not known */
	bool kept;                       /* what `keep` returned */
	struct kt_counts counts;
	bool uncounted;                  /* the profiler was asked in vain */
};

/* What the settings, else the region, allow for one region: seconds, and trials (INT64_MAX: no limit). */
double kt_plan_seconds(const struct kt_config *config, const struct kt_region *region);
int64_t kt_plan_trials(const struct kt_config *config, const struct kt_region *region);

/* Tunes. Strings live in arena. */
kt_status kt_plan_tune(struct kt_planned *out, struct kt_arena *arena, const struct kt_plan *plan,
                       struct kt_error *err) KT_MUST_CHECK;
/*
 * Compiles one configuration (one value a parameter of the template) and verifies it on every problem and check, or on
 * one check that is given by its text. A candidate that does not compile is a verdict whose `failed` is the compiler's
 * message. Nothing is remembered.
 */
kt_status kt_plan_verify(struct kt_outcome *out, struct kt_arena *arena, const struct kt_plan *plan,
                         const int64_t *configuration, const char *check, struct kt_error *err) KT_MUST_CHECK;
/*
 * Compiles some configurations and times them interleaved with the original, in passes (passes.h). timings[row ×
 * problems + problem], row 0 is the original, the configurations follow; samples 0 where one does not compile or does
 * not run. Nothing is verified or remembered.
 */
#define KT_PLAN_COMPARED 32
kt_status kt_plan_compare(struct kt_timing *timings, struct kt_arena *arena, const struct kt_plan *plan,
                          const int64_t *const *configurations, size_t count, struct kt_error *err) KT_MUST_CHECK;

#endif
