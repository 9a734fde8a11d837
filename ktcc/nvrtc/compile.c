#include "nvrtc/compile.h"

#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/proc.h"
#include "nvrtc/headers.h"

/* Most options of a request; most headers that are missing and taken as empty; most that the log is kept of. */
enum { OPTIONS_MOST = 4096, ABSENT_MOST = 256, LOG_BYTES = 64 << 10 };

/* What each unit gets besides its request's options: unannotated functions of a slice are the device's. */
static const char *const common[] = {"-default-device", "-include=" KT_NVRTC_FIRST};
enum { COMMON = sizeof common / sizeof *common };

/* Those that make it keep what headers come to, for the next unit that begins in the same way; since release 12.8. */
enum { PRECOMPILED = 3, PRECOMPILED_MAJOR = 12, PRECOMPILED_MINOR = 8 };

struct job {
	struct kt_arena *arena;
	const char *source, *name, *cubin;
	bool ptx; /* goes where the cubin would */
	size_t option_count, header_count, absent_count, given_absent;
	const char **options;
	const char **names, **texts; /* of headers: the table's, then those that are absent */
	bool learns;                 /* a missing header is taken as empty */
	bool cccl_integers;
};

static const char no_memory[] = "out of memory";

static kt_status text_of(const char **out, const cJSON *request, const char *name, struct kt_error *err)
{
	*out = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(request, name));
	return *out != NULL ? KT_OK : kt_fail(err, KT_ERR_INVALID, "/%s: a text is expected", name);
}

static void add_absent(struct job *job, const char *name)
{
	job->names[job->header_count] = name;
	job->texts[job->header_count++] = "";
	job->absent_count++;
}

static kt_status read_lists(struct job *job, const cJSON *request, struct kt_error *err)
{
	const cJSON *options = cJSON_GetObjectItemCaseSensitive(request, "options");
	const cJSON *absent = cJSON_GetObjectItemCaseSensitive(request, "absent"), *item;
	const int count = cJSON_GetArraySize(options);
	size_t table_count;
	const struct kt_nvrtc_header *table = kt_nvrtc_headers(&table_count);

	if (!cJSON_IsArray(options) || count > OPTIONS_MOST || cJSON_GetArraySize(absent) > ABSENT_MOST)
		return kt_fail(err, KT_ERR_INVALID, "/options, /absent: lists of at most %d and %d texts are expected",
			       OPTIONS_MOST, ABSENT_MOST);
	job->options = kt_arena_array(job->arena, (size_t)count + COMMON + PRECOMPILED + 1, sizeof *job->options);
	job->names = kt_arena_array(job->arena, table_count + ABSENT_MOST, sizeof *job->names);
	job->texts = kt_arena_array(job->arena, table_count + ABSENT_MOST, sizeof *job->texts);
	if (job->options == NULL || job->names == NULL || job->texts == NULL)
		return kt_fail(err, KT_ERR_MEMORY, no_memory);
	memcpy(job->options, common, sizeof common);
	job->option_count = COMMON;
	cJSON_ArrayForEach(item, options)
	{
		if (!cJSON_IsString(item))
			return kt_fail(err, KT_ERR_INVALID, "/options/%zu: a text is expected",
				       job->option_count - COMMON);
		job->options[job->option_count++] = item->valuestring;
	}
	for (size_t i = 0; i < table_count; i++) {
		job->names[job->header_count] = table[i].name;
		job->texts[job->header_count++] = table[i].text;
	}
	cJSON_ArrayForEach(item, absent)
	{
		if (!cJSON_IsString(item))
			return kt_fail(err, KT_ERR_INVALID, "/absent/%zu: a text is expected", job->absent_count);
		add_absent(job, item->valuestring);
	}
	job->given_absent = job->absent_count;
	return KT_OK;
}

