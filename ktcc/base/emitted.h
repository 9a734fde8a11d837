/* What emission made of a source: the files that are compiled in its place. */
#ifndef KT_BASE_EMITTED_H
#define KT_BASE_EMITTED_H

#include <stddef.h>

#define KT_EMITTED_UP "up/"         /* a folder that "../" in an include leads out of */
#define KT_EMITTED_NOTE ".compiled" /* beside the copies: what the object was made of (launch/current.c) */

struct kt_emitted_file {
	const char *name;     /* below the folder beside the object, unique: "k.cu", "up/1-k.cuh"; all have the same folder */
	const char *original; /* the user's file, as the compiler spells it */
	const char *text;
};

/* No files: nothing was emitted. */
struct kt_emitted {
	size_t file_count;
	struct kt_emitted_file *files; /* the main file's copy first; all are in one folder */
	size_t folder_count;
	const char **folders; /* searched for quoted includes, in this order; the main file's is the first */
	/*
	 * Paths below the folder beside the object where quoted includes are looked up before they are looked up in
	 * `folders`: no file may be there. None holds ".." or ends outside of that folder.
	 */
	size_t lookup_count;
	const char **lookups;
};

#endif
