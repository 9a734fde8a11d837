#include "launch/run.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/proc.h"

#define SCRIPT_BYTES ((size_t)64 << 10) /* a longer one is no script that only passes words on */
#define DEPTH_MOST 8

/* Is the file at path this very program? (also through links, for a ktcc that is installed under the name nvcc) */
static bool is_self(const char *path)
{
	char program[PATH_MAX];
	struct stat self, other;

	return kt_path_self(program) && stat(program, &self) == 0 && stat(path, &other) == 0 &&
	       self.st_dev == other.st_dev && self.st_ino == other.st_ino;
}

/* The first program of that name along PATH that is not ktcc; NULL when there is none. */
static char *next_program(const char *name)
{
	const char *path = getenv("PATH");
	char candidate[4096];

	while (path != NULL && *path != '\0') {
		size_t length = strcspn(path, ":");

		if (length != 0 && length + strlen(name) + 2 < sizeof candidate) {
			snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, name);
			if (access(candidate, X_OK) == 0 && kt_fs_is_file(candidate) && !is_self(candidate))
				return strdup(candidate);
		}
		path += length;
		path += *path == ':';
	}
	return NULL;
}

char *kt_run_behind(const char *name)
{
	const char *base = kt_path_basename(name);
	struct kt_arena *arena = strncmp(base, "ktcc", 4) != 0 ? kt_arena_new(1 << 20) : NULL;
	char *found = arena != NULL ? kt_path_find_program(arena, name) : NULL;
	char *next = found != NULL && is_self(found) ? next_program(base) : NULL;

	kt_arena_free(arena);
	return next;
}

bool kt_run_below_cache(void)
{
	static const char *const caches[] = {"ccache", "sccache", "cachepot", "buildcache"};
	char link[64], parent[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof link, "/proc/%ld/exe", (long)getppid());
	length = readlink(link, parent, sizeof parent - 1);
	parent[length > 0 ? length : 0] = '\0';
	return kt_has_text(caches, sizeof caches / sizeof *caches, kt_path_basename(parent));
}

/* Is it a script that has to do with ktcc? Any other one cannot lead back here, and gets its environment untouched. */
static bool may_come_back(const char *program)
{
	struct kt_buf text = KT_BUF(SCRIPT_BYTES);
	struct kt_error ignored;
	const bool may = kt_fs_is_script(program) && kt_fs_read(&text, program, &ignored) == KT_OK &&
	                 strstr(kt_buf_text(&text), "ktcc") != NULL;

	kt_buf_free(&text);
	return may;
}

/* How many such scripts were run, one out of another; that far none comes that ends. */
static bool goes_round(const char *program)
{
	const char *before = getenv("KTUNE_DEPTH");
	const long depth = before != NULL ? strtol(before, NULL, 10) : 0;
	char text[32];

	if (!may_come_back(program))
		return false;
	snprintf(text, sizeof text, "%ld", depth + 1);
	return depth >= DEPTH_MOST || setenv("KTUNE_DEPTH", text, 1) != 0;
}

int kt_run_exec(char *const *argv)
{
	struct kt_arena *arena = kt_arena_new(1 << 20);
	char *found = arena != NULL ? kt_path_find_program(arena, argv[0]) : NULL;

	if (found != NULL && is_self(found)) {
		const char *base = kt_path_basename(argv[0]);
		char *next = strcmp(base, "ktcc") != 0 ? next_program(base) : NULL;

		/* "ktcc ktcc nvcc": the inner one does the work. A ktcc called nvcc looks for the real one after it on PATH. */
		if (next != NULL)
			execv(next, argv);
		else if (strcmp(base, "ktcc") == 0 && argv[1] != NULL)
			execv(found, argv);
		fprintf(stderr, "ktcc: %s is ktcc itself and there is no other\n", argv[0]);
		free(next);
		kt_arena_free(arena);
		return 127;
	}
	if (found != NULL && goes_round(found)) {
		fprintf(stderr, "ktcc: %s runs ktcc, which runs it again: it has to name the real compiler\n", found);
		kt_arena_free(arena);
		return 127;
	}
	if (found != NULL)
		execv(found, argv);
	else
		errno = ENOENT;
	fprintf(stderr, "ktcc: %s: %s%s\n", argv[0], strerror(errno),
	        found == NULL && strchr(argv[0], '/') == NULL ? " in PATH, and no verb (ktcc --help)" : "");
	kt_arena_free(arena);
	return 127;
}

static int code_of(kt_status status, const struct kt_proc_result *result, const struct kt_error *err)
{
	if (status != KT_OK) {
		fprintf(stderr, "ktcc: %s\n", err->message);
		return 127;
	}
	return result->signalled ? KT_RUN_KILLED + result->code : result->code;
}

int kt_run_wait(char *const *argv)
{
	struct kt_proc_options options = {.inherit_output = true, .same_group = true};
	struct kt_proc_result result;
	struct kt_error err;
	kt_status status = kt_proc_run(&result, argv, &options, NULL, NULL, &err);

	return code_of(status, &result, &err);
}

int kt_run_held(bool *interrupted, char *const *argv, struct kt_buf *out, struct kt_buf *errors)
{
	/* Compilers colour what goes to a terminal; where ours goes to one, so will what is held back. */
	struct kt_proc_options options = {.same_group = true, .terminal_errors = isatty(STDERR_FILENO) == 1};
	struct kt_proc_result result = {0};
	struct kt_error err;
	kt_status status = kt_proc_run(&result, argv, &options, out, errors, &err);

	*interrupted = result.interrupted_by != 0;
	return code_of(status, &result, &err);
}

int kt_run_finish(int code)
{
	const struct rlimit no_core = {0, 0};
	int number = code - KT_RUN_KILLED;
	sigset_t one;

	if (code < KT_RUN_KILLED)
		return code;
	/* The compiler's own core dump is the one that is of use. */
	setrlimit(RLIMIT_CORE, &no_core);
	signal(number, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(number);
	return 128 + number;
}
