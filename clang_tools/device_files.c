/* Which files of the project device code needs, and which headers of others. */
#include "device.h"

#include <string.h>

bool kt_device_keeps_include(const char *name)
{
	static const char *const names[] = {
		"cuda_fp",  "cuda_bf16",          "cooperative_groups",    "cuda/",          "mma.h",       "cuda_runtime.h",
		"cuda.h",   "device_launch_",     "vector_",               "math_",          "device_",     "sm_",
		"builtin_types.h", "cuda_runtime_api.h", "driver_types.h", "nv/target", "cuda_device_runtime_api.h",
	};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	/* <vector>: what device code may use of it is there without it (nvrtc/headers.c). */
	return name[0] != '\0' && strpbrk(name, "./") == NULL;
}

/*
 * Headers of the C++ library that NVRTC reads as headers of CCCL, which define separate fixed-width integers. They are included
 * where something is used that they declare, in these files. Each includes type traits as well.
 */
static const struct {
	const char *name, *files[6];
} declaring[] = {
	{"array", {"/array", "/type_traits"}},
	{"functional", {"/functional", "/bits/stl_function.h", "/bits/std_function.h", "/bits/invoke.h", "/bits/refwrap.h",
	                "/type_traits"}},
	{"limits", {"/limits"}},
	{"tuple", {"/tuple", "/type_traits"}},
	{"type_traits", {"/type_traits"}},
	{"utility", {"/utility", "/bits/move.h", "/bits/stl_pair.h", "/bits/utility.h", "/type_traits"}},
};

static bool ends_with(const char *path, const char *end)
{
	size_t size = strlen(path), length = strlen(end);
	return size >= length && strcmp(path + size - length, end) == 0;
}

bool kt_device_needs_include(const struct kt_device *d, const char *name, size_t node)
{
	for (size_t i = 0; i < sizeof declaring / sizeof declaring[0]; i++) {
		if (strcmp(declaring[i].name, name) != 0)
			continue;
		for (size_t n = 0; n < d->foreign_count; n++)
			for (size_t k = 0; k < sizeof declaring[i].files / sizeof *declaring[i].files; k++)
				if (declaring[i].files[k] != NULL && ends_with(d->foreign[n].path, declaring[i].files[k]))
					return true;
		return false;
	}
	return node == SIZE_MAX || d->used[node] || kt_device_keeps_include(name);
}

static size_t file_of_node(const struct kt_device *d, size_t node)
{
	for (size_t f = 0; f < d->scan->file_count; f++)
		if (d->files[f].node == node)
			return f;
	return SIZE_MAX;
}

/* ---- References */

static void add_foreign(struct kt_device *d, CXFile file)
{
	for (size_t i = 0; i < d->foreign_count; i++)
		if (d->foreign[i].file == file)
			return;
	struct kt_device_foreign *slot =
	    kt_arena_push(d->scan->arena, &d->foreign, &d->foreign_count, sizeof *slot);
	char *path = kt_clang_text(d->scan->arena, kt_clang.getFileName(file));
	if (slot == NULL || path == NULL)
		d->scan->failed = true;
	if (slot != NULL)
		*slot = (struct kt_device_foreign){file, path != NULL ? path : ""};
}

static void mark_location(struct kt_device *d, CXCursor target)
{
	CXFile file = NULL;
	if (kt_clang.Cursor_isNull(target) != 0)
		return;
	CXSourceLocation location = kt_clang.getCursorLocation(target);
	kt_clang.getFileLocation(location, &file, NULL, NULL, NULL);
	if (file == NULL || kt_clang.Location_isInSystemHeader(location) == 0)
		return;
	add_foreign(d, file);
	for (size_t n = 0; n < d->graph.node_count; n++)
		if (d->graph.nodes[n].is_system && kt_clang.File_isEqual(d->graph.nodes[n].file, file) != 0) {
			d->used[n] = true;
			return;
		}
}

struct reference {
	struct kt_device *device;
	size_t item;
};

