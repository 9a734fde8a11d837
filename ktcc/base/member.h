/*
 * Records described by tables: the row of a member has how it is read, printed and limited. A member that is in the
 * table cannot be missing from one of them.
 *
 * Reading fills a record of zeros from a JSON object, its members in the order of the table, so that the function of
 * one may use those above it. What is read is the arena's. A refusal names the place as a JSON pointer. A closed record
 * is text from elsewhere: each member has to be there but those whose flags allow that, and nothing unknown is taken
 * but notes
 * ("x_…"), nothing twice. Of other records, which programs of ours exchange, a member that is missing or null has the
 * value that a record of zeros has, and unknown ones are passed over. Printing writes in the order of the table.
 */
#ifndef KT_BASE_MEMBER_H
#define KT_BASE_MEMBER_H

#include <stddef.h>

#include "base/region.h"

#define KT_MEMBER_ROWS 64                       /* most members of an object */
#define KT_MEMBER_VALUES 64                     /* most members of an object of values */
#define KT_MEMBER_LINE_BYTES 4096               /* longest line */
#define KT_MEMBER_LINES_BYTES ((size_t)1 << 20) /* longest text of lines */
#define KT_MEMBER_NS 1e15                       /* longest time: eleven days */

/* The place of a value: a chain up to the root, printed as a JSON pointer. */
struct kt_json_place {
	const struct kt_json_place *up;
	const char *name; /* NULL: an array item */
	size_t index;
	const cJSON *json;
};

struct kt_member_reader {
	struct kt_arena *arena;
	struct kt_error *err;
	const struct kt_json_place *at; /* what is read */
	const void *whole;              /* the record that reading began with */
	struct kt_region *region;       /* of records of a unit */
	size_t arguments;               /* of its signature, with members: known once that has been read */
	enum kt_language language;
	size_t depth; /* of a fill in those of other problems */
};

/* The object, or array, to which a value is added. */
struct kt_member_printer {
	cJSON *to;
	const char *name;  /* NULL: an item of an array */
	const void *whole; /* the record that printing began with; of a unit's records the region */
	bool failed;       /* out of memory: something is left out */
};

enum kt_member_kind {
	KT_MEMBER_TEXT,  /* any text; NULL is printed as null */
	KT_MEMBER_LINE,  /* printable text, at most KT_MEMBER_LINE_BYTES, may be empty; NULL is printed as "", as of the
			    next three */
	KT_MEMBER_PLAIN, /* printable ASCII without quotes and backslashes, not empty */
	KT_MEMBER_IDENTIFIER,
	KT_MEMBER_HASH,     /* 64 lower-case hexadecimal digits */
	KT_MEMBER_LINES,    /* text that is compiled: one string, or an array of lines as it is printed */
	KT_MEMBER_INT,      /* int64_t, from `low` to `high` where these differ; `absent` where it is missing */
	KT_MEMBER_DOUBLE,   /* the same, a double without limits */
	KT_MEMBER_TIME,     /* double, nanoseconds, above 0 unless low is 0 */
	KT_MEMBER_UINT,     /* uint32_t */
	KT_MEMBER_SIZE,     /* size_t */
	KT_MEMBER_ARGUMENT, /* int64_t: an index into the signature, or -1 */
	KT_MEMBER_BOOL,
	KT_MEMBER_WORD,       /* an enumeration, by its words; number `absent` where it is missing */
	KT_MEMBER_RANGE,      /* [begin, end]: two uint32_t */
	KT_MEMBER_TRIPLE,     /* [x, y, z]: three int64_t, from `low` to `high` where these differ */
	KT_MEMBER_EXPR,       /* struct kt_clause_expr */
	KT_MEMBER_EXPRESSION, /* the same of a line; "0" where there is none */
	KT_MEMBER_EXTENTS,    /* up to three struct kt_clause_expr, and how many at `count` */
	KT_MEMBER_ELEMENT,    /* const struct kt_element *, which must be there; NULL is printed as none */
	KT_MEMBER_NUMBERS,    /* int64_t *, {"NAME": integer, …} of names that the whole record has: `names` */
	KT_MEMBER_LIST,       /* a pointer to records `item`, and how many at `count`; `low` to `high`, 0: any number */
	KT_MEMBER_SOME,       /* the same of one or more: of one, its members are in the object itself */
	KT_MEMBER_OBJECT,  /* a record `item`, part of this one; without a name its members are in the object itself */
	KT_MEMBER_POINTER, /* a pointer to a record `item`; NULL where it is missing, and then it is not printed */
	KT_MEMBER_JSON, /* a cJSON *, as it is: read it belongs to what is read, printed to what it is printed into */
	KT_MEMBER_OWN,  /* `own` reads and prints it; without a name, several members of the object */
};
enum {
	KT_MEMBER_REQUIRED = 1, /* must be there */
	KT_MEMBER_EMPTY = 2,    /* a text that reads as "" where it is missing */
	KT_MEMBER_SPARSE =
	    4, /* is not printed where it is NULL, false, empty, or the number `absent`: an object, all of it */
	KT_MEMBER_FULL = 8, /* a text that is printed as "" where it is NULL */
	KT_MEMBER_LENIENT =
	    16, /* may be missing from a closed record, as what is sparse may, and is printed all the same */
};

/* A member that no kind describes: `to` is where it is in the record. */
struct kt_member_own {
	kt_status (*read)(void *to, struct kt_member_reader *r);
	void (*print)(const void *from, struct kt_member_printer *p);
	/* What a value of it is like, for the schema; NULL where the row has a `schema`. */
	const struct kt_members *like;
};

