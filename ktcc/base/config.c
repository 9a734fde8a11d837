#include "base/config.h"

#include <errno.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/key.h"
#include "base/processors.h"
#include "base/strategies.h"
#include "base/nearest.h"
#include "base/target.h"
#include "base/trust.h"
#include "base/url.h"

/* What a setting takes. */
struct form {
	/* Reads a text into the field; false: it is none of this form. */
	bool (*set)(void *field, struct kt_arena *arena, const char *value, const struct form *form);
	const char *takes; /* for the message about a wrong value; NULL: see docs/cli.md */
	double low, high;
	const char *const *words;
	size_t word_count;
};

static bool set_text(void *field, struct kt_arena *arena, const char *value, const struct form *form)
{
	(void)form;
	*(const char **)field = value[0] == '\0' ? NULL : kt_arena_strdup(arena, value);
	return true;
}

static bool set_flag(void *field, struct kt_arena *arena, const char *value, const struct form *form)
{
	(void)arena;
	(void)form;
	*(bool *)field = value[0] != '\0' && strcmp(value, "0") != 0 && strcasecmp(value, "off") != 0 &&
	                 strcasecmp(value, "false") != 0;
	return true;
}

/* A switch whose field has the opposite meaning: it is on unless it is set to off. */
static bool set_unflag(void *field, struct kt_arena *arena, const char *value, const struct form *form)
{
	(void)set_flag(field, arena, value, form);
	*(bool *)field = !*(bool *)field;
	return true;
}

static bool find_word(size_t *out, const char *value, const struct form *form)
{
	for (*out = 0; *out < form->word_count; ++*out)
		if (strcasecmp(form->words[*out], value) == 0)
			return true;
	return false;
}

/* An enumeration, by the words of its values. */
static bool set_choice(void *field, struct kt_arena *arena, const char *value, const struct form *form)
{
	size_t word;
	(void)arena;
	if (!find_word(&word, value, form))
		return false;
	*(int *)field = (int)word;
	return true;
}

static bool set_mode(void *field, struct kt_arena *arena, const char *value, const struct form *form)
{
	const char *meant = kt_nearest(value, form->words, form->word_count);
	if (set_choice(field, arena, value, form))
		return true;
	/* A build that was to fail without entries must not pass because of a typing error. */
	if (meant != NULL && strcmp(meant, "require") == 0)
		*(int *)field = KT_MODE_REQUIRE;
	return false;
}

/* The word itself; NULL where there is none. */
static bool set_word(void *field, struct kt_arena *arena, const char *value, const struct form *form)
{
	size_t word;
	const bool known = find_word(&word, value, form);
	(void)arena;
	*(const char **)field = known ? form->words[word] : NULL;
	return known || value[0] == '\0';
}

/* A search by any of its names. */
static bool set_strategy(void *field, struct kt_arena *arena, const char *value, const struct form *form)
{
	const char *name = kt_strategy_name(value);
	(void)arena;
	(void)form;
	*(const char **)field = name;
	return name != NULL || value[0] == '\0';
}

/* Is it the second of two words? */
static bool set_second(void *field, struct kt_arena *arena, const char *value, const struct form *form)
{
	size_t word;
	const bool known = find_word(&word, value, form);
	(void)arena;
	*(bool *)field = known && word == 1;
	return known;
}

static bool set_whole(void *field, struct kt_arena *arena, const char *value, const struct form *form)
{
	int64_t number;
	char *end;
	(void)arena;
	errno = 0;
	number = strtoll(value, &end, 10);
	if (errno != 0 || *end != '\0' || end == value || (double)number < form->low || (double)number > form->high)
		return false;
	*(int64_t *)field = number;
	return true;
}

static bool set_number(void *field, struct kt_arena *arena, const char *value, const struct form *form)
{
	char *end;
	const double number = strtod(value, &end);
	(void)arena;
	if (end == value || *end != '\0' || !(number >= form->low && number <= form->high))
		return false;
	*(double *)field = number;
	return true;
}

/* "0.27,1.10": a million tokens of prompt, of reply. */
static bool set_price(void *field, struct kt_arena *arena, const char *value, const struct form *form)
{
	struct kt_config *config = field;
	char *comma, *end;
	double prompt = strtod(value, &comma), reply;

	(void)arena;
	(void)form;
	if (comma == value || *comma != ',')
		return false;
	reply = strtod(comma + 1, &end);
	if (end == comma + 1 || *end != '\0' || !(prompt >= 0 && prompt <= 1e6) || !(reply >= 0 && reply <= 1e6))
		return false;
	config->llm.price_prompt = prompt;
	config->llm.price_reply = reply;
	return true;
}

