/* ktcc cache: what the store holds, and its upkeep. */
#include "verbs/cache.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/log.h"
#include "verbs/verbs.h"

#define DAYS_DEFAULT 90

static const char help[] =
    "usage: ktcc cache stats|list|show|export|import|sign|push|diff|gc|verify [options]\n"
    "  stats               counters and rows\n"
    "  list                every entry of the store and of the lock directory\n"
    "  show NAME|KEY       everything about the entries of a region\n"
    "  export              write entries from the store into the lock directory (made when absent)\n"
    "  import PATH...      read entry files, or folders of them, into the store\n"
    "  sign [PATH...]      sign entries with text of a model, of the store or in these files, with your key (ktcc key)\n"
    "  push                put entries that were tuned here onto the server KTUNE_REMOTE\n"
    "  diff [[A] B]        what B has that A has not, and the other way round; A: the store, B: the lock directory\n"
    "  gc                  remove what was not used for --days days (90), then what was not used longest, down to "
    "--size\n"
    "  verify              check the database, every entry and the lock directory\n"
    "options:\n"
    "  --json              answer in JSON\n"
    "  --lock-dir DIR      instead of KTUNE_LOCK_DIR or the nearest ktune.lock\n"
    "  --name NAME|KEY     list, export, sign, push: this region only\n"
    "  --t4 FOLDER         export: what was measured for each entry, as T4 files there\n"
    "  --days N            gc: 0 removes everything\n"
    "  --size BYTES        gc: at most so much stays; K, M or G may follow\n"
    "  --help\n";

struct gathered {
	cJSON *counters, *reasons;
	bool failed;
};

static bool gather_counter(const char *name, int64_t value, void *context)
{
	static const char prefix[] = "reason:";
	struct gathered *to = context;
	bool reason = strncmp(name, prefix, sizeof prefix - 1) == 0;
	if (!kt_json_add_int(reason ? to->reasons : to->counters, name, value))
		to->failed = true;
	return !to->failed;
}

static void print_section(const char *title, const cJSON *values)
{
	const cJSON *item;
	if (values->child == NULL)
		return;
	printf("%s\n", title);
	cJSON_ArrayForEach(item, values) {
		static const char prefix[] = "reason:";
		bool is_reason = strncmp(item->string, prefix, sizeof prefix - 1) == 0;
		enum kt_reason reason = is_reason ? kt_reason_from_name(item->string + sizeof prefix - 1) : KT_REASON_NONE;
		printf("  %-26s %10.0f", is_reason ? item->string + sizeof prefix - 1 : item->string, item->valuedouble);
		printf(reason != KT_REASON_NONE ? "  %s\n" : "\n", kt_reason_text(reason));
	}
}

/* {"counters":{…},"tables":{…},"bytes":n}: reasons are counters whose name starts with "reason:". */
static void print_stats_json(const struct gathered *all, const cJSON *tables, int64_t bytes)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	cJSON *json = cJSON_CreateObject();
	cJSON *counters = cJSON_Duplicate(all->counters, true);
	const cJSON *item;
	cJSON_ArrayForEach(item, all->reasons)
		cJSON_AddNumberToObject(counters, item->string, item->valuedouble);
	cJSON_AddItemToObject(json, "counters", counters);
	cJSON_AddItemToObject(json, "tables", cJSON_Duplicate(tables, true));
	kt_json_add_int(json, "bytes", bytes);
	kt_json_print_stable(&out, json);
	fputs(kt_buf_text(&out), stdout);
	kt_buf_free(&out);
	cJSON_Delete(json);
}

static kt_status stats(struct kt_cache *cache, int64_t *found, struct kt_error *err)
{
	struct gathered all = {cJSON_CreateObject(), cJSON_CreateObject(), false};
	struct kt_buf rows = KT_BUF(KT_LIMIT_LINE_BYTES);
	cJSON *tables = NULL;
	int64_t bytes = 0;
	kt_status status = kt_store_each_counter(cache->store, gather_counter, &all, err);
	*found = 0;
	if (status == KT_OK && all.failed)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory reading counters");
	if (status == KT_OK)
		status = kt_store_table_rows(&rows, cache->store, err);
	if (status == KT_OK)
		status = kt_json_parse(&tables, kt_buf_text(&rows), rows.size, err);
	if (status == KT_OK)
		status = kt_store_bytes(&bytes, cache->store, err);
	if (status == KT_OK && cache->json)
		print_stats_json(&all, tables, bytes);
	if (status == KT_OK && !cache->json) {
		printf("store %s, %.1f MB\n", cache->config.cache_dir, 1e-6 * (double)bytes);
		print_section("counters", all.counters);
		print_section("left unmodified, by reason", all.reasons);
		print_section("rows", tables);
	}
	cJSON_Delete(tables);
	cJSON_Delete(all.counters);
	cJSON_Delete(all.reasons);
	kt_buf_free(&rows);
	return status;
}

