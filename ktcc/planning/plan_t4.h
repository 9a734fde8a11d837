/* What a tuning measured, as a T4 file for other tuners and dashboards. */
#ifndef KT_PLANNING_PLAN_T4_H
#define KT_PLANNING_PLAN_T4_H

#include "planning/plan_internal.h"

/*
 * Writes FOLDER/NAME.T4.json, NAME the instance's with anything but letters, digits and '_' as '_': every
 * configuration that was tried or remembered, in the order of trial. The measurement "time" is the geometric mean
 * over the problems in milliseconds; with several problems one "time PROBLEM" each follows it. Valid
 * against the published T4 schema, 1.0.0. FOLDER is made when it is not there.
 */
kt_status kt_tuning_write_t4(struct kt_tuning *s, const char *folder, struct kt_error *err) KT_MUST_CHECK;

#endif
