#include <string.h>

#include "base/source.h"
#include "instances.h"
#include "launches_internal.h"
#include "members.h"
#include "opencl.h"

static const struct {
	const char *spelling;
	enum kt_scalar scalar;
} spellings[] = {
	{"bool", KT_BOOL}, {"char", KT_I8}, {"signed char", KT_I8}, {"int8_t", KT_I8}, {"unsigned char", KT_U8},
	{"uint8_t", KT_U8}, {"short", KT_I16}, {"int16_t", KT_I16}, {"unsigned short", KT_U16}, {"uint16_t", KT_U16},
	{"int", KT_I32}, {"int32_t", KT_I32}, {"unsigned", KT_U32}, {"unsigned int", KT_U32}, {"uint32_t", KT_U32},
	{"long", KT_I64}, {"long long", KT_I64}, {"int64_t", KT_I64}, {"unsigned long", KT_U64},
	{"unsigned long long", KT_U64}, {"uint64_t", KT_U64}, {"size_t", KT_U64}, {"half", KT_F16},
	{"__half", KT_F16}, {"__nv_bfloat16", KT_BF16}, {"nv_bfloat16", KT_BF16}, {"float", KT_F32},
	{"double", KT_F64}, {"c10::Half", KT_F16}, {"c10::BFloat16", KT_BF16}, {"at::Half", KT_F16},
	{"at::BFloat16", KT_BF16},
};

enum kt_scalar kt_scan_scalar_text(const char *spelling)
{
	if (strncmp(spelling, "const ", 6) == 0)
		spelling += 6;
	for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++)
		if (strcmp(spellings[i].spelling, spelling) == 0)
			return spellings[i].scalar;
	return KT_SCALAR_NONE;
}

bool kt_scan_is_dim3(CXType type, struct kt_arena *arena)
{
	const CXType own = kt_clang.getCanonicalType(type);
	const CXCursor declaration = kt_clang.getTypeDeclaration(
	    own.kind == CXType_LValueReference ? kt_clang.getCanonicalType(kt_clang.getPointeeType(own)) : own);
	const char *name = kt_clang_text(arena, kt_clang.getCursorSpelling(declaration));

	return name != NULL && strcmp(name, "dim3") == 0 &&
	       kt_clang.getCursorKind(kt_clang.getCursorSemanticParent(declaration)) == CXCursor_TranslationUnit &&
	       kt_clang.Location_isInSystemHeader(kt_clang.getCursorLocation(declaration)) != 0;
}

/* Classes of two bytes that are a number, by the whole name of their declaration: no two of a program have one. */
static enum kt_scalar of_class(CXType canonical, struct kt_arena *arena)
{
	static const struct {
		const char *name;
		enum kt_scalar scalar;
	} classes[] = {{"__half", KT_F16}, {"__nv_bfloat16", KT_BF16}, {"c10::Half", KT_F16}, {"c10::BFloat16", KT_BF16}};
	const char *name = kt_clang_text(arena, kt_clang.getTypeSpelling(kt_clang.getUnqualifiedType(canonical)));

	for (size_t i = 0; name != NULL && i < sizeof classes / sizeof classes[0]; i++)
		if (strcmp(classes[i].name, name) == 0 && kt_clang.Type_getSizeOf(canonical) == 2)
			return classes[i].scalar;
	return KT_SCALAR_NONE;
}

enum kt_scalar kt_scan_scalar(CXType type, struct kt_arena *arena)
{
	CXType canonical = kt_clang.getCanonicalType(type);
	if (canonical.kind == CXType_Record)
		return of_class(canonical, arena);
	switch ((int)canonical.kind) {
	case CXType_Enum:
		return kt_scan_scalar(kt_clang.getEnumDeclIntegerType(kt_clang.getTypeDeclaration(canonical)), arena);
	case CXType_Bool:
		return KT_BOOL;
	case CXType_Char_S:
	case CXType_SChar:
		return KT_I8;
	case CXType_Char_U:
	case CXType_UChar:
		return KT_U8;
	case CXType_Short:
		return KT_I16;
	case CXType_UShort:
		return KT_U16;
	case CXType_Int:
		return KT_I32;
	case CXType_UInt:
		return KT_U32;
	case CXType_Long:
	case CXType_LongLong:
		return KT_I64;
	case CXType_ULong:
	case CXType_ULongLong:
		return KT_U64;
	case CXType_Half:
		return KT_F16;
	case CXType_Float:
		return KT_F32;
	case CXType_Double:
		return KT_F64;
	default:
		return KT_SCALAR_NONE;
	}
}

