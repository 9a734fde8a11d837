#include "graph.h"

#include <string.h>

#define ABSENT_MOST ((size_t)1 << 14)

static size_t find_node(const struct kt_graph *g, CXFile file)
{
	for (size_t i = 0; i < g->node_count; i++)
		if (g->nodes[i].file == file)
			return i;
	for (size_t i = 0; i < g->node_count; i++)
		if (kt_clang.File_isEqual(g->nodes[i].file, file) != 0)
			return i;
	return SIZE_MAX;
}

static void add_entry(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
	struct kt_graph *g = data;
	struct kt_scan *scan = g->scan;
	size_t known = find_node(g, file);
	if (known != SIZE_MAX) {
		g->nodes[known].entries++;
		return;
	}
	struct kt_node node = {.file = file, .entries = 1, .includer = SIZE_MAX};
	CXFile from = NULL;
	unsigned offset = 0;
	if (depth > 0)
		kt_clang.getFileLocation(stack[0], &from, NULL, NULL, &offset);
	if (from != NULL)
		node.includer = find_node(g, from);
	node.at = offset;
	node.path = kt_clang_text(scan->arena, kt_clang.getFileName(file));
	node.data = kt_clang.getFileContents(scan->unit, file, &node.size);
	node.is_system =
	    depth > 0 && kt_clang.Location_isInSystemHeader(kt_clang.getLocationForOffset(scan->unit, file, 0)) != 0;
	if (node.data == NULL)
		node.data = "", node.size = 0;
	struct kt_node *slot = kt_arena_push(scan->arena, &g->nodes, &g->node_count, sizeof *slot);
	if (slot == NULL || node.path == NULL)
		scan->failed = true;
	else
		*slot = node;
}

kt_status kt_graph_open(struct kt_graph *g, struct kt_scan *scan, struct kt_error *err)
{
	*g = (struct kt_graph){.scan = scan};
	kt_clang.getInclusions(scan->unit, add_entry, g);
	return scan->failed || g->node_count == 0 ? kt_fail(err, KT_ERR_MEMORY, "out of memory reading the include graph")
	                                          : KT_OK;
}

static enum CXChildVisitResult add_edge(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct kt_graph *g = data;
	CXFile from = NULL;
	unsigned offset = 0;
	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_InclusionDirective)
		return CXChildVisit_Continue;
	CXFile to = kt_clang.getIncludedFile(cursor);
	kt_clang.getFileLocation(kt_clang.getCursorLocation(cursor), &from, NULL, NULL, &offset);
	if (to == NULL || from == NULL)
		return CXChildVisit_Continue;
	struct kt_edge edge = {find_node(g, from), find_node(g, to), offset};
	if (edge.from == SIZE_MAX || edge.to == SIZE_MAX)
		return CXChildVisit_Continue;
	struct kt_edge *slot = kt_arena_push(g->scan->arena, &g->edges, &g->edge_count, sizeof *slot);
	if (slot == NULL) {
		g->scan->failed = true;
		return CXChildVisit_Break;
	}
	*slot = edge;
	return CXChildVisit_Continue;
}

kt_status kt_graph_edges(struct kt_graph *g, struct kt_error *err)
{
	kt_clang.visitChildren(kt_clang.getTranslationUnitCursor(g->scan->unit), add_edge, g);
	return g->scan->failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory reading the include graph") : KT_OK;
}

bool kt_graph_read(struct kt_graph *g, size_t n)
{
	struct kt_node *node = &g->nodes[n];
	struct kt_error err;
	if (node->is_read)
		return true;
	node->is_read = kt_lex(&node->text, g->scan->arena, node->data, 0, node->size, true, &err) == KT_OK &&
	                kt_includes_read(&node->directives, &node->directive_count, g->scan->arena, &node->text);
	g->scan->failed = g->scan->failed || !node->is_read;
	return node->is_read;
}

/* The directive of a read node at an offset, or NULL. */
static const struct kt_directive *directive_at(const struct kt_node *node, uint32_t at)
{
	for (size_t i = 0; i < node->directive_count; i++)
		if (node->directives[i].begin <= at && at < node->directives[i].end)
			return &node->directives[i];
	return NULL;
}

