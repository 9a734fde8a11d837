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

static void decline(struct kt_scan *scan, struct kt_found *found, uint32_t at, const char *message)
{
	uint32_t line = 0, column = 0;
	if (at != UINT32_MAX)
		kt_scan_position(scan, at, &line, &column);
	kt_found_decline(scan, found, "scan-failed", "line %u: %s", line, message);
}

/*
 * Errors elsewhere are normal: other compilers' headers, host code. One in the
 * kernel's text means that its tree is not what the compiler sees; a fatal one
 * hides all that would follow.
 */
void kt_scan_judge(struct kt_scan *scan, struct kt_found *found)
{
	unsigned count = kt_clang.getNumDiagnostics(scan->unit);
	for (unsigned i = 0; i < count; i++) {
		CXDiagnostic diagnostic = kt_clang.getDiagnostic(scan->unit, i);
		enum CXDiagnosticSeverity severity = kt_clang.getDiagnosticSeverity(diagnostic);
		size_t file = 0;
		uint32_t at = kt_scan_offset(scan, kt_clang.getDiagnosticLocation(diagnostic), &file);
		if (severity == CXDiagnostic_Fatal ||
		    (severity == CXDiagnostic_Error && file == 0 && inside(&found->region, at)))
			decline(scan, found, file == 0 ? at : UINT32_MAX,
			        kt_clang_text(scan->arena, kt_clang.getDiagnosticSpelling(diagnostic)));
		kt_clang.disposeDiagnostic(diagnostic);
	}
}
