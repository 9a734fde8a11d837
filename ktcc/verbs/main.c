/* ktcc: a verb, or a compiler to launch. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/fs.h"
#include "base/log.h"
#include "launch/launch.h"
#include "verbs/verbs.h"

static const struct {
	const char *name, *summary;
	int (*run)(int argc, char **argv);
} verbs[] = {
    {"scan", "list the regions of a source file", kt_verb_scan},
    {"space", "count the configurations of each region", kt_verb_space},
    {"tune", "tune the regions of a source file", kt_verb_tune},
    {"emit", "write the specialised source", kt_verb_emit},
    {"verify", "run one configuration on every check", kt_verb_verify},
    {"explain", "say which entry is used, and why", kt_verb_explain},
    {"plan", "tell the rounds of a tuning, or repeat them from the ledger", kt_verb_plan},
    {"report", "draw what was measured: a page, Markdown or CSV", kt_verb_report},
    {"cache", "look into the store: stats, list, show, export, import, sign, push, diff, gc, verify", kt_verb_cache},
    {"key", "make, trust and revoke keys that sign text of a model", kt_verb_key},
    {"simulate", "search a recorded space, or compare strategies on some", kt_verb_simulate},
    {"doctor", "say what is found and what is missing", kt_verb_doctor},
};

/* Words before the compiler that stand for an environment variable. */
static const struct {
	const char *option, *variable;
} launcher_options[] = {
    {"--mode=", "KTUNE_MODE"},
    {"--lock-dir=", "KTUNE_LOCK_DIR"},
    {"--device=", "KTUNE_DEVICE"},
    {"--budget=", "KTUNE_BUDGET"},
    {"--cache-dir=", "KTUNE_CACHE_DIR"},
};

enum { VERBS = sizeof verbs / sizeof *verbs, LAUNCHER_OPTIONS = sizeof launcher_options / sizeof *launcher_options };

static void usage(FILE *to)
{
	fputs("usage: ktcc [options] COMPILER ARGUMENTS…    compile, with tuned kernels\n"
	      "       ktcc VERB ARGUMENTS…                  (ktcc VERB --help)\n\nverbs:\n", to);
	for (size_t i = 0; i < VERBS; i++)
		fprintf(to, "  %-8s %s\n", verbs[i].name, verbs[i].summary);
	fputs("\noptions (each the same as a variable of the environment):\n", to);
	for (size_t i = 0; i < LAUNCHER_OPTIONS; i++)
		fprintf(to, "  %-12s… %s\n", launcher_options[i].option, launcher_options[i].variable);
	fputs("  --           what follows is a compiler, whatever it is called\n"
	      "  --version, --help\n", to);
}

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

/* 1: taken, 0: no such word, -1: said what is wrong with it. */
static int take_option(const char *word)
{
	for (size_t i = 0; i < LAUNCHER_OPTIONS; i++) {
		size_t length = strlen(launcher_options[i].option);

		if (strncmp(word, launcher_options[i].option, length) == 0)
			return takes_value(launcher_options[i].variable, word + length) &&
			               setenv(launcher_options[i].variable, word + length, 1) == 0
			           ? 1
			           : -1;
		if (strlen(word) == length - 1 && strncmp(word, launcher_options[i].option, length - 1) == 0) {
			kt_say("%s takes its value behind '=': %sVALUE", word, launcher_options[i].option);
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

int main(int argc, char **argv)
{
	int at = 1, taken;

	reserve_streams();
	/* Under a compiler's name ktcc is that compiler. */
	if (argc > 0 && strncmp(kt_path_basename(argv[0]), "ktcc", 4) != 0)
		return kt_launch(argc, argv);
	while (at < argc && (taken = take_option(argv[at])) != 0) {
		if (taken < 0)
			return KT_EXIT_USAGE;
		at++;
	}
	if (at >= argc) {
		usage(stderr);
		return KT_EXIT_USAGE;
	}
	if (strcmp(argv[at], "--") == 0)
		return at + 1 < argc ? kt_launch(argc - at - 1, argv + at + 1) : KT_EXIT_USAGE;
	if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0) {
		usage(stdout);
		return 0;
	}
	if (strcmp(argv[at], "--version") == 0) {
		puts("ktcc " KT_VERSION);
		return 0;
	}
	for (size_t i = 0; i < VERBS; i++)
		if (strcmp(argv[at], verbs[i].name) == 0)
			return verbs[i].run(argc - at, argv + at);
	if (argv[at][0] == '-') {
		fprintf(stderr, "ktcc: unknown option %s\n", argv[at]);
		usage(stderr);
		return KT_EXIT_USAGE;
	}
	return kt_launch(argc - at, argv + at);
}
