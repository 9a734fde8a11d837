/*
 * The energy of a launch, from a counter that moves in steps: launches follow each other from one step of the counter to a
 * later one, so many that what is not known of where the steps were is a small part of them. Nothing here knows a device.
 */
#ifndef KT_RUNTIME_ENERGY_H
#define KT_RUNTIME_ENERGY_H

#include "backend.h"

struct kt_energy_source {
	void *state;
	/* What the device has used up so far, in millijoules. False: it does not tell. */
	bool (*read)(uint64_t *millijoules, void *state);
	/* Queues `count` launches; waits for all that is queued. */
	kt_status (*launch)(void *state, size_t count, struct kt_error *err);
	kt_status (*wait)(void *state, struct kt_error *err);
	double (*now_s)(void *state); /* of a clock that only advances */
};

/*
 * Takes as long as a relative error of KT_ENERGY_ERROR and KT_ENERGY_STEPS steps of the counter need, most_s at most; a
 * counter that has moved, but fewer than three times since, is waited for KT_ENERGY_PATIENCE times as long.
 * estimate_ns: of one launch. KT_ERR_MISSING: there is no counter. KT_ERR_LIMIT: it moved too rarely in that time; the
 * message contains how often.
 */
#define KT_ENERGY_ERROR 0.01
#define KT_ENERGY_STEPS 10
#define KT_ENERGY_PATIENCE 3
kt_status kt_energy_measure(struct kt_run_energy *out, const struct kt_energy_source *source, double estimate_ns,
                            double most_s, struct kt_error *err) KT_MUST_CHECK;

#endif
