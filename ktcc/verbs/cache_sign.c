/* ktcc cache sign: the user's signature under entries that bring text of a model. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "verbs/cache.h"

struct signing {
	struct kt_cache *cache;
	struct kt_arena *arena; /* of what waits to be put back */
	size_t count;
	struct kt_entry *entries;
	int64_t signed_, failed;
};

/* Entries of the rules bring no text: there is nothing to vouch for. */
static bool is_wanted(const struct signing *s, const struct kt_entry *entry)
{
	const char *name = s->cache->name;

	return kt_entry_has_text(entry) &&
	       (name == NULL || strcmp(name, entry->name) == 0 || strcmp(name, entry->instance) == 0);
}

/* The store is read while it is walked, and written afterwards. */
static bool gather(const struct kt_entry *entry, void *context)
{
	struct signing *s = context;
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_entry *slot;
	struct kt_error err;

	if (!is_wanted(s, entry) || entry->origin != NULL)
		return true;
	slot = kt_arena_push(s->arena, &s->entries, &s->count, sizeof *slot);
	if (slot == NULL || kt_entry_print(&text, entry, &err) != KT_OK ||
	    kt_entry_parse(slot, s->arena, kt_buf_text(&text), text.size, &err) != KT_OK ||
	    (entry->trial_key != NULL && (slot->trial_key = kt_arena_strdup(s->arena, entry->trial_key)) == NULL)) {
		s->count -= slot != NULL;
		s->failed++;
	}
	kt_buf_free(&text);
	return true;
}

static void finish(struct signing *s, const char *where, kt_status status, const struct kt_error *err)
{
	if (status == KT_OK) {
		s->signed_++;
		return;
	}
	kt_say("%s: %s", where, err->message);
	s->failed++;
}

static void sign_file(const char *path, void *context)
{
	struct signing *s = context;
	struct kt_entry entry;
	struct kt_error err;
	kt_status status = kt_lock_read(&entry, s->arena, path, &err);

	if (status == KT_OK && !is_wanted(s, &entry))
		return;
	THEN(status, kt_entry_sign(&entry, s->arena, &err));
	THEN(status, kt_lock_rewrite(path, &entry, &err));
	finish(s, path, status, &err);
}

static kt_status sign_store(struct signing *s, struct kt_error *err)
{
	TRY(kt_store_each_entry(s->cache->store, gather, s, err));
	for (size_t i = 0; i < s->count; i++) {
		struct kt_error why;
		kt_status one = kt_entry_sign(&s->entries[i], s->arena, &why);
		if (one == KT_OK)
			one = kt_store_put(s->cache->store, &s->entries[i], &why);
		finish(s, s->entries[i].instance, one, &why);
	}
	return KT_OK;
}

kt_status kt_cache_sign(struct kt_cache *cache, int64_t *found, struct kt_error *err)
{
	struct signing s = {.cache = cache, .arena = kt_arena_new(KT_ARENA_REGION_BYTES)};
	kt_status status = s.arena != NULL ? KT_OK : kt_no_memory(err);

	for (int i = 0; status == KT_OK && i < cache->argument_count; i++)
		kt_cache_walk(cache->arguments[i], sign_file, &s);
	if (status == KT_OK && cache->argument_count == 0)
		status = sign_store(&s, err);
	if (status == KT_OK)
		printf(cache->json ? "{\"signed\": %lld}\n" : "%lld entries signed\n", (long long)s.signed_);
	*found = s.failed;
	kt_arena_free(s.arena);
	return status;
}
