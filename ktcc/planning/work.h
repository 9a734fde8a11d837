/*
 * One translation unit on its way through ktcc: scanned, looked up, tuned,
 * emitted. The launcher and the verbs drive the same steps; each step may be
 * the last. Nothing here decides what the user's compiler is run with.
 */
#ifndef KT_PLANNING_WORK_H
#define KT_PLANNING_WORK_H

#include "base/emitted.h"
#include "generation/generation.h"
#include "planning/planning.h"
#include "store/lock.h"

/* What the command line gives; strings outlive the work. */
struct kt_work_input {
	const struct kt_config *config;
	struct kt_store *store;         /* NULL: none */
	const char *file;               /* as given to the compiler */
	const char *directory;          /* absolute working directory */
	char *const *clang_arguments;   /* NULL-terminated */
	char *const *code_arguments;    /* nvcc first, see kt_compile.arguments */
	const struct kt_screening *screening; /* NVRTC beside nvcc; NULL: for this reason there is none */
	enum kt_unscreened unscreened;
	const char *unscreened_detail;
	const char *flags;              /* the options that can change PTX, as text for the keys, a line each */
	const char *assembler;          /* those that change what ptxas makes of it; "": none */
	enum kt_language language;
	const char *build_options;      /* OpenCL: the options of the driver's compiler; NULL otherwise */
	const char *toolkit_dir;        /* "/usr/local/cuda"; NULL: unknown, and for OpenCL */
	size_t architecture_count;
	const int64_t *architectures;   /* those whose own code is compiled, cc × 10, ascending */
	const char *features;           /* of each the letter of sm_90a, NUL: none; NULL: none at all */
	int64_t read_architecture;      /* the lowest virtual one: the source is read for it; 0: by `architectures` */
	char read_feature;              /* its letter */
	bool native;                    /* -arch=native: the architecture of the GPU in the machine */
	bool gpu;                       /* a GPU seems to be in the machine */
	const char *fingerprint;        /* of the machine's GPUs */
	const char *build_tree;         /* whose budget is shared (KTUNE_BUILD_BUDGET); NULL: no build's */
	const char *build_advice;       /* how to tune what the build had no time for */
	uint64_t seed;                  /* of the search; 0: the default */
	const struct kt_observer *observer; /* is told how far tunings are (observer.h); NULL: a terminal is */
	bool refresh;                   /* measure again what other rules rebuilt than those that were measured */
	void (*meanwhile)(void *context); /* called while the source is scanned; NULL: nothing */
	void *meanwhile_context;
	bool only_look_up;              /* without an entry and without a device to tune on, no region key is made */
	bool go_on;                     /* ask the model about cases that have an entry, too, from what is remembered */
};

/* One region instance. */
struct kt_case {
	const struct kt_region *region;
	size_t instance;
	/* NULL with a reason. The original kernel until a generator has made another of it. */
	struct kt_template *template_;
	bool waits;                     /* for kt_work_generate: its template has nothing to tune yet */
	enum kt_reason reason;          /* why it has no variant; NONE: it has one */
	const char *detail;             /* more about the reason, or NULL */
	const char *closure, *near_key, *region_key; /* region_key NULL: not known yet */
	/*
	 * The kernel's name in the form of base/symbol.h, of a launch region its kernels'; NULL: not known without a
	 * compiler.
	 */
	const char *symbol;
	const char *ptx_key;            /* hash of what it compiles to, a part of the region key; NULL: not compiled here */
	const char *lock_folder;        /* ktune.lock/NAME-12345678; NULL: no lock directory or key */
	size_t found_count;
	struct kt_found *found;
	struct kt_wall wall;
	int64_t tried, recalled, identical, wrong, uncompiled, refused;
	/* A budget that would have come far enough, in time or in trials; 0: this one did. */
	double enough_s;
	int64_t enough_trials;
	struct kt_contest contest;      /* of the template whose search found most */
	bool tuned, failed;             /* in this run */
	bool unstored;                  /* tuned, and the store could not keep it */
	const char *refused_by_store;   /* why not; NULL: it did, or there is none */
	struct kt_wrong first_wrong;    /* of this run */
	size_t awaited_count;
	const char **awaited;           /* files in which answers of a model are awaited */
	unsigned rounds;                /* of a model, in this run, and what they cost */
	int64_t questions, prompt_tokens, reply_tokens;
	double cost, waited_s;
	const char *damaged;            /* a lock file that was skipped, and why */
	enum kt_reason unfit_reason;    /* of the last entry that was found and not taken */
	const char *unfit;              /* which, and why; or NULL */
	const char *keyless;            /* why there is no region key, or NULL */
};

/* The name of its instance, of a region without one its own. */
const char *kt_case_name(const struct kt_case *each);

struct kt_work;

/*
 * Runs ktcc-clang and reads what it answers. On failure the reason (never NONE)
 * is in *reason: KT_REASON_NO_CLANG or KT_REASON_SCAN_FAILED.
 */
kt_status kt_work_open(struct kt_work **out, enum kt_reason *reason, const struct kt_work_input *input,
                       struct kt_error *err) KT_MUST_CHECK;
void kt_work_close(struct kt_work *work); /* accepts NULL */

