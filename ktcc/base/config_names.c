/* Names in the environment that look like settings and are none. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/config.h"
#include "base/nearest.h"

enum { NAMES = 128, NAME_LENGTH = 64 };

/* What is read from the environment alone, by one of the programs or by what they emit. */
static const char *const others[] = {"INSIDE",      "DEPTH",          "PREFIX",        "TRACE",
                                     "TRY_SECONDS", "OPENCL_DEVICE",  "REMOTE_TOKEN"};

/* All names without KTUNE_. */
static size_t known_names(const char *names[NAMES])
{
	size_t count = 0;
	bool project;

	for (const char *name; count < NAMES && (name = kt_config_key(count, &project)) != NULL;)
		names[count++] = name;
	for (size_t i = 0; i < sizeof others / sizeof *others && count < NAMES; i++)
		names[count++] = others[i];
	return count;
}

const char *kt_config_nearest(const char *name)
{
	const char *names[NAMES];

	return kt_nearest(name, names, known_names(names));
}

const char *kt_config_unknown(struct kt_arena *arena, const struct kt_config *config, bool all)
{
	const char *names[NAMES];
	const size_t count = known_names(names);
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *text;

	for (char **at = environ; at != NULL && *at != NULL; at++) {
		const size_t length = strcspn(*at, "=");
		char name[NAME_LENGTH];
		const char *near;

		if (strncmp(*at, "KTUNE_", 6) != 0 || length - 6 >= sizeof name)
			continue;
		memcpy(name, *at + 6, length - 6);
		name[length - 6] = '\0';
		/* A name of the user's own choice that a setting points to. */
		if (kt_has_text(names, count, name) ||
		    (config->llm.key_env != NULL && strlen(config->llm.key_env) == length &&
		     strncmp(config->llm.key_env, *at, length) == 0))
			continue;
		near = kt_nearest(name, names, count);
		/* A build's own variable may be called KTUNE_ANYTHING: only one that is nearly a setting's name was meant as one. */
		if (near != NULL && kt_edits(name, near) > 1 + strlen(name) / 5)
			near = NULL;
		if (near == NULL && !all)
			continue;
		kt_buf_addf(&out, "%sKTUNE_%s in the environment is no setting", out.size != 0 ? "\n" : "", name);
		if (near != NULL)
			kt_buf_addf(&out, "; did you mean KTUNE_%s?", near);
		else
			kt_buf_adds(&out, "; remove it, or see docs/cli.md for those there are");
	}
	text = out.size != 0 ? kt_arena_strdup(arena, kt_buf_text(&out)) : NULL;
	kt_buf_free(&out);
	return text;
}