/* Why a file cannot be put in; NULL: it can. */
static const char *obstacle(struct kt_graph *g, size_t n)
{
	const struct kt_node *node = &g->nodes[n];
	if (n == 0)
		return NULL;
	if (node->includer == SIZE_MAX)
		return "header-from-command-line";
	if (node->entries > 1)
		return "header-read-twice";
	for (size_t i = 0; i < node->directive_count; i++)
		if (node->directives[i].next)
			return "include-next";
	return NULL;
}

/* Why a directive cannot be pointed at a copy; NULL: it can. */
static const char *obstacle_at(const struct kt_graph *g, const struct kt_edge *edge)
{
	const struct kt_directive *d = directive_at(&g->nodes[edge->from], edge->at);
	if (d == NULL || d->computed)
		return "computed-include";
	return d->next ? "include-next" : NULL;
}

const char *kt_graph_add(struct kt_graph *g, size_t n)
{
	bool *in = kt_arena_array(g->scan->arena, g->node_count, sizeof *in);
	const char *reason = NULL;
	bool changed = true;
	if (in == NULL) {
		g->scan->failed = true;
		return "internal";
	}
	in[n] = true;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < g->edge_count; i++)
			if (in[g->edges[i].to] && !in[g->edges[i].from])
				in[g->edges[i].from] = changed = true;
	}
	for (size_t i = 0; i < g->node_count && reason == NULL; i++)
		if (in[i])
			reason = kt_graph_read(g, i) ? obstacle(g, i) : "internal";
	for (size_t i = 1; i < g->node_count && reason == NULL; i++)
		if (in[i] && !in[g->nodes[i].includer])
			reason = "computed-include";
	for (size_t i = 0; i < g->edge_count && reason == NULL; i++)
		if (in[g->edges[i].to])
			reason = obstacle_at(g, &g->edges[i]);
	for (size_t i = 0; i < g->node_count && reason == NULL; i++)
		g->nodes[i].member = g->nodes[i].member || in[i];
	return reason;
}

static struct kt_identity identity_of(struct kt_graph *g, size_t n)
{
	if (!g->nodes[n].identity.exists)
		g->nodes[n].identity = kt_includes_identity(g->scan, g->nodes[n].path);
	return g->nodes[n].identity;
}

size_t kt_graph_target(struct kt_graph *g, size_t from, const struct kt_directive *d)
{
	for (size_t i = 0; i < g->edge_count; i++)
		if (g->edges[i].from == from && d->begin <= g->edges[i].at && g->edges[i].at < d->end)
			return g->edges[i].to;
	/* Inactive here; another pass of the compiler may read it. */
	const char *path = kt_includes_find(g->scan, d, kt_includes_folder(g->scan->arena, g->nodes[from].spelled), NULL);
	struct kt_identity found = {.exists = false};
	if (path != NULL)
		found = kt_includes_identity(g->scan, path);
	for (size_t n = 0; found.exists && n < g->node_count; n++)
		if (g->nodes[n].member && kt_identity_equal(identity_of(g, n), found))
			return n;
	return SIZE_MAX;
}

/* Members' paths as the compiler spells them; an includer is read before what it includes. */
static void spell(struct kt_graph *g)
{
	struct kt_arena *arena = g->scan->arena;
	g->nodes[0].spelled = g->scan->options.file;
	for (size_t n = 1; n < g->node_count; n++) {
		struct kt_node *node = &g->nodes[n];
		if (!node->member)
			continue;
		const struct kt_node *from = &g->nodes[node->includer];
		const struct kt_directive *d = directive_at(from, node->at);
		struct kt_identity identity = identity_of(g, n);
		const char *found =
		    d != NULL ? kt_includes_find(g->scan, d, kt_includes_folder(arena, from->spelled), &identity) : NULL;
		node->spelled = found != NULL ? found : node->path;
	}
}

static void note_absent(struct kt_scan *scan, const char *path)
{
	for (size_t i = 0; i < scan->absent_count; i++)
		if (strcmp(scan->absent[i], path) == 0)
			return;
	if (scan->absent_count >= ABSENT_MOST)
		return;
	if (!kt_arena_push_text(scan->arena, &scan->absent, &scan->absent_count, path))
		scan->failed = true;
}

enum verdict { SAME, HELPED, CHANGED };

/* What a folder of system headers leads to: without the quoted folders, and as a system header. */
static enum verdict judge_system(struct kt_graph *g, size_t target, const struct kt_directive *d, struct kt_identity meant)
{
	struct kt_directive angled = *d;
	const char *path;

