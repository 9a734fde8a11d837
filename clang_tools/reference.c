/* The clause `reference`: which host function of the file it names, what its parameters stand for, what it needs. */
#include <string.h>

#include "closure.h"

#define PARAMETERS_MOST 256 /* of the function, as of a kernel in the runner */

static void refuse(struct kt_scan *scan, struct kt_found *found, const char *message, const char *hint)
{
	const struct kt_pragma *p = found->pragma;
	kt_scan_diagnose(scan, 0, KT_ERROR, found->text_at + p->reference_offset, (uint32_t)strlen(p->reference), message,
	                 hint);
	kt_found_decline(scan, found, "pragma-error", NULL);
}

/* How the message shows a function that fits. */
static const char *signature_of(struct kt_scan *scan, const struct kt_found *found)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	const struct kt_region *r = &found->region;
	const char *separator = "";
	kt_buf_addf(&text, "write void %s(", found->pragma->reference);
	for (size_t b = 0; b < r->buffer_count; b++, separator = ", ")
		kt_buf_addf(&text, "%s%sdouble *%s", separator, r->buffers[b].direction == KT_IN ? "const " : "",
		            r->buffers[b].name);
	for (size_t v = 0; v < r->variable_count; v++, separator = ", ")
		kt_buf_addf(&text, "%slong %s", separator, r->variables[v]);
	kt_buf_adds(&text, ")");
	const char *shown = kt_arena_strdup(scan->arena, kt_buf_text(&text));
	kt_buf_free(&text);
	return shown;
}

static enum CXChildVisitResult read_host(CXCursor cursor, CXCursor parent, CXClientData data)
{
	bool *host = data;
	(void)parent;
	*host = *host || kt_clang.getCursorKind(cursor) == CXCursor_CUDAHostAttr;
	return CXChildVisit_Continue;
}

/* The one definition of that name; else *why. */
static size_t find_function(const char **why, const char **hint, struct kt_scan *scan, const char *name)
{
	size_t found = KT_NO_ITEM;
	for (size_t i = 0; i < scan->item_count; i++) {
		const struct kt_item *item = &scan->items[i];
		bool host = !item->is_device_data;
		if (item->file != 0 || !item->is_function || item->body == 0 || item->is_member || strcmp(item->name, name) != 0)
			continue;
		(void)kt_clang.visitChildren(item->cursor, read_host, &host);
		if (item->is_global || !host)
			*why = kt_arena_printf(scan->arena, "'%s' does not run on the host", name);
		else if (item->kind != CXCursor_FunctionDecl)
			*why = kt_arena_printf(scan->arena, "'%s' is a template", name);
		else if (found != KT_NO_ITEM)
			*why = kt_arena_printf(scan->arena, "'%s' is the name of several functions", name);
		found = i;
	}
	if (found == KT_NO_ITEM) {
		*why = kt_arena_printf(scan->arena, "no function '%s' in this file", name);
		*hint = "its definition is in the file of the pragma, where device code sees it as well";
	}
	return found;
}

static bool is_number(CXType type)
{
	static const enum CXTypeKind kinds[] = {
		CXType_Bool, CXType_Short, CXType_UShort, CXType_Int, CXType_UInt, CXType_Long, CXType_ULong, CXType_LongLong,
		CXType_ULongLong, CXType_Float, CXType_Double,
	};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (type.kind == kinds[i])
			return true;
	return false;
}

/* What the name of a parameter means; false: nothing. */
static bool find_meaning(struct kt_host_parameter *out, const struct kt_region *r, const char *name)
{
	*out = (struct kt_host_parameter){-1, -1, -1};
	for (size_t b = 0; b < r->buffer_count; b++)
		if (strcmp(r->buffers[b].name, name) == 0)
			out->buffer = (int64_t)b;
	for (size_t a = 0; out->buffer < 0 && a < r->argument_count; a++)
		if (!r->arguments[a].is_pointer && strcmp(r->arguments[a].name, name) == 0)
			out->argument = (int64_t)a;
	for (size_t v = 0; out->buffer < 0 && out->argument < 0 && v < r->variable_count; v++)
		if (strcmp(r->variables[v], name) == 0)
			out->variable = (int64_t)v;
	return out->buffer >= 0 || out->argument >= 0 || out->variable >= 0;
}

