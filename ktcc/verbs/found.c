#include "verbs/found.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <cjson/cJSON.h>
#include <sodium.h>
#include <sqlite3.h>
#include <zstd.h>

#include "base/fs.h"
#include "base/passes.h"
#include "base/proc.h"
#include "store/store.h"

/* What a program prints; false: it cannot be started, or it fails. */
static bool answers(struct kt_buf *out, const char *const *argv)
{
	struct kt_proc_result result;
	struct kt_error err;

	return kt_proc_run(&result, (char *const *)argv, NULL, out, out, &err) == KT_OK && !result.signalled &&
	       result.code == 0;
}

/* The program itself knows where it looks. */
const char *kt_found_clang(bool *found, struct kt_arena *arena)
{
	const char *argv[] = {kt_install_path(arena, "libexec/ktcc/ktcc-clang"), "version", NULL};
	struct kt_buf out = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	char *text = NULL;

	*found = argv[0] != NULL && answers(&out, argv);
	while (out.size != 0 && out.data[out.size - 1] == '\n')
		out.data[--out.size] = '\0';
	text = kt_arena_strdup(arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return text;
}

const char *kt_found_nvcc(struct kt_arena *arena)
{
	const char *argv[] = {kt_path_find_program(arena, "nvcc"), "--version", NULL};
	struct kt_buf out = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	const char *release, *text = argv[0];

	if (argv[0] != NULL && answers(&out, argv) && (release = strstr(kt_buf_text(&out), "release ")) != NULL)
		text = kt_arena_printf(arena, "%s, %.*s", argv[0], (int)strcspn(release, "\n"), release);
	kt_buf_free(&out);
	return text;
}

/* The rest of the first line of a file that begins so, without quotes; NULL: there is none. */
static const char *line_of(struct kt_arena *arena, const char *path, const char *begins)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error ignored;
	char *line, *rest = NULL, *found = NULL;

	if (kt_fs_read(&text, path, &ignored) == KT_OK && text.size != 0)
		for (line = strtok_r(text.data, "\n", &rest); line != NULL && found == NULL;
		     line = strtok_r(NULL, "\n", &rest))
			if (strncmp(line, begins, strlen(begins)) == 0) {
				line += strlen(begins) + (line[strlen(begins)] == '"');
				found = kt_arena_strndup(arena, line, strcspn(line, "\""));
			}
	kt_buf_free(&text);
	return found;
}

static void print_system(struct kt_arena *arena)
{
	const char *system = line_of(arena, "/etc/os-release", "PRETTY_NAME=");
	const char *driver = line_of(arena, "/proc/driver/nvidia/version", "NVRM version: ");
	struct utsname name;

	if (uname(&name) == 0)
		printf("system     %s, %s %s %s, glibc %s\n", system != NULL ? system : "unknown", name.sysname,
		       name.release, name.machine, gnu_get_libc_version());
	printf("driver     %s\n", driver != NULL ? driver : "none");
}

void kt_version_print(void)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_formats formats = kt_store_formats();
	const char *clang, *nvcc;
	bool found;

	puts("ktcc " KT_VERSION);
	if (arena == NULL)
		return;
	clang = kt_found_clang(&found, arena);
	nvcc = kt_found_nvcc(arena);
	printf("built      %s, by %s %s\n", KT_BUILD_TYPE, KT_COMPILER_NAME, __VERSION__);
	printf("libraries  SQLite %s, cJSON %s, libsodium %s, zstd %s\n", sqlite3_libversion(), cJSON_Version(),
	       sodium_version_string(), ZSTD_versionString());
	printf("formats    entry %d, store %d, passes", formats.entry, formats.schema);
#define PRINT_PASS(name, version) printf(" %s.%d", name, version);
	KT_PASSES(PRINT_PASS)
#undef PRINT_PASS
	printf("\nlibclang   %s\n", clang != NULL ? clang : "none");
	printf("nvcc       %s\n", nvcc != NULL ? nvcc : "none in PATH");
	print_system(arena);
	kt_arena_free(arena);
}
