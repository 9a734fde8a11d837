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

/*
 * Reads "rows=37,d=1003", one value above 0 for each variable of the entry, into values (variable_count of them).
 * KT_ERR_INVALID names what is missing or not understood.
 */
kt_status kt_at_values(int64_t *values, const struct kt_entry *entry, const char *text,
                       struct kt_error *err) KT_MUST_CHECK;
/*
 * Arrays are allocated in arena, texts are the template's and the entry's. The template fits the entry; its region is
 * set.
 */
kt_status kt_at_make(struct kt_at *out, struct kt_arena *arena, const struct kt_template *template_,
                     const struct kt_instance *instance, const struct kt_entry *entry, const int64_t *values,
                     struct kt_error *err) KT_MUST_CHECK;

#endif
