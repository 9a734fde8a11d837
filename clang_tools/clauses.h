/* Mistakes in clauses, for the clauses*.c files only. */
#ifndef KT_CLANG_CLAUSES_H
#define KT_CLANG_CLAUSES_H

#include "unit.h"

/* An error at this text of the region's pragma. */
void kt_clause_report(struct kt_scan *scan, struct kt_found *found, unsigned offset, const char *text,
                      const char *message, const char *hint);
/* Has the name a meaning in the region's clauses: a variable, a parameter, an argument, the device's limits? */
bool kt_clause_means(const struct kt_found *found, const char *name);
/*
 * May the name be a constant of the source in the clauses of scan->clauses_of? Not where it means something else in them, where several
 * declarations have it or a local of the host, and not a variable that is made of others where parameters are tuned.
 */
bool kt_clause_may_name(const struct kt_scan *scan, const char *name);
/* clauses_constant.c: visits the expressions of all clauses, also those that are absent. */
void kt_clause_each(struct kt_pragma *pragma, void (*visit)(struct kt_clause_expr *clause, void *context), void *context);
/* Puts constants of the source into the clauses' expressions, where their names mean nothing else. */
void kt_clause_constants(struct kt_scan *scan, struct kt_found *found);
/* A pointer to arrays leads to whole ones: a clause that counts rows, and no numbers, shows on the first problem. */
void kt_clause_rows(struct kt_scan *scan, struct kt_found *found, const struct kt_pragma_buffer *from, size_t argument);
/* The type that a clause names for a pointer to void is that of its elements, on each instance. */
void kt_clause_type(struct kt_scan *scan, struct kt_found *found, const struct kt_buffer *buffer, unsigned offset);
/* Reports a buffer that is like another one, and has elements of another type. */
void kt_clause_like(struct kt_scan *scan, struct kt_found *found, const struct kt_buffer *buffer, unsigned offset);
/* clauses_file.c: reads what the file of a fill is; then, once elements are known, whether it fits them on each problem. */
void kt_clause_file(struct kt_scan *scan, struct kt_found *found, struct kt_buffer *buffer, const struct kt_pragma_buffer *from);
void kt_clause_file_fits(struct kt_scan *scan, struct kt_found *found, const struct kt_buffer *buffer,
                         const struct kt_pragma_buffer *from);
/* A problem's variables: a kt_expr_lookup whose context is a kt_problem_values. */
struct kt_problem_values {
	const struct kt_pragma *pragma;
	const int64_t *values;
};
bool kt_of_problem(int64_t *value, const char *name, void *context);
/* Members that a clause fills on their own become groups (kt_number.group) of the elements of each instance. */
void kt_clause_members(struct kt_scan *scan, struct kt_found *found, struct kt_buffer *buffer);

/* clauses_members.c: declines an argument with members that no clause gives, with the clauses that would. */
void kt_clause_missing(struct kt_scan *scan, struct kt_found *found, size_t argument);
/* A hint for a structure that a clause takes for a buffer: the pointers in it. */
const char *kt_clause_pointers(struct kt_scan *scan, const struct kt_region *region, size_t argument);

#endif
