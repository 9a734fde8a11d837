#include <string.h>

#include "base/clause_parts.h"
#include "clauses.h"
#include "members.h"
#include "opencl.h"

/* What a name in a clause means. */
enum meaning {
	MEANS_NOTHING, MEANS_VARIABLE, MEANS_PARAMETER, MEANS_SCALAR, MEANS_POINTER, MEANS_DEVICE, MEANS_WHOLE, MEANS_PRIVATE,
};

struct check {
	struct kt_scan *scan;
	struct kt_found *found;
	const struct kt_clause_expr *clause;
	bool names_launch; /* a problem variable or an argument was named */
	bool is_data;      /* of values, bounds and counts, which no launch evaluates */
};

static int64_t find_argument(const struct kt_region *r, const char *name)
{
	for (size_t i = 0; i < r->argument_count + r->member_count; i++)
		if (strcmp(r->arguments[i].name, name) == 0)
			return (int64_t)i;
	return -1;
}

/* A member of an argument without a layout: the reason is reported for the argument (decline_type). */
static bool is_unread(const struct kt_found *found, const char *name)
{
	const size_t root = strcspn(name, ".[");
	if (found->member_reason == NULL)
		return false;
	for (size_t i = 0; i < found->region.argument_count; i++)
		if (strlen(found->region.arguments[i].name) == root &&
		    memcmp(found->region.arguments[i].name, name, root) == 0)
			return true;
	return false;
}

static enum meaning meaning_of(const struct kt_found *found, const char *name)
{
	const struct kt_pragma *p = found->pragma;
	if (strncmp(name, "device.", 7) == 0)
		return MEANS_DEVICE;
	for (size_t i = 0; i < p->tune_count; i++)
		if (strcmp(p->tunes[i].name, name) == 0)
			return MEANS_PARAMETER;
	for (size_t i = 0; i < p->variable_count; i++)
		if (strcmp(p->variables[i], name) == 0)
			return MEANS_VARIABLE;
	int64_t argument = find_argument(&found->region, name);
	if (argument < 0)
		return MEANS_NOTHING;
	size_t first = 0;
	if (kt_members_of(&found->region, (size_t)argument, &first) > 0)
		return MEANS_WHOLE;
	if (found->region.arguments[argument].is_private)
		return MEANS_PRIVATE;
	return found->region.arguments[argument].is_pointer ? MEANS_POINTER : MEANS_SCALAR;
}

/* Buffers where a number belongs were reported when the clause was read. */
static bool is_buffer(const struct kt_pragma *p, const char *name)
{
	return KT_FIND(p->buffers, p->buffer_count, name, name) != NULL;
}

bool kt_clause_means(const struct kt_found *found, const char *name)
{
	return meaning_of(found, name) != MEANS_NOTHING || is_buffer(found->pragma, name) || is_unread(found, name);
}

/* Once each: a problem variable is often an argument as well. */
static bool add_name(struct kt_scan *scan, const char ***names, size_t *count, const char *name)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp((*names)[i], name) == 0)
			return true;
	const bool added = kt_arena_push_text(scan->arena, names, count, name);
	scan->failed = scan->failed || !added;
	return added;
}

/* "did you mean 'd'?", or the names there are. */
static const char *suggest(struct kt_scan *scan, const struct kt_found *found, const char *name, bool pointers,
                           bool clause_names)
{
	const struct kt_region *r = &found->region;
	const struct kt_pragma *p = found->pragma;
	const char **names = NULL;
	size_t count = 0;
	for (size_t i = 0; clause_names && i < p->variable_count; i++)
		(void)add_name(scan, &names, &count, p->variables[i]);
	for (size_t i = 0; clause_names && i < p->tune_count; i++)
		(void)add_name(scan, &names, &count, p->tunes[i].name);
	size_t first = 0;
	for (size_t i = 0; i < r->argument_count + r->member_count; i++)
		if (r->arguments[i].is_pointer == pointers && kt_members_of(r, i, &first) == 0)
			(void)add_name(scan, &names, &count, r->arguments[i].name);
	const char *near = kt_nearest(name, names, count);
	if (near != NULL)
		return kt_arena_printf(scan->arena, "did you mean '%s'?", near);
	if (count == 0)
		return NULL;
	struct kt_buf list = KT_BUF(KT_LIMIT_LINE_BYTES);
	for (size_t i = 0; i < count && i < 12; i++)
		kt_buf_addf(&list, "%s%s", i > 0 ? ", " : "known here: ", names[i]);
	const char *hint = kt_arena_strdup(scan->arena, kt_buf_text(&list));
	kt_buf_free(&list);
	return hint;
}

