/*
 * What device code needs of a unit, for a compiler that has no host (docs/protocol.md, "device"): the main file and the
 * headers of the project without the declarations that only host code uses.
 */
#ifndef KT_CLANG_DEVICE_H
#define KT_CLANG_DEVICE_H

#include "base/json.h"
#include "closure.h"
#include "graph.h"

/* A piece of a file's text and what takes its place; it fits there. */
struct kt_device_cut {
	struct kt_range range;
	const char *text;
};

struct kt_device_foreign {
	CXFile file;
	const char *path;
};

/* A file of the project (scan->files, same index). */
struct kt_device_file {
	size_t node;                      /* of the graph; SIZE_MAX: it has none */
	bool is_kept, is_whole;           /* is part of the answer; with all its text */
	struct kt_chunks chunks;
	bool *is_read;                    /* per chunk: its text was walked */
	size_t directive_count;
	const struct kt_directive *directives;
};

struct kt_device {
	struct kt_scan *scan;
	struct kt_graph graph;
	struct kt_walk walk;
	bool *leaves;                     /* per item: host code */
	size_t *cut_counts;               /* per item: what its text is read without */
	struct kt_device_cut **cuts;
	struct kt_device_file *files;
	bool *used;                       /* per node of the graph: device code refers to something in it */
	size_t foreign_count;             /* files of the system that it refers to, of the graph or not */
	struct kt_device_foreign *foreign;
	bool *given;                      /* per node: is read in any case, since an include that is kept leads to it */
	size_t seen;                      /* how many of the walk's items were searched for such references */
};

/* The answer to the request: {"verb":"device","region":0,"text":"…"}. */
kt_status kt_device_answer(cJSON **out, struct kt_scan *scan, const cJSON *request, struct kt_error *err)
    KT_MUST_CHECK;

/* device_cut.c: is the declaration a function that runs on the host alone? text: of the file that it is in. */
bool kt_device_is_host(CXCursor cursor, const struct kt_text *text, struct kt_range range);
/* What of a class, which starts in that file, is of the host: its functions, mostly. False: out of memory. */
bool kt_device_class_cuts(struct kt_device_cut **cuts, size_t *count, struct kt_scan *scan, const struct kt_item *item);

/* device_files.c: which files are needed, until nothing changes. */
void kt_device_files(struct kt_device *device);
/* Headers of the toolkit that candidates may need though the kernel does not, and that NVRTC compiles. */
bool kt_device_keeps_include(const char *name);
/*
 * Is the header of the system needed where it is included by that name? node: of the graph, SIZE_MAX for what was
 * precompiled or is inactive.
 */
bool kt_device_needs_include(const struct kt_device *device, const char *name, size_t node);
/* Marks the nodes of the system's headers that items of the walk refer to. */
void kt_device_mark_used(struct kt_device *device);

#endif
