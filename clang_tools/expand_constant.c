/* Names of the host's text that have one value: constants, template arguments, sizes of types, limits of the device. */
#include "expand_internal.h"

#include <string.h>

#include "instances.h"

#define LENGTH(table) (sizeof(table) / sizeof(table)[0])

/* An enumerator whose name is one value in the whole unit. */
static bool expand_enumerator(struct kt_frame *f, const char *name)
{
	const struct kt_scan *scan = f->x->scan;
	const struct kt_alias *found = NULL;
	for (size_t i = 0; i < scan->alias_count; i++) {
		const struct kt_alias *one = &scan->aliases[i];
		if (strcmp(one->name, name) != 0 || scan->items[one->item].kind != CXCursor_EnumDecl)
			continue;
		if (found != NULL && found->value != one->value)
			return false;
		found = one;
	}
	if (found != NULL)
		kt_buf_addf(f->out, "%lld", found->value);
	return found != NULL;
}

/* A constant of a header or of another scope, by its value. */
bool kt_frame_constant(struct kt_frame *f, const char *name)
{
	struct kt_scan *scan = f->x->scan;
	if (expand_enumerator(f, name))
		return true;
	size_t item = kt_index_find(scan->item_index, name, strlen(name), 0);
	int64_t value = 0;
	if (item != SIZE_MAX && scan->items[item].kind == CXCursor_EnumDecl && kt_scan_constant_alone(&value, name, scan)) {
		kt_buf_addf(f->out, "%lld", (long long)value);
		return true;
	}
	if (item == SIZE_MAX || scan->items[item].kind != CXCursor_VarDecl ||
	    kt_clang.isConstQualifiedType(kt_clang.getCursorType(scan->items[item].cursor)) == 0)
		return false;
	CXEvalResult result = kt_clang.Cursor_Evaluate(scan->items[item].cursor);
	bool known = result != NULL && kt_clang.EvalResult_getKind(result) == CXEval_Int;
	if (known)
		kt_buf_addf(f->out, "%lld", kt_clang.EvalResult_getAsLongLong(result));
	if (result != NULL)
		kt_clang.EvalResult_dispose(result);
	return known;
}

/* Is it a variable of the file or of a header? */
bool kt_frame_is_global(const struct kt_frame *f, const struct kt_local *local, const char *name)
{
	const struct kt_scan *scan = f->x->scan;
	const size_t item = kt_index_find(scan->item_index, name, strlen(name), 0);
	return local != NULL ? kt_frame_function_around(scan, local->at) == NULL
			     : item != SIZE_MAX && scan->items[item].kind == CXCursor_VarDecl;
}

/* The instances that are read: *count of them. */
static const struct kt_instance *instances_read(const struct kt_expand *x, size_t *count)
{
	*count = x->instance != NULL ? 1 : x->found->region.instance_count;
	return x->instance != NULL ? x->instance : x->found->region.instances;
}

/* The kernel's template parameter that a name of the host's is at the launch, by its index; SIZE_MAX: it is none. */
static size_t template_named(const struct kt_expand *x, const char *name)
{
	for (size_t t = 0; t < x->template_count && t < x->found->region.template_count; t++)
		if (strcmp(x->templates[t], name) == 0)
			return t;
	return SIZE_MAX;
}

/* A template parameter of the host: what the kernel is launched with, where all instances have one value for it, or another one. */
bool kt_frame_template(struct kt_frame *f, const char *name)
{
	const struct kt_region *r = &f->x->found->region;
	const size_t t = template_named(f->x, name);
	size_t count = 0;
	const struct kt_instance *instances = instances_read(f->x, &count);
	int64_t value = 0, other = 0;
	if (t == SIZE_MAX)
		return kt_frame_host_template(f, name);
	if (r->templates[t].is_type || count == 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!kt_instance_number(&other, instances[i].arguments[t]))
			return false;
		if (i > 0 && other != value) {
			f->x->by_instance = true;
			return false;
		}
		value = other;
	}
	kt_buf_addf(f->out, "%lld", (long long)value);
	return true;
}

/* Elements of its arrays, which are the same on all devices that are supported. */
static const struct {
	const char *member, *index, *number;
} elements[] = {
    {"maxGridSize", "0", "2147483647"}, {"maxGridSize", "1", "65535"},   {"maxGridSize", "2", "65535"},
    {"maxThreadsDim", "0", "1024"},     {"maxThreadsDim", "1", "1024"}, {"maxThreadsDim", "2", "64"},
};

/* "properties.multiProcessorCount", "current()->warpSize": a limit of the device. *i: the last token. */
bool kt_frame_property(struct kt_frame *f, size_t *i, const char *name)
{
	struct kt_scan *scan = f->x->scan;
	const size_t open = kt_frame_call_open(f, *i);
	const size_t mark = open > 0 ? kt_token_match(&f->tokens, open) + 1 : *i + 1;
	if (!kt_token_is(&f->tokens, mark, ".") && !kt_token_is(&f->tokens, mark, "->"))
		return false;
	const struct kt_local *local = open == 0 ? kt_scan_visible(scan, name, f->x->at) : NULL;
	const size_t item = open > 0 ? kt_index_find(scan->item_index, name, strlen(name), 0) : SIZE_MAX;
	if (local != NULL
		? !kt_query_is_properties(f->x->scan, local->type)
		: item == SIZE_MAX || !scan->items[item].is_function ||
		      !kt_query_is_properties(f->x->scan, kt_clang.getResultType(kt_clang.getCursorType(scan->items[item].cursor))))
		return false;
	const char *limit = kt_query_property(&f->tokens, mark + 1);
	if (limit != NULL) {
		kt_buf_addf(f->out, "device.%s", limit);
		*i = mark + 1;
		return true;
	}
	for (size_t e = 0; e < LENGTH(elements); e++)
		if (kt_token_is(&f->tokens, mark + 1, elements[e].member) && kt_token_is(&f->tokens, mark + 2, "[") &&
		    kt_token_is(&f->tokens, mark + 3, elements[e].index) && kt_token_is(&f->tokens, mark + 4, "]")) {
			kt_buf_adds(f->out, elements[e].number);
			*i = mark + 4;
			return true;
		}
	return false;
}

/* sizeof(type), where all instances agree on it. */
bool kt_frame_sizeof(struct kt_frame *f, size_t *i)
{
	const struct kt_region *r = &f->x->found->region;
	const char **arguments = NULL;
	size_t count = 0, close = 0;
	if (!kt_token_is(&f->tokens, *i + 1, "(") || !kt_frame_split(f, *i + 1, &arguments, &count, &close) ||
	    count != 1)
		return false;
	unsigned bytes = kt_scalar_bytes(kt_scan_scalar_text(arguments[0]));
	size_t t = template_named(f->x, arguments[0]), instance_count = 0;
	const struct kt_instance *instances = instances_read(f->x, &instance_count);
	/* Where the kernel's arguments are deduced, the host mostly calls its types as the kernel does. */
	for (size_t k = 0; k < r->template_count && t == SIZE_MAX && f->x->template_count == 0; k++)
		t = strcmp(r->templates[k].name, arguments[0]) == 0 ? k : SIZE_MAX;
	for (size_t n = 0; n < instance_count && t != SIZE_MAX; n++) {
		const unsigned one = kt_scalar_bytes(kt_scan_scalar_text(instances[n].arguments[t]));
		if (n > 0 && one != bytes) {
			f->x->by_instance = true;
			return false;
		}
		bytes = one;
	}
	*i = close;
	kt_buf_addf(f->out, "%u", bytes);
	return bytes > 0;
}
