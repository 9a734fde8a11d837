#include "launch/key.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "emit/emit.h"
#include "launch/front.h"
#include "launch/machine.h"

#define VARIABLES_MOST 256

/* Environment that bears on the result; a trailing '*' stands for any rest. */
static const char *const variables[] = {
    "NVCC_*",       "CPATH",       "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "GCC_*",
    "COMPILER_PATH", "LIBRARY_PATH", "SOURCE_DATE_EPOCH", "CUDA_HOME",      "CUDA_PATH",
    "NVVMIR_LIBRARY_DIR", "KTUNE_*", "CICC_*",       "SDKROOT",     "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES",
    "LANG",         "LC_ALL",
};

/* Variables of ktcc's that decide how it works, not its result: a build with a log is a hit of one without. */
static const char *const without_effect[] = {
    "KTUNE_LOG", "KTUNE_RECORD", "KTUNE_JOBS", "KTUNE_BUDGET", "KTUNE_CACHE_DIR", "KTUNE_INSIDE", "KTUNE_DEPTH", "KTUNE_TRACE",
    "KTUNE_RUNNER_LAUNCHER", "KTUNE_LLM_*", "KTUNE_REMOTE_*",
};

static bool is_named(const char *name, const char *setting, size_t length)
{
	size_t size = strlen(name);

	if (name[size - 1] == '*')
		return strncmp(name, setting, size - 1) == 0;
	return size == length && memcmp(name, setting, length) == 0;
}

bool kt_key_matters(const char *setting)
{
	size_t length = strcspn(setting, "=");

	for (size_t i = 0; i < sizeof without_effect / sizeof *without_effect; i++)
		if (is_named(without_effect[i], setting, length))
			return false;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		if (is_named(variables[i], setting, length))
			return true;
	return false;
}

static void hash_environment(struct kt_hash *hash)
{
	const char *settings[VARIABLES_MOST];
	size_t count = 0;

	for (char **at = environ; at != NULL && *at != NULL; at++) {
		if (!kt_key_matters(*at))
			continue;
		/* Beyond what can be sorted they count in the order they come: a key too many, never one too few. */
		if (count == VARIABLES_MOST)
			kt_hash_field(hash, "environment", *at);
		else
			settings[count++] = *at;
	}
	qsort(settings, count, sizeof *settings, kt_by_text);
	for (size_t i = 0; i < count; i++)
		kt_hash_field(hash, "environment", settings[i]);
}

static void hash_program(struct kt_hash *hash, const char *path)
{
	struct kt_file_stamp stamp;
	struct kt_error ignored;

	kt_hash_field(hash, "compiler", path);
	if (path == NULL || kt_fs_stamp(&stamp, path, &ignored) != KT_OK)
		return;
	kt_hash_int(hash, "device", (int64_t)stamp.device);
	kt_hash_int(hash, "inode", (int64_t)stamp.inode);
	kt_hash_int(hash, "size", (int64_t)stamp.size);
	kt_hash_int(hash, "mtime", stamp.mtime_ns);
}

/* Settings from files, without those that only name where to write or how fast to work. */
static void hash_config(struct kt_hash *hash, const struct kt_config *config)
{
	kt_hash_int(hash, "mode", (int64_t)config->mode);
	kt_hash_int(hash, "disabled", config->disabled);
	kt_hash_field(hash, "wanted", config->device);
	kt_hash_field(hash, "cache", config->cache_dir);
	kt_hash_field(hash, "lock", config->lock_dir);
	kt_hash_field(hash, "remote", config->remote);
	kt_hash_field(hash, "generator", config->generator);
	kt_hash_field(hash, "replay", config->replay);
}

void kt_command_key(char out[KT_HASH_TEXT], struct kt_arena *arena, const struct kt_command *command,
                    const struct kt_config *config)
{
	struct kt_hash hash;
	char text[KT_HASH_TEXT];

	kt_hash_init(&hash);
	kt_hash_field(&hash, "command", "1");
	kt_hash_field(&hash, "version", KT_VERSION);
	kt_hash_int(&hash, "emitted", KT_EMITTED_FORM);
	kt_hash_int(&hash, "words", (int64_t)command->argc);
	for (size_t i = 0; i < command->argc; i++)
		kt_hash_field(&hash, "word", command->argv[i]);
	kt_hash_field(&hash, "directory", command->directory);
	for (size_t i = 0; i < command->options_file_count; i++) {
		struct kt_error ignored;
		kt_status status = kt_hash_file(text, command->options_files[i], &ignored);

		kt_hash_field(&hash, "options", status == KT_OK ? text : NULL);
	}
	hash_program(&hash, command->compiler);
	if (command->nvcc != command->compiler)
		hash_program(&hash, command->nvcc);
	if (!command->is_clang)
		hash_program(&hash, kt_front_host(arena, command));
	hash_environment(&hash);
	hash_config(&hash, config);
	kt_machine_fingerprint(text);
	kt_hash_field(&hash, "machine", text);
	kt_hash_final(&hash, out);
}
