/*
 * Candidates compiled in batches: many variants in one translation unit to a
 * cubin, by the user's own nvcc and flags, or one by one by NVRTC, which needs a
 * fraction of the time; a pool of compilers runs beside the GPU. A batch that does not compile is split until each
 * faulty candidate is alone, so that a refusal does not affect other candidates.
 */
#ifndef KT_TUNING_BATCH_H
#define KT_TUNING_BATCH_H

#include "base/proc.h"
#include "base/template.h"
#include "tuning/worker.h"

/*
 * Candidates are screened with NVRTC where it makes the same code of the original kernel as nvcc does, or code like it
 * (code.h), which is asked once a batch; else, and for units that NVRTC refuses, nvcc compiles them. Why a batch is
 * nvcc's: X(identifier, name, text)
 */
#define KT_UNSCREENED(X) \
	X(NONE, "", "") \
	X(SETTING, "setting", "KTUNE_COMPILER=nvcc") \
	X(LIBRARY, "no-library", "the toolkit of nvcc has no NVRTC") \
	X(OPTION, "option", "an option has no form for NVRTC") \
	X(SOURCE, "tests-rtc", "the source depends on __CUDACC_RTC__") \
	X(UNUSABLE, "unusable", "NVRTC cannot be used") \
	X(REFUSED, "original-refused", "NVRTC does not compile the original kernel") \
	X(DIFFERS, "code-differs", "NVRTC makes other code of the original kernel") \
	X(CRASHED, "crashed", "NVRTC crashed again and again")

enum kt_unscreened {
#define KT_UNSCREENED_ROW(id, name, text) KT_UNSCREENED_##id,
	KT_UNSCREENED(KT_UNSCREENED_ROW)
#undef KT_UNSCREENED_ROW
	KT_UNSCREENED_COUNT
};
const char *kt_unscreened_name(enum kt_unscreened why);
const char *kt_unscreened_text(enum kt_unscreened why);

/* How candidates of a batch were compiled. */
struct kt_screened {
	bool nvrtc;              /* NVRTC compiles candidates (now) */
	bool equal;              /* it made nvcc's code of the original, not only code like it */
	enum kt_unscreened why;  /* it does not; NONE: it does, or the original was not compiled yet */
	const char *detail;      /* more about it; NULL: nothing */
	size_t by_nvrtc, by_nvcc; /* candidates that were compiled, the original left out */
	size_t shared;            /* candidates that have the text of one that was */
	size_t refused, overturned; /* by NVRTC; of these compiled by nvcc all the same */
	size_t crashed, hung, starved, killed; /* ends of processes */
};

/*
 * Gives the text that NVRTC gets in place of the slice: the answer of ktcc-clang to "device" (docs/protocol.md), one
 * line of JSON.
 */
struct kt_device_source {
	kt_status (*read)(struct kt_buf *answer, void *context, const struct kt_template *template_,
			  struct kt_error *err);
	void *context;
};

struct kt_early;
struct kt_compile {
	/* nvcc and the user's flags that affect code, without input, output, mode, architecture and dependency options. */
	char *const *arguments;   /* NULL-terminated */
	const char *directory;    /* working directory of the command */
	const char *scratch;      /* a directory of the caller's for sources and cubins */
	int64_t arch;             /* compute capability × 10 */
	size_t folder_count;
	const char *const *folders; /* for quoted includes of the slice; none: the folder of the region's file */
	size_t jobs;              /* most compilers at a time */
	size_t batch_most;        /* most candidates in one unit */
	char feature;             /* of arch: 'a' of sm_90a, 'f' of sm_100f, NUL: none */
	const struct kt_screening *screening; /* NVRTC; NULL: nvcc compiles all, for this reason: */
	enum kt_unscreened unscreened;
	const char *unscreened_detail;
	struct kt_device_source device; /* read NULL: NVRTC gets the slice */
	bool screens_always;      /* also where NVRTC makes other code of the original */
	struct kt_early *original; /* nvcc's work on the original, begun before (early.h); NULL: none */
};

/* One compiled candidate. */
struct kt_built {
	size_t ticket;         /* as given to kt_batch_add */
	size_t text;           /* that of the candidate that was compiled: its own, or of one with the same text */
	const char *cubin;     /* path; NULL when it did not compile */
	const char *function;  /* the entry's (mangled) name in the cubin; of an original that is a launch region the
	                          names of its steps, a blank between two */
	const char *message;   /* compiler output when it did not compile */
	bool screened;         /* NVRTC compiled it */
	bool unlucky;          /* no compiler could run, or it was killed: no fault of the candidate */
	/* OpenCL: the program has other candidates; that it does not build may be their fault */
	bool shared;
};

