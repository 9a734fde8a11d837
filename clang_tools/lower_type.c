/* Types of the front, and conversions between them. */
#include <ctype.h>
#include <string.h>

#include "lower_internal.h"
#include "members.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Scalars by libclang's kind: as they are on the device. */
static const struct {
	enum CXTypeKind kind;
	unsigned bits;
	bool is_signed;
} integers[] = {
    {CXType_Char_U, 8, false},  {CXType_UChar, 8, false},     {CXType_Char_S, 8, true},
    {CXType_SChar, 8, true},    {CXType_Short, 16, true},     {CXType_UShort, 16, false},
    {CXType_Int, 32, true},     {CXType_UInt, 32, false},     {CXType_Long, 64, true},
    {CXType_ULong, 64, false},  {CXType_LongLong, 64, true},  {CXType_ULongLong, 64, false},
    {CXType_Int128, 128, true}, {CXType_UInt128, 128, false}, {CXType_WChar, 32, true},
    {CXType_Char16, 16, false}, {CXType_Char32, 32, false},
};

/* Classes of the toolkit that are numbers here. */
static const struct {
	const char *name;
	enum kt_ir_format format;
	int64_t count; /* 0: a scalar */
} numbers[] = {
    {"__half", KT_IR_F16, 0},
    {"__nv_bfloat16", KT_IR_BF16, 0},
    {"__half2", KT_IR_F16, 2},
    {"__nv_bfloat162", KT_IR_BF16, 2},
};

/* ---- Structures ---- */

struct fields {
	struct kt_lower *l;
	struct kt_ir_field *items;
	size_t count;
	CXCursor class_;
	bool is_understood, has_defaults;
};

static bool add_field(struct fields *f, CXType of, const char *name, uint64_t offset)
{
	const struct kt_ir_type *type = kt_lower_type(f->l, of);
	struct kt_ir_field *slot;

	if (type == NULL)
		return false;
	slot = kt_arena_push(f->l->arena, &f->items, &f->count, sizeof *slot);
	if (slot == NULL) {
		f->l->failed = true;
		return false;
	}
	*slot = (struct kt_ir_field){name, type, offset};
	return true;
}

struct emptiness {
	bool holds;
};

static enum CXChildVisitResult find_data(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	struct emptiness *e = data;

	(void)parent;
	if (kind == CXCursor_FieldDecl || kind == CXCursor_CXXBaseSpecifier ||
	    (kind == CXCursor_CXXMethod && kt_clang.CXXMethod_isVirtual(cursor) != 0))
		e->holds = false;
	return e->holds ? CXChildVisit_Continue : CXChildVisit_Break;
}

static bool is_empty_class(CXType type)
{
	struct emptiness e = {true};

	kt_clang.visitChildren(kt_lower_members(kt_clang.getTypeDeclaration(kt_clang.getCanonicalType(type))),
			       find_data, &e);
	return e.holds;
}

static enum CXChildVisitResult count_expression(CXCursor cursor, CXCursor parent, CXClientData data)
{
	size_t *count = data;

	(void)parent;
	*count += kt_clang.isExpression(kt_clang.getCursorKind(cursor)) != 0;
	return CXChildVisit_Continue;
}

/* A value that an object gets where a list has none; the length of an array is an expression, too. */
static bool has_default(CXCursor field)
{
	CXType type = kt_lower_canonical(field);
	size_t count = 0, lengths = 0;

	for (; type.kind == CXType_ConstantArray || type.kind == CXType_DependentSizedArray; lengths++)
		type = kt_clang.getCanonicalType(kt_clang.getArrayElementType(type));
	kt_clang.visitChildren(field, count_expression, &count);
	return count > lengths;
}

/* Bases, whose place is not told: the first one that has data is at the beginning. Members tell of defaults. */
static enum CXChildVisitResult read_member(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	struct fields *f = data;

	(void)parent;
	if (kind == CXCursor_CXXBaseSpecifier) {
		const CXType base = kt_base_type(f->class_, cursor, f->l->kernel);

		if (base.kind != CXType_Record)
			f->is_understood = false;
		else if (!is_empty_class(base))
			f->is_understood = f->count == 0 && add_field(f, base, KT_IR_BASE, 0);
		f->has_defaults = true;
	} else if (kind == CXCursor_CXXMethod && kt_clang.CXXMethod_isVirtual(cursor) != 0) {
		f->is_understood = false;
	} else if (kind == CXCursor_FieldDecl) {
		f->has_defaults |= has_default(cursor);
	} else if (kind == CXCursor_UnionDecl) {
		f->is_understood = false;
	}
	return f->is_understood ? CXChildVisit_Continue : CXChildVisit_Break;
}

