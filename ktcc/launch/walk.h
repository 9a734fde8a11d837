/*
 * The textual walk: does the input, or a project header that it can reach by
 * quoted, -I or -isystem includes or by CPATH and CPLUS_INCLUDE_PATH, hold the
 * bytes "ktune"? Conditionals and comments are not looked at, so of what
 * includes name in writing it may find more files than the compiler reads,
 * never fewer. An include whose name a macro makes is not followed
 * (computed_include tells that there is one), nor is a line continued by the
 * trigraph for a backslash. A file that __has_include names is followed like an
 * include. The toolkit is not entered, nor what -isystem and
 * the environment find among the system's and installed packages.
 *
 * What a file holds is remembered by device, inode, size and times in one file
 * of the cache directory. That file is a memo: when it is missing, damaged,
 * unwritable or busy the answer is the same, a little later.
 */
#ifndef KT_LAUNCH_WALK_H
#define KT_LAUNCH_WALK_H

#include "base/fs.h"
#include "launch/command.h"

#define KT_WALK_FILES ((size_t)1 << 15)  /* most files of one walk */
#define KT_WALK_ABSENT ((size_t)1 << 18) /* most absent candidates of one walk */

struct kt_walk_file {
	const char *path; /* as reached: relative to the command's directory, or absolute */
	struct kt_file_stamp stamp;
	bool has_word;    /* holds "ktune" */
};

struct kt_walk {
	bool found;            /* some file holds the word */
	bool complete;         /* false: a limit was reached or a file could not be read; found is true then */
	int64_t started_ns;    /* before the first file was read, on the clock of the files' time stamps */
	bool computed_include; /* an include that is not written out: `#include NAME` */
	size_t folder_count;
	const char **folders;  /* where such an include is looked up; none where there is none */
	size_t file_count;
	struct kt_walk_file *files; /* the input first, then in the order of discovery */
	size_t absent_count;
	const char **absent;   /* paths that do not exist and would be taken if they did */
};

/*
 * Walks from the command's CUDA inputs, in the process's working directory.
 * cache_dir NULL: no memo. An unreadable input is KT_ERR_IO. Results live in
 * arena.
 */
kt_status kt_walk(struct kt_walk *out, struct kt_arena *arena, const struct kt_command *command,
                  const char *cache_dir, struct kt_error *err) KT_MUST_CHECK;
/*
 * Only whether the word is there (`found` of kt_walk): stops at the first file
 * that holds it, so that a region in the input costs no look at its headers.
 */
kt_status kt_walk_finds(bool *found, struct kt_arena *arena, const struct kt_command *command, const char *cache_dir,
                        struct kt_error *err) KT_MUST_CHECK;

#endif
