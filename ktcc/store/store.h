/*
 * The store: what was found and what was measured, in SQLite, and its
 * reviewable copy in `ktune.lock/`. Schema: docs/store.md.
 *
 * A store that is absent, locked, read-only, full or corrupt never fails a
 * build: kt_store_open reports why, callers go on without. Where a look-up takes a
 * store, NULL is one that holds nothing.
 *
 * A damaged file is moved aside, and what of it is whole is taken over. A file of a newer schema is opened for
 * reading and left as it is. Both are reported in one line.
 */
#ifndef KT_STORE_STORE_H
#define KT_STORE_STORE_H

#include "base/emitted.h"
#include "base/config.h"
#include "base/device.h"
#include "base/fs.h"
#include "base/reason.h"
#include "base/recipe.h"
#include "base/template.h"
#include "base/trial.h"

struct kt_store;

/* The formats that this program writes: of an entry, and of the database. */
struct kt_formats {
	int entry, schema;
};
struct kt_formats kt_store_formats(void);

kt_status kt_store_open(struct kt_store **out, const char *directory, struct kt_error *err) KT_MUST_CHECK;
void kt_store_close(struct kt_store *store); /* accepts NULL */
/* Adds 1 to a named counter ("manifest-hit", "tuned", "reason:no-gpu", …). Failures are dropped. */
void kt_store_count(struct kt_store *store, const char *name);
void kt_store_add(struct kt_store *store, const char *name, int64_t amount);

/* How far the search of an entry came (planning/enough.h). UNKNOWN: an older ktcc did not record it. */
enum kt_search_state {
	KT_SEARCH_UNKNOWN, KT_SEARCH_EXHAUSTED, KT_SEARCH_MEASURED, KT_SEARCH_TRIALS, KT_SEARCH_BUDGET,
};
const char *kt_search_state_name(enum kt_search_state state); /* "exhausted", "measured", "trials", "budget"; "" */
bool kt_search_state_from_name(enum kt_search_state *out, const char *name);

/* A variant for some of the problems only: tried before the general one, where its rule holds. */
struct kt_special {
	const char *when;          /* the rule: an expression over the problem variables, as text */
	int64_t *configuration;
	int64_t registers, local_bytes, shared_bytes;
};

/* A variant that runs only where an argument is a multiple of KT_ALIGNED_BYTES: elsewhere it was slower than the original. */
#define KT_ALIGNED_BYTES 16
#define KT_ALIGNED_MOST 256 /* most of them in an entry */
struct kt_aligned {
	int64_t variant;      /* 0: the general configuration, K specials[K − 1] */
	const char *argument; /* a pointer's name */
};

/* Who wrote a template that a model wrote; all NULL otherwise. */
struct kt_entry_author {
	const char *model;    /* the name that was given */
	const char *when;     /* "2026-01-31": the day of the answer */
	const char *question, *answer; /* hashes: of the question in transcripts, of the answer */
};

/* Who vouches for an entry (base/key.h); both NULL: it is not signed. */
struct kt_entry_signature {
	const char *key, *value;
};

/* The winner of one region instance on one device. Also the content of ktune.lock/REGION/DEVICE.json. */
/* How the device was while the times of an entry were measured; all 0: it does not tell. */
struct kt_stability {
	int64_t blocks, throttled;       /* measurements of a problem in the last comparison; those with low clocks all the same */
	int64_t repeats;                 /* thrown away, and made again, since clocks were low for heat or the power supply */
	int64_t sm_mhz_least, sm_mhz_most, celsius_most, watts_most;
};

/* A size that no problem lists, as it was measured. */
#define KT_UNLISTED_ORIGINAL (-1)
struct kt_unlisted {
	int64_t *values;               /* one per variable */
	int64_t variant;               /* as kt_entry.serves; KT_UNLISTED_ORIGINAL: no guards hold, the original runs */
	double baseline_ns, tuned_ns;  /* medians; tuned: of what runs there */
};

/*
 * Of what was compared with energy measured: nothing else was both faster and used less. Geometric means over the problems
 * of one launch.
 */
