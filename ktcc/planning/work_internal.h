/* What work.c, work_fit.c, work_tune.c and work_emit.c share. */
#ifndef KT_PLANNING_WORK_INTERNAL_H
#define KT_PLANNING_WORK_INTERNAL_H

#include "base/proc.h"
#include "generation/clang.h"
#include "planning/work.h"
#include "store/remote.h"

/* The compiler of the runner's own kernels, where one was started; proc NULL: none. */
struct kt_support {
	struct kt_proc *proc;
	const char *path;
	int64_t arch;
	bool splits; /* with several threads */
};

/* What nvcc makes of the originals (work_early.c), one per region instance; NULL: nothing was begun. */
struct kt_originals {
	struct kt_early *ptx, *cubin;
	size_t most;                 /* processes at a time */
	struct kt_jobserver *server; /* NULL: of no make */
};

/* Most devices beside the first that tune a region. */
#define KT_WORK_HELPERS 7

struct kt_work {
	struct kt_work_input input;
	struct kt_arena *arena;
	const char *path;     /* absolute path of the source */
	const char *toolkit;  /* "13.0" */
	struct kt_lock_place lock;
	const char *scratch;  /* private directory for compilations; NULL until needed */
	struct kt_buf source, scanned; /* the unit's text; scan's JSON */
	size_t folder_count;
	const char **folders; /* for quoted includes of the unit's text */
	struct kt_unit *unit;
	size_t case_count;
	struct kt_case *cases;
	double scan_s;
	double unpaid_since_s; /* what was done since then is preparation: the next tuning's time, no wait for others in it */
	bool generated;         /* the generator has run */
	struct kt_rules *rules; /* what it answered; NULL: nothing, for this reason */
	struct kt_rules *ir;    /* templates by the IR; NULL: not asked for */
	size_t source_count;
	struct kt_template_source **sources; /* of those templates */
	enum kt_reason generator_reason;
	const char *generator_detail;
	struct kt_remote *remote; /* NULL: none is to be asked */
	struct kt_clang_client *clang; /* what reads the source: scan, rewrite, check */
	double checked_s;           /* of processor time, all checks together */
	struct kt_tester *tester;
	size_t helper_count;
	struct kt_tester *helpers[KT_WORK_HELPERS]; /* of further devices of the same kind */
	bool helpers_opened;
	struct kt_support support;
	struct kt_originals originals;
	const char *no_device; /* why the tester has none; NULL: not asked for, or it has */
	bool tester_failed, device_known;
	bool looked_up;         /* cases know their entries */
	bool uncounted;         /* there is no profiler, or it is of no use here */
	struct kt_device device;
	int64_t native_architecture;
};

/* The device if it is known without starting a driver, else as kt_work_device. */
const struct kt_device *kt_work_known_device(struct kt_work *work);

/* ---- work_clang.c */
/* Runs the generator once, where a case waits for it; kt_work_generate hands out what it wrote. */
void kt_work_run_generator(struct kt_work *work);

/* ---- work_early.c */
/*
 * Begins what nvcc will be asked for of these cases (one flag a case): the PTX of those without a region key, and where
 * they will be tuned the cubins of their originals and the runner's own kernels, as many at a time as there may be
 * compilers. Once.
 */
void kt_work_begin_early(struct kt_work *work, const bool *wanted);
/* The compiler of the case's PTX, which is started now unless it was. */
kt_status kt_work_early_ptx(struct kt_early **out, struct kt_work *work, const struct kt_case *each,
                            struct kt_error *err) KT_MUST_CHECK;
/* nvcc's work on the case's original; NULL: none was begun. */
struct kt_early *kt_work_early_cubin(struct kt_work *work, const struct kt_case *each);
/* Those of cases that have their entries are not waited for. */
void kt_work_drop_early(struct kt_work *work);
void kt_work_close_early(struct kt_work *work);

/* ---- work_device.c */
/* Starts the compiler of the runner's own kernels for the architecture that the command compiles for, unless the store
 * has them. */
void kt_work_start_support(struct kt_work *work);
/* Will this case be tuned if there is a device and no entry? */
bool kt_work_may_tune(const struct kt_work *work);
/*
 * Starts the process that has the device open, unless it runs. False: there is no device, work->no_device may have
 * the cause.
 */
bool kt_work_open_tester(struct kt_work *work);
/* Gives an open tester the runner's own kernels; `run` (NULL: nothing) is called while they are compiled. */
kt_status kt_work_load_support(struct kt_work *work, kt_meanwhile *run, void *state, struct kt_error *err) KT_MUST_CHECK;
/* With KTUNE_GPUS=all: opens and makes ready the testers of the machine's other devices of that kind. Once. */
void kt_work_open_helpers(struct kt_work *work);
/* Measures the device's copy bandwidth bound where the store has none; the tester compares with its launch time. */
void kt_work_keep_copy(struct kt_work *work);

/* The architecture that the source is read, and the region key made, for. */
int64_t kt_work_read_architecture(const struct kt_work *work);
/* work_screen.c: asks for a unit without host code; context: the work (tuning/batch.h, kt_device_source). */
kt_status kt_work_read_device(struct kt_buf *answer, void *context, const struct kt_template *template_,
			      struct kt_error *err) KT_MUST_CHECK;
