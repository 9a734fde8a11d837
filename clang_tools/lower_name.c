/*
 * The names of functions as nvcc spells them (`__PRETTY_FUNCTION__`): types are canonical, `bool` is `__nv_bool`, arguments of
 * templates follow. An assertion names the function around it, which a variant is not. Where another name comes out, the
 * certificate shows it.
 */
#include <stdio.h>
#include <string.h>

#include "lower_internal.h"

static void replace_all(struct kt_buf *out, const char *text, const char *from, const char *to)
{
	for (const char *at; (at = strstr(text, from)) != NULL; text = at + strlen(from)) {
		kt_buf_add(out, text, (size_t)(at - text));
		kt_buf_adds(out, to);
	}
	kt_buf_adds(out, text);
}

static const char *with(struct kt_lower *l, const char *text, const char *from, const char *to)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *made;

	replace_all(&out, text, from, to);
	made = kt_arena_strdup(l->arena, kt_buf_text(&out));
	kt_buf_free(&out);
	l->failed |= made == NULL;
	return made != NULL ? made : "";
}

static bool is_parameter(CXCursor cursor)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);

	return kind == CXCursor_TemplateTypeParameter || kind == CXCursor_NonTypeTemplateParameter ||
	       kind == CXCursor_TemplateTemplateParameter;
}

/* A template that the function is an instance of, or a member of one, and the cursor that has the arguments. */
struct level {
	CXCursor instance;
	struct kt_lower_children parameters;
};

/* Where the function is shown, and its own level and its class's. */
struct named {
	CXCursor shown;
	size_t count;
	struct level levels[2];
	const char *class_name, *class_path; /* `part<T>`, `lib::part<T>`; NULL: no member of a class template */
};

static struct kt_lower_children parameters_of(struct kt_lower *l, CXCursor template_)
{
	const struct kt_lower_children all = kt_lower_children(l, template_);
	struct kt_lower_children found = {0};

	for (size_t i = 0; i < all.count; i++) {
		CXCursor *slot = is_parameter(all.items[i])
				     ? kt_arena_push(l->arena, &found.items, &found.count, sizeof *slot)
				     : NULL;

		if (slot != NULL)
			*slot = all.items[i];
	}
	return found;
}

/* A canonical type's text: parameters of templates by their names, and what nvcc calls otherwise. */
static const char *canonical_text(struct kt_lower *l, CXType type, const struct named *named)
{
	const char *text = kt_lower_text(l, kt_clang.getTypeSpelling(kt_clang.getCanonicalType(type)));

	for (size_t k = 0; k < named->count; k++)
		for (size_t i = 0; i < named->levels[k].parameters.count; i++) {
			char name[64];

			/* The class's are outermost. */
			(void)snprintf(name, sizeof name, "type-parameter-%zu-%zu", named->count - 1 - k, i);
			text = with(l, text, name, kt_lower_spelling(l, named->levels[k].parameters.items[i]));
		}
	if (named->class_name != NULL && strstr(text, named->class_path) == NULL)
		text = with(l, text, named->class_name, named->class_path);
	text = with(l, text, "(anonymous namespace)", "<unnamed>");
	return strcmp(text, "bool") == 0 ? "__nv_bool" : strncmp(text, "bool ", 5) == 0 ? with(l, text, "bool ", "__nv_bool ")
	       : strncmp(text, "const bool", 10) == 0 ? with(l, text, "bool", "__nv_bool") : text;
}

/* `int64_t` and its kin are declared as signed, and nvcc spells that. */
static bool is_spelled_signed(struct kt_lower *l, CXType type)
{
	const enum CXTypeKind kind = kt_clang.getCanonicalType(type).kind;
	const CXCursor declaration = kt_clang.getTypeDeclaration(type);

	return (kind == CXType_Short || kind == CXType_Int || kind == CXType_Long) &&
	       kt_clang.getCursorKind(declaration) == CXCursor_TypedefDecl && kt_lower_is_system(declaration) &&
	       strncmp(kt_lower_spelling(l, declaration), "int", 3) == 0;
}

