/* What work.c and work_tune.c share. */
#ifndef KT_PLANNING_WORK_INTERNAL_H
#define KT_PLANNING_WORK_INTERNAL_H

#include "planning/work.h"

struct kt_work {
	struct kt_work_input input;
	struct kt_arena *arena;
	const char *path;     /* absolute path of the source */
	const char *toolkit;  /* "13.0" */
	const char *lock_dir; /* NULL: none */
	const char *scratch;  /* private directory for compilations; NULL until needed */
	struct kt_buf source, scanned; /* the source's text; scan's JSON */
	struct kt_unit *unit;
	size_t case_count;
	struct kt_case *cases;
	double scan_s;
	struct kt_tester *tester;
	bool tester_failed, device_known;
	struct kt_device device;
	int64_t native_architecture;
};

/* The device if it is known without starting a driver, else as kt_work_device. */
const struct kt_device *kt_work_known_device(struct kt_work *work);
/* How to compile for one architecture; makes the scratch directory. */
kt_status kt_work_compile(struct kt_compile *out, struct kt_work *work, int64_t arch, struct kt_error *err)
    KT_MUST_CHECK;

#endif