void kt_clause_report(struct kt_scan *scan, struct kt_found *found, unsigned offset, const char *name,
                      const char *message, const char *hint)
{
	kt_scan_diagnose(scan, 0, KT_ERROR, found->text_at + offset, (uint32_t)strlen(name), message, hint);
	kt_found_decline(scan, found, "pragma-error", NULL);
}

static const char *hint_of(const struct check *c, enum meaning meaning, const char *name, bool pointer)
{
	if (meaning == MEANS_PRIVATE)
		return "pass it as a separate argument";
	return meaning == MEANS_NOTHING && !pointer && kt_scan_macro(c->scan, name) != NULL
		   ? "a macro has a value here where it is one integer operand: write it in brackets"
		   : suggest(c->scan, c->found, name, pointer, !pointer);
}

static bool check_name(const char *name, unsigned offset, bool pointer, void *context)
{
	struct check *c = context;
	enum meaning meaning = meaning_of(c->found, name);
	struct kt_arena *arena = c->scan->arena;
	const char *message = NULL;
	c->names_launch = c->names_launch || (meaning != MEANS_PARAMETER && meaning != MEANS_DEVICE);
	/* A misspelt clause may have been the one that defines it. */
	if (meaning == MEANS_NOTHING && (c->found->pragma->names_incomplete || is_unread(c->found, name)))
		return true;
	if (meaning == MEANS_NOTHING)
		message = kt_arena_printf(arena, "unknown name '%s'", name);
	else if (meaning == MEANS_WHOLE)
		message = kt_arena_printf(arena, "'%s' is a structure or a vector, and has no single value", name);
	else if (meaning == MEANS_PRIVATE && !c->is_data)
		message = kt_arena_printf(arena, "'%s' is private: a launch cannot read it", name);
	else if (pointer && meaning != MEANS_POINTER)
		message = kt_arena_printf(arena, "'%s' is no pointer argument of '%s'", name, c->found->region.kernel);
	else if (!pointer && meaning == MEANS_POINTER && !is_buffer(c->found->pragma, name))
		message = kt_arena_printf(arena, "'%s' is a pointer, which has no integer value", name);
	if (message != NULL)
		kt_clause_report(c->scan, c->found, c->clause->offset + offset, name, message, hint_of(c, meaning, name, pointer));
	return true;
}

/* Reports unknown names in what is only there while tuning. */
static void check_data(struct kt_scan *scan, struct kt_found *found, const struct kt_clause_expr *clause)
{
	struct check c = {.scan = scan, .found = found, .clause = clause, .is_data = true};
	if (clause->expr != NULL)
		(void)kt_expr_names(clause->expr, check_name, &c);
}

/* Reports unknown names; returns whether the expression depends on what a launch passes. */
static bool check_expr(struct kt_scan *scan, struct kt_found *found, const struct kt_clause_expr *clause)
{
	struct check c = {.scan = scan, .found = found, .clause = clause};
	if (clause->expr != NULL)
		(void)kt_expr_names(clause->expr, check_name, &c);
	return c.names_launch;
}

static void set_tolerance(struct kt_buffer *b, const struct kt_pragma *p)
{
	b->absolute = b->relative = -1;
	for (int named = 0; named <= 1; named++)
		for (size_t i = 0; i < p->tolerance_count; i++) {
			const struct kt_pragma_tolerance *t = &p->tolerances[i];
			if ((named == 1) != (t->buffer != NULL) || (named == 1 && strcmp(t->buffer, b->name) != 0))
				continue;
			b->absolute = t->absolute >= 0 ? t->absolute : b->absolute;
			b->relative = t->relative >= 0 ? t->relative : b->relative;
		}
}

