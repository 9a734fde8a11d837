/*
 * The generator by the kernel IR (docs/ir.md, "Templates"): a template of each region instance whose kernel the front understands,
 * with the parameters that the passes offer; and the text of one configuration.
 */
#ifndef KT_CLANG_SPECIALISE_H
#define KT_CLANG_SPECIALISE_H

#include "unit.h"

struct kt_specialise;

/* Lowers the kernels of the scan's regions and asks the passes. In the scan's arena; the scan is complete. */
kt_status kt_specialise_open(struct kt_specialise **out, struct kt_scan *scan, struct kt_error *err) KT_MUST_CHECK;
/* The answer of "generate" (docs/protocol.md), as that of "rewrite". NULL: out of memory. */
cJSON *kt_specialise_templates(const struct kt_specialise *s);
/*
 * The answer of "specialise": {"helpers","head","body"} of the request's region, instance and values. KT_ERR_INVALID: there
 * is no such template or configuration, or a pass failed.
 */
kt_status kt_specialise_text(cJSON **out, const struct kt_specialise *s, const cJSON *request,
                             struct kt_error *err) KT_MUST_CHECK;

/* specialise_names.c: functions get names of a variant, structures those that C++ knows or, of private members, of a variant. */
struct kt_ir_module;
struct kt_lowered;
/* Has each class that arguments and globals lead to a name that a variant can write? The module's names are the front's. */
bool kt_specialise_nameable(const struct kt_ir_module *module, const struct kt_lowered *lowered);
void kt_specialise_names(struct kt_ir_module *module, const struct kt_lowered *lowered);

#endif