struct gather {
	struct kt_scan *scan;
	struct kt_found *found;
};

/* Token range of a cursor of that text's file, without a default after "=". *equals: its token or count. */
static struct kt_range range_in(const struct kt_scan *scan, const struct kt_text *text, CXCursor cursor, size_t *equals)
{
	size_t file = 0, depth = 0;
	CXSourceRange range = kt_clang.getCursorExtent(cursor);
	struct kt_range out = {kt_scan_offset(scan, kt_clang.getRangeStart(range), &file), 0};
	out.end = kt_scan_offset(scan, kt_clang.getRangeEnd(range), &file);
	*equals = text->count;
	for (size_t i = kt_token_at(text, out.begin); i < text->count; i++) {
		if (text->tokens[i].begin >= out.end)
			break;
		if (kt_token_is(text, i, "(") || kt_token_is(text, i, "["))
			depth++;
		else if (kt_token_is(text, i, ")") || kt_token_is(text, i, "]"))
			depth--;
		else if (depth == 0 && kt_token_is(text, i, "=")) {
			*equals = i;
			break;
		}
	}
	return out;
}

static struct kt_range declared_range(const struct kt_scan *scan, CXCursor cursor, size_t *equals)
{
	return range_in(scan, scan->text, cursor, equals);
}

static void add_argument(struct gather *g, CXCursor cursor)
{
	struct kt_scan *scan = g->scan;
	struct kt_region *r = &g->found->region;
	struct kt_argument *a = kt_arena_push(scan->arena, &r->arguments, &r->argument_count, sizeof *a);
	if (a == NULL) {
		scan->failed = true;
		return;
	}
	size_t equals = 0, file = 0;
	struct kt_range range = declared_range(scan, cursor, &equals);
	CXType type = kt_clang.getCursorType(cursor);
	uint32_t name_at = kt_scan_offset(scan, kt_clang.getCursorLocation(cursor), &file);
	uint32_t stop = equals < scan->text->count ? scan->text->tokens[equals].begin : range.end;
	a->name = kt_clang_text(scan->arena, kt_clang.getCursorSpelling(cursor));
	size_t length = a->name != NULL ? strlen(a->name) : 0;
	a->type = kt_clang_text(scan->arena, kt_clang.getTypeSpelling(type));
	/* What is after the name ("[]", a function's parameters) cannot be spelled before it. */
	if (length > 0 && name_at + length >= stop - (stop > range.begin && scan->text->data[stop - 1] == ' '))
		a->type = kt_scan_squeeze(scan, scan->text, range.begin, name_at);
	if (equals < scan->text->count)
		a->default_text = kt_scan_squeeze(scan, scan->text, scan->text->tokens[equals].end, range.end);
	a->is_pointer = type.kind == CXType_Pointer || type.kind == CXType_IncompleteArray ||
	                type.kind == CXType_ConstantArray || kt_clang.getCanonicalType(type).kind == CXType_Pointer;
	CXType pointee = type.kind == CXType_IncompleteArray || type.kind == CXType_ConstantArray
	                     ? kt_clang.getArrayElementType(type)
	                     : kt_clang.getPointeeType(kt_clang.getCanonicalType(type));
	if (a->is_pointer)
		(void)kt_scan_pointee(&a->is_const, type);
	else
		a->is_const = kt_clang.isConstQualifiedType(type) != 0;
	a->is_restrict = kt_clang.isRestrictQualifiedType(type) != 0;
	if (!scan->target->has_host_code && a->is_pointer)
		a->space = kt_opencl_space(pointee, scan->arena);
	a->is_const = a->is_const || a->space == KT_SPACE_CONSTANT;
}

static void add_template(struct gather *g, CXCursor cursor, enum CXCursorKind kind)
{
	struct kt_scan *scan = g->scan;
	struct kt_region *r = &g->found->region;
	struct kt_template_parameter *t = kt_arena_push(scan->arena, &r->templates, &r->template_count, sizeof *t);
	if (t == NULL) {
		scan->failed = true;
		return;
	}
	size_t equals = 0;
	struct kt_range range = declared_range(scan, cursor, &equals);
	uint32_t stop = equals < scan->text->count ? scan->text->tokens[equals].begin : range.end;
	t->name = kt_clang_text(scan->arena, kt_clang.getCursorSpelling(cursor));
	t->declaration = kt_scan_squeeze(scan, scan->text, range.begin, stop);
	if (equals < scan->text->count)
		t->default_text = kt_scan_squeeze(scan, scan->text, scan->text->tokens[equals].end, range.end);
	t->is_type = kind == CXCursor_TemplateTypeParameter;
	if (kind == CXCursor_TemplateTemplateParameter || strstr(t->declaration, "...") != NULL)
		kt_found_decline(scan, g->found, "no-instance",
		                 "template parameter '%s' is a pack or a template; write a kernel with types and numbers for "
		                 "parameters", t->name);
}

