/*
 * The copy bandwidth bound of a device: the time it needs to move bytes, by
 * pattern and size. Measured once per device and driver, kept in the store as a
 * blob of JSON:
 *
 *   {"device":name, "driver":text, "date":"2026-01-31", "launch_ns"?:ns, "patterns":[{"name","points":[[bytes,
 *   median_ns, deviation_ns]]}]}
 *
 * launch_ns is what an empty kernel took in the process that measured it, beside the copies: what
 * kt_tester_set_reference is given.
 */
#ifndef KT_PLANNING_COPY_CURVES_H
#define KT_PLANNING_COPY_CURVES_H

#include "store/store.h"
#include "testing/testing.h"

/* Appends what the store holds for this device and driver; false: nothing. */
bool kt_copy_curves_load(struct kt_buf *out, struct kt_store *store, const struct kt_device *device);
/* Of such a text; 0: it has none. */
double kt_copy_curves_launch_ns(const struct kt_buf *text);
/* Measures and keeps it; appends it to *out. The tester needs its support. store NULL: not kept. */
kt_status kt_copy_curves_measure(struct kt_buf *out, struct kt_store *store, struct kt_tester *tester,
				 struct kt_error *err) KT_MUST_CHECK;

#endif
