/* What clauses would have to give of an argument that is a structure or a vector. */
#include <string.h>

#include "clauses.h"
#include "members.h"

#define MOST_NAMED 6

/* The length of "p.size" in "p.size[2]", where numbers of an array are given by one list; else of the whole name. */
static size_t list_length(const struct kt_argument *member)
{
	const size_t length = strlen(member->name);
	const char *open = strrchr(member->name, '[');
	return !member->is_pointer && open != NULL && member->name[length - 1] == ']' ? (size_t)(open - member->name)
										      : length;
}

static bool is_same_list(const struct kt_argument *a, const struct kt_argument *b)
{
	const size_t length = list_length(a);
	return a->name[length] == '[' && length == list_length(b) && strncmp(a->name, b->name, length) == 0;
}

static const char *clause_for(struct kt_scan *scan, const struct kt_argument *a)
{
	if (a->is_pointer)
		return kt_arena_printf(scan->arena, "%s(%s[COUNT])", a->is_const ? "in" : "inout", a->name);
	const int length = (int)list_length(a);
	return kt_arena_printf(scan->arena,
			       a->name[length] == '[' ? "value(%.*s = {NUMBER, …})" : "value(%.*s = NUMBER)", length,
			       a->name);
}

void kt_clause_missing(struct kt_scan *scan, struct kt_found *found, size_t argument)
{
	const struct kt_region *r = &found->region;
	const struct kt_argument *last = NULL;
	const char *names = "", *fix = "";
	size_t first = 0, missing = 0;
	const size_t count = kt_members_of(r, argument, &first);
	for (size_t m = first; m < first + count; m++) {
		const struct kt_argument *a = &r->arguments[m];
		if (kt_argument_given(r, m) || (last != NULL && is_same_list(last, a)))
			continue;
		last = a;
		if (missing++ >= MOST_NAMED)
			continue;
		const int length = (int)list_length(a);
		names = kt_arena_printf(scan->arena, "%s%s'%.*s'", names, missing > 1 ? ", " : "", length, a->name);
		const char *clause = clause_for(scan, a);
		fix = names != NULL && clause != NULL ? kt_arena_printf(scan->arena, "%s %s", fix, clause) : NULL;
		if (fix == NULL) {
			scan->failed = true;
			return;
		}
	}
	if (missing > 0)
		kt_found_decline(scan, found, "arguments-unknown",
				 "argument '%s' of '%s' has members in no clause: %s%s; write%s",
				 r->arguments[argument].name, r->kernel, names, missing > MOST_NAMED ? ", …" : "", fix);
}

const char *kt_clause_pointers(struct kt_scan *scan, const struct kt_region *region, size_t argument)
{
	const char *text = "";
	size_t first = 0, named = 0;
	const size_t count = kt_members_of(region, argument, &first);
	for (size_t m = first; m < first + count && named < MOST_NAMED && text != NULL; m++)
		if (region->arguments[m].is_pointer)
			text = kt_arena_printf(scan->arena, "%s%s%s[…]", text, named++ > 0 ? ", " : "",
					       region->arguments[m].name);
	return named == 0 || text == NULL ? "it holds no pointer: give its numbers with value(…)"
					  : kt_arena_printf(scan->arena, "name the pointers in it: %s", text);
}