static bool is_cut(const struct reference *r, CXCursor cursor)
{
	size_t file = 0;
	uint32_t at = kt_scan_offset(r->device->scan, kt_clang.getRangeStart(kt_clang.getCursorExtent(cursor)), &file);
	for (size_t c = 0; c < r->device->cut_counts[r->item]; c++)
		if (r->device->cuts[r->item][c].range.begin <= at && at < r->device->cuts[r->item][c].range.end)
			return true;
	return false;
}

static enum CXChildVisitResult visit_reference(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const struct reference *r = data;
	(void)parent;
	if (is_cut(r, cursor))
		return CXChildVisit_Continue;
	/* Operators of all types are candidates; those of a type come with the type's header. */
	char *name = kt_clang_text(r->device->scan->arena, kt_clang.getCursorSpelling(cursor));
	if (name != NULL && strncmp(name, "operator", 8) == 0)
		return CXChildVisit_Recurse;
	if (kt_clang.getCursorKind(cursor) == CXCursor_OverloadedDeclRef)
		for (unsigned i = 0; i < kt_clang.getNumOverloadedDecls(cursor); i++)
			mark_location(r->device, kt_clang.getOverloadedDecl(cursor, i));
	else
		mark_location(r->device, kt_clang.getCursorReferenced(cursor));
	return CXChildVisit_Recurse;
}

void kt_device_mark_used(struct kt_device *d)
{
	for (; d->seen < d->walk.order_count; d->seen++) {
		struct reference r = {d, d->walk.order[d->seen]};
		kt_clang.visitChildren(d->scan->items[r.item].cursor, visit_reference, &r);
	}
}

/* The header of the system that the project includes and by which the node was read first; SIZE_MAX: none. */
static size_t outermost(const struct kt_graph *g, size_t node)
{
	while (node != SIZE_MAX && g->nodes[node].includer != SIZE_MAX && g->nodes[g->nodes[node].includer].is_system)
		node = g->nodes[node].includer;
	return node;
}

/* ---- Files */

static bool keep(struct kt_device *d, size_t file)
{
	if (file == SIZE_MAX || d->files[file].is_kept)
		return false;
	d->files[file].is_kept = true;
	/* What its conditions ask decides what its text is. */
	const struct kt_text *text = file == 0 ? d->scan->text : kt_scan_text(d->scan, file);
	for (size_t i = 0; text != NULL && i < text->count; i++) {
		uint32_t rest = 0;
		if (text->tokens[i].kind != KT_TOKEN_DIRECTIVE)
			continue;
		const char *word = kt_directive_word(d->scan->arena, text, &text->tokens[i], &rest);
		if (word != NULL && (strncmp(word, "if", 2) == 0 || strncmp(word, "elif", 4) == 0))
			kt_walk_range(&d->walk, file, text->tokens[i].begin, text->tokens[i].end);
	}
	return true;
}

static bool keep_declaring(struct kt_device *d)
{
	bool changed = false;
	for (size_t i = 0; i < d->walk.order_count; i++)
		changed = keep(d, d->scan->items[d->walk.order[i]].file) || changed;
	for (size_t i = 0; i < d->walk.macro_order_count; i++)
		changed = keep(d, d->scan->macros[d->walk.macro_order[i]].file) || changed;
	for (size_t i = 0; i < d->scan->undef_count; i++)
		changed = (d->walk.undefs[i] && keep(d, d->scan->undefs[i].file)) || changed;
	return changed;
}

/* Those that include what is kept. */
static bool keep_including(struct kt_device *d)
{
	bool changed = false;
	for (size_t i = 0; i < d->graph.edge_count; i++) {
		const struct kt_edge *edge = &d->graph.edges[i];
		size_t to = file_of_node(d, edge->to);
		bool wanted = to != SIZE_MAX ? d->files[to].is_kept : d->used[edge->to];
		if (wanted && !d->graph.nodes[edge->from].is_system)
			changed = keep(d, file_of_node(d, edge->from)) || changed;
	}
	for (size_t f = 0; f < d->scan->file_count; f++)
		for (size_t i = 0; i < d->files[f].directive_count && !d->files[f].is_kept; i++)
			if (kt_device_keeps_include(d->files[f].directives[i].name))
				changed = keep(d, f) || changed;
	return changed;
}

