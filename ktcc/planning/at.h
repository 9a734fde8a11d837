/* Which variant of an entry runs at a launch of some size, and why: what its dispatcher decides there. */
#ifndef KT_PLANNING_AT_H
#define KT_PLANNING_AT_H

#include "base/template.h"
#include "store/store.h"

struct kt_at_clause {
	const char *text; /* a guard, or a restriction over variables; pointers are aligned and do not overlap */
	bool holds;
};

/* One variant that the dispatcher tries. */
struct kt_at_variant {
	int64_t variant;  /* 0: the general one, K: the K-th special one */
	const char *when; /* its rule; NULL: it has none */
	bool ruled;       /* does that hold? Else no guard is evaluated. */
	size_t clause_count;
	struct kt_at_clause *clauses;
};

struct kt_at {
	int64_t variant;  /* that runs; KT_UNLISTED_ORIGINAL: none does */
	size_t tried_count;
	struct kt_at_variant *tried; /* in this order, up to the one that runs */
	bool listed;      /* the nearest measurement is that of a problem, else of a size that no problem lists: */
	size_t nearest;   /* which of them */
};

/* What a user wrote, such as "rows=37,d=1003", for entries that may have different variables. */
struct kt_at_sizes {
	const char *text;
	uint64_t taken;   /* a bit for each part that an entry had a variable for */
	size_t entries;   /* that were asked */
	size_t complete;  /* those that found a value for each of their variables */
	const char *missing; /* a variable of another one; NULL: all were complete */
};

/*
 * Reads what concerns the entry into values (variable_count of them, above 0); *missing: its first variable without a value,
 * else NULL. KT_ERR_INVALID names a value that is not understood.
 */
kt_status kt_at_values(int64_t *values, const char **missing, struct kt_at_sizes *sizes, const struct kt_entry *entry,
                       struct kt_error *err) KT_MUST_CHECK;
/* After all entries: KT_ERR_INVALID names a part that none of them has a variable for, or what all of them miss. */
kt_status kt_at_understood(const struct kt_at_sizes *sizes, struct kt_error *err) KT_MUST_CHECK;
/*
 * Arrays are allocated in arena, texts are the template's and the entry's. The template fits the entry; its region is
 * set.
 */
kt_status kt_at_make(struct kt_at *out, struct kt_arena *arena, const struct kt_template *template_,
                     const struct kt_instance *instance, const struct kt_entry *entry, const int64_t *values,
                     struct kt_error *err) KT_MUST_CHECK;

#endif
