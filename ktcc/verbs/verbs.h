/* The verbs of the command line, one function per row of table.def. Each returns the process's exit code. */
#ifndef KT_VERBS_VERBS_H
#define KT_VERBS_VERBS_H

#include "verbs/given.h"

/* Exit codes of ktcc's own; the compiler's pass through untouched. */
enum {
	KT_EXIT_FAILED = 100,  /* something that was asked for could not be done */
	KT_EXIT_USAGE = 101,   /* the command line is not understood */
	KT_EXIT_REQUIRED = 102 /* KTUNE_MODE=require and an entry is missing */
};

/* What the times of problems are wherever they are shown; those of trials are search times (docs/verification.md). */
#define KT_COMPARED_TIMES "comparison times: medians of the kernel alone, with data that is not in the cache"

#define KT_VERB(name, ...) int kt_verb_##name(const struct kt_given *given);
#include "verbs/table.def"

#endif
