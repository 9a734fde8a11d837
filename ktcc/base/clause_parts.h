/*
 * What clauses state, as parts of a region's record. The table of clauses (pragma.c) names a part for each of them.
 * Scan prints each part, ktcc reads it, and the keys include it. A clause that lacks one of them does not compile.
 */
#ifndef KT_BASE_CLAUSE_PARTS_H
#define KT_BASE_CLAUSE_PARTS_H

#include "base/region.h"

/* In the order of the hash. Of each, clause_parts.c has PART_rows and PART_hash. */
#define KT_CLAUSE_PARTS(X) \
	X(problem) X(value) X(tune) X(auto) X(specialize) X(buffer) X(restriction) X(guard) X(grid) X(block) \
	X(smem) X(bytes) X(flops) X(weight) KT_TEST_PARTS(X) X(budget)
#ifndef KT_TEST_PARTS
#define KT_TEST_PARTS(X)
#endif

enum kt_clause_part {
#define PART(id) KT_PART_##id,
	KT_CLAUSE_PARTS(PART)
#undef PART
	/*
	 * Of clauses that are no part of what is tuned: the name, the reference (clang_tools/reference.c), bindings of
	 * launches.
	 */
	KT_PART_elsewhere,
};

struct kt_member_reader;
struct kt_member_own;
struct kt_members;

void kt_clauses_print(cJSON *json, const struct kt_region *region);
kt_status kt_clauses_read(struct kt_region *region, struct kt_member_reader *r) KT_MUST_CHECK;
/* Everything that bears on what is tuned: all but the budget, the name and bindings. */
void kt_clauses_hash(struct kt_hash *hash, const struct kt_pragma *pragma, const struct kt_region *region);

/* clause_buffers.c: of struct kt_buffer. */
extern const struct kt_members kt_clause_buffers;
void kt_clause_hash_buffer(struct kt_hash *hash, const struct kt_buffer *buffer);
/* The member "numbers" of a struct kt_fill whose kind is known: there are some where it is a choice, and only there. */
extern const struct kt_member_own kt_fill_numbers;
void kt_clause_hash_expr(struct kt_hash *hash, const char *tag, const struct kt_clause_expr *clause);
void kt_clause_hash_double(struct kt_hash *hash, const char *tag, double value);

#endif