/* A clause that names no argument. */
static void read_symbol(struct kt_scan *scan, struct kt_found *found, struct kt_buffer *b,
                        const struct kt_pragma_buffer *from)
{
	const char *other = NULL;
	if (is_unread(found, from->name))
		return;
	if (!kt_scan_device_symbol(b, &other, scan, found)) {
		kt_clause_report(scan, found, from->offset, from->name,
		                 kt_arena_printf(scan->arena, "'%s' has no argument '%s'", found->region.kernel, from->name),
		                 suggest(scan, found, from->name, true, false));
		return;
	}
	if (!scan->target->has_host_code)
		kt_clause_report(scan, found, from->offset, from->name,
		                 kt_arena_printf(scan->arena, "'%s' is a variable of the program, which an OpenCL host can neither write "
		                                 "nor read", from->name),
		                 "pass it as an argument; one that only an initialiser gives values needs no clause");
	else if (other != NULL)
		kt_clause_report(scan, found, from->offset, from->name,
		                 kt_arena_printf(scan->arena, "'%s' uses two device symbols called '%s', the other one is '%s'",
		                                 found->region.kernel, from->name, other),
		                 "give one of them another name");
	else if (b->symbol.is_constant && (from->direction & KT_OUT) != 0)
		kt_clause_report(scan, found, from->offset, from->name,
		                 kt_arena_printf(scan->arena, "'%s' is constant and cannot be written", from->name),
		                 kt_arena_printf(scan->arena, "write in(%s[…])", from->name));
}

static void check_fill(struct kt_scan *scan, struct kt_found *found, const struct kt_pragma_buffer *from)
{
	for (size_t i = 0; from->like == NULL && i < KT_FILL_NUMBERS; i++)
		check_data(scan, found, &from->bounds[i]);
	for (size_t i = 0; from->like == NULL && i < KT_FILL_NUMBERS * from->member_count; i++)
		check_data(scan, found, &from->members[i / KT_FILL_NUMBERS].bounds[i % KT_FILL_NUMBERS]);
	if (from->like == NULL)
		check_data(scan, found, &from->when);
}

/* What the buffer holds on the problems for which this clause is not. */
static void read_otherwise(struct kt_scan *scan, struct kt_found *found, struct kt_buffer *b, const struct kt_pragma_buffer *from)
{
	for (; from->otherwise != NULL; from = from->otherwise, b = b->otherwise) {
		const struct kt_pragma_buffer *next = from->otherwise;
		b->when = from->when;
		b->otherwise = kt_arena_alloc(scan->arena, sizeof *b->otherwise);
		if (b->otherwise == NULL) {
			scan->failed = true;
			return;
		}
		*b->otherwise = *b;
		b->otherwise->when = (struct kt_clause_expr){.text = NULL};
		b->otherwise->otherwise = NULL;
		b->otherwise->file = (struct kt_data_file){.text = NULL};
		b->otherwise->fill = next->fill;
		memcpy(b->otherwise->bounds, next->bounds, sizeof next->bounds);
		check_fill(scan, found, next);
		kt_clause_file(scan, found, b->otherwise, next);
	}
}

