/* Reading a launch: what it calls, where its parts are, how problem variables are bound there. */
#ifndef KT_CLANG_LAUNCHES_H
#define KT_CLANG_LAUNCHES_H

#include "unit.h"

/* What a launch calls: a function, or a set of overloads when it depends on a template. */
struct kt_callee_of {
	CXCursor target;   /* null when dependent */
	CXCursor overloads;
	bool dependent;
};
struct kt_callee_of kt_callee_read(CXCursor cursor);
/* Has this instance a separate text? Instances without one are at the place of the template. */
bool kt_callee_is_specialised(const struct kt_scan *scan, const struct kt_found *found, CXCursor target);
/*
 * Fills the ranges; NULL, or why the launch is left unmodified. *angle: token of "<" of template arguments, or count.
 */
const char *kt_launch_parts(const struct kt_scan *scan, const struct kt_call *call, const char *kernel,
                            struct kt_launch *l, size_t *angle);
/* How a problem variable is computed there: by the clauses above (may be NULL), by the region's, an argument,
 * a name. */
void kt_launch_bind(struct kt_scan *scan, struct kt_found *found, const struct kt_call *call,
                    const struct kt_pragma *above, struct kt_launch *l, size_t variable);

/*
 * order.c: has no expression of the launch an effect that another one could see? Then it does not matter in which order
 * they are evaluated. A launch evaluates its configuration before its arguments.
 */
bool kt_launch_is_quiet(struct kt_scan *scan, const struct kt_region *r, const struct kt_call *call,
                        const struct kt_callee_of *callee);
/* Does an expression of the launch change a variable that the text of a binding names? */
bool kt_launch_changes_bound(struct kt_scan *scan, const struct kt_launch *launch, const struct kt_call *call,
                             size_t variable_count);

/*
 * Why no launch of the kernel may run another one: the program sets an attribute of it, or asks for its occupancy.
 * NULL: it does not. *detail: line and function, in the arena.
 */
const char *kt_kernel_setting(struct kt_scan *scan, const struct kt_found *kernel, const char **detail);

/* Declines the region for what the launch was declined for; nothing where it was not. */
/* A region whose launches are all left unmodified is declined, with the reason of the first one. */
void kt_launches_judge(struct kt_scan *scan, struct kt_found *found);
void kt_launch_judge(struct kt_scan *scan, struct kt_found *found, const struct kt_launch *l);

/* geometry.c: texts between two offsets of the main file, split at top-level commas; empty ones are left out. */
size_t kt_split_list(struct kt_scan *scan, uint32_t begin, uint32_t end, const char **out, size_t most);
/* The one name that an expression consists of, casts of integers and brackets aside; else NULL. */
const char *kt_single_name(struct kt_scan *scan, const char *text);
/*
 * Reads a launch configuration of one to four texts; renames: names of the host's that clauses have another word
 * for. False: it is no expression over what the clauses name.
 */
struct kt_expand;
bool kt_read_configuration(struct kt_launch *l, struct kt_expand *x, const char *const *parts, size_t count);

#endif
