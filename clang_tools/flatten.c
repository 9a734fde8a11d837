#include "flatten.h"

#include <string.h>

#include "graph.h"
#include "routes.h"

/* The name of the function that a pragma is above: the first one called or declared after it. */
static const char *kernel_behind(struct kt_scan *scan, const struct kt_text *text, size_t token)
{
	static const char *const others[] = {"__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__attribute__",
	                                     "__declspec__",      "alignas",          "decltype",    "__declspec"};
	for (size_t i = token + 1; i + 1 < text->count && !kt_token_is(text, i, "{"); i++) {
		uint32_t end = 0;
		bool other = false;
		if (kt_token_is(text, i, "template") && kt_token_is(text, i + 1, "<")) {
			i = kt_token_match_angle(text, i + 1, &end);
			continue;
		}
		if (text->tokens[i].kind != KT_TOKEN_NAME || !kt_token_is(text, i + 1, "("))
			continue;
		for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
			other = other || kt_token_is(text, i, others[k]);
		if (other)
			i = kt_token_match(text, i + 1);
		else
			return kt_arena_strndup(scan->arena, text->data + text->tokens[i].begin,
			                        text->tokens[i].end - text->tokens[i].begin);
	}
	return NULL;
}

/* The last part of what `kernel(ns::name)` of a pragma names; NULL: it has no such clause. */
static const char *kernel_named(struct kt_scan *scan, const struct kt_text *text, size_t pragma, uint32_t clauses)
{
	struct kt_text words;
	struct kt_error err;
	if (kt_lex(&words, scan->arena, text->data, clauses, text->tokens[pragma].end, false, &err) != KT_OK)
		return NULL;
	for (size_t i = 0; i + 2 < words.count; i++) {
		const size_t close = kt_token_is(&words, i, "kernel") && kt_token_is(&words, i + 1, "(")
		                         ? kt_token_match(&words, i + 1)
		                         : words.count;
		if (close < words.count && words.tokens[close - 1].kind == KT_TOKEN_NAME)
			return kt_arena_strndup(scan->arena, words.data + words.tokens[close - 1].begin,
			                        words.tokens[close - 1].end - words.tokens[close - 1].begin);
		if (kt_token_is(&words, i, "("))
			i = kt_token_match(&words, i);
	}
	return NULL;
}

/* The name at a token, where the kernel is launched: NAME<<<…>>>, NAME<…><<<…>>>. */
static bool is_launched(const struct kt_text *text, size_t i)
{
	uint32_t end = 0;
	const size_t close = kt_token_is(text, i + 1, "<") ? kt_token_match_angle(text, i + 1, &end) : i;

	return text->tokens[i].kind == KT_TOKEN_NAME && close < text->count && kt_token_is(text, close + 1, "<<<");
}

static bool add_name(struct kt_graph *g, const char *name)
{
	const char **slot =
	    name != NULL ? kt_arena_push(g->scan->arena, &g->kernels, &g->kernel_count, sizeof *slot) : NULL;
	if (slot != NULL)
		*slot = name;
	return slot != NULL;
}

/* Adds the kernels that the statement or block after a pragma launches; false: there are none. */
static bool add_launched(struct kt_graph *g, const struct kt_text *text, size_t pragma)
{
	const bool is_block = kt_token_is(text, pragma + 1, "{");
	const size_t last = is_block ? kt_token_match(text, pragma + 1) : text->count;
	bool found = false;

	for (size_t i = pragma + 1; i < last && (is_block || !(kt_token_is(text, i, ";") || kt_token_is(text, i, "{"))); i++)
		if (is_launched(text, i))
			found = add_name(g, kt_arena_strndup(g->scan->arena, text->data + text->tokens[i].begin,
			                                     text->tokens[i].end - text->tokens[i].begin)) || found;
	return found;
}

