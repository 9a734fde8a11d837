#include <string.h>

#include "unit.h"

static bool inside(const struct kt_region *r, uint32_t at)
{
	if (r->extent.begin <= at && at < r->extent.end)
		return true;
	for (size_t i = 0; i < r->step_count; i++)
		if (r->steps[i].extent.begin <= at && at < r->steps[i].extent.end)
			return true;
	for (size_t i = 0; i < r->callee_count; i++)
		if (r->callees[i].extent.begin <= at && at < r->callees[i].extent.end)
			return true;
	return false;
}

/* "FILE:LINE: TEXT" of a diagnostic; lines of the main file count as they lie on disk. */
static const char *told(struct kt_scan *scan, CXDiagnostic diagnostic, uint32_t at, bool here)
{
	const char *text = kt_clang_text(scan->arena, kt_clang.getDiagnosticSpelling(diagnostic));
	const char *path;
	uint32_t line = 0, column = 0;
	CXFile file = NULL;
	unsigned clang_line = 0;

	if (here) {
		kt_scan_position(scan, at, &line, &column);
		return kt_arena_printf(scan->arena, "line %u: %s", line, text);
	}
	kt_clang.getFileLocation(kt_clang.getDiagnosticLocation(diagnostic), &file, &clang_line, NULL, NULL);
	path = file != NULL ? kt_clang_text(scan->arena, kt_clang.getFileName(file)) : NULL;
	return path != NULL ? kt_arena_printf(scan->arena, "%s:%u: %s", path, clang_line, text) : text;
}

const char *kt_scan_fatal(struct kt_scan *scan)
{
	const unsigned count = kt_clang.getNumDiagnostics(scan->unit);
	const char *text = NULL;

	for (unsigned i = 0; i < count && text == NULL; i++) {
		CXDiagnostic diagnostic = kt_clang.getDiagnostic(scan->unit, i);
		size_t file = 0;
		uint32_t at = kt_scan_offset(scan, kt_clang.getDiagnosticLocation(diagnostic), &file);

		if (kt_clang.getDiagnosticSeverity(diagnostic) == CXDiagnostic_Fatal)
			text = told(scan, diagnostic, at, file == 0 && at != UINT32_MAX);
		kt_clang.disposeDiagnostic(diagnostic);
	}
	return text;
}

void kt_scan_judge_fatal(struct kt_scan *scan, struct kt_found *found)
{
	const char *fatal = kt_scan_fatal(scan);

	if (fatal != NULL)
		kt_found_decline(scan, found, "scan-failed", "%s", fatal);
}

/*
 * Errors elsewhere are normal: other compilers' headers, host code. One in the
 * kernel's text means that its tree is not what the compiler sees.
 */
void kt_scan_judge(struct kt_scan *scan, struct kt_found *found)
{
	const unsigned count = kt_clang.getNumDiagnostics(scan->unit);

	for (unsigned i = 0; i < count; i++) {
		CXDiagnostic diagnostic = kt_clang.getDiagnostic(scan->unit, i);
		size_t file = 0;
		uint32_t at = kt_scan_offset(scan, kt_clang.getDiagnosticLocation(diagnostic), &file);

		if (kt_clang.getDiagnosticSeverity(diagnostic) == CXDiagnostic_Error && file == 0 &&
		    inside(&found->region, at))
			kt_found_decline(scan, found, "scan-failed", "%s", told(scan, diagnostic, at, true));
		kt_clang.disposeDiagnostic(diagnostic);
	}
}