struct kt_energy_point {
	const int64_t *configuration; /* NULL: the original */
	double time_ns, energy_uj;
};
#define KT_ENERGY_POINTS 25 /* most of one entry */

struct kt_entry {
	const char *region_key, *near_key, *closure;
	/* The options of ptxas that it was tuned with, "maxrregcount=32 ptxas-options=-O1"; NULL: none, or format 1. */
	const char *assembler;
	const char *symbol;        /* the kernel's name (base/symbol.h), of a launch region its kernels'; NULL: format 1 */
	const char *name;          /* the region's name */
	const char *instance;      /* "silu_and_mul<__half>" */
	const char *kernel;
	struct kt_device device;
	const char *device_key;
	const char *generator;     /* "explicit" */
	struct kt_entry_author author;
	/* How the rules made its variants; NULL: they did not, or nothing is emitted. */
	const struct kt_recipe *recipe;
	/*
	 * What a model wrote, or what the rules rebuilt from the recipe; of an entry that was read its region is not set.
	 * NULL: the text is the region's own, nothing is emitted, or the recipe waits to be followed.
	 */
	const struct kt_template *template_;
	bool baseline_best;        /* no general configuration beat the original: it serves what no special one does */
	size_t parameter_count;
	const char **parameters;   /* names */
	int64_t *configuration;    /* the general one */
	size_t special_count;
	struct kt_special *specials; /* in the order of trial */
	size_t aligned_count;
	struct kt_aligned *aligned;
	size_t variable_count, problem_count;
	const char **variables;
	int64_t *problems;
	struct kt_timing *baseline, *tuned; /* one per problem; tuned: of the variant that serves it */
	int64_t *serves;           /* one per problem: 0 the general configuration, K specials[K − 1]; NULL: all 0 */
	size_t unlisted_count;     /* 0 of entries from before such sizes were measured */
	struct kt_unlisted *unlisted;
	int64_t unlisted_left_out; /* such sizes that the original could not be run on */
	double *general_ns;        /* one per problem: the general configuration's time; NULL or 0: not measured */
	/* KTUNE_OBJECTIVE where it is "energy" or "edp", for which alone energy is measured; NULL: time, and none was. */
	const char *objective;
	double *baseline_uj, *tuned_uj; /* one per problem: microjoules of one launch; NULL or 0: not measured */
	int64_t energy_error;      /* by how many thousandths any of these may be off, at most */
	size_t point_count;
	struct kt_energy_point *points; /* by time */
	double *copy_ns;          /* one per problem, traffic-matched copy; NULL or 0: not measured */
	int64_t registers, local_bytes, shared_bytes; /* of the winner */
	int64_t tried, legal;      /* configurations measured; legal ones in the space */
	enum kt_search_state search; /* how far the search came: with BUDGET the next tuning goes on */
	const char *toolkit, *driver, *tool, *date; /* provenance */
	int64_t checks;            /* launches beside its problems that a winner was right on; 0: not known, or no winner */
	struct kt_stability stability;
	const char *watched_by;    /* tools that watched it run and found nothing, "memcheck, initcheck"; NULL: none */
	int64_t generation;        /* grows with every change of this entry in the local store; 0 outside it */
	const char *trial_key;     /* of its trials, where it was tuned on this store; else NULL */
	/* Of one in the local store: "remote" where it came from there, "import" of text that was imported; else NULL. */
	const char *origin;
	struct kt_entry_signature signature;
	const char *hash;          /* of one that was read: of its content, which a signature is made of; else NULL */
};
/*
 * Keys are KT_HASH_TEXT hashes; name, parameters and variables are identifiers;
 * there is at least one problem, with times above 0; a rule names problem
 * variables only. `tuned` may be NULL, or its medians 0, with baseline_best. Of the device, identity is kept. An entry
 * that breaks this is refused with KT_ERR_INVALID and a JSON pointer.
 */

/*
 * Is there nothing to go on with? For an entry without the state of its search there is nothing; for one that the
 * trials of its budget ended there is where more of them are allowed.
 */
