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
#include "base/nearest.h"
#include "base/trust.h"
#include "base/url.h"

typedef bool (*setter)(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value);

static bool set_text(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	const char *copy = value[0] == '\0' ? NULL : kt_arena_strdup(arena, value);

	memcpy((char *)config + offset, &copy, sizeof copy);
	return true;
}

static bool set_flag(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	bool flag = value[0] != '\0' && strcmp(value, "0") != 0 && strcasecmp(value, "off") != 0 &&
	            strcasecmp(value, "false") != 0;

	(void)arena;
	memcpy((char *)config + offset, &flag, sizeof flag);
	return true;
}

static bool set_mode(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	static const char *const names[] = {"auto", "cached", "require", "retune", "off"};
	const size_t count = sizeof names / sizeof *names;
	const char *meant;

	(void)arena;
	(void)offset;
	for (size_t i = 0; i < count; i++)
		if (strcasecmp(names[i], value) == 0) {
			config->mode = (enum kt_mode)i;
			return true;
		}
	/* A build that was to fail without entries must not pass because of a typing error. */
	meant = kt_nearest(value, names, count);
	if (meant != NULL && strcmp(meant, "require") == 0)
		config->mode = KT_MODE_REQUIRE;
	return false;
}

static bool set_backend(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	static const char *const names[] = {"cuda", "opencl"};

	(void)arena;
	(void)offset;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcasecmp(names[i], value) == 0) {
			config->backend = names[i];
			return true;
		}
	return false;
}

static bool set_compiler(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	static const char *const names[] = {[KT_COMPILER_AUTO] = "auto", [KT_COMPILER_NVCC] = "nvcc",
	                                    [KT_COMPILER_NVRTC] = "nvrtc"};

	(void)arena;
	(void)offset;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcasecmp(names[i], value) == 0) {
			config->compiler = (enum kt_compiler)i;
			return true;
		}
	return false;
}

static const char *const goals[] = {[KT_GOAL_TIME] = "time", [KT_GOAL_ENERGY] = "energy", [KT_GOAL_EDP] = "edp"};

const char *kt_goal_name(enum kt_goal goal)
{
	return goals[goal];
}

static bool set_goal(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	(void)arena;
	(void)offset;
	for (size_t i = 0; i < sizeof goals / sizeof *goals; i++)
		if (strcasecmp(goals[i], value) == 0) {
			config->goal = (enum kt_goal)i;
			return true;
		}
	return false;
}

static bool set_gpus(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	const bool all = strcasecmp(value, "all") == 0;

	(void)arena;
	(void)offset;
	config->all_gpus = all;
	return all || strcasecmp(value, "one") == 0;
}

static bool set_generator(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	static const char *const names[] = {"rules", "ir", "llm", "off"};

	(void)arena;
	(void)offset;
	config->generator = NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcasecmp(names[i], value) == 0) {
			config->generator = names[i];
			return true;
		}
	return value[0] == '\0';
}

static bool set_switch(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	static const char *const names[] = {[KT_SWITCH_AUTO] = "auto", [KT_SWITCH_OFF] = "off", [KT_SWITCH_ON] = "on"};

	(void)arena;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcasecmp(names[i], value) == 0) {
			const enum kt_switch chosen = (enum kt_switch)i;

			memcpy((char *)config + offset, &chosen, sizeof chosen);
			return true;
		}
	return false;
}

/* A switch whose field says the contrary: what is on unless it is said otherwise. */
static bool set_unflag(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	bool flag;

	(void)set_flag(config, arena, offset, value);
	memcpy(&flag, (char *)config + offset, sizeof flag);
	flag = !flag;
	memcpy((char *)config + offset, &flag, sizeof flag);
	return true;
}

/* A whole number that is not negative. */
static bool set_count(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	int64_t count;
	char *end;

	(void)arena;
	errno = 0;
	count = strtoll(value, &end, 10);
	if (errno != 0 || *end != '\0' || end == value || count < 0 || count > INT64_C(1000000000000))
		return false;
	memcpy((char *)config + offset, &count, sizeof count);
	return true;
}

/* A number that is not negative. */
static bool set_amount(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	char *end;
	double amount = strtod(value, &end);

	(void)arena;
	if (end == value || *end != '\0' || !(amount >= 0 && amount <= 1e9))
		return false;
	memcpy((char *)config + offset, &amount, sizeof amount);
	return true;
}

