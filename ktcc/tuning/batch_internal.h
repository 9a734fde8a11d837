/* A batch, for the batch*.c files only. */
#ifndef KT_TUNING_BATCH_INTERNAL_H
#define KT_TUNING_BATCH_INTERNAL_H

#include "base/jobserver.h"
#include "base/hash.h"
#include "base/proc.h"
#include "tuning/batch.h"

#define KT_BATCH_JOBS 64       /* most compilers at a time */
#define KT_BATCH_SECONDS 600.0 /* for one compiler */
#define KT_BATCH_SPLIT "split-compile" /* optimises functions in parallel; the code stays the same */
#define KT_BATCH_SCREENED 1    /* candidates of one unit of NVRTC */
#define KT_BATCH_PROGRAM 8     /* most candidates in one OpenCL program */
#define KT_BATCH_NO_MEMORY "out of memory"

struct kt_batch_candidate {
	size_t ticket;
	const int64_t *configuration; /* NULL: the original */
	bool exact;                   /* for nvcc */
	size_t built;                 /* index of what came out; SIZE_MAX: nothing yet */
	size_t twin;                  /* the candidate before it whose text it has; SIZE_MAX: none */
};

/* The text of a candidate, for others that have it too. */
struct kt_batch_twin {
	char hash[KT_HASH_TEXT];
	size_t candidate;
};

/* Candidates that are compiled together. */
struct kt_batch_unit {
	size_t count;
	size_t *members; /* indices of candidates */
	char *cubin;
	bool by_nvcc;    /* whatever the others are compiled by */
	bool refused;    /* by NVRTC before */
	bool device;     /* its text has no host code (batch_device.c) */
	bool probe;      /* of NVRTC: the original, to be compared; it has no members */
	size_t foreseen; /* a configuration that was not asked for yet, its place + 1; it has no members */
};

/* A process of NVRTC and what it was asked, the oldest first. */
struct kt_batch_worker {
	struct kt_worker *worker; /* NULL: none is running */
	size_t count;
	struct kt_batch_unit units[KT_WORKER_AHEAD];
};

/* The comparison of both compilers on the original. */
struct kt_batch_probe {
	const char *source;                          /* the unit with the original; NULL: not yet */
	bool asked;
	double asked_s;
	const char *cubin;                           /* NVRTC's; NULL: not yet */
	const char *nvcc_cubin, *nvcc_function;      /* nvcc's; NULL: not yet */
};

/* A configuration whose exact binary will probably be asked for. */
enum kt_foreseen_state { KT_FORESEEN_IDLE, KT_FORESEEN_RUNS, KT_FORESEEN_BUILT, KT_FORESEEN_FAILED };
struct kt_batch_foreseen {
	size_t ticket;
	const int64_t *configuration;
	enum kt_foreseen_state state;
	size_t rank;  /* the most probable is 0; SIZE_MAX: not wanted */
	char *cubin;
};

struct kt_batch {
	const struct kt_compile *compile;
	const struct kt_template *template_;
	const struct kt_instance *instance;
	struct kt_arena *arena;
	struct kt_buf slice, bare; /* what a unit with the original starts with, and one without it */
	/* The same without host code, and the folder of its headers; NULL: there is none. */
	struct kt_buf device_slice, device_bare;
	const char *device_folder;
	char **environment;
	size_t candidate_count, taken, released; /* [taken, released) may start */
	size_t share;                            /* of what was released last, for one compiler */
	struct kt_batch_candidate *candidates;
	size_t retry_count;
	struct kt_batch_unit *retries; /* parts of units that failed; a stack */
	size_t built_count, handed_out;
	struct kt_built *built;
	size_t jobs, batch_most, running, next_number;
	size_t unit_most; /* candidates of one unit now; batch_most at most */
	double least_s;   /* the quickest unit; 0: none yet */
	struct kt_jobserver server;
	bool splits; /* the compiler takes KT_BATCH_SPLIT, as far as is known */
	struct kt_proc *procs[KT_BATCH_JOBS];
	struct kt_batch_unit units[KT_BATCH_JOBS];
	double began_s[KT_BATCH_JOBS];
	/* NVRTC; members of every request, as JSON: options, and headers that are taken as empty */
	struct kt_buf members;
	size_t options_size; /* of the members before anything was learned */
	struct kt_batch_worker workers[KT_BATCH_JOBS];
	struct kt_batch_probe probe;
	struct kt_screened screened;
	size_t twin_count, waiting_count;
	struct kt_batch_twin *twins;
	size_t *waiting; /* candidates that have a twin's text, which is not compiled yet */
	size_t foreseen_count, background; /* of them, those that a compiler is at */
	struct kt_batch_foreseen *foreseen;
	bool anticipates;     /* kt_batch_anticipate */
	bool trusted;         /* NVRTC's code of the original was like nvcc's */
	size_t held_count;
	struct kt_batch_unit *held; /* compiled by NVRTC before it is known whether they may be */
	size_t failed_in_row; /* processes that ended, and no unit compiled since */
	size_t confirmed;     /* refusals of NVRTC that nvcc agreed with */
	double busy_s, busy_since_s;
};

/* A candidate's verdict. Room for it is taken when a candidate is added: finishing one cannot fail. */
void kt_batch_finish(struct kt_batch *batch, size_t member, const char *cubin, const char *function,
                     const char *message);
