/* What an entry is called on a server: KEY-DEVICE.json, below one folder. Part of remote.c. */
#ifndef KT_STORE_REMOTE_NAMES_H
#define KT_STORE_REMOTE_NAMES_H

#include "store/store.h"

#define KT_NAMES_MOST 48

struct kt_names {
	size_t count;
	char **items;
};

/*
 * What is asked for: each key of the query that is not NULL, for each device that is wanted and has no exact entry
 * among `known`. False when out of memory. At most KT_NAMES_MOST.
 */
bool kt_names_wanted(struct kt_names *out, struct kt_arena *arena, const struct kt_query *query,
                     const struct kt_found *known, size_t known_count);
/* What an entry is put under: each of its keys, for its device and for its device's architecture. */
bool kt_names_of(struct kt_names *out, struct kt_arena *arena, const struct kt_entry *entry);

#endif
