/* ktcc-clang: the only program that reads C++. Speaks JSON (docs/protocol.md); its diagnostics go into the reply. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "rewrite.h"
#include "unit.h"

static const char usage[] =
    "usage: ktcc-clang scan --file FILE [--toolkit DIR] [--arch 90] [--directory DIR] -- [clang arguments]\n"
    "       ktcc-clang rewrite …the same…, and [--strategies a,b]\n"
    "Prints one JSON line: the regions of FILE, its include graph and diagnostics; or templates for them.\n";

static bool read_options(struct kt_scan_options *o, const char **strategies, int argc, char **argv)
{
	*o = (struct kt_scan_options){.toolkit = "/usr/local/cuda", .arch = 90};
	for (int i = 2; i < argc; i += 2) {
		if (strcmp(argv[i], "--") == 0) {
			o->arguments = argv + i + 1;
			o->argument_count = (size_t)(argc - i - 1);
			break;
		}
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;
		if (value == NULL)
			return false;
		if (strcmp(argv[i], "--file") == 0)
			o->file = value;
		else if (strcmp(argv[i], "--toolkit") == 0)
			o->toolkit = value;
		else if (strcmp(argv[i], "--directory") == 0)
			o->directory = value;
		else if (strcmp(argv[i], "--arch") == 0)
			o->arch = strtol(value, NULL, 10);
		else if (strategies != NULL && strcmp(argv[i], "--strategies") == 0)
			*strategies = value;
		else
			return false;
	}
	return o->file != NULL && o->arch > 0;
}

static kt_status read_region(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	static kt_status (*const steps[])(struct kt_scan *, struct kt_found *, struct kt_error *) = {
		kt_scan_signature, kt_scan_launches, kt_scan_clauses, kt_scan_geometry, kt_scan_closure, kt_scan_slice,
		kt_scan_reference,
	};
	kt_status status = KT_OK;
	/* A header that is missing may have taken declarations along: what follows from that is not the cause. */
	kt_scan_judge_fatal(scan, found);
	if (found->block.end != 0)
		return kt_scan_sequence(scan, found, err);
	if (found->item == KT_NO_ITEM)
		return KT_OK;
	if (kt_scan_fatal(scan) != NULL) {
		status = kt_scan_signature(scan, found, err);
		kt_region_withdraw(&found->region);
		return status;
	}
	for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == KT_OK; i++) {
		status = steps[i](scan, found, err);
		if (found->region.body.end == 0)
			return status;
	}
	return status;
}

/* What needs to know where the other regions stand. */
static kt_status finish_region(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	if (found->item == KT_NO_ITEM || found->region.body.end == 0)
		return KT_OK;
	kt_status status = kt_scan_parameters(scan, found, err);
	if (status == KT_OK)
		kt_scan_judge(scan, found);
	return status;
}

static kt_status scan_all(struct kt_scan *scan, struct kt_error *err)
{
	kt_status status = kt_clang_load(&scan->version, &scan->major, scan->arena, err);
	if (status == KT_OK)
		status = kt_scan_open(scan, err);
	if (status == KT_OK)
		status = kt_scan_pragmas(scan, err);
	for (size_t i = 0; i < scan->found_count && status == KT_OK; i++)
		status = read_region(scan, scan->found[i], err);
	for (size_t i = 0; i < scan->found_count && status == KT_OK; i++)
		status = finish_region(scan, scan->found[i], err);
	for (size_t i = 0; i < scan->bind_count && status == KT_OK; i++)
		if (!scan->binds[i].used)
			kt_scan_diagnose(scan, 0, KT_WARNING, scan->binds[i].begin,
			                 scan->binds[i].end - scan->binds[i].begin,
			                 "the kernel launched here has no region", "write a pragma above the kernel");
	return status;
}

/* scan and rewrite: the same reading, another answer. */
static int verb_read(bool rewrite, int argc, char **argv)
{
	struct kt_scan scan = {.diagnostics = KT_BUF(KT_LIMIT_OUTPUT_BYTES),
	                       .flat_text = KT_BUF(KT_LIMIT_SOURCE_BYTES)};
	struct kt_buf line = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_error err = {.code = KT_OK};
	const char *strategies = NULL;
	cJSON *json = NULL;
	int code = 1;
	if (!read_options(&scan.options, rewrite ? &strategies : NULL, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	scan.arena = kt_arena_new(KT_ARENA_REGION_BYTES * 8);
	if (scan.arena == NULL)
		goto done;
	if (scan_all(&scan, &err) != KT_OK) {
		fprintf(stderr, "ktcc-clang: %s\n", err.message);
		code = err.code == KT_ERR_MISSING ? 3 : 1;
		goto done;
	}
	json = rewrite ? kt_rewrite(&scan, strategies, &err) : kt_scan_json(&scan);
	kt_json_print(&line, json);
	kt_buf_addc(&line, '\n');
	if (json != NULL && !line.failed && fwrite(kt_buf_text(&line), 1, line.size, stdout) == line.size &&
	    fflush(stdout) == 0)
		code = 0;
done:
	cJSON_Delete(json);
	kt_buf_free(&line);
	kt_scan_close(&scan);
	return code;
}

/* Which libclang would be loaded: `ktcc doctor` asks. */
static int verb_version(void)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_error err;
	const char *version;
	int major;
	int code = 3;

	if (arena != NULL && kt_clang_load(&version, &major, arena, &err) == KT_OK) {
		printf("libclang %s\n", version);
		code = 0;
	} else if (arena != NULL) {
		fprintf(stderr, "ktcc-clang: %s\n", err.message);
	}
	kt_arena_free(arena);
	return code;
}

int main(int argc, char **argv)
{
	if (argc >= 2 && strcmp(argv[1], "version") == 0)
		return verb_version();
	if (argc >= 2 && strcmp(argv[1], "scan") == 0)
		return verb_read(false, argc, argv);
	if (argc >= 2 && strcmp(argv[1], "rewrite") == 0)
		return verb_read(true, argc, argv);
	if (argc >= 2 && strcmp(argv[1], "check") == 0)
		return kt_check_main(argc, argv);
	if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
		printf("ktcc-clang %s\n", KT_VERSION);
		return 0;
	}
	fputs(usage, argc >= 2 && strcmp(argv[1], "--help") == 0 ? stdout : stderr);
	return argc >= 2 && strcmp(argv[1], "--help") == 0 ? 0 : 2;
}