static void read_buffer(struct kt_scan *scan, struct kt_found *found, struct kt_buffer *b,
                        const struct kt_pragma_buffer *from)
{
	struct kt_region *r = &found->region;
	size_t first = 0;
	*b = (struct kt_buffer){.name = from->name, .direction = from->direction, .count = from->count, .fill = from->fill,
	                        .like = from->like, .type = from->type, .member_count = from->member_count,
	                        .members = from->members};
	memcpy(b->bounds, from->bounds, sizeof b->bounds);
	b->scratch = from->direction == KT_SCRATCH;
	b->argument = find_argument(r, from->name);
	set_tolerance(b, found->pragma);
	check_data(scan, found, &from->count);
	check_fill(scan, found, from);
	kt_clause_file(scan, found, b, from);
	read_otherwise(scan, found, b, from);
	if (b->argument < 0)
		read_symbol(scan, found, b, from);
	else if (b->argument >= 0 && kt_members_of(r, (size_t)b->argument, &first) > 0)
		kt_clause_report(scan, found, from->offset, from->name,
		                 kt_arena_printf(scan->arena, "'%s' is a structure or a vector, and no pointer", from->name),
		                 kt_clause_pointers(scan, r, (size_t)b->argument));
	else if (b->argument >= 0 && !r->arguments[b->argument].is_pointer)
		kt_clause_report(scan, found, from->offset, from->name,
		                 kt_arena_printf(scan->arena, "'%s' is no pointer", from->name),
		                 kt_arena_printf(scan->arena, "write value(%s = …) for a scalar", from->name));
	else if (b->argument >= 0 && r->arguments[b->argument].space == KT_SPACE_LOCAL)
		kt_clause_report(scan, found, from->offset, from->name,
		                 kt_arena_printf(scan->arena, "'%s' points to local memory, which is no buffer", from->name),
		                 "write smem(bytes) for its size");
	else if (b->argument >= 0 && r->arguments[b->argument].is_const && (from->direction & KT_OUT) != 0)
		kt_clause_report(scan, found, from->offset, from->name,
		                 kt_arena_printf(scan->arena, "'%s' points to const and cannot be written", from->name),
		                 kt_arena_printf(scan->arena, "write in(%s[…])", from->name));
	else if (b->argument >= 0)
		kt_clause_rows(scan, found, from, (size_t)b->argument);
}

/* "p.x, p.y, p.z": the first ones. */
static const char *member_names(struct kt_scan *scan, const struct kt_region *r, size_t first, size_t count)
{
	const char *text = r->arguments[first].name;
	for (size_t i = 1; i < count && i < 6 && text != NULL; i++)
		text = kt_arena_printf(scan->arena, "%s, %s", text, r->arguments[first + i].name);
	return count > 6 && text != NULL ? kt_arena_printf(scan->arena, "%s, …", text) : text;
}

static void read_place(struct kt_scan *scan, struct kt_found *found, struct kt_value *v,
                       const struct kt_pragma_value *from)
{
	const struct kt_region *r = &found->region;
	size_t count = 0;
	v->argument = kt_members_at(r, from, &count);
	if (v->argument >= 0)
		v->name = r->arguments[v->argument].name;
	const bool may_be_short = v->argument >= 0 && v->name[strlen(from->name)] == '[';
	if (from->place > 0 || count == from->places || (may_be_short && from->places < count) || is_unread(found, from->name))
		return;
	if (count == 0)
		kt_clause_report(scan, found, from->offset, from->name,
		                 kt_arena_printf(scan->arena, "'%s' is no vector, array or structure of '%s'", from->name, r->kernel),
		                 suggest(scan, found, from->name, false, false));
	else
		kt_clause_report(scan, found, from->offset, from->name,
		                 kt_arena_printf(scan->arena, "'%s' has %zu members, and the list has %zu values", from->name, count,
		                                 from->places),
		                 kt_arena_printf(scan->arena, "write one value for each of %s",
		                                 member_names(scan, r, (size_t)v->argument, count)));
}

static void read_value(struct kt_scan *scan, struct kt_found *found, struct kt_value *v,
                       const struct kt_pragma_value *from)
{
	struct kt_region *r = &found->region;
	size_t first = 0, count = 0;
	*v = (struct kt_value){.name = from->name, .argument = find_argument(r, from->name), .text = from->text, .number = from->number,
	                       .integral = from->integral, .integer = from->integer, .expr = from->expr};
	check_data(scan, found, &from->expr);
	if (v->argument < 0 && is_unread(found, from->name))
		return;
	if (from->places > 0)
		read_place(scan, found, v, from);
	else if (v->argument < 0)
		kt_clause_report(scan, found, from->offset, from->name,
		                 kt_arena_printf(scan->arena, "'%s' has no argument '%s'", r->kernel, from->name),
		                 suggest(scan, found, from->name, false, false));
	else if ((count = kt_members_of(r, (size_t)v->argument, &first)) > 0)
		kt_clause_report(scan, found, from->offset, from->name,
		                 kt_arena_printf(scan->arena, "'%s' is a structure or a vector of %zu members", from->name, count),
		                 kt_arena_printf(scan->arena, "write value(%s = NUMBER) for each of %s, or value(%s = {…})",
		                                 r->arguments[first].name, member_names(scan, r, first, count), from->name));
	else if (r->arguments[v->argument].is_pointer)
		kt_clause_report(scan, found, from->offset, from->name,
		                 kt_arena_printf(scan->arena, "'%s' is a pointer", from->name),
		                 kt_arena_printf(scan->arena, "write in(%s[…]), out(%s[…]) or inout(%s[…])", from->name,
		                                 from->name, from->name));
}

