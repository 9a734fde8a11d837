/* What the subcommands of `ktcc cache` share. */
#ifndef KT_VERBS_CACHE_H
#define KT_VERBS_CACHE_H

#include "store/lock.h"
#include "store/store.h"

struct kt_cache {
	struct kt_arena *arena;
	struct kt_config config;
	struct kt_store *store;
	const char *lock_dir; /* --lock-dir, KTUNE_LOCK_DIR, or the nearest; NULL: none */
	const char *name;     /* --name: a region's name or the start of its key; NULL: all */
	bool json;
	int64_t days;
	int argument_count;
	char **arguments;
};

/* Each returns KT_OK with *found problems that make the exit code KT_EXIT_FAILED. */
kt_status kt_cache_list(struct kt_cache *cache, int64_t *found, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_cache_show(struct kt_cache *cache, int64_t *found, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_cache_export(struct kt_cache *cache, int64_t *found, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_cache_import(struct kt_cache *cache, int64_t *found, struct kt_error *err) KT_MUST_CHECK;

#endif
