/*
 * The kernels of a launch region as one text: their bodies one after the other. Each name means the same in all of them as in
 * each kernel alone.
 */
#ifndef KT_CLANG_FUSED_H
#define KT_CLANG_FUSED_H

#include "unit.h"

struct kt_fused_names {
	size_t count;
	struct kt_fused_name {
		const char *from, *to;
	} *items;
};

struct kt_fused {
	struct kt_scan *scan;
	const struct kt_found *found;
	size_t instance;
	struct kt_fused_names *steps;
	const char *why; /* for people: why they are no one text; NULL: no reason */
};

/* Decides on all names for an instance of the region. False: no names mean the same (`why`), or out of memory. */
bool kt_fused_open(struct kt_fused *out, struct kt_scan *scan, const struct kt_found *found, size_t instance);
/* Appends declarations of what a kernel takes in another type than the region: "int n_2 = static_cast<int>(n);". */
void kt_fused_add_copies(struct kt_buf *out, const struct kt_fused *fused, size_t step);
/* Appends what is between the braces of a kernel's body. */
void kt_fused_add_body(struct kt_buf *out, const struct kt_fused *fused, size_t step);

#endif
