/*
 * Settings: one table of keys, the same everywhere. Later sources win:
 * $XDG_CONFIG_HOME/ktune/ktune.conf, the nearest .ktune.conf upward from the
 * working directory, the environment, the command line.
 * A configuration file has lines KEY=VALUE (the KTUNE_ prefix may be left out)
 * and comments starting with '#'. Which keys a project's file may set is a column
 * of the table: none that names a program, a path outside of the project, a server,
 * a key or a model. A project's file that another user could write is ignored
 * (base/trust.h).
 */
#ifndef KT_BASE_CONFIG_H
#define KT_BASE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum kt_switch { KT_SWITCH_AUTO, KT_SWITCH_OFF, KT_SWITCH_ON };
/*
 * Who compiles candidates: NVRTC where its code of the original is like nvcc's, nvcc alone, NVRTC whatever it makes
 * of it.
 */
enum kt_compiler { KT_COMPILER_AUTO, KT_COMPILER_NVCC, KT_COMPILER_NVRTC };
/* KTUNE_OBJECTIVE: what a result is chosen by, the time of a launch, its energy, or their product. */
enum kt_goal { KT_GOAL_TIME, KT_GOAL_ENERGY, KT_GOAL_EDP };
enum kt_mode { KT_MODE_AUTO, KT_MODE_CACHED, KT_MODE_REQUIRE, KT_MODE_RETUNE, KT_MODE_OFF };

/* The model generator (docs/generation-llm.md). Without a URL there is none. */
struct kt_llm_settings {
	const char *url;          /* KTUNE_LLM_URL: https://…, http://…, dir:/path, transcript:/path */
	const char *model;        /* KTUNE_LLM_MODEL */
	/* Where the key is; at most one is asked, in this order. The key itself is no setting. */
	const char *key_file;     /* KTUNE_LLM_KEY_FILE */
	const char *key_command;  /* KTUNE_LLM_KEY_COMMAND: words; its first line of output is the key */
	const char *key_env;      /* KTUNE_LLM_KEY_ENV: the name of an environment variable */
	const char *proxy;        /* KTUNE_LLM_PROXY; NULL: http_proxy and related variables decide */
	const char *ca_file;      /* KTUNE_LLM_CA_FILE: a bundle; NULL: the system's */
	double timeout_s;         /* KTUNE_LLM_TIMEOUT: one request with its repetitions */
	double idle_s;            /* KTUNE_LLM_IDLE: the longest silence of the endpoint */
	bool no_stream;           /* KTUNE_LLM_STREAM=off */
	int64_t retries;          /* KTUNE_LLM_RETRIES */
	int64_t jobs;             /* KTUNE_LLM_JOBS: requests at a time, of all processes that share the store */
	/* KTUNE_LLM_SCHEMA: is a JSON schema sent along; auto: first with, then without where the endpoint refuses it */
	enum kt_switch schema;
	double temperature;       /* KTUNE_LLM_TEMPERATURE */
	int64_t seed;             /* KTUNE_LLM_SEED: of the first request of a region; negative: none is sent */
	int64_t reply_tokens;     /* KTUNE_LLM_REPLY_TOKENS: the longest reply */
	int64_t tokens;           /* KTUNE_LLM_TOKENS: for one region, prompts and replies together */
	/* KTUNE_LLM_COST: in 24 hours, of all processes that share the store; negative: no limit */
	double cost;
	double price_prompt, price_reply; /* KTUNE_LLM_PRICE "0.27,1.10": of a million tokens each */
	double wait_s;            /* KTUNE_LLM_WAIT: for answers, all questions of a region together */
	int64_t rounds;           /* KTUNE_LLM_ROUNDS: of one region */
	int64_t attempts;         /* KTUNE_LLM_ATTEMPTS: answers of a round, each to the same question with another seed */
	const char *record;       /* KTUNE_LLM_RECORD: a folder for transcripts; NULL: none */
	bool allow_assembly;      /* KTUNE_LLM_ASSEMBLY: inline assembly in generated text */
};