bool kt_entry_is_final(const struct kt_entry *entry);
/* "31 of 48 configurations measured, which is enough": how far the search came; nothing where that is not known. */
void kt_entry_search_text(struct kt_buf *out, const struct kt_entry *entry);

/* Its configurations, the general one first unless the original is; out has room for special_count + 1. */
size_t kt_entry_configurations(const int64_t **out, const struct kt_entry *entry);
/* Does it bring text that a model wrote, which only its author can make again? */
bool kt_entry_has_text(const struct kt_entry *entry);
/* Gives it the signature of the user's own key, over all of its content, in arena. As kt_key_sign. */
kt_status kt_entry_sign(struct kt_entry *entry, struct kt_arena *arena, struct kt_error *err) KT_MUST_CHECK;
/* Has a key signed what was read that the user trusts? Else KT_ERR_INVALID, with a JSON pointer and what helps. */
kt_status kt_entry_check_signature(const struct kt_entry *entry, struct kt_arena *arena, struct kt_error *err)
    KT_MUST_CHECK;
/* Does the entry change anything? False: the original serves every problem. */
bool kt_entry_has_variant(const struct kt_entry *entry);
/* Appends variant K as text: "BLOCK=256 VEC=8", 0 the general one, which is "original" with baseline_best. */
void kt_entry_variant_text(struct kt_buf *out, const struct kt_entry *entry, int64_t variant);
/*
 * Under which condition variant K is tried at a launch: its rule, and what its arguments are aligned to. Nothing: always.
 * As text, and read, in arena.
 */
void kt_entry_when_text(struct kt_buf *out, const struct kt_entry *entry, int64_t variant);
kt_status kt_entry_when(struct kt_clause_expr *out, struct kt_arena *arena, const struct kt_entry *entry, int64_t variant,
                        struct kt_error *err) KT_MUST_CHECK;
/* Which variant serves a problem, as kt_entry.serves. */
int64_t kt_entry_serves(const struct kt_entry *entry, size_t problem);
/* Geometric mean and least of baseline / tuned over the sizes that no problem lists; 0 where there are none. */
void kt_entry_unlisted_gain(double *gain, double *least, const struct kt_entry *entry);
/* The time of a copy of the same traffic over that of what serves the problem: 1 where that is as fast as the copy.
 * 0: unknown. */
double kt_entry_of_copy(const struct kt_entry *entry, size_t problem);
/* That share in words: "2.2x slower than a copy of the same bytes". */
void kt_copy_print(struct kt_buf *out, double of_copy);

enum kt_closeness { KT_CLOSE_NONE, KT_CLOSE_ARCHITECTURE, KT_CLOSE_ASSEMBLER, KT_CLOSE_TOOLKIT, KT_CLOSE_EXACT };
/* "none", "same-architecture", "assembler", "toolkit", "exact" */
const char *kt_closeness_name(enum kt_closeness closeness);

struct kt_found {
	struct kt_entry entry;
	enum kt_closeness closeness;
	const char *source; /* "lock", "local", "remote": in the local store, where it came from the remote */
	const char *path;   /* lock file, NULL for local */
	const char *rebuilt; /* hash of what its recipe came to, where that is not what was measured; set by who follows it */
};

/*
 * What to look for: region_key may be NULL (closure only); architectures are
 * the compiled cc × 10 (none given: any). closure and near_key must already
 * distinguish everything that a result depends on: the clauses as well.
 */
struct kt_query {
	const char *closure, *near_key, *region_key;
	const char *assembler; /* as an entry's; NULL: none */
	const char *symbol;   /* an entry with another one is another kernel's, whatever its keys; NULL: not known */
	const char *name, *instance;
	const char *lock_dir; /* NULL: none */
	const char *wanted_devices; /* KTUNE_DEVICE or NULL: "NVIDIA H200;sm_90" */
	const char *toolkit;       /* compared with the entry's; NULL: equal keys are proof enough */
	const struct kt_device *gpu; /* the GPU in the machine, or NULL */
	size_t architecture_count;
	const int64_t *architectures;
};

