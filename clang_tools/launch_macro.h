/* For launch_macro*.c only: the macros between a text and the launch in the body of the last of them. */
#ifndef KT_CLANG_LAUNCH_MACRO_H
#define KT_CLANG_LAUNCH_MACRO_H

#include "unit.h"


/* One macro: its definition, "NAME(a, ...) body" as it is in its file, and what its parameters hold there. */
struct kt_macro_level {
	const struct kt_macro *macro;
	struct kt_text text;
	size_t body;         /* its first token */
	size_t use;          /* token of the next level's name; of the last level the launch's "<<<" */
	const char **values; /* of the parameters, in names of the place of use; an entry is NULL where it is not known */
	struct kt_range *arguments; /* of the first level: where they are in the main file */
	size_t *names;              /* of the parameters: the token of the main file that is the whole argument; SIZE_MAX: none is */
};

/*
 * The levels before `first` are given the name of the first macro that a copy is made of, as in `FOR_TYPES(CASE)`, and use it by
 * their parameter.
 */
struct kt_macro_path {
	size_t first, root; /* root: the token of that name in the main file */
	size_t count;
	struct kt_macro_level levels[KT_LAUNCH_LEVELS];
};

/*
 * The paths that the macro's name at token `name` of the main file leads to: to the "<<<" that is spelled at offset `spelled` of the
 * project file `file`, in the order in which the preprocessor expands them. False: there is none, too many of them, or a macro on
 * one has several definitions.
 */
bool kt_macro_paths(struct kt_macro_path **out, size_t *count, struct kt_scan *scan, size_t name, size_t file, uint32_t spelled);
/* The parameter of a level that a token of its text is; SIZE_MAX: none. */
size_t kt_macro_parameter(const struct kt_macro_level *level, size_t token);
/* Tokens [first, end) of a level as the preprocessor would make them, in names of the place of use. NULL: not known. */
const char *kt_macro_text(struct kt_scan *scan, const struct kt_macro_level *level, size_t first, size_t end);
/* Splits a text at commas outside of brackets; false: memory is out. */
bool kt_macro_split(struct kt_scan *scan, const char *text, const char ***out, size_t *count);
/* The first variable that tokens name and that a macro whose name is at `root` declares; NULL: none. */
const struct kt_local *kt_macro_local(const struct kt_scan *scan, uint32_t root, const struct kt_text *tokens);
/* The tokens of what a variable holds at the launch, which the body initialises and does not change before; false: it does. */
bool kt_macro_local_value(const struct kt_macro_level *level, const struct kt_local *local, size_t *first, size_t *end);
/*
 * Fills the route's ranges and names. root: offset of the first macro's name; close: token of the launch's ">>>".
 */
struct kt_route;
void kt_macro_configuration(struct kt_scan *scan, const struct kt_macro_path *path, uint32_t root, size_t close,
                            struct kt_route *route);
/*
 * A text of the level with the variables that its body declares and never changes replaced by their values. NULL: it is
 * not known, or the text is. Names in `kept` remain.
 */
const char *kt_macro_with_locals(struct kt_scan *scan, const struct kt_macro_level *level, uint32_t root, const char *text,
                                 const char *const *kept, size_t kept_count);
/*
 * launch_macro_strings.c: is a token in the argument of a macro of the project that makes a string of it? The search goes back
 * to token `first`.
 */
bool kt_macro_is_string(struct kt_scan *scan, const struct kt_text *text, size_t token, size_t first);

#endif
