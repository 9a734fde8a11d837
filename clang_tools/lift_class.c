/*
 * What is called implicitly where an object of a class is made, ends or is assigned. libclang shows no members of a
 * template's instance: its fields are asked for, and the rest is read as the template has it. What depends on the
 * template's arguments there is understood for numbers alone.
 */
#include <string.h>

#include "lift_internal.h"

enum { CLASS_DEPTH = 8 };

/* A class, or a template, that is looked into. */
struct look {
	struct kt_lift *lift;
	const struct look *outer; /* that has it for a member or a base; NULL: none */
	size_t depth;
	bool assigns;             /* asked is what assignments do */
	bool in_sight;            /* constructors are called where it can be seen which */
	bool is_pattern;          /* members are a template's */
	bool has_classes;         /* one of the template's arguments is a class */
	bool inherits;            /* constructors may be another class's, which has them by `using` */
	CXCursor class, pattern;
};

static bool is_null(CXCursor cursor)
{
	return kt_clang.Cursor_isNull(cursor) != 0;
}

static CXType element_of(CXType type)
{
	type = kt_clang.getCanonicalType(type);
	while (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray ||
	       type.kind == CXType_DependentSizedArray)
		type = kt_clang.getCanonicalType(kt_clang.getArrayElementType(type));
	return type;
}

CXType kt_lift_behind(CXType type)
{
	type = element_of(type);
	while (type.kind == CXType_Pointer || type.kind == CXType_LValueReference || type.kind == CXType_RValueReference)
		type = element_of(kt_clang.getPointeeType(type));
	return type;
}

bool kt_lift_is_parameter(struct kt_lift *lift, CXType type)
{
	const char *text = kt_lift_text(lift, kt_clang.getTypeSpelling(kt_clang.getCanonicalType(type)));

	while (strncmp(text, "const ", strlen("const ")) == 0)
		text += strlen("const ");
	return strncmp(text, "type-parameter-", strlen("type-parameter-")) == 0;
}

/* Is it the template's own class, with the arguments that it has? Others are named: `list<N - 1>`. */
static bool is_own(const struct look *look, CXType type)
{
	const char *own = kt_lift_text(look->lift, kt_clang.getCursorUSR(look->pattern));

	return own[0] != '\0' && kt_clang.Type_getNumTemplateArguments(type) <= 0 &&
	       strcmp(kt_lift_text(look->lift, kt_clang.getCursorUSR(kt_clang.getTypeDeclaration(type))), own) == 0;
}

/* A type that depends on a template's arguments in another way than as one of them. */
static bool is_unknown(const struct look *look, CXType type)
{
	return type.kind == CXType_Unexposed && !kt_lift_is_parameter(look->lift, type) && !is_own(look, type);
}

bool kt_lift_is_constant(CXCursor expression)
{
	CXEvalResult result = kt_clang.Cursor_Evaluate(expression);

	if (result != NULL)
		kt_clang.EvalResult_dispose(result);
	return result != NULL;
}

bool kt_lift_is_generated(CXCursor function)
{
	CXCursor definition = kt_clang.getCursorDefinition(function);

	return kt_clang.CXXMethod_isDefaulted(function) != 0 ||
	       (!is_null(definition) && kt_clang.CXXMethod_isDefaulted(definition) != 0);
}

struct reading {
	const struct look *look;
	bool unknown;
};

static bool is_object(const struct look *look, CXType type)
{
	return type.kind == CXType_Record && kt_lift_is_class_to_read(look->lift, kt_clang.getTypeDeclaration(type));
}

/* Has one of the expressions below it an object for its value (or, if `other`, has one none)? */
static bool has_object(const struct look *look, CXCursor cursor, bool other)
{
	const struct kt_lift_cursors parts = kt_lift_cursors_of(look->lift, cursor);

	for (size_t i = 0; i < parts.count; i++)
		if (kt_clang.isExpression(kt_clang.getCursorKind(parts.cursors[i])) != 0 &&
		    is_object(look, element_of(kt_clang.getCursorType(parts.cursors[i]))) != other)
			return true;
	return false;
}