/*
 * Finds at most one entry per device, best first, lock directory before local.
 * With wanted_devices: those devices; else with gpu: that device first, then
 * every entry whose architecture is compiled. `store` may be NULL (lock only).
 * Closeness is the distance to the entry's own device; only where the GPU has
 * no entry, those of its architecture are KT_CLOSE_ARCHITECTURE. An
 * entry that was tuned with other options of ptxas is KT_CLOSE_ASSEMBLER at most.
 * A damaged lock file is reported in *damaged (text, NULL if none) and skipped.
 */
kt_status kt_store_find(struct kt_found **out, size_t *count, char **damaged, struct kt_arena *arena,
                        struct kt_store *store, const struct kt_query *query, struct kt_error *err) KT_MUST_CHECK;
/* The path of a lock file that another text of a kernel of this name and instance left; NULL: none. */
const char *kt_store_older_text(struct kt_arena *arena, const struct kt_query *query);
/*
 * The identity of a device that entries of any region in the lock directory (NULL: none) or the store are for, by one
 * item of KTUNE_DEVICE; its limits are 0. False: none, and *names lists those there are ("NVIDIA H200 (sm_90), …";
 * NULL: none).
 */
bool kt_store_device(struct kt_device *out, const char **names, struct kt_arena *arena, struct kt_store *store,
                     const char *lock_dir, const char *wanted);
/* Is there any entry for this region, whatever the device? (to tell unknown-device from no-entry) */
bool kt_store_has_any(struct kt_store *store, const struct kt_query *query);
/*
 * Is there any entry of the query's name (NULL: of any), or a file in the place of one, in its lock directory or
 * here?
 */
bool kt_store_has_name(struct kt_store *store, const struct kt_query *query);

/* Writes the entry (transaction) and raises its generation. */
kt_status kt_store_put(struct kt_store *store, const struct kt_entry *entry, struct kt_error *err) KT_MUST_CHECK;
/* Remembers that this closure has this region key. */
kt_status kt_store_put_closure(struct kt_store *store, const char *closure, const char *region_key,
                               struct kt_error *err) KT_MUST_CHECK;
/* The region key of a closure, allocated in arena; NULL when unknown. */
const char *kt_store_region_key(struct kt_store *store, struct kt_arena *arena, const char *closure);
/*
 * The entry's generation for (region key, device key); 0: no entry. device_key
 * NULL: of all devices together, a number that changes with every change of
 * any entry of the region. region_key NULL: a number that changes with every
 * change of any entry.
 */
int64_t kt_store_generation(struct kt_store *store, const char *region_key, const char *device_key);

/* Trials: one row per (trial key, configuration, problem), written when measured. */
/*
 * trial_key: what a measurement depends on besides configuration and problem;
 * config_text: "BLOCK=256 VEC=8"; problem_text: "rows=16 d=4096".
 */
kt_status kt_store_put_trial(struct kt_store *store, const char *trial_key, const char *device_key,
                             const char *config_text, const char *problem_text, const struct kt_trial *trial,
                             struct kt_error *err) KT_MUST_CHECK;
/* Several at once, all of them or none: what a disk is asked for is the same for one and for many. */
struct kt_trial_row {
	const char *configuration, *problem; /* as texts */
	struct kt_trial trial;
};
kt_status kt_store_put_trials(struct kt_store *store, const char *trial_key, const char *device_key,
                              const struct kt_trial_row *rows, size_t count, struct kt_error *err) KT_MUST_CHECK;
/* Visits every trial of a key and device, those of a configuration one after the other. Stops on false. */
typedef bool (*kt_trial_visit)(const char *config_text, const char *problem_text, const struct kt_trial *trial,
                               void *context);
kt_status kt_store_each_trial(struct kt_store *store, const char *trial_key, const char *device_key,
                              kt_trial_visit visit, void *context, struct kt_error *err) KT_MUST_CHECK;
bool kt_store_get_trial(struct kt_trial *out, struct kt_arena *arena, struct kt_store *store, const char *trial_key,
                        const char *device_key, const char *config_text, const char *problem_text);

/*
 * What the trials of a key and device are about, so that searches of other spaces start from them.
 * parameters: "BLOCK:block-x VEC:vector", each with its kind (tuning/kind.h).
 */
