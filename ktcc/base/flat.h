/*
 * The text that a scan reads: the main file with those headers in it that hold
 * a region or a launch of one, each in place of the directive that enters it.
 * Every offset of a kt_unit is one into this text. Emission splits the text
 * again: each file gets its own copy, and the preprocessor puts them
 * together as it did the originals.
 */
#ifndef KT_BASE_FLAT_H
#define KT_BASE_FLAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

#define KT_FLAT_FILES ((size_t)4096)   /* most files of one text */
#define KT_FLAT_DEPTH 200              /* deepest nesting: that of gcc's includes */

/* A directive that leads to a file of the text. All of them leave the flat text; the first one entered is replaced. */
struct kt_flat_include {
	uint32_t begin, end;   /* bytes of the file, from "#" to the end of the directive's last line */
	size_t file;           /* where it leads */
	bool entered;          /* the compiler reads the file here, not only sees that it has been read */
};

struct kt_flat_file {
	const char *path;      /* as the compiler spells it; the main file's as given */
	bool is_system;        /* found by -isystem: the compiler keeps its warnings to itself */
	size_t include_count;
	struct kt_flat_include *includes; /* ascending */
};

/* Bytes of one file that are contiguous in the flat text. */
struct kt_flat_piece {
	size_t file;
	uint32_t begin, end;   /* in the file */
	uint32_t at;           /* in the flat text */
	uint32_t line, column; /* of begin in the file, 1-based */
};

struct kt_flat {
	size_t file_count;
	struct kt_flat_file *files; /* the main file first */
	size_t piece_count;
	struct kt_flat_piece *pieces; /* in the order of the flat text */
};

/* The bytes of one file. */
struct kt_flat_text {
	const char *data;
	size_t size;
};

/*
 * Appends the flat text to an empty *out and fills the pieces. `texts` has one
 * a file. KT_ERR_INVALID when a directive does not fit its file, a file is
 * entered twice or never, or they nest too deep.
 */
kt_status kt_flat_join(struct kt_buf *out, struct kt_flat *flat, struct kt_arena *arena,
                       const struct kt_flat_text *texts, struct kt_error *err) KT_MUST_CHECK;

/* The place of a byte of the flat text in the user's files. */
struct kt_text_place {
	size_t file;
	uint32_t line, column; /* 1-based */
};
/* A place between two pieces belongs to the piece after it, or, with `behind` false, to the one before. */
struct kt_text_place kt_flat_place(const struct kt_flat *flat, const char *text, size_t offset, bool behind);

/*
 * The folders that quoted includes of the files are looked up in, as the
 * compiler spells them ("." for none), the main file's first, each once.
 * False: out of memory.
 */
bool kt_flat_folders(const char ***folders, size_t *count, struct kt_arena *arena, const struct kt_flat *flat);

#endif
