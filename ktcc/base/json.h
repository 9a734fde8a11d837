/*
 * Reading JSON with cJSON: typed access that reports where it failed, as a
 * JSON pointer. Getters of optional members return the default when the member
 * is absent or null and fail when it has another type.
 */
#ifndef KT_BASE_JSON_H
#define KT_BASE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

/* Parses exactly one value; trailing bytes other than blanks are an error. Free with cJSON_Delete. */
kt_status kt_json_parse(cJSON **out, const char *text, size_t size, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_json_read_file(cJSON **out, const char *path, struct kt_error *err) KT_MUST_CHECK;

kt_status kt_json_string(const char **out, struct kt_arena *arena, const cJSON *object, const char *name,
                         struct kt_error *err) KT_MUST_CHECK;
kt_status kt_json_string_or(const char **out, struct kt_arena *arena, const cJSON *object, const char *name,
                            const char *fallback, struct kt_error *err) KT_MUST_CHECK;
/* Integers must be exact (|v| ≤ 2^53) or decimal strings, which hold any 64-bit value. */
kt_status kt_json_int(int64_t *out, const cJSON *object, const char *name, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_json_int_or(int64_t *out, const cJSON *object, const char *name, int64_t fallback,
                         struct kt_error *err) KT_MUST_CHECK;
kt_status kt_json_item_int(int64_t *out, const cJSON *item, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_json_double_or(double *out, const cJSON *object, const char *name, double fallback,
                            struct kt_error *err) KT_MUST_CHECK;
kt_status kt_json_bool_or(bool *out, const cJSON *object, const char *name, bool fallback,
                          struct kt_error *err) KT_MUST_CHECK;
/* The array member, or NULL when absent; another type fails. */
kt_status kt_json_array_or(const cJSON **out, const cJSON *object, const char *name, struct kt_error *err)
    KT_MUST_CHECK;
kt_status kt_json_object_or(const cJSON **out, const cJSON *object, const char *name, struct kt_error *err)
    KT_MUST_CHECK;

/* Of what this program wrote itself: a member's text, "" where it has none; its number, 0 where it has none. */
const char *kt_json_text(const cJSON *object, const char *name);
double kt_json_number(const cJSON *object, const char *name);
/* Adding; each aborts nothing: a failed allocation leaves the member out. */
bool kt_json_add_int(cJSON *object, const char *name, int64_t value);
/* NULL: no member. */
void kt_json_add_text(cJSON *object, const char *name, const char *text);
/* A member of each name with its value. */
void kt_json_add_values(cJSON *object, const char *const *names, const int64_t *values, size_t count);
/* An integer as an item, which the caller owns. */
cJSON *kt_json_create_int(int64_t value);
/* A new object at the end of an array, which owns it. */
cJSON *kt_json_append(cJSON *array);
/* Appends the value on one line (no trailing newline). */
void kt_json_print(struct kt_buf *out, const cJSON *value);
/*
 * Appends the value in the project's stable form: an indent of two spaces and members in their order. An array of
 * scalars is on one line, but one of several texts has a line for each. Integers have no exponent; doubles are in
 * the shortest form that reads back equal. Ends with a newline.
 */
void kt_json_print_stable(struct kt_buf *out, const cJSON *value);

#endif
