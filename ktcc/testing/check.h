/*
 * One launch that a region is run with: the values of its problem variables,
 * the contents of its buffers and their offsets. A tuning problem is one; a
 * *check* is one more that is verified and never timed (cases.h makes them).
 *
 * As text, which names a check in messages and in the store and reads back:
 *
 *   rows=17 d=4099 fill=denormal offset=2 alias=y:x seed=7
 *
 * variables first; `offset=x:2` moves one buffer, `offset=2` all of them.
 */
#ifndef KT_TESTING_CHECK_H
#define KT_TESTING_CHECK_H

#include "base/template.h"

#define KT_CHECK_OFFSET_MOST 15 /* bytes after an address aligned to 256 */

/* A region instance as requests need it; pointers belong to the caller of kt_tester_region. */
struct kt_subject {
	const struct kt_template *template_;
	const struct kt_instance *instance;
	const struct kt_device *device;
	const int64_t *original; /* one value a parameter of the region */
};

struct kt_check {
	const int64_t *problem;  /* one value a variable; NULL without variables */
	enum kt_fill_kind fill;  /* KT_FILL_DEFAULT: that of the clauses */
	int64_t seed;            /* above 0; buffer b of it has the seed that kt_check_seed returns */
	int64_t offset, shifted; /* bytes; the buffer that is moved, −1: all */
	/* Buffer `alias`, an argument, is the memory of `alias_of`: an earlier one, or a device symbol. −1: none. */
	int64_t alias, alias_of;
};

/* What expressions of a launch see: kt_check_lookup and kt_check_point are its kt_expr callbacks. */
struct kt_check_scope {
	const struct kt_subject *subject;
	const int64_t *configuration; /* of the template's parameters; NULL: the original */
	const struct kt_check *check;
};

/* The tuning problem of that number, with the data that it is timed on. */
struct kt_check kt_check_of_problem(const struct kt_subject *subject, size_t problem);
/* Appends the text; a tuning problem's is its variables alone. */
void kt_check_print(struct kt_buf *out, const struct kt_subject *subject, const struct kt_check *check);
/* Reads it back; `problem` of *out is allocated in arena. KT_ERR_INVALID names the word. */
kt_status kt_check_read(struct kt_check *out, struct kt_arena *arena, const struct kt_subject *subject,
                        const char *text, struct kt_error *err) KT_MUST_CHECK;
bool kt_check_equal(const struct kt_subject *subject, const struct kt_check *a, const struct kt_check *b);

/* Are there numbers in it that are larger than those of a clause may be? */
bool kt_fill_goes_beyond(enum kt_fill_kind kind);
/*
 * What is in a buffer. The fill of a clause is what a kernel is timed on, and a sample of what it may get: a check has
 * other floating-point numbers than that. A range is a promise, and so is any clause of integers, which may be indices.
 */
struct kt_fill kt_check_fill(const struct kt_check *check, const struct kt_buffer *buffer, enum kt_scalar element);
/* The buffer with the fill that it has there: of several clauses, each for some problems, the first that holds. */
kt_status kt_check_buffer(struct kt_buffer *out, const struct kt_check_scope *scope, size_t index, struct kt_error *err)
    KT_MUST_CHECK;
/* The same buffer with the fill of this group of its elements' numbers (kt_number.group) as that of all. */
struct kt_buffer kt_check_group(const struct kt_buffer *buffer, size_t group);
/*
 * The fill of a buffer's clause for a group of its elements' numbers, with its bounds as numbers. KT_ERR_INVALID: they have
 * no value there, or do not fit.
 */
kt_status kt_check_bounds(struct kt_fill *out, const struct kt_check_scope *scope, size_t buffer, size_t group,
                          struct kt_error *err) KT_MUST_CHECK;
/* A variable that its argument cannot hold would be another one; a value may be written as either sign has its bits. */
bool kt_check_fits(enum kt_scalar element, int64_t integer, bool is_value);
int64_t kt_check_seed(const struct kt_subject *subject, const struct kt_check *check, size_t buffer);
/* Bytes; a multiple of the element's size. A device symbol is where it is: 0. */
int64_t kt_check_offset(const struct kt_subject *subject, const struct kt_check *check, size_t buffer);

bool kt_check_lookup(int64_t *value, const char *name, void *scope);
bool kt_check_point(uint64_t *address, int64_t *element_bytes, const char *name, void *scope);
/* A guard or restriction there; what has no value turns the launch away, as it does at run time. */
bool kt_check_holds(const struct kt_clause_expr *clause, const struct kt_check_scope *scope);
/*
 * Would a launch like this take the variant? All guards of the template hold, and the restrictions that name more than
 * parameters and the device, and a plan's own memory is not beyond its part of the device's: the same expressions that
 * the dispatcher evaluates. NULL configuration: what the region's clauses demand of a launch of the original.
 */
bool kt_check_allowed(const struct kt_check_scope *scope);
/* Of one kernel of the original: of a launch region's step, else of the region's kernel (step 0). */
kt_status kt_check_step(struct kt_geometry *out, const struct kt_check_scope *scope, size_t step,
                        struct kt_error *err) KT_MUST_CHECK;
/* Kernels that the original is. */
size_t kt_check_steps(const struct kt_subject *subject);
/* Launch geometry of the scope's configuration; of the original's first kernel. */
kt_status kt_check_geometry(struct kt_geometry *out, const struct kt_check_scope *scope, struct kt_error *err)
    KT_MUST_CHECK;
/* Grid and block of one kernel of a candidate that is several: 0 is the one of kt_check_geometry. */
kt_status kt_check_kernel(struct kt_geometry *out, const struct kt_check_scope *scope, size_t index,
                          struct kt_error *err) KT_MUST_CHECK;
/*
 * Elements of each temporary of a candidate, KT_TEMPORARIES at most. KT_ERR_INVALID: one has none, or all together are
 * more than kt_template_temporary_bytes allows.
 */
kt_status kt_check_temporaries(int64_t *counts, const struct kt_check_scope *scope, struct kt_error *err) KT_MUST_CHECK;
/*
 * Elements of a buffer. KT_ERR_INVALID: below 0, so many that their bytes do not fit, or more than a device symbol
 * has.
 */
kt_status kt_check_count(int64_t *out, const struct kt_check_scope *scope, size_t buffer, struct kt_error *err)
    KT_MUST_CHECK;

/* The buffer of this name; −1: there is none. */
int64_t kt_check_buffer_named(const struct kt_region *region, const char *name, size_t length);

#endif
