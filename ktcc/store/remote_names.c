#include "store/remote_names.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool push(struct kt_names *names, struct kt_arena *arena, char *text)
{
	char **slot;
	if (text == NULL)
		return false;
	for (char *at = text; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i], text) == 0)
			return true;
	if (names->count == KT_NAMES_MOST)
		return true;
	slot = kt_arena_push(arena, &names->items, &names->count, sizeof *slot);
	if (slot != NULL)
		*slot = text;
	return slot != NULL;
}

static bool is_digits(const char *text)
{
	return text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
}

/* "sm_90", "sm_90a" → "sm_90"; NULL: something else. */
static char *architecture_of(struct kt_arena *arena, const char *item)
{
	size_t length = strlen(item);
	if (length < 5 || strncasecmp(item, "sm_", 3) != 0)
		return NULL;
	length -= strchr("aAfF", item[length - 1]) != NULL ? 1 : 0;
	char *text = kt_arena_strndup(arena, item, length);
	return text != NULL && is_digits(text + 3) ? text : NULL;
}

static char *slug(struct kt_arena *arena, const char *name, int64_t cc)
{
	struct kt_device device = {.name = name, .cc = cc};
	return kt_device_slug(arena, &device);
}

/* One item of KTUNE_DEVICE: an architecture, a slug, or a name, which is one of an architecture that is compiled. */
static bool add_wanted(struct kt_names *slugs, struct kt_arena *arena, const struct kt_query *query, const char *item)
{
	char *architecture = architecture_of(arena, item);
	const char *tail = strrchr(item, '-');
	bool done = true;
	if (architecture != NULL)
		return push(slugs, arena, architecture);
	if (tail != NULL && (strcasecmp(tail, "-opencl") == 0 || architecture_of(arena, tail + 1) != NULL)) {
		char *name = kt_arena_strndup(arena, item, (size_t)(tail - item));
		int64_t cc = 0;
		for (const char *at = tail + 4; strcasecmp(tail, "-opencl") != 0 && *at >= '0' && *at <= '9' && cc < 10000;
		     at++)
			cc = cc * 10 + (*at - '0');
		return name != NULL && push(slugs, arena, slug(arena, name, cc));
	}
	for (size_t i = 0; done && i < query->architecture_count; i++)
		done = push(slugs, arena, slug(arena, item, query->architectures[i]));
	return done && (query->architecture_count != 0 || push(slugs, arena, slug(arena, item, 0)));
}

static bool add_list(struct kt_names *slugs, struct kt_arena *arena, const struct kt_query *query)
{
	bool done = true;
	for (const char *at = query->wanted_devices; done && *at != '\0';) {
		size_t length = strcspn(at, ";"), from = strspn(at, " \t");
		char *item = from < length ? kt_arena_strndup(arena, at + from, length - from) : NULL;
		while (item != NULL && item[0] != '\0' && strchr(" \t", item[strlen(item) - 1]) != NULL)
			item[strlen(item) - 1] = '\0';
		done = item == NULL || add_wanted(slugs, arena, query, item);
		at += length;
		at += *at == ';';
	}
	return done;
}

/* The devices of docs/store.md, "How an entry is matched", as far as they can be named without a list. */
static bool list_devices(struct kt_names *slugs, struct kt_arena *arena, const struct kt_query *query)
{
	bool done = true;
	if (query->wanted_devices != NULL && query->wanted_devices[0] != '\0')
		return add_list(slugs, arena, query);
	if (query->gpu != NULL)
		done = push(slugs, arena, slug(arena, query->gpu->name, query->gpu->cc)) &&
		       (query->gpu->cc == 0 ||
		        push(slugs, arena, kt_arena_printf(arena, "sm_%lld", (long long)query->gpu->cc)));
	for (size_t i = 0; done && i < query->architecture_count; i++)
		done = push(slugs, arena, kt_arena_printf(arena, "sm_%lld", (long long)query->architectures[i]));
	return done;
}

/* Has an exact entry been found that this slug stands for? An architecture's: any, unless the GPU's own is missing. */
static bool is_known(struct kt_arena *arena, const char *device, const struct kt_query *query,
                     const struct kt_found *known, size_t known_count)
{
	for (size_t i = 0; i < known_count; i++) {
		const struct kt_device *theirs = &known[i].entry.device;
		const char *text = slug(arena, theirs->name, theirs->cc);
		const char *sm = theirs->cc != 0 ? kt_arena_printf(arena, "sm_%lld", (long long)theirs->cc) : NULL;
		bool own = query->gpu == NULL || query->gpu->cc != theirs->cc || strcmp(query->gpu->name, theirs->name) == 0;
		if (known[i].closeness == KT_CLOSE_EXACT &&
		    ((text != NULL && strcasecmp(text, device) == 0) || (sm != NULL && own && strcmp(sm, device) == 0)))
			return true;
	}
	return false;
}

bool kt_names_wanted(struct kt_names *out, struct kt_arena *arena, const struct kt_query *query,
                     const struct kt_found *known, size_t known_count)
{
	const char *const keys[] = {query->region_key, query->closure, query->near_key};
	struct kt_names slugs = {0};
	bool done = list_devices(&slugs, arena, query);
	for (size_t d = 0; done && d < slugs.count; d++)
		for (size_t k = 0; done && k < sizeof keys / sizeof *keys; k++)
			if (keys[k] != NULL && !is_known(arena, slugs.items[d], query, known, known_count))
				done = push(out, arena, kt_arena_printf(arena, "%s-%s.json", keys[k], slugs.items[d]));
	return done;
}

bool kt_names_of(struct kt_names *out, struct kt_arena *arena, const struct kt_entry *entry)
{
	const char *const keys[] = {entry->region_key, entry->closure, entry->near_key};
	bool done = true;
	for (size_t k = 0; done && k < sizeof keys / sizeof *keys; k++) {
		done = push(out, arena,
		            kt_arena_printf(arena, "%s-%s.json", keys[k], slug(arena, entry->device.name, entry->device.cc)));
		if (done && entry->device.cc != 0)
			done = push(out, arena,
			            kt_arena_printf(arena, "%s-sm_%lld.json", keys[k], (long long)entry->device.cc));
	}
	return done;
}
