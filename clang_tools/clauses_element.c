/* What clauses state about the elements of buffers, in addition to their types. */
#include <stdlib.h>
#include <string.h>

#include "clauses.h"
#include "instances.h"
#include "members.h"

/* "const float (*)[24][8]": 192; of all other types 1. */
static int64_t row_of(const char *type)
{
	const char *at = strstr(type, "(*)[");
	int64_t row = 1;
	for (at = at != NULL ? strchr(at, '[') : NULL; at != NULL; at = strchr(at + 1, '['))
		if (__builtin_mul_overflow(row, strtoll(at + 1, NULL, 10), &row))
			return 1;
	return row > 0 ? row : 1;
}

bool kt_of_problem(int64_t *value, const char *name, void *context)
{
	const struct kt_problem_values *p = context;
	for (size_t i = 0; i < p->pragma->variable_count; i++)
		if (strcmp(p->pragma->variables[i], name) == 0) {
			*value = p->values[i];
			return true;
		}
	return false;
}

void kt_clause_rows(struct kt_scan *scan, struct kt_found *found, const struct kt_pragma_buffer *from, size_t argument)
{
	const struct kt_region *r = &found->region;
	const int64_t row = r->instance_count > 0 ? row_of(r->instances[0].types[argument]) : 1;
	struct kt_problem_values p = {found->pragma, found->pragma->problems};
	int64_t count = 0;
	struct kt_error ignored;
	if (row == 1 || from->count.expr == NULL ||
	    kt_expr_eval(&count, from->count.expr, kt_of_problem, &p, &ignored) != KT_OK || count % row == 0)
		return;
	kt_clause_report(scan, found, from->offset, from->name,
	                 kt_arena_printf(scan->arena, "'%s' points to arrays of %lld numbers, and the clause counts %lld numbers of it",
	                                 from->name, (long long)row, (long long)count),
	                 kt_arena_printf(scan->arena, "write %s[(%s) * %lld]", from->name, from->count.text, (long long)row));
}

/* The type that the text names on this instance; NULL: none, and where the name is a type, *reason has the cause. */
static const struct kt_element *element_named(const char **reason, struct kt_scan *scan, const struct kt_region *r,
                                              const struct kt_instance *instance, const struct kt_buffer *b)
{
	const char **names = kt_arena_array(scan->arena, r->template_count + 1, sizeof *names);
	CXType type;
	if (names == NULL) {
		scan->failed = true;
		return NULL;
	}
	for (size_t t = 0; t < r->template_count; t++)
		names[t] = r->templates[t].name;
	const char *text = kt_substitute(scan, b->type, names, instance->arguments, r->template_count);
	const enum kt_scalar scalar = text != NULL ? kt_scan_scalar_text(text) : KT_SCALAR_NONE;
	if (scalar != KT_SCALAR_NONE)
		return kt_element_of(scalar);
	return text != NULL && kt_scan_type_named(&type, scan, text) ? kt_scan_element(reason, scan, b->name, type) : NULL;
}

/* "const void *", as libclang prints it; not "avoid *". */
static bool leads_to_void(const char *type)
{
	const char *at = strstr(type, "void");
	return at != NULL && (at == type || at[-1] == ' ') && (at[4] == '\0' || strchr(" *", at[4]) != NULL);
}

void kt_clause_type(struct kt_scan *scan, struct kt_found *found, const struct kt_buffer *b, unsigned offset)
{
	struct kt_region *r = &found->region;
	const bool is_pointer = b->argument >= 0 && r->arguments[b->argument].is_pointer;
	for (size_t i = 0; b->type != NULL && i < r->instance_count; i++) {
		struct kt_instance *instance = &r->instances[i];
		const char *reason = NULL;
		if (!is_pointer || !leads_to_void(instance->types[b->argument])) {
			kt_clause_report(scan, found, offset, b->type,
			                 kt_arena_printf(scan->arena, "'%s' is no pointer to void", b->name),
			                 "the type of other pointers is the signature's: leave as(…) out");
			return;
		}
		const struct kt_element *element = element_named(&reason, scan, r, instance, b);
		if (element == NULL) {
			kt_clause_report(scan, found, offset, b->type,
			                 reason != NULL ? reason : kt_arena_printf(scan->arena, "no type '%s' in this file", b->type),
			                 "write the name of a number, a vector, or a structure of them that has one");
			return;
		}
		instance->elements[b->argument] = kt_element_scalar(element);
		instance->layouts[b->argument] = kt_element_scalar(element) == KT_SCALAR_NONE ? element : NULL;
	}
}

void kt_clause_like(struct kt_scan *scan, struct kt_found *found, const struct kt_buffer *b, unsigned offset)
{
	const struct kt_region *r = &found->region;
	size_t other = 0;
	while (b->like != NULL && other < r->buffer_count && strcmp(r->buffers[other].name, b->like) != 0)
		other++;
	for (size_t i = 0; b->like != NULL && other < r->buffer_count && i < r->instance_count; i++)
		if (!kt_element_same(kt_buffer_element(b, &r->instances[i]), kt_buffer_element(&r->buffers[other], &r->instances[i]))) {
			kt_clause_report(scan, found, offset, b->like,
			                 kt_arena_printf(scan->arena, "'%s' and '%s' have elements of different types", b->name, b->like),
			                 "write a fill for each of them");
			return;
		}
}

void kt_clause_members(struct kt_scan *scan, struct kt_found *found, struct kt_buffer *b)
{
	struct kt_region *r = &found->region;
	bool used[KT_CLAUSE_ITEMS] = {false};
	if (b->member_count == 0)
		return;
	for (size_t i = 0; i < (b->argument >= 0 ? r->instance_count : 1); i++) {
		const struct kt_element *element = r->instance_count > 0 || b->argument < 0
		                                       ? kt_buffer_element(b, &r->instances[i]) : kt_element_of(KT_SCALAR_NONE);
		if (element->number_count < 2)
			continue;
		const struct kt_element *grouped = kt_scan_groups(used, scan, element, b->members, b->member_count);
		if (grouped == NULL)
			kt_found_decline(scan, found, "argument-type", "the elements of '%s' have more than %d parts that are filled or "
			                 "typed differently; fill fewer members on their own", b->name, KT_ELEMENT_PARTS);
		else if (b->argument < 0)
			b->symbol.element = grouped;
		else
			r->instances[i].layouts[b->argument] = grouped;
	}
	for (size_t m = 0; m < b->member_count; m++)
		if (!used[m] && r->instance_count > 0)
			kt_clause_report(scan, found, b->members[m].offset, b->members[m].member,
			                 kt_arena_printf(scan->arena, "the elements of '%s' have no member '%s'", b->name, b->members[m].member),
			                 "members are named as C++ reads them after an element: from, at.x, q[2]; all of an array by its name");
}
