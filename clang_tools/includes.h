/* Include directives as they are written, and where the compiler looks for what they name. */
#ifndef KT_CLANG_INCLUDES_H
#define KT_CLANG_INCLUDES_H

#include "unit.h"

struct kt_directive {
	uint32_t begin, end; /* from "#" to the end of the directive's last line */
	bool quoted, next, computed; /* computed: no name is written, `name` is "" */
	const char *name;
};

/* The include directives of a text, active or not, ascending. False: out of memory. */
bool kt_includes_read(struct kt_directive **out, size_t *count, struct kt_arena *arena, const struct kt_text *text);

/*
 * The same for a text that was not read into tokens, line by line: what is in
 * comments and strings is taken for directives too, so none is missed.
 */
bool kt_includes_search(struct kt_directive **out, size_t *count, struct kt_arena *arena, const char *data,
                        size_t size);

/* Is there such a file, and is it this one? */
struct kt_identity {
	bool exists;
	uint64_t device, inode;
};
/* Relative paths are the compiler's: from the scan's directory. */
struct kt_identity kt_includes_identity(const struct kt_scan *scan, const char *path);
bool kt_identity_equal(struct kt_identity a, struct kt_identity b);

/*
 * The path under which the compiler finds what a directive in a file of
 * `folder` names, spelled as the compiler spells it: along the folder itself,
 * -iquote, -I, -isystem. When `wanted` is given the first such path to that very
 * file. NULL: none.
 */
const char *kt_includes_find(struct kt_scan *scan, const struct kt_directive *directive, const char *folder,
                             const struct kt_identity *wanted);
/* "inc" and "k.h" → "inc/k.h"; a folder "" adds nothing. */
const char *kt_includes_join(struct kt_arena *arena, const char *folder, const char *name);
/* The folder of a path as the compiler puts it in front of a name: "" for none. */
const char *kt_includes_folder(struct kt_arena *arena, const char *path);
/*
 * Is the folder also one of system headers? gcc then takes it out of the folders for quoted includes: what a file in it
 * would find beside itself, a copy of the file finds in the order of all folders, and as a system header.
 */
bool kt_includes_is_system(const struct kt_scan *scan, const char *folder);

#endif
