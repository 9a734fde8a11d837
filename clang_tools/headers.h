/*
 * The toolkit's headers, parsed once on each machine: a precompiled header in the cache's folder "headers", beside the store.
 * It holds what libclang includes in front of every CUDA file, and the headers of half precision where a file includes
 * those; function bodies are left out, since nothing reads those of the toolkit. docs/store.md, "Headers".
 */
#ifndef KT_CLANG_HEADERS_H
#define KT_CLANG_HEADERS_H

#include "unit.h"

/* What of a precompiled header a scan has to know; path NULL: none is used. */
struct kt_headers {
	const char *path;          /* of the precompiled header */
	const char *include;       /* "cuda_bf16.h": of the toolkit's headers that it holds by that name; NULL: none */
	size_t file_count;
	const char **files;        /* real paths of all files in it */
	int64_t toolkit_version;
	cJSON *names;              /* where `include` is given: identifiers in it, and macros it defines; else NULL */
};

/*
 * Finds the one that fits the scan's command line and the includes of its file. Where there is none, a separate process starts
 * to make it. Nothing here is an error.
 */
void kt_headers_open(struct kt_scan *scan);
/*
 * What a parse of the device's pass may be given; NULL: nothing. Waits for one that is being made if `wait`.
 */
const struct kt_headers *kt_headers_ready(struct kt_scan *scan, bool wait);
/*
 * Is the unit that was parsed with it what it would have been without? False where the file's own text comes in
 * between: a macro before the include that the header may ask for, an include that is not read, or inside of a bracket;
 * and where libclang found any error.
 */
bool kt_headers_hold(struct kt_scan *scan, CXTranslationUnit unit, const struct kt_headers *headers);
bool kt_headers_have_errors(CXTranslationUnit unit);
/* Waits for one that is being made: it is there for the next command. */
void kt_headers_close(struct kt_scan *scan);

/* ---- headers_make.c */
struct kt_headers_place {
	const char *folder, *path, *note; /* of all; of the precompiled header; of what is known about it */
	const char *key;
};
struct kt_headers_maker;
/* Starts to make it, unless somebody else does. NULL: it did not start. */
struct kt_headers_maker *kt_headers_start(struct kt_scan *scan, const struct kt_headers_place *place,
                                          const char *const *arguments, size_t argument_count, const char *include);
/* Waits for its end; true: it is there. */
bool kt_headers_finish(struct kt_headers_maker *maker);

#endif
