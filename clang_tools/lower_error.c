#include "lower_internal.h"

/* An error that libclang reports: its place and its text. */
struct kt_lower_error {
	CXFile file;
	unsigned at;
	const char *text;
};

/*
 * Once per unit: libclang makes its list of diagnostics again each time that it is asked how many there are, and every
 * function of every instance asks.
 */
static bool read_errors(struct kt_lower *l)
{
	const unsigned count = kt_clang.getNumDiagnostics(l->unit);

	l->errors = kt_arena_array(l->arena, (size_t)count + 1, sizeof *l->errors);
	l->failed |= l->errors == NULL;
	for (unsigned i = 0; i < count && l->errors != NULL; i++) {
		CXDiagnostic d = kt_clang.getDiagnostic(l->unit, i);
		struct kt_lower_error error = {NULL, 0, NULL};

		kt_clang.getFileLocation(kt_clang.getDiagnosticLocation(d), &error.file, NULL, NULL, &error.at);
		if (kt_clang.getDiagnosticSeverity(d) >= CXDiagnostic_Error && error.file != NULL) {
			error.text = kt_lower_text(l, kt_clang.getDiagnosticSpelling(d));
			l->errors[l->error_count++] = error;
		}
		kt_clang.disposeDiagnostic(d);
	}
	return l->errors != NULL;
}

bool kt_lower_has_error(struct kt_lower *l, CXCursor function)
{
	const CXSourceRange extent = kt_clang.getCursorExtent(function);
	CXFile file = NULL;
	unsigned begin = 0, end = 0;

	kt_clang.getFileLocation(kt_clang.getRangeStart(extent), &file, NULL, NULL, &begin);
	kt_clang.getFileLocation(kt_clang.getRangeEnd(extent), NULL, NULL, NULL, &end);
	if (file == NULL || (l->errors == NULL && !read_errors(l)))
		return false;
	for (size_t i = 0; i < l->error_count; i++)
		if (l->errors[i].at >= begin && l->errors[i].at <= end &&
		    kt_clang.File_isEqual(file, l->errors[i].file) != 0) {
			kt_lower_cannot(l, "%s", l->errors[i].text);
			return true;
		}
	return false;
}