/* Where a class inside of it has initialisers, a list that leaves it out means something else. */
static bool holds_defaults(const struct kt_lower *l, const struct kt_ir_type *type)
{
	while (type->kind == KT_IR_ARRAY)
		type = type->element;
	return kt_lower_has_defaults(l, type);
}

static void read_fields(struct fields *f, CXType type)
{
	const struct kt_lower_children list = kt_lower_fields(f->l, type);
	const size_t bases = f->count;

	for (size_t i = 0; f->is_understood && i < list.count; i++) {
		const char *name = kt_lower_spelling(f->l, list.items[i]);
		const long long bits = kt_clang.Cursor_getOffsetOfField(list.items[i]);

		f->is_understood = name[0] != '\0' && bits >= 0 && bits % 8 == 0 &&
				   kt_clang.Cursor_isBitField(list.items[i]) == 0 &&
				   add_field(f, kt_clang.getCursorType(list.items[i]), name, (uint64_t)bits / 8);
		if (f->is_understood && i == 0 && bases == 0 && bits != 0)
			f->is_understood = false;
		if (f->is_understood)
			f->has_defaults |=
			    has_default(list.items[i]) || holds_defaults(f->l, f->items[f->count - 1].type);
	}
	if (f->is_understood && f->count == 0 && kt_clang.Type_getSizeOf(type) > 1)
		f->is_understood = false;
}

/* A name that C++ takes, and that no other structure of the module has. */
static const char *structure_name(struct kt_lower *l, CXType type)
{
	char *name = kt_arena_strdup(
	    l->arena,
	    kt_lower_text(l, kt_clang.getTypeSpelling(kt_clang.getCursorType(kt_clang.getTypeDeclaration(type)))));
	const char *unique = name;

	for (char *c = name; c != NULL && *c != '\0'; c++)
		if (isalnum((unsigned char)*c) == 0)
			*c = '_';
	for (unsigned i = 2; unique != NULL && kt_ir_struct_named(l->module, unique) != NULL; i++)
		unique = kt_arena_printf(l->arena, "%s_%u", name, i);
	return unique;
}

/* "float4" and the like: the number after the name of a scalar; 0: none. */
static int64_t vector_count(const char *name)
{
	static const char *const bases[] = {"char", "uchar", "short",    "ushort",    "int",   "uint",
					    "long", "ulong", "longlong", "ulonglong", "float", "double"};
	const size_t length = strlen(name);

	if (length < 2 || name[length - 1] < '1' || name[length - 1] > '4')
		return 0;
	for (size_t i = 0; i < COUNT(bases); i++)
		if (strlen(bases[i]) == length - 1 && memcmp(bases[i], name, length - 1) == 0)
			return name[length - 1] - '0';
	return 0;
}

/* A class of the toolkit that is a number or a vector of them; NULL: none. */
static const struct kt_ir_type *toolkit_number(struct kt_lower *l, CXCursor declaration, CXType type,
					       const struct fields *f)
{
	const char *name = kt_lower_spelling(l, declaration);
	const uint32_t align = (uint32_t)kt_clang.Type_getAlignOf(type);

	for (size_t i = 0; i < COUNT(numbers); i++)
		if (strcmp(numbers[i].name, name) == 0)
			return numbers[i].count == 0
				   ? kt_ir_float(l->module, numbers[i].format)
				   : kt_ir_vector(l->module, kt_ir_float(l->module, numbers[i].format),
						  numbers[i].count, align);
	if (f->is_understood && f->count > 0 && (int64_t)f->count == vector_count(name) &&
	    kt_ir_is_number(f->items[0].type))
		return kt_ir_vector(l->module, f->items[0].type, (int64_t)f->count, align);
	return NULL;
}

static bool has_private(struct kt_lower *l, CXType type)
{
	const struct kt_lower_children fields = kt_lower_fields(l, type);
	bool has = false;

	for (size_t i = 0; i < fields.count; i++) {
		const enum CX_CXXAccessSpecifier access = kt_clang.getCXXAccessSpecifier(fields.items[i]);

		has = has || access == CX_CXXPrivate || access == CX_CXXProtected;
	}
	return has;
}

/* Notes what C++ calls the structure of this name, without the qualifiers of the type that named it first. */
static void note_class(struct kt_lower *l, const struct kt_ir_type *made, CXCursor declaration)
{
	const CXType type = kt_clang.getCursorType(declaration);

	struct kt_lowered_class *slot = kt_arena_push(l->arena, &l->named, &l->named_count, sizeof *slot);

	l->failed |= slot == NULL;
	if (slot != NULL)
		*slot = (struct kt_lowered_class){made->name, kt_lower_text(l, kt_clang.getTypeSpelling(type)),
						  !kt_lower_is_plain(l, type, KT_LOWER_MADE), has_private(l, type)};
}

