#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "opencl/session.h"

#define LOG_BYTES ((size_t)1 << 20)
#define SHOWN_BYTES 900 /* of the log, in a detail */

static struct kt_ocl_program *find_program(struct kt_ocl *s, const char *path, const char *options,
                                           const struct kt_file_stamp *stamp)
{
	for (size_t i = 0; i < KT_OCL_PROGRAMS; i++) {
		struct kt_ocl_program *p = &s->programs[i];
		if (p->path && strcmp(p->path, path) == 0 && strcmp(p->options, options) == 0 &&
		    kt_fs_stamp_equal(&p->stamp, stamp))
			return p;
	}
	return NULL;
}

/* A slot without a program: a free one, else that of the program that was not used for longest. */
static kt_status free_slot(struct kt_ocl_program **out, struct kt_ocl *s, struct kt_error *err)
{
	struct kt_ocl_program *oldest = &s->programs[0];
	for (size_t i = 0; i < KT_OCL_PROGRAMS && oldest->path; i++) {
		if (!s->programs[i].path || s->programs[i].used < oldest->used)
			oldest = &s->programs[i];
	}
	kt_status status = oldest->path
	                       ? kt_ocl_check(s, s->cl.program_release(oldest->handle), "releasing a program", err)
	                       : KT_OK;
	free(oldest->path);
	free(oldest->options);
	*oldest = (struct kt_ocl_program){0};
	*out = oldest;
	return status;
}

/* The type that the log complains of and the device lacks; NULL: none. */
static const char *missing_type(const struct kt_device *device, const char *log)
{
	const struct {
		bool present;
		const char *words[2], *name;
	} types[] = {{device->fp16 != 0, {"half", "fp16"}, "fp16 (cl_khr_fp16)"},
	             {device->fp64 != 0, {"double", "fp64"}, "fp64 (cl_khr_fp64)"}};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		if (!types[i].present && (strstr(log, types[i].words[0]) || strstr(log, types[i].words[1])))
			return types[i].name;
	}
	return NULL;
}

static kt_status build_failed(struct kt_ocl *s, kt_cl_handle program, kt_cl_result result, struct kt_error *err)
{
	size_t size = 0;
	char *log = NULL;
	if (!s->cl.build_info(program, s->device_handle, KT_CL_PROGRAM_LOG, 0, NULL, &size) && size < LOG_BYTES)
		log = calloc(size + 1, 1);
	if (log && s->cl.build_info(program, s->device_handle, KT_CL_PROGRAM_LOG, size, log, NULL))
		*log = 0;
	const char *type = log ? missing_type(&s->engine.device, log) : NULL;
	const char *shown = log ? strstr(log, "error") : NULL;
	/* From the start of the line with the first error: warnings before it explain nothing. */
	while (shown && shown > log && shown[-1] != '\n')
		shown--;
	/* A compiler that lays out local memory at once reports what others leave to the launch. */
	bool over = type || (log && strstr(log, "too much shared data"));
	s->fault = (struct kt_fault){over ? KT_VERDICT_OVER_LIMIT : KT_VERDICT_NO_COMPILE, false};
	kt_status status = kt_fail(err, KT_ERR_CHILD, "%s%s%s%.*s", type ? "the device has no " : "", type ? type : "",
	                           type ? "\n" : "", SHOWN_BYTES,
	                           shown && *shown ? shown : log && *log ? log : kt_cl_name(result));
	free(log);
	return status;
}

/* Neither text nor a container of code starts with these by accident. */
static bool is_binary(const struct kt_buf *content)
{
	return memchr(kt_buf_text(content), 0, content->size) != NULL;
}

static kt_status create(kt_cl_handle *out, struct kt_ocl *s, const struct kt_buf *content, struct kt_error *err)
{
	kt_cl_result result = 0, each = 0;
	const char *text = kt_buf_text(content);
	if (is_binary(content)) {
		const unsigned char *binary = (const unsigned char *)text;
		*out = s->cl.program_binary(s->context, 1, &s->device_handle, &content->size, &binary, &each, &result);
	} else {
		*out = s->cl.program_source(s->context, 1, &text, &content->size, &result);
	}
	return kt_ocl_check(s, result, "creating a program", err);
}

static kt_status load(struct kt_ocl_program **out, struct kt_ocl *s, const char *path, const char *options,
                      const struct kt_file_stamp *stamp, struct kt_error *err)
{
	struct kt_buf content = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_ocl_program *slot = NULL;
	kt_cl_handle handle = NULL;
	kt_status status = kt_fs_read(&content, path, err);
	THEN(status, free_slot(&slot, s, err));
	THEN(status, create(&handle, s, &content, err));
	if (!status) {
		const double begin_s = kt_now_s();
		kt_cl_result result = s->cl.program_build(handle, 1, &s->device_handle, options, NULL, NULL);
		s->engine.compiled_s += kt_now_s() - begin_s;
		status = result ? build_failed(s, handle, result, err) : KT_OK;
	}
	if (!status) {
		slot->path = strdup(path);
		slot->options = strdup(options);
		slot->stamp = *stamp;
		slot->handle = handle;
		if (!slot->path || !slot->options)
			status = kt_no_memory(err);
	}
	if (status && slot) {
		free(slot->path);
		free(slot->options);
		*slot = (struct kt_ocl_program){0};
		if (handle)
			(void)s->cl.program_release(handle);
	}
	kt_buf_free(&content);
	*out = slot;
	return status;
}