/* An include between the braces of what is kept belongs to it as it is. */
static bool keep_inside(struct kt_device *d)
{
	bool changed = false;
	for (size_t i = 0; i < d->graph.edge_count; i++) {
		const struct kt_edge *edge = &d->graph.edges[i];
		size_t from = file_of_node(d, edge->from), to = file_of_node(d, edge->to);
		if (from == SIZE_MAX || to == SIZE_MAX || d->files[to].is_whole)
			continue;
		const struct kt_chunks *chunks = &d->files[from].chunks;
		bool inside = d->files[from].is_whole;
		for (size_t c = 0; c < chunks->count; c++)
			inside = inside || (chunks->list[c].keep && chunks->list[c].range.begin <= edge->at &&
			                    edge->at < chunks->list[c].range.end);
		if (!inside)
			continue;
		d->files[to].is_whole = changed = true;
		(void)keep(d, to);
		kt_walk_range(&d->walk, to, 0, UINT32_MAX);
	}
	return changed;
}

/* What cannot be left out of a file that is kept pulls in what it names. */
static bool keep_chunks(struct kt_device *d)
{
	bool changed = false;
	for (size_t f = 0; f < d->scan->file_count; f++) {
		struct kt_device_file *file = &d->files[f];
		for (size_t c = 0; file->is_kept && c < file->chunks.count; c++) {
			struct kt_chunk *chunk = &file->chunks.list[c];
			bool walked = false;
			for (size_t i = chunk->first; i <= chunk->last; i++)
				walked = walked || d->walk.items[file->chunks.items[i]];
			chunk->keep = chunk->keep || walked;
			if (!chunk->keep || file->is_read[c])
				continue;
			file->is_read[c] = changed = true;
			if (!walked)
				kt_walk_range(&d->walk, f, chunk->range.begin, chunk->range.end);
		}
	}
	return changed;
}

/* Of the system's headers, what the command line reads first and what includes that are kept lead to. */
static void find_given(struct kt_device *d)
{
	const struct kt_graph *g = &d->graph;
	bool changed = true;
	for (size_t n = 0; n < g->node_count; n++) {
		size_t root = outermost(g, n);
		d->given[n] = g->nodes[n].is_system && root != SIZE_MAX && g->nodes[root].includer == SIZE_MAX;
	}
	for (size_t i = 0; i < g->edge_count; i++) {
		size_t from = file_of_node(d, g->edges[i].from);
		for (size_t k = 0; from != SIZE_MAX && k < d->files[from].directive_count; k++) {
			const struct kt_directive *directive = &d->files[from].directives[k];
			if (directive->begin <= g->edges[i].at && g->edges[i].at < directive->end &&
			    g->nodes[g->edges[i].to].is_system && kt_device_keeps_include(directive->name))
				d->given[g->edges[i].to] = true;
		}
	}
	while (changed) {
		changed = false;
		for (size_t i = 0; i < g->edge_count; i++)
			if (d->given[g->edges[i].from] && !d->given[g->edges[i].to])
				d->given[g->edges[i].to] = changed = true;
	}
}

void kt_device_files(struct kt_device *d)
{
	bool changed = true;
	find_given(d);
	(void)keep(d, 0);
	while (changed && !d->scan->failed) {
		kt_walk_finish(&d->walk);
		kt_device_mark_used(d);
		for (size_t n = 0; n < d->graph.node_count; n++) {
			size_t root = d->used[n] && !d->given[n] ? outermost(&d->graph, n) : SIZE_MAX;
			if (root != SIZE_MAX)
				d->used[root] = true;
		}
		changed = keep_declaring(d);
		changed = keep_including(d) || changed;
		changed = keep_chunks(d) || changed;
		changed = keep_inside(d) || changed;
	}
}