static const struct kt_ir_type *structure(struct kt_lower *l, CXType type)
{
	const CXCursor declaration = kt_clang.getTypeDeclaration(type);
	const struct kt_ir_type *made = kt_lower_find(&l->classes, declaration);
	const long long size = kt_clang.Type_getSizeOf(type), align = kt_clang.Type_getAlignOf(type);
	struct fields f = {.l = l, .class_ = declaration, .is_understood = true};
	const char *const why = l->why, *name;

	if (made != NULL)
		return made;
	if (size <= 0 || align <= 0 || kt_lower_find(&l->working, declaration) != NULL)
		return kt_lower_cannot(l, "the class '%s' is not complete here", kt_lower_spelling(l, declaration));
	if (!kt_lower_put(&l->working, l->arena, declaration, l))
		return NULL;
	if (kt_clang.getCursorKind(declaration) == CXCursor_UnionDecl)
		f.is_understood = false;
	else
		kt_clang.visitChildren(kt_lower_members(declaration), read_member, &f);
	if (f.is_understood)
		read_fields(&f, type);
	(void)kt_lower_put(&l->working, l->arena, declaration, NULL);
	if (kt_lower_is_system(declaration))
		made = toolkit_number(l, declaration, type, &f);
	else if (f.is_understood && f.count == 0 && kt_lower_is_group(declaration))
		made = kt_ir_integer(l->module, 8, false);
	if (made == NULL && f.is_understood && (name = structure_name(l, type)) != NULL)
		made = kt_ir_struct(l->module, name, (uint64_t)size, (uint32_t)align, f.items, f.count);
	else if (made == NULL)
		made = kt_ir_opaque(l->module, (uint64_t)size, (uint32_t)align);
	/* What follows asks for the type again. */
	if (made != NULL && !kt_lower_put(&l->classes, l->arena, declaration, (void *)(uintptr_t)made))
		l->failed = true;
	if (made != NULL && made->kind == KT_IR_STRUCT)
		note_class(l, made, declaration);
	l->why = why;
	if (f.has_defaults && made != NULL) {
		const struct kt_ir_type **slot =
		    kt_arena_push(l->arena, &l->with_defaults, &l->with_default_count, sizeof *slot);

		if (slot == NULL)
			l->failed = true;
		else
			*slot = made;
	}
	return made;
}

bool kt_lower_has_defaults(const struct kt_lower *l, const struct kt_ir_type *type)
{
	for (size_t i = 0; i < l->with_default_count; i++)
		if (l->with_defaults[i] == type)
			return true;
	return false;
}

int kt_lower_field(struct kt_lower *l, const struct kt_ir_type *type, CXCursor field)
{
	const char *name = kt_lower_spelling(l, field);

	if (type->kind == KT_IR_VECTOR && strlen(name) == 1 && strchr("xyzw", name[0]) != NULL)
		return (int)(strchr("xyzw", name[0]) - "xyzw");
	for (size_t i = 0; type->kind == KT_IR_STRUCT && i < type->field_count; i++)
		if (strcmp(type->fields[i].name, name) == 0)
			return (int)i;
	(void)kt_lower_cannot(l, "the field '%s' is not understood", name);
	return -1;
}

/* ---- Types ---- */

static const struct kt_ir_type *pointer(struct kt_lower *l, CXType type)
{
	const CXType target = kt_clang.getCanonicalType(kt_clang.getPointeeType(type));
	CXType element = target;
	const struct kt_ir_type *to;

	if (target.kind == CXType_FunctionProto || target.kind == CXType_FunctionNoProto)
		return kt_lower_cannot(l, "a pointer to a function");
	to = kt_lower_type(l, target);
	while (element.kind == CXType_ConstantArray || element.kind == CXType_IncompleteArray)
		element = kt_clang.getArrayElementType(element);
	return to == NULL
		   ? NULL
		   : kt_ir_pointer(l->module, to, KT_IR_SPACE_GENERIC, kt_clang.isConstQualifiedType(element) != 0,
				   kt_clang.isVolatileQualifiedType(element) != 0);
}