/* The clause that an argument lacks, as the user would write it. */
static void decline_unknown(struct kt_scan *scan, struct kt_found *found, size_t argument)
{
	const struct kt_argument *a = &found->region.arguments[argument];
	const char *kernel = found->region.kernel, *passed = a->is_pointer ? NULL : kt_launch_passes(scan, found, argument);
	if (a->is_pointer && a->is_const)
		kt_found_decline(scan, found, "arguments-unknown",
		                 "argument '%s' of '%s' is in no clause; write in(%s[COUNT]) with its element count", a->name,
		                 kernel, a->name);
	else if (a->is_pointer)
		kt_found_decline(scan, found, "arguments-unknown",
		                 "argument '%s' of '%s' is in no clause; write in(%s[COUNT]), out(…) or inout(…) with its "
		                 "element count", a->name, kernel, a->name);
	else
		kt_found_decline(scan, found, "arguments-unknown",
		                 "argument '%s' of '%s' is in no clause%s%s; write value(%s = NUMBER), or name it as a variable "
		                 "in problem(…)", a->name, kernel, passed != NULL ? ", and " : "", passed != NULL ? passed : "",
		                 a->name);
}

static void decline_type(struct kt_scan *scan, struct kt_found *found, size_t instance, size_t a)
{
	const struct kt_region *r = &found->region;
	const char *name = r->arguments[a].name;
	const bool own = r->template_count == 0 && a < r->argument_count;
	const char *type = own ? r->arguments[a].type : r->instances[instance].types[a];
	if (r->arguments[a].is_pointer)
		kt_found_decline(scan, found, "argument-type",
		                 "argument '%s' of '%s' has type '%s'%s%s; pass a pointer to numbers, such as float *, or to "
		                 "vectors or structures of them", name, r->kernel, type,
		                 found->element_reason != NULL ? ": " : "",
		                 found->element_reason != NULL ? found->element_reason : "");
	else
		kt_found_decline(scan, found, "argument-type",
		                 "argument '%s' of '%s' has type '%s', which is no number%s%s; pass what the kernel reads of it "
		                 "as separate arguments", name, r->kernel, type, found->member_reason != NULL ? ": " : "",
		                 found->member_reason != NULL ? found->member_reason : "");
}

/* No clause helps where the type cannot be built: that is the cause, whatever else is missing. */
static void check_types(struct kt_scan *scan, struct kt_found *found)
{
	const struct kt_region *r = &found->region;
	for (size_t i = 0; i < r->instance_count; i++)
		for (size_t a = 0; a < r->argument_count + r->member_count; a++) {
			const struct kt_instance *instance = &r->instances[i];
			const bool has_members = a < r->argument_count && instance->bytes != NULL && instance->bytes[a] > 0;
			if (kt_instance_element(instance, a)->bytes == 0 && !has_members && r->arguments[a].space != KT_SPACE_LOCAL)
				decline_type(scan, found, i, a);
		}
}

/* A class without members in each instance needs no clause. */
static bool is_empty(const struct kt_region *r, size_t argument)
{
	size_t first = 0;
	bool empty = r->instance_count > 0 && argument < r->argument_count && kt_members_of(r, argument, &first) == 0;

	for (size_t i = 0; empty && i < r->instance_count; i++)
		empty = r->instances[i].bytes != NULL && r->instances[i].bytes[argument] > 0;
	return empty;
}

