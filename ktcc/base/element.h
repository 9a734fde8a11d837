/*
 * Types of numbers, and what one element of a buffer is made of: a number, a vector, or a structure of them.
 */
#ifndef KT_BASE_ELEMENT_H
#define KT_BASE_ELEMENT_H

#include <stddef.h>

#include "base/json.h"

enum kt_scalar {
	KT_SCALAR_NONE, /* a type that no argument can be built for */
	KT_BOOL, KT_I8, KT_U8, KT_I16, KT_U16, KT_I32, KT_U32, KT_I64, KT_U64, KT_F16, KT_BF16, KT_F32, KT_F64,
};
#define KT_SCALARS (KT_F64 + 1)
/* "f16" and so on, as in the JSON; "none" for KT_SCALAR_NONE. */
extern const char *const kt_scalar_names[KT_SCALARS];
const char *kt_scalar_name(enum kt_scalar scalar);
const char *kt_scalar_cuda(enum kt_scalar scalar); /* as a declaration in CUDA C++ spells it; "" for none */
enum kt_scalar kt_scalar_from_name(const char *name);
unsigned kt_scalar_bytes(enum kt_scalar scalar);
bool kt_scalar_is_float(enum kt_scalar scalar);

#define KT_ELEMENT_NUMBERS 256 /* most numbers of an element */
#define KT_ELEMENT_PARTS 16    /* most parts of an element */
#define KT_ELEMENT_BYTES 65536 /* of an element, at most */

/* One number of an element. */
struct kt_number {
	const char *name; /* "x", "size[2]", "dims.y"; "" of an element that is a number */
	enum kt_scalar scalar;
	uint32_t offset;  /* bytes in the element, a multiple of the number's size */
	uint32_t group;   /* numbers of different groups are in different parts */
};

/* A longest run of consecutive numbers of one type and group: no neighbour at either end is such a number. */
struct kt_part {
	enum kt_scalar scalar;
	uint32_t offset; /* bytes in the element */
	uint32_t count;  /* numbers */
	uint32_t first;  /* index of its first one in kt_element.numbers; of padding 0 */
};

struct kt_element {
	uint32_t bytes;  /* from one element to the next; 0: a type that cannot be built, without numbers */
	uint32_t align;
	size_t number_count;
	const struct kt_number *numbers; /* by offset */
	size_t part_count, padding_count;
	/* All numbers, by offset; after them the bytes (KT_U8) that belong to no number: padding. */
	const struct kt_part *parts;
};

/* The element that is this number, for ever; of KT_SCALAR_NONE one of 0 bytes. */
const struct kt_element *kt_element_of(enum kt_scalar scalar);
/*
 * Numbers by ascending offset, which stay the caller's. Fails where two overlap, one is not at a multiple of its size or
 * outside of `bytes`, where `bytes` is no multiple of a number's size, and beyond the limits above.
 */
kt_status kt_element_make(const struct kt_element **out, struct kt_arena *arena, uint32_t bytes, uint32_t align,
                          const struct kt_number *numbers, size_t count, struct kt_error *err) KT_MUST_CHECK;
/* The type of an element that is one number, else KT_SCALAR_NONE. */
enum kt_scalar kt_element_scalar(const struct kt_element *element);
/* Are numbers of the same types and groups at the same places? Their names do not count. */
bool kt_element_same(const struct kt_element *a, const struct kt_element *b);
/*
 * "f32"; of several numbers {"bytes":16,"align":16,"numbers":[{"name":"x","element":"f32","offset":0},…]}, with "group"
 * where it is not 0.
 */
cJSON *kt_element_print(const struct kt_element *element);
kt_status kt_element_read(const struct kt_element **out, struct kt_arena *arena, const cJSON *json,
                          struct kt_error *err) KT_MUST_CHECK;

#endif
