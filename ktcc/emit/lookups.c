/*
 * Where a quoted include of an emitted file is looked up first: in the folder of that file. Nothing may be found
 * there but other copies, whatever a build leaves in its tree.
 */
#include "emit/lookups.h"

#include <string.h>

#include "base/fs.h"
#include "base/lex.h"

/* Where a name is computed it may be any: this many "../" are enough for all of them. */
#define COMPUTED_DEPTH ((size_t)16)

struct lookups {
	struct kt_arena *arena;
	size_t count;
	const char **names; /* as they are quoted */
	size_t depth;       /* of the folder, so that none leads out of it */
	bool failed;
};

/* How many folders upward the name leads at most. */
static size_t climb(const char *name)
{
	size_t below = 0, most = 0;

	for (const char *at = name; *at != '\0';) {
		const size_t length = strcspn(at, "/");

		if (length == 2 && memcmp(at, "..", 2) == 0)
			below > 0 ? below-- : most++;
		else if (length > 0 && !(length == 1 && *at == '.'))
			below++;
		at += length + (at[length] == '/');
	}
	return most;
}

static void note(struct lookups *l, const char *name)
{
	const size_t depth = climb(name);
	const char **slot;

	if (name[0] == '\0' || name[0] == '/')
		return;
	l->depth = depth > l->depth ? depth : l->depth;
	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->names[i], name) == 0)
			return;
	slot = kt_arena_push(l->arena, &l->names, &l->count, sizeof *slot);
	l->failed = l->failed || slot == NULL;
	if (slot != NULL)
		*slot = name;
}

/* An include with a name that is neither quoted nor in angle brackets. */
static bool is_computed(const struct kt_text *text, size_t at)
{
	return at < text->count && text->tokens[at].kind != KT_TOKEN_STRING && text->data[text->tokens[at].begin] != '<';
}

/* Every quoted text of a directive may be a name: of an include, of __has_include, of a macro for one of them. */
static void read_directive(struct lookups *l, const struct kt_text *file, const struct kt_token *token)
{
	struct kt_text text;
	struct kt_error err;
	size_t first;

	if (kt_lex(&text, l->arena, file->data, token->begin, token->end, false, &err) != KT_OK) {
		l->failed = true;
		return;
	}
	if (text.count < 2)
		return;
	first = kt_token_is(&text, 1, "include") || kt_token_is(&text, 1, "include_next") || kt_token_is(&text, 1, "import");
	if (first > 0 && is_computed(&text, 2))
		l->depth = l->depth < COMPUTED_DEPTH ? COMPUTED_DEPTH : l->depth;
	for (size_t i = 1; i < text.count; i++) {
		const struct kt_token *t = &text.tokens[i];

		if ((kt_token_is(&text, i, "__has_include") || kt_token_is(&text, i, "__has_include_next")) &&
		    kt_token_is(&text, i + 1, "(") && is_computed(&text, i + 2))
			l->depth = l->depth < COMPUTED_DEPTH ? COMPUTED_DEPTH : l->depth;
		if (t->kind == KT_TOKEN_STRING && text.data[t->begin] == '"' && t->end > t->begin + 2) {
			const char *name = kt_arena_strndup(l->arena, text.data + t->begin + 1, t->end - t->begin - 2);

			l->failed = l->failed || name == NULL;
			if (name != NULL)
				note(l, name);
		}
	}
}

static void read_file(struct lookups *l, const char *data)
{
	struct kt_text text;
	struct kt_error err;

	if (kt_lex(&text, l->arena, data, 0, strlen(data), true, &err) != KT_OK) {
		l->failed = true;
		return;
	}
	for (size_t i = 0; i < text.count; i++) {
		const struct kt_token *t = &text.tokens[i];
		const char *hash = memchr(data + t->begin, '#', t->end - t->begin);

		/* `#line` and `#pragma` name no file that is looked up. */
		if (t->kind == KT_TOKEN_DIRECTIVE && hash != NULL) {
			const char *word = hash + 1 + strspn(hash + 1, " \t");

			if (strncmp(word, "line", 4) != 0 && strncmp(word, "pragma", 6) != 0)
				read_directive(l, &text, t);
		}
	}
}

/* The path below the folder beside the object that the name is looked up under, "up/" in front; NULL: out of memory. */
static const char *place(struct lookups *l, const char *prefix, const char *name)
{
	char *path = kt_arena_printf(l->arena, "%s%s", prefix, name), *end = path;

	for (const char *at = path; path != NULL && *at != '\0';) {
		const size_t length = strcspn(at, "/");
		const char *next = at + length + (at[length] == '/');

		if (length == 2 && memcmp(at, "..", 2) == 0) {
			while (end > path && *--end != '/')
				;
		} else if (length > 0 && !(length == 1 && *at == '.')) {
			if (end > path)
				*end++ = '/';
			memmove(end, at, length);
			end += length;
		}
		at = next;
	}
	if (path != NULL)
		*end = '\0';
	return path;
}

static bool is_copy(const struct kt_emitted *out, const char *name)
{
	for (size_t i = 0; i < out->file_count; i++)
		if (strcmp(out->files[i].name, name) == 0)
			return true;
	return false;
}

/* What ktcc keeps in the folder beside the object itself. */
static bool is_own(const char *path)
{
	return strcmp(path, "stamp") == 0 || strcmp(path, ".gitignore") == 0 || strcmp(path, KT_EMITTED_NOTE) == 0;
}

/* Fills the lookups for a folder of this depth; *again: one of them is a file of ktcc's. */
static bool fill(struct kt_emitted *out, struct lookups *l, const char *prefix, bool *again)
{
	*again = false;
	out->lookup_count = 0;
	for (size_t i = 0; i < l->count; i++) {
		const char *path;

		if (is_copy(out, l->names[i]))
			continue;
		path = place(l, prefix, l->names[i]);
		if (path == NULL)
			return false;
		*again = *again || is_own(path);
		/* "." and the like name no file. */
		if (*path != '\0')
			out->lookups[out->lookup_count++] = path;
	}
	return true;
}

bool kt_emit_lookups(struct kt_emitted *out, struct kt_arena *arena)
{
	struct lookups l = {.arena = arena};
	const char *prefix = "";
	bool again = true;

	for (size_t i = 0; i < out->file_count; i++)
		read_file(&l, out->files[i].text);
	for (size_t i = 0; prefix != NULL && i < l.depth; i++)
		prefix = kt_arena_printf(arena, "%s%s", prefix, KT_EMITTED_UP);
	out->lookups = kt_arena_array(arena, l.count + 1, sizeof *out->lookups);
	if (l.failed || out->lookups == NULL)
		return false;
	while (again) {
		if (prefix == NULL || !fill(out, &l, prefix, &again))
			return false;
		prefix = again ? kt_arena_printf(arena, "%s%s", prefix, KT_EMITTED_UP) : prefix;
	}
	for (size_t i = 0; i < out->file_count; i++)
		if ((out->files[i].name = kt_arena_printf(arena, "%s%s", prefix, out->files[i].name)) == NULL)
			return false;
	return true;
}