/* "60", "60s", "2m", "500n" (trials); several separated by commas. */
static bool set_budget(void *field, struct kt_arena *arena, const char *value, const struct form *form)
{
	struct kt_config *config = field;
	(void)arena;
	(void)form;
	while (*value != '\0') {
		char *end;
		double number = strtod(value, &end);

		if (end == value || !(number >= 0) || number > 1e9)
			return false;
		if (*end == 'n')
			config->budget_trials = (int64_t)number;
		else
			config->budget_seconds = *end == 'm' ? number * 60 : number;
		if (*end == 'n' || *end == 'm' || *end == 's')
			end++;
		if (*end != ',' && *end != '\0')
			return false;
		value = end + (*end == ',');
	}
	return true;
}

/* "90", "90s", "10m", "2h". */
static bool set_seconds(void *field, struct kt_arena *arena, const char *value, const struct form *form)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
	char *end;
	double number = strtod(value, &end);

	(void)arena;
	(void)form;
	for (size_t i = 0; end != value && number >= 0 && number <= 1e9 && i < sizeof units / sizeof *units; i++)
		if (strcmp(end, units[i].unit) == 0) {
			number *= units[i].seconds;
			*(double *)field = number;
			return true;
		}
	return false;
}

/*
 * "https://host:port/folder": what would hold a password, end the path, or go over a network in the clear is refused.
 */
static bool set_remote(void *field, struct kt_arena *arena, const char *value, const struct form *form)
{
	if (value[0] == '\0')
		return set_text(field, arena, value, form);
	if (!kt_url_may_go(value) || strlen(value) > 2048 || strpbrk(value, "?#@\\\"<>{}|^`") != NULL)
		return false;
	for (const char *at = value; *at != '\0'; at++)
		if (*at <= ' ' || *at >= 0x7f)
			return false;
	return set_text(field, arena, value, form);
}

#define WORDS(list) .words = list, .word_count = sizeof(list) / sizeof *(list)
static const char *const modes[] = {"auto", "cached", "require", "retune", "off"},
			 *const backends[] = {KT_TARGETS(KT_TARGET_NAME)},
			 *const generators[] = {"rules", "ir", "llm", "off"}, *const gpus[] = {"one", "all"};
static const char *const compilers[] = {[KT_COMPILER_AUTO] = "auto", [KT_COMPILER_NVCC] = "nvcc", [KT_COMPILER_NVRTC] = "nvrtc"};
static const char *const goals[] = {[KT_GOAL_TIME] = "time", [KT_GOAL_ENERGY] = "energy", [KT_GOAL_EDP] = "edp"};
static const char *const switches[] = {[KT_SWITCH_AUTO] = "auto", [KT_SWITCH_OFF] = "off", [KT_SWITCH_ON] = "on"};
static const struct form text_form = {.set = set_text}, flag_form = {.set = set_flag}, unflag_form = {.set = set_unflag}, remote_form = {.set = set_remote};
static const struct form mode_form = {.set = set_mode, .takes = "auto, cached, require, retune or off", WORDS(modes)};
static const struct form backend_form = {.set = set_word, .takes = "cuda or opencl", WORDS(backends)};
static const struct form compiler_form = {.set = set_choice, .takes = "auto, nvcc or nvrtc", WORDS(compilers)};
static const struct form goal_form = {.set = set_choice, .takes = "time, energy or edp", WORDS(goals)};
static const struct form gpus_form = {.set = set_second, .takes = "one or all", WORDS(gpus)};
static const struct form generator_form = {.set = set_word, .takes = "rules, ir, llm or off", WORDS(generators)};
static const struct form switch_form = {.set = set_choice, .takes = "auto, off or on", WORDS(switches)};
static const struct form count_form = {set_whole, "a whole number", 0, 1e12, NULL, 0};
static const struct form jobs_form = {set_whole, "a number from 1 to 4096", 1, 4096, NULL, 0};
static const struct form amount_form = {set_number, "a number that is not negative", 0, 1e9, NULL, 0};
static const struct form relax_form = {set_number, "a number from -0.5 to 0.5", -0.5, 0.5, NULL, 0};
static const struct form strategy_form = {.set = set_strategy, .takes = kt_strategy_names};
static const struct form price_form = {set_price, "two numbers, such as 0.27,1.10", 0, 0, NULL, 0};
static const struct form budget_form = {set_budget, "60, 60s, 2m, 500n, or two with a comma", 0, 0, NULL, 0};
static const struct form seconds_form = {set_seconds, "90, 90s, 10m or 2h", 0, 0, NULL, 0};

