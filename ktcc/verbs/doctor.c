/* ktcc doctor: what is found, what is missing, how to get it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "generation/llm/llm.h"
#include "planning/copy_curves.h"
#include "store/lock.h"
#include "store/remote.h"
#include "testing/testing.h"
#include "verbs/found.h"
#include "verbs/session.h"
#include "verbs/verbs.h"

struct finding {
	const char *name;
	bool found;
	const char *next;     /* the command that gets what nothing is specialised without; NULL: it is not needed */
	const char *detail, *hint;
};

static struct finding find_nvcc(struct kt_arena *arena)
{
	const char *path = kt_found_nvcc(arena);

	return (struct finding){"nvcc", path != NULL,
	                        kt_fs_is_file("/usr/local/cuda/bin/nvcc") ? "export PATH=/usr/local/cuda/bin:$PATH"
	                                                                  : "sudo apt-get install cuda-toolkit",
	                        path,
	                        "install the CUDA toolkit (developer.nvidia.com/cuda-downloads) and put its bin folder on PATH"};
}

static struct finding find_part(struct kt_arena *arena, const char *name, const char *relative)
{
	char *path = kt_install_path(arena, relative), *prefix = kt_install_path(arena, "");

	return (struct finding){name, path != NULL && kt_fs_is_file(path),
	                        kt_arena_printf(arena, "cmake --install build --prefix %s", prefix != NULL ? prefix : "PREFIX"),
	                        path, "the installation is not complete: install ktcc again"};
}

static struct finding find_clang(struct kt_arena *arena)
{
	struct finding finding = {
	    "libclang", false, "sudo apt-get install libclang1-19 libclang-common-19-dev", NULL,
	    "install libclang1-19 and libclang-common-19-dev (any version from 16 on), or set KTUNE_LIBCLANG"};

	finding.detail = kt_found_clang(&finding.found, arena);
	return finding;
}

static struct finding find_device(struct kt_arena *arena, const struct kt_config *config, struct finding finding)
{
	struct kt_tester *tester;
	struct kt_error err;

	if (kt_tester_open(&tester, config, NULL, NULL, &err) == KT_OK) {
		const struct kt_device *device = kt_tester_device(tester);

		finding.found = true;
		/* OpenCL has no compute capability. */
		finding.detail = device->cc != 0
		                     ? kt_arena_printf(arena, "%s, compute capability %lld.%lld, driver %s", device->name,
		                                       (long long)device->cc / 10, (long long)device->cc % 10, device->driver)
		                     : kt_arena_printf(arena, "%s, driver %s", device->name, device->driver);
		kt_tester_close(tester);
	} else {
		finding.detail = kt_arena_strndup(arena, err.message, strcspn(err.message, "\n"));
	}
	return finding;
}

static struct finding find_gpu(struct kt_arena *arena, const struct kt_config *config)
{
	return find_device(arena, config,
	                   (struct finding){"gpu", false, NULL, NULL,
	                                    "without a GPU and its driver CUDA is compiled from entries, and not tuned"});
}

/* What .cl files are tuned on, whatever the value of KTUNE_BACKEND. */
static struct finding find_opencl(struct kt_arena *arena, const struct kt_config *config)
{
	struct kt_config opencl = *config;

	opencl.backend = "opencl";
	opencl.replay = opencl.record = NULL;
	return find_device(arena, &opencl,
	                   (struct finding){"opencl", false, NULL, NULL,
	                                    "tuning .cl files needs a driver (pocl-opencl-icd for processors)"});
}

static struct finding find_store(struct kt_arena *arena, const struct kt_config *config)
{
	struct finding finding = {"store", false, NULL, config->cache_dir,
	                          "set KTUNE_CACHE_DIR to a folder of your own on a file system with locks"};
	struct kt_store *store;
	struct kt_error err;

	if (kt_store_open(&store, config->cache_dir, &err) == KT_OK) {
		finding.found = true;
		kt_store_close(store);
		if (access(config->cache_dir, W_OK) != 0)
			finding.detail = kt_arena_printf(arena, "%s: read only (%s), each build looks at its sources again",
			                                 config->cache_dir, strerror(errno));
	} else {
		finding.detail = kt_arena_strdup(arena, err.message);
	}
	return finding;
}

static struct finding find_lock(struct kt_arena *arena, const struct kt_config *config)
{
	const struct kt_lock_place place =
	    kt_lock_find(arena, config->lock_dir, kt_path_absolute(arena, "x.cu", NULL));

	return (struct finding){"lock directory", place.path != NULL, NULL,
	                        place.path != NULL ? place.path : place.named,
	                        place.refused != NULL ? place.refused
	                                              : "ktune_target() or `ktcc cache export` makes ktune.lock/"};
}

static struct finding find_settings(struct kt_arena *arena, const struct kt_config *config)
{
	const char *unknown = kt_config_unknown(arena, config, true);

	return (struct finding){"settings", unknown == NULL, NULL,
	                        unknown != NULL ? unknown : "each KTUNE_ name in the environment is one",
	                        "docs/cli.md lists the settings"};
}

static struct finding find_remote(struct kt_arena *arena, const struct kt_config *config)
{
	struct finding finding = {"remote", false, NULL, NULL, "KTUNE_REMOTE names a server for a team's entries"};
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	if (config->remote == NULL)
		return finding;
	finding.found = kt_remote_probe(&text, config);
	finding.detail = kt_arena_strdup(arena, kt_buf_text(&text));
	finding.hint = "builds go on without it; docs/store.md lists what it has to answer";
	kt_buf_free(&text);
	return finding;
}

