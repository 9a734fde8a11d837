/* Which parts of macros' texts a launch's configuration consists of, and nothing else. */
#include <string.h>

#include "launch_macro.h"
#include "routes.h"

/* Marks tokens of a level. */
static bool *new_marks(struct kt_scan *scan, const struct kt_macro_level *level)
{
	bool *marks = kt_arena_array(scan->arena, level->text.count + 1, sizeof *marks);
	scan->failed = scan->failed || marks == NULL;
	return marks;
}

/* Is each mention of a name after token `from` marked? */
static bool is_all_marked(const struct kt_macro_level *level, const bool *marks, const char *name, size_t from)
{
	for (size_t t = from; t < level->text.count; t++)
		if (!marks[t] && kt_token_is(&level->text, t, name))
			return false;
	return true;
}

/* Marks the value of a variable that only the configuration uses. True: there was one. */
static bool mark_local(struct kt_scan *scan, const struct kt_macro_level *level, uint32_t root, bool *marks)
{
	for (size_t i = 0; i < scan->local_count; i++) {
		size_t name = level->body, first = 0, end = 0;
		const struct kt_local *local = &scan->locals[i];
		if (local->at != root)
			continue;
		while (name < level->text.count && !kt_token_is(&level->text, name, local->name))
			name++;
		if (name >= level->text.count || marks[name] || !kt_macro_local_value(level, local, &first, &end) ||
		    !is_all_marked(level, marks, local->name, name + 1))
			continue;
		for (size_t t = name; t < end; t++)
			marks[t] = true;
		return true;
	}
	return false;
}

/* Marks in a level the arguments of the next one's use that only marked tokens of the next one name. */
static void mark_arguments(const struct kt_macro_level *level, bool *marks, const struct kt_macro_level *next,
                           const bool *next_marks)
{
	const size_t open = level->use + 1, close = kt_token_match(&level->text, open);
	size_t parameter = 0;
	for (size_t t = open + 1; next->macro->is_function && t < close && close < level->text.count; t++) {
		const size_t end = kt_token_is(&level->text, t, "(") ? kt_token_match(&level->text, t) : t;
		if (kt_token_is(&level->text, t, ",") && parameter + 1 < next->macro->parameter_count) {
			parameter++;
			continue;
		}
		for (; t <= end && parameter < next->macro->parameter_count; t++)
			marks[t] = is_all_marked(next, next_marks, next->macro->parameters[parameter], next->body);
		t = end;
	}
}

static void add_names(struct kt_scan *scan, struct kt_route *route, const struct kt_macro_level *level, const bool *marks)
{
	for (size_t t = level->body; t < level->text.count; t++) {
		const struct kt_token *token = &level->text.tokens[t];
		if (token->kind != KT_TOKEN_NAME)
			continue;
		struct kt_macro_name *slot = kt_arena_push(scan->arena, &route->names, &route->name_count, sizeof *slot);
		const char *name = kt_arena_strndup(scan->arena, level->text.data + token->begin, token->end - token->begin);
		scan->failed = scan->failed || slot == NULL || name == NULL;
		if (slot != NULL)
			*slot = (struct kt_macro_name){level->macro, t, name, marks[t] || t == level->use};
	}
}

static void add_ranges(struct kt_scan *scan, struct kt_route *route, const struct kt_macro_level *level, const bool *marks)
{
	for (size_t i = 0; i < level->macro->parameter_count; i++) {
		if (!is_all_marked(level, marks, level->macro->parameters[i], level->body) ||
		    level->arguments[i].begin == level->arguments[i].end)
			continue;
		struct kt_range *slot = kt_arena_push(scan->arena, &route->ranges, &route->range_count, sizeof *slot);
		scan->failed = scan->failed || slot == NULL;
		if (slot != NULL)
			*slot = level->arguments[i];
	}
}

void kt_macro_configuration(struct kt_scan *scan, const struct kt_macro_path *path, uint32_t root, size_t close,
                            struct kt_route *route)
{
	const struct kt_macro_level *next = &path->levels[path->count - 1];
	bool *next_marks = new_marks(scan, next);
	for (size_t t = next->use; next_marks != NULL && t <= close; t++)
		next_marks[t] = true;
	while (next_marks != NULL && mark_local(scan, next, root, next_marks))
		;
	for (size_t i = path->count; next_marks != NULL && i-- > 0;) {
		const struct kt_macro_level *level = &path->levels[i];
		bool *marks = level == next ? next_marks : new_marks(scan, level);
		if (marks != NULL && level != next)
			mark_arguments(level, marks, next, next_marks);
		if (marks != NULL)
			add_names(scan, route, level, marks);
		next = level;
		next_marks = marks;
	}
	if (next_marks != NULL)
		add_ranges(scan, route, next, next_marks);
}
