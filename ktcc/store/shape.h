/*
 * JSON objects read against tables: every member is declared with its kind and
 * its range, nothing unknown is taken but notes ("x_…"), nothing twice, and a
 * refusal names the place as a JSON pointer.
 */
#ifndef KT_STORE_SHAPE_H
#define KT_STORE_SHAPE_H

#include "base/arena.h"
#include "base/json.h"

#define KT_SHAPE_VALUES 64         /* most members of an object of values */
#define KT_SHAPE_TEXT_BYTES 4096   /* longest text */
#define KT_SHAPE_NS 1e15           /* longest time: eleven days */

/* Where a value stands: a chain up to the root, printed as a JSON pointer. */
struct kt_json_place {
	const struct kt_json_place *up;
	const char *name; /* NULL: an array item */
	size_t index;
	const cJSON *json;
};

enum kt_shape_kind {
	KT_SHAPE_INT,        /* int64_t in [low, high] */
	KT_SHAPE_TIME,       /* double, nanoseconds, above 0 unless low is 0 */
	KT_SHAPE_TEXT,       /* any printable text, may be empty */
	KT_SHAPE_WORD,       /* printable ASCII without quotes and backslashes, not empty */
	KT_SHAPE_IDENTIFIER,
	KT_SHAPE_HASH,       /* 64 lower-case hexadecimal digits */
	KT_SHAPE_BOOL,
	KT_SHAPE_VALUE,      /* an object or array that its own function reads; nothing is stored */
};

/* One member of an object and where its value goes: `offset` into the record. */
struct kt_shape_field {
	const char *name;
	enum kt_shape_kind kind;
	size_t offset;
	int64_t low, high;
	bool optional;
};

/* KT_ERR_INVALID with the pointer of `at` in front of the reason. */
kt_status kt_shape_bad(struct kt_error *err, const struct kt_json_place *at, const char *format, ...) KT_PRINTF(3, 4);
struct kt_json_place kt_shape_member(const struct kt_json_place *at, const char *name); /* json NULL: absent */
/* Fills the record at `base` from an object; texts live in arena. At most 64 fields. */
kt_status kt_shape_read(void *base, struct kt_arena *arena, const struct kt_json_place *at,
                        const struct kt_shape_field *fields, size_t count, struct kt_error *err) KT_MUST_CHECK;
/* {"NAME": integer, …} as two arrays in arena, each one longer than *count; a name twice is refused. */
kt_status kt_shape_values(const char ***names, int64_t **values, size_t *count, struct kt_arena *arena,
                          const struct kt_json_place *at, struct kt_error *err) KT_MUST_CHECK;

#endif
