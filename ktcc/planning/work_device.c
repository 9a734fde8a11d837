/* The device: the process that has it open, what it needs to measure, and what compiles for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/guard.h"
#include "base/jobserver.h"
#include "base/log.h"
#include "planning/copy_curves.h"
#include "planning/work_internal.h"
#include "tuning/unit.h"

/* Most candidates in one translation unit: beyond it the first result comes late. */
enum { BATCH_MOST = 32 };

/* While the compiler of the runner's kernels is waited for, others are looked after. */
static const double poll_s = 0.02;

/* A recording's device is not this machine's; OpenCL devices come and go with packages and are asked each time. */
static bool remembers_device(const struct kt_work *work)
{
	return work->input.store != NULL && work->input.config->replay == NULL &&
	       kt_target_of(work->input.language)->has_compiler;
}

/* The letter of sm_90a, where the command compiles that architecture so. */
static char feature_of(const struct kt_work *work, int64_t arch)
{
	const struct kt_work_input *input = &work->input;

	for (size_t i = 0; i < input->architecture_count && input->features != NULL; i++)
		if (input->architectures[i] == arch)
			return input->features[i];
	return arch == input->read_architecture ? input->read_feature : '\0';
}

kt_status kt_work_compile(struct kt_compile *out, struct kt_work *work, int64_t arch, struct kt_error *err)
{
	char *units;

	if (work->scratch == NULL) {
		char *path;

		kt_guard_start();
		TRY(kt_fs_temp_dir(&path, work->arena, "ktcc", err));
		work->scratch = path;
		kt_guard_directory(path);
	}
	/* Quoted includes are looked up beside a unit first: the private folder is deep enough that none leads out of it. */
	NEED(units = kt_path_join(work->arena, work->scratch, "up/up/up/up/up/up/up/up/up/up/up/up/up/up/up/up"),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory for the scratch directory"));
	TRY(kt_fs_mkdirs(units, err));
	*out = (struct kt_compile){
	    .arguments = work->input.code_arguments,
	    .directory = work->input.directory,
	    .scratch = units,
	    .folder_count = work->folder_count,
	    .folders = work->folders,
	    .arch = arch,
	    .feature = feature_of(work, arch),
	    .jobs = (size_t)work->input.config->jobs,
	    .batch_most = BATCH_MOST,
	    .screening = work->input.screening,
	    .unscreened = work->input.unscreened,
	    .unscreened_detail = work->input.unscreened_detail,
	    .screens_always = work->input.config->compiler == KT_COMPILER_NVRTC,
	};
	if (out->screening != NULL) {
		struct kt_screening *screening = kt_arena_alloc(work->arena, sizeof *screening);

		NEED(screening, kt_fail(err, KT_ERR_MEMORY, "compiler: out of memory"));
		*screening = *out->screening;
		screening->most_s = work->input.config->compile_s;
		out->screening = screening;
		out->device = (struct kt_device_source){kt_work_read_device, work};
	}
	if (work->input.config->compiler == KT_COMPILER_NVCC) {
		out->screening = NULL;
		out->unscreened = KT_UNSCREENED_SETTING;
		out->unscreened_detail = NULL;
	}
	return KT_OK;
}

/* ---- the runner's own kernels: compiled once per toolkit and architecture, the store keeps them */

static const char *support_source(const struct kt_work *work)
{
	return kt_install_path(work->arena, "share/ktcc/runner_kernels.cu");
}

/* Others of one make may need the processors. */
static bool may_split(void)
{
	struct kt_jobserver server;
	bool present;

	kt_jobserver_open(&server, getenv("MAKEFLAGS"));
	present = server.present;
	kt_jobserver_close(&server);
	return !present;
}

/* NULL: they cannot be named. */
static const char *support_key(const struct kt_work *work, int64_t arch)
{
	char source_hash[KT_HASH_TEXT];
	struct kt_error ignored;

	if (kt_hash_file(source_hash, support_source(work), &ignored) != KT_OK)
		return NULL;
	return kt_arena_printf(work->arena, "runner-kernels %s cuda %s sm_%lld", source_hash, work->toolkit,
	                       (long long)arch);
}

/*
 * Starts their compiler, so that it works while the device is opened. Where that fails it is tried again, and reported.
 * It takes half the time with several threads, which an older nvcc does not have, and others of one make may need.
 */
static kt_status compile_support(struct kt_work *work, int64_t arch, bool splits, struct kt_error *err)
{
	struct kt_support *support = &work->support;
	struct kt_compile compile;
	char name[64];
	kt_status status = kt_work_compile(&compile, work, arch, err);

	kt_proc_free(support->proc);
	*support = (struct kt_support){.arch = arch, .splits = splits};
	if (status != KT_OK)
		return status;
	snprintf(name, sizeof name, "-arch=sm_%lld", (long long)arch);
	support->path = kt_arena_printf(work->arena, "%s/runner_kernels.sm_%lld.cubin", work->scratch, (long long)arch);
	const char *argv[] = {work->input.code_arguments[0], "-cubin", "-std=c++17", "-O3", splits ? "-split-compile=0" : "-w", name, "-o", support->path,
	                      support_source(work), NULL};
	struct kt_proc_options options = {.environment = kt_unit_environment(work->arena, &compile)};

	if (support->path == NULL || options.environment == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "runner kernels: out of memory");
	return kt_proc_start(&support->proc, (char *const *)argv, &options, err);
}

/* Most likely it is the device's architecture. */
void kt_work_start_support(struct kt_work *work)
{
	const int64_t arch = kt_work_read_architecture(work);
	struct kt_buf cubin = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const char *key = support_key(work, arch);
	struct kt_error err;

	if (key == NULL || !kt_target_of(work->input.language)->has_compiler || work->input.config->replay != NULL ||
	    work->input.store == NULL || work->support.proc != NULL)
		return;
	if (!kt_store_get_blob(&cubin, work->input.store, key) && compile_support(work, arch, may_split(), &err) != KT_OK)
		kt_log("runner kernels not compiled beforehand: %s", err.message);
	kt_buf_free(&cubin);
}

static void wait_for_support(const struct kt_support *support, kt_meanwhile *run, void *state)
{
	while (!kt_proc_poll(support->proc, run != NULL ? poll_s : 1))
		if (run != NULL)
			run(state);
}

/* Waits for the compiler; appends what it wrote. */
static kt_status compiled_support(struct kt_buf *cubin, struct kt_work *work, int64_t arch, kt_meanwhile *run,
                                  void *state, struct kt_error *err)
{
	const double begin_s = kt_now_s();
	struct kt_support *support = &work->support;
	const struct kt_proc_result *result;
	kt_status status = KT_OK;

	if (support->proc == NULL || support->arch != arch)
		status = compile_support(work, arch, may_split(), err);
	if (status != KT_OK)
		return status;
	wait_for_support(support, run, state);
	result = kt_proc_result(support->proc);
	if (support->splits && result->code != 0 && !result->signalled) {
		TRY(compile_support(work, arch, false, err));
		wait_for_support(support, run, state);
		result = kt_proc_result(support->proc);
	}
	kt_log("runner kernels compiled in %.3f s, of which %.3f s waited for", result->wall_s, kt_now_s() - begin_s);
	if (result->signalled || result->code != 0)
		status = kt_fail(err, KT_ERR_CHILD, "the runner's kernels do not compile: %.600s",
		                 kt_buf_text(kt_proc_output(support->proc)));
	else
		status = kt_fs_read(cubin, support->path, err);
	kt_proc_free(support->proc);
	support->proc = NULL;
	return status;
}

kt_status kt_work_load_support(struct kt_work *work, kt_meanwhile *run, void *state, struct kt_error *err)
{
	struct kt_buf cubin = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const int64_t arch = work->device.cc;
	struct kt_compile ignored;
	const char *key, *path;
	kt_status status;

	if (!kt_tester_wants_support(work->tester))
		return KT_OK;
	status = kt_work_compile(&ignored, work, arch, err);
	if (status != KT_OK)
		return status;
	key = support_key(work, arch);
	path = kt_arena_printf(work->arena, "%s/runner_kernels.cubin", work->scratch);
	if (key == NULL || path == NULL)
		return kt_fail(err, KT_ERR_MISSING, "the runner's kernels are not installed");
	if (!kt_store_get_blob(&cubin, work->input.store, key)) {
		status = compiled_support(&cubin, work, arch, run, state, err);
		if (status == KT_OK && work->input.store != NULL &&
		    kt_store_put_blob(work->input.store, key, cubin.data, cubin.size, err) != KT_OK)
			kt_log("runner kernels not stored: %s", err->message);
	}
	THEN(status, kt_fs_write(path, cubin.data, cubin.size, err));
	THEN(status, kt_tester_support(work->tester, path, err));
	kt_buf_free(&cubin);
	return status;
}

bool kt_work_may_tune(const struct kt_work *work)
{
	const enum kt_mode mode = work->input.config->mode;

	/* The architecture may be the device's. */
	return mode != KT_MODE_OFF && mode != KT_MODE_CACHED && kt_work_read_architecture(work) > 0 &&
	       !(work->input.native && work->input.architecture_count == 0);
}

/* Will something be tuned if there is a device? Before the look-up that is known only where all is tuned again. */
static bool will_tune(const struct kt_work *work)
{
	const enum kt_mode mode = work->input.config->mode;
	bool found = false;

	for (size_t i = 0; i < work->case_count; i++)
		found = found || work->cases[i].found_count != 0;
	if (!kt_work_may_tune(work))
		return false;
	return mode == KT_MODE_RETUNE || (work->looked_up && !found);
}

/* A driver takes its time to open a device: the generator has written its templates by then. */
static void generate_meanwhile(void *state)
{
	struct kt_work *work = state;

	kt_work_run_generator(work);
}

bool kt_work_open_tester(struct kt_work *work)
{
	const bool tunes = will_tune(work);
	const double begin_s = kt_now_s();
	struct kt_error err;

	if (work->tester != NULL)
		return true;
	if (work->tester_failed || (!work->input.gpu && work->input.config->replay == NULL))
		return false;
	if (tunes)
		kt_work_start_support(work);
	if (kt_tester_open(&work->tester, work->input.config, tunes ? generate_meanwhile : NULL, work, &err) != KT_OK) {
		kt_proc_free(work->support.proc);
		work->support.proc = NULL;
		kt_log("no device: %s", err.message);
		work->no_device = kt_arena_strndup(work->arena, err.message, strcspn(err.message, "\n"));
		work->tester_failed = true;
		return false;
	}
	if (work->input.store != NULL)
		kt_store_count(work->input.store, "runner-started");
	work->device = *kt_tester_device(work->tester);
	work->device_known = true;
	kt_log("%s is open after %.3f s", work->device.name, kt_now_s() - begin_s);
	if (remembers_device(work) &&
	    kt_store_put_machine(work->input.store, work->input.fingerprint, &work->device, &err) != KT_OK)
		kt_log("device not stored: %s", err.message);
	return true;
}

const struct kt_device *kt_work_known_device(struct kt_work *work)
{
	if (!work->device_known && work->input.gpu && remembers_device(work) &&
	    kt_store_get_machine(&work->device, work->arena, work->input.store, work->input.fingerprint))
		work->device_known = true;
	return kt_work_device(work);
}

const struct kt_device *kt_work_device(struct kt_work *work)
{
	if (!work->device_known)
		kt_work_open_tester(work);
	return work->device_known ? &work->device : NULL;
}

/* Measured once for each device: reports put it beside the copy time of each problem.
 * A processor's is asked for with `ktcc doctor --floor`. */
void kt_work_keep_copy(struct kt_work *work)
{
	const double begin_s = kt_now_s();
	struct kt_buf curve = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_error err;

	if (work->input.store != NULL && work->input.config->replay == NULL && kt_tester_wants_support(work->tester) &&
	    !kt_copy_curves_load(&curve, work->input.store, &work->device)) {
		if (kt_copy_curves_measure(&curve, work->input.store, work->tester, &err) != KT_OK)
			kt_log("no copy bandwidth bound: %s", err.message);
		kt_log("copy bandwidth bound measured in %.3f s", kt_now_s() - begin_s);
	}
	/* All times of a device are those of the process that measured its copy bandwidth bound. */
	kt_tester_set_reference(work->tester, kt_copy_curves_launch_ns(&curve));
	kt_buf_free(&curve);
}
