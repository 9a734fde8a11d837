/* How problem variables are computed at a launch. */
#include "launches_internal.h"

#include <string.h>

#include "members.h"

const struct kt_local *kt_scan_visible(const struct kt_scan *scan, const char *name, uint32_t offset)
{
	const struct kt_local *best = NULL;
	for (size_t i = 0; i < scan->local_count; i++) {
		const struct kt_local *local = &scan->locals[i];
		if (local->at < offset && offset < local->scope_end && strcmp(local->name, name) == 0 &&
		    (best == NULL || best->at < local->at))
			best = local;
	}
	return best;
}

bool kt_launch_is_integer(CXType type)
{
	CXType canonical = kt_clang.getCanonicalType(type);
	if (canonical.kind == CXType_LValueReference)
		canonical = kt_clang.getCanonicalType(kt_clang.getPointeeType(canonical));
	return (canonical.kind >= CXType_Bool && canonical.kind <= CXType_Int128) || canonical.kind == CXType_Enum ||
	       canonical.kind == CXType_Unexposed || canonical.kind == CXType_Dependent ||
	       canonical.kind == CXType_Auto;
}

/* The argument or member whose value is that variable and nothing else, where a launch can read it; -1: none. */
static int64_t argument_of(const struct kt_found *found, const char *variable)
{
	const struct kt_region *r = &found->region;
	for (size_t i = 0; i < found->pragma->value_count; i++) {
		const struct kt_pragma_value *v = &found->pragma->values[i];
		if (v->expr.expr == NULL || strcmp(v->expr.text, variable) != 0)
			continue;
		const int64_t argument = kt_members_given(r, v);
		if (argument >= 0 && !r->arguments[argument].is_pointer && !r->arguments[argument].is_private)
			return argument;
	}
	return -1;
}

/* Clauses above a launch use the names of its function: at another launch they may be names of something else. */
static bool is_named_there(const struct kt_found *found, const struct kt_call *call)
{
	return found->above.end == 0 || (call->extent.begin >= found->above.begin && call->extent.begin < found->above.end);
}

void kt_launch_bind(struct kt_scan *scan, struct kt_found *found, const struct kt_call *call,
                    const struct kt_pragma *above, struct kt_launch *l, size_t variable)
{
	struct kt_region *r = &found->region;
	const char *name = found->pragma->variables[variable];
	struct kt_binding *b = &l->bindings[variable];
	const struct kt_pragma *places[] = {above, found->pragma};
	b->argument = -1;
	for (size_t p = 0; p < 2; p++)
		for (size_t i = 0; places[p] != NULL && i < places[p]->bind_count; i++)
			if (strcmp(places[p]->binds[i].name, name) == 0) {
				b->text = places[p]->binds[i].text;
				return;
			}
	for (size_t i = 0; i < r->argument_count; i++)
		if (strcmp(r->arguments[i].name, name) == 0 && !r->arguments[i].is_pointer) {
			b->argument = (int64_t)i;
			return;
		}
	/* value(m = n): what the kernel gets as m is n, whatever else is called so at the launch. */
	b->argument = argument_of(found, name);
	if (b->argument >= 0)
		return;
	const struct kt_local *local = is_named_there(found, call) ? kt_scan_visible(scan, name, call->extent.begin) : NULL;
	if (local != NULL && kt_launch_is_integer(local->type))
		b->text = name;
	else if (l->decline == NULL)
		l->decline = "binding-unknown";
}

/* The bind pragma above the launch; its names must be the region's problem variables. */
const struct kt_bind_pragma *kt_launch_pragma(struct kt_scan *scan, const struct kt_found *found,
                                            const struct kt_call *call)
{
	for (size_t i = 0; i < scan->bind_count; i++) {
		struct kt_bind_pragma *bind = &scan->binds[i];
		if (bind->target != call->extent.begin)
			continue;
		for (size_t b = 0; b < bind->pragma->bind_count && !bind->used; b++) {
			const struct kt_pragma_bind *one = &bind->pragma->binds[b];
			const struct kt_pragma *p = found->pragma;
			bool known = false;
			for (size_t v = 0; v < p->variable_count; v++)
				known = known || strcmp(p->variables[v], one->name) == 0;
			const char *near = kt_nearest(one->name, p->variables, p->variable_count);
			bind->has_errors = bind->has_errors || !known;
			if (!known)
				kt_scan_diagnose(
				    scan, 0, KT_ERROR, bind->text_at + one->offset, (uint32_t)strlen(one->name),
				    kt_arena_printf(scan->arena, "'%s' is no problem variable of '%s'", one->name,
				                    found->region.kernel),
				    near != NULL ? kt_arena_printf(scan->arena, "did you mean '%s'?", near) : NULL);
		}
		bind->used = true;
		return bind;
	}
	return NULL;
}

/* The first problem variable that nothing at the launch has the value of, where that is why it is left unmodified. */
static const char *unbound(const struct kt_found *found, const struct kt_launch *l)
{
	if (l->decline == NULL || strcmp(l->decline, "binding-unknown") != 0)
		return NULL;
	for (size_t v = 0; v < found->pragma->variable_count; v++)
		if (l->bindings[v].argument < 0 && l->bindings[v].text == NULL)
			return found->pragma->variables[v];
	return NULL;
}

void kt_launch_judge(struct kt_scan *scan, struct kt_found *found, const struct kt_launch *l)
{
	const char *variable = unbound(found, l);
	if (variable != NULL)
		kt_found_decline(scan, found, l->decline, "line %u: '%s' is no argument and no variable there; write "
		                 "'#pragma ktune bind(%s = EXPRESSION)' above the launch", l->line, variable, variable);
	else if (l->decline != NULL)
		kt_found_decline(scan, found, l->decline, "line %u", l->line);
}

/* value(p.rows = rows): where nothing else at a launch has rows, p.rows is it. */
void kt_launch_bind_by_values(struct kt_found *found, struct kt_launch *l)
{
	bool all = true;
	if (l->decline == NULL || strcmp(l->decline, "binding-unknown") != 0)
		return;
	for (size_t v = 0; v < found->pragma->variable_count; v++) {
		struct kt_binding *b = &l->bindings[v];
		if (b->argument < 0 && b->text == NULL)
			b->argument = argument_of(found, found->pragma->variables[v]);
		all = all && (b->argument >= 0 || b->text != NULL);
	}
	if (all)
		l->decline = NULL;
}
