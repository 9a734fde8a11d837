/* One configuration of a T4 file, and the file: for what a tuning has in hand and for what the store remembers. */
#ifndef KT_PLANNING_T4_RESULT_H
#define KT_PLANNING_T4_RESULT_H

#include "base/json.h"
#include "store/store.h"

struct kt_t4_result {
	size_t parameter_count;
	const char *const *parameters;
	const int64_t *configuration;
	enum kt_verdict verdict;
	size_t problem_count;
	const double *ms;              /* one per problem; with KT_VERDICT_OK only */
	const char *const *problems;   /* "rows=16 d=4096", one each */
};

/*
 * The measurement "time" is the geometric mean over the problems in milliseconds; with several problems one "time
 * PROBLEM" each follows it. NULL when out of memory.
 */
cJSON *kt_t4_result(const struct kt_t4_result *result);
/* Writes FOLDER/NAME.T4.json: `name` with anything but letters, digits and '_' as '_'.
 * Takes the array of results over. */
kt_status kt_t4_write(const char *folder, const char *name, cJSON *results, struct kt_error *err) KT_MUST_CHECK;

#endif
