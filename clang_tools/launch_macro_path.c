/* From the name of a macro in the main file to a launch in its body, and what parameters hold on the way. */
#include <string.h>

#include "launch_macro.h"

/* Definitions that the pass has of a name. */
static size_t definitions(const struct kt_scan *scan, const char *name, const struct kt_macro **last)
{
	const size_t length = strlen(name);
	size_t count = 0;
	for (size_t at = kt_index_first(scan->macro_index, name, length); at != 0;
	     at = kt_index_next(scan->macro_index, at), count++)
		*last = &scan->macros[kt_index_entry(scan->macro_index, at)];
	return count;
}

/* Those that the project's text has, in parts that the pass leaves out as well. */
static size_t written(struct kt_scan *scan, const char *name)
{
	size_t count = 0;
	for (size_t f = 0; f < scan->file_count; f++) {
		const struct kt_text *text = kt_scan_text(scan, f);
		for (size_t t = 0; text != NULL && t < text->count; t++) {
			uint32_t rest = 0;
			struct kt_text words;
			struct kt_error err;
			if (text->tokens[t].kind != KT_TOKEN_DIRECTIVE ||
			    memmem(text->data + text->tokens[t].begin, text->tokens[t].end - text->tokens[t].begin, name,
			           strlen(name)) == NULL)
				continue;
			const char *word = kt_directive_word(scan->arena, text, &text->tokens[t], &rest);
			if (strcmp(word, "define") == 0 &&
			    kt_lex(&words, scan->arena, text->data, rest, text->tokens[t].end, false, &err) == KT_OK)
				count += kt_token_is(&words, 0, name);
		}
	}
	return count;
}

static const char *token_text(struct kt_scan *scan, const struct kt_text *text, size_t token)
{
	const struct kt_token *t = &text->tokens[token];
	return kt_arena_strndup(scan->arena, text->data + t->begin, t->end - t->begin);
}

/* The definition with its continued lines, at the offsets that it has in its file. */
static bool read_definition(struct kt_scan *scan, struct kt_macro_level *level)
{
	const struct kt_macro *m = level->macro;
	const struct kt_text *text = m->file != SIZE_MAX ? kt_scan_text(scan, m->file) : NULL;
	char *copy = text != NULL && m->begin < m->end && m->end <= text->size
	                 ? kt_arena_strndup(scan->arena, text->data + m->begin, m->end - m->begin) : NULL;
	struct kt_error err;
	if (copy == NULL)
		return false;
	if (kt_lex(&level->text, scan->arena, copy, 0, strlen(copy), false, &err) != KT_OK)
		return false;
	/* A parameter "args..." has two names. */
	for (size_t t = 1; m->is_function && t < level->text.count && !kt_token_is(&level->text, t, ")"); t++)
		if (kt_token_is(&level->text, t, "...") && level->text.tokens[t - 1].kind == KT_TOKEN_NAME)
			return false;
	level->body = m->is_function ? kt_token_match(&level->text, 1) + 1 : 1;
	return level->body < level->text.count;
}

size_t kt_macro_parameter(const struct kt_macro_level *level, size_t token)
{
	for (size_t i = 0; i < level->macro->parameter_count; i++)
		if (kt_token_is(&level->text, token, level->macro->parameters[i]))
			return i;
	return SIZE_MAX;
}

/* ---- what parameters hold */

/* The token of the main file that tokens [first, end) are: itself, or what a parameter of the level above has; SIZE_MAX: none. */
static size_t named_by(const struct kt_text *text, const struct kt_macro_level *above, size_t first, size_t end)
{
	if (end != first + 1 || text->tokens[first].kind != KT_TOKEN_NAME)
		return SIZE_MAX;
	const size_t parameter = above != NULL ? kt_macro_parameter(above, first) : SIZE_MAX;
	return above == NULL ? first : parameter != SIZE_MAX ? above->names[parameter] : SIZE_MAX;
}

static bool add_value(struct kt_scan *scan, struct kt_macro_level *level, size_t *count, const char *text,
                      struct kt_range range, size_t name)
{
	if (*count == level->macro->parameter_count)
		return false;
	level->values[*count] = text;
	level->names[*count] = name;
	level->arguments[(*count)++] = range;
	return !scan->failed;
}