static enum CXChildVisitResult read_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct gather *g = data;
	(void)parent;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	if (kind == CXCursor_ParmDecl)
		add_argument(g, cursor);
	else if (kind == CXCursor_TemplateTypeParameter || kind == CXCursor_NonTypeTemplateParameter ||
	         kind == CXCursor_TemplateTemplateParameter)
		add_template(g, cursor, kind);
	return CXChildVisit_Continue;
}

/* Where the parameters of a declaration are read. */
struct defaults {
	struct gather g;
	const struct kt_text *text;
	size_t argument, parameter;
};

static enum CXChildVisitResult read_default(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct defaults *d = data;
	struct kt_region *r = &d->g.found->region;
	const char **slot = NULL;
	size_t equals = 0;
	(void)parent;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	if (kind == CXCursor_ParmDecl && d->argument < r->argument_count)
		slot = &r->arguments[d->argument++].default_text;
	else if ((kind == CXCursor_TemplateTypeParameter || kind == CXCursor_NonTypeTemplateParameter) &&
	         d->parameter < r->template_count)
		slot = &r->templates[d->parameter++].default_text;
	if (slot == NULL || *slot != NULL)
		return CXChildVisit_Continue;
	struct kt_range range = range_in(d->g.scan, d->text, cursor, &equals);
	if (equals < d->text->count)
		*slot = kt_scan_squeeze(d->g.scan, d->text, d->text->tokens[equals].end, range.end);
	return CXChildVisit_Continue;
}

/* Defaults are on one declaration only, which need not be the definition. */
static void add_defaults(struct gather *g)
{
	struct kt_scan *scan = g->scan;
	for (size_t i = 0; i < scan->item_count; i++) {
		const struct kt_item *item = &scan->items[i];
		if (i == g->found->item || !item->is_function ||
		    kt_clang.equalCursors(kt_clang.getCanonicalCursor(item->cursor), g->found->pattern) == 0)
			continue;
		struct defaults d = {.g = *g, .text = kt_scan_text(scan, item->file)};
		if (d.text != NULL)
			kt_clang.visitChildren(item->cursor, read_default, &d);
	}
}

/* The definition and the first declaration of the kernel that the pragma is above. */
static size_t find_definition(struct kt_scan *scan, struct kt_found *found)
{
	struct kt_region *r = &found->region;
	size_t definition = KT_NO_ITEM;
	found->pattern = kt_clang.getCanonicalCursor(scan->items[found->item].cursor);
	for (size_t i = 0; i < scan->item_count; i++) {
		const struct kt_item *item = &scan->items[i];
		if (!item->is_function ||
		    kt_clang.equalCursors(kt_clang.getCanonicalCursor(item->cursor), found->pattern) == 0)
			continue;
		if (item->file == 0 && item->body != 0)
			definition = i;
		else if (item->file == 0 && r->declaration.end == 0 && definition == KT_NO_ITEM)
			r->declaration = (struct kt_range){item->begin, item->end};
	}
	return definition;
}

