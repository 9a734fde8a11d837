/* What emission made of a source: the files that are compiled in its place. */
#ifndef KT_BASE_EMITTED_H
#define KT_BASE_EMITTED_H

#include <stddef.h>

struct kt_emitted_file {
	const char *name;     /* plain, unique among the files: "k.cu", "1-k.cuh" */
	const char *original; /* the user's file, as the compiler spells it */
	const char *text;
};

/* No files: nothing was emitted. */
struct kt_emitted {
	size_t file_count;
	struct kt_emitted_file *files; /* the main file's copy first; all stand in one folder */
	size_t folder_count;
	const char **folders; /* searched for quoted includes, in this order; the main file's is the first */
};

#endif