bool kt_argument_given(const struct kt_region *r, size_t argument)
{
	bool known = r->arguments[argument].space == KT_SPACE_LOCAL || is_empty(r, argument);
	for (size_t i = 0; i < r->buffer_count; i++)
		known = known || r->buffers[i].argument == (int64_t)argument;
	for (size_t i = 0; i < r->value_count; i++)
		known = known || r->values[i].argument == (int64_t)argument;
	for (size_t i = 0; i < r->variable_count; i++)
		known = known || strcmp(r->variables[i], r->arguments[argument].name) == 0;
	return known;
}

/* What a list leaves out of an array is zero, as in C++. */
static void fill_up(struct kt_region *r, const struct kt_pragma_value *last)
{
	struct kt_pragma_value next = *last;
	size_t count = 0;
	int64_t argument = 0;
	if (last->place + 1 != last->places)
		return;
	while (next.place++, (argument = kt_members_at(r, &next, &count)) >= 0)
		if (!kt_argument_given(r, (size_t)argument))
			r->values[r->value_count++] = (struct kt_value){.name = r->arguments[argument].name,
			                                                .argument = argument, .text = "0", .integral = true};
}

static void read_values(struct kt_scan *scan, struct kt_found *found, size_t first)
{
	struct kt_region *r = &found->region;
	const struct kt_pragma *p = found->pragma;
	for (size_t i = first; i < p->value_count; i++) {
		read_value(scan, found, &r->values[r->value_count++], &p->values[i]);
		fill_up(r, &p->values[i]);
	}
}

/* Is the argument or member a floating-point number in each instance? */
static bool is_fraction(const struct kt_region *r, size_t argument)
{
	bool all = r->instance_count > 0 && !r->arguments[argument].is_pointer;

	for (size_t i = 0; all && i < r->instance_count; i++)
		all = r->instances[i].elements != NULL && kt_scalar_is_float(r->instances[i].elements[argument]);
	return all;
}

/*
 * A fraction that nothing tells is a number like those of the buffers: unlike an integer, it is no length, index or choice that
 * the kernel's memory depends on. `ktcc tune` names it.
 */
static void assume_fractions(struct kt_found *found)
{
	struct kt_region *r = &found->region;

	for (size_t a = 0; a < r->argument_count + r->member_count && r->decline == NULL; a++) {
		if (!is_fraction(r, a) || kt_argument_given(r, a) || is_unread(found, r->arguments[a].name))
			continue;
		r->values[r->value_count++] = (struct kt_value){.name = r->arguments[a].name, .argument = (int64_t)a, .text = "0.5",
		                                                .number = 0.5, .assumed = true};
	}
}

/* Each argument must come from a clause, and have a type that can be built. */
static void check_arguments(struct kt_scan *scan, struct kt_found *found)
{
	const struct kt_region *r = &found->region;
	kt_scan_members_check(scan, found);
	for (size_t i = 0; i < r->buffer_count; i++)
		kt_clause_type(scan, found, &r->buffers[i], found->pragma->buffers[i].type_offset);
	check_types(scan, found);
	for (size_t i = 0; i < r->buffer_count; i++) {
		kt_clause_members(scan, found, &r->buffers[i]);
		kt_clause_like(scan, found, &r->buffers[i], found->pragma->buffers[i].like_offset);
		kt_clause_file_fits(scan, found, &r->buffers[i], &found->pragma->buffers[i]);
	}
	for (size_t a = 0; a < r->argument_count; a++) {
		size_t first = 0;
		if (kt_members_of(r, a, &first) > 0)
			kt_clause_missing(scan, found, a);
		else if (!kt_argument_given(r, a))
			decline_unknown(scan, found, a);
	}
}

/* Everything in a clause that affects what is tuned (base/clause_parts.h), and what the launches of a region do. */
static const char *hash_clauses(struct kt_scan *scan, const struct kt_found *found)
{
	struct kt_hash hash;
	char text[KT_HASH_TEXT];
	kt_hash_init(&hash);
	kt_clauses_hash(&hash, found->pragma, &found->region);
	kt_hash_final(&hash, text);
	return kt_arena_strdup(scan->arena, text);
}

