/*
 * Answers requests for a check. The context is parsed once and kept (its
 * headers as a preamble); each text is checked in a separate child process, under
 * limits: a text that crashes the front end ends that child alone.
 */
#include "check.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#include "base/fs.h"
#include "base/guard.h"
#include "base/proc.h"
#include "base/source.h"
#include "cuda.h"
#include "shadow.h"

#define SCOPE "namespace ktune_reply {\n"

#ifdef KT_HAS_SHADOW
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "use_sigaltstack=0";
}
#endif

struct kt_checks {
	struct kt_arena *arena; /* of the context */
	struct kt_scan_options options;
	char *folder;           /* of preambles: private; NULL: none */
	CXIndex index;
	struct CXUnsavedFile stand_ins[KT_CUDA_STAND_INS];
	unsigned stand_in_count;
	CXTranslationUnit unit;
	const char *context;    /* that the unit was parsed with */
};

bool kt_check_refuse(struct kt_check *check, const char *construct, uint32_t at, const char *message, ...)
{
	char text[1024];
	va_list arguments;

	if (check->construct != NULL)
		return false;
	va_start(arguments, message);
	(void)vsnprintf(text, sizeof text, message, arguments);
	va_end(arguments);
	check->construct = construct;
	check->message = kt_arena_strdup(check->arena, text);
	check->at = at;
	return false;
}

bool kt_check_is_known(const struct kt_check *check, const char *name, size_t length)
{
	for (size_t i = 0; i < check->known.count; i++) {
		const struct kt_token *token = &check->known.tokens[i];

		if (token->kind == KT_TOKEN_NAME && token->end - token->begin == length &&
		    memcmp(check->known.data + token->begin, name, length) == 0)
			return true;
	}
	return false;
}

/*
 * Loads and stores with a cache operator (sm_32_intrinsics.h): clang's headers take nvcc's place and have none of them.
 * Any overload that there is goes before a template.
 */
static const char cache_operators[] =
	"template <typename T> static __device__ T __ldcg(const T *); "
	"template <typename T> static __device__ T __ldca(const T *);\n"
	"template <typename T> static __device__ T __ldcs(const T *); "
	"template <typename T> static __device__ T __ldlu(const T *);\n"
	"template <typename T> static __device__ T __ldcv(const T *); "
	"template <typename T> static __device__ void __stwb(T *, T);\n"
	"template <typename T> static __device__ void __stcg(T *, T); "
	"template <typename T> static __device__ void __stcs(T *, T);\n"
	"template <typename T> static __device__ void __stwt(T *, T);\n";

/* The file that is parsed: context, namespaces, declarations of the kernels, macros, text.
 * Empty text: the context alone. */
static void build(struct kt_buf *out, struct kt_check *check)
{
	kt_buf_adds(out, check->context);
	kt_buf_addc(out, '\n');
	if (check->text == NULL)
		return;
	kt_buf_adds(out, cache_operators);
	kt_buf_adds(out, check->open);
	kt_buf_addc(out, '\n');
	check->scope_at = (uint32_t)(out->size + strlen("namespace "));
	kt_buf_adds(out, SCOPE);
	/* Static: a definition with the keyword and one without it both belong to this function. */
	for (size_t i = 0; i < check->kernel_count; i++) {
		const char *declaration = check->kernels[i].declaration;
		size_t header = kt_source_template_header(declaration, strlen(declaration));

		kt_buf_addf(out, "%.*s static %s;\n", (int)header, declaration, declaration + header);
	}
	for (size_t i = 0; i < check->parameter_count; i++)
		kt_buf_addf(out, "#undef %s\n#define %s %lld\n", check->parameters[i], check->parameters[i],
		            (long long)check->values[i]);
	check->text_at = (uint32_t)out->size;
	kt_buf_add(out, check->text, check->size);
	kt_buf_adds(out, "\n}\n");
	kt_buf_adds(out, check->close);
	kt_buf_addc(out, '\n');
}

static unsigned unsaved(struct CXUnsavedFile files[KT_CUDA_STAND_INS + 1], const struct kt_checks *s, const char *path,
                        const struct kt_buf *text)
{
	unsigned count = 0;

	files[count++] = (struct CXUnsavedFile){path, kt_buf_text(text), text->size};
	for (unsigned i = 0; i < s->stand_in_count; i++)
		files[count++] = s->stand_ins[i];
	return count;
}