/* An object of which the instance knows, or that is made of something else; an operator between what may be one. */
static enum CXChildVisitResult find_unknown(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct reading *r = data;
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	const bool is_name = kind == CXCursor_MemberRefExpr || kind == CXCursor_DeclRefExpr;
	CXType type = element_of(kt_clang.getCursorType(cursor));

	(void)parent;
	if (kt_clang.isReference(kind) != 0)
		return CXChildVisit_Continue;
	if (type.kind == CXType_Dependent)
		r->unknown = r->look->has_classes || has_object(r->look, cursor, false);
	else if (kind == CXCursor_VarDecl && is_object(r->look, type))
		r->unknown = has_object(r->look, cursor, true);
	r->unknown = r->unknown || is_unknown(r->look, kt_lift_behind(type)) ||
	             (is_name && is_null(kt_clang.getCursorReferenced(cursor)));
	return r->unknown ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* A member or a base that is given a value other than a number; `inner(3)` and `base<T>(3)` give numbers. */
static bool passes_on(const struct look *look, CXCursor constructor)
{
	const struct kt_lift_cursors parts = kt_lift_cursors_of(look->lift, constructor);

	for (size_t i = 0; i + 1 < parts.count; i++) {
		const enum CXCursorKind kind = kt_clang.getCursorKind(parts.cursors[i]);
		const CXType type = element_of(kt_clang.getCursorType(parts.cursors[i]));
		const CXCursor value = parts.cursors[i + 1];

		if (kt_clang.isReference(kind) != 0 && kt_clang.isExpression(kt_clang.getCursorKind(value)) != 0 &&
		    kt_lift_cursors_of(look->lift, value).count > 0 &&
		    (kind != CXCursor_MemberRef || is_unknown(look, type) ||
		     (is_object(look, type) && has_object(look, value, true))))
			return true;
	}
	return false;
}

static bool depends(const struct look *look, CXCursor function)
{
	struct reading reading = {look, false};

	kt_clang.visitChildren(function, find_unknown, &reading);
	return reading.unknown || passes_on(look, function);
}

/* A function of a class that is called without a word. */
static bool function_is_opaque(const struct look *look, CXCursor function)
{
	const CXCursor definition = kt_clang.getCursorDefinition(function);
	const CXCursor pattern = kt_clang.getSpecializedCursorTemplate(function);

	if (kt_lift_is_generated(function) || kt_clang.CXXMethod_isDeleted(function) != 0)
		return false;
	/* An instance has a definition where it is used. */
	if (is_null(definition))
		return kt_lift_is_for_device(look->lift, function) &&
		       (is_null(pattern) || is_null(kt_clang.getCursorDefinition(pattern)));
	return kt_lift_asks(look->lift, definition) ||
	       ((look->is_pattern || kt_clang.getCursorKind(function) == CXCursor_FunctionTemplate) &&
	        depends(look, definition));
}

static bool destructor_is_opaque(const struct look *look, CXCursor destructor)
{
	const CXCursor definition = kt_clang.getCursorDefinition(destructor);
	struct kt_lift_cursors parts;

	if (is_null(definition))
		return function_is_opaque(look, destructor);
	parts = kt_lift_cursors_of(look->lift, definition);
	for (size_t i = 0; i < parts.count; i++)
		if (kt_clang.getCursorKind(parts.cursors[i]) == CXCursor_CompoundStmt)
			return kt_lift_cursors_of(look->lift, parts.cursors[i]).count > 0;
	return false;
}

static bool type_is_opaque(const struct look *outer, CXType type);

/* A name in a constant expression, or the function that is called in one. */
static bool is_known_name(CXCursor name)
{
	const CXCursor target = kt_clang.getCursorReferenced(name);
	const enum CXCursorKind kind = kt_clang.getCursorKind(target);

	return kind == CXCursor_NonTypeTemplateParameter || kind == CXCursor_FunctionDecl ||
	       kind == CXCursor_OverloadedDeclRef;
}

/* The first value of a field, or the length of an array: numbers, and what is called with them. */
static bool is_value(struct kt_lift *lift, CXCursor expression)
{
	static const enum CXCursorKind through[] = {
		CXCursor_UnexposedExpr,  CXCursor_ParenExpr,    CXCursor_BinaryOperator,        CXCursor_UnaryOperator,
		CXCursor_CStyleCastExpr, CXCursor_InitListExpr, CXCursor_CXXFunctionalCastExpr, CXCursor_CXXStaticCastExpr,
	};
	const enum CXCursorKind kind = kt_clang.getCursorKind(expression);
	const struct kt_lift_cursors parts = kt_lift_cursors_of(lift, expression);
	bool known = kind == CXCursor_CallExpr && !kt_lift_call_asks(lift, expression);

	if (kt_lift_is_constant(expression))
		return true;
	if (kind == CXCursor_DeclRefExpr)
		return is_known_name(expression);
	for (size_t i = 0; i < sizeof through / sizeof through[0]; i++)
		known = known || kind == through[i];
	for (size_t i = 0; known && i < parts.count; i++)
		known = kt_clang.isReference(kt_clang.getCursorKind(parts.cursors[i])) != 0 || is_value(lift, parts.cursors[i]);
	return known;
}

static bool field_is_opaque(const struct look *look, CXCursor field)
{
	const struct kt_lift_cursors parts = kt_lift_cursors_of(look->lift, field);
	struct look own = *look;

	for (size_t i = 0; i < parts.count && !look->assigns; i++)
		if (kt_clang.isExpression(kt_clang.getCursorKind(parts.cursors[i])) != 0 &&
		    !is_value(look->lift, parts.cursors[i]))
			return true;
	own.inherits = false;
	return type_is_opaque(&own, kt_clang.getCursorType(field));
}

/* Can the constructor be called without arguments? */
static bool takes_nothing(struct kt_lift *lift, CXCursor constructor)
{
	const struct kt_lift_cursors parts = kt_lift_cursors_of(lift, constructor);

	for (size_t i = 0; i < parts.count; i++) {
		const struct kt_lift_cursors inner = kt_lift_cursors_of(lift, parts.cursors[i]);

		if (kt_clang.getCursorKind(parts.cursors[i]) != CXCursor_ParmDecl)
			continue;
		for (size_t k = 0; k < inner.count; k++)
			if (kt_clang.isExpression(kt_clang.getCursorKind(inner.cursors[k])) != 0)
				return true;
		return strstr(kt_lift_text(lift, kt_clang.getTypeSpelling(kt_clang.getCursorType(parts.cursors[i]))), "...") !=
		       NULL;
	}
	return true;
}

static bool member_is_opaque(const struct look *look, CXCursor member)
{
	switch ((int)kt_clang.getCursorKind(member)) {
	case CXCursor_CXXBaseSpecifier:
		return type_is_opaque(look, kt_clang.getCursorType(member));
	case CXCursor_Constructor:
		return !look->assigns &&
		       !(look->in_sight && (look->is_pattern || is_null(kt_clang.getCursorDefinition(member)))) &&
		       function_is_opaque(look, member);
	case CXCursor_FunctionTemplate:
		return !look->assigns && !look->in_sight &&
		       kt_clang.getTemplateCursorKind(member) == CXCursor_Constructor &&
		       (look->inherits || takes_nothing(look->lift, member)) && function_is_opaque(look, member);
	case CXCursor_Destructor:
		return !look->assigns && destructor_is_opaque(look, member);
	case CXCursor_CXXMethod:
		return look->assigns &&
		       strcmp(kt_lift_text(look->lift, kt_clang.getCursorSpelling(member)), "operator=") == 0 &&
		       function_is_opaque(look, member);
	default:
		return false;
	}
}

/* Does libclang show what is in it? */
static bool is_shown(const struct kt_lift_cursors *members)
{
	for (size_t i = 0; i < members->count; i++)
		if (kt_clang.isDeclaration(kt_clang.getCursorKind(members->cursors[i])) != 0 ||
		    kt_clang.getCursorKind(members->cursors[i]) == CXCursor_CXXBaseSpecifier)
			return true;
	return false;
}

static bool members_are_opaque(struct look *look, const struct kt_lift_cursors *members)
{
	for (size_t i = 0; i < members->count; i++)
		look->inherits = look->inherits || kt_clang.getCursorKind(members->cursors[i]) == CXCursor_UsingDeclaration;
	for (size_t i = 0; i < members->count; i++)
		if (member_is_opaque(look, members->cursors[i]))
			return true;
	return false;
}

struct fields {
	const struct look *look;
	bool opaque;
};

static enum CXVisitorResult read_field(CXCursor field, CXClientData data)
{
	struct fields *fields = data;

	fields->opaque = field_is_opaque(fields->look, field);
	return fields->opaque ? CXVisit_Break : CXVisit_Continue;
}

/* The template of an instance, as it is written. Null: it is no instance. */
static CXCursor pattern_of(CXCursor class)
{
	CXCursor pattern = kt_clang.getSpecializedCursorTemplate(class), member = pattern;

	/* That of an instance of the class around it is an instance too. */
	while (!is_null(member) && kt_clang.getCursorKind(member) == CXCursor_ClassTemplate) {
		pattern = member;
		member = kt_clang.getSpecializedCursorTemplate(pattern);
	}
	return pattern;
}

/* The value of a parameter's class becomes another's, `if (value)`, in a way that the template does not show. */
static bool converts_opaque(const struct look *look, CXType type)
{
	struct kt_lift_cursors members;

	if (!is_object(look, type))
		return false;
	members = kt_lift_cursors_of(look->lift, kt_clang.getTypeDeclaration(type));
	for (size_t i = 0; i < members.count; i++)
		if (kt_clang.getCursorKind(members.cursors[i]) == CXCursor_ConversionFunction &&
		    function_is_opaque(look, members.cursors[i]))
			return true;
	return false;
}

/* What parameters are in the template of a class, and in those around it. */
static bool arguments_are_opaque(struct look *look)
{
	CXCursor at = look->class;

	for (; kt_clang.isDeclaration(kt_clang.getCursorKind(at)) != 0; at = kt_clang.getCursorSemanticParent(at)) {
		const CXType type = kt_clang.getCursorType(at);

		for (int i = 0; i < kt_clang.Type_getNumTemplateArguments(type); i++) {
			const CXType argument = element_of(kt_clang.Type_getTemplateArgumentAsType(type, (unsigned)i));

			look->has_classes = look->has_classes || kt_lift_has_class_to_read(look->lift, argument);
			if (type_is_opaque(look, argument) || converts_opaque(look, argument))
				return true;
		}
	}
	/* A specialisation that an instance of the class around it has is not the one that was written. */
	return !is_null(pattern_of(kt_clang.getCursorSemanticParent(look->pattern)));
}

static bool is_looked_into(const struct look *look, CXCursor class)
{
	for (; look != NULL; look = look->outer)
		if (kt_clang.equalCursors(look->class, class) != 0)
			return true;
	return false;
}

/* In another look: the class itself, or its template with the fields and the arguments that it has as an instance. */
static bool class_is_opaque(struct look look, CXCursor class)
{
	struct kt_lift_cursors members = kt_lift_cursors_of(look.lift, class);
	struct fields fields = {&look, false};

	if (is_looked_into(look.outer, class))
		return false;
	if (look.depth == CLASS_DEPTH)
		return true;
	look.class = class;
	look.pattern = pattern_of(class);
	look.is_pattern = !is_null(look.pattern) && !is_shown(&members);
	(void)kt_clang.Type_visitFields(kt_clang.getCursorType(class), read_field, &fields);
	if (fields.opaque || (look.is_pattern && arguments_are_opaque(&look)))
		return true;
	if (look.is_pattern)
		members = kt_lift_cursors_of(look.lift, look.pattern);
	return members_are_opaque(&look, &members);
}

/* The fields as the template has them. */
static bool fields_are_opaque(const struct look *look, const struct kt_lift_cursors *members)
{
	for (size_t i = 0; i < members->count; i++)
		if (kt_clang.getCursorKind(members->cursors[i]) == CXCursor_FieldDecl &&
		    field_is_opaque(look, members->cursors[i]))
			return true;
	return false;
}

/* The template itself, or one of its specialisations. */
static bool pattern_is_opaque(struct look look, CXCursor pattern)
{
	const struct kt_lift_cursors members = kt_lift_cursors_of(look.lift, pattern);

	look.pattern = pattern;
	look.is_pattern = true;
	return members_are_opaque(&look, &members) || fields_are_opaque(&look, &members);
}

struct specialisations {
	const struct look *look;
	bool opaque;
};

static enum CXChildVisitResult read_specialisation(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct specialisations *s = data;
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);

	(void)parent;
	if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec)
		return CXChildVisit_Recurse;
	s->opaque = kt_clang.equalCursors(kt_clang.getSpecializedCursorTemplate(cursor), s->look->class) != 0 &&
	            pattern_is_opaque(*s->look, cursor);
	return s->opaque ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* A class that depends on the arguments of the template around it, `base<T>`: any of its template's. */