/* Reads "(a, b, …)" at `open` of the text in which the level's macro is used; above: the level of this text, NULL: the file. */
static bool read_values(struct kt_scan *scan, struct kt_macro_level *level, const struct kt_text *text, size_t open,
                        const struct kt_macro_level *above)
{
	const struct kt_macro *m = level->macro;
	const size_t close = kt_token_is(text, open, "(") ? kt_token_match(text, open) : text->count;
	const bool variadic = m->parameter_count > 0 && strcmp(m->parameters[m->parameter_count - 1], "__VA_ARGS__") == 0;
	size_t count = 0, first = open + 1;
	level->values = kt_arena_array(scan->arena, m->parameter_count + 1, sizeof *level->values);
	level->arguments = kt_arena_array(scan->arena, m->parameter_count + 1, sizeof *level->arguments);
	level->names = kt_arena_array(scan->arena, m->parameter_count + 1, sizeof *level->names);
	if (level->values == NULL || level->arguments == NULL || level->names == NULL || close >= text->count)
		return false;
	for (size_t t = open + 1; t <= close; t++) {
		const bool rest = variadic && count + 1 == m->parameter_count;
		if (t < close && kt_token_is(text, t, "("))
			t = kt_token_match(text, t);
		else if (t == close || (kt_token_is(text, t, ",") && !rest)) {
			const struct kt_range range = {first < t ? text->tokens[first].begin : text->tokens[t].begin,
			                               first < t ? text->tokens[t - 1].end : text->tokens[t].begin};
			const char *value = above == NULL ? kt_scan_squeeze(scan, text, range.begin, range.end)
			                                  : kt_macro_text(scan, above, first, t);
			if (m->parameter_count == 0)
				return t == close && first == t;
			if (!add_value(scan, level, &count, value, range, named_by(text, above, first, t)))
				return false;
			first = t + 1;
		}
	}
	if (variadic && count + 1 == m->parameter_count)
		return add_value(scan, level, &count, "", (struct kt_range){0, 0}, SIZE_MAX);
	return count == m->parameter_count;
}

/* Reads what the macro's parameters hold, which is needed once. `root`: the first level's name in the main file. */
static bool read_level(struct kt_scan *scan, struct kt_macro_path *path, size_t i, size_t root)
{
	struct kt_macro_level *level = &path->levels[i], *above = i > 0 ? &path->levels[i - 1] : NULL;
	if (!level->macro->is_function || level->values != NULL)
		return true;
	if ((i > 0 && !read_level(scan, path, i - 1, root)) ||
	    !read_values(scan, level, above != NULL ? &above->text : scan->text, above != NULL ? above->use + 1 : root + 1, above))
		level->values = NULL;
	return level->values != NULL;
}

/* ---- where the launch's macro is used */

#define MOST_PATHS 64

struct search {
	struct kt_scan *scan;
	const struct kt_macro *goal;
	size_t root;
	struct kt_macro_path path, *found;
	size_t count, steps;
};

static bool is_on_path(const struct kt_macro_path *path, const struct kt_macro *macro)
{
	for (size_t i = 0; i < path->count; i++)
		if (strcmp(path->levels[i].macro->name, macro->name) == 0)
			return true;
	return false;
}

static void descend(struct search *s);

/* Goes into the macro that the last level uses at a token. */
static void enter(struct search *s, size_t token, const char *name, size_t first, size_t root)
{
	struct kt_macro_level *level = &s->path.levels[s->path.count - 1];
	const struct kt_macro *macro = NULL;
	if (name == NULL || definitions(s->scan, name, &macro) == 0 ||
	    (macro->is_function && !kt_token_is(&level->text, token + 1, "(")) || is_on_path(&s->path, macro) ||
	    s->path.count == KT_LAUNCH_LEVELS || s->steps++ > 10000)
		return;
	const size_t old_first = s->path.first, old_root = s->path.root;
	level->use = token;
	s->path.first = first;
	s->path.root = root;
	s->path.levels[s->path.count++] = (struct kt_macro_level){.macro = macro};
	if (read_definition(s->scan, &s->path.levels[s->path.count - 1]))
		descend(s);
	s->path.count--;
	s->path.first = old_first;
	s->path.root = old_root;
}

/* A name in the body of the last level, where it is the use of another macro: by its name, or by a parameter that has it. */
static void follow(struct search *s, size_t token)
{
	struct kt_macro_level *level = &s->path.levels[s->path.count - 1];
	const size_t parameter = kt_macro_parameter(level, token);
	if (parameter == SIZE_MAX)
		enter(s, token, token_text(s->scan, &level->text, token), s->path.first, s->path.root);
	else if (kt_token_is(&level->text, token + 1, "(") && read_level(s->scan, &s->path, s->path.count - 1, s->root) &&
	         level->names[parameter] != SIZE_MAX)
		enter(s, token, token_text(s->scan, s->scan->text, level->names[parameter]), s->path.count,
		      level->names[parameter]);
}

static void descend(struct search *s)
{
	const struct kt_macro_level *last = &s->path.levels[s->path.count - 1];
	if (last->macro == s->goal) {
		struct kt_macro_path *slot = kt_arena_push(s->scan->arena, &s->found, &s->count, sizeof *slot);
		s->scan->failed = s->scan->failed || slot == NULL;
		if (slot != NULL)
			*slot = s->path;
	}
	for (size_t t = last->body; t < last->text.count && s->count <= MOST_PATHS; t++)
		if (last->text.tokens[t].kind == KT_TOKEN_NAME)
			follow(s, t);
}