static kt_status gc(struct kt_cache *cache, int64_t *found, struct kt_error *err)
{
	struct kt_gc done;
	kt_status status = kt_store_gc(&done, cache->store, cache->days, cache->bytes_most, err);
	*found = 0;
	if (status != KT_OK)
		return status;
	kt_store_sweep_headers(cache->config.machine_dir, cache->days);
	printf(cache->json ? "{\"removed\": %lld, \"bytes_before\": %lld, \"bytes_after\": %lld}\n"
	                   : "%lld rows removed, %lld bytes before, %lld after\n",
	       (long long)done.removed, (long long)done.bytes_before, (long long)done.bytes_after);
	return KT_OK;
}

struct findings {
	int64_t count;
	struct kt_buf text;
};

static bool entry_is_fine(const char *path, const struct kt_entry *entry, void *context)
{
	(void)path, (void)entry, (void)context;
	return true;
}

static void entry_is_damaged(const char *path, const char *reason, void *context)
{
	struct findings *findings = context;
	(void)path;
	kt_buf_addf(&findings->text, "%s\n", reason);
	findings->count++;
}

static kt_status verify(struct kt_cache *cache, int64_t *found, struct kt_error *err)
{
	struct findings findings = {0, KT_BUF(KT_LIMIT_OUTPUT_BYTES)};
	kt_status status = kt_store_verify(&findings.count, &findings.text, cache->store, err);
	/* One that is found is there; one that somebody names may not be, and is not taken for an empty one. */
	if (status == KT_OK && cache->lock_dir != NULL && !kt_fs_is_dir(cache->lock_dir))
		entry_is_damaged(cache->lock_dir, kt_arena_printf(cache->arena, "%s: no such folder", cache->lock_dir),
		                 &findings);
	else if (status == KT_OK && cache->lock_dir != NULL)
		status = kt_lock_each(cache->lock_dir, entry_is_fine, entry_is_damaged, &findings, err);
	if (status == KT_OK && cache->json) {
		struct kt_buf quoted = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
		kt_buf_addjson(&quoted, kt_buf_text(&findings.text));
		printf("{\"problems\": %lld, \"text\": %s}\n", (long long)findings.count, kt_buf_text(&quoted));
		kt_buf_free(&quoted);
	} else if (status == KT_OK) {
		fputs(kt_buf_text(&findings.text), stdout);
		printf("%lld problem%s\n", (long long)findings.count, findings.count == 1 ? "" : "s");
	}
	*found = findings.count;
	kt_buf_free(&findings.text);
	return status;
}

static const struct subcommand {
	const char *name;
	kt_status (*run)(struct kt_cache *cache, int64_t *found, struct kt_error *err);
	int arguments_least, arguments_most;
} subcommands[] = {
    {"stats", stats, 0, 0},
    {"list", kt_cache_list, 0, 0},
    {"show", kt_cache_show, 1, 1},
    {"export", kt_cache_export, 0, 0},
    {"import", kt_cache_import, 1, 1 << 20},
    {"sign", kt_cache_sign, 0, 1 << 20},
    {"push", kt_cache_push, 0, 0},
    {"diff", kt_cache_diff, 0, 2},
    {"gc", gc, 0, 0},
    {"verify", verify, 0, 0},
};

/* "500M": a number and a unit of 1024, its square or its cube. */
static bool read_size(int64_t *out, const char *text)
{
	static const char units[] = "KMG";
	char *end = NULL;
	const char *unit;
	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (errno != 0 || end == text || value < 0 || value > INT32_MAX)
		return false;
	*out = value;
	if (*end == '\0')
		return true;
	unit = strchr(units, *end);
	for (int i = 0; unit != NULL && i <= unit - units; i++)
		*out *= 1024;
	return unit != NULL && end[1] == '\0';
}

