/*
 * T1 input files (the JSON format that Kernel Tuner, KTT and others share for
 * a tuning problem): parameters with value lists, conditions as Python
 * expressions, and the kernel they are about.
 *
 * Values. Configurations are int64_t, as everywhere. An integer or truth value
 * is itself; a parameter with any other value (float, text) has the *position*
 * in its list instead, 0, 1, …, and keeps the values beside it.
 */
#ifndef KT_TUNING_T1_H
#define KT_TUNING_T1_H

#include "base/json.h"
#include "tuning/python.h"
#include "tuning/space.h"

#define KT_T1_BYTES ((size_t)16 << 20) /* largest file that is read */

enum kt_t1_kind { KT_T1_INTEGER, KT_T1_BOOL, KT_T1_REAL, KT_T1_TEXT };

struct kt_t1_parameter {
	const char *name;
	enum kt_t1_kind kind;
	size_t count;
	const int64_t *values;    /* as in configurations */
	const double *reals;      /* KT_T1_REAL: one a value, else NULL */
	const char *const *texts; /* KT_T1_TEXT: one a value, else NULL */
};

struct kt_t1_condition {
	const char *text;
	struct kt_python_steps steps;
	const char *at;        /* in the source; NULL when it was not found there */
	unsigned line, column; /* of the expression's first character in the file, from 1 */
};

struct kt_t1 {
	const char *path, *source;  /* as given; the bytes of the file, for diagnostics */
	const char *name;           /* General.BenchmarkName, else the kernel's name, else "" */
	const char *kernel;         /* "" when not given */
	size_t parameter_count, condition_count;
	const struct kt_t1_parameter *parameters;
	const struct kt_t1_condition *conditions;
	/* What the space is built from: parameters without restrictions, which are the conditions'. */
	struct kt_region region;
	struct kt_instance instance;
	struct kt_template template_;
};

/*
 * Reads a file, its expressions by Python. KT_ERR_SYNTAX or KT_ERR_INVALID with "file:line:col: …" and the caret
 * below when an expression or a value list does not parse or names something unknown.
 * Everything lives in arena.
 */
kt_status kt_t1_read(struct kt_t1 **out, struct kt_arena *arena, const char *path, struct kt_error *err)
    KT_MUST_CHECK;
/* The space of its conditions, without a device; t1 must outlive it. Errors as kt_space_build. */
kt_status kt_t1_space(struct kt_space **out, const struct kt_t1 *t1, struct kt_error *err) KT_MUST_CHECK;
/*
 * The configuration's value for the value of a parameter in a result file (T4): numbers
 * match by value (1, 1.0 and true are equal), texts by their bytes. False when the
 * parameter has no such value.
 */
bool kt_t1_value(int64_t *out, const struct kt_t1 *t1, size_t parameter, const cJSON *value);
/* Appends a value of a parameter as JSON, as T4 files spell it. */
void kt_t1_print(struct kt_buf *out, const struct kt_t1 *t1, size_t parameter, int64_t value);

#endif