/* Marks what holds a pragma of ours; the kernels' names. */
static bool find_pragmas(struct kt_graph *g)
{
	bool found = false;
	for (size_t n = 0; n < g->node_count; n++) {
		struct kt_node *node = &g->nodes[n];
		uint32_t rest = 0;
		if (memmem(node->data, node->size, "ktune", 5) == NULL || !kt_graph_read(g, n))
			continue;
		for (size_t i = 0; i < node->text.count; i++) {
			if (!kt_scan_is_pragma(g->scan, &node->text, &node->text.tokens[i], &rest))
				continue;
			node->wanted = true;
			found = found || n != 0;
			const char *named = kernel_named(g->scan, &node->text, i, rest);
			const bool elsewhere = named != NULL ? add_name(g, named) : add_launched(g, &node->text, i);
			if (!elsewhere)
				(void)add_name(g, kernel_behind(g->scan, &node->text, i));
			g->names_kernels = g->names_kernels || elsewhere;
		}
	}
	return found;
}

/* Does the text declare a kernel whose name a pragma has? */
static bool declares(const struct kt_graph *g, const struct kt_text *text)
{
	for (size_t i = 0; i + 1 < text->count; i++)
		for (size_t k = 0; k < g->kernel_count; k++)
			if (kt_token_is(text, i, g->kernels[k]) && kt_token_is(text, i + 1, "("))
				return true;
	return false;
}

/* Marks what declares kernels that pragmas elsewhere name. */
static bool find_named(struct kt_graph *g)
{
	bool found = false;
	for (size_t n = 1; g->names_kernels && n < g->node_count; n++) {
		struct kt_node *node = &g->nodes[n];
		if (node->wanted || memmem(node->data, node->size, "__global__", 10) == NULL || !kt_graph_read(g, n))
			continue;
		node->wanted = declares(g, &node->text);
		found = found || node->wanted;
	}
	return found;
}

static bool launches(const struct kt_graph *g, const struct kt_node *node)
{
	for (size_t i = 0; i + 1 < node->text.count; i++)
		for (size_t k = 0; k < g->kernel_count; k++)
			if (kt_token_is(&node->text, i, g->kernels[k]) &&
			    (kt_token_is(&node->text, i + 1, "<<<") || kt_token_is(&node->text, i + 1, "<")))
				return true;
	return false;
}

/* Marks what launches one of the kernels. */
static bool find_launches(struct kt_graph *g)
{
	bool found = false;
	for (size_t n = 1; n < g->node_count; n++) {
		struct kt_node *node = &g->nodes[n];
		if (node->wanted || !kt_may_launch(node->data, node->size) || !kt_graph_read(g, n))
			continue;
		node->wanted = launches(g, node);
		found = found || node->wanted;
	}
	return found;
}

/* The functions that are given the kernels in a text: NAME of `NAME(…, k<T>, …)`, `NAME<…, k<T>, …>(…)`. */
static void find_receivers(struct kt_graph *g, const struct kt_text *text, const char *const *given, size_t count,
                           const char ***names, size_t *name_count)
{
	struct kt_name_index *index = kt_index_new(g->scan->arena, count);
	g->scan->failed = g->scan->failed || index == NULL;
	for (size_t k = 0; index != NULL && k < count; k++)
		(void)kt_index_add(index, given[k], strlen(given[k]), k);
	for (size_t i = 1; index != NULL && i < text->count; i++) {
		const struct kt_token *token = &text->tokens[i];
		size_t name = 0;
		if (token->kind != KT_TOKEN_NAME || kt_token_is(text, i + 1, "<<<") || kt_token_is(text, i + 1, "(") ||
		    kt_index_first(index, text->data + token->begin, token->end - token->begin) == 0)
			continue;
		if (kt_call_around(text, i, &name) >= text->count)
			name = kt_template_around(text, i, i + 1);
		if (name == 0 || kt_token_is(text, name, "__launch_bounds__"))
			continue;
		const char **slot = kt_arena_push(g->scan->arena, names, name_count, sizeof *slot);
		if (slot != NULL)
			*slot = kt_arena_strndup(g->scan->arena, text->data + text->tokens[name].begin,
						 text->tokens[name].end - text->tokens[name].begin);
		if (slot == NULL || *slot == NULL) {
			g->scan->failed = true;
			*name_count = 0;
			return;
		}
	}
}

