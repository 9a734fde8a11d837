/*
 * From version 17 on, libclang states the operator of an expression. Version 16 does not: no function returns it, it
 * prints declarations alone, the location of an expression is its begin, and the tokens of a macro's expansion are not
 * available. But a cursor holds the address of clang's own node, which begins with a word of bit fields: the node's
 * class, properties of the expression, the operator. Version 16 is no longer developed, so that this cannot change. It
 * is verified all the same: before the first answer a text with all operators is parsed, and unless each of them is
 * read as what it is, no operator is known.
 */
#include "operators.h"

#include <stdint.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* In the order of CXBinaryOperatorKind and of CXUnaryOperatorKind, whose 0 is none. */
static const char *const binary[] = {
    "",  ".*", "->*", "*",  "/",  "%", "+",  "-",  "<<", ">>", "<=>", "<",   ">",   "<=", ">=", "==", "!=",
    "&", "^",  "|",   "&&", "||", "=", "*=", "/=", "%=", "+=", "-=",  "<<=", ">>=", "&=", "^=", "|=", ",",
};
static const char *const unary[] = {
    "", "++", "--", "++", "--", "&", "*", "+", "-", "~", "!", "__real", "__imag", "__extension__", "co_await",
};

/* ---- version 16 */

/* The first word of an expression's node: 8 bits of its class, 10 of what every expression has, the operator. */
#define CLASS(word) ((word)&0xffu)
#define OPERATOR_SHIFT 18
#define UNARY_MASK 0x1fu
#define BINARY_MASK 0x3fu

/* A statement for each operator, in the order of the tables. `<=>` and `co_await` need a header. */
static const char probe_text[] =
    "struct S { int m; };\n"
    "void probe(int a, int b, bool c, S s, S *p, int S::*m, _Complex float z) {\n"
    "s.*m; p->*m; a * b; a / b; a % b; a + b; a - b; a << b; a >> b; a < b; a > b; a <= b; a >= b; a == b; a != b;\n"
    "a & b; a ^ b; a | b; c && c; c || c; a = b; a *= b; a /= b; a %= b; a += b; a -= b; a <<= b; a >>= b;\n"
    "a &= b; a ^= b; a |= b; a, b;\n"
    "a++; a--; ++a; --a; &a; *p; +a; -a; ~a; !c; __real z; __imag z; __extension__ a;\n"
    "}\n";

enum kind { UNARY, BINARY, COMPOUND, KINDS };

static struct {
	bool asked, known;
	bool has_class[KINDS];
	uint32_t classes[KINDS];
} layout;

/* KINDS: an expression of another kind. */
static enum kind kind_of(CXCursor cursor)
{
	switch ((int)kt_clang.getCursorKind(cursor)) {
	case CXCursor_UnaryOperator:
		return UNARY;
	case CXCursor_BinaryOperator:
		return BINARY;
	case CXCursor_CompoundAssignOperator:
		return COMPOUND;
	default:
		return KINDS;
	}
}

/* 0: the cursor is none of these expressions; what else a cursor holds is no address of a node. */
static uint32_t word_of(CXCursor cursor)
{
	uint32_t word = 0;

	if (kind_of(cursor) != KINDS && cursor.data[1] != NULL)
		memcpy(&word, cursor.data[1], sizeof word);
	return word;
}

/* As libclang numbers it from version 17 on: from 1. */
static uint32_t number_of(uint32_t word, enum kind kind)
{
	return ((word >> OPERATOR_SHIFT) & (kind == UNARY ? UNARY_MASK : BINARY_MASK)) + 1;
}

static const char *spelled(int64_t number, enum kind kind)
{
	const int64_t count = (int64_t)(kind == UNARY ? COUNT(unary) : COUNT(binary));

	if (number <= 0 || number >= count)
		return "";
	return kind == UNARY ? unary[number] : binary[number];
}

struct probe {
	uint32_t binary, unary; /* numbers that are expected next */
	bool fits;
};

static bool is_expected(struct probe *p, uint32_t word, enum kind kind)
{
	if (kind == KINDS || (layout.has_class[kind] && layout.classes[kind] != CLASS(word)))
		return false;
	layout.has_class[kind] = true;
	layout.classes[kind] = CLASS(word);
	if (kind == UNARY)
		return number_of(word, kind) == p->unary++;
	p->binary += p->binary < COUNT(binary) && strcmp(binary[p->binary], "<=>") == 0;
	return number_of(word, kind) == p->binary++;
}

static enum CXChildVisitResult probe_statement(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	struct probe *p = data;

	(void)parent;
	if (kind == CXCursor_FunctionDecl || kind == CXCursor_CompoundStmt)
		return CXChildVisit_Recurse;
	if (kt_clang.isDeclaration(kind) != 0)
		return CXChildVisit_Continue;
	p->fits = p->fits && is_expected(p, word_of(cursor), kind_of(cursor));
	return p->fits ? CXChildVisit_Continue : CXChildVisit_Break;
}

/* Is the layout of this library's nodes the one that is described above? */
static bool fits(void)
{
	static const char *const arguments[] = {"-x", "c++", "-nostdinc", "-w"};
	struct CXUnsavedFile file = {"operators.cc", probe_text, sizeof probe_text - 1};
	struct probe p = {1, 1, true};
	CXIndex index = kt_clang.createIndex(0, 0);
	CXTranslationUnit unit = NULL;

	if (kt_clang.parseTranslationUnit2(index, file.Filename, arguments, COUNT(arguments), &file, 1, 0, &unit) ==
		CXError_Success &&
	    kt_clang.getNumDiagnostics(unit) == 0)
		kt_clang.visitChildren(kt_clang.getTranslationUnitCursor(unit), probe_statement, &p);
	if (unit != NULL)
		kt_clang.disposeTranslationUnit(unit);
	kt_clang.disposeIndex(index);
	return p.fits && p.binary == COUNT(binary) && p.unary + 1 == COUNT(unary) &&
	       layout.classes[UNARY] != layout.classes[BINARY] && layout.classes[UNARY] != layout.classes[COMPOUND] &&
	       layout.classes[BINARY] != layout.classes[COMPOUND];
}

static int64_t of_node(CXCursor expression, enum kind kind)
{
	const uint32_t word = word_of(expression);

	if (!layout.asked) {
		layout.asked = true;
		layout.known = fits();
	}
	return layout.known && CLASS(word) == layout.classes[kind] ? number_of(word, kind) : 0;
}

/* Its place in the table of its kind; 0: not known. */
static int64_t operator_of(CXCursor expression, enum kind kind)
{
	int (*const ask)(CXCursor) =
	    kind == UNARY ? kt_clang.getCursorUnaryOperatorKind : kt_clang.getCursorBinaryOperatorKind;

	if (kind == KINDS)
		return 0;
	return ask != NULL ? ask(expression) : of_node(expression, kind);
}

const char *kt_operator(CXCursor expression)
{
	const enum kind kind = kind_of(expression);

	return kind == KINDS ? "" : spelled(operator_of(expression, kind), kind);
}

bool kt_operator_is_postfix(CXCursor expression)
{
	const enum kind kind = kind_of(expression);
	const int64_t number = operator_of(expression, kind);

	/* The two that are in front of their prefix forms. */
	return kind == UNARY && (number == 1 || number == 2);
}