const char *kt_goal_name(enum kt_goal goal)
{
	return goals[goal];
}

/* Whether a project's .ktune.conf may set the key: it names no program, path, server or key, and spends nothing. */
enum project_rule {
	USERS,   /* only the user's own file, the environment and the command line */
	ANYONE,  /* a project's file as well */
	BELOW    /* a project's file as well, for a path below its own folder; a relative path starts there */
};

#define FIELD(key, form, field, rule) {key, &form, offsetof(struct kt_config, field), rule}
#define TEXT(key, field, rule) FIELD(key, text_form, field, rule)
static const struct {
	const char *name;
	const struct form *form;
	size_t offset; /* 0: the form knows its fields */
	enum project_rule project;
} keys[] = {
    FIELD("MODE", mode_form, mode, ANYONE),
    FIELD("BACKEND", backend_form, backend, ANYONE),
    FIELD("DISABLE", flag_form, disabled, ANYONE),
    {"BUDGET", &budget_form, 0, ANYONE},
    FIELD("JOBS", jobs_form, jobs, ANYONE),
    FIELD("COMPILER", compiler_form, compiler, ANYONE),
    FIELD("OBJECTIVE", goal_form, goal, ANYONE),
    FIELD("GPUS", gpus_form, all_gpus, ANYONE),
    FIELD("STRATEGY", strategy_form, strategy, ANYONE),
    FIELD("RELAX", relax_form, relax, ANYONE),
    FIELD("SANITIZE", switch_form, sanitize, ANYONE),
    FIELD("COUNTERS", switch_form, counters, ANYONE),
    TEXT("DEVICE", device, ANYONE),
    TEXT("CACHE_DIR", cache_dir, USERS),
    TEXT("LOCK_DIR", lock_dir, BELOW),
    TEXT("SAFE_DIRECTORY", safe_directory, USERS),
    FIELD("REMOTE", remote_form, remote, USERS),
    FIELD("REMOTE_MS", count_form, remote_ms, USERS),
    FIELD("REMOTE_WRITE", flag_form, remote_write, USERS),
    TEXT("REMOTE_TOKEN_FILE", remote_token_file, USERS),
    TEXT("REMOTE_TOKEN_COMMAND", remote_token_command, USERS),
    TEXT("REMOTE_CA", remote_ca, USERS),
    FIELD("BUILD_BUDGET", seconds_form, build_budget_seconds, ANYONE),
    FIELD("WAIT", seconds_form, wait_seconds, ANYONE),
    /* A model sees the source and costs money: that one is asked is the user's decision. */
    FIELD("GENERATOR", generator_form, generator, USERS),
    TEXT("LLM_URL", llm.url, USERS),
    TEXT("LLM_MODEL", llm.model, USERS),
    TEXT("LLM_KEY_FILE", llm.key_file, USERS),
    TEXT("LLM_KEY_COMMAND", llm.key_command, USERS),
    TEXT("LLM_KEY_ENV", llm.key_env, USERS),
    TEXT("LLM_PROXY", llm.proxy, USERS),
    TEXT("LLM_CA_FILE", llm.ca_file, USERS),
    TEXT("LLM_RECORD", llm.record, USERS),
    FIELD("LLM_TIMEOUT", amount_form, llm.timeout_s, USERS),
    FIELD("LLM_IDLE", amount_form, llm.idle_s, USERS),
    FIELD("LLM_STREAM", unflag_form, llm.no_stream, USERS),
    FIELD("LLM_RETRIES", count_form, llm.retries, USERS),
    FIELD("LLM_JOBS", count_form, llm.jobs, USERS),
    FIELD("LLM_SCHEMA", switch_form, llm.schema, USERS),
    FIELD("LLM_TEMPERATURE", amount_form, llm.temperature, USERS),
    FIELD("LLM_SEED", count_form, llm.seed, USERS),
    FIELD("LLM_REPLY_TOKENS", count_form, llm.reply_tokens, USERS),
    FIELD("LLM_TOKENS", count_form, llm.tokens, USERS),
    FIELD("LLM_COST", amount_form, llm.cost, USERS),
    {"LLM_PRICE", &price_form, 0, USERS},
    FIELD("CHECK_SECONDS", seconds_form, check_s, USERS),
    FIELD("COMPILE_SECONDS", seconds_form, compile_s, ANYONE),
    FIELD("LLM_WAIT", seconds_form, llm.wait_s, USERS),
    FIELD("LLM_ROUNDS", count_form, llm.rounds, USERS),
    FIELD("LLM_ATTEMPTS", count_form, llm.attempts, USERS),
    FIELD("LLM_ASSEMBLY", flag_form, llm.allow_assembly, USERS),
    TEXT("LOG", log, USERS),
    TEXT("RUNNER_LAUNCHER", runner_launcher, USERS),
    TEXT("REPLAY", replay, USERS),
    TEXT("RECORD", record, USERS),
    TEXT("T4", t4, USERS),
    TEXT("SIZES", sizes, USERS),
    TEXT("LIBCLANG", clang, USERS),
};