/* Ranges by tokens: name, "(…)", "{…}" and what is between the template header and the name. */
static bool find_ranges(struct kt_scan *scan, struct kt_found *found, const struct kt_item *item)
{
	const struct kt_text *text = scan->text;
	struct kt_region *r = &found->region;
	size_t name = kt_token_at(text, item->name_at);
	size_t body = kt_token_at(text, item->body);
	uint32_t name_end = name < text->count ? text->tokens[name].end : 0;
	size_t open = name + 1;
	/* `template <> void k<float>(…)` */
	if (kt_token_is(text, open, "<"))
		open = kt_token_match_angle(text, open, &name_end) + 1;
	if (!kt_token_is(text, name, item->name) || !kt_token_is(text, open, "(") || !kt_token_is(text, body, "{"))
		return false;
	size_t close = kt_token_match(text, open), end = kt_token_match(text, body);
	size_t qualified = name;
	while (qualified > 0 && kt_token_is(text, qualified - 1, "::"))
		qualified -= qualified > 1 && text->tokens[qualified - 2].kind == KT_TOKEN_NAME ? 2 : 1;
	if (close >= text->count || end >= text->count)
		return false;
	uint32_t head = item->begin;
	for (size_t i = kt_token_at(text, head); kt_token_is(text, i, "template") && kt_token_is(text, i + 1, "<");) {
		size_t angle = kt_token_match_angle(text, i + 1, &head);
		if (angle >= text->count)
			return false;
		i = angle + 1;
		if (kt_token_is(text, i, "requires"))
			head = text->tokens[i].begin + (uint32_t)kt_source_requires(text->data + text->tokens[i].begin,
			                                                            item->name_at - text->tokens[i].begin);
		i = kt_token_at(text, head);
	}
	size_t first = kt_token_at(text, head);
	r->extent = (struct kt_range){item->begin, text->tokens[end].end};
	r->attributes = (struct kt_range){text->tokens[first].begin, text->tokens[qualified].begin};
	r->name_range = (struct kt_range){text->tokens[qualified].begin, name_end};
	r->parameters_range = (struct kt_range){text->tokens[open].begin, text->tokens[close].end};
	r->body = (struct kt_range){text->tokens[body].begin, text->tokens[end].end};
	uint32_t column = 0;
	kt_scan_position(scan, r->body.begin, &r->body_line, &column);
	return true;
}

/* As code can write it, where it has a name. */
static const char *argument_type(struct kt_scan *scan, CXType type)
{
	const char *text =
	    scan->target->has_host_code ? kt_instance_type(scan, type) : kt_opencl_type(type, scan->arena);

	return text != NULL || !scan->target->has_host_code
		   ? text
		   : kt_clang_text(scan->arena, kt_clang.getTypeSpelling(kt_clang.getCanonicalType(type)));
}

/* A plain kernel's only instance: its own types. */
static void plain_instance(struct kt_scan *scan, struct kt_found *found, CXCursor cursor)
{
	struct kt_region *r = &found->region;
	struct kt_instance *i = kt_arena_push(scan->arena, &r->instances, &r->instance_count, sizeof *i);
	/* Canonically, because there an array parameter is the pointer that it stands for. */
	CXType type = kt_clang.getCursorType(cursor);
	if (scan->target->has_host_code)
		type = kt_clang.getCanonicalType(type);
	if (i == NULL) {
		scan->failed = true;
		return;
	}
	i->name = r->kernel;
	i->symbol = scan->target->has_host_code ? kt_scan_symbol(scan, cursor) : NULL;
	i->elements = kt_arena_array(scan->arena, r->argument_count + 1, sizeof *i->elements);
	i->types = kt_arena_array(scan->arena, r->argument_count + 1, sizeof *i->types);
	CXType *types = kt_arena_array(scan->arena, r->argument_count + 1, sizeof *types);
	for (size_t a = 0; i->elements != NULL && i->types != NULL && types != NULL && a < r->argument_count; a++) {
		CXType argument = types[a] = kt_clang.getArgType(type, (unsigned)a);
		CXType pointee = kt_clang.getPointeeType(kt_clang.getCanonicalType(argument));
		if (r->arguments[a].space != KT_SPACE_LOCAL)
			i->elements[a] = kt_scan_scalar(r->arguments[a].is_pointer ? pointee : argument, scan->arena);
		i->types[a] = argument_type(scan, argument);
	}
	if (types == NULL)
		scan->failed = true;
	else
		kt_scan_members(scan, found, i, types, cursor);
}

/* Do other functions have the kernel's name where it is declared? */
static bool has_namesakes(const struct kt_scan *scan, const struct kt_item *kernel)
{
	for (size_t i = 0; i < scan->item_count; i++) {
		const struct kt_item *other = &scan->items[i];
		if (other->is_function && !other->is_member && strcmp(other->name, kernel->name) == 0 &&
		    strcmp(other->scope, kernel->scope) == 0 && !kt_launch_is_kernel(scan, other->cursor, kernel->cursor))
			return true;
	}
	return false;
}

/* Can other sources launch it by its name? Templates are instantiated where they are launched. */
static bool is_linked(const struct kt_scan *scan, const struct kt_item *item)
{
	return scan->target->has_host_code && item->kind == CXCursor_FunctionDecl && !item->is_static &&
	       !item->in_anonymous &&
	       kt_clang.Cursor_isNull(kt_clang.getSpecializedCursorTemplate(item->cursor)) != 0;
}

