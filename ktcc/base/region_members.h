/*
 * Members of scan's JSON, for the region_*.c files only. A member that is
 * missing gets the value that an empty record has; one of another type, an
 * index outside its list and a range that ends before it begins fail. What is
 * read is the arena's.
 */
#ifndef KT_BASE_REGION_MEMBERS_H
#define KT_BASE_REGION_MEMBERS_H

#include "base/region.h"

/* Of functions that return a status: ends them with the first that is not KT_OK. */
#define TRY(call) \
	do { \
		kt_status try_status = (call); \
		if (try_status != KT_OK) \
			return try_status; \
	} while (0)

/* What all readers need. */
struct kt_region_reader {
	struct kt_arena *arena;
	struct kt_error *err;
	struct kt_region *region;
	enum kt_language language;
};

/* Reads one element of a list into a record of zeros, or a single value. */
typedef kt_status (*kt_member_item)(void *out, const cJSON *json, struct kt_region_reader *r);

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

/* "argument", an index into the signature, or −1. */
kt_status kt_member_argument_or(int64_t *out, const cJSON *json, struct kt_region_reader *r) KT_MUST_CHECK;
kt_status kt_member_text_or(const char **out, const cJSON *json, const char *name, const char *fallback,
                            struct kt_region_reader *r) KT_MUST_CHECK;
kt_status kt_member_size_or(size_t *out, const cJSON *json, const char *name, struct kt_region_reader *r) KT_MUST_CHECK;
kt_status kt_member_uint_or(uint32_t *out, const cJSON *json, const char *name,
                            struct kt_region_reader *r) KT_MUST_CHECK;
kt_status kt_member_range_or(struct kt_range *out, const cJSON *json, const char *name,
                             struct kt_region_reader *r) KT_MUST_CHECK;
kt_status kt_member_expr_or(struct kt_clause_expr *out, const cJSON *json, const char *name,
                            struct kt_region_reader *r) KT_MUST_CHECK;
/* Up to three expressions in a fixed array. */
kt_status kt_member_extents_or(struct kt_clause_expr out[3], size_t *count, const cJSON *json, const char *name,
                               struct kt_region_reader *r) KT_MUST_CHECK;
/* Index of a string member in a table of words; the first when absent. */
kt_status kt_member_word_or(int *out, const cJSON *json, const char *name, const char *const *words, size_t count,
                            struct kt_region_reader *r) KT_MUST_CHECK;

#endif