	if (target != SIZE_MAX)
		return kt_graph_add(g, target) == NULL ? HELPED : CHANGED;
	/* Only another pass of the compiler reads it. */
	angled.quoted = false;
	path = kt_includes_find(g->scan, &angled, "", NULL);
	return path == NULL || kt_identity_equal(kt_includes_identity(g->scan, path), meant) ? SAME : CHANGED;
}

/*
 * Would the quoted include of this node still lead where it leads? A copy of a
 * member has no separate folder: what is there is one of `folders`.
 */
static enum verdict judge(struct kt_graph *g, size_t n, const struct kt_directive *d, const char *const *folders,
                          size_t count)
{
	struct kt_scan *scan = g->scan;
	struct kt_node *node = &g->nodes[n];
	const char *own = kt_includes_folder(scan->arena, node->member ? node->spelled : node->path);
	const char *path = kt_includes_join(scan->arena, own, d->name);
	struct kt_identity meant = {.exists = false}, found = {.exists = false};
	size_t target = SIZE_MAX;
	if (path != NULL)
		meant = kt_includes_identity(scan, path);
	if (meant.exists && !node->member)
		return SAME;
	for (size_t i = 0; i < g->edge_count; i++)
		if (g->edges[i].from == n && d->begin <= g->edges[i].at && g->edges[i].at < d->end)
			target = g->edges[i].to;
	if (target != SIZE_MAX && g->nodes[target].member)
		return SAME;
	/* What the toolkit and other compilers' headers do not read here they read nowhere. */
	if (target == SIZE_MAX && node->is_system)
		return SAME;
	bool is_system = false;
	for (size_t i = 0; i < count && !found.exists; i++) {
		is_system = kt_includes_is_system(scan, folders[i]);
		NEED(path = kt_includes_join(scan->arena, folders[i], d->name), CHANGED);
		found = kt_includes_identity(scan, path);
		if (!found.exists)
			note_absent(scan, path);
	}
	if (is_system && !node->is_system && kt_identity_equal(found, meant))
		return judge_system(g, target, d, meant);
	if (!found.exists || kt_identity_equal(found, meant) ||
	    (target != SIZE_MAX && kt_identity_equal(found, identity_of(g, target))))
		return SAME;
	return target != SIZE_MAX && kt_graph_add(g, target) == NULL ? HELPED : CHANGED;
}

/* A member's directives are known for sure; of other files, too many do no harm. */
static bool find_directives(struct kt_directive **out, size_t *count, struct kt_graph *g, size_t n)
{
	struct kt_node *node = &g->nodes[n];
	if (node->is_read) {
		*out = node->directives;
		*count = node->directive_count;
		return true;
	}
	if (kt_includes_search(out, count, g->scan->arena, node->data, node->size))
		return true;
	g->scan->failed = true;
	return false;
}

/* One round; false when nothing had to be helped, *possible false when something could not be. */
static bool settle_once(struct kt_graph *g, bool *possible)
{
	struct kt_scan *scan = g->scan;
	struct kt_flat members = {.files = kt_arena_array(scan->arena, g->node_count, sizeof *members.files)};
	const char **folders = NULL;
	size_t count = 0;
	spell(g);
	for (size_t n = 0; members.files != NULL && n < g->node_count; n++)
		if (g->nodes[n].member)
			members.files[members.file_count++].path = g->nodes[n].spelled;
	if (members.files == NULL || !kt_flat_folders(&folders, &count, scan->arena, &members)) {
		scan->failed = true;
		return false;
	}
	scan->absent_count = 0;
	for (size_t n = 0; n < g->node_count; n++) {
		struct kt_directive *directives = NULL;
		size_t directive_count = 0;
		if (!find_directives(&directives, &directive_count, g, n))
			return false;
		for (size_t i = 0; i < directive_count; i++) {
			const struct kt_directive *d = &directives[i];
			if (!d->quoted || d->name[0] == '/')
				continue;
			enum verdict verdict = judge(g, n, d, folders, count);
			if (verdict == HELPED)
				return true;
			*possible = *possible && verdict == SAME;
		}
	}
	return false;
}

bool kt_graph_settle(struct kt_graph *g)
{
	bool possible = true;
	while (possible && settle_once(g, &possible))
		;
	return possible;
}
