/* What work.c, work_fit.c, work_tune.c and work_emit.c share. */
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
	struct kt_buf source, scanned; /* the unit's text; scan's JSON */
	size_t folder_count;
	const char **folders; /* for quoted includes of the unit's text */
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
/* The architecture that the source is read, and the region key made, for. */
int64_t kt_work_read_architecture(const struct kt_work *work);
/* How to compile for one architecture; makes the scratch directory. */
kt_status kt_work_compile(struct kt_compile *out, struct kt_work *work, int64_t arch, struct kt_error *err)
    KT_MUST_CHECK;

/*
 * Is the entry one of this case's template? Its configurations name the
 * template's parameters with values that are declared and allowed, its rules
 * the region's variables. False: *why says what is wrong.
 */
bool kt_work_entry_fits(const struct kt_case *each, const struct kt_entry *entry, const char **why);

#endif