struct kt_batch;
/*
 * Compile, template, instance and what they point to must outlive the batch;
 * source is only read here. The first units are small, so that the GPU has work
 * early; they grow while they are quick and shrink when they are slow. A compiler
 * that cannot be started, or a text that cannot be made, is the message of the
 * candidates it was for.
 */
kt_status kt_batch_open(struct kt_batch **out, const struct kt_compile *compile, const struct kt_template *template_,
                        const struct kt_instance *instance, const char *source, size_t source_size,
                        struct kt_error *err) KT_MUST_CHECK;
/* Queues one configuration (copied); NULL is the original kernel. Tickets of one batch differ. */
kt_status kt_batch_add(struct kt_batch *batch, size_t ticket, const int64_t *configuration, struct kt_error *err)
    KT_MUST_CHECK;
/*
 * The same for nvcc, whichever compiles the others: what is emitted is compiled by it. Of a configuration that was handed
 * out before it is another binary.
 */
kt_status kt_batch_add_exact(struct kt_batch *batch, size_t ticket, const int64_t *configuration, struct kt_error *err)
    KT_MUST_CHECK;
/*
 * Which configurations will probably be asked for by kt_batch_add_exact, the most probable first; configurations are copied.
 * nvcc compiles them in the background, in a quarter of the places for compilers at most, and in no more than one of many
 * while the device may run out of candidates. What is not named any more is killed; what was compiled is kept. A
 * configuration that is added exactly afterwards is finished with what is there, or when what runs has ended. One that
 * could not be compiled is compiled again.
 */
struct kt_foreseen {
	size_t ticket;
	const int64_t *configuration;
};
void kt_batch_foresee(struct kt_batch *batch, const struct kt_foreseen *wanted, size_t count);
/* How many of those that were named last are compiled. */
size_t kt_batch_foreseen(const struct kt_batch *batch);
/* Elapsed seconds that nvcc took for its quickest unit; 0: for none yet. */
double kt_batch_exact_seconds(const struct kt_batch *batch);
/* OpenCL: queues one configuration again, in a separate program. */
kt_status kt_batch_add_alone(struct kt_batch *batch, size_t ticket, const int64_t *configuration, struct kt_error *err)
    KT_MUST_CHECK;
/* Starts what is queued, divided evenly among the compilers. */
kt_status kt_batch_flush(struct kt_batch *batch, struct kt_error *err) KT_MUST_CHECK;
/*
 * The next finished candidate, in any order; waits at most wait_s. When it
 * waits while no compiler runs, it starts what is queued.
 * Returns false when none came in time or nothing is left (kt_batch_pending == 0).
 * Strings in *out live as long as the batch.
 */
bool kt_batch_next(struct kt_built *out, struct kt_batch *batch, double wait_s);
/* The one that kt_batch_next hands out after `ahead` others, of those that are ready; NULL: there are not so many. */
const struct kt_built *kt_batch_peek(const struct kt_batch *batch, size_t ahead);
/* Makes that one the next. */
void kt_batch_prefer(struct kt_batch *batch, size_t ahead);
/* Collects from compilers that are done and starts others, without waiting: for a caller that has to wait elsewhere. */
void kt_batch_poll(struct kt_batch *batch);
size_t kt_batch_ready(const struct kt_batch *batch); /* built, and not handed out yet */
size_t kt_batch_pending(const struct kt_batch *batch);
double kt_batch_compile_seconds(const struct kt_batch *batch); /* wall time with at least one compiler running */
/*
 * Candidates may be added while the original is compiled: as soon as NVRTC has compiled the original they are compiled by
 * it, and handed out when nvcc's code of the original has shown that they may be; else by nvcc once more.
 */
void kt_batch_anticipate(struct kt_batch *batch);
/* As kt_batch_next, but this one before all others. */
bool kt_batch_next_of(struct kt_built *out, struct kt_batch *batch, size_t ticket, double wait_s);
/* Waits until it is known who compiles candidates, once the original was handed out. */
void kt_batch_settle(struct kt_batch *batch);
const struct kt_screened *kt_batch_screened(const struct kt_batch *batch);
/* Nothing that was added so far is wanted any more: kills what runs, and hands out none of it. */
void kt_batch_cancel(struct kt_batch *batch);
void kt_batch_close(struct kt_batch *batch); /* kills what runs; accepts NULL */


/* Drops version, target, file, line, comments and debug sections; unifies names as kt_symbol_unify does. */
void kt_ptx_normalise(struct kt_buf *out, const char *ptx, size_t size);

#endif
