/* What there is besides entries of a region as it is: of an older text of it, and the devices that entries are for. */
#include <string.h>

#include "store/internal.h"

static bool equal(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

struct older {
	struct kt_arena *arena;
	const struct kt_query *query;
	const char *path;
};

static bool visit_older(const char *path, const struct kt_entry *entry, void *context)
{
	struct older *o = context;
	struct kt_query any = *o->query;

	any.wanted_devices = NULL;
	any.gpu = NULL;
	any.architecture_count = 0;
	if (equal(entry->instance, o->query->instance) && !kt_query_takes(&any, entry))
		o->path = kt_arena_strdup(o->arena, path);
	return o->path == NULL;
}

static void ignore_damaged(const char *path, const char *reason, void *context)
{
	(void)path;
	(void)reason;
	(void)context;
}

const char *kt_store_older_text(struct kt_arena *arena, const struct kt_query *query)
{
	struct older o = {arena, query, NULL};
	struct kt_error ignored;

	if (query->lock_dir == NULL ||
	    kt_lock_each_named(query->lock_dir, query->name, visit_older, ignore_damaged, &o, &ignored) != KT_OK)
		return NULL;
	return o.path;
}

struct devices {
	struct kt_arena *arena;
	const char *wanted;
	struct kt_device *out;
	bool found;
	const char *names; /* "NVIDIA H200 (sm_90), …" */
};

static bool visit_device(const char *path, const struct kt_entry *entry, void *context)
{
	struct devices *d = context;
	const struct kt_device *device = &entry->device;
	const char *name = device->cc != 0
	                       ? kt_arena_printf(d->arena, "%s (sm_%lld)", device->name, (long long)device->cc)
	                       : kt_arena_strdup(d->arena, device->name);

	(void)path;
	if (name != NULL && d->names == NULL)
		d->names = name;
	else if (name != NULL && strstr(d->names, name) == NULL)
		d->names = kt_arena_printf(d->arena, "%s, %s", d->names, name);
	if (!kt_device_matches(device, d->wanted))
		return true;
	*d->out = *device;
	d->out->vendor = kt_arena_strdup(d->arena, device->vendor);
	d->out->name = kt_arena_strdup(d->arena, device->name);
	d->found = d->out->vendor != NULL && d->out->name != NULL;
	return !d->found;
}

static bool visit_stored(const struct kt_entry *entry, void *context)
{
	return visit_device(NULL, entry, context);
}

bool kt_store_device(struct kt_device *out, const char **names, struct kt_arena *arena, struct kt_store *store,
                     const char *lock_dir, const char *wanted)
{
	struct devices d = {arena, wanted, out, false, NULL};
	struct kt_error ignored;

	if (lock_dir != NULL)
		(void)!kt_lock_each_named(lock_dir, NULL, visit_device, ignore_damaged, &d, &ignored);
	if (!d.found && store != NULL)
		(void)!kt_store_each_entry(store, visit_stored, &d, &ignored);
	*names = d.names;
	return d.found;
}