/* NULL: it fits. */
static const char *check_parameter(struct kt_host_parameter *out, struct kt_scan *scan, const struct kt_region *r,
                                   CXCursor parameter)
{
	const char *name = kt_clang_text(scan->arena, kt_clang.getCursorSpelling(parameter));
	const CXType type = kt_clang.getCanonicalType(kt_clang.getCursorType(parameter));
	const char *spelling = kt_clang_text(scan->arena, kt_clang.getTypeSpelling(type));
	if (name == NULL || spelling == NULL) {
		scan->failed = true;
		return NULL;
	}
	if (!find_meaning(out, r, name))
		return kt_arena_printf(scan->arena, "'%s' is no buffer, argument or problem variable of '%s'", name, r->kernel);
	if (out->buffer < 0)
		return is_number(type) ? NULL : kt_arena_printf(scan->arena, "'%s' of type '%s' is no number", name, spelling);
	/* Whether it is restrict is independent of the callers. */
	const CXType to = kt_clang.getCanonicalType(kt_clang.getPointeeType(type));
	const bool is_in = r->buffers[out->buffer].direction == KT_IN;
	if (type.kind == CXType_Pointer && to.kind == CXType_Double && kt_clang.isVolatileQualifiedType(to) == 0 &&
	    (kt_clang.isConstQualifiedType(to) != 0) == is_in)
		return NULL;
	return kt_arena_printf(scan->arena, "'%s' is '%s', not '%s'", name, spelling,
	                       is_in ? "const double *" : "double *");
}

static const char *read_parameters(struct kt_host_reference *out, struct kt_scan *scan, const struct kt_found *found,
                                   const struct kt_item *item)
{
	const struct kt_region *r = &found->region;
	const int count = kt_clang.Cursor_getNumArguments(item->cursor);
	const char *why = NULL;
	if (count < 0 || count > PARAMETERS_MOST)
		return kt_arena_printf(scan->arena, "'%s' has more than %d parameters", item->name, PARAMETERS_MOST);
	out->parameters = kt_arena_array(scan->arena, (size_t)count + 1, sizeof *out->parameters);
	for (int i = 0; why == NULL && out->parameters != NULL && i < count; i++)
		why = check_parameter(&out->parameters[out->parameter_count++], scan, r,
		                      kt_clang.Cursor_getArgument(item->cursor, (unsigned)i));
	scan->failed = scan->failed || out->parameters == NULL;
	for (size_t b = 0; why == NULL && b < r->buffer_count; b++) {
		bool taken = r->buffers[b].scratch || (r->buffers[b].direction & KT_OUT) == 0;
		for (size_t i = 0; i < out->parameter_count; i++)
			taken = taken || out->parameters[i].buffer == (int64_t)b;
		if (!taken)
			why = kt_arena_printf(scan->arena, "'%s' does not take the output '%s'", item->name, r->buffers[b].name);
	}
	return why;
}

/* Unnamed namespaces have no name to write. */
static const char *qualified(struct kt_scan *scan, const struct kt_item *item)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *at = item->scope;
	for (const char *next; (next = strstr(at, "::")) != NULL; at = next + 2)
		if (next != at && *at != '(')
			kt_buf_addf(&text, "%.*s::", (int)(next - at), at);
	kt_buf_adds(&text, item->name);
	const char *name = text.failed ? NULL : kt_arena_strdup(scan->arena, kt_buf_text(&text));
	kt_buf_free(&text);
	return name;
}

/* The same kernel with another reference is tuned again. */
static kt_status read_needs(struct kt_scan *scan, struct kt_found *found, size_t item, struct kt_error *err)
{
	struct kt_host_reference *out = &found->region.reference;
	struct kt_walk walk;
	struct kt_hash hash;
	char text[KT_HASH_TEXT];
	TRY(kt_walk_open(&walk, scan, err));
	kt_walk_item(&walk, item);
	walk.operators = true;
	kt_walk_finish(&walk);
	kt_hash_init(&hash);
	kt_hash_field(&hash, "clauses", found->region.clauses);
	kt_hash_field(&hash, "reference", out->function);
	kt_walk_hash(&hash, &walk);
	kt_hash_final(&hash, text);
	found->region.clauses = kt_arena_strdup(scan->arena, text);
	return kt_walk_slice(&out->drops, &out->drop_count, scan, walk.items, err);
}

kt_status kt_scan_reference(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	const char *name = found->pragma->reference, *why = NULL, *hint = NULL;
	struct kt_host_reference *out = &found->region.reference;
	if (name == NULL)
		return KT_OK;
	if (!scan->target->has_host_code) {
		refuse(scan, found, "an OpenCL file has no host functions", NULL);
		return KT_OK;
	}
	const size_t item = find_function(&why, &hint, scan, name);
	if (why == NULL) {
		why = read_parameters(out, scan, found, &scan->items[item]);
		hint = why != NULL ? signature_of(scan, found) : NULL;
	}
	if (why != NULL) {
		refuse(scan, found, why, hint);
		*out = (struct kt_host_reference){0};
		return scan->failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory reading a reference") : KT_OK;
	}
	out->function = qualified(scan, &scan->items[item]);
	kt_status status = out->function != NULL ? read_needs(scan, found, item, err) : KT_OK;
	if (status == KT_OK && (scan->failed || out->function == NULL || found->region.clauses == NULL))
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory reading a reference");
	return status;
}
