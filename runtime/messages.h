/*
 * Requests read into their records (base/runner_request.h), and replies built from those of backend.h.
 * docs/protocol-runner.md has every message.
 */
#ifndef KT_RUNTIME_MESSAGES_H
#define KT_RUNTIME_MESSAGES_H

#include "backend.h"

/* The bits of a scalar argument of this element type, from a number or "inf", "-inf", "nan". */
kt_status kt_scalar_bits(uint64_t *out, enum kt_scalar element, const cJSON *item, struct kt_error *err) KT_MUST_CHECK;
/* Rounded to nearest even; overflow is infinity. */
uint16_t kt_half_bits(float value);
uint16_t kt_bfloat16_bits(float value);

kt_status kt_message_region(struct kt_run_region **out, struct kt_arena *arena, const cJSON *request,
                            struct kt_error *err) KT_MUST_CHECK;
/* candidates.c: one candidate of a try or a comparison, for the problems of the region. */
kt_status kt_message_candidate(struct kt_run_candidate *out, struct kt_arena *arena, const cJSON *json,
                               const struct kt_run_region *region, struct kt_error *err) KT_MUST_CHECK;
/*
 * contents.c: the numbers of a NumPy file, of this type and count, that has this hash. They stay as long as the process runs.
 */
kt_status kt_contents(const unsigned char **out, const char *path, const char *hash, enum kt_scalar scalar, int64_t count,
                      struct kt_error *err) KT_MUST_CHECK;
kt_status kt_message_effort(struct kt_run_effort *out, const cJSON *request, struct kt_error *err) KT_MUST_CHECK;

/* replies.c: adds the members of a prepared problem; NULL values are left out. */
/* null where nothing was measured */
void kt_message_add_energy(cJSON *array, const struct kt_run_energy *energy);
/* NULL where they are not known */
cJSON *kt_message_conditions(const struct kt_run_conditions *conditions);
void kt_message_add_prepared(cJSON *object, const struct kt_run_prepared *prepared);
extern const struct kt_members kt_outcome_attributes; /* of struct kt_run_outcome */

/* record.c: appends what a real run answered to a recording; a new file starts with its header. */
struct kt_record;
kt_status kt_record_open(struct kt_record **out, struct kt_arena *arena, const char *path,
                         const struct kt_device *device, struct kt_error *err) KT_MUST_CHECK;
/* What an empty kernel takes in this process goes with the times of all lines that follow; 0: not known. */
void kt_record_launch(struct kt_record *record, double launch_ns);
kt_status kt_record_region(struct kt_record *record, const struct kt_run_region *region,
                           const struct kt_run_prepared *prepared, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_record_try(struct kt_record *record, const struct kt_run_region *region,
                        const struct kt_run_candidate *candidate, const struct kt_run_outcome *outcome,
                        struct kt_error *err) KT_MUST_CHECK;
kt_status kt_record_compare(struct kt_record *record, const struct kt_run_region *region,
                            const struct kt_run_candidate *candidates, size_t count, const struct kt_timing *timings,
                            struct kt_error *err) KT_MUST_CHECK;
kt_status kt_record_copy(struct kt_record *record, const struct kt_run_region *region, const double *copy_ns,
                          struct kt_error *err) KT_MUST_CHECK;

#endif
