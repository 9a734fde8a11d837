/*
 * ktcc-nvrtc: compiles candidates with NVRTC, one after another, in a separate
 * process: the library may crash, hang or ask for all memory, and ktcc goes
 * on. One JSON line in, one out: docs/protocol.md. It ends with its
 * standard input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "nvrtc/compile.h"

enum { EXIT_USAGE_ERROR = 2, EXIT_NO_LIBRARY = 3 };

/* What a sanitizer reserves of the address space is beyond any limit. */
#ifdef __SANITIZE_ADDRESS__
static const bool may_limit = false;
#else
static const bool may_limit = true;
#endif

static bool limit_memory(const char *text)
{
	char *end;
	const unsigned long long bytes = strtoull(text, &end, 10);
	const struct rlimit limit = {.rlim_cur = (rlim_t)bytes, .rlim_max = (rlim_t)bytes};

	if (end == text || *end != '\0' || bytes == 0)
		return false;
	return !may_limit || setrlimit(RLIMIT_AS, &limit) == 0;
}

/* The compiler may print: its output must not be taken for an answer. */
static FILE *take_stdout(void)
{
	const int fd = dup(STDOUT_FILENO);
	FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (out != NULL && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		return out;
	return NULL;
}

static bool say(FILE *to, const struct kt_buf *line)
{
	return fprintf(to, "%s\n", kt_buf_text(line)) > 0 && fflush(to) == 0;
}

static void say_error(struct kt_buf *out, const struct kt_error *err)
{
	kt_buf_clear(out);
	kt_buf_addf(out, "{\"%s\":true,\"error\":", err->code == KT_ERR_MEMORY ? "memory" : "failed");
	kt_buf_addjson(out, err->message);
	kt_buf_addc(out, '}');
}

static int serve(const struct kt_nvrtc *nvrtc, FILE *to)
{
	char *line = NULL;
	size_t capacity = 0;
	ssize_t size;
	bool going = true;

	while (going && (size = getline(&line, &capacity, stdin)) > 0 && (size_t)size <= KT_LIMIT_MESSAGE_BYTES) {
		struct kt_buf out = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
		cJSON *request = NULL;
		struct kt_error err;
		kt_status status = kt_json_parse(&request, line, (size_t)size, &err);

		THEN(status, kt_nvrtc_compile(&out, nvrtc, request, &err));
		THEN(status, kt_buf_check(&out, "an answer", &err));
		if (status != KT_OK)
			say_error(&out, &err);
		going = say(to, &out);
		cJSON_Delete(request);
		kt_buf_free(&out);
	}
	free(line);
	return 0;
}

int main(int argc, char **argv)
{
	struct kt_buf hello = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_nvrtc nvrtc;
	struct kt_error err;
	FILE *to = take_stdout();
	int code = EXIT_NO_LIBRARY;

	if (argc != 3 || to == NULL || !limit_memory(argv[2])) {
		fputs("usage: ktcc-nvrtc LIBRARY BYTES\n", stderr);
		return EXIT_USAGE_ERROR;
	}
	/* Quoted includes are searched beside the unit, which is in no folder. */
	if (chdir("/") != 0)
		return EXIT_USAGE_ERROR;
	if (kt_nvrtc_load(&nvrtc, argv[1], &err) == KT_OK) {
		kt_buf_addf(&hello, "{\"nvrtc\":\"%d.%d\"}", nvrtc.major, nvrtc.minor);
		code = say(to, &hello) ? serve(&nvrtc, to) : 0;
	} else {
		say_error(&hello, &err);
		(void)say(to, &hello);
	}
	kt_buf_free(&hello);
	return code;
}