static const char **build_arguments(struct kt_checks *s, size_t *count)
{
	const struct kt_cuda_reading reading = {s->options.toolkit, s->options.arch, false};
	const char *const own[] = {
	    kt_arena_printf(s->arena, "-ftemplate-depth=%d", KT_CHECK_TEMPLATE_DEPTH), "-fconstexpr-steps=100000",
	    "-fconstexpr-depth=64", "-fbracket-depth=256", "-working-directory",
	    s->options.directory != NULL ? s->options.directory : ".",
	};
	const size_t own_count = sizeof own / sizeof *own;
	const char **all = kt_arena_array(s->arena, own_count + s->options.argument_count, sizeof *all);

	for (size_t i = 0; all != NULL && i < own_count + s->options.argument_count; i++)
		all[i] = i < own_count ? own[i] : s->options.arguments[i - own_count];
	return all != NULL ? kt_cuda_arguments(s->arena, count, &reading, all, own_count + s->options.argument_count)
	                   : NULL;
}

/* Parses the context, unless the unit is of this one already. */
static kt_status prepare(struct kt_checks *s, struct kt_check *check, struct kt_error *err)
{
	struct kt_check alone = {.context = check->context};
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct CXUnsavedFile files[KT_CUDA_STAND_INS + 1];
	const char **arguments;
	const char *path;
	size_t count = 0;
	kt_status status = KT_OK;

	if (s->unit != NULL && strcmp(s->context, check->context) == 0)
		return KT_OK;
	if (s->unit != NULL)
		kt_clang.disposeTranslationUnit(s->unit);
	s->unit = NULL;
	s->context = kt_arena_strdup(s->arena, check->context);
	path = kt_path_absolute(s->arena, s->options.file, s->options.directory);
	s->stand_in_count = kt_cuda_stand_ins(s->stand_ins, s->arena, s->options.toolkit);
	arguments = build_arguments(s, &count);
	build(&text, &alone);
	if (s->context == NULL || path == NULL || arguments == NULL || text.failed)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for the context");
	else if (kt_clang.parseTranslationUnit2(
	             s->index, path, arguments, (int)count, files, unsaved(files, s, path, &text),
	             CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_PrecompiledPreamble |
	                 CXTranslationUnit_CreatePreambleOnFirstParse,
	             &s->unit) != CXError_Success)
		status = kt_fail(err, KT_ERR_CHILD, "libclang could not parse the context");
	kt_buf_free(&text);
	return status;
}

/* In the child: the text with its context, through all three looks. */
static void look(const struct kt_checks *s, struct kt_check *check)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const char *path = kt_path_absolute(check->arena, s->options.file, s->options.directory);
	struct CXUnsavedFile files[KT_CUDA_STAND_INS + 1];
	struct kt_error err;
	int code;

	if (!kt_check_text(check, &err))
		return;
	build(&text, check);
	if (path == NULL || text.failed) {
		kt_check_refuse(check, "context", 0, "out of memory");
		return;
	}
	check->unit = s->unit;
	code = kt_clang.reparseTranslationUnit(s->unit, unsaved(files, s, path, &text), files, 0);
	check->file = code == 0 ? kt_clang.getFile(s->unit, path) : NULL;
	if (check->file == NULL)
		kt_check_refuse(check, "too-complex", 0, "the front end of the compiler did not get through this text");
	else
		(void)kt_check_tree(check);
	kt_buf_free(&text);
}

/* Whole seconds, which is what a process can be limited to. */
static rlim_t seconds_of(const struct kt_check *check)
{
	return check->seconds > 0 && check->seconds < KT_CHECK_SECONDS ? (rlim_t)check->seconds + 1 : KT_CHECK_SECONDS;
}

/* Of this process and all children that have ended. */
static double used_s(void)
{
	double sum = 0;

	for (int i = 0; i < 2; i++) {
		struct rusage spent;

		if (getrusage(i == 0 ? RUSAGE_SELF : RUSAGE_CHILDREN, &spent) == 0)
			sum += (double)(spent.ru_utime.tv_sec + spent.ru_stime.tv_sec) +
			       (double)(spent.ru_utime.tv_usec + spent.ru_stime.tv_usec) * 1e-6;
	}
	return sum;
}

