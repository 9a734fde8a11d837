/*
 * What the store knows that a search can start from (tuning/prior.h): trials of the same kernel, for other devices,
 * problems, instances, options or texts, and of other kernels whose parameters are of the same kinds.
 */
#ifndef KT_PLANNING_KNOWLEDGE_H
#define KT_PLANNING_KNOWLEDGE_H

#include "store/store.h"
#include "tuning/prior.h"

/* A space of trials that is searched, and what it is about. */
struct kt_knowledge_subject {
	const char *trial_key, *device_key;
	const struct kt_template *template_;
	const struct kt_instance *instance;
	size_t problem_count;
	const char *const *problems; /* as in the store, "rows=16 d=4096" */
};

/* Notes in the store what the trials of the subject are about, for searches of others. */
kt_status kt_knowledge_note(struct kt_store *store, const struct kt_knowledge_subject *subject, struct kt_error *err)
    KT_MUST_CHECK;
/*
 * What is known for a search of the subject's space. Its own trials are part of it only where there is none for one of its
 * problems: a search is told of what was measured on all of them. *out is NULL where nothing is known. The space must outlive it; kt_prior_close. Rows that are damaged, or not what they should be, are
 * passed over.
 */
kt_status kt_knowledge_open(struct kt_prior **out, struct kt_store *store, const struct kt_knowledge_subject *subject,
                            const struct kt_space *space, struct kt_error *err) KT_MUST_CHECK;

#endif