struct kt_trial_subject {
	const char *trial_key, *device_key;
	const char *kernel, *instance, *parameters;
};
kt_status kt_store_put_subject(struct kt_store *store, const struct kt_trial_subject *subject, struct kt_error *err)
    KT_MUST_CHECK;
/* Visits up to `most` of the kernel of that name, or of other kernels, those used last first. Stops on false. */
typedef bool (*kt_subject_visit)(const struct kt_trial_subject *subject, void *context);
kt_status kt_store_each_subject(struct kt_store *store, const char *kernel, bool others, int64_t most,
                                kt_subject_visit visit, void *context, struct kt_error *err) KT_MUST_CHECK;

/* The device record last seen in this machine, so that a hit needs no driver:
 * keyed by a fingerprint of /dev and /proc. */
kt_status kt_store_put_machine(struct kt_store *store, const char *fingerprint, const struct kt_device *device,
                               struct kt_error *err) KT_MUST_CHECK;
/* False when unknown. */
bool kt_store_get_machine(struct kt_device *out, struct kt_arena *arena, struct kt_store *store,
                          const char *fingerprint);

/* Small files kept by content (compiled helpers): name → bytes. */
kt_status kt_store_put_blob(struct kt_store *store, const char *key, const void *data, size_t size,
                            struct kt_error *err) KT_MUST_CHECK;
bool kt_store_get_blob(struct kt_buf *out, struct kt_store *store, const char *key);

/* Manifest: what a compile command came to last time. */
struct kt_manifest_file {
	const char *path;
	struct kt_file_stamp stamp;
	const char *hash;
};
struct kt_manifest_lookup {
	const char *region_key, *device_key; /* device_key NULL: all devices */
	int64_t generation;
};
struct kt_manifest {
	size_t file_count;
	struct kt_manifest_file *files;   /* input and project headers */
	size_t absent_count;
	const char **absent;              /* paths that must not exist: they would shadow an include */
	size_t lookup_count;
	struct kt_manifest_lookup *lookups;
	const char *lock_dir, *lock_hash; /* lock directory and kt_lock_fingerprint of region_names there; NULL: none */
	size_t region_count;
	const char **region_names;
	size_t extra_count;
	const char **extra;               /* the depfile's prerequisites of ktcc's own: stamp, lock folders */
	size_t dependency_count;
	const char **dependencies;        /* the depfile's prerequisites, as nvcc listed them */
	struct kt_emitted emitted;        /* the emitted files; none: the original compiles */
	const char *reason;               /* why the original compiles; NULL with emitted */
	const char *message;              /* the one line that was printed then; NULL: none */
	bool lasting;                     /* the next such command comes to the same; false: it has to look again */
};
kt_status kt_store_put_manifest(struct kt_store *store, const char *key, const struct kt_manifest *manifest,
                                struct kt_error *err) KT_MUST_CHECK;
bool kt_store_get_manifest(struct kt_manifest *out, struct kt_arena *arena, struct kt_store *store, const char *key);
/* Visits every manifest; stops on false. */
typedef bool (*kt_manifest_visit)(const struct kt_manifest *manifest, void *context);
kt_status kt_store_each_manifest(struct kt_store *store, struct kt_arena *arena, kt_manifest_visit visit, void *context,
                                 struct kt_error *err) KT_MUST_CHECK;

/*
 * Objects that looked up a region, so that a later tuning or import can touch their stamps. Each is found by the
 * region's near key, and by its name: an entry may be a region's by its region key alone, which is not known
 * everywhere.
 */
kt_status kt_store_put_stamp(struct kt_store *store, const char *near_key, const char *stamp_path,
                             struct kt_error *err) KT_MUST_CHECK;
kt_status kt_store_put_named_stamp(struct kt_store *store, const char *name, const char *stamp_path,
                                   struct kt_error *err) KT_MUST_CHECK;
/* Touches the stamp of every object that looked this region up; forgets those that are gone. */
void kt_store_touch_stamps(struct kt_store *store, const char *near_key);
/* The same for all regions of a name. */
void kt_store_touch_named_stamps(struct kt_store *store, const char *name);

