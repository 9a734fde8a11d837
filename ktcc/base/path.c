/* Paths as text: the part of base/fs.h that touches no file content. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"

char *kt_path_join(struct kt_arena *arena, const char *directory, const char *name)
{
	size_t length = strlen(directory);

	if (name[0] == '/')
		return kt_arena_strdup(arena, name);
	if (length == 0)
		return kt_arena_strdup(arena, name);
	return kt_arena_printf(arena, "%s%s%s", directory, directory[length - 1] == '/' ? "" : "/", name);
}

char *kt_path_dirname(struct kt_arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return kt_arena_strdup(arena, ".");
	return kt_arena_strndup(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

const char *kt_path_word(struct kt_arena *arena, const char *path)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./,:@%+=-";
	struct kt_buf word = KT_BUF(KT_LIMIT_LINE_BYTES);

	if (path[0] != '\0' && path[strspn(path, plain)] == '\0')
		return path;
	for (const char *at = path; *at != '\0'; at++)
		if (*at == '\'')
			kt_buf_adds(&word, "'\\''");
		else
			kt_buf_addc(&word, *at);
	const char *quoted = word.failed ? NULL : kt_arena_printf(arena, "'%s'", kt_buf_text(&word));
	kt_buf_free(&word);
	return quoted != NULL ? quoted : path;
}

const char *kt_path_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Does ".." after this path lead elsewhere than to the folder that its text names? */
static bool leaves_text(const char *path, size_t length)
{
	struct stat info;

	return (length >= 3 && memcmp(path + length - 3, "/..", 3) == 0) ||
	       (length > 0 && lstat(path, &info) == 0 && S_ISLNK(info.st_mode));
}

char *kt_path_absolute(struct kt_arena *arena, const char *path, const char *base)
{
	char here[PATH_MAX];
	char *joined, *out;
	size_t used = 0;

	if (path[0] != '/' && base == NULL) {
		if (getcwd(here, sizeof here) == NULL)
			return NULL;
		base = here;
	}
	joined = path[0] == '/' ? kt_arena_strdup(arena, path) : kt_path_join(arena, base, path);
	if (joined == NULL || (out = kt_arena_alloc(arena, strlen(joined) + 2)) == NULL)
		return NULL;
	for (const char *part = joined; *part != '\0';) {
		size_t length = strcspn(part, "/");

		const bool up = length == 2 && part[0] == '.' && part[1] == '.';

		out[used] = '\0';
		if (up && !leaves_text(out, used)) {
			while (used > 0 && out[--used] != '/')
				;
		} else if (length != 0 && !(length == 1 && part[0] == '.')) {
			out[used++] = '/';
			memcpy(out + used, part, length);
			used += length;
		}
		part += length;
		part += *part == '/';
	}
	if (used == 0)
		out[used++] = '/';
	out[used] = '\0';
	return out;
}

bool kt_path_below(const char *path, const char *root)
{
	size_t length = strlen(root);

	return strncmp(path, root, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

char *kt_path_real(struct kt_arena *arena, const char *path)
{
	char resolved[PATH_MAX];

	return realpath(path, resolved) != NULL ? kt_arena_strdup(arena, resolved) : NULL;
}

char *kt_path_find_program(struct kt_arena *arena, const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/') != NULL)
		return access(name, X_OK) == 0 && kt_fs_is_file(name) ? kt_arena_strdup(arena, name) : NULL;
	if (path == NULL)
		path = "/usr/local/bin:/usr/bin:/bin";
	while (*path != '\0') {
		size_t length = strcspn(path, ":");
		char candidate[PATH_MAX];

		if (length + strlen(name) + 2 < sizeof candidate) {
			/* An empty item of PATH is the working directory. */
			memcpy(candidate, length == 0 ? "." : path, length == 0 ? 1 : length);
			candidate[length == 0 ? 1 : length] = '/';
			memcpy(candidate + (length == 0 ? 1 : length) + 1, name, strlen(name) + 1);
			if (access(candidate, X_OK) == 0 && kt_fs_is_file(candidate))
				return kt_arena_strdup(arena, candidate);
		}
		path += length;
		path += *path == ':';
	}
	return NULL;
}

bool kt_path_self(char out[PATH_MAX])
{
	const ssize_t length = readlink("/proc/self/exe", out, PATH_MAX - 1);
	const char *started = length > 0 ? NULL : (const char *)(uintptr_t)getauxval(AT_EXECFN);

	if (length > 0)
		out[length] = '\0';
	return length > 0 || (started != NULL && realpath(started, out) != NULL);
}

char *kt_install_path(struct kt_arena *arena, const char *relative)
{
	const char *prefix = getenv("KTUNE_PREFIX");
	char self[PATH_MAX];

	if (prefix != NULL && prefix[0] != '\0')
		return kt_path_join(arena, prefix, relative);
	if (!kt_path_self(self))
		return NULL;
	/* bin/ktcc is one folder below the prefix, libexec/ktcc/NAME two. */
	for (int up = 0; up < 3; up++) {
		char *slash = strrchr(self, '/');
		char *libexec;

		if (slash == NULL)
			break;
		*slash = '\0';
		libexec = kt_arena_printf(arena, "%s/libexec/ktcc", self);
		if (libexec == NULL)
			return NULL;
		if (kt_fs_is_dir(libexec))
			break;
	}
	return kt_path_join(arena, self, relative);
}