/* Precompiled headers are usable only in the process that made them: each process has a separate folder. */
static kt_status add_precompiled(struct job *job, const struct kt_nvrtc *nvrtc, const cJSON *request,
                                 struct kt_error *err)
{
	const char *folder = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(request, "headers"));
	char *own;

	if (folder == NULL || nvrtc->major < PRECOMPILED_MAJOR ||
	    (nvrtc->major == PRECOMPILED_MAJOR && nvrtc->minor < PRECOMPILED_MINOR))
		return KT_OK;
	NEED(own = kt_arena_printf(job->arena, "%s/%d", folder, (int)getpid()), kt_fail(err, KT_ERR_MEMORY, no_memory));
	TRY(kt_fs_mkdirs(own, err));
	NEED(own = kt_arena_printf(job->arena, "--pch-dir=%s", own), kt_fail(err, KT_ERR_MEMORY, no_memory));
	job->options[job->option_count++] = "--pch";
	job->options[job->option_count++] = "--pch-messages=false";
	job->options[job->option_count++] = own;
	return KT_OK;
}

/* A #line in front of the headers would keep them from being precompiled: the unit gets the name that the first one gives. */
static const char *without_line(const struct job *job, const char *text)
{
	const char *line = kt_arena_printf(job->arena, "#line 1 \"%s\"\n", job->name);

	return line != NULL && strncmp(text, line, strlen(line)) == 0 ? text + strlen(line) : text;
}

static kt_status compile_error(const struct kt_nvrtc *nvrtc, int result, const char *what, struct kt_error *err)
{
	return kt_fail(err, result == NVRTC_ERROR_OUT_OF_MEMORY ? KT_ERR_MEMORY : KT_ERR_CHILD, "%s: %s", what,
		       nvrtc->GetErrorString(result));
}

static kt_status read_log(struct kt_buf *out, const struct kt_nvrtc *nvrtc, nvrtcProgram program, struct job *job,
			  struct kt_error *err)
{
	size_t size = 0;
	int result = nvrtc->GetProgramLogSize(program, &size);
	char *text;

	kt_buf_clear(out);
	if (result != NVRTC_SUCCESS)
		return compile_error(nvrtc, result, "its messages", err);
	NEED(text = kt_arena_alloc(job->arena, size + 1), kt_fail(err, KT_ERR_MEMORY, no_memory));
	result = nvrtc->GetProgramLog(program, text);
	if (result != NVRTC_SUCCESS)
		return compile_error(nvrtc, result, "its messages", err);
	size = strnlen(text, size);
	kt_buf_add(out, text, size < LOG_BYTES ? size : LOG_BYTES);
	return KT_OK;
}

static kt_status write_code(const struct kt_nvrtc *nvrtc, nvrtcProgram program, struct job *job, struct kt_error *err)
{
	const char *what = job->ptx ? "its PTX" : "its cubin";
	size_t size = 0;
	int result = job->ptx ? nvrtc->GetPTXSize(program, &size) : nvrtc->GetCUBINSize(program, &size);
	char *data;

	if (result != NVRTC_SUCCESS || size == 0)
		return compile_error(nvrtc, result, what, err);
	NEED(data = kt_arena_alloc(job->arena, size), kt_fail(err, KT_ERR_MEMORY, no_memory));
	result = job->ptx ? nvrtc->GetPTX(program, data) : nvrtc->GetCUBIN(program, data);
	if (result != NVRTC_SUCCESS)
		return compile_error(nvrtc, result, what, err);
	return kt_fs_write(job->cubin, data, job->ptx ? strnlen(data, size) : size, err);
}

/* Compiles once. *ok: there is a cubin; else the log has the reason. */
static kt_status attempt(bool *ok, struct kt_buf *log, const struct kt_nvrtc *nvrtc, struct job *job,
			 struct kt_error *err)
{
	nvrtcProgram program = NULL;
	int result =
	    nvrtc->CreateProgram(&program, job->source, job->name, (int)job->header_count, job->texts, job->names);
	kt_status status;

