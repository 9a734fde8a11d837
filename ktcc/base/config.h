/*
 * Settings: one table of keys, the same everywhere. Later sources win:
 * $XDG_CONFIG_HOME/ktune/ktune.conf, the nearest .ktune.conf upward from the
 * working directory, the environment, the command line.
 * A configuration file has lines KEY=VALUE (the KTUNE_ prefix may be left out)
 * and comments starting with '#'.
 */
#ifndef KT_BASE_CONFIG_H
#define KT_BASE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum kt_sanitize { KT_SANITIZE_AUTO, KT_SANITIZE_OFF, KT_SANITIZE_ON };
enum kt_mode { KT_MODE_AUTO, KT_MODE_CACHED, KT_MODE_REQUIRE, KT_MODE_RETUNE, KT_MODE_OFF };

struct kt_config {
	enum kt_mode mode;
	bool disabled;            /* KTUNE_DISABLE */
	const char *device;       /* KTUNE_DEVICE, NULL: whatever is there */
	const char *cache_dir;    /* KTUNE_CACHE_DIR, else $XDG_CACHE_HOME/ktune, else ~/.cache/ktune */
	const char *lock_dir;     /* KTUNE_LOCK_DIR, NULL: search upward */
	const char *remote;
	double budget_seconds;    /* KTUNE_BUDGET "60", "60s", "2m", "500n" (trials); negative: default */
	int64_t budget_trials;
	int64_t jobs;             /* KTUNE_JOBS, default: processors */
	const char *generator;
	const char *llm_url, *llm_model, *llm_key_file;
	double relax;             /* KTUNE_RELAX: moves the soft limits of pruning (tuning/compiled.h), −0.5 to 0.5 */
	const char *log;          /* KTUNE_LOG: a file for what ktcc did and why; NULL: none */
	const char *runner_launcher; /* KTUNE_RUNNER_LAUNCHER: words put in front of ktcc-runner */
	const char *backend;      /* KTUNE_BACKEND: "cuda" or "opencl"; NULL: not set, the runner takes cuda */
	const char *replay;       /* KTUNE_REPLAY: a recording that answers instead of a GPU */
	const char *record;       /* KTUNE_RECORD: where the runner's answers are recorded */
	const char *t4;           /* KTUNE_T4: a folder for what was measured, as T4 files; NULL: none */
	enum kt_sanitize sanitize; /* KTUNE_SANITIZE: tools that watch a winner run; auto: within a tenth of the budget */
	const char *clang;        /* KTUNE_LIBCLANG */
};

/* Strings live in arena. A bad value is KT_ERR_INVALID naming key and source. */
kt_status kt_config_load(struct kt_config *out, struct kt_arena *arena, struct kt_error *err) KT_MUST_CHECK;
/* Sets one key as --set or a flag does; name without KTUNE_, any case. */
kt_status kt_config_set(struct kt_config *config, struct kt_arena *arena, const char *name, const char *value,
                        struct kt_error *err) KT_MUST_CHECK;

#endif
