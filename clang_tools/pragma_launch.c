/*
 * A pragma above a single launch is one of the kernel that is launched, where its names are clear as names of the
 * kernel's: what is known of kernels (instances, geometry, values that launches pass, the generators) holds there, too.
 */
#include <string.h>

#include "clauses.h"
#include "pragma_kernel.h"
#include "sequence.h"

/* What the launch passes, and the kernel's parameters. */
struct passed {
	struct kt_scan *scan;
	size_t count, parameter_count;
	const char **names;    /* of the parameters */
	const char **hosts;    /* of what is passed: the host's name; NULL: it is no name */
	bool *pointers, *reads; /* a pointer; one to const */
	bool arrays;            /* a parameter is spelled as an array */
};

static enum CXChildVisitResult add_parameter(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct passed *p = data;

	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_ParmDecl)
		return CXChildVisit_Continue;
	if (p->parameter_count < p->count) {
		const CXType type = kt_clang.getCanonicalType(kt_clang.getCursorType(cursor));

		p->names[p->parameter_count] = kt_clang_text(p->scan->arena, kt_clang.getCursorSpelling(cursor));
		p->arrays = p->arrays || kt_clang.getArrayElementType(type).kind != CXType_Invalid;
		p->pointers[p->parameter_count] = type.kind == CXType_Pointer;
		p->reads[p->parameter_count] = kt_clang.isConstQualifiedType(kt_clang.getPointeeType(type)) != 0;
		p->scan->failed = p->scan->failed || p->names[p->parameter_count] == NULL;
	}
	p->parameter_count++;
	return CXChildVisit_Continue;
}

/* False: the launch cannot be read, or leaves arguments to defaults. */
static bool read_passed(struct passed *p, struct kt_scan *scan, const struct kt_call *call, const struct kt_item *kernel)
{
	struct kt_launch launch = {.decline = NULL};
	size_t angle = 0;
	const char *texts[KT_CLAUSE_ITEMS];

	*p = (struct passed){.scan = scan};
	if (kt_launch_parts(scan, call, kernel->name, &launch, &angle) != NULL)
		return false;
	p->count = kt_split_list(scan, launch.close.end, launch.end.begin, texts, KT_CLAUSE_ITEMS);
	p->names = kt_arena_array(scan->arena, p->count + 1, sizeof *p->names);
	p->hosts = kt_arena_array(scan->arena, p->count + 1, sizeof *p->hosts);
	p->pointers = kt_arena_array(scan->arena, p->count + 1, sizeof *p->pointers);
	p->reads = kt_arena_array(scan->arena, p->count + 1, sizeof *p->reads);
	scan->failed = scan->failed || p->names == NULL || p->hosts == NULL || p->pointers == NULL || p->reads == NULL;
	if (scan->failed)
		return false;
	for (size_t i = 0; i < p->count; i++)
		p->hosts[i] = kt_host_name(scan, texts[i]);
	const CXCursor definition = kt_clang.getCursorDefinition(kernel->cursor);
	kt_clang.visitChildren(kt_clang.Cursor_isNull(definition) == 0 ? definition : kernel->cursor, add_parameter, p);
	return !scan->failed && p->parameter_count == p->count && !p->arrays;
}