/* Does the text define a function of the name that launches something, or give what it has to another function? */
static bool defines_launcher(const struct kt_text *text, const char *name)
{
	for (size_t i = 1; i + 1 < text->count; i++) {
		if (!kt_token_is(text, i, name) || !kt_token_is(text, i + 1, "("))
			continue;
		const size_t close = kt_token_match(text, i + 1);
		if (close >= text->count || !kt_token_is(text, close + 1, "{"))
			continue;
		for (size_t t = close + 2; t < kt_token_match(text, close + 1); t++)
			if (kt_token_is(text, t, "<<<") || kt_token_is(text, t, "cudaLaunchKernel") ||
			    kt_token_is(text, t, "cudaLaunchKernelEx") || kt_token_is(text, t, "cudaLaunchKernelExC"))
				return true;
	}
	return false;
}

/* Marks what defines a function that launches one of the kernels where a marked file gives it to that function. */
static bool find_wrappers(struct kt_graph *g)
{
	const char **names = NULL;
	size_t count = 0;
	bool found = false;
	for (size_t n = 0; n < g->node_count; n++)
		if ((n == 0 || g->nodes[n].wanted) && kt_graph_read(g, n))
			find_receivers(g, &g->nodes[n].text, g->kernels, g->kernel_count, &names, &count);
	for (size_t n = 1; n < g->node_count; n++)
		for (size_t i = 0; i < count && !g->nodes[n].wanted; i++) {
			struct kt_node *node = &g->nodes[n];
			if (memmem(node->data, node->size, names[i], strlen(names[i])) == NULL || !kt_graph_read(g, n))
				continue;
			node->wanted = defines_launcher(&node->text, names[i]);
			found = found || node->wanted;
		}
	return found;
}

static bool any_member(const struct kt_graph *g)
{
	for (size_t n = 1; n < g->node_count; n++)
		if (g->nodes[n].member)
			return true;
	return false;
}

static void leave_out(struct kt_graph *g, size_t n, const char *reason)
{
	struct kt_scan *scan = g->scan;
	struct kt_left_out *slot = kt_arena_push(scan->arena, &scan->left_out, &scan->left_out_count, sizeof *slot);
	if (slot == NULL)
		scan->failed = true;
	else
		*slot = (struct kt_left_out){g->nodes[n].path, reason};
}

/* Each wanted file comes in with all that lead to it, or stays out with the reason why one of them cannot. */
static void choose(struct kt_graph *g)
{
	for (size_t n = 1; n < g->node_count; n++) {
		const char *reason = g->nodes[n].wanted ? kt_graph_add(g, n) : NULL;
		if (reason != NULL)
			leave_out(g, n, reason);
	}
}

static void leave_all_out(struct kt_graph *g, const char *reason)
{
	for (size_t n = 1; n < g->node_count; n++) {
		if (g->nodes[n].wanted && g->nodes[n].member)
			leave_out(g, n, reason);
		g->nodes[n].member = false;
	}
}

static bool fill_file(struct kt_graph *g, size_t n, struct kt_flat_file *file)
{
	const struct kt_node *node = &g->nodes[n];
	*file = (struct kt_flat_file){.path = node->spelled, .is_system = node->is_system};
	for (size_t i = 0; i < node->directive_count; i++) {
		const struct kt_directive *d = &node->directives[i];
		size_t target = kt_graph_target(g, n, d);
		if (target == SIZE_MAX || !g->nodes[target].member)
			continue;
		const struct kt_node *to = &g->nodes[target];
		struct kt_flat_include *slot =
		    kt_arena_push(g->scan->arena, &file->includes, &file->include_count, sizeof *slot);
		if (slot == NULL)
			return false;
		*slot = (struct kt_flat_include){.begin = d->begin, .end = d->end, .file = to->index};
		slot->entered = to->includer == n && d->begin <= to->at && to->at < d->end;
	}
	return true;
}

