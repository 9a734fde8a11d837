#include <string.h>

#include "base/fs.h"
#include "launch/key.h"
#include "launch/parser.h"

/* Programs that run the compiler named after them. */
static const char *const launchers[] = {"ccache",      "sccache", "distcc",    "pump",  "icecc",
                                        "buildcache",  "cachepot", "fastbuild", "nice",  "time"};

static bool is_launcher(const char *word)
{
	const char *name = kt_path_basename(word);

	return kt_has_text(launchers, sizeof launchers / sizeof *launchers, name);
}

/* "nvcc", "nvcc.exe", "nvcc-13.0"; "nvcc_wrapper" reads other options. */
static bool is_nvcc(const char *word)
{
	const char *name = kt_path_basename(word);

	return strncmp(name, "nvcc", 4) == 0 && strchr(".-0123456789", name[4]) != NULL;
}

/* "clang", "clang++", "clang++-19" */
static bool is_clang(const char *word)
{
	const char *name = kt_path_basename(word);

	if (strncmp(name, "clang", 5) != 0)
		return false;
	name += strncmp(name + 5, "++", 2) == 0 ? 7 : 5;
	return *name == '\0' || (*name == '-' && strspn(name + 1, ".0123456789") == strlen(name + 1));
}

/* A setting in front of the compiler that neither the compiler reads nor ktcc:
 * it cannot change what is decided here. */
static bool is_harmless_setting(const char *word)
{
	size_t name = strcspn(word, "=");

	return name != 0 && word[name] == '=' && word[0] != '-' && !kt_key_matters(word) &&
	       strncmp(word, "PATH=", 5) != 0;
}

/* Past one launcher with what belongs to it: "ccache", "env A=1 B=2". */
static size_t behind_launcher(const struct kt_command *c, size_t at)
{
	if (is_launcher(c->argv[at]))
		return at + 1;
	if (strcmp(kt_path_basename(c->argv[at]), "env") != 0)
		return at;
	for (at++; at < c->argc && is_harmless_setting(c->argv[at]); at++)
		;
	return at;
}

void kt_parser_find_compiler(struct kt_parser *p)
{
	struct kt_command *c = p->command;
	size_t at = 0, next;

	c->compiler_words = 1;
	if (c->argc == 0) {
		p->foreign = true;
		return;
	}
	c->compiler = kt_path_find_program(p->arena, c->argv[0]);
	while (at < c->argc && (next = behind_launcher(c, at)) != at)
		at = next;
	c->is_clang = at < c->argc && is_clang(c->argv[at]);
	if (at >= c->argc || (!c->is_clang && !is_nvcc(c->argv[at]))) {
		p->foreign = true;
		return;
	}
	c->compiler_words = at + 1;
	c->nvcc = at == 0 ? c->compiler : kt_path_find_program(p->arena, c->argv[at]);
}
