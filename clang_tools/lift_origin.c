/* Whose a function or a class is, and with it what may be taken for granted of it. */
#include <string.h>

#include "base/fs.h"
#include "lift_internal.h"

/* The real folder of the file of that name that the scan has read first. */
static const char *folder_of(struct kt_scan *scan, const char *name)
{
	const size_t size = strlen(name);

	for (size_t i = 0; i < scan->system_file_count; i++) {
		const char *path = scan->system_files[i];
		const size_t length = strlen(path);

		if (length > size && path[length - size - 1] == '/' && strcmp(path + length - size, name) == 0)
			return kt_path_dirname(scan->arena, path);
	}
	return NULL;
}

void kt_lift_find_folders(struct kt_lift_folders *out, struct kt_scan *scan)
{
	/* Both are read in front of everything. Beside an nvcc that is a script there may be links to headers, or none. */
	*out = (struct kt_lift_folders){.toolkit = folder_of(scan, "cuda_runtime.h"),
	                                .compiler = folder_of(scan, "__clang_cuda_runtime_wrapper.h")};
}

bool kt_lift_is_of_project(CXCursor cursor)
{
	return kt_clang.Location_isInSystemHeader(kt_clang.getCursorLocation(cursor)) == 0;
}

struct namespaces {
	const char *outer, *next; /* "": none */
};

static struct namespaces namespaces_of(struct kt_lift *lift, CXCursor cursor)
{
	struct namespaces n = {"", ""};

	for (CXCursor at = kt_clang.getCursorSemanticParent(cursor);
	     kt_clang.Cursor_isNull(at) == 0 && kt_clang.getCursorKind(at) != CXCursor_TranslationUnit;
	     at = kt_clang.getCursorSemanticParent(at))
		if (kt_clang.getCursorKind(at) == CXCursor_Namespace) {
			n.next = n.outer;
			n.outer = kt_lift_text(lift, kt_clang.getCursorSpelling(at));
		}
	return n;
}

/* Is it in a header of the toolkit, of clang or of the host's C++ library? */
static bool is_of_tools(struct kt_lift *lift, CXCursor cursor, const struct namespaces *n)
{
	const struct kt_lift_folders *folders = lift->folders;
	CXFile file = NULL;
	const char *path;

	kt_clang.getExpansionLocation(kt_clang.getCursorLocation(cursor), &file, NULL, NULL, NULL);
	path = file != NULL ? kt_path_real(lift->kernel->arena, kt_lift_text(lift, kt_clang.getFileName(file))) : NULL;
	return path != NULL && ((folders->toolkit != NULL && kt_path_below(path, folders->toolkit)) ||
	                        (folders->compiler != NULL && kt_path_below(path, folders->compiler)) ||
	                        ((strcmp(n->outer, "std") == 0 || strcmp(n->outer, "__gnu_cxx") == 0) &&
	                         strstr(path, "/c++/") != NULL));
}

/* The namespaces of numbers that the toolkit has, and others bring along in another version of theirs. */
static bool is_of_numbers(const struct namespaces *n)
{
	return strcmp(n->outer, "thrust") == 0 || (strcmp(n->outer, "cuda") == 0 && strcmp(n->next, "std") == 0);
}

bool kt_lift_is_of_language(struct kt_lift *lift, CXCursor function)
{
	struct namespaces n;

	if (kt_lift_is_of_project(function))
		return false;
	n = namespaces_of(lift, function);
	if (is_of_numbers(&n))
		return true;
	if (n.outer[0] != '\0' && strcmp(n.outer, "std") != 0)
		return false;
	/* What the C library declares for the host alone can be called in no other meaning than the language's. */
	return is_of_tools(lift, function, &n) || (kt_clang.Cursor_isNull(kt_clang.getCursorDefinition(function)) != 0 &&
	                                       !kt_lift_is_for_device(lift, function));
}

/* Is it declared implicitly? clang puts OpenCL's functions where they are called, without a type. */
static bool is_implicit(struct kt_lift *lift, CXCursor function)
{
	bool in_macro = false;

	return lift->opencl && kt_lift_offset(lift, kt_clang.getRangeStart(kt_clang.getCursorExtent(function)), &in_macro) ==
	                           kt_lift_offset(lift, kt_clang.getCursorLocation(function), &in_macro);
}

const char *kt_lift_known(struct kt_lift *lift, CXCursor function)
{
	const char *name;

	if (kt_clang.Cursor_isNull(function) != 0)
		return "";
	name = kt_lift_text(lift, kt_clang.getCursorSpelling(function));
	/* The compiler's own functions are declared nowhere; the project cannot declare one of that name. */
	if (strncmp(name, "__builtin_", strlen("__builtin_")) == 0 || is_implicit(lift, function))
		return name;
	if (lift->opencl)
		return kt_lift_is_of_project(function) ? "" : name;
	return kt_lift_is_of_language(lift, function) ? name : "";
}

bool kt_lift_is_class_to_read(struct kt_lift *lift, CXCursor class)
{
	struct namespaces n;

	if (kt_lift_is_of_project(class))
		return true;
	n = namespaces_of(lift, class);
	return !is_of_numbers(&n) && !is_of_tools(lift, class, &n);
}

enum { TYPE_DEPTH = 8 };

/* Pointers and references lead to their targets. What a function that they lead to does is not known. */
static bool has_class_to_read(struct kt_lift *lift, CXType type, size_t depth)
{
	CXCursor class;

	type = kt_lift_behind(type);
	if (type.kind == CXType_FunctionProto || type.kind == CXType_MemberPointer)
		return true;
	if (type.kind != CXType_Record)
		return false;
	class = kt_clang.getTypeDeclaration(type);
	if (depth == TYPE_DEPTH || kt_lift_is_class_to_read(lift, class))
		return true;
	for (int i = 0; i < kt_clang.Type_getNumTemplateArguments(type); i++)
		if (has_class_to_read(lift, kt_clang.Type_getTemplateArgumentAsType(type, (unsigned)i), depth + 1))
			return true;
	return false;
}

bool kt_lift_has_class_to_read(struct kt_lift *lift, CXType type)
{
	return has_class_to_read(lift, type, 0);
}

bool kt_lift_takes_class_to_read(struct kt_lift *lift, CXCursor function)
{
	const CXCursor parent = kt_clang.getCursorSemanticParent(function);

	for (int i = 0; i < kt_clang.Cursor_getNumArguments(function); i++)
		if (kt_lift_has_class_to_read(lift,
		                              kt_clang.getCursorType(kt_clang.Cursor_getArgument(function, (unsigned)i))))
			return true;
	for (int i = 0; i < kt_clang.Cursor_getNumTemplateArguments(function); i++)
		if (kt_lift_has_class_to_read(lift, kt_clang.Cursor_getTemplateArgumentType(function, (unsigned)i)))
			return true;
	return kt_clang.isDeclaration(kt_clang.getCursorKind(parent)) != 0 &&
	       kt_lift_has_class_to_read(lift, kt_clang.getCursorType(parent));
}

bool kt_lift_is_for_device(struct kt_lift *lift, CXCursor function)
{
	const struct kt_lift_cursors parts = kt_lift_cursors_of(lift, function);

	for (size_t i = 0; i < parts.count; i++)
		if (kt_clang.getCursorKind(parts.cursors[i]) == CXCursor_CUDADeviceAttr)
			return true;
	return false;
}