const struct kt_unit *kt_work_unit(const struct kt_work *work);
const struct kt_buf *kt_work_source(const struct kt_work *work);
/* Scan's JSON line as ktcc-clang printed it. */
const struct kt_buf *kt_work_scan_json(const struct kt_work *work);
size_t kt_work_cases(struct kt_case **out, struct kt_work *work);
/* The device of this machine (or of the recording), NULL when there is none. May start the runner. */
const struct kt_device *kt_work_device(struct kt_work *work);
const struct kt_lock_place *kt_work_lock(const struct kt_work *work);
/* Is there a server that may have what is found nowhere else? */
bool kt_work_asks_remote(const struct kt_work *work);
const char *kt_work_assembler(const struct kt_work *work); /* kt_work_input.assembler */
const char *kt_work_toolkit_dir(const struct kt_work *work); /* NULL: unknown */
struct kt_arena *kt_work_arena(struct kt_work *work);

/* Nothing more is asked about the source: what reads it ends by itself, while the caller goes on. */
void kt_work_rest(struct kt_work *work);
/* A region whose pragma could not be read has no name: its kernel's, or "region". */
const char *kt_work_region_name(const struct kt_region *region);
/*
 * Prints an error for each case that is left unmodified against KTUNE_MODE=require, and one for a mistake in a pragma of no
 * region. False: there is none.
 */
bool kt_work_say_required(const struct kt_work *work);

/* Looks every case up. Cases without an entry get their reason. */
kt_status kt_work_lookup(struct kt_work *work, struct kt_error *err) KT_MUST_CHECK;
/*
 * Makes the templates of all cases that wait for one, in one run of the generator that KTUNE_GENERATOR names, once
 * a work. A case that gets none has its reason. Look-up and emission need none of it: entries bring their own.
 */
void kt_work_generate(struct kt_work *work);
/* Gives a case that waits the template of its first entry that brings one, else a generator's. */
void kt_work_choose_template(struct kt_work *work, struct kt_case *each);
/* Does the command make that architecture's own code? For -arch=native without a device that is unknown: false. */
bool kt_work_compiles_for(const struct kt_work *work, int64_t cc);
/* What the rules know about the unit, whatever the cases wait for. KT_ERR_CHILD: they did not answer. */
kt_status kt_work_analyse(const struct kt_rules **out, struct kt_work *work, struct kt_error *err) KT_MUST_CHECK;
/* The same of the generator by the IR (docs/ir.md). */
kt_status kt_work_analyse_ir(const struct kt_rules **out, struct kt_work *work, struct kt_error *err) KT_MUST_CHECK;
/* Tunes what mode and machine allow and the look-up left open; then looks up again. Failures become reasons. */
void kt_work_tune(struct kt_work *work);
/*
 * Where there is no device: writes the questions about all cases, with what is known without measuring, to the folder
 * that KTUNE_LLM_URL names. Failures become reasons.
 */
void kt_work_question(struct kt_work *work);
/* As kt_plan_verify, on this machine's device. KT_ERR_MISSING: there is none. */
kt_status kt_work_verify(struct kt_outcome *out, struct kt_work *work, struct kt_case *each,
                         const int64_t *configuration, const char *check, struct kt_error *err) KT_MUST_CHECK;
/* As kt_plan_compare, on this machine's device. */
kt_status kt_work_compare(struct kt_timing *timings, struct kt_work *work, struct kt_case *each,
                          const int64_t *const *configurations, size_t count, struct kt_error *err) KT_MUST_CHECK;
/*
 * Visits the report of the case's last tuning (`planning/decisions.h`), on the device of its first entry, else on this
 * machine's as far as it is known without asking a driver.
 */
void kt_work_each_decision(struct kt_work *work, const struct kt_case *each, kt_decision_visit visit, void *context);
/* What came of compiling configurations of a case. */
struct kt_compiled_space {
	size_t compiled, failed;
	size_t modules;      /* different code among what compiled */
	double original_s;   /* the original, by both compilers where there are two */
	double seconds;      /* elapsed, from the first configuration on */
	double cpu_s;        /* of all compilers, the original included */
	const char *message; /* of the first that failed; NULL: none did */
	struct kt_screened screened;
};
/*
 * Compiles the original and `count` feasible configurations (all, if they are fewer), spread evenly over the space, as
 * a search compiles them. Needs no device; `device` decides which are feasible.
 */
kt_status kt_work_compile_space(struct kt_compiled_space *out, struct kt_work *work, const struct kt_case *each,
                                const struct kt_device *device, size_t count, struct kt_error *err) KT_MUST_CHECK;
/* The template of an entry that was found for the case. */
const struct kt_template *kt_work_entry_template(const struct kt_case *each, const struct kt_entry *entry);
/* Number of variants that the found entries make. */
size_t kt_work_variants(const struct kt_work *work);
/* Is there something to emit: variants, or launches that may reach those of another source? */
bool kt_work_emits(const struct kt_work *work);
/* OpenCL: appends the tuned source, and the header with its launch geometry. */
kt_status kt_work_emit_opencl(struct kt_buf *cl, struct kt_buf *header, struct kt_work *work, struct kt_error *err)
    KT_MUST_CHECK;
/*
 * The specialised source and the copies of headers, in the work's arena. Where the source includes a copy, its name
 * begins with `prefix` ("OUT.ktune/"); NULL: nothing.
 */
kt_status kt_work_emit(struct kt_emitted *out, struct kt_work *work, const char *prefix, struct kt_error *err)
    KT_MUST_CHECK;

#endif