/* Makes the verdict in a child and appends its line; nothing when the child did not get through. */
static void fork_verdict(struct kt_buf *line, const struct kt_checks *s, struct kt_check *check)
{
	int ends[2];
	pid_t child;
	char bytes[65536];
	double until = kt_now_s() + 2 * (double)seconds_of(check);

	if (pipe(ends) != 0)
		return;
	child = fork();
	if (child == 0) {
		const struct rlimit seconds = {seconds_of(check), seconds_of(check)}, none = {0, 0};
		struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		(void)setrlimit(RLIMIT_CPU, &seconds);
		(void)setrlimit(RLIMIT_CORE, &none);
#ifndef KT_HAS_SHADOW
		const struct rlimit memory = {KT_CHECK_MEMORY, KT_CHECK_MEMORY};
		(void)setrlimit(RLIMIT_AS, &memory);
#endif
		/* A front end that crashes prints a long report. */
		if (null >= 0)
			(void)dup2(null, STDERR_FILENO);
		look(s, check);
		kt_json_print(&text, kt_check_verdict(check));
		for (size_t done = 0; !text.failed && done < text.size;) {
			ssize_t put = write(ends[1], text.data + done, text.size - done);

			if (put <= 0)
				_exit(1);
			done += (size_t)put;
		}
		_exit(text.failed ? 1 : 0);
	}
	close(ends[1]);
	for (ssize_t got = child > 0 ? 1 : 0; got > 0;) {
		struct pollfd wait = {ends[0], POLLIN, 0};
		double left = until - kt_now_s();

		if (left <= 0 || poll(&wait, 1, (int)(left * 1000) + 1) <= 0)
			break;
		got = read(ends[0], bytes, sizeof bytes);
		if (got > 0)
			kt_buf_add(line, bytes, (size_t)got);
	}
	close(ends[0]);
	if (child > 0) {
		int status;

		(void)kill(child, kt_now_s() >= until ? SIGKILL : 0);
		if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
			kt_buf_clear(line);
	}
}

/* What a text holds that a JSON string cannot bring along: cJSON ends it there. */
static bool has_nul(const struct kt_buf *line)
{
	return memmem(line->data, line->size, "\\u0000", 6) != NULL;
}

void kt_checks_answer(struct kt_buf *line, struct kt_checks *s, const cJSON *request, const struct kt_buf *text)
{
	struct kt_check check = {.arena = kt_arena_new(KT_ARENA_REGION_BYTES * 2)};
	const double before_s = used_s();
	cJSON *verdict = NULL;
	struct kt_error err;
	kt_status status;

	if (check.arena == NULL)
		return;
	status = kt_check_read(&check, request, &err);
	if (status == KT_OK && has_nul(text))
		kt_check_refuse(&check, "control-character", 0, "a control character (0)");
	else if (status == KT_OK)
		status = prepare(s, &check, &err);
	if (status == KT_OK && check.construct == NULL)
		fork_verdict(line, s, &check);
	if (status != KT_OK)
		kt_check_refuse(&check, "context", 0, "%s", err.message);
	else if (line->size == 0)
		kt_check_refuse(&check, "too-complex", 0, "the front end of the compiler did not get through this text");
	if (line->size == 0 && (verdict = kt_check_verdict(&check)) != NULL)
		kt_json_print(line, verdict);
	/* The last member, whichever program wrote the line. */
	if (line->size > 1 && line->data[line->size - 1] == '}') {
		line->size--;
		kt_buf_addf(line, ",\"cpu_s\":%.6f}", used_s() - before_s);
	}
	cJSON_Delete(verdict);
	kt_arena_free(check.arena);
}

/* Preambles are files, and a front end that is killed leaves its preamble on disk: this folder is removed in any case. */
static char *own_folder(struct kt_arena *arena)
{
	struct kt_error ignored;
	char *folder = NULL;

	if (kt_fs_temp_dir(&folder, arena, "ktcc-check", &ignored) != KT_OK)
		return NULL;
	kt_guard_directory(folder);
	(void)setenv("TMPDIR", folder, 1);
	return folder;
}

struct kt_checks *kt_checks_open(const struct kt_scan_options *options)
{
	struct kt_checks *s = calloc(1, sizeof *s);

	if (s == NULL || (s->arena = kt_arena_new(KT_ARENA_REGION_BYTES * 8)) == NULL) {
		free(s);
		return NULL;
	}
	s->options = *options;
	s->folder = own_folder(s->arena);
	s->index = kt_clang.createIndex(1, 0);
	return s;
}

void kt_checks_close(struct kt_checks *s)
{
	struct kt_error ignored;

	if (s == NULL)
		return;
	if (s->unit != NULL)
		kt_clang.disposeTranslationUnit(s->unit);
	kt_clang.disposeIndex(s->index);
	if (s->folder != NULL && kt_fs_remove_tree(s->folder, &ignored) == KT_OK)
		kt_guard_release_directory(s->folder);
	kt_arena_free(s->arena);
	free(s);
}
