/* ktcc-clang: the only program that reads C++. Speaks JSON (docs/protocol.md); its diagnostics go into the reply. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lower.h"
#include "rewrite.h"
#include "serve.h"
#include "unit.h"

static const char usage[] =
    "usage: ktcc-clang scan --file FILE [--toolkit DIR] [--arch 90] [--directory DIR] [--cache DIR] -- [clang arguments]\n"
    "       ktcc-clang rewrite …the same…, and [--strategies a,b]\n"
    "       ktcc-clang serve …the same…\n"
    "       ktcc-clang lower …the same…, and [--all] [--cuda]\n"
    "Prints one JSON line: the regions of FILE, its include graph and diagnostics; or templates for them.\n"
    "lower: prints the kernels of regions, or all, as IR text or as CUDA C++ (docs/ir.md).\n"
    "serve: one line for each request on standard input (docs/protocol.md).\n";

/* Further options of a verb: with a value, or flags, whose value is their name. */
struct further {
	const char *name, **value;
	bool is_flag;
};

static const struct further *find_further(const struct further *further, const char *name)
{
	for (; further != NULL && further->name != NULL; further++)
		if (strcmp(further->name, name) == 0)
			return further;
	return NULL;
}

static bool read_options(struct kt_scan_options *o, const struct further *further, int argc, char **argv)
{
	*o = (struct kt_scan_options){.toolkit = "/usr/local/cuda", .arch = 90};
	for (int i = 2; i < argc; i += 2) {
		const struct further *more = find_further(further, argv[i]);
		if (strcmp(argv[i], "--") == 0) {
			o->arguments = argv + i + 1;
			o->argument_count = (size_t)(argc - i - 1);
			break;
		}
		if (more != NULL && more->is_flag) {
			*more->value = argv[i--];
			continue;
		}
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;
		NEED(value, false);
		if (strcmp(argv[i], "--file") == 0)
			o->file = value;
		else if (strcmp(argv[i], "--toolkit") == 0)
			o->toolkit = value;
		else if (strcmp(argv[i], "--directory") == 0)
			o->directory = value;
		else if (strcmp(argv[i], "--cache") == 0)
			o->cache = value;
		else if (strcmp(argv[i], "--arch") == 0)
			o->arch = strtol(value, NULL, 10);
		else if (more != NULL)
			*more->value = value;
		else
			return false;
	}
	return o->file != NULL && o->arch > 0;
}

/* scan and rewrite: the same reading, another answer. */
static int verb_read(bool rewrite, int argc, char **argv)
{
	struct kt_scan scan = {.diagnostics = KT_BUF(KT_LIMIT_OUTPUT_BYTES),
	                       .flat_text = KT_BUF(KT_LIMIT_SOURCE_BYTES)};
	struct kt_buf line = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_error err = {.code = KT_OK};
	const char *strategies = NULL;
	const struct further further[] = {{"--strategies", &strategies, false}, {NULL, NULL, false}};
	cJSON *json = NULL;
	int code = 1;
	if (!read_options(&scan.options, rewrite ? further : NULL, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	scan.arena = kt_arena_new(KT_ARENA_REGION_BYTES * 8);
	if (scan.arena == NULL)
		goto done;
	if (kt_scan_all(&scan, &err) != KT_OK) {
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

static int verb_lower(int argc, char **argv)
{
	struct kt_scan scan = {.diagnostics = KT_BUF(KT_LIMIT_OUTPUT_BYTES), .flat_text = KT_BUF(KT_LIMIT_SOURCE_BYTES)};
	struct kt_buf out = KT_BUF(KT_LIMIT_OUTPUT_BYTES * 4);
	struct kt_error err = {.code = KT_OK};
	const char *all = NULL, *cuda = NULL;
	const struct further further[] = {{"--all", &all, true}, {"--cuda", &cuda, true}, {NULL, NULL, false}};
	struct kt_lowered *list = NULL;
	size_t count = 0;
	int code = 1;

	if (!read_options(&scan.options, further, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	scan.arena = kt_arena_new(KT_ARENA_REGION_BYTES * 8);
	if (scan.arena == NULL || kt_scan_all(&scan, &err) != KT_OK ||
	    kt_lower_scan(&list, &count, &scan, all != NULL, &err) != KT_OK)
		goto done;
	if (cuda == NULL)
		kt_lower_print(&out, list, count);
	else if (kt_lower_print_cuda(&out, list, count, &err) != KT_OK)
		goto done;
	if (!out.failed && fwrite(kt_buf_text(&out), 1, out.size, stdout) == out.size && fflush(stdout) == 0)
		code = 0;
done:
	if (err.code != KT_OK) {
		fprintf(stderr, "ktcc-clang: %s\n", err.message);
		code = err.code == KT_ERR_MISSING ? 3 : 1;
	}
	kt_buf_free(&out);
	kt_scan_close(&scan);
	return code;
}

static int verb_serve(int argc, char **argv)
{
	struct kt_scan_options options;

	if (!read_options(&options, NULL, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	return kt_serve(&options);
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
	if (argc >= 2 && strcmp(argv[1], "serve") == 0)
		return verb_serve(argc, argv);
	if (argc >= 2 && strcmp(argv[1], "lower") == 0)
		return verb_lower(argc, argv);
	if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
		printf("ktcc-clang %s\n", KT_VERSION);
		return 0;
	}
	fputs(usage, argc >= 2 && strcmp(argv[1], "--help") == 0 ? stdout : stderr);
	return argc >= 2 && strcmp(argv[1], "--help") == 0 ? 0 : 2;
}
