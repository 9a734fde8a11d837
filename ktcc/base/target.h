/*
 * What a language of kernels is for and what there is in it, one row each. Code asks for what it needs (host code beside
 * the kernels, lanes of a warp, …), not for the language, so that a new one is a row here and a folder per component.
 */
#ifndef KT_BASE_TARGET_H
#define KT_BASE_TARGET_H

#include <stdbool.h>

/* Name in records, settings and requests. */
#define KT_TARGETS(X) \
	X(CUDA, "cuda") \
	X(OPENCL, "opencl")

enum kt_language {
#define KT_TARGET_ROW(id, name) KT_LANGUAGE_##id,
	KT_TARGETS(KT_TARGET_ROW)
#undef KT_TARGET_ROW
};
/* An item of a list of all names. */
#define KT_TARGET_NAME(id, name) name,

struct kt_target {
	enum kt_language language;
	const char *label;        /* "CUDA" */
	const char *suffix;       /* of the names of files in it: ".cl"; NULL: of no file that another row has */
	const char *geometry;     /* the clauses of a launch: "grid(…) and block(…)" */
	const char *place;        /* where a pragma belongs */
	const char *kernel;       /* the word before the name of one: "__global__" */
	const char *toolkit;      /* version in the keys; NULL: that of the toolkit's headers */
	const char *ordinal;      /* environment variable with the device's number; NULL: the first visible one */
	bool has_host_code;       /* files have C++ for host and device: launches, templates, classes, program variables */
	bool has_compiler;        /* a toolkit's compiler makes code for an architecture; else the device's driver does */
	bool has_cuda_words;      /* kernels are written as the rules write; else opencl.c spells their text */
	bool has_warps;           /* threads exchange values by shuffles, and blocks by clusters */
	bool has_cache_hints;     /* of an access */
	bool has_addresses;       /* a guard can compare the addresses of buffers */
};

/* "cuda" */
const char *kt_language_name(enum kt_language language);
const struct kt_target *kt_target_of(enum kt_language language);
/* By the file's name. */
const struct kt_target *kt_target_of_file(const char *path);

#endif
