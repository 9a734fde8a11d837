/*
 * A region as a T1 input file: parameters, restrictions as Python expressions,
 * and the launch of its first problem, so that other tuners can read it. Valid
 * against the published T1 schema, 1.0.0.
 *
 * Problem variables, arguments and device limits are written as their values.
 * A restriction that names a problem holds where it holds on one of them, as in
 * kt_space_build. Device limits are not restrictions: the file describes the legal
 * set. Integer division and remainder are Python's where no operand can be
 * negative, else spelled out.
 */
#ifndef KT_TUNING_T1_EXPORT_H
#define KT_TUNING_T1_EXPORT_H

#include "base/device.h"
#include "base/template.h"

/* Appends the file. device may be NULL: restrictions that name it are left out. */
kt_status kt_t1_export(struct kt_buf *out, const struct kt_template *template_, const struct kt_instance *instance,
                       const struct kt_device *device, struct kt_error *err) KT_MUST_CHECK;

#endif