const struct kt_ir_type *kt_lower_type(struct kt_lower *l, CXType type)
{
	const CXType canonical = kt_clang.getCanonicalType(type);
	const struct kt_ir_type *element;

	for (size_t i = 0; i < COUNT(integers); i++)
		if (integers[i].kind == canonical.kind)
			return kt_ir_integer(l->module, integers[i].bits, integers[i].is_signed);
	switch ((int)canonical.kind) {
	case CXType_Void:
		return kt_ir_void(l->module);
	case CXType_Bool:
		return kt_ir_bool(l->module);
	case CXType_Float:
		return kt_ir_float(l->module, KT_IR_F32);
	case CXType_Double:
	case CXType_LongDouble:
		return kt_ir_float(l->module, KT_IR_F64);
	case CXType_Enum:
		return kt_lower_type(l, kt_clang.getEnumDeclIntegerType(kt_clang.getTypeDeclaration(canonical)));
	case CXType_Pointer:
	case CXType_LValueReference:
	case CXType_RValueReference:
		return pointer(l, canonical);
	case CXType_NullPtr:
		return kt_ir_pointer(l->module, kt_ir_void(l->module), KT_IR_SPACE_GENERIC, false, false);
	case CXType_ConstantArray:
	case CXType_IncompleteArray:
		NEED(element = kt_lower_type(l, kt_clang.getArrayElementType(canonical)), NULL);
		if (element->size == 0)
			return kt_lower_cannot(l, "an array of elements without a size");
		return kt_ir_array(l->module, element,
				   canonical.kind == CXType_ConstantArray ? kt_clang.getArraySize(canonical) : -1);
	case CXType_Record:
		return structure(l, canonical);
	default:
		return kt_lower_cannot(l, "the type '%s'", kt_lower_text(l, kt_clang.getTypeSpelling(canonical)));
	}
}

/* ---- Conversions ---- */

const struct kt_ir_value *kt_lower_as(struct kt_lower *l, const struct kt_ir_value *value,
				      const struct kt_ir_type *type)
{
	if (value == NULL || type == NULL)
		return NULL;
	if (value->type == type)
		return value;
	if (!kt_ir_is_scalar(value->type) || !kt_ir_is_scalar(type) ||
	    (value->type->kind == KT_IR_FLOAT && type->kind == KT_IR_POINTER) ||
	    (value->type->kind == KT_IR_POINTER && type->kind == KT_IR_FLOAT))
		return kt_lower_cannot(l, "a conversion between two types");
	if (value->type->kind == KT_IR_POINTER && type->kind == KT_IR_BOOL)
		return kt_ir_apply(l->module, KT_IR_NE, value, kt_lower_zero(l, value->type), NULL);
	return kt_ir_convert(l->module, value, type, KT_IR_AS_VALUE);
}

const struct kt_ir_value *kt_lower_zero(struct kt_lower *l, const struct kt_ir_type *type)
{
	const struct kt_ir_value **parts;
	size_t count;

	if (type == NULL)
		return NULL;
	if (kt_ir_is_scalar(type))
		return kt_ir_bits(l->module, type, 0, 0);
	count = type->kind == KT_IR_VECTOR ? (size_t)type->count : type->kind == KT_IR_STRUCT ? type->field_count : 0;
	parts = kt_arena_array(l->arena, count + 1, sizeof *parts);
	if (count == 0 || parts == NULL)
		return kt_lower_cannot(l, "an object that is all zero");
	for (size_t i = 0; i < count; i++) {
		parts[i] = kt_lower_zero(l, type->kind == KT_IR_VECTOR ? type->element : type->fields[i].type);
		if (parts[i] == NULL)
			return NULL;
	}
	return kt_ir_construct(l->module, type, parts, count);
}

const struct kt_ir_type *kt_lower_promoted(struct kt_lower *l, const struct kt_ir_type *type)
{
	const bool is_narrow = type->kind == KT_IR_BOOL || (type->kind == KT_IR_INTEGER && type->bits < 32);

	return is_narrow ? kt_ir_integer(l->module, 32, true) : type;
}

const struct kt_ir_type *kt_lower_common(struct kt_lower *l, const struct kt_ir_type *a, const struct kt_ir_type *b)
{
	const struct kt_ir_type *x = kt_lower_promoted(l, a), *y = kt_lower_promoted(l, b);

	if (!kt_ir_is_number(x) || !kt_ir_is_number(y))
		return kt_lower_cannot(l, "arithmetic on what is no number");
	if (x->kind != y->kind)
		return x->kind == KT_IR_FLOAT ? x : y;
	if (x->bits != y->bits)
		return x->bits > y->bits ? x : y;
	if (x->kind == KT_IR_FLOAT)
		return x->format == y->format ? x : kt_lower_cannot(l, "arithmetic on two formats");
	return x->is_signed ? y : x;
}