static bool template_is_opaque(struct look look, CXCursor template)
{
	const enum CXCursorKind scope = kt_clang.getCursorKind(kt_clang.getCursorSemanticParent(template));
	struct specialisations specialisations = {&look, false};

	if (is_looked_into(look.outer, template))
		return false;
	if (look.depth == CLASS_DEPTH || (scope != CXCursor_Namespace && scope != CXCursor_TranslationUnit))
		return true;
	look.class = template;
	if (pattern_is_opaque(look, template))
		return true;
	kt_clang.visitChildren(kt_clang.getTranslationUnitCursor(look.lift->unit), read_specialisation, &specialisations);
	return specialisations.opaque;
}

/* A class of the language makes, copies and ends those that it is of. */
static bool elements_are_opaque(const struct look *outer, CXType type)
{
	for (int i = 0; i < kt_clang.Type_getNumTemplateArguments(type); i++)
		if (type_is_opaque(outer, kt_clang.Type_getTemplateArgumentAsType(type, (unsigned)i)))
			return true;
	return false;
}

static bool type_is_opaque(const struct look *outer, CXType type)
{
	struct look look = {.lift = outer->lift, .outer = outer, .depth = outer->depth + 1, .assigns = outer->assigns,
	                    .inherits = outer->inherits};
	CXCursor class;

	type = element_of(type);
	class = kt_clang.getTypeDeclaration(type);
	if (type.kind == CXType_Record)
		return kt_lift_is_class_to_read(look.lift, class) ? class_is_opaque(look, class)
		                                                  : elements_are_opaque(outer, type);
	if (!is_unknown(outer, type))
		return false;
	if (kt_clang.getCursorKind(class) != CXCursor_ClassTemplate)
		return true;
	look.has_classes = outer->has_classes;
	for (int i = 0; i < kt_clang.Type_getNumTemplateArguments(type); i++) {
		const CXType argument = element_of(kt_clang.Type_getTemplateArgumentAsType(type, (unsigned)i));

		if (is_unknown(outer, argument) || type_is_opaque(outer, argument))
			return true;
		look.has_classes = look.has_classes || argument.kind == CXType_Record || is_own(outer, argument);
	}
	return kt_lift_is_class_to_read(look.lift, class) && template_is_opaque(look, class);
}