static kt_status join(struct kt_graph *g, struct kt_error *err)
{
	struct kt_scan *scan = g->scan;
	struct kt_flat *flat = kt_arena_alloc(scan->arena, sizeof *flat);
	struct kt_flat_text *texts = kt_arena_array(scan->arena, g->node_count, sizeof *texts);
	if (flat == NULL || texts == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for the text with its headers");
	flat->files = kt_arena_array(scan->arena, g->node_count, sizeof *flat->files);
	for (size_t n = 0; flat->files != NULL && n < g->node_count; n++)
		if (g->nodes[n].member)
			g->nodes[n].index = flat->file_count++;
	for (size_t n = 0; n < g->node_count; n++) {
		struct kt_node *node = &g->nodes[n];
		if (!node->member)
			continue;
		if (flat->files == NULL || !fill_file(g, n, &flat->files[node->index]))
			return kt_fail(err, KT_ERR_MEMORY, "out of memory for the text with its headers");
		texts[node->index] = (struct kt_flat_text){node->data, node->size};
	}
	TRY(kt_flat_join(&scan->flat_text, flat, scan->arena, texts, err));
	if (!kt_flat_folders(&scan->folders, &scan->folder_count, scan->arena, flat))
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for the text with its headers");
	scan->flat = flat;
	return KT_OK;
}

/* Marks the headers that regions or their launches are in; false: there are none. */
static bool find_wanted(struct kt_graph *g)
{
	bool found = find_pragmas(g);
	found = find_named(g) || found;
	if (g->kernel_count > 0)
		found = find_launches(g) || found;
	if (g->kernel_count > 0)
		found = find_wrappers(g) || found;
	return found;
}

/* Quoted includes of a copy of the main file would not be looked up in the file's folder first. */
static bool is_among_system(const struct kt_scan *scan)
{
	return scan->target->has_host_code &&
	       kt_includes_is_system(scan, kt_includes_folder(scan->arena, scan->options.file));
}

bool kt_flatten_wants(struct kt_scan *scan)
{
	struct kt_graph graph;
	struct kt_error ignored;
	return is_among_system(scan) || kt_graph_open(&graph, scan, &ignored) != KT_OK || find_wanted(&graph);
}

/* Chooses the members so that every include leads where it leads without ktcc. */
static kt_status settle(struct kt_graph *g, bool among_system, struct kt_error *err)
{
	choose(g);
	if (among_system)
		(void)kt_graph_add(g, 0);
	if ((!among_system && !any_member(g)) || kt_graph_settle(g))
		return KT_OK;
	leave_all_out(g, "include-ambiguous");
	return !among_system ? KT_OK
	                     : kt_fail(err, KT_ERR_INVALID,
	                               "the folder of %s is also one of -isystem, and a quoted include would find another "
	                               "file from a copy; take the folder out of the options",
	                               g->scan->options.file);
}

kt_status kt_flatten(struct kt_scan *scan, struct kt_error *err)
{
	struct kt_graph graph;
	kt_status status = kt_graph_open(&graph, scan, err);
	if (status != KT_OK)
		return status;
	const bool among_system = is_among_system(scan);
	if (!find_wanted(&graph) && !among_system)
		return KT_OK;
	TRY(kt_graph_edges(&graph, err));
	TRY(settle(&graph, among_system, err));
	if (scan->failed)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading the include graph");
	if (!any_member(&graph))
		return KT_OK;
	status = join(&graph, err);
	/* A text that cannot be made declines its regions; the main file's are as they were. */
	if (status != KT_OK && status != KT_ERR_MEMORY) {
		leave_all_out(&graph, "region-in-header");
		kt_buf_clear(&scan->flat_text);
		status = KT_OK;
	}
	return status;
}
