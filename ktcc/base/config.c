#include "base/config.h"

#include <errno.h>
#include <pwd.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/fs.h"

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

	(void)arena;
	(void)offset;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcasecmp(names[i], value) == 0) {
			config->mode = (enum kt_mode)i;
			return true;
		}
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

static bool set_generator(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	static const char *const names[] = {"rules", "llm", "off"};

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

/* "https://host:port/folder": anything that would hold a password, or end the path, is refused. */
static bool set_remote(struct kt_config *config, struct kt_arena *arena, size_t offset, const char *value)
{
	const char *host = strstr(value, "://");

	if (value[0] == '\0')
		return set_text(config, arena, offset, value);
	if ((strncmp(value, "http://", 7) != 0 && strncmp(value, "https://", 8) != 0) || host[3] == '\0' ||
	    strlen(value) > 2048 || strpbrk(value, "?#@\\\"<>{}|^`") != NULL)
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

#define TEXT(key, field) {key, set_text, offsetof(struct kt_config, field)}
static const struct {
	const char *name;
	setter set;
	size_t offset;
} keys[] = {
    {"MODE", set_mode, 0},
    {"BACKEND", set_backend, 0},
    {"DISABLE", set_flag, offsetof(struct kt_config, disabled)},
    {"BUDGET", set_budget, 0},
    {"JOBS", set_jobs, 0},
    {"RELAX", set_relax, 0},
    {"SANITIZE", set_switch, offsetof(struct kt_config, sanitize)},
    {"COUNTERS", set_switch, offsetof(struct kt_config, counters)},
    TEXT("DEVICE", device),
    TEXT("CACHE_DIR", cache_dir),
    TEXT("LOCK_DIR", lock_dir),
    {"REMOTE", set_remote, offsetof(struct kt_config, remote)},
    {"REMOTE_MS", set_count, offsetof(struct kt_config, remote_ms)},
    {"REMOTE_WRITE", set_flag, offsetof(struct kt_config, remote_write)},
    TEXT("REMOTE_TOKEN_FILE", remote_token_file),
    TEXT("REMOTE_TOKEN_COMMAND", remote_token_command),
    TEXT("REMOTE_CA", remote_ca),
    {"BUILD_BUDGET", set_seconds, offsetof(struct kt_config, build_budget_seconds)},
    {"WAIT", set_seconds, offsetof(struct kt_config, wait_seconds)},
    {"GENERATOR", set_generator, 0},
    TEXT("LLM_URL", llm.url),
    TEXT("LLM_MODEL", llm.model),
    TEXT("LLM_KEY_FILE", llm.key_file),
    TEXT("LLM_KEY_COMMAND", llm.key_command),
    TEXT("LLM_KEY_ENV", llm.key_env),
    TEXT("LLM_PROXY", llm.proxy),
    TEXT("LLM_CA_FILE", llm.ca_file),
    TEXT("LLM_RECORD", llm.record),
    {"LLM_TIMEOUT", set_amount, offsetof(struct kt_config, llm.timeout_s)},
    {"LLM_IDLE", set_amount, offsetof(struct kt_config, llm.idle_s)},
    {"LLM_STREAM", set_unflag, offsetof(struct kt_config, llm.no_stream)},
    {"LLM_RETRIES", set_count, offsetof(struct kt_config, llm.retries)},
    {"LLM_JOBS", set_count, offsetof(struct kt_config, llm.jobs)},
    {"LLM_SCHEMA", set_switch, offsetof(struct kt_config, llm.schema)},
    {"LLM_TEMPERATURE", set_amount, offsetof(struct kt_config, llm.temperature)},
    {"LLM_SEED", set_count, offsetof(struct kt_config, llm.seed)},
    {"LLM_REPLY_TOKENS", set_count, offsetof(struct kt_config, llm.reply_tokens)},
    {"LLM_TOKENS", set_count, offsetof(struct kt_config, llm.tokens)},
    {"LLM_COST", set_amount, offsetof(struct kt_config, llm.cost)},
    {"LLM_PRICE", set_price, 0},
    {"LLM_WAIT", set_seconds, offsetof(struct kt_config, llm.wait_s)},
    {"LLM_ROUNDS", set_count, offsetof(struct kt_config, llm.rounds)},
    {"LLM_ATTEMPTS", set_count, offsetof(struct kt_config, llm.attempts)},
    {"LLM_ASSEMBLY", set_flag, offsetof(struct kt_config, llm.allow_assembly)},
    TEXT("LOG", log),
    TEXT("RUNNER_LAUNCHER", runner_launcher),
    TEXT("REPLAY", replay),
    TEXT("RECORD", record),
    TEXT("T4", t4),
    TEXT("LIBCLANG", clang),
};

enum { KEY_COUNT = sizeof keys / sizeof *keys };

/* What a setter takes, for whoever wrote something else. */
static const char *taken_by(setter set)
{
	static const struct {
		setter set;
		const char *takes;
	} rows[] = {
	    {set_mode, "auto, cached, require, retune, off"},
	    {set_backend, "cuda, opencl"},
	    {set_generator, "rules, llm, off"},
	    {set_switch, "auto, off, on"},
	    {set_count, "a whole number"},
	    {set_amount, "a number that is not negative"},
	    {set_price, "two numbers: 0.27,1.10"},
	    {set_jobs, "a number from 1 to 4096"},
	    {set_budget, "60, 60s, 2m, 500n, or two with a comma"},
	    {set_seconds, "90, 90s, 10m, 2h"},
	    {set_relax, "-0.5 to 0.5"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].set == set)
			return rows[i].takes;
	return "another form";
}

kt_status kt_config_set(struct kt_config *config, struct kt_arena *arena, const char *name, const char *value,
                        struct kt_error *err)
{
	if (strncasecmp(name, "KTUNE_", 6) == 0)
		name += 6;
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (strcasecmp(keys[i].name, name) != 0)
			continue;
		if (keys[i].set == set_remote && !set_remote(config, arena, keys[i].offset, value))
			/* What was given may hold a password. */
			return kt_fail(err, KT_ERR_INVALID,
			               "KTUNE_REMOTE is an http or https address without name, password and query");
		if (!keys[i].set(config, arena, keys[i].offset, value))
			return kt_fail(err, KT_ERR_INVALID, "KTUNE_%s=%.200s is not understood (it takes %s)", keys[i].name, value,
			               taken_by(keys[i].set));
		return KT_OK;
	}
	return kt_fail(err, KT_ERR_INVALID, "%s is not a setting", name);
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

/* Keys that only the user sets: a checkout must not send a token or a source anywhere, nor run a program to get one. */
static bool is_users(const char *name)
{
	static const char *const prefixes[] = {"REMOTE_", "LLM_"};

	if (strncasecmp(name, "KTUNE_", 6) == 0)
		name += 6;
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (strncasecmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static kt_status read_file(struct kt_config *config, struct kt_arena *arena, const char *path, bool project,
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
			status = kt_fail(err, KT_ERR_INVALID, "%s:%u: KEY=VALUE expected", path, number);
			break;
		}
		*equals = '\0';
		line = trim(line);
		if (project && is_users(line))
			status = kt_fail(err, KT_ERR_INVALID, "%s is not taken from a project's file", line);
		else
			status = kt_config_set(config, arena, line, trim(equals + 1), err);
		if (status != KT_OK)
			kt_fail_prefix(err, "%s:%u", path, number);
	}
	kt_buf_free(&text);
	return status;
}

static kt_status read_user_file(struct kt_config *config, struct kt_arena *arena, struct kt_error *err)
{
	const char *home = getenv("XDG_CONFIG_HOME");
	char *path = NULL;

	if (home != NULL && home[0] == '/')
		path = kt_arena_printf(arena, "%s/ktune/ktune.conf", home);
	else if ((home = getenv("HOME")) != NULL)
		path = kt_arena_printf(arena, "%s/.config/ktune/ktune.conf", home);
	return path != NULL ? read_file(config, arena, path, false, err) : KT_OK;
}

static kt_status read_project_file(struct kt_config *config, struct kt_arena *arena, struct kt_error *err)
{
	char *directory = kt_path_absolute(arena, ".", NULL);

	while (directory != NULL) {
		char *path = kt_path_join(arena, directory, ".ktune.conf");

		if (path != NULL && access(path, R_OK) == 0) {
			const char *users = config->remote;
			kt_status status = read_file(config, arena, path, true, err);

			config->remote_from_project = config->remote != users;
			return status;
		}
		if (strcmp(directory, "/") == 0)
			break;
		directory = kt_path_dirname(arena, directory);
	}
	return KT_OK;
}

static const char *default_cache_dir(struct kt_arena *arena)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	const struct passwd *user;

	if (cache != NULL && cache[0] == '/')
		return kt_arena_printf(arena, "%s/ktune", cache);
	/* A place where anybody may write is none for a store: what is in it gets compiled. */
	if (home == NULL || home[0] != '/')
		home = (user = getpwuid(geteuid())) != NULL ? user->pw_dir : NULL;
	return kt_arena_printf(arena, "%s/.cache/ktune", home != NULL && home[0] == '/' ? home : "/nonexistent");
}

/* Those that this process may run on: a container or a job scheduler leaves it some of the machine's. */
static int64_t processors(void)
{
	cpu_set_t allowed;
	/* Where they are more than a cpu_set_t holds: all that there are, which takes reading files. */
	long count = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed)
	                                                                 : sysconf(_SC_NPROCESSORS_ONLN);

	return count > 0 ? count : 1;
}