enum { KEY_COUNT = sizeof keys / sizeof *keys };

/* The row of a key with or without KTUNE_, in any case; KEY_COUNT: there is none. */
static size_t find_key(const char *name)
{
	size_t i = 0;

	if (strncasecmp(name, "KTUNE_", 6) == 0)
		name += 6;
	while (i < KEY_COUNT && strcasecmp(keys[i].name, name) != 0)
		i++;
	return i;
}

const char *kt_config_key(size_t index, bool *project)
{
	if (index >= KEY_COUNT)
		return NULL;
	*project = keys[index].project != USERS;
	return keys[index].name;
}

static kt_status unknown_key(const char *name, struct kt_error *err)
{
	const char *near = kt_config_nearest(strncasecmp(name, "KTUNE_", 6) == 0 ? name + 6 : name);

	if (near == NULL)
		return kt_fail(err, KT_ERR_INVALID, "%s is no setting; remove it, or see docs/cli.md for those there are", name);
	return kt_fail(err, KT_ERR_INVALID, "%s is no setting; did you mean %s?", name, near);
}

kt_status kt_config_set(struct kt_config *config, struct kt_arena *arena, const char *name, const char *value,
                        struct kt_error *err)
{
	const size_t i = find_key(name);

	if (i == KEY_COUNT)
		return unknown_key(name, err);
	if (keys[i].form->set((char *)config + keys[i].offset, arena, value, keys[i].form))
		return KT_OK;
	if (keys[i].form == &remote_form)
		/* What was given may hold a password. */
		return kt_fail(err, KT_ERR_INVALID,
		               "KTUNE_REMOTE has another form; write an https address, or an http address of this machine, without "
		               "name, password and query");
	return kt_fail(err, KT_ERR_INVALID, "KTUNE_%s=%.200s is not understood; write %s", keys[i].name, value,
	               keys[i].form->takes != NULL ? keys[i].form->takes : "a value of its form (docs/cli.md)");
}

/* Trims blanks at both ends in place. */
static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\r");
	length = strlen(text);
	while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL)
		text[--length] = '\0';
	return text;
}

/* One line of a project's file, which lies in `folder`. */
static kt_status set_from_project(struct kt_config *config, struct kt_arena *arena, const char *folder,
				  const char *name, const char *value, struct kt_error *err)
{
	const size_t i = find_key(name);
	const char *path;

	if (i < KEY_COUNT && keys[i].project == USERS)
		return kt_fail(err, KT_ERR_INVALID, "%s may not be set by a project's file; set it in your own settings", name);
	if (i == KEY_COUNT || keys[i].project != BELOW || value[0] == '\0')
		return kt_config_set(config, arena, name, value, err);
	NEED(path = kt_path_absolute(arena, value, folder), kt_no_memory(err));
	if (!kt_path_below(path, folder))
		return kt_fail(err, KT_ERR_INVALID, "%s in a project's file is a path below %s", name, folder);
	return kt_config_set(config, arena, name, path, err);
}

