/* ktcc cache verify --strict: entries of the lock directory that no build uses, or that newer rules would make
 * otherwise. */
#include <string.h>

#include "base/recipe.h"
#include "verbs/cache.h"

struct stale {
	struct kt_cache *cache;
	struct kt_buf *text;
	size_t key_count, manifest_count;
	const char **keys; /* of the regions that builds with this store looked up */
	int64_t count;
	bool failed;
};

static bool add_keys(const struct kt_manifest *manifest, void *context)
{
	struct stale *s = context;

	s->manifest_count++;
	for (size_t i = 0; i < manifest->lookup_count && !s->failed; i++) {
		const char *found = manifest->lookups[i].region_key;
		const char **key;

		/* None was made where no entry could be that region's. */
		if (found == NULL)
			continue;
		key = kt_arena_push(s->cache->arena, &s->keys, &s->key_count, sizeof *key);
		s->failed = key == NULL || (*key = kt_arena_strdup(s->cache->arena, found)) == NULL;
	}
	return !s->failed;
}

static bool judge(const char *path, const struct kt_entry *entry, void *context)
{
	struct stale *s = context;

	if (!kt_has_text(s->keys, s->key_count, entry->region_key))
		kt_buf_addf(
		    s->text,
		    "%s: no command of the builds with this store compiles this kernel; remove the file, or tune "
		    "again\n",
		    path);
	else if (entry->recipe != NULL && !kt_recipe_is_current(entry->recipe))
		kt_buf_addf(s->text, "%s: this ktcc makes another text from its recipe; ktcc tune --refresh\n", path);
	else
		return true;
	s->count++;
	return true;
}

/* What is damaged is reported without --strict as well. */
static void pass_over(const char *path, const char *reason, void *context)
{
	(void)path, (void)reason, (void)context;
}

kt_status kt_cache_stale(int64_t *count, struct kt_buf *text, struct kt_cache *cache, struct kt_error *err)
{
	struct stale s = {.cache = cache, .text = text};
	TRY(kt_store_each_manifest(cache->store, cache->arena, add_keys, &s, err));
	if (s.failed)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for the keys of builds");
	if (s.manifest_count == 0)
		return kt_fail(err, KT_ERR_MISSING,
			       "%s: no build with this store compiled a marked kernel; build, then verify with --strict, or "
			       "remove the entries if no kernel is marked any more",
			       cache->config.cache_dir);
	TRY(kt_lock_each(cache->lock_dir, judge, pass_over, &s, err));
	*count = s.count;
	return KT_OK;
}