static bool is_same(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* Is a name that clauses use for a number the kernel's name of another one? Then the kernel's would hide it. */
static bool is_hidden(const struct passed *p, const char *name)
{
	for (size_t i = 0; i < p->count; i++)
		if (is_same(p->names[i], name) && !is_same(p->hosts[i], name))
			return true;
	return false;
}

/* The kernel's name of what clauses above the launch call so. */
static const char *renamed(const struct passed *p, const char *name)
{
	for (size_t i = 0; i < p->count; i++)
		if (is_same(p->hosts[i], name))
			return p->names[i];
	return name;
}

static bool is_among(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (is_same(names[i], name))
			return true;
	return false;
}

/* Are the clauses written as above the kernel, by its names? Then one of them is none of the host's. */
static bool is_by_kernel(const struct passed *p, const struct kt_pragma *pragma)
{
	bool other = false;

	for (size_t b = 0; b < pragma->buffer_count; b++) {
		if (!is_among(p->names, p->count, pragma->buffers[b].name))
			return false;
		other = other || !is_among(p->hosts, p->count, pragma->buffers[b].name);
	}
	return other;
}

struct numbers {
	const struct passed *passed;
	const struct kt_pragma *pragma;
	uint32_t at; /* of the launch */
	bool kept;
};

/* Does a name that clauses use keep its meaning, as the kernel's names go? One that is the kernel's alone does. */
static bool keeps(const struct numbers *n, const char *name)
{
	const struct passed *p = n->passed;

	if (is_among(p->hosts, p->count, name))
		return kt_has_text(n->pragma->variables, n->pragma->variable_count, name) ? !is_hidden(p, name)
		                                                                          : is_same(renamed(p, name), name);
	return !is_hidden(p, name) || kt_scan_visible(p->scan, name, n->at) == NULL;
}

static bool keeps_name(const char *name, unsigned offset, bool pointer, void *context)
{
	struct numbers *n = context;

	(void)offset;
	n->kept = n->kept && (pointer ? is_same(renamed(n->passed, name), name) : keeps(n, name));
	return n->kept;
}

static void keeps_expression(struct kt_clause_expr *clause, void *context)
{
	if (clause->expr != NULL)
		(void)kt_expr_names(clause->expr, keeps_name, context);
}

/* Expressions keep their names: they are not written again. */
static bool keeps_numbers(const struct passed *p, struct kt_pragma *pragma, uint32_t at)
{
	struct numbers n = {.passed = p, .pragma = pragma, .at = at, .kept = true};

	for (size_t v = 0; v < pragma->variable_count; v++)
		n.kept = n.kept && keeps(&n, pragma->variables[v]);
	for (size_t v = 0; v < pragma->value_count; v++)
		n.kept = n.kept && keeps(&n, pragma->values[v].name);
	kt_clause_each(pragma, keeps_expression, &n);
	return n.kept;
}

/* How many parameters the host passes a pointer to; *written: one of them may write there. */
static size_t uses_of(const struct passed *p, const char *host, bool *written)
{
	size_t uses = 0;

	for (size_t i = 0; i < p->count; i++)
		if (p->pointers[i] && is_same(p->hosts[i], host)) {
			uses++;
			*written = *written || !p->reads[i];
		}
	return uses;
}

static bool add_buffer(struct kt_pragma_buffer **buffers, size_t *count, const struct passed *p, const char *name,
                       const struct kt_pragma_buffer *from)
{
	struct kt_pragma_buffer *slot;

	if (KT_FIND(*buffers, *count, name, name) != NULL)
		return false;
	slot = kt_arena_push(p->scan->arena, buffers, count, sizeof *slot);
	if (slot == NULL)
		p->scan->failed = true;
	else
		*slot = *from;
	if (slot != NULL) {
		slot->name = name;
		slot->like = from->like != NULL ? renamed(p, from->like) : NULL;
	}
	return slot != NULL;
}

/*
 * The buffers by the kernel's names; what is passed to several parameters, all of which only read it, is a buffer of each. False: two
 * have one name, or one that is passed twice is written: a launch region is checked with the two as one.
 */
static bool rename_pointers(struct kt_pragma *pragma, const struct passed *p)
{
	struct kt_pragma_buffer *buffers = NULL;
	size_t count = 0;

	for (size_t b = 0; b < pragma->buffer_count; b++) {
		const struct kt_pragma_buffer *from = &pragma->buffers[b];
		bool written = false;
		const size_t uses = uses_of(p, from->name, &written);

		if ((uses > 1 && written) || (pragma->reference != NULL && !is_same(renamed(p, from->name), from->name)))
			return false;
		for (size_t i = 0; i < p->count; i++)
			if (p->pointers[i] && is_same(p->hosts[i], from->name) && !add_buffer(&buffers, &count, p, p->names[i], from))
				return false;
		if (uses == 0 && !add_buffer(&buffers, &count, p, from->name, from))
			return false;
	}
	if (count > KT_CLAUSE_ITEMS)
		return false;
	pragma->buffers = buffers;
	pragma->buffer_count = count;
	for (size_t t = 0; t < pragma->tolerance_count; t++)
		if (pragma->tolerances[t].buffer != NULL)
			pragma->tolerances[t].buffer = renamed(p, pragma->tolerances[t].buffer);
	return true;
}

/* value(n = rows): a problem variable that the launch passes to a parameter of another name is what that one has. */
static void add_values(struct kt_pragma *pragma, const struct passed *p)
{
	struct kt_arena *arena = p->scan->arena;
	struct kt_pragma_value *values = kt_arena_array(arena, pragma->value_count + p->count + 1, sizeof *values);
	struct kt_error ignored;

	p->scan->failed = p->scan->failed || values == NULL;
	if (values == NULL)
		return;
	if (pragma->value_count != 0)
		memcpy(values, pragma->values, pragma->value_count * sizeof *values);
	pragma->values = values;
	for (size_t i = 0; i < p->count && pragma->value_count < KT_CLAUSE_ITEMS; i++) {
		struct kt_pragma_value *value = &values[pragma->value_count];
		const char *variable = p->hosts[i];

		if (p->pointers[i] || variable == NULL || is_same(p->names[i], variable) || KT_FIND(pragma->values, pragma->value_count, name, p->names[i]) != NULL ||
		    !kt_has_text(pragma->variables, pragma->variable_count, variable))
			continue;
		*value = (struct kt_pragma_value){.name = p->names[i], .text = variable, .integral = true,
		                                  .expr = {.text = variable}};
		if (kt_expr_parse(&value->expr.expr, arena, variable, strlen(variable), &ignored) == KT_OK)
			pragma->value_count++;
	}
}

/* The only launch of the block; NULL: there are several. */
static const struct kt_call *single_launch(const struct kt_scan *scan, struct kt_range block)
{
	const struct kt_call *found = NULL;

	for (size_t i = 0; i < scan->call_count; i++) {
		if (scan->calls[i].extent.begin < block.begin || scan->calls[i].extent.begin >= block.end)
			continue;
		if (found != NULL)
			return NULL;
		found = &scan->calls[i];
	}
	return found;
}

/* The kernel of the block's single launch, in the unit's text; KT_NO_ITEM: there is none. */
static size_t kernel_of(const struct kt_scan *scan, const struct kt_found *found)
{
	const struct kt_call *call = found->block.end != 0 ? single_launch(scan, found->block) : NULL;
	const struct kt_callee_of callee = call != NULL ? kt_callee_read(call->callee) : (struct kt_callee_of){.dependent = false};
	const size_t item = call != NULL ? kt_callee_item(scan, &callee) : KT_NO_ITEM;

	return item != KT_NO_ITEM && scan->items[item].file == 0 ? item : KT_NO_ITEM;
}

/* The kernel of each region: of the pragmas above single launches that of the launch. */
static size_t *list_kernels(struct kt_scan *scan)
{
	size_t *items = kt_arena_array(scan->arena, scan->found_count + 1, sizeof *items);

	scan->failed = scan->failed || items == NULL;
	for (size_t i = 0; items != NULL && i < scan->found_count; i++)
		items[i] = scan->found[i]->item != KT_NO_ITEM ? scan->found[i]->item : kernel_of(scan, scan->found[i]);
	return items;
}

/* Has the kernel another pragma, above it or above another launch? */
static bool has_other(const struct kt_scan *scan, const size_t *items, size_t index)
{
	for (size_t i = 0; i < scan->found_count; i++)
		if (i != index && items[i] != KT_NO_ITEM &&
		    kt_clang.equalCursors(kt_clang.getCanonicalCursor(scan->items[items[i]].cursor),
		                          kt_clang.getCanonicalCursor(scan->items[items[index]].cursor)) != 0)
			return true;
	return false;
}

size_t kt_launch_first(const struct kt_found *found)
{
	const struct kt_region *r = &found->region;

	for (size_t i = 0; i < r->launch_count; i++)
		if (r->launches[i].callee.begin >= found->above.begin && r->launches[i].callee.begin < found->above.end)
			return i;
	return 0;
}

static void convert(struct kt_scan *scan, struct kt_found *found, size_t item)
{
	struct passed passed;

	/* A binding is of that launch alone. */
	if (found->pragma->bind_count != 0 || !read_passed(&passed, scan, single_launch(scan, found->block), &scan->items[item]))
		return;
	if (!is_by_kernel(&passed, found->pragma)) {
		if (!keeps_numbers(&passed, found->pragma, found->block.begin + 1) || !rename_pointers(found->pragma, &passed))
			return;
		add_values(found->pragma, &passed);
	}
	found->above = found->block;
	found->item = item;
	found->host = KT_NO_ITEM;
	found->block = found->region.block_range = (struct kt_range){0, 0};
	found->region.kernel = found->region.qualified = "";
	found->region.name = found->pragma->name != NULL ? found->pragma->name : "";
}

void kt_pragmas_of_launches(struct kt_scan *scan)
{
	const size_t *items = list_kernels(scan);

	for (size_t i = 0; items != NULL && i < scan->found_count; i++) {
		struct kt_found *found = scan->found[i];

		if (found->block.end != 0 && items[i] != KT_NO_ITEM && found->region.decline == NULL && !has_other(scan, items, i))
			convert(scan, found, items[i]);
	}
}