/* Off unless its address is set; asked then for its list of models, which costs nothing. */
static struct finding find_model(struct kt_arena *arena, const struct kt_config *config)
{
	struct finding finding = {"model", false, NULL, "off", "set KTUNE_LLM_URL to an endpoint, or to dir:/FOLDER"};
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error err;

	if (config->llm.url == NULL)
		return finding;
	finding.found = kt_llm_probe(&text, config, &err) == KT_OK;
	finding.detail = kt_arena_strdup(arena, finding.found ? kt_buf_text(&text) : err.message);
	finding.hint = "KTUNE_LLM_URL, KTUNE_LLM_MODEL and the key's place: docs/generation-llm.md";
	kt_buf_free(&text);
	return finding;
}

static int report(const struct finding *findings, size_t count, bool json)
{
	cJSON *all = cJSON_CreateObject();
	const struct finding *missing = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct finding *f = &findings[i];
		cJSON *item = cJSON_AddObjectToObject(all, f->name);

		cJSON_AddBoolToObject(item, "found", f->found);
		kt_json_add_text(item, "detail", f->detail);
		if (!f->found)
			cJSON_AddStringToObject(item, "hint", f->hint);
		if (f->next != NULL && !f->found && missing == NULL)
			missing = f;
		if (json)
			continue;
		printf("%-4s %-16s %s\n", f->found ? "ok" : f->next != NULL ? "MISS" : "none", f->name,
		       f->detail != NULL ? f->detail : "");
		if (!f->found)
			printf("     %-16s → %s\n", "", f->hint);
	}
	if (json) {
		cJSON_AddBoolToObject(all, "ready", missing == NULL);
		if (missing != NULL)
			cJSON_AddStringToObject(all, "next", missing->next);
		kt_verb_print_json(all);
	} else {
		printf("%s%s\n", missing != NULL ? "next: " : "ready", missing != NULL ? missing->next : "");
	}
	cJSON_Delete(all);
	return missing == NULL ? 0 : KT_EXIT_FAILED;
}

static void print_curves(const cJSON *curves)
{
	const cJSON *pattern, *point;

	printf("%s, driver %s, measured %s\n", kt_json_text(curves, "device"), kt_json_text(curves, "driver"),
	       kt_json_text(curves, "date"));
	if (kt_json_number(curves, "launch_ns") > 0)
		printf("an empty kernel %12.3f us\n", kt_json_number(curves, "launch_ns") / 1e3);
	cJSON_ArrayForEach(pattern, cJSON_GetObjectItem(curves, "patterns")) {
		printf("%s\n", kt_json_text(pattern, "name"));
		cJSON_ArrayForEach(point, cJSON_GetObjectItem(pattern, "points")) {
			const double bytes = cJSON_GetNumberValue(cJSON_GetArrayItem(point, 0));
			const double ns = cJSON_GetNumberValue(cJSON_GetArrayItem(point, 1));

			printf("  %12.0f KiB %12.2f us %9.1f GB/s\n", bytes / 1024, ns / 1e3, ns > 0 ? bytes / ns : 0);
		}
	}
}

/* What the store has, else measured where that needs no compiler. */
static int report_copy(const struct kt_config *config, bool json)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_tester *tester = NULL;
	struct kt_store *store = NULL;
	struct kt_error err;
	cJSON *curves = NULL;
	kt_status status = kt_tester_open(&tester, config, NULL, NULL, &err);

	if (status == KT_OK && kt_store_open(&store, config->cache_dir, &err) != KT_OK)
		store = NULL;
	if (status == KT_OK && !kt_copy_curves_load(&text, store, kt_tester_device(tester)))
		status =
		    kt_tester_wants_support(tester)
		        ? kt_fail(&err, KT_ERR_MISSING,
		                  "nothing was tuned on %s yet: the first tuning measures its copy bandwidth bound",
		                  kt_tester_device(tester)->name)
		        : kt_copy_curves_measure(&text, store, tester, &err);
	THEN(status, kt_json_parse(&curves, kt_buf_text(&text), text.size, &err));
	if (status == KT_OK && json)
		printf("%s\n", kt_buf_text(&text));
	else if (status == KT_OK)
		print_curves(curves);
	cJSON_Delete(curves);
	kt_store_close(store);
	kt_tester_close(tester);
	kt_buf_free(&text);
	return status == KT_OK ? 0 : kt_verb_failed(&err);
}

int kt_verb_doctor(const struct kt_given *given)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_config config;
	struct kt_error err;
	int code;

	if (arena == NULL || kt_config_load(&config, arena, &err) != KT_OK) {
		code = arena != NULL ? kt_verb_failed(&err) : KT_EXIT_FAILED;
	} else if (kt_given_has(given, KT_OPTION_doctor_floor)) {
		code = report_copy(&config, given->json);
	} else {
		struct finding findings[] = {
		    find_nvcc(arena),
		    find_part(arena, "ktcc-clang", "libexec/ktcc/ktcc-clang"),
		    find_part(arena, "ktcc-runner", "libexec/ktcc/ktcc-runner"),
		    find_part(arena, "ktune.h", "include/ktune/ktune.h"),
		    find_clang(arena),
		    find_gpu(arena, &config),
		    find_opencl(arena, &config),
		    find_store(arena, &config),
		    find_lock(arena, &config),
		    find_settings(arena, &config),
		    find_model(arena, &config),
		    find_remote(arena, &config),
		};

		code = report(findings, sizeof findings / sizeof *findings, given->json);
	}
	kt_arena_free(arena);
	return code;
}
