/* What the subcommands of `ktcc cache` share. */
#ifndef KT_VERBS_CACHE_H
#define KT_VERBS_CACHE_H

#include "store/lock.h"
#include "store/store.h"
#include "verbs/given.h"

struct kt_cache {
	struct kt_arena *arena;
	struct kt_config config;
	struct kt_store *store;
	enum kt_action action;
	const char *lock_dir; /* --lock-dir, KTUNE_LOCK_DIR, or the nearest; NULL: none */
	const char *t4;       /* --t4: export trials there instead; NULL: entries */
	const char *name;     /* --name: a region's name or the start of its key; NULL: all */
	const char **written; /* export --t4: names of files so far */
	size_t written_count;
	bool json, strict;
	int64_t days;
	int64_t bytes_most;   /* negative: no limit */
	int argument_count;
	char **arguments;
};

/* Each returns KT_OK with *found problems that make the exit code KT_EXIT_FAILED. */
kt_status kt_cache_list(struct kt_cache *cache, int64_t *found, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_cache_show(struct kt_cache *cache, int64_t *found, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_cache_export(struct kt_cache *cache, int64_t *found, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_cache_import(struct kt_cache *cache, int64_t *found, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_cache_sign(struct kt_cache *cache, int64_t *found, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_cache_push(struct kt_cache *cache, int64_t *found, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_cache_diff(struct kt_cache *cache, int64_t *found, struct kt_error *err) KT_MUST_CHECK;

/* A line into text for each entry of the lock directory that is stale; how many. */
kt_status kt_cache_stale(int64_t *count, struct kt_buf *text, struct kt_cache *cache, struct kt_error *err) KT_MUST_CHECK;

/* Writes what was measured for an entry into cache->t4; *written: there was something. */
kt_status kt_cache_export_t4(bool *written, struct kt_cache *cache, const struct kt_entry *entry, struct kt_error *err)
    KT_MUST_CHECK;

/* Calls use for a file, or for each .json file in a folder and some folders below, by name. */
typedef void (*kt_cache_use)(const char *path, void *context);
void kt_cache_walk(const char *path, kt_cache_use use, void *context);
/* Is it the name of its region or instance, or the start of its key? NULL is a name of every one. */
bool kt_cache_is_named(const char *name, const struct kt_entry *entry);
/* The geometric mean over the problems; 1 where the original is kept. */
double kt_cache_speedup(const struct kt_entry *entry);
/* An answer in JSON, to standard output. */
kt_status kt_cache_print(const cJSON *array, struct kt_error *err) KT_MUST_CHECK;

#endif
