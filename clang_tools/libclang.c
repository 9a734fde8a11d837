#include "libclang.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"

struct kt_clang_api kt_clang;

static int installed; /* the version of the library that was installed with this program; 0: another one is loaded */

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
#define ROW(function) {"clang_" #function, offsetof(struct kt_clang_api, function)},
	KT_CLANG_FUNCTIONS(ROW)
#undef ROW
};

/*
 * dlopen names, then places outside the loader's path; %d is the version. None has a folder to list that others fill:
 * each is tried for each version.
 */
static const char *const patterns[] = {
	"libclang-%d.so.1",
	"libclang.so.%d",
	"libclang-%d.so.%d",
	"/usr/lib/llvm-%d/lib/libclang-%d.so*",
	"/usr/lib/llvm-%d/lib/libclang.so*",
	"/usr/lib64/llvm%d/lib*/libclang.so*",
	"/usr/lib/llvm%d/lib/libclang.so*",
};

char *kt_clang_text(struct kt_arena *arena, CXString string)
{
	const char *text = kt_clang.getCString(string);
	char *copy = kt_arena_strdup(arena, text != NULL ? text : "");
	kt_clang.disposeString(string);
	return copy;
}

static bool resolve(void *library)
{
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
		void *symbol = dlsym(library, functions[i].name);
		NEED(symbol, false);
		memcpy((char *)&kt_clang + functions[i].offset, &symbol, sizeof symbol);
	}
	void *unary = dlsym(library, "clang_getCursorUnaryOperatorKind");
	void *binary = dlsym(library, "clang_getCursorBinaryOperatorKind");
	memcpy(&kt_clang.getCursorUnaryOperatorKind, &unary, sizeof unary);
	memcpy(&kt_clang.getCursorBinaryOperatorKind, &binary, sizeof binary);
	return true;
}

/* "Debian clang version 19.1.7 (…)" → "19.1.7", 19. */
static bool read_version(const char **version, int *major, struct kt_arena *arena)
{
	char *text = kt_clang_text(arena, kt_clang.getClangVersion());
	const char *at = text != NULL ? strstr(text, "version ") : NULL;
	NEED(at, false);
	at += strlen("version ");
	*version = kt_arena_strndup(arena, at, strspn(at, "0123456789."));
	*major = (int)strtol(at, NULL, 10);
	return *version != NULL;
}

static bool try_library(const char *path, const char **version, int *major, struct kt_arena *arena)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	NEED(library, false);
	if (resolve(library) && read_version(version, major, arena) && *major >= KT_CLANG_OLDEST)
		return true;
	dlclose(library);
	return false;
}

static bool try_pattern(const char *pattern, const char **version, int *major, struct kt_arena *arena)
{
	if (strchr(pattern, '/') == NULL)
		return try_library(pattern, version, major, arena);
	glob_t found = {0};
	bool loaded = false;
	if (glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc && !loaded; i++)
			loaded = try_library(found.gl_pathv[i], version, major, arena);
	globfree(&found);
	return loaded;
}

/* "a%db%d" with both placeholders filled. */
static void fill(char *out, size_t size, const char *pattern, int number)
{
	size_t used = 0;
	for (const char *at = pattern; *at != '\0' && used + 12 < size; at++) {
		if (at[0] == '%' && at[1] == 'd') {
			used += (size_t)snprintf(out + used, size - used, "%d", number);
			at++;
		} else {
			out[used++] = *at;
		}
	}
	out[used] = '\0';
}

char *kt_clang_resources(struct kt_arena *arena)
{
	const char *relative = kt_arena_printf(arena, "lib/ktcc/llvm/lib/clang/%d", installed);
	return installed != 0 && relative != NULL ? kt_install_path(arena, relative) : NULL;
}

kt_status kt_clang_load(const char **version, int *major, struct kt_arena *arena, struct kt_error *err)
{
	const char *given = getenv("KTUNE_LIBCLANG");
	if (given != NULL && given[0] != '\0') {
		if (try_library(given, version, major, arena))
			return KT_OK;
		const char *why = dlerror();
		return kt_fail(err, KT_ERR_MISSING, "KTUNE_LIBCLANG=%s is no libclang %d or newer%s%s", given,
		               KT_CLANG_OLDEST, why != NULL ? ": " : "", why != NULL ? why : "");
	}
	/* One that was installed with this program, beside the headers of its version. */
	const char *ours = kt_install_path(arena, "lib/ktcc/llvm/lib/libclang.so");
	if (ours != NULL && kt_fs_is_file(ours) && try_library(ours, version, major, arena)) {
		installed = *major;
		return KT_OK;
	}
	for (int number = KT_CLANG_NEWEST; number >= KT_CLANG_OLDEST; number--)
		for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
			char name[128];
			fill(name, sizeof name, patterns[i], number);
			if (try_pattern(name, version, major, arena))
				return KT_OK;
		}
	return kt_fail(err, KT_ERR_MISSING,
	               "libclang %d or newer was not found; install libclang1-19 or set KTUNE_LIBCLANG", KT_CLANG_OLDEST);
}
