/* Classes: where their members are shown, and what may be done with objects as bytes. */
#include <string.h>

#include "lower_internal.h"
#include "members.h"

CXCursor kt_lower_members(CXCursor class)
{
	const CXCursor pattern = kt_clang.getSpecializedCursorTemplate(class);
	const enum CXCursorKind kind = kt_clang.getCursorKind(pattern);

	/* A specialisation that is written has a separate text, and is declared elsewhere than its template. */
	if (kt_clang.Cursor_isNull(pattern) != 0 ||
	    (kind != CXCursor_ClassTemplate && kind != CXCursor_ClassTemplatePartialSpecialization))
		return class;
	return kt_clang.equalLocations(kt_clang.getCursorLocation(pattern), kt_clang.getCursorLocation(class)) != 0
		   ? pattern
		   : class;
}

struct field_list {
	struct kt_lower *l;
	struct kt_lower_children fields;
};

static enum CXVisitorResult collect_field(CXCursor cursor, CXClientData data)
{
	struct field_list *list = data;
	CXCursor *slot = kt_arena_push(list->l->arena, &list->fields.items, &list->fields.count, sizeof *slot);

	if (slot == NULL) {
		list->l->failed = true;
		return CXVisit_Break;
	}
	*slot = cursor;
	return CXVisit_Continue;
}

struct kt_lower_children kt_lower_fields(struct kt_lower *l, CXType class)
{
	struct field_list list = {.l = l};

	kt_clang.Type_visitFields(kt_clang.getCanonicalType(class), collect_field, &list);
	return list.fields;
}

struct plain {
	struct kt_lower *l;
	CXCursor class_;
	enum kt_lower_doing doing;
	bool holds;
	bool takes_arguments, makes; /* a constructor does, which is written; one without arguments is `= default` */
};

static enum CXChildVisitResult judge_member(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	struct plain *p = data;
	const bool is_made = p->doing == KT_LOWER_MADE && kind == CXCursor_Constructor,
		   is_default = is_made && kt_clang.CXXConstructor_isDefaultConstructor(cursor) != 0;
	const bool is_copy = kind == CXCursor_Constructor && (kt_clang.CXXConstructor_isCopyConstructor(cursor) != 0 ||
							      kt_clang.CXXConstructor_isMoveConstructor(cursor) != 0);

	(void)parent;
	if ((is_copy || is_default || kind == CXCursor_Destructor) && kt_clang.CXXMethod_isDefaulted(cursor) == 0)
		p->holds = false;
	p->takes_arguments = p->takes_arguments || (is_made && !is_default);
	p->makes = p->makes || is_default;
	if (kind == CXCursor_CXXMethod && kt_clang.CXXMethod_isVirtual(cursor) != 0)
		p->holds = false;
	if (kind == CXCursor_CXXMethod && p->doing == KT_LOWER_ASSIGNED &&
	    kt_clang.CXXMethod_isDefaulted(cursor) == 0 && strcmp(kt_lower_spelling(p->l, cursor), "operator=") == 0)
		p->holds = false;
	if (kind == CXCursor_CXXBaseSpecifier) {
		const CXType base = kt_base_type(p->class_, cursor, p->l->kernel);

		p->holds = p->holds && base.kind == CXType_Record && kt_lower_is_plain(p->l, base, p->doing);
	}
	return p->holds ? CXChildVisit_Continue : CXChildVisit_Break;
}

bool kt_lower_is_plain(struct kt_lower *l, CXType type, enum kt_lower_doing doing)
{
	struct plain p = {.l = l, .doing = doing, .holds = true};
	struct kt_lower_children fields;
	const struct kt_ir_type *made;
	CXType canonical = kt_clang.getCanonicalType(type);

	while (canonical.kind == CXType_ConstantArray)
		canonical = kt_clang.getCanonicalType(kt_clang.getArrayElementType(canonical));
	if (canonical.kind != CXType_Record)
		return true;
	/* The toolkit's numbers are numbers. */
	made = kt_lower_is_system(kt_clang.getTypeDeclaration(canonical)) ? kt_lower_type(l, canonical) : NULL;
	if (made != NULL && (kt_ir_is_scalar(made) || made->kind == KT_IR_VECTOR))
		return true;
	p.class_ = kt_clang.getTypeDeclaration(canonical);
	kt_clang.visitChildren(kt_lower_members(p.class_), judge_member, &p);
	/* Beside a constructor with arguments there is none without, unless it is written. */
	p.holds = p.holds && (!p.takes_arguments || p.makes);
	fields = kt_lower_fields(l, canonical);
	for (size_t i = 0; p.holds && i < fields.count; i++)
		p.holds = kt_lower_is_plain(l, kt_clang.getCursorType(fields.items[i]), doing);
	return p.holds;
}
