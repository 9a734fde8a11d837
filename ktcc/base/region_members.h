/*
 * Members of scan's JSON, for the region_*.c files only. A member that is
 * missing gets the value that an empty record has; one of another type, an
 * index outside its list and a range that ends before it begins fail. What is
 * read is the arena's. Records are described by tables, from which both sides
 * are made: what is read here, and what region_print.h prints.
 */
#ifndef KT_BASE_REGION_MEMBERS_H
#define KT_BASE_REGION_MEMBERS_H

#include "base/region.h"

/* What all readers need. */
struct kt_region_reader {
	struct kt_arena *arena;
	struct kt_error *err;
	struct kt_region *region;
	enum kt_language language;
	size_t depth; /* of a fill in those of other problems */
};

/* Reads one element of a list into a record of zeros, or a single value. */
typedef kt_status (*kt_member_item)(void *out, const cJSON *json, struct kt_region_reader *r);

enum kt_member_kind {
	KT_MEMBER_TEXT,
	KT_MEMBER_INT,     /* int64_t; `absent` where it is missing */
	KT_MEMBER_DOUBLE,  /* the same, a double */
	KT_MEMBER_UINT,    /* uint32_t */
	KT_MEMBER_SIZE,    /* size_t */
	KT_MEMBER_INDEX,   /* size_t, which must be there; whether it fits is up to the check of the record */
	KT_MEMBER_ARGUMENT, /* int64_t: an index into the signature, or -1 */
	KT_MEMBER_BOOL,
	KT_MEMBER_RANGE,
	KT_MEMBER_EXPR,
	KT_MEMBER_EXTENTS, /* up to three expressions, and how many at `count` */
	KT_MEMBER_WORD,    /* an enumeration, by its words; number `absent` where it is missing */
	KT_MEMBER_LIST,    /* a pointer to elements, and how many at `count`; `absent`: how many there may be, 0: any number */
	KT_MEMBER_SOME,    /* the same of one element or more: of one, its members are in the object itself */
	KT_MEMBER_OBJECT,  /* `item` in the record; one whose first member is a text is not printed where that is NULL */
	KT_MEMBER_ELEMENT, /* const struct kt_element *, which must be there; NULL is printed as none */
	KT_MEMBER_POINTER, /* a pointer to a record `item`; NULL where it is missing, and then it is not printed */
	KT_MEMBER_JSON,    /* a cJSON *, as it is: read it belongs to what is read, printed to what it is printed into */
	KT_MEMBER_OWN,     /* `own` reads and prints members that no kind describes */
};
enum {
	KT_MEMBER_REQUIRED = 1, /* a text, an integer or a list that must be there */
	KT_MEMBER_EMPTY = 2,    /* a text that reads as "" where it is missing */
	KT_MEMBER_FULL = 8,     /* a text that is printed as "" where it is NULL */
	KT_MEMBER_SPARSE = 4,   /* is not printed where it is NULL, false, empty, or the number `absent` */
};

struct kt_member_own {
	kt_status (*read)(void *record, const cJSON *json, struct kt_region_reader *r);
	void (*print)(cJSON *json, const void *record, const struct kt_region *region);
};

/* One member: its name, and where its value is in the record. */
struct kt_member {
	const char *name;
	enum kt_member_kind kind;
	size_t offset, count;
	unsigned flags;
	int64_t absent;
	size_t word_count;
	const char *const *words;
	const struct kt_members *item;
	const struct kt_member_own *own;
};

/* A record, or with `read` and `print` a single value. */
struct kt_members {
	size_t size, count;
	const struct kt_member *rows;
	kt_status (*check)(void *record, struct kt_region_reader *r); /* of what was read; NULL: nothing */
	kt_member_item read;
	void (*print)(cJSON *array, const void *value);
};
extern const struct kt_members kt_members_text, kt_members_int, kt_members_range, kt_members_expr;

#define KT_MEMBERS_OF(type, table) .size = sizeof(type), .count = sizeof(table) / sizeof(table)[0], .rows = table
/* A row whose name is that of the member of the record; further members of the row follow it. */
#define KT_MEMBER(kind_, type, member) .name = #member, .kind = KT_MEMBER_##kind_, .offset = offsetof(type, member)
#define KT_MEMBER_WORDS(table) .words = table, .word_count = sizeof(table) / sizeof(table)[0]
#define KT_MEMBER_ITEMS(type, member_count, members) .count = offsetof(type, member_count), .item = &(members)

/* The members of an object. */
kt_status kt_members_read(void *record, const cJSON *json, const struct kt_members *members,
                          struct kt_region_reader *r) KT_MUST_CHECK;
/* An array member into fresh elements, a pointer to which goes to *items; absent reads as none. */
kt_status kt_members_list(void *items, size_t *count, const cJSON *object, const char *name,
                          const struct kt_members *item, struct kt_region_reader *r) KT_MUST_CHECK;

kt_status kt_member_no_memory(struct kt_region_reader *r);
/* Fails unless `json` is an object. */
kt_status kt_member_object(const cJSON *json, struct kt_region_reader *r) KT_MUST_CHECK;

/* An array member into fresh elements of `size` bytes, a pointer to which goes to *items; absent reads as none. */
kt_status kt_member_list(void *items, size_t *count, size_t size, const cJSON *object, const char *name,
                         kt_member_item item, struct kt_region_reader *r) KT_MUST_CHECK;
/* Of type kt_member_item: out is a const char **, int64_t *, bool *, struct kt_range *, struct kt_clause_expr *. */
kt_status kt_member_text_item(void *out, const cJSON *json, struct kt_region_reader *r) KT_MUST_CHECK;
kt_status kt_member_int_item(void *out, const cJSON *json, struct kt_region_reader *r) KT_MUST_CHECK;
kt_status kt_member_bool_item(void *out, const cJSON *json, struct kt_region_reader *r) KT_MUST_CHECK;
kt_status kt_member_range_item(void *out, const cJSON *json, struct kt_region_reader *r) KT_MUST_CHECK;
kt_status kt_member_expr_item(void *out, const cJSON *json, struct kt_region_reader *r) KT_MUST_CHECK;

kt_status kt_member_range_or(struct kt_range *out, const cJSON *json, const char *name,
                             struct kt_region_reader *r) KT_MUST_CHECK;
kt_status kt_member_expr_or(struct kt_clause_expr *out, const cJSON *json, const char *name,
                            struct kt_region_reader *r) KT_MUST_CHECK;
/* Index of a string member in a table of words; the first when absent. */
kt_status kt_member_word_or(int *out, const cJSON *json, const char *name, const char *const *words, size_t count,
                            struct kt_region_reader *r) KT_MUST_CHECK;

#endif