bool kt_lift_makes_opaque(struct kt_lift *lift, CXCursor cursor)
{
	const CXType type = kt_clang.getCanonicalType(kt_clang.getCursorType(cursor)), element = element_of(type);
	const CXCursor class = kt_clang.getTypeDeclaration(element);
	const struct look look = {.lift = lift, .in_sight = type.kind == CXType_Record};

	if (lift->opencl || element.kind != CXType_Record)
		return false;
	return kt_lift_is_class_to_read(lift, class) ? class_is_opaque(look, class)
						     : elements_are_opaque(&look, element);
}

bool kt_lift_constructs_opaque(struct kt_lift *lift, CXCursor constructor)
{
	const CXCursor class = kt_clang.getCursorSemanticParent(constructor);
	const struct look look = {.lift = lift, .in_sight = true};

	if (kt_lift_is_class_to_read(lift, class) ? class_is_opaque(look, class)
	                                          : elements_are_opaque(&look, kt_clang.getCursorType(class)))
		return true;
	return !kt_lift_is_generated(constructor) && kt_lift_asks(lift, constructor);
}

bool kt_lift_assigns_opaque(struct kt_lift *lift, CXCursor class)
{
	const struct look look = {.lift = lift, .assigns = true};

	return kt_lift_is_class_to_read(lift, class) ? class_is_opaque(look, class)
	                                             : elements_are_opaque(&look, kt_clang.getCursorType(class));
}