static void read_linkage(struct kt_region *r, const struct kt_item *item)
{
	r->is_static = item->is_static;
	r->is_extern_c = item->in_extern_c;
	r->in_anonymous_namespace = item->in_anonymous;
	r->unnamed_outside = item->unnamed_outside;
}

/* A kernel that another source defines: what its launches here need. */
static void read_imported(struct kt_scan *scan, struct kt_found *found, const struct kt_item *item)
{
	struct kt_region *r = &found->region;
	struct gather g = {scan, found};
	read_linkage(r, item);
	r->is_imported = true;
	r->extent = r->declaration;
	r->variables = found->pragma->variables;
	r->variable_count = found->pragma->variable_count;
	kt_clang.visitChildren(item->cursor, read_child, &g);
	add_defaults(&g);
	plain_instance(scan, found, item->cursor);
	kt_found_decline(scan, found, "defined-elsewhere", "'%s'", r->kernel);
}

/* No definition is in this source. */
static kt_status read_undefined(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	const struct kt_item *item = &scan->items[found->item];
	if (is_linked(scan, item))
		read_imported(scan, found, item);
	else if (item->kind == CXCursor_FunctionTemplate)
		kt_found_decline(scan, found, "template-elsewhere", "'%s' has no body here", item->name);
	else
		kt_found_decline(scan, found, "scan-failed",
		                 "'%s' has no definition in this file; write the pragma above its definition", item->name);
	return scan->failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory reading a declaration") : KT_OK;
}

/* The text of a variant is that of the definition: which macro of it makes the kernel. */
static void decline_macro(struct kt_scan *scan, struct kt_found *found, const struct kt_item *item)
{
	const struct kt_text *text = scan->text;
	const struct kt_token *made = NULL;
	uint32_t line = 0, column = 0;
	for (size_t t = kt_token_at(text, item->begin); made == NULL && t < text->count && text->tokens[t].begin < item->end; t++) {
		const struct kt_token *token = &text->tokens[t];
		const char *name = token->kind == KT_TOKEN_NAME
		                       ? kt_arena_strndup(scan->arena, text->data + token->begin, token->end - token->begin) : NULL;
		const struct kt_macro *macro = name != NULL ? kt_scan_macro(scan, name) : NULL;
		if (macro != NULL && !macro->is_system)
			made = token;
	}
	kt_scan_position(scan, made != NULL ? made->begin : item->begin, &line, &column);
	if (made != NULL)
		kt_found_decline(scan, found, "kernel-in-macro", "line %u: '%.*s' makes '%s'", line, (int)(made->end - made->begin),
		                 text->data + made->begin, found->region.kernel);
	else
		kt_found_decline(scan, found, "kernel-in-macro", "line %u: '%s'", line, found->region.kernel);
}

kt_status kt_scan_signature(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	const struct kt_item *item = &scan->items[found->item];
	r->kernel = item->name;
	r->qualified = kt_arena_printf(scan->arena, "%s%s", item->scope, item->name);
	if (found->pragma->name == NULL)
		r->name = r->kernel;
	size_t definition = find_definition(scan, found);
	if (definition == KT_NO_ITEM)
		return read_undefined(scan, found, err);
	r->is_exported = found->item != definition && is_linked(scan, &scan->items[definition]);
	found->item = definition;
	item = &scan->items[definition];
	read_linkage(r, item);
	size_t stands = strlen(item->lexical);
	if (strncmp(item->scope, item->lexical, stands) == 0)
		r->reopened = item->scope + stands;
	struct gather g = {scan, found};
	kt_clang.visitChildren(item->cursor, read_child, &g);
	add_defaults(&g);
	if (!kt_specialised_is_deduced(scan, item->cursor))
		kt_found_decline(scan, found, "launch-form",
				 "line %u: template arguments of the explicit specialisation '%s' do not follow from its "
				 "arguments; write the pragma above the template, or the specialisation as a separate kernel",
				 r->line, r->kernel);
	if (!find_ranges(scan, found, item))
		decline_macro(scan, found, item);
	if (r->template_count == 0)
		plain_instance(scan, found, item->cursor);
	else
		r->has_namesakes = has_namesakes(scan, item);
	return scan->failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory reading the signature") : KT_OK;
}