void kt_batch_finish_all(struct kt_batch *batch, const struct kt_batch_unit *unit, const char *message);
/* The same where the machine is to blame. */
void kt_batch_finish_unlucky(struct kt_batch *batch, const struct kt_batch_unit *unit, const char *message);
/* Queues a unit's members [first, first + count) once more, with the unit's settings. */
void kt_batch_retry(struct kt_batch *batch, const struct kt_batch_unit *unit, size_t first, size_t count);
/* A copy of a message for kt_batch_finish, cut where it is too long. */
const char *kt_batch_keep(struct kt_batch *batch, const char *text, size_t size);
/* The unit's compiler has ended, well or not: its members are finished or go to the retries. */
void kt_batch_finish_compiled(struct kt_batch *batch, const struct kt_batch_unit *unit, bool by_nvrtc);
void kt_batch_finish_failed(struct kt_batch *batch, const struct kt_batch_unit *unit,
                            const struct kt_proc_result *result, const struct kt_buf *output);
/* Is the original among its members? */
bool kt_batch_has_original(const struct kt_batch *batch, const struct kt_batch_unit *unit);
/* One compiler more or fewer is at work. */
void kt_batch_note_start(struct kt_batch *batch);
void kt_batch_note_end(struct kt_batch *batch);

/* ---- batch_text.c */
/* Writes the unit's source. Members whose text cannot be made are finished here and leave the unit. */
kt_status kt_batch_write(struct kt_batch *batch, struct kt_batch_unit *unit, const char *path, struct kt_error *err)
    KT_MUST_CHECK;
/*
 * OpenCL: the runner's own driver compiles, so a candidate is finished as soon
 * as its program is written. Several kernels in one program build in half the
 * time of one each (docs/performance.md).
 */
void kt_batch_write_programs(struct kt_batch *batch);

/* ---- batch_device.c: what NVRTC gets in place of the slice */
/* Asks for the text without host code and writes its headers. Where there is none NVRTC gets the slice. */
void kt_batch_device_open(struct kt_batch *batch);
/* Writes the original with that text for NVRTC; NULL: it cannot be written. */
const char *kt_batch_device_original(struct kt_batch *batch);

/* ---- batch_twin.c: candidates with one text are compiled once */
/* A candidate was added. */
void kt_twin_note(struct kt_batch *batch, size_t candidate);
/* It is its turn to be compiled: true, it waits for its twin instead. */
bool kt_twin_takes(struct kt_batch *batch, size_t candidate);
/* Finishes those whose twin is compiled. */
void kt_twin_settle(struct kt_batch *batch);
/* Nothing is wanted of what is under way. */
void kt_twin_clear(struct kt_batch *batch);

/* What the unit of the original alone is. */
void kt_batch_original_text(struct kt_buf *out, const struct kt_batch *batch);

/* ---- batch.c */
/* Starts nvcc in a slot that is free. */
kt_status kt_batch_launch(struct kt_batch *batch, const struct kt_batch_unit *unit, size_t slot, const char *source,
                          struct kt_error *err) KT_MUST_CHECK;
/* Does a candidate wait for a compiler? */
bool kt_batch_has_work(const struct kt_batch *batch);
/* May one more compiler run, by make's count? */
bool kt_batch_may_start(struct kt_batch *batch);

/* ---- batch_foresee.c: nvcc's binaries of likely finalists */
/* Is one to be compiled that has no place yet, and may it have the next one that becomes free? */
bool kt_foresee_claims(const struct kt_batch *batch);
void kt_foresee_pump(struct kt_batch *batch);
/* The compiler in this slot has ended, well or not. */
void kt_foresee_end(struct kt_batch *batch, size_t slot, bool well);
/* It is the candidate's turn: true, it is finished, or is when the compiler that is at it ends. */
bool kt_foresee_takes(struct kt_batch *batch, size_t candidate);

/* ---- batch_screen.c: NVRTC */
kt_status kt_screen_open(struct kt_batch *batch, struct kt_error *err) KT_MUST_CHECK;
void kt_screen_close(struct kt_batch *batch);
/* Nothing is wanted of what is under way. */
void kt_screen_cancel(struct kt_batch *batch);
/* Is NVRTC still to be asked for the original, whose source is there? */
bool kt_screen_wants_probe(const struct kt_batch *batch);
void kt_screen_probe(struct kt_batch *batch);
/* Is NVRTC at the original, so that it is not known yet who compiles candidates? */
bool kt_screen_is_open(const struct kt_batch *batch);
/* Is it unknown yet who compiles candidates, while they are anticipated? And may NVRTC compile them already? */
bool kt_screen_is_undecided(const struct kt_batch *batch);
bool kt_screen_compiles(const struct kt_batch *batch);
/* nvcc has compiled the original. */
void kt_screen_original(struct kt_batch *batch, const char *cubin, const char *function);
/* A process that takes a question: one that idles (*idle), else one with room for another; NULL: none. */
struct kt_batch_worker *kt_screen_free(bool *idle, struct kt_batch *batch);
/* Asks for a unit, whose source is here. */
kt_status kt_screen_ask(struct kt_batch *batch, struct kt_batch_worker *slot, const struct kt_batch_unit *unit,
                        const char *source, struct kt_error *err) KT_MUST_CHECK;
void kt_screen_collect(struct kt_batch *batch);
/* The names of the original in a cubin; NULL: it is not there. */
const char *kt_batch_original(struct kt_batch *batch, const char *cubin);

#endif
