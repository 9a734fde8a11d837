/* ktcc: a verb, or a compiler to launch. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/nearest.h"
#include "launch/launch.h"
#include "verbs/found.h"
#include "verbs/verbs.h"

static int (*const verbs[])(const struct kt_given *given) = {
#define KT_VERB(name, ...) kt_verb_##name,
#include "verbs/table.def"
};

static bool takes_value(const char *variable, const char *value)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_config config = {0};
	struct kt_error err;
	bool good = arena != NULL && kt_config_set(&config, arena, variable, value, &err) == KT_OK;

	if (arena != NULL && !good)
		kt_say("%s", err.message);
	kt_arena_free(arena);
	return good;
}

/* 1: taken, 0: no such word, -1: wrong, and reported. */
static int take_option(const char *word)
{
	for (size_t i = 0; strncmp(word, "--", 2) == 0 && i < kt_launcher_count; i++) {
		const struct kt_launcher_row *row = &kt_launcher_rows[i];
		const size_t length = strlen(row->name);

		if (strncmp(word + 2, row->name, length) != 0)
			continue;
		if (word[2 + length] == '=')
			return takes_value(row->variable, word + 3 + length) && setenv(row->variable, word + 3 + length, 1) == 0
			           ? 1
			           : -1;
		if (word[2 + length] == '\0') {
			kt_say("%s takes its value after '=': %s=VALUE", word, word);
			return -1;
		}
	}
	return 0;
}

/* A stream that is closed stays so for the compiler, but no file of ours may take its number. */
static void reserve_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
			return;
}

static int run_verb(enum kt_verb verb, int argc, char **argv)
{
	struct kt_given given;
	int code;

	if (kt_given_read(&given, &code, verb, argc, argv))
		code = verbs[verb](&given);
	kt_given_free(&given);
	return code;
}

static int say_unknown(const char *word)
{
	const char *names[16] = {"help", "version"}, *near;
	const size_t dashes = strspn(word, "-");
	char name[64];

	for (size_t i = 0; i < kt_launcher_count && i + 2 < sizeof names / sizeof *names; i++)
		names[i + 2] = kt_launcher_rows[i].name;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(word + dashes, "="), word + dashes);
	near = kt_nearest(name, names, kt_launcher_count + 2);
	kt_say("unknown option '%s'; %s%s", word, near != NULL ? "write --" : "ktcc --help lists the options",
	       near != NULL ? near : "");
	return KT_EXIT_USAGE;
}

/* The verb that a word is most like, where it is no program in PATH; NULL: none. */
static const char *meant_verb(const char *word)
{
	const char *names[KT_VERBS], *near;
	struct kt_arena *arena;
	bool is_program;

	for (size_t i = 0; i < KT_VERBS; i++)
		names[i] = kt_verb_rows[i].name;
	near = strchr(word, '/') == NULL ? kt_nearest(word, names, KT_VERBS) : NULL;
	arena = near != NULL ? kt_arena_new(1 << 20) : NULL;
	is_program = arena == NULL || kt_path_find_program(arena, word) != NULL;
	kt_arena_free(arena);
	return is_program ? NULL : near;
}

static void ignore_signal(int number)
{
	(void)number;
}

/*
 * A file of ours that would grow beyond a limit of its size (ulimit -f) fails a write, and ends no build. The compiler gets
 * the signal: exec takes handlers away.
 */
static void survive_limits(void)
{
	struct sigaction action = {.sa_handler = ignore_signal, .sa_flags = SA_RESTART}, before;

	if (sigaction(SIGXFSZ, &action, &before) == 0 && before.sa_handler != SIG_DFL)
		(void)sigaction(SIGXFSZ, &before, NULL);
}

int main(int argc, char **argv)
{
	const char *meant;
	int at = 1, taken;

	reserve_streams();
	survive_limits();
	/* Under a compiler's name ktcc is that compiler. */
	if (argc > 0 && strncmp(kt_path_basename(argv[0]), "ktcc", 4) != 0)
		return kt_launch(argc, argv);
	while (at < argc && (taken = take_option(argv[at])) != 0) {
		if (taken < 0)
			return KT_EXIT_USAGE;
		at++;
	}
	if (at >= argc) {
		kt_usage(stderr);
		return KT_EXIT_USAGE;
	}
	if (strcmp(argv[at], "--") == 0)
		return at + 1 < argc ? kt_launch(argc - at - 1, argv + at + 1) : KT_EXIT_USAGE;
	if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0) {
		kt_usage(stdout);
		return 0;
	}
	if (strcmp(argv[at], "--version") == 0) {
		kt_version_print();
		return 0;
	}
	if (kt_verb_find(argv[at]) != KT_VERBS)
		return run_verb(kt_verb_find(argv[at]), argc - at, argv + at);
	if (argv[at][0] == '-')
		return say_unknown(argv[at]);
	meant = meant_verb(argv[at]);
	if (meant != NULL) {
		kt_say("'%s' is no verb, and no compiler in PATH; write ktcc %s", argv[at], meant);
		return 127;
	}
	return kt_launch(argc - at, argv + at);
}