/* "0.27,1.10": a million tokens of prompt, of reply. */
static bool set_price(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	char *comma, *end;
	double prompt = strtod(value, &comma), reply;

	(void)arena;
	(void)offset;
	if (comma == value || *comma != ',')
		return false;
	reply = strtod(comma + 1, &end);
	if (end == comma + 1 || *end != '\0' || !(prompt >= 0 && prompt <= 1e6) || !(reply >= 0 && reply <= 1e6))
		return false;
	config->llm.price_prompt = prompt;
	config->llm.price_reply = reply;
	return true;
}

static bool set_jobs(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	char *end;
	long jobs;

	(void)arena;
	(void)offset;
	errno = 0;
	jobs = strtol(value, &end, 10);
	if (errno != 0 || *end != '\0' || end == value || jobs < 1 || jobs > 4096)
		return false;
	config->jobs = (int64_t)jobs;
	return true;
}

/* "60", "60s", "2m", "500n" (trials); several separated by commas. */
static bool set_budget(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	(void)arena;
	(void)offset;
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
static bool set_seconds(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
	char *end;
	double number = strtod(value, &end);

	(void)arena;
	for (size_t i = 0; end != value && number >= 0 && number <= 1e9 && i < sizeof units / sizeof *units; i++)
		if (strcmp(end, units[i].unit) == 0) {
			number *= units[i].seconds;
			memcpy((char *)config + offset, &number, sizeof number);
			return true;
		}
	return false;
}

/*
 * "https://host:port/folder": what would hold a password, end the path, or go over a network in the clear is refused.
 */
static bool set_remote(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	if (value[0] == '\0')
		return set_text(config, arena, offset, value);
	if (!kt_url_may_go(value) || strlen(value) > 2048 || strpbrk(value, "?#@\\\"<>{}|^`") != NULL)
		return false;
	for (const char *at = value; *at != '\0'; at++)
		if (*at <= ' ' || *at >= 0x7f)
			return false;
	return set_text(config, arena, offset, value);
}

/* A share: "0.2", "-0.1". */
static bool set_relax(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	char *end;
	double share = strtod(value, &end);

	(void)arena;
	(void)offset;
	if (end == value || *end != '\0' || !(share >= -0.5 && share <= 0.5))
		return false;
	config->relax = share;
	return true;
}

/* Whether a project's .ktune.conf may set the key: it names no program, path, server or key, and spends nothing. */
enum project_rule {
	USERS,   /* only the user's own file, the environment and the command line */
	ANYONE,  /* a project's file as well */
	BELOW    /* a project's file as well, for a path below its own folder; a relative path starts there */
};

#define FIELD(key, set, field, rule) {key, set, offsetof(struct kt_config, field), rule}
#define TEXT(key, field, rule) FIELD(key, set_text, field, rule)
static const struct {
	const char *name;
	setter set;
	size_t offset;
	enum project_rule project;
} keys[] = {
    {"MODE", set_mode, 0, ANYONE},
    {"BACKEND", set_backend, 0, ANYONE},
    FIELD("DISABLE", set_flag, disabled, ANYONE),
    {"BUDGET", set_budget, 0, ANYONE},
    {"JOBS", set_jobs, 0, ANYONE},
    {"COMPILER", set_compiler, 0, ANYONE},
    {"OBJECTIVE", set_goal, 0, ANYONE},
    {"GPUS", set_gpus, 0, ANYONE},
    {"RELAX", set_relax, 0, ANYONE},
    FIELD("SANITIZE", set_switch, sanitize, ANYONE),
    FIELD("COUNTERS", set_switch, counters, ANYONE),
    TEXT("DEVICE", device, ANYONE),
    TEXT("CACHE_DIR", cache_dir, USERS),
    TEXT("LOCK_DIR", lock_dir, BELOW),
    TEXT("SAFE_DIRECTORY", safe_directory, USERS),
    FIELD("REMOTE", set_remote, remote, USERS),
    FIELD("REMOTE_MS", set_count, remote_ms, USERS),
    FIELD("REMOTE_WRITE", set_flag, remote_write, USERS),
    TEXT("REMOTE_TOKEN_FILE", remote_token_file, USERS),
    TEXT("REMOTE_TOKEN_COMMAND", remote_token_command, USERS),
    TEXT("REMOTE_CA", remote_ca, USERS),
    FIELD("BUILD_BUDGET", set_seconds, build_budget_seconds, ANYONE),
    FIELD("WAIT", set_seconds, wait_seconds, ANYONE),
    /* A model sees the source and costs money: that one is asked is the user's decision. */
    {"GENERATOR", set_generator, 0, USERS},
    TEXT("LLM_URL", llm.url, USERS),
    TEXT("LLM_MODEL", llm.model, USERS),
    TEXT("LLM_KEY_FILE", llm.key_file, USERS),
    TEXT("LLM_KEY_COMMAND", llm.key_command, USERS),
    TEXT("LLM_KEY_ENV", llm.key_env, USERS),
    TEXT("LLM_PROXY", llm.proxy, USERS),
    TEXT("LLM_CA_FILE", llm.ca_file, USERS),
    TEXT("LLM_RECORD", llm.record, USERS),
    FIELD("LLM_TIMEOUT", set_amount, llm.timeout_s, USERS),
    FIELD("LLM_IDLE", set_amount, llm.idle_s, USERS),
    FIELD("LLM_STREAM", set_unflag, llm.no_stream, USERS),
    FIELD("LLM_RETRIES", set_count, llm.retries, USERS),
    FIELD("LLM_JOBS", set_count, llm.jobs, USERS),
    FIELD("LLM_SCHEMA", set_switch, llm.schema, USERS),
    FIELD("LLM_TEMPERATURE", set_amount, llm.temperature, USERS),
    FIELD("LLM_SEED", set_count, llm.seed, USERS),
    FIELD("LLM_REPLY_TOKENS", set_count, llm.reply_tokens, USERS),
    FIELD("LLM_TOKENS", set_count, llm.tokens, USERS),
    FIELD("LLM_COST", set_amount, llm.cost, USERS),
    {"LLM_PRICE", set_price, 0, USERS},
    FIELD("CHECK_SECONDS", set_seconds, check_s, USERS),
    FIELD("COMPILE_SECONDS", set_seconds, compile_s, ANYONE),
    FIELD("LLM_WAIT", set_seconds, llm.wait_s, USERS),
    FIELD("LLM_ROUNDS", set_count, llm.rounds, USERS),
    FIELD("LLM_ATTEMPTS", set_count, llm.attempts, USERS),
    FIELD("LLM_ASSEMBLY", set_flag, llm.allow_assembly, USERS),
    TEXT("LOG", log, USERS),
    TEXT("RUNNER_LAUNCHER", runner_launcher, USERS),
    TEXT("REPLAY", replay, USERS),
    TEXT("RECORD", record, USERS),
    TEXT("T4", t4, USERS),
    TEXT("SIZES", sizes, USERS),
    TEXT("LIBCLANG", clang, USERS),
};

enum { KEY_COUNT = sizeof keys / sizeof *keys };

/* What a setter takes, for whoever wrote something else. */
static const char *taken_by(setter set)
{
	static const struct {
		setter set;
		const char *takes;
	} rows[] = {
	    {set_mode, "auto, cached, require, retune or off"},
	    {set_backend, "cuda or opencl"},
	    {set_compiler, "auto, nvcc or nvrtc"},
	    {set_goal, "time, energy or edp"},
	    {set_gpus, "one or all"},
	    {set_generator, "rules, ir, llm or off"},
	    {set_switch, "auto, off or on"},
	    {set_count, "a whole number"},
	    {set_amount, "a number that is not negative"},
	    {set_price, "two numbers, such as 0.27,1.10"},
	    {set_jobs, "a number from 1 to 4096"},
	    {set_budget, "60, 60s, 2m, 500n, or two with a comma"},
	    {set_seconds, "90, 90s, 10m or 2h"},
	    {set_relax, "a number from -0.5 to 0.5"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].set == set)
			return rows[i].takes;
	return "a value of its form (docs/cli.md)";
}

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
	if (keys[i].set == set_remote && !set_remote(config, arena, keys[i].offset, value))
		/* What was given may hold a password. */
		return kt_fail(err, KT_ERR_INVALID,
		               "KTUNE_REMOTE has another form; write an https address, or an http address of this machine, without "
		               "name, password and query");
	if (!keys[i].set(config, arena, keys[i].offset, value))
		return kt_fail(err, KT_ERR_INVALID, "KTUNE_%s=%.200s is not understood; write %s", keys[i].name, value,
		               taken_by(keys[i].set));
	return KT_OK;
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
	/* Temperature, seed and ceilings: what a request says where nobody said otherwise. */
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
		(void)set_text(&config, arena, offsetof(struct kt_config, safe_directory), getenv("KTUNE_SAFE_DIRECTORY"));
	kt_trust_set_safe(config.safe_directory);
	if (status == KT_OK)
		status = read_project_file(&config, arena, err);
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