kt_status kt_config_load(struct kt_config *out, struct kt_arena *arena, struct kt_error *err)
{
	/* Temperature, seed and ceilings: what a request says where nobody said otherwise. */
	static const struct kt_llm_settings llm = {.timeout_s = 600, .idle_s = 120, .retries = 4, .jobs = 2,
	                                           .temperature = 0.7, .seed = 1, .reply_tokens = 8192,
	                                           .tokens = 200000, .cost = -1, .wait_s = 600, .rounds = 3,
	                                           .attempts = 1};
	struct kt_config config = {.budget_seconds = -1, .budget_trials = -1, .build_budget_seconds = -1, .remote_ms = 200,
	                           .wait_seconds = -1, .llm = llm};
	kt_status status;

	config.jobs = processors();
	status = read_user_file(&config, arena, err);
	if (status == KT_OK)
		status = read_project_file(&config, arena, err);
	for (size_t i = 0; i < KEY_COUNT && status == KT_OK; i++) {
		char name[64];
		const char *value;

		snprintf(name, sizeof name, "KTUNE_%s", keys[i].name);
		value = getenv(name);
		if (value == NULL || value[0] == '\0')
			continue;
		status = kt_config_set(&config, arena, name, value, err);
		if (strcmp(keys[i].name, "REMOTE") == 0)
			config.remote_from_project = false;
	}
	if (config.cache_dir == NULL)
		config.cache_dir = default_cache_dir(arena);
	*out = config;
	return status;
}
