/* The kernel that a pragma names: kernel(ns::name). */
#include "pragma_kernel.h"

#include <string.h>

#include "base/nearest.h"

static const char *qualified(struct kt_scan *scan, const struct kt_item *item)
{
	return kt_arena_printf(scan->arena, "%s%s", item->scope, item->name);
}

/* Without its inline namespaces, which a name need not have. */
static const char *shortened(struct kt_scan *scan, const struct kt_item *item)
{
	const char *name = item->name;
	CXCursor around = kt_clang.getCursorSemanticParent(item->cursor);
	for (; name != NULL && kt_clang.getCursorKind(around) == CXCursor_Namespace;
	     around = kt_clang.getCursorSemanticParent(around)) {
		const char *scope = kt_clang.Cursor_isInlineNamespace(around) != 0
					? "" : kt_clang_text(scan->arena, kt_clang.getCursorSpelling(around));
		if (scope == NULL || scope[0] != '\0')
			name = scope != NULL ? kt_arena_printf(scan->arena, "%s::%s", scope, name) : NULL;
	}
	scan->failed = scan->failed || name == NULL;
	return name != NULL ? name : "";
}

/* The kernels of the unit's text by their whole names, each declaration one. */
static size_t list_kernels(const char ***names, size_t **items, struct kt_scan *scan)
{
	size_t count = 0, item_count = 0;
	for (size_t i = 0; i < scan->item_count; i++) {
		const struct kt_item *item = &scan->items[i];
		if (!item->is_global || !item->is_function)
			continue;
		const char **name = kt_arena_push(scan->arena, names, &count, sizeof *name);
		size_t *place = kt_arena_push(scan->arena, items, &item_count, sizeof *place);
		if (name == NULL || place == NULL || (*name = qualified(scan, item)) == NULL) {
			scan->failed = true;
			return 0;
		}
		*place = i;
	}
	return count;
}

static void diagnose(struct kt_scan *scan, const struct kt_pragma *pragma, uint32_t text_at, const char *message,
                     const char *hint)
{
	kt_scan_diagnose(scan, 0, KT_ERROR, text_at + pragma->kernel_offset, (uint32_t)strlen(pragma->kernel), message, hint);
}

static void diagnose_unknown(struct kt_scan *scan, const struct kt_pragma *pragma, uint32_t text_at, const char **names,
                             size_t count)
{
	const char *near = kt_nearest(pragma->kernel, names, count);
	const char *hint = near != NULL ? kt_arena_printf(scan->arena, "did you mean '%s'?", near)
	                                : "include the header that declares it, and write its namespaces: kernel(ns::name)";
	diagnose(scan, pragma, text_at, kt_arena_printf(scan->arena, "no kernel '%s' in this source", pragma->kernel), hint);
}

static bool is_other(const struct kt_scan *scan, size_t a, size_t b)
{
	return kt_clang.equalCursors(kt_clang.getCanonicalCursor(scan->items[a].cursor),
	                             kt_clang.getCanonicalCursor(scan->items[b].cursor)) == 0;
}

size_t kt_pragma_kernel(struct kt_scan *scan, const struct kt_pragma *pragma, uint32_t text_at)
{
	const char **names = NULL;
	size_t *items = NULL, found = KT_NO_ITEM;
	const size_t count = list_kernels(&names, &items, scan);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], pragma->kernel) != 0 &&
		    strcmp(shortened(scan, &scan->items[items[i]]), pragma->kernel) != 0)
			continue;
		if (found != KT_NO_ITEM && is_other(scan, found, items[i])) {
			diagnose(scan, pragma, text_at,
			         kt_arena_printf(scan->arena, "several kernels are called '%s'", pragma->kernel),
			         "write the pragma above the one that is meant");
			return KT_NO_ITEM;
		}
		/* A definition elsewhere than in the text, whose header could not be put in, is no help. */
		if (found == KT_NO_ITEM || scan->items[found].file != 0)
			found = items[i];
	}
	if (found == KT_NO_ITEM)
		diagnose_unknown(scan, pragma, text_at, names, count);
	return found;
}
