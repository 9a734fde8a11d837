#include "launch/spare.h"

#include <stdlib.h>
#include <string.h>

#include "base/processors.h"
#include "launch/toolkit.h"

/* The first release whose nvcc has --threads. */
enum { MAJOR_LEAST = 11, MINOR_LEAST = 2 };

/* nvcc, without a program before it that might know the option less well, and with no number of the user's. */
static bool takes_threads(const struct kt_command *command, struct kt_store *store)
{
	struct kt_release release;

	if (command->is_clang || command->compiler_words != 1)
		return false;
	for (size_t i = 0; i < command->word_count; i++)
		if (strncmp(command->words[i].text, "-t", 2) == 0 || strncmp(command->words[i].text, "--threads", 9) == 0)
			return false;
	return kt_toolkit_release(&release, command, store) &&
	       (release.major > MAJOR_LEAST || (release.major == MAJOR_LEAST && release.minor >= MINOR_LEAST));
}

static bool is_idle(struct kt_spare *out)
{
	const char *flags = getenv("MAKEFLAGS");
	double load = 0;

	if (kt_processors() < 2)
		return false;
	kt_jobserver_open(&out->server, flags);
	if (out->server.present)
		return kt_jobserver_take(&out->server);
	return getloadavg(&load, 1) == 1 && load < (double)kt_processors();
}

char **kt_spare_open(struct kt_spare *out, struct kt_arena *arena, const struct kt_command *command,
                     struct kt_store *store, char **argv)
{
	char **made;
	size_t count = 0;

	kt_jobserver_open(&out->server, NULL);
	if (!takes_threads(command, store) || !is_idle(out))
		return argv;
	while (argv[count] != NULL)
		count++;
	NEED(made = kt_arena_array(arena, count + 2, sizeof *made), NULL);
	made[0] = argv[0];
	made[1] = kt_arena_strdup(arena, "--threads=2");
	memcpy(made + 2, argv + 1, count * sizeof *made);
	return made[1] != NULL ? made : NULL;
}

void kt_spare_close(struct kt_spare *spare)
{
	kt_jobserver_close(&spare->server);
}
