/*
 * Records described by tables: the row of a member has how it is read, printed and limited. A member that is in the
 * table cannot be missing from one of them.
 *
 * Reading takes JSON objects: nothing unknown is taken but notes ("x_…"), nothing twice, and a refusal names the
 * place as a JSON pointer. Members are read in the order of the table, whatever their order in the text, so that the
 * function of one may use those above it. Printing writes them in the order of the table; an optional one is left out
 * where it has its zero: 0, false, NULL, or an object of nothing else.
 */
#ifndef KT_BASE_SHAPE_H
#define KT_BASE_SHAPE_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/pragma.h"

#define KT_SHAPE_VALUES 64         /* most members of an object of values */
#define KT_SHAPE_TEXT_BYTES 4096   /* longest text */
#define KT_SHAPE_LINES_BYTES ((size_t)1 << 20) /* longest text of lines */
#define KT_SHAPE_NS 1e15           /* longest time: eleven days */
#define KT_SHAPE_FIELDS 64         /* most members of an object */

/* The place of a value: a chain up to the root, printed as a JSON pointer. */
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
	KT_SHAPE_OBJECT,     /* members of the record in a nested object: `object` describes them */
	KT_SHAPE_LIST,       /* an array of records: `list` */
	KT_SHAPE_NUMBERS,    /* int64_t *, {"NAME": integer, …} of names that the whole record has: `names` */
	KT_SHAPE_LINES,      /* text that is compiled: one string, or an array of lines as it is printed */
	KT_SHAPE_EXPRESSION, /* struct kt_clause_expr; "0" where it is absent */
	KT_SHAPE_OWN,        /* `own` reads and prints it */
};

/* A member that no kind describes. Both get the whole record. */
struct kt_shape_own {
	kt_status (*read)(void *record, struct kt_arena *arena, const struct kt_json_place *at, struct kt_error *err);
	/* NULL: absent, or *failed, out of memory. */
	cJSON *(*print)(const void *record, bool *failed);
	/* What a value of it is like, for the schema; NULL where the field has a `schema`. */
	const struct kt_shape *like;
};

/* The items are an array at the member's offset; `whole` is the record that kt_shape_read began with. */
struct kt_shape_list {
	size_t count, size; /* offset of their number, a size_t; bytes of an item */
	int least, most;
	const char *what;   /* "sizes", in messages */
	const struct kt_shape *item;
	/* NULL: nothing else has to hold. The items before this one are before it in memory: at->index of them. */
	kt_status (*check)(void *item, const void *whole, const struct kt_json_place *at, struct kt_error *err);
};

/* Where the whole record has the names and their number, and what is wrong with others. */
struct kt_shape_names {
	size_t names, count;
	const char *mismatch;
};

/* One member of an object and where its value lies: `offset` into the record. Without a name: an item that is no object. */
struct kt_shape_field {
	const char *name;
	enum kt_shape_kind kind;
	size_t offset;
	int64_t low, high;
	bool optional;
	bool lenient; /* may be absent, and is printed all the same */
	/* JSON Schema of the value, where more is checked than its kind; NULL: the kind's. For docs/schema alone. */
	const char *schema;
	union {
		const struct kt_shape *object;
		const struct kt_shape_list *list;
		const struct kt_shape_names *names;
		const struct kt_shape_own *own;
	};
};

struct kt_shape {
	const struct kt_shape_field *fields;
	size_t count; /* up to KT_SHAPE_FIELDS */
	const char *rules; /* members of a JSON Schema that the object's has besides; NULL: none. For docs/schema alone. */
};
#define KT_SHAPE(table) KT_SHAPE_RULES(table, NULL)
#define KT_SHAPE_RULES(table, text) {.fields = table, .count = sizeof(table) / sizeof((table)[0]), .rules = text}
/* Schema of {"NAME": integer, …} and of a number that a text may hold. */
#define KT_SCHEMA_VALUES "{\"$ref\":\"#/$defs/values\"}"
#define KT_SCHEMA_NUMBER "{\"$ref\":\"#/$defs/number\"}"

/* KT_ERR_INVALID with the pointer of `at` in front of the reason. */
kt_status kt_shape_bad(struct kt_error *err, const struct kt_json_place *at, const char *format, ...) KT_PRINTF(3, 4);
struct kt_json_place kt_shape_member(const struct kt_json_place *at, const char *name); /* json NULL: absent */
/* Fills the record at `base` from an object; texts live in arena. A member that is absent is not changed. */
kt_status kt_shape_read(void *base, struct kt_arena *arena, const struct kt_json_place *at,
                         const struct kt_shape *shape, struct kt_error *err) KT_MUST_CHECK;
/* A generator's template (template_json.c); docs/schema/rewrite.schema.json is made from it. */
extern const struct kt_shape kt_template_record;
/* The object, owned by the caller; NULL: out of memory. */
cJSON *kt_shape_print(const void *base, const struct kt_shape *shape);

/* {"NAME": integer, …} as two arrays in arena, each one longer than *count; a name twice is refused. */
kt_status kt_shape_values(const char ***names, int64_t **values, size_t *count, struct kt_arena *arena,
                           const struct kt_json_place *at, struct kt_error *err) KT_MUST_CHECK;
/* And back. NULL: out of memory. */
cJSON *kt_shape_values_json(const char *const *names, const int64_t *values, size_t count);

#endif
