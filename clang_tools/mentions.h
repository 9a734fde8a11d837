/* A kernel's name where it is not the callee of a launch: what the function does that is given it. */
#ifndef KT_CLANG_MENTIONS_H
#define KT_CLANG_MENTIONS_H

#include "base/lex.h"

struct kt_mention {
	const char *launch;   /* why this may be a launch that keeps the original, or NULL: it is none */
	const char *kernel;   /* why every launch of the kernel keeps the original, or NULL */
	size_t function;      /* token of the name of the function that is given it, where there is a `kernel` */
};

/* Why every launch of a kernel keeps the original that the function named at a token is given, or NULL. */
const char *kt_mention_setting(const struct kt_text *text, size_t token);
/* What the mention at a token is. */
struct kt_mention kt_mention_read(const struct kt_text *text, size_t token);
/* Tells the names of kernels. */
struct kt_kernel_names {
	bool (*is)(const void *context, uint32_t offset); /* does the name there stand for a kernel? */
	const void *context;
};
/*
 * The first call in the text that sets or asks something of a kernel that it does not name, so that it may be given one
 * whose address was taken. Without a `kernel` there is none.
 */
struct kt_mention kt_mention_setter(const struct kt_text *text, const struct kt_kernel_names *kernels);

#endif
