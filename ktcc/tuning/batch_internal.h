/* A batch, for the batch*.c files only. */
#ifndef KT_TUNING_BATCH_INTERNAL_H
#define KT_TUNING_BATCH_INTERNAL_H

#include "base/jobserver.h"
#include "base/proc.h"
#include "tuning/batch.h"

#define KT_BATCH_JOBS 64       /* most compilers at a time */
#define KT_BATCH_SECONDS 600.0 /* for one compiler */
#define KT_BATCH_SPLIT "split-compile" /* optimises functions in parallel; the code stays the same */
#define KT_BATCH_NO_MEMORY "out of memory"

struct kt_batch_candidate {
	size_t ticket;
	const int64_t *configuration; /* NULL: the original */
};

/* Candidates that are compiled together. */
struct kt_batch_unit {
	size_t count;
	size_t *members; /* indices of candidates */
	char *cubin;
};

struct kt_batch {
	const struct kt_compile *compile;
	const struct kt_template *template_;
	const struct kt_instance *instance;
	struct kt_arena *arena;
	struct kt_buf slice; /* what every unit starts with */
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
	double busy_s, busy_since_s;
};

/* A candidate's verdict. Room for it is taken when a candidate is added: finishing one cannot fail. */
void kt_batch_finish(struct kt_batch *batch, size_t member, const char *cubin, const char *function,
                     const char *message);
void kt_batch_finish_all(struct kt_batch *batch, const struct kt_batch_unit *unit, const char *message);
/* The same where the machine is to blame. */
void kt_batch_finish_unlucky(struct kt_batch *batch, const struct kt_batch_unit *unit, const char *message);
/* A copy of a message for kt_batch_finish, cut where it is too long. */
const char *kt_batch_keep(struct kt_batch *batch, const char *text, size_t size);
/* The unit's compiler has ended, well or not: its members are finished or go to the retries. */
void kt_batch_finish_compiled(struct kt_batch *batch, const struct kt_batch_unit *unit);
void kt_batch_finish_failed(struct kt_batch *batch, const struct kt_batch_unit *unit,
                            const struct kt_proc_result *result, const struct kt_buf *output);

#endif