static const char *type_text(struct kt_lower *l, CXType type, const struct named *named)
{
	const CXType canonical = kt_clang.getCanonicalType(type);
	const bool is_const = kt_clang.isConstQualifiedType(canonical) != 0;
	const CXType pointee = kt_clang.getPointeeType(canonical);
	const char *mark = canonical.kind == CXType_Pointer		? "*"
			   : canonical.kind == CXType_LValueReference ? "&"
									: NULL;
	const char *inner = NULL;

	if (mark != NULL && type.kind == canonical.kind && pointee.kind != CXType_FunctionProto &&
	    pointee.kind != CXType_ConstantArray && pointee.kind != CXType_IncompleteArray) {
		inner = type_text(l, kt_clang.getPointeeType(type), named);
		inner = kt_arena_printf(l->arena, "%s%s%s%s", inner, inner[strlen(inner) - (inner[0] != '\0')] == '*' ? "" : " ",
					mark, is_const ? " const" : "");
	} else if (is_spelled_signed(l, type)) {
		inner = kt_lower_text(l, kt_clang.getTypeSpelling(canonical));
		inner = kt_arena_printf(l->arena, "%s%s%s", is_const ? "const " : "", "signed ",
					strncmp(inner, "const ", 6) == 0 ? inner + 6 : inner);
	} else {
		inner = canonical_text(l, type, named);
	}
	l->failed |= inner == NULL;
	return inner != NULL ? inner : "";
}

/* A parameter's own qualifiers are none of the function's type. */
static const char *argument_text(struct kt_lower *l, CXType type, const struct named *named)
{
	const char *text = type_text(l, type, named);
	const CXType canonical = kt_clang.getCanonicalType(type);
	const size_t length = strlen(text);
	char *cut;

	if (kt_clang.isConstQualifiedType(canonical) == 0 && kt_clang.isRestrictQualifiedType(canonical) == 0)
		return text;
	if (strncmp(text, "const ", 6) == 0 && canonical.kind != CXType_Pointer)
		return text + 6;
	text = with(l, text, "*__restrict", "*");
	cut = kt_arena_strdup(l->arena, text);
	if (cut != NULL && length > 7 && strlen(cut) > 7 && strcmp(cut + strlen(cut) - 6, " const") == 0)
		cut[strlen(cut) - 6] = '\0';
	else if (cut != NULL && strlen(cut) > 6 && strcmp(cut + strlen(cut) - 6, "*const") == 0)
		cut[strlen(cut) - 5] = '\0';
	l->failed |= cut == NULL;
	return cut != NULL ? cut : "";
}

static void add_scope(struct kt_lower *l, struct kt_buf *out, CXCursor function)
{
	const CXCursor parent = kt_clang.getCursorSemanticParent(function);
	const enum CXCursorKind kind = kt_clang.getCursorKind(parent);
	const char *name;

	if (kt_clang.Cursor_isNull(parent) != 0 || kind == CXCursor_TranslationUnit || kind == CXCursor_LinkageSpec)
		return;
	add_scope(l, out, parent);
	name = kind == CXCursor_Namespace ? kt_lower_spelling(l, parent)
					  : kt_lower_text(l, kt_clang.getCursorDisplayName(parent));
	kt_buf_addf(out, "%s::", name[0] != '\0' ? name : "<unnamed>");
}

/* What is given for a number. False: a type that is written in another way. */
static bool add_number(struct kt_buf *out, enum CXTypeKind kind, long long value)
{
	static const struct {
		enum CXTypeKind kind;
		const char *suffix;
	} kinds[] = {{CXType_Int, ""}, {CXType_Long, "L"}, {CXType_UInt, "U"}, {CXType_ULong, "UL"}};

	if (kind == CXType_Bool)
		kt_buf_adds(out, value != 0 ? "true" : "false");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].kind == kind) {
			kt_buf_addf(out, "%lld%s", value, kinds[i].suffix);
			return true;
		}
	return kind == CXType_Bool;
}

