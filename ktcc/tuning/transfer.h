/*
 * How much earlier tunings are worth, on recorded spaces: what one space is told of the others.
 */
#ifndef KT_TUNING_TRANSFER_H
#define KT_TUNING_TRANSFER_H

#include "tuning/prior.h"
#include "tuning/t4.h"

/* X(identifier, name, what a space is told of) */
#define KT_TRANSFERS(X) \
	X(NONE, "none", "nothing") \
	X(DEVICE, "device", "the same kernel (equal BenchmarkName of the T1 files) elsewhere") \
	X(KERNEL, "kernel", "all other kernels") \
	X(ALL, "all", "both") \
	X(HOSTILE, "hostile", "itself, with fast and slow exchanged")

enum kt_transfer {
#define KT_TRANSFER_ID(id, name, text) KT_TRANSFER_##id,
	KT_TRANSFERS(KT_TRANSFER_ID)
#undef KT_TRANSFER_ID
};

bool kt_transfer_from_name(enum kt_transfer *out, const char *name);

/* A recorded space among others. */
struct kt_transfer_space {
	const char *name; /* for people */
	const struct kt_t1 *t1;
	const struct kt_space *space;
	const struct kt_recording *recording;
};

/*
 * What spaces[target] is told. trials: of each other space what a search (`default`, without knowledge, seed 0) of so
 * many evaluations measured; 0: all of it. *out is NULL where nothing is told. To be closed by kt_prior_close.
 */
kt_status kt_transfer_prior(struct kt_prior **out, const struct kt_transfer_space *spaces, size_t count, size_t target,
                            enum kt_transfer transfer, size_t trials, struct kt_error *err) KT_MUST_CHECK;

#endif
