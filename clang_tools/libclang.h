/*
 * libclang, loaded at run time: any version from 16 on, so that one binary
 * serves every machine. Call as kt_clang.parseTranslationUnit2(…) once
 * kt_clang_load has succeeded.
 */
#ifndef KT_CLANG_LIBCLANG_H
#define KT_CLANG_LIBCLANG_H

#include <clang-c/Index.h>

#include "base/arena.h"

#define KT_CLANG_OLDEST 16
#define KT_CLANG_NEWEST 40 /* the highest version that is looked for */

/* X(name): clang_NAME, all part of libclang 16. */
#define KT_CLANG_FUNCTIONS(X) \
	X(createIndex) \
	X(disposeIndex) \
	X(parseTranslationUnit2) \
	X(reparseTranslationUnit) \
	X(saveTranslationUnit) \
	X(disposeTranslationUnit) \
	X(getClangVersion) \
	X(getCString) \
	X(disposeString) \
	X(getNumDiagnostics) \
	X(getDiagnostic) \
	X(disposeDiagnostic) \
	X(getDiagnosticSeverity) \
	X(getDiagnosticSpelling) \
	X(getDiagnosticLocation) \
	X(getTranslationUnitCursor) \
	X(visitChildren) \
	X(getCursorKind) \
	X(isDeclaration) \
	X(isExpression) \
	X(isReference) \
	X(isStatement) \
	X(isAttribute) \
	X(getCursorSpelling) \
	X(getCursorLocation) \
	X(getCursorExtent) \
	X(getCursorType) \
	X(getCursorReferenced) \
	X(getCursorDefinition) \
	X(getCursorSemanticParent) \
	X(getCursorUSR) \
	X(getCursorLinkage) \
	X(getCanonicalCursor) \
	X(isVirtualBase) \
	X(getCursorDisplayName) \
	X(getSpecializedCursorTemplate) \
	X(getTemplateCursorKind) \
	X(getNumOverloadedDecls) \
	X(getOverloadedDecl) \
	X(getNullCursor) \
	X(equalCursors) \
	X(equalLocations) \
	X(hashCursor) \
	X(isCursorDefinition) \
	X(Cursor_isNull) \
	X(Cursor_isInlineNamespace) \
	X(Cursor_hasAttrs) \
	X(Cursor_getStorageClass) \
	X(Cursor_getMangling) \
	X(Cursor_getNumArguments) \
	X(Cursor_getArgument) \
	X(Cursor_getNumTemplateArguments) \
	X(Cursor_getTemplateArgumentKind) \
	X(Cursor_getTemplateArgumentType) \
	X(Cursor_getTemplateArgumentValue) \
	X(Cursor_getVarDeclInitializer) \
	X(Cursor_isMacroFunctionLike) \
	X(Cursor_Evaluate) \
	X(EnumDecl_isScoped) \
	X(getCursorPrintingPolicy) \
	X(PrintingPolicy_setProperty) \
	X(PrintingPolicy_dispose) \
	X(getCursorPrettyPrinted) \
	X(CXXMethod_isDefaulted) \
	X(CXXMethod_isConst) \
	X(CXXField_isMutable) \
	X(CXXMethod_isDeleted) \
	X(CXXMethod_isVirtual) \
	X(CXXMethod_isStatic) \
	X(CXXConstructor_isCopyConstructor) \
	X(CXXConstructor_isDefaultConstructor) \
	X(CXXConstructor_isMoveConstructor) \
	X(Cursor_isFunctionInlined) \
	X(Cursor_isBitField) \
	X(Cursor_getOffsetOfField) \
	X(getEnumDeclIntegerType) \
	X(getEnumConstantDeclValue) \
	X(getEnumConstantDeclUnsignedValue) \
	X(EvalResult_getKind) \
	X(EvalResult_getAsLongLong) \
	X(EvalResult_isUnsignedInt) \
	X(EvalResult_getAsUnsigned) \
	X(EvalResult_getAsDouble) \
	X(EvalResult_dispose) \
	X(getCanonicalType) \
	X(getTypeSpelling) \
	X(getTypeDeclaration) \
	X(getPointeeType) \
	X(getResultType) \
	X(getArrayElementType) \
	X(getElementType) \
	X(getNumElements) \
	X(getCXXAccessSpecifier) \
	X(getNumArgTypes) \
	X(getArgType) \
	X(isConstQualifiedType) \
	X(isVolatileQualifiedType) \
	X(isRestrictQualifiedType) \
	X(getUnqualifiedType) \
	X(Type_getSizeOf) \
	X(Type_getAlignOf) \
	X(getArraySize) \
	X(isFunctionTypeVariadic) \
	X(Type_getNumTemplateArguments) \
	X(Type_getTemplateArgumentAsType) \
	X(Type_visitFields) \
	X(getRangeStart) \
	X(getRangeEnd) \
	X(getRange) \
	X(getExpansionLocation) \
	X(getFileLocation) \
	X(getLocation) \
	X(getLocationForOffset) \
	X(getCursor) \
	X(Location_isInSystemHeader) \
	X(Location_isFromMainFile) \
	X(Range_isNull) \
	X(getFile) \
	X(getFileName) \
	X(getFileContents) \
	X(File_isEqual) \
	X(getInclusions) \
	X(getIncludedFile) \
	X(getAllSkippedRanges) \
	X(disposeSourceRangeList) \
	X(tokenize) \
	X(disposeTokens) \
	X(getTokenKind) \
	X(getTokenSpelling) \
	X(getTokenExtent) \
	X(getTokenLocation)

struct kt_clang_api {
#define KT_CLANG_MEMBER(name) __typeof__(&clang_##name) name;
	KT_CLANG_FUNCTIONS(KT_CLANG_MEMBER)
#undef KT_CLANG_MEMBER
	/* A CXUnaryOperatorKind, a CXBinaryOperatorKind, part of libclang 17; NULL in 16. operators.h serves all versions. */
	int (*getCursorUnaryOperatorKind)(CXCursor cursor);
	int (*getCursorBinaryOperatorKind)(CXCursor cursor);
};
extern struct kt_clang_api kt_clang;

/*
 * The folder with the builtin headers of the library that was installed with this program, which may not find it
 * by itself; NULL: another one is loaded, or out of memory.
 */
char *kt_clang_resources(struct kt_arena *arena);

/*
 * Loads the library KTUNE_LIBCLANG names, else the one that was installed with
 * this program, else the newest that is installed.
 * *version becomes its version ("19.1.7"), *major its first number.
 * KT_ERR_MISSING when there is none from KT_CLANG_OLDEST on.
 */
kt_status kt_clang_load(const char **version, int *major, struct kt_arena *arena, struct kt_error *err) KT_MUST_CHECK;

/* Text of a CXString in arena; disposes the string. NULL when out of memory. */
char *kt_clang_text(struct kt_arena *arena, CXString string);

#endif
