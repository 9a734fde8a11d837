/* What the files request*.c share. */
#ifndef KT_TESTING_REQUEST_H
#define KT_TESTING_REQUEST_H

#include "base/runner_request.h"
#include "testing/internal.h"

/* The names in a text with a blank between two. */
kt_status kt_request_names(const char *const **out, size_t *count, struct kt_arena *arena, const char *text,
                           struct kt_error *err) KT_MUST_CHECK;
kt_status kt_request_arguments(struct kt_run_region *out, struct kt_arena *arena, const struct kt_subject *subject,
                               struct kt_error *err) KT_MUST_CHECK;
/* One item per parameter; of a structure or a vector a list, one per member. */
kt_status kt_request_values(cJSON *array, const struct kt_subject *subject, const struct kt_check *check,
                            struct kt_error *err) KT_MUST_CHECK;
/* One item per parameter of the host reference. */
cJSON *kt_request_host_values(const struct kt_subject *subject, const struct kt_check *check);

#endif