/* The macro whose definition holds a place. */
static const struct kt_macro *macro_at(const struct kt_scan *scan, size_t file, uint32_t at)
{
	for (size_t i = 0; i < scan->macro_count; i++)
		if (scan->macros[i].file == file && scan->macros[i].begin <= at && at < scan->macros[i].end)
			return &scan->macros[i];
	return NULL;
}

/* The definition that a name in the main file stands for: the goal's, or the only one. */
static const struct kt_macro *first_macro(struct kt_scan *scan, size_t root, const struct kt_macro *goal)
{
	const char *name = root < scan->text->count ? token_text(scan, scan->text, root) : NULL;
	const struct kt_macro *only = NULL;
	if (name == NULL || definitions(scan, name, &only) == 0)
		return NULL;
	return strcmp(goal->name, name) == 0 ? goal : only;
}

static bool read_path(struct kt_scan *scan, struct kt_macro_path *path, size_t root)
{
	for (size_t i = 0; i < path->count; i++) {
		const struct kt_macro *only = NULL;
		const size_t known = definitions(scan, path->levels[i].macro->name, &only);
		/* One that the other pass may define otherwise is not known. */
		if ((i > 0 && known != 1) || known != written(scan, path->levels[i].macro->name) ||
		    path->levels[i].macro->is_system || !read_level(scan, path, i, root))
			return false;
	}
	return true;
}

/* Is the name that the levels before the copies are given a part of a string or of another name there? */
static bool is_pasted(const struct kt_macro_path *path)
{
	for (size_t i = 0; i < path->first; i++)
		for (size_t t = path->levels[i].body; t < path->levels[i].text.count; t++) {
			const struct kt_macro_level *l = &path->levels[i];
			const size_t parameter = kt_macro_parameter(l, t);
			if (parameter != SIZE_MAX && l->names != NULL && l->names[parameter] == path->root &&
			    (kt_token_is(&l->text, t - 1, "#") || kt_token_is(&l->text, t - 1, "##") ||
			     kt_token_is(&l->text, t + 1, "##")))
				return true;
		}
	return false;
}

/* The macro whose name is at a token; where it has no arguments there, the macro that is given the name. */
static size_t used_at(const struct kt_scan *scan, size_t root, const struct kt_macro *macro)
{
	const struct kt_text *text = scan->text;
	const struct kt_macro *outer = NULL;
	if (macro == NULL || !macro->is_function || kt_token_is(text, root + 1, "("))
		return root;
	for (size_t open = root; open-- > 1;)
		if (kt_token_is(text, open, "(") && kt_token_match(text, open) > root &&
		    definitions(scan, kt_arena_strndup(scan->arena, text->data + text->tokens[open - 1].begin,
		                                       text->tokens[open - 1].end - text->tokens[open - 1].begin), &outer) > 0)
			return open - 1;
	return root;
}

/* Keeps the paths that the name at a token leads to. */
static size_t keep_of(struct kt_macro_path *paths, size_t count, size_t root)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (paths[i].root == root)
			paths[kept++] = paths[i];
	return kept;
}

bool kt_macro_paths(struct kt_macro_path **out, size_t *count, struct kt_scan *scan, size_t name, size_t file, uint32_t spelled)
{
	struct search s = {.scan = scan, .goal = macro_at(scan, file, spelled)};
	const size_t root = s.goal != NULL ? used_at(scan, name, first_macro(scan, name, s.goal)) : name;
	const struct kt_macro *first = s.goal != NULL ? first_macro(scan, root, s.goal) : NULL;
	if (first == NULL)
		return false;
	s.root = s.path.root = root;
	s.path.levels[s.path.count++] = (struct kt_macro_level){.macro = first};
	if (!read_definition(scan, &s.path.levels[0]))
		return false;
	descend(&s);
	const size_t kept = s.count <= MOST_PATHS ? keep_of(s.found, s.count, name) : 0;
	for (size_t i = 0; i < kept; i++) {
		struct kt_macro_level *last = &s.found[i].levels[s.found[i].count - 1];
		if (!read_path(scan, &s.found[i], root) || is_pasted(&s.found[i]))
			return false;
		last->use = kt_token_at(&last->text, spelled - last->macro->begin);
		if (!kt_token_is(&last->text, last->use, "<<<") ||
		    last->text.tokens[last->use].begin != spelled - last->macro->begin)
			return false;
	}
	*out = s.found;
	*count = kept;
	return kept > 0 && !scan->failed;
}
