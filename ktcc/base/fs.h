/* Files and paths. Paths are bytes; nothing here assumes UTF-8. */
#ifndef KT_BASE_FS_H
#define KT_BASE_FS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"

/* What identifies a file's content without reading it. Programs can set mtime back, but not ctime. */
struct kt_file_stamp {
	uint64_t device, inode, size;
	int64_t mtime_ns, ctime_ns;
};

/*
 * Opens a regular file, or what a link to one leads to, without waiting; −1 with errno, EINVAL for a pipe, a
 * device or a socket. `flags`: O_RDONLY or O_RDWR. The caller closes it; programs that are started do not inherit
 * it.
 */
int kt_fs_open_regular(const char *path, int flags);
/* Gives `take` a regular file block by block, until it returns false. */
kt_status kt_fs_blocks(const char *path, bool (*take)(void *context, const void *block, size_t size), void *context,
                       struct kt_error *err) KT_MUST_CHECK;
/*
 * Appends the whole file; KT_ERR_LIMIT when it is larger than the buffer's ceiling, KT_ERR_IO when it is not a regular
 * file: reading a pipe could wait forever.
 */
kt_status kt_fs_read(struct kt_buf *out, const char *path, struct kt_error *err) KT_MUST_CHECK;
/*
 * Writes through a new file with a random name in the same directory and rename(2): never a partial file, and a link
 * in the place of either is not followed.
 */
kt_status kt_fs_write(const char *path, const void *data, size_t size, struct kt_error *err) KT_MUST_CHECK;
/* As kt_fs_write; the bytes are on the disk before the file has its name:
 * a machine that goes down leaves no empty one. */
kt_status kt_fs_write_synced(const char *path, const void *data, size_t size, struct kt_error *err) KT_MUST_CHECK;
/* As kt_fs_write in an open directory; `path` is for messages. `synced` as kt_fs_write_synced. */
kt_status kt_fs_write_at(int directory, const char *name, const char *path, const void *data, size_t size, bool synced,
                         struct kt_error *err) KT_MUST_CHECK;
/* Is it a regular file of these bytes? */
bool kt_fs_holds(const char *path, const void *data, size_t size);
/* As kt_fs_write, but leaves a file with the same bytes (and its mtime) alone. */
kt_status kt_fs_write_changed(bool *changed, const char *path, const void *data, size_t size,
                              struct kt_error *err) KT_MUST_CHECK;
/* Creates the directory and its parents. */
kt_status kt_fs_mkdirs(const char *path, struct kt_error *err) KT_MUST_CHECK;
/* Creates the file when absent, else sets its mtime to now. A link is an error. */
kt_status kt_fs_touch(const char *path, struct kt_error *err) KT_MUST_CHECK;
/* Gives a file or directory the mtime of `like`. */
kt_status kt_fs_match_time(const char *path, const char *like, struct kt_error *err) KT_MUST_CHECK;
/* Removes a directory with everything in it; an absent one is fine. Never follows links. */
kt_status kt_fs_remove_tree(const char *path, struct kt_error *err) KT_MUST_CHECK;
/* A fresh private directory below $TMPDIR or /tmp; the path is allocated in arena. */
kt_status kt_fs_temp_dir(char **out, struct kt_arena *arena, const char *prefix, struct kt_error *err) KT_MUST_CHECK;

kt_status kt_fs_stamp(struct kt_file_stamp *out, const char *path, struct kt_error *err) KT_MUST_CHECK;
bool kt_fs_stamp_equal(const struct kt_file_stamp *a, const struct kt_file_stamp *b);
bool kt_fs_is_file(const char *path);
bool kt_fs_is_dir(const char *path);
/* Is the path itself a symbolic link, wherever it leads? */
bool kt_fs_is_link(const char *path);
/*
 * Does it hold what an interpreter takes, with "#!" or, as a shell does, without? Whatever is no program of the
 * machine's own; false for NULL, and for what is empty or cannot be read.
 */
bool kt_fs_is_script(const char *path);

/* Joins directory and name; an absolute name is returned alone. NULL when out of memory. */
char *kt_path_join(struct kt_arena *arena, const char *directory, const char *name);
/* "a/b/c.cu" → "a/b"; "c.cu" → "."; "/c" → "/". */
char *kt_path_dirname(struct kt_arena *arena, const char *path);
/* The path as a word of a command that can be typed: in single quotes where a shell would take it for something else. */
const char *kt_path_word(struct kt_arena *arena, const char *path);
/* Pointer into path, past the last slash. */
const char *kt_path_basename(const char *path);
/*
 * Absolute, with "." and ".." removed. Links are kept, and so is a ".." after a link that leads to another folder
 * than the text names. Relative paths start at `base` (NULL: cwd).
 */
char *kt_path_absolute(struct kt_arena *arena, const char *path, const char *base);
/* Is path the directory root, or in it? By text alone. */
bool kt_path_below(const char *path, const char *root);
/* As realpath(3); NULL when it does not exist. */
char *kt_path_real(struct kt_arena *arena, const char *path);
/* Finds a program as execvp would (a name with a slash is taken as it is); NULL when there is none. */
char *kt_path_find_program(struct kt_arena *arena, const char *name);

/*
 * The running program's file, links resolved. Without /proc (a bare chroot) the name it was started by, which no longer
 * leads there when that was relative and the working directory has changed. False: unknown.
 */
bool kt_path_self(char out[PATH_MAX]);
/*
 * Where this installation's files are, from the running program's own place
 * (so that a moved tree works): "libexec/ktcc/<name>", "share/ktcc/<name>",
 * "include". NULL when out of memory. KTUNE_PREFIX overrides the prefix.
 */
char *kt_install_path(struct kt_arena *arena, const char *relative);
/* Cooperative groups in plain CUDA: for lowering kernels, and for the certificate of what was lowered. */
#define KT_GROUPS_FOLDER "share/ktcc/groups"

#endif