/* `T = float; int N = 4`. False: an argument of a kind that is not known. */
static bool add_argument(struct kt_lower *l, struct kt_buf *out, const struct named *named, const struct level *level, unsigned number)
{
	static const struct named none = {.count = 0};
	const CXCursor parameter = level->parameters.items[number];
	const enum CXTemplateArgumentKind kind = kt_clang.Cursor_getTemplateArgumentKind(level->instance, number);
	CXType type;

	if (kind == CXTemplateArgumentKind_Type) {
		type = kt_clang.Cursor_getTemplateArgumentType(level->instance, number);
		kt_buf_addf(out, "%s = %s", kt_lower_spelling(l, parameter), type_text(l, type, &none));
		return true;
	}
	if (kind != CXTemplateArgumentKind_Integral)
		return false;
	type = kt_clang.getCanonicalType(kt_clang.getCursorType(parameter));
	kt_buf_addf(out, "%s %s = ", type_text(l, type, named), kt_lower_spelling(l, parameter));
	return add_number(out, type.kind, kt_clang.Cursor_getTemplateArgumentValue(level->instance, number));
}

/* ` [with int K = 3; T = float]`: the function's own first. */
static bool add_arguments(struct kt_lower *l, struct kt_buf *out, const struct named *named)
{
	bool has_one = false;

	for (size_t k = 0; k < named->count; k++)
		for (size_t i = 0; i < named->levels[k].parameters.count; i++) {
			kt_buf_adds(out, has_one ? "; " : " [with ");
			has_one = true;
			if (!add_argument(l, out, named, &named->levels[k], (unsigned)i))
				return false;
		}
	kt_buf_adds(out, has_one ? "]" : "");
	return true;
}

static void add_level(struct kt_lower *l, struct named *named, CXCursor instance, CXCursor template_)
{
	const struct kt_lower_children parameters = parameters_of(l, template_);

	if (parameters.count > 0)
		named->levels[named->count++] = (struct level){instance, parameters};
}

static void read_named(struct kt_lower *l, struct named *named, CXCursor function)
{
	const CXCursor template_ = kt_clang.getSpecializedCursorTemplate(function);
	struct kt_buf path = KT_BUF(KT_LIMIT_LINE_BYTES);
	CXCursor class_;

	*named = (struct named){.shown = kt_clang.Cursor_isNull(template_) != 0 ? function : template_};
	class_ = kt_clang.getCursorSemanticParent(named->shown);
	add_level(l, named, function, named->shown);
	if (kt_clang.getCursorKind(class_) == CXCursor_ClassTemplate) {
		add_level(l, named, kt_clang.getCursorSemanticParent(function), class_);
		named->class_name = kt_lower_text(l, kt_clang.getCursorDisplayName(class_));
		add_scope(l, &path, class_);
		kt_buf_adds(&path, named->class_name);
		named->class_path = kt_arena_strdup(l->arena, kt_buf_text(&path));
		l->failed |= named->class_path == NULL;
	}
	kt_buf_free(&path);
}

const char *kt_lower_nvcc_name(struct kt_lower *l, CXCursor function)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *made = NULL;
	struct named named;
	CXType type;

	read_named(l, &named, function);
	if (l->failed)
		return NULL;
	type = kt_clang.getCursorType(named.shown);
	/* A function that is no member is without it. */
	kt_buf_adds(&out, kt_clang.CXXMethod_isStatic(named.shown) != 0 ? "static " : "");
	kt_buf_addf(&out, "%s ", type_text(l, kt_clang.getResultType(type), &named));
	add_scope(l, &out, named.shown);
	kt_buf_addf(&out, "%s(", kt_lower_spelling(l, named.shown));
	for (int i = 0; i < kt_clang.getNumArgTypes(type); i++)
		kt_buf_addf(&out, "%s%s", i > 0 ? ", " : "", argument_text(l, kt_clang.getArgType(type, (unsigned)i), &named));
	kt_buf_addf(&out, ")%s", kt_clang.CXXMethod_isConst(named.shown) != 0 ? " const" : "");
	if (add_arguments(l, &out, &named))
		made = kt_arena_strdup(l->arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return made;
}
