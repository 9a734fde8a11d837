/*
 * A team's entries on an HTTP server, read after the lock directory and the
 * local store. What is asked for is one file per key and device, so that any
 * server that answers GET serves; what comes back is data that is checked like
 * a file of the lock directory. Names and limits: docs/store.md, "The remote".
 *
 * Nothing here fails a build. Waiting costs one build at most KTUNE_REMOTE_MS
 * (200): a command spends no more, and what a server cost that did not help is
 * summed up in the store, so that the next command spends what is left.
 */
#ifndef KT_STORE_REMOTE_H
#define KT_STORE_REMOTE_H

#include "store/store.h"

#define KT_REMOTE_WINDOW_S 600 /* in which waiting without an answer is summed up */
#define KT_REMOTE_MS_MOST 60000
#define KT_REMOTE_MISS_S 300  /* what the server did not have is not asked for again so long */
#define KT_REMOTE_FREE_MS 20  /* of an answer that nothing is there: not counted against the server */

struct kt_remote;

/*
 * NULL where there is no KTUNE_REMOTE, or no store that can be written: without one nothing could be remembered of a
 * server that is down. Starts nothing. config and store outlive it.
 */
struct kt_remote *kt_remote_open(const struct kt_config *config, struct kt_store *store);
void kt_remote_close(struct kt_remote *remote); /* accepts NULL */
/*
 * Asks for the query's keys (those that are not NULL) and the devices it wants, except devices of which `known` has an
 * exact entry. *out: entries that are whole and belong to the query, none kept yet; *damaged: what was refused and
 * why, or NULL. No answer, or NULL for remote, is no entry.
 */
void kt_remote_fetch(struct kt_entry **out, size_t *count, char **damaged, struct kt_arena *arena,
                     struct kt_remote *remote, const struct kt_query *query, const struct kt_found *known,
                     size_t known_count);
/* An entry that came from there does not fit: counted, and its names are not asked for again so soon. */
void kt_remote_refuse(struct kt_remote *remote, const struct kt_entry *entry);
/* Puts an entry that was made here under all its names, where KTUNE_REMOTE_WRITE is set. Accepts NULL. */
void kt_remote_put(struct kt_remote *remote, const struct kt_entry *entry);
/*
 * Puts an entry there whatever the settings and however long it takes, unless all of its names hold the same text
 * already: *put is whether it did. For people, not for builds: nothing is counted or remembered, and a failure is an
 * error.
 */
kt_status kt_remote_push(bool *put, struct kt_remote *remote, const struct kt_entry *entry, struct kt_error *err)
    KT_MUST_CHECK;
/* How the server answers at all: one line of text into *out; false: it cannot be used. For people, not for builds. */
bool kt_remote_probe(struct kt_buf *out, const struct kt_config *config);

#endif