/* How to compile for one architecture; makes the scratch directory. */
kt_status kt_work_compile(struct kt_compile *out, struct kt_work *work, int64_t arch, struct kt_error *err)
    KT_MUST_CHECK;

/* Makes the client of `ktcc-clang` for the unit; starts nothing. */
kt_status kt_work_open_clang(struct kt_work *work, struct kt_error *err) KT_MUST_CHECK;
/*
 * Asks for `scan` or `rewrite` of the unit and appends what comes back. On failure *reason becomes KT_REASON_NO_CLANG
 * where that is why, else it stays. `meanwhile` (NULL: nothing) is called, with the input's context, while it is
 * answered.
 */
kt_status kt_work_clang(struct kt_buf *out, enum kt_reason *reason, struct kt_work *work, const char *verb,
                        void (*meanwhile)(void *context), struct kt_error *err) KT_MUST_CHECK;

/* Asks for templates by `rewrite` or `generate`, and reads them. */
kt_status kt_work_ask_templates(struct kt_rules **out, enum kt_reason *reason, struct kt_work *work, const char *verb,
                                struct kt_error *err) KT_MUST_CHECK;

/* ---- work_ir.c */
/*
 * What a case gets where the rules have no template: one by the IR, whose plain print is proven to be the kernel, else
 * the original kernel with bounds of its launch. NULL: neither.
 */
struct kt_template *kt_work_fall_back(struct kt_work *work, const struct kt_case *each);
/* One by the IR for a case that has another template, proven likewise. NULL: none. */
struct kt_template *kt_work_second_template(struct kt_work *work, const struct kt_case *each);
/* The template that this generator ("rules", "ir", "plain") makes of the source, for a recipe. NULL: none, and *why or NULL. */
struct kt_template *kt_work_template_by(struct kt_work *work, const struct kt_case *each, const char *generator,
                                        const char **why);
void kt_work_free_sources(struct kt_work *work);

/* ---- work_key.c */
/* Makes what of the keys needs no compiler: symbol, closure, near key. */
void kt_work_make_keys(struct kt_work *work, struct kt_case *each);
/*
 * Makes the region key where it is not known: of the clauses, the kernel's name, what the kernel compiles to, and the
 * options of ptxas. Where only a compiler tells the name, it is asked. On failure each->keyless has the cause. Without
 * may_compile it is only remembered.
 */
void kt_work_make_region_key(struct kt_work *work, struct kt_case *each, bool may_compile);
/* Which function it is: kernels of one name in other namespaces, overloads and other instances are others. */
void kt_work_hash_identity(struct kt_hash *hash, const struct kt_case *each);

/*
 * What a measurement of this case depends on besides configuration and problem: tokens, flags, data, guards, geometry.
 * Not the values of parameters and problems, so that adding one keeps what was measured. NULL when out of memory.
 */
const char *kt_work_measure_key(struct kt_work *work, const struct kt_case *each);

/*
 * Gives an entry's template, which was adopted, the text that `ktcc-clang check` prints of it: device code and nothing
 * else, each name of it different from variant to variant. Else the reason, and *why. What was accepted once is not
 * asked about again. OpenCL C, which the check does not know, is refused.
 */
enum kt_reason kt_work_take_text(struct kt_work *work, const struct kt_case *each, struct kt_entry *entry,
                                 const char **why);

/* ---- work_fit.c */
/* What an entry is to a case. */
struct kt_fit {
	struct kt_work *work;
	const struct kt_case *each;
	struct kt_entry *entry;
	enum kt_reason reason; /* NONE: it fits */
	const char *why;       /* a JSON pointer and what is wrong there, or what helps */
	const char *rebuilt;   /* hash of what its recipe came to, where that is not what was measured; else NULL */
};
/*
 * Is the entry one of this case's region? Its configurations name the template's parameters with values that are
 * declared, allowed, and within the limits of its device, its rules the region's variables. Where parameters are not
 * the region's own the entry brings a recipe, which is followed, or a model's text, which becomes a template of this
 * region, if it is allowed.
 */
struct kt_fit kt_work_fit(struct kt_work *work, const struct kt_case *each, struct kt_entry *entry);

/* ---- work_recipe.c */
/*
 * Follows the entry's recipe: its template becomes what today's rules make of the source, its parameters that
 * template's. Else the reason, and fit->why with the command that helps.
 */
enum kt_reason kt_work_rebuild(struct kt_fit *fit);
/*
 * Is what was rebuilt what was measured? Else fit->rebuilt is the hash of what it is instead, which is used all the
 * same. For an entry of format 1 it must be the same: other text is a reason, and fit->why names what helps.
 */
enum kt_reason kt_work_compare_text(struct kt_fit *fit);
/*
 * Is the configuration one that a tuning on the entry's device could have come to: do restrictions and limits allow
 * it on a problem? Whether its values are declared is not asked. False: *why names what does not hold.
 */
bool kt_work_is_member(const struct kt_fit *fit, const struct kt_template *template_, const int64_t *configuration,
                       const char **why);

/* ---- work_decline.c */
/* Gives a case for which nothing was found the reason why. */
void kt_work_decline_unfound(struct kt_work *work, struct kt_case *each, const struct kt_query *query);

#endif