/* Limits of a kernel; a driver that does not know one leaves the default. */
static kt_status describe(struct kt_function *out, struct kt_ocl *s, kt_cl_handle kernel, struct kt_error *err)
{
	uint64_t local = 0, private_bytes = 0;
	uint32_t arguments = (uint32_t)s->engine.region->argument_count;
	kt_cl_handle d = s->device_handle;
	*out = (struct kt_function){.handle = kernel, .most_threads = (size_t)s->engine.device.max_threads_per_block};
	(void)s->cl.kernel_info(kernel, KT_CL_KERNEL_ARGUMENTS, sizeof arguments, &arguments, NULL);
	(void)s->cl.kernel_device_info(kernel, d, KT_CL_KERNEL_WORK_GROUP_SIZE, sizeof out->most_threads,
	                               &out->most_threads, NULL);
	(void)s->cl.kernel_device_info(kernel, d, KT_CL_KERNEL_FIXED_SIZE, sizeof out->fixed_block, out->fixed_block, NULL);
	(void)s->cl.kernel_device_info(kernel, d, KT_CL_KERNEL_LOCAL_BYTES, sizeof local, &local, NULL);
	(void)s->cl.kernel_device_info(kernel, d, KT_CL_KERNEL_PRIVATE_BYTES, sizeof private_bytes, &private_bytes, NULL);
	out->shared_bytes = (int64_t)local;
	out->local_bytes = (int64_t)private_bytes;
	if (arguments != s->engine.region->argument_count) {
		s->fault = (struct kt_fault){KT_VERDICT_NO_COMPILE, false};
		return kt_fail(err, KT_ERR_INVALID, "the kernel has %u arguments instead of %zu", arguments,
		               s->engine.region->argument_count);
	}
	return KT_OK;
}

static void release_from(struct kt_ocl *s, size_t first)
{
	for (size_t i = first; i < s->kernel_count; i++)
		(void)s->cl.kernel_release(s->kernels[i]);
	s->kernel_count = s->kernel_count < first ? s->kernel_count : first;
}

void kt_ocl_release(void *device)
{
	release_from(device, 1);
}

kt_status kt_ocl_load(struct kt_function *out, void *device, const char *path, const char *options,
                      const char *function, bool original, struct kt_error *err)
{
	struct kt_ocl *s = device;
	struct kt_file_stamp stamp;
	kt_cl_result result = 0;
	if (original)
		release_from(s, 0);
	s->fault = (struct kt_fault){KT_VERDICT_NO_COMPILE, false};
	kt_status status = kt_fs_stamp(&stamp, path, err);
	if (status)
		return kt_fail_prefix(err, "program");
	struct kt_ocl_program *p = find_program(s, path, options, &stamp);
	if (!p) {
		status = load(&p, s, path, options, &stamp, err);
		if (status)
			return status;
	}
	p->used = ++s->clock;
	kt_cl_handle kernel = s->cl.kernel_create(p->handle, function, &result);
	status = kt_ocl_check(s, result, function, err);
	if (status)
		return status;
	memset(s->launched[s->kernel_count], 0, sizeof s->launched[0]);
	s->kernels[s->kernel_count++] = kernel;
	return describe(out, s, kernel, err);
}

kt_status kt_ocl_admit(void *device, const struct kt_function *function, const struct kt_geometry *g,
                       struct kt_error *err)
{
	struct kt_ocl *s = device;
	const struct kt_device *d = &s->engine.device;
	int64_t items = 1, local = function->shared_bytes + g->shared_bytes;
	s->fault = (struct kt_fault){KT_VERDICT_OVER_LIMIT, false};
	for (size_t i = 0; i < 3; i++) {
		if (g->block[i] < 1 || g->block[i] > d->max_block[i])
			return kt_fail(err, KT_ERR_INVALID, "local size %zu is %lld, allowed are 1 to %lld", i,
			               (long long)g->block[i], (long long)d->max_block[i]);
		if (g->grid[i] < 1 || g->grid[i] > d->max_grid[i])
			return kt_fail(err, KT_ERR_INVALID, "%lld work-groups in dimension %zu, allowed are 1 to %lld",
			               (long long)g->grid[i], i, (long long)d->max_grid[i]);
		if (function->fixed_block[0] && (size_t)g->block[i] != function->fixed_block[i])
			return kt_fail(err, KT_ERR_INVALID, "local size %zu is %lld, the kernel was written for %zu", i,
			               (long long)g->block[i], function->fixed_block[i]);
		items *= g->block[i];
	}
	if ((uint64_t)items > function->most_threads)
		return kt_fail(err, KT_ERR_INVALID, "%lld work-items a work-group, the kernel allows %zu", (long long)items,
		               function->most_threads);
	if (g->shared_bytes < 0 || local > d->shared_bytes_per_block)
		return kt_fail(err, KT_ERR_INVALID, "%lld bytes of local memory, the device has %lld", (long long)local,
		               (long long)d->shared_bytes_per_block);
	return KT_OK;
}