static void check_geometry(struct kt_scan *scan, struct kt_found *found)
{
	struct kt_pragma *p = found->pragma;
	struct kt_region *r = &found->region;
	r->grid_count = p->grid_count;
	r->block_count = p->block_count;
	for (size_t i = 0; i < p->grid_count; i++) {
		r->grid[i] = p->grid[i];
		(void)check_expr(scan, found, &p->grid[i]);
	}
	for (size_t i = 0; i < p->block_count; i++) {
		r->block[i] = p->block[i];
		(void)check_expr(scan, found, &p->block[i]);
	}
}

/* NULL: there are none. */
static struct kt_variable_bounds *bounds_of(struct kt_scan *scan, const struct kt_pragma *p)
{
	struct kt_variable_bounds *bounds =
	    p->bound_count != 0 ? kt_arena_array(scan->arena, p->variable_count + 1, sizeof *bounds) : NULL;

	for (size_t v = 0; bounds != NULL && v < p->variable_count; v++)
		for (size_t i = 0; i < p->bound_count; i++)
			if (strcmp(p->bounds[i].name, p->variables[v]) == 0)
				bounds[v] = (struct kt_variable_bounds){p->bounds[i].least, p->bounds[i].most, p->bounds[i].step};
	return bounds;
}

kt_status kt_scan_clauses(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_pragma *p = found->pragma;
	struct kt_region *r = &found->region;
	r->variables = p->variables;
	r->variable_count = p->variable_count;
	r->problems = p->problems;
	r->problem_count = p->problem_count;
	r->bounds = bounds_of(scan, p);
	r->generation = p->generation;
	kt_clause_constants(scan, found);
	r->specialize = kt_arena_array(scan->arena, p->variable_count + 1, sizeof(bool));
	for (size_t v = 0; r->specialize != NULL && v < p->variable_count; v++) {
		r->specialize[v] = !p->specialize_off && p->specialize_count == 0;
		for (size_t i = 0; i < p->specialize_count; i++)
			r->specialize[v] = r->specialize[v] || strcmp(p->specialize[i], p->variables[v]) == 0;
	}
	r->buffers = kt_arena_array(scan->arena, p->buffer_count + 1, sizeof *r->buffers);
	r->values = kt_arena_array(scan->arena, p->value_count + r->argument_count + r->member_count + 1, sizeof *r->values);
	r->restriction_is_guard = kt_arena_array(scan->arena, p->restriction_count + 1, sizeof(bool));
	if (r->buffers == NULL || r->values == NULL || r->restriction_is_guard == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading clauses");
	for (; r->buffer_count < p->buffer_count; r->buffer_count++)
		read_buffer(scan, found, &r->buffers[r->buffer_count], &p->buffers[r->buffer_count]);
	read_values(scan, found, 0);
	read_values(scan, found, kt_launch_values(scan, found));
	assume_fractions(found);
	kt_launch_guards(scan, found);
	r->restrictions = p->restrictions;
	for (; r->restriction_count < p->restriction_count; r->restriction_count++)
		r->restriction_is_guard[r->restriction_count] =
		    check_expr(scan, found, &p->restrictions[r->restriction_count]);
	r->guards = p->guards;
	for (; r->guard_count < p->guard_count; r->guard_count++)
		(void)check_expr(scan, found, &p->guards[r->guard_count]);
	check_geometry(scan, found);
#define TAKE(clause, member, usage) \
	r->member = p->member; \
	(void)check_expr(scan, found, &p->member);
	KT_CLAUSE_EXPRESSIONS(TAKE)
#undef TAKE
	if (!scan->target->has_host_code && kt_opencl_groups(scan, found, err) != KT_OK)
		return err->code;
	r->clauses = hash_clauses(scan, found);
	check_arguments(scan, found);
	if (!scan->target->has_host_code)
		kt_opencl_check_local(scan, found);
	return scan->failed || r->clauses == NULL ? kt_fail(err, KT_ERR_MEMORY, "out of memory reading clauses") : KT_OK;
}