/* Where the whole record has the names and their number, and what is wrong with others. */
struct kt_member_names {
	size_t names, count;
	const char *mismatch;
};

/* One member: its name, and where its value is in the record. */
struct kt_member {
	const char *name;
	enum kt_member_kind kind;
	unsigned flags;
	size_t offset, count;
	int64_t absent, low, high;
	const char *what; /* items of a list in messages, "sizes" */
	size_t word_count;
	const char *const *words;
	const struct kt_members *item;
	const struct kt_member_own *own;
	const struct kt_member_names *names;
	/* JSON Schema of the value, where more is checked than its kind; NULL: the kind's. For docs/schema alone. */
	const char *schema;
};

/* A record; one row without a name: a single value. */
struct kt_members {
	size_t size, count; /* up to KT_MEMBER_ROWS */
	const struct kt_member *rows;
	/* Of what was read; NULL: nothing else has to hold. Items of a list before this one are before it in memory:
	 * r->at->index of them. */
	kt_status (*check)(void *record, struct kt_member_reader *r);
	bool is_closed;
	const char
	    *rules; /* members of a JSON Schema that the object's has besides; NULL: none. For docs/schema alone. */
};
extern const struct kt_members kt_members_text, kt_members_int, kt_members_bool, kt_members_range, kt_members_expr;
/* A generator's template (template_json.c); docs/schema/rewrite.schema.json is made from it. */
extern const struct kt_members kt_template_record;

#define KT_MEMBERS_OF(type, table) .size = sizeof(type), .count = sizeof(table) / sizeof(table)[0], .rows = table
#define KT_MEMBERS_CLOSED(type, table) KT_MEMBERS_OF(type, table), .is_closed = true
/* A row whose name is that of the member of the record; further members of the row follow it. */
#define KT_MEMBER(kind_, type, member) .name = #member, .kind = KT_MEMBER_##kind_, .offset = offsetof(type, member)
#define KT_MEMBER_WORDS(table) .words = table, .word_count = sizeof(table) / sizeof(table)[0]
#define KT_MEMBER_ITEMS(type, member_count, members) .count = offsetof(type, member_count), .item = &(members)
/* Schema of {"NAME": integer, …} and of a number that a text may hold. */
#define KT_SCHEMA_VALUES "{\"$ref\":\"#/$defs/values\"}"
#define KT_SCHEMA_NUMBER "{\"$ref\":\"#/$defs/number\"}"

/* KT_ERR_INVALID with the pointer of `at` in front of the reason. */
kt_status kt_json_bad(struct kt_error *err, const struct kt_json_place *at, const char *format, ...) KT_PRINTF(3, 4);
#define kt_member_bad(r, ...) kt_json_bad((r)->err, (r)->at, __VA_ARGS__)
struct kt_json_place kt_json_member(const struct kt_json_place *at, const char *name); /* json NULL: absent */

/* The record at r->at; and from the root of a JSON value. */
kt_status kt_members_read(void *record, const struct kt_members *members, struct kt_member_reader *r) KT_MUST_CHECK;
kt_status kt_members_parse(void *record, const cJSON *json, const struct kt_members *members, struct kt_arena *arena,
			   struct kt_error *err) KT_MUST_CHECK;
/* A member of the object at r->at, an array, into fresh elements, a pointer to which goes to *items; absent reads as
 * none. */
kt_status kt_members_list(void *items, size_t *count, const char *name, const struct kt_members *item,
			  struct kt_member_reader *r) KT_MUST_CHECK;
/* What the text at r->at is of this kind (member_text.c). */
kt_status kt_member_text(const char **out, enum kt_member_kind kind, struct kt_member_reader *r) KT_MUST_CHECK;
kt_status kt_member_integer(int64_t *out, int64_t low, int64_t high, struct kt_member_reader *r) KT_MUST_CHECK;
/* {"NAME": integer, …} as two arrays in arena, each one longer than *count; a name twice is refused. */
kt_status kt_member_values(const char ***names, int64_t **values, size_t *count,
			   struct kt_member_reader *r) KT_MUST_CHECK;
/* How many names the whole record has for this member, and the names. */
const char *const *kt_member_names(size_t *count, const void *whole, const struct kt_member_names *names);

/* The object, owned by the caller; NULL: out of memory. */
cJSON *kt_members_json(const void *record, const struct kt_members *members);
/* Into an object. A failed allocation leaves a member out. */
void kt_print_members(cJSON *object, const void *record, const struct kt_members *members, const void *whole);
void kt_print_list(cJSON *object, const char *name, const void *items, size_t count, const struct kt_members *item,
		   const void *whole);
void kt_print_text(cJSON *object, const char *name, const char *text); /* NULL: null */
void kt_print_texts(cJSON *object, const char *name, const char *const *texts, size_t count);
/* For functions of members: adds the value, which is taken, under the name; NULL: out of memory. */
void kt_print_value(struct kt_member_printer *p, cJSON *value);
/* {"NAME": integer, …}. NULL: out of memory. */
cJSON *kt_member_values_json(const char *const *names, const int64_t *values, size_t count);

/* A region as scan prints it, and as ktcc reads it: of type kt_member_own.read. */
void kt_region_print(cJSON *regions, const struct kt_region *region);
kt_status kt_region_read(void *out, struct kt_member_reader *r) KT_MUST_CHECK;
/* Its member "text": the files of a flat text. */
void kt_flat_print(cJSON *json, const struct kt_flat *flat);

#endif