/*
 * One tuner per region and device: a lock file below the store, released by the kernel when its holder ends. Waits up
 * to wait_s. A holder that lives but gives no sign of it for minutes (kt_store_lease_beat) is replaced.
 */
struct kt_lease;
kt_status kt_store_lease(struct kt_lease **out, struct kt_store *store, const char *name, double wait_s,
                         struct kt_error *err) KT_MUST_CHECK;
/* A sign of life, at most one per second: called from the loops of a tuning. Accepts NULL. */
void kt_store_lease_beat(struct kt_lease *lease);
void kt_store_lease_release(struct kt_lease *lease);

/* One line of a region's history: what was decided, and why. kt_store_put writes one by itself ("entry"). */
kt_status kt_store_put_decision(struct kt_store *store, const char *region_key, const char *device_key,
                              const char *event, const char *detail, struct kt_error *err) KT_MUST_CHECK;

/*
 * A region's history on a device, oldest first, from the last line with the event `since` on; where there is none, all
 * of it. Stops on false.
 */
typedef bool (*kt_decision_visit)(int64_t unix_time, const char *event, const char *detail, void *context);
kt_status kt_store_each_decision(struct kt_store *store, const char *region_key, const char *device_key,
                               const char *since, kt_decision_visit visit, void *context, struct kt_error *err)
    KT_MUST_CHECK;

/*
 * Marks: a number and a time under a name, shared by all processes on the store. What a build tree has spent, what a
 * server has cost, what it was found not to have.
 */
enum kt_mark_time {
	KT_MARK_FIRST, /* the time of a mark is that of its first addition */
	KT_MARK_LAST,  /* of its last */
};
/* False: there is none, or its time is more than age_s seconds ago. */
bool kt_store_get_mark(int64_t *value, struct kt_store *store, const char *name, int64_t age_s);
/* Adds in one step; one that is older than age_s starts again from 0. A refused write is dropped: false. */
bool kt_store_add_mark(struct kt_store *store, const char *name, int64_t amount, int64_t age_s,
                       enum kt_mark_time time);

/* Visits every entry, counter, trial count; used by `ktcc cache`. Stops on false. */
typedef bool (*kt_entry_visit)(const struct kt_entry *entry, void *context);
kt_status kt_store_each_entry(struct kt_store *store, kt_entry_visit visit, void *context, struct kt_error *err)
    KT_MUST_CHECK;
typedef bool (*kt_counter_visit)(const char *name, int64_t value, void *context);
kt_status kt_store_each_counter(struct kt_store *store, kt_counter_visit visit, void *context, struct kt_error *err)
    KT_MUST_CHECK;

/* What gc did: rows of entries, trials, manifests and blobs that went; bytes of the pages in use. */
struct kt_gc {
	int64_t removed, bytes_before, bytes_after;
};
/*
 * Removes entries, trials, manifests and blobs unused for days, then those unused longest until at most bytes_most are
 * left (negative: no limit), then what nothing leads to. Vacuums.
 */
kt_status kt_store_gc(struct kt_gc *out, struct kt_store *store, int64_t days, int64_t bytes_most,
                      struct kt_error *err) KT_MUST_CHECK;
/*
 * Removes the precompiled headers (docs/store.md) of a user's machine_dir that were made longer ago than days, and what
 * processes that were killed left there. What cannot be removed stays.
 */
void kt_store_sweep_headers(const char *machine_dir, int64_t days);
/* Bytes of the pages that hold something. */
kt_status kt_store_bytes(int64_t *out, struct kt_store *store, struct kt_error *err) KT_MUST_CHECK;
/* PRAGMA integrity_check and foreign keys, and every entry parsed;
 * *problems counts findings, which out gets as one line each. */
kt_status kt_store_verify(int64_t *problems, struct kt_buf *out, struct kt_store *store, struct kt_error *err)
    KT_MUST_CHECK;
/* Every user-visible figure of the schema: rows per table. */
kt_status kt_store_table_rows(struct kt_buf *out_json_object, struct kt_store *store, struct kt_error *err)
    KT_MUST_CHECK;

#endif