/* `project`: the folder of a project's file; NULL: the file is the user's own. */
static kt_status read_file(struct kt_config *config, struct kt_arena *arena, const char *path, const char *project,
                           struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error ignored;
	kt_status status = KT_OK;
	unsigned number = 0;
	char *line, *rest;

	/* An unreadable configuration is an absent one: the build goes on. */
	if (kt_fs_read(&text, path, &ignored) != KT_OK || text.size == 0) {
		kt_buf_free(&text);
		return KT_OK;
	}
	for (rest = text.data; (line = strsep(&rest, "\n")) != NULL && status == KT_OK;) {
		char *equals;

		number++;
		line = trim(line);
		if (line[0] == '\0' || line[0] == '#')
			continue;
		equals = strchr(line, '=');
		if (equals == NULL) {
			status = kt_fail(err, KT_ERR_INVALID, "%s:%u: '%.80s' is no setting; write KEY=VALUE", path, number, line);
			break;
		}
		*equals = '\0';
		line = trim(line);
		status = project != NULL ? set_from_project(config, arena, project, line, trim(equals + 1), err)
		                         : kt_config_set(config, arena, line, trim(equals + 1), err);
		if (status != KT_OK)
			kt_fail_prefix(err, "%s:%u", path, number);
	}
	kt_buf_free(&text);
	return status;
}

static kt_status read_user_file(struct kt_config *config, struct kt_arena *arena, struct kt_error *err)
{
	const char *path = kt_user_path(arena, "ktune.conf");

	return path != NULL ? read_file(config, arena, path, NULL, err) : KT_OK;
}

static kt_status read_project_file(struct kt_config *config, struct kt_arena *arena, struct kt_error *err)
{
	char *directory = kt_path_absolute(arena, ".", NULL);

	while (directory != NULL) {
		char *path = kt_path_join(arena, directory, ".ktune.conf");

		if (path != NULL && access(path, F_OK) == 0) {
			const char *why;

			if (kt_trust_path(&why, arena, path))
				return read_file(config, arena, path, directory, err);
			config->ignored_file = kt_arena_printf(arena, "%s is ignored: %s", path, why);
			return KT_OK;
		}
		if (strcmp(directory, "/") == 0)
			break;
		directory = kt_path_dirname(arena, directory);
	}
	return KT_OK;
}

/* NULL: this user has no home. */
static const char *find_machine_dir(struct kt_arena *arena)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	const struct passwd *user;

	if (cache != NULL && cache[0] == '/')
		return kt_arena_printf(arena, "%s/ktune", cache);
	/* A place where anybody may write is none for a store: what is in it gets compiled. */
	if (home == NULL || home[0] != '/')
		home = (user = getpwuid(geteuid())) != NULL ? user->pw_dir : NULL;
	return home != NULL && home[0] == '/' ? kt_arena_printf(arena, "%s/.cache/ktune", home) : NULL;
}

kt_status kt_config_load(struct kt_config *out, struct kt_arena *arena, struct kt_error *err)
{
	/* Temperature, seed and ceilings: the values of a request where no setting gives another. */
	static const struct kt_llm_settings llm = {.timeout_s = 600, .idle_s = 120, .retries = 4, .jobs = 2,
	                                           .temperature = 0.7, .seed = 1, .reply_tokens = 8192,
	                                           .tokens = 200000, .cost = -1, .wait_s = 600, .rounds = 3,
	                                           .attempts = 1};
	struct kt_config config = {.budget_seconds = -1, .budget_trials = -1, .build_budget_seconds = -1, .check_s = 20, .compile_s = 60,
	                           .remote_ms = 200, .wait_seconds = -1, .llm = llm};
	kt_status status;

	config.jobs = kt_processors();
	status = read_user_file(&config, arena, err);
	/* What is safe is known before a project's file is looked at. */
	if (getenv("KTUNE_SAFE_DIRECTORY") != NULL)
		(void)set_text(&config.safe_directory, arena, getenv("KTUNE_SAFE_DIRECTORY"), &text_form);
	kt_trust_set_safe(config.safe_directory);
	THEN(status, read_project_file(&config, arena, err));
	/* After an error, too: whether it ends the build is for KTUNE_MODE to decide. */
	for (size_t i = 0; i < KEY_COUNT; i++) {
		struct kt_error second;
		char name[64];
		const char *value;

		snprintf(name, sizeof name, "KTUNE_%s", keys[i].name);
		value = getenv(name);
		if (value == NULL || value[0] == '\0')
			continue;
		if (kt_config_set(&config, arena, name, value, &second) != KT_OK && status == KT_OK) {
			status = second.code;
			*err = second;
		}
	}
	config.machine_dir = find_machine_dir(arena);
	if (config.cache_dir == NULL)
		config.cache_dir = config.machine_dir != NULL ? config.machine_dir : "/nonexistent/.cache/ktune";
	if (config.machine_dir == NULL)
		config.machine_dir = config.cache_dir;
	*out = config;
	return status;
}
