/*
 * Replies of ktcc-runner as records, each with a table: runtime/main.c fills and prints them, testing/reply.c and
 * runtime/replay.c read them. docs/protocol-runner.md explains each member.
 */
#ifndef KT_BASE_RUNNER_REPLY_H
#define KT_BASE_RUNNER_REPLY_H

#include "base/member.h"
#include "base/trial.h"

/* How far one output was from the reference: counts of equal elements, 1 unit in the last place, 2 to 3, 4 to 7, … */
struct kt_ulp {
	const char *buffer;
	double largest; /* absolute error among finite elements */
	int64_t index;  /* of the element that has it */
	size_t bins;
	int64_t *counts;
};

/* One problem or check of a try. */
struct kt_reply_row {
	const char *problem; /* its text */
	struct kt_trial trial;
	size_t ulp_count;
	struct kt_ulp *ulp;
	cJSON *conditions; /* of the device; NULL: not known */
};

struct kt_reply_try {
	enum kt_verdict verdict;
	double launch_ns; /* 0: not known */
	int64_t registers, local_bytes, shared_bytes, occupancy_blocks;
	size_t row_count;
	struct kt_reply_row *rows;
};

/* What the device needs to move bytes, by the traffic's pattern: "read 1 write 1" and so on. */
struct kt_curve {
	const char *pattern;
	size_t count;
	struct kt_curve_point {
		int64_t bytes; /* reads and writes together */
		double median_ns, deviation_ns;
	} *points; /* ascending */
};
struct kt_reply_curves {
	size_t count;
	struct kt_curve *curves;
};

/* Rows of what a program of a candidate takes, in the record `type`. */
#define KT_ATTRIBUTE_ROWS(type)                                                                                        \
	{KT_MEMBER(INT, type, registers)}, {KT_MEMBER(INT, type, local_bytes)}, {KT_MEMBER(INT, type, shared_bytes)},  \
	{                                                                                                              \
		KT_MEMBER(INT, type, occupancy_blocks)                                                                 \
	}

extern const struct kt_members kt_trial_members, kt_ulp_members, kt_curve_members, kt_reply_try_members,
    kt_reply_curves_members;

#endif
