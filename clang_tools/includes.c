#include "includes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"

/* The rest of an include directive: "name", <name>, or something to expand. */
static bool read_name(struct kt_directive *d, struct kt_arena *arena, const struct kt_text *text, uint32_t at,
                      uint32_t end)
{
	const char *data = text->data;
	struct kt_text rest;
	struct kt_error err;

	/* Comments may be before the name. */
	if (kt_lex(&rest, arena, data, at, end, false, &err) != KT_OK)
		return false;
	d->computed = true;
	d->name = "";
	if (rest.count == 0)
		return true;
	at = rest.tokens[0].begin;
	if (data[at] != '"' && data[at] != '<')
		return true;
	const char close = data[at] == '"' ? '"' : '>';
	const char *stop = memchr(data + at + 1, close, end - at - 1);
	if (stop == NULL)
		return true;
	d->computed = false;
	d->quoted = close == '"';
	d->name = kt_arena_strndup(arena, data + at + 1, (size_t)(stop - data) - at - 1);
	return d->name != NULL;
}

/* Adds the directive if it is an include. */
static bool add_directive(struct kt_directive **out, size_t *count, struct kt_arena *arena, const struct kt_text *text,
                          const struct kt_token *token)
{
	struct kt_directive d = {.begin = token->begin, .end = token->end};
	uint32_t rest = 0;
	const char *word = kt_directive_word(arena, text, token, &rest);

	NEED(word, false);
	d.next = strcmp(word, "include_next") == 0;
	if (!d.next && strcmp(word, "include") != 0 && strcmp(word, "import") != 0)
		return true;
	struct kt_directive *slot = kt_arena_push(arena, out, count, sizeof *slot);
	if (slot == NULL || !read_name(&d, arena, text, rest, d.end))
		return false;
	*slot = d;
	return true;
}

bool kt_includes_read(struct kt_directive **out, size_t *count, struct kt_arena *arena, const struct kt_text *text)
{
	*out = NULL;
	*count = 0;
	for (size_t i = 0; i < text->count; i++)
		if (text->tokens[i].kind == KT_TOKEN_DIRECTIVE && !add_directive(out, count, arena, text, &text->tokens[i]))
			return false;
	return true;
}

bool kt_includes_search(struct kt_directive **out, size_t *count, struct kt_arena *arena, const char *data,
                        size_t size)
{
	const char *end = data + size, *at = data;

	*out = NULL;
	*count = 0;
	while (at < end && (at = memmem(at, (size_t)(end - at), "include", 7)) != NULL) {
		const char *begin = at, *stop = at;
		struct kt_text line;
		struct kt_error err;

		while (begin > data && begin[-1] != '\n')
			begin--;
		while (stop < end && (*stop != '\n' || (stop > data && stop[-1] == '\\')))
			stop++;
		at = stop;
		if (kt_lex(&line, arena, data, (size_t)(begin - data), (size_t)(stop - data), true, &err) != KT_OK)
			return false;
		if (line.count > 0 && line.tokens[0].kind == KT_TOKEN_DIRECTIVE &&
		    !add_directive(out, count, arena, &line, &line.tokens[0]))
			return false;
	}
	return true;
}

struct kt_identity kt_includes_identity(const struct kt_scan *scan, const char *path)
{
	struct kt_identity identity = {.exists = false};
	struct stat info;
	char *absolute = kt_path_absolute(scan->arena, path, scan->options.directory);

	if (absolute != NULL && stat(absolute, &info) == 0 && S_ISREG(info.st_mode))
		identity = (struct kt_identity){true, (uint64_t)info.st_dev, (uint64_t)info.st_ino};
	return identity;
}

bool kt_identity_equal(struct kt_identity a, struct kt_identity b)
{
	return a.exists && b.exists && a.device == b.device && a.inode == b.inode;
}

const char *kt_includes_join(struct kt_arena *arena, const char *folder, const char *name)
{
	return kt_path_join(arena, folder, name);
}

const char *kt_includes_folder(struct kt_arena *arena, const char *path)
{
	return strchr(path, '/') != NULL ? kt_path_dirname(arena, path) : "";
}

/* One candidate; true when it is the one that is looked for. */
static bool try_path(const char **out, struct kt_scan *scan, const char *folder, const char *name,
                     const struct kt_identity *wanted)
{
	const char *path = kt_includes_join(scan->arena, folder, name);
	struct kt_identity found = {.exists = false};

	if (path != NULL)
		found = kt_includes_identity(scan, path);
	if (!found.exists || (wanted != NULL && !kt_identity_equal(found, *wanted)))
		return false;
	*out = path;
	return true;
}

const char *kt_includes_find(struct kt_scan *scan, const struct kt_directive *directive, const char *folder,
                             const struct kt_identity *wanted)
{
	static const char *const classes[] = {"-iquote", "-I", "-isystem"};
	const struct kt_scan_options *o = &scan->options;
	const char *found = NULL;

	if (directive->computed || directive->name[0] == '\0')
		return NULL;
	if ((directive->quoted || directive->name[0] == '/') && try_path(&found, scan, folder, directive->name, wanted))
		return found;
	for (size_t c = directive->quoted ? 0 : 1; c < sizeof classes / sizeof *classes; c++) {
		const size_t length = strlen(classes[c]);

		for (size_t i = 0; i < o->argument_count; i++) {
			const char *word = o->arguments[i];

			if (strncmp(word, classes[c], length) != 0)
				continue;
			word = word[length] != '\0' ? word + length : i + 1 < o->argument_count ? o->arguments[++i] : "";
			if (try_path(&found, scan, word, directive->name, wanted))
				return found;
		}
	}
	return NULL;
}

static struct kt_identity folder_identity(const struct kt_scan *scan, const char *path)
{
	struct stat info;
	char *absolute = kt_path_absolute(scan->arena, path, scan->options.directory);

	if (absolute == NULL || stat(absolute, &info) != 0 || !S_ISDIR(info.st_mode))
		return (struct kt_identity){.exists = false};
	return (struct kt_identity){true, (uint64_t)info.st_dev, (uint64_t)info.st_ino};
}

/* Is the folder in a list that ":" separates? */
static bool is_listed(const struct kt_scan *scan, const char *list, struct kt_identity folder)
{
	while (list != NULL && *list != '\0') {
		const size_t length = strcspn(list, ":");
		const char *path = kt_arena_strndup(scan->arena, list, length);

		if (length > 0 && path != NULL && kt_identity_equal(folder_identity(scan, path), folder))
			return true;
		list += length + (list[length] == ':');
	}
	return false;
}

bool kt_includes_is_system(const struct kt_scan *scan, const char *folder)
{
	static const char *const classes[] = {"-isystem", "-idirafter"};
	const struct kt_identity wanted = folder_identity(scan, *folder != '\0' ? folder : ".");
	const struct kt_scan_options *o = &scan->options;

	for (size_t i = 0; wanted.exists && i < o->argument_count; i++)
		for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
			const size_t length = strlen(classes[c]);
			const char *word = o->arguments[i];

			if (strncmp(word, classes[c], length) != 0)
				continue;
			word = word[length] != '\0' ? word + length : i + 1 < o->argument_count ? o->arguments[i + 1] : "";
			if (kt_identity_equal(folder_identity(scan, word), wanted))
				return true;
		}
	return wanted.exists && is_listed(scan, getenv("CPLUS_INCLUDE_PATH"), wanted);
}