struct kt_config {
	enum kt_mode mode;
	bool disabled;            /* KTUNE_DISABLE */
	const char *device;       /* KTUNE_DEVICE, NULL: whatever is there */
	const char *cache_dir;    /* KTUNE_CACHE_DIR, else $XDG_CACHE_HOME/ktune, else ~/.cache/ktune */
	/*
	 * What belongs to this user on this machine, whatever the store: $XDG_CACHE_HOME/ktune, else ~/.cache/ktune;
	 * cache_dir where there is no such place.
	 */
	const char *machine_dir;
	const char *lock_dir;     /* KTUNE_LOCK_DIR, NULL: search upward */
	const char *safe_directory; /* KTUNE_SAFE_DIRECTORY: folders whose files are used whatever their owner; NULL: none */
	const char *ignored_file; /* why the nearest .ktune.conf was not read, and what allows it; NULL: no such file */
	const char *remote;       /* KTUNE_REMOTE: where a team's entries are, "https://host/folder"; NULL: nowhere */
	int64_t remote_ms;        /* KTUNE_REMOTE_MS: the longest that a build waits for it (store/remote.h) */
	bool remote_write;        /* KTUNE_REMOTE_WRITE: what is tuned here is put there */
	const char *remote_token_file, *remote_token_command, *remote_ca; /* NULL: none */
	double check_s;              /* KTUNE_CHECK_SECONDS: processor time for the checks of entries' texts in one command */
	double compile_s;            /* KTUNE_COMPILE_SECONDS: the longest that NVRTC may take for one candidate */
	double build_budget_seconds; /* KTUNE_BUILD_BUDGET: tuning in one build tree; negative: no limit */
	double budget_seconds;    /* KTUNE_BUDGET "60", "60s", "2m", "500n" (trials); negative: default */
	int64_t budget_trials;
	/* KTUNE_WAIT: for another process that tunes the same region; negative: twice its budget */
	double wait_seconds;
	int64_t jobs;             /* KTUNE_JOBS, default: processors that this process may run on */
	enum kt_compiler compiler; /* KTUNE_COMPILER */
	enum kt_goal goal;        /* KTUNE_OBJECTIVE */
	bool all_gpus;            /* KTUNE_GPUS=all: devices of one kind tune a region together */
	const char *strategy;     /* KTUNE_STRATEGY: its own name, base/strategies.h; NULL: not set, by the size of the space */
	const char *generator;    /* KTUNE_GENERATOR: "rules", "ir", "llm" or "off"; NULL: not set, the rules */
	struct kt_llm_settings llm;
	double relax;             /* KTUNE_RELAX: moves the soft limits of pruning (tuning/compiled.h), −0.5 to 0.5 */
	const char *log;          /* KTUNE_LOG: a file for what ktcc did and why; NULL: none */
	const char *runner_launcher; /* KTUNE_RUNNER_LAUNCHER: words put in front of ktcc-runner */
	const char *backend;      /* KTUNE_BACKEND: "cuda" or "opencl"; NULL: not set, the runner takes cuda */
	const char *replay;       /* KTUNE_REPLAY: a recording that answers instead of a GPU */
	const char *record;       /* KTUNE_RECORD: where the runner's answers are recorded */
	const char *t4;           /* KTUNE_T4: a folder for what was measured, as T4 files; NULL: none */
	const char *sizes;        /* KTUNE_SIZES: what a program printed with KTUNE_TRACE=1 (planning/traced.h); NULL: nothing */
	enum kt_switch sanitize;  /* KTUNE_SANITIZE: tools that watch a winner run; auto: within a tenth of the budget */
	/* KTUNE_COUNTERS: what a profiler counts of a result; auto: before a model is asked, within a fifth of the budget */
	enum kt_switch counters;
	const char *clang;        /* KTUNE_LIBCLANG */
};

/*
 * Strings live in arena. A bad value is KT_ERR_INVALID naming key and source; *out then holds what could be read, and
 * always what the environment sets.
 */
kt_status kt_config_load(struct kt_config *out, struct kt_arena *arena, struct kt_error *err) KT_MUST_CHECK;
/* Sets one key as --set or a flag does; name without KTUNE_, any case. */
kt_status kt_config_set(struct kt_config *config, struct kt_arena *arena, const char *name, const char *value,
                        struct kt_error *err) KT_MUST_CHECK;

const char *kt_goal_name(enum kt_goal goal); /* "time", "energy", "edp" */

/* The name of key number `index` without KTUNE_, and whether a project's file may set it; NULL: there are no more. */
const char *kt_config_key(size_t index, bool *project);
/* The setting whose name is most like this one, both without KTUNE_; NULL: none is. */
const char *kt_config_nearest(const char *name);
/*
 * Lines about names KTUNE_… in the environment that nothing reads and that are nearly a setting's name, each with that
 * name; with `all` about any other as well. In the arena; NULL: there is none.
 */
const char *kt_config_unknown(struct kt_arena *arena, const struct kt_config *config, bool all);

#endif