static bool read_days(int64_t *out, const char *text)
{
	char *end = NULL;
	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || value < 0 || value > 36500)
		return false;
	*out = value;
	return true;
}

/* 0: go on; else the exit code plus one, because 0 is an exit code as well. */
static int read_options(struct kt_cache *cache, int argc, char **argv)
{
	static const struct option options[] = {
	    {"json", no_argument, NULL, 'j'},         {"lock-dir", required_argument, NULL, 'l'},
	    {"name", required_argument, NULL, 'n'},   {"days", required_argument, NULL, 'd'},
	    {"size", required_argument, NULL, 's'},   {"help", no_argument, NULL, 'h'},
	    {"t4", required_argument, NULL, 't'},
	    {NULL, 0, NULL, 0},
	};
	int letter;
	optind = 0;
	while ((letter = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (letter) {
		case 'j':
			cache->json = true;
			break;
		case 'l':
			cache->lock_dir = optarg;
			break;
		case 'n':
			cache->name = optarg;
			break;
		case 't':
			cache->t4 = optarg;
			break;
		case 'd':
			if (read_days(&cache->days, optarg))
				break;
			fprintf(stderr, "ktcc: --days takes a number from 0 to 36500\n");
			return KT_EXIT_USAGE + 1;
		case 's':
			if (read_size(&cache->bytes_most, optarg))
				break;
			fprintf(stderr, "ktcc: --size takes a number below 2^31, and K, M or G\n");
			return KT_EXIT_USAGE + 1;
		case 'h':
			fputs(help, stdout);
			return 1;
		default:
			fputs(help, stderr);
			return KT_EXIT_USAGE + 1;
		}
	}
	cache->argument_count = argc - optind;
	cache->arguments = argv + optind;
	return 0;
}

static const struct subcommand *find_subcommand(struct kt_cache *cache)
{
	if (cache->argument_count < 1) {
		fputs(help, stderr);
		return NULL;
	}
	for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
		const struct subcommand *row = &subcommands[i];
		int given = cache->argument_count - 1;
		if (strcmp(row->name, cache->arguments[0]) == 0 && given >= row->arguments_least &&
		    given <= row->arguments_most) {
			cache->argument_count--;
			cache->arguments++;
			return row;
		}
		if (strcmp(row->name, cache->arguments[0]) == 0) {
			kt_say("cache %s takes %s arguments", row->name,
			       given > row->arguments_most ? row->arguments_most != 0 ? "fewer" : "no" : "more");
			return NULL;
		}
	}
	kt_say("cache has no '%s': ktcc cache --help", cache->arguments[0]);
	return NULL;
}

static kt_status run(struct kt_cache *cache, const struct subcommand *subcommand, int64_t *found,
                     struct kt_error *err)
{
	cache->arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	if (cache->arena == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	kt_status status = kt_config_load(&cache->config, cache->arena, err);
	if (status != KT_OK)
		return status;
	const char *unknown = kt_config_unknown(cache->arena, &cache->config, false);
	if (unknown != NULL)
		kt_say("%s", unknown);
	if (cache->config.ignored_file != NULL)
		kt_say("%s", cache->config.ignored_file);
	const struct kt_lock_place place = kt_lock_find(
	    cache->arena, cache->lock_dir != NULL ? cache->lock_dir : cache->config.lock_dir, "here");
	cache->lock_dir = place.path != NULL ? place.path : place.named;
	if (place.refused != NULL) {
		kt_say("%s", place.refused);
		cache->lock_dir = NULL;
	}
	status = kt_store_open(&cache->store, cache->config.cache_dir, err);
	return status == KT_OK ? subcommand->run(cache, found, err) : status;
}

int kt_verb_cache(int argc, char **argv)
{
	struct kt_cache cache = {.days = DAYS_DEFAULT, .bytes_most = -1};
	struct kt_error err;
	int64_t found = 0;
	int code = read_options(&cache, argc, argv);
	if (code != 0)
		return code - 1;
	const struct subcommand *subcommand = find_subcommand(&cache);
	if (subcommand == NULL)
		return KT_EXIT_USAGE;
	kt_status status = run(&cache, subcommand, &found, &err);
	if (status != KT_OK)
		kt_say("%s", err.message);
	kt_store_close(cache.store);
	kt_arena_free(cache.arena);
	return status == KT_OK && found == 0 ? 0 : KT_EXIT_FAILED;
}