	*ok = false;
	if (result != NVRTC_SUCCESS)
		return compile_error(nvrtc, result, "the program", err);
	result = nvrtc->CompileProgram(program, (int)job->option_count, job->options);
	if (result == NVRTC_ERROR_OUT_OF_MEMORY)
		status = compile_error(nvrtc, result, "compiling", err);
	else
		status = read_log(log, nvrtc, program, job, err);
	if (status == KT_OK && result != NVRTC_SUCCESS && log->size == 0)
		kt_buf_adds(log, nvrtc->GetErrorString(result));
	if (status == KT_OK && result == NVRTC_SUCCESS)
		status = write_code(nvrtc, program, job, err);
	*ok = status == KT_OK && result == NVRTC_SUCCESS;
	nvrtc->DestroyProgram(&program);
	return status;
}

/* The header that could not be opened: true when it is now taken as empty. */
static bool learn_absent(struct job *job, const char *log)
{
	static const char mark[] = "cannot open source file \"";
	const char *at = strstr(log, mark);
	char *name;

	if (at == NULL || job->absent_count == ABSENT_MOST)
		return false;
	at += sizeof mark - 1;
	name = kt_arena_strndup(job->arena, at, strcspn(at, "\"\n"));
	if (name == NULL || name[0] == '\0')
		return false;
	for (size_t i = 0; i < job->header_count; i++)
		if (strcmp(job->names[i], name) == 0)
			return false;
	add_absent(job, name);
	return true;
}

/* CCCL's own fixed-width integers contradict ours: true when theirs are taken from now on. */
static bool learn_integers(struct job *job, const char *log)
{
	if (job->cccl_integers || strstr(log, "cuda/std/cstdint") == NULL || strstr(log, "redeclaration") == NULL)
		return false;
	job->cccl_integers = true;
	job->options[job->option_count++] = "-DKTUNE_CCCL_INTEGERS";
	return true;
}

static void answer(struct kt_buf *out, const struct job *job, bool ok, const struct kt_buf *log, double seconds)
{
	kt_buf_addf(out, "{\"ok\":%s,\"seconds\":%.4f,\"log\":", ok ? "true" : "false", seconds);
	kt_buf_addjson(out, kt_buf_text(log));
	if (job->learns) {
		kt_buf_addf(out, ",\"cccl_integers\":%s,\"absent\":[", job->cccl_integers ? "true" : "false");
		for (size_t i = job->header_count - job->absent_count; i < job->header_count; i++) {
			if (i > job->header_count - job->absent_count)
				kt_buf_addc(out, ',');
			kt_buf_addjson(out, job->names[i]);
		}
		kt_buf_addc(out, ']');
	}
	kt_buf_addc(out, '}');
}

kt_status kt_nvrtc_compile(struct kt_buf *out, const struct kt_nvrtc *nvrtc, const cJSON *request, struct kt_error *err)
{
	struct kt_buf source = KT_BUF(KT_LIMIT_SOURCE_BYTES), log = KT_BUF(LOG_BYTES + 1);
	struct job job = {.arena = kt_arena_new(KT_LIMIT_MESSAGE_BYTES * 8)};
	const double begin_s = kt_now_s();
	const char *path;
	bool ok = false;
	kt_status status = job.arena != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, no_memory);

	THEN(status, text_of(&path, request, "source", err));
	THEN(status, text_of(&job.name, request, "name", err));
	THEN(status, text_of(&job.cubin, request, "cubin", err));
	THEN(status, kt_json_bool_or(&job.learns, request, "learns", false, err));
	THEN(status, kt_json_bool_or(&job.ptx, request, "ptx", false, err));
	THEN(status, read_lists(&job, request, err));
	THEN(status, add_precompiled(&job, nvrtc, request, err));
	THEN(status, kt_fs_read(&source, path, err));
	job.source = status == KT_OK ? without_line(&job, kt_buf_text(&source)) : NULL;
	do {
		THEN(status, attempt(&ok, &log, nvrtc, &job, err));
	} while (status == KT_OK && !ok && job.learns &&
		 (learn_absent(&job, kt_buf_text(&log)) || learn_integers(&job, kt_buf_text(&log))));
	if (status == KT_OK)
		answer(out, &job, ok, &log, kt_now_s() - begin_s);
	kt_buf_free(&source);
	kt_buf_free(&log);
	kt_arena_free(job.arena);
	return status;
}
