#include "opencl.h"

#include <dlfcn.h>
#include <string.h>

#include "base/fs.h"
#include "base/opencl_options.h"

/* A fixed target: the same answer on every host, and every extension of the language. */
static const char *const arguments[] = {
	"-x", "cl", "--target=spir64-unknown-unknown", "-Wno-everything", "-ferror-limit=0", "-fno-spell-checking",
};

const char *const *kt_opencl_arguments(size_t *count)
{
	*count = sizeof arguments / sizeof arguments[0];
	return arguments;
}

/* libclang looks beside the path it was loaded by, which may be a link far away from its own folder. */
const char *kt_opencl_resources(struct kt_scan *scan)
{
	static const struct {
		const char *from; /* after the library's folder */
		bool again;       /* the version is there twice */
	} places[] = {{"/clang/", false}, {"/../lib/clang/", false}, {"/../llvm-", true}, {"/../clang/", false}};
	Dl_info info = {0};
	void *symbol = NULL;
	memcpy(&symbol, &kt_clang.createIndex, sizeof symbol);
	const char *real = dladdr(symbol, &info) != 0 ? kt_path_real(scan->arena, info.dli_fname) : NULL;
	const char *slash = real != NULL ? strrchr(real, '/') : NULL;
	for (size_t i = 0; slash != NULL && i < sizeof places / sizeof places[0]; i++) {
		const char *path =
		    kt_arena_printf(scan->arena, "%.*s%s%d", (int)(slash - real), real, places[i].from, scan->major);
		if (path != NULL && places[i].again)
			path = kt_arena_printf(scan->arena, "%s/lib/clang/%d", path, scan->major);
		path = path != NULL ? kt_arena_printf(scan->arena, "%s/include", path) : NULL;
		const char *header = path != NULL ? kt_arena_printf(scan->arena, "%s/opencl-c-base.h", path) : NULL;
		if (header != NULL && kt_fs_is_file(header))
			return path;
	}
	return NULL;
}

static bool is_kernel_word(const struct kt_text *text, size_t token)
{
	return kt_token_is(text, token, "__kernel") || kt_token_is(text, token, "kernel");
}

/* The word itself, or a macro that holds it. */
static bool says_kernel(struct kt_scan *scan, const struct kt_text *text, size_t token)
{
	const struct kt_token *t = &text->tokens[token];
	if (t->kind != KT_TOKEN_NAME)
		return false;
	if (is_kernel_word(text, token))
		return true;
	size_t i = kt_index_find(scan->macro_index, text->data + t->begin, t->end - t->begin, 0);
	struct kt_text body;
	struct kt_error err;
	if (i == SIZE_MAX ||
	    kt_lex(&body, scan->arena, scan->macros[i].body, 0, strlen(scan->macros[i].body), false, &err) != KT_OK)
		return false;
	for (size_t k = 0; k < body.count; k++)
		if (is_kernel_word(&body, k))
			return true;
	return false;
}

void kt_opencl_mark(struct kt_scan *scan)
{
	for (size_t i = 0; i < scan->item_count; i++) {
		struct kt_item *item = &scan->items[i];
		const struct kt_text *text = kt_scan_text(scan, item->file);
		if (item->kind == CXCursor_VarDecl)
			item->is_device_data = kt_opencl_space(kt_clang.getCursorType(item->cursor), scan->arena) ==
			                       KT_SPACE_GLOBAL;
		if (!item->is_function || text == NULL)
			continue;
		for (size_t t = kt_token_at(text, item->begin); t < text->count && text->tokens[t].begin < item->name_at; t++)
			item->is_global = item->is_global || says_kernel(scan, text, t);
	}
}

enum kt_address_space kt_opencl_space(CXType pointee, struct kt_arena *arena)
{
	static const struct {
		const char *word;
		enum kt_address_space space;
	} words[] = {
		{"__global", KT_SPACE_GLOBAL},
		{"__constant", KT_SPACE_CONSTANT},
		{"__local", KT_SPACE_LOCAL},
	};
	const char *at = kt_clang_text(arena, kt_clang.getTypeSpelling(kt_clang.getCanonicalType(pointee)));
	while (at != NULL && *at != '\0') {
		size_t length = strcspn(at, " ");
		for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
			if (strlen(words[i].word) == length && memcmp(words[i].word, at, length) == 0)
				return words[i].space;
		at += length + (at[length] == ' ');
	}
	return KT_SPACE_PRIVATE;
}

const char *kt_opencl_type(CXType type, struct kt_arena *arena)
{
	static const char word[] = " __private";
	char *text = kt_clang_text(arena, kt_clang.getTypeSpelling(kt_clang.getCanonicalType(type)));
	for (char *at = text; at != NULL && (at = strstr(at, "__private")) != NULL;) {
		char *behind = at + sizeof word - 2;
		/* The blank on one side goes as well. */
		if (at > text && at[-1] == ' ')
			at--;
		else if (*behind == ' ')
			behind++;
		memmove(at, behind, strlen(behind) + 1);
	}
	return text;
}

const char *kt_opencl_bare(struct kt_arena *arena, const char *type)
{
	static const char *const words[] = {"__private", "__global", "__local", "__constant", "private", "global", "local",
	                                    "constant", "__generic"};
	char *out = type != NULL ? kt_arena_strdup(arena, "") : NULL;

	while (out != NULL && *type != '\0') {
		size_t length = strcspn(type, " ");
		bool space = false;

		for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
			space = space || (strlen(words[i]) == length && memcmp(words[i], type, length) == 0);
		if (!space)
			out = kt_arena_printf(arena, "%s%s%.*s", out, out[0] != '\0' ? " " : "", (int)length, type);
		type += length;
		while (*type == ' ')
			type++;
	}
	return out;
}

static const struct {
	const char *name;
	enum kt_builtin_index index;
} builtins[] = {
	{"get_local_id", KT_THREAD_INDEX},   {"get_group_id", KT_BLOCK_INDEX},   {"get_local_size", KT_BLOCK_EXTENT},
	{"get_num_groups", KT_GRID_EXTENT},  {"get_global_id", KT_GLOBAL_INDEX}, {"get_global_size", KT_GLOBAL_EXTENT},
};

void kt_opencl_call(struct kt_tree *node)
{
	const struct kt_tree *argument = node->count == 2 ? kt_tree_bare(node->children[1]) : NULL;

	if (strcmp(node->known, "barrier") == 0 || strcmp(node->known, "work_group_barrier") == 0)
		node->name = node->known = "__syncthreads";
	for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
		if (strcmp(node->known, builtins[i].name) != 0 || argument == NULL || !argument->has_value ||
		    argument->value < 0 || argument->value > 2)
			continue;
		node->kind = KT_TREE_BUILTIN;
		node->builtin = builtins[i].index;
		node->dimension = (unsigned)argument->value;
		node->scalar = KT_U64;
		node->count = 0;
		return;
	}
}

void kt_opencl_hash(struct kt_hash *hash, const struct kt_scan *scan)
{
	const struct kt_scan_options *o = &scan->options;
	kt_hash_field(hash, "language", kt_language_name(scan->target->language));
	for (size_t i = 0; i < o->argument_count; i++)
		if (strncmp(o->arguments[i], "-cl-", 4) == 0 && kt_opencl_option(o->arguments[i]).bearing == KT_OPENCL_CODE)
			kt_hash_field(hash, "option", o->arguments[i]);
}

/* A clause's expression that was written otherwise. */
static kt_status set_expr(struct kt_scan *scan, struct kt_clause_expr *out, const char *text, struct kt_error *err)
{
	NEED(text, kt_fail(err, KT_ERR_MEMORY, "out of memory reading clauses"));
	out->text = text;
	return kt_expr_parse(&out->expr, scan->arena, text, strlen(text), err);
}

kt_status kt_opencl_groups(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	if (!found->pragma->grid_is_global || r->grid_count == 0)
		return KT_OK;
	/* Without the size of a group the items have no meaning: the region declines because it has no geometry. */
	if (r->block_count == 0) {
		r->grid_count = 0;
		return KT_OK;
	}
	for (size_t i = 0; i < r->grid_count && i < r->block_count; i++)
		TRY(set_expr(scan, &r->grid[i],
			     kt_arena_printf(scan->arena, "ceil_div(%s, %s)", r->grid[i].text, r->block[i].text), err));
	return KT_OK;
}

void kt_opencl_check_local(struct kt_scan *scan, struct kt_found *found)
{
	const struct kt_region *r = &found->region;
	const struct kt_argument *local = NULL;
	for (size_t a = 0; a < r->argument_count; a++) {
		if (r->arguments[a].space != KT_SPACE_LOCAL)
			continue;
		if (local != NULL)
			kt_found_decline(scan, found, "argument-type",
			                 "'%s' and '%s' both point to local memory, and smem(bytes) sizes one; use one local array",
			                 local->name, r->arguments[a].name);
		local = &r->arguments[a];
	}
	if (local != NULL && r->shared_bytes.expr == NULL)
		kt_found_decline(scan, found, "arguments-unknown", "'%s' points to local memory of unknown size; write "
		                 "smem(BYTES)", local->name);
	if (local == NULL && r->shared_bytes.expr != NULL)
		kt_scan_diagnose(scan, 0, KT_WARNING, found->text_at + r->shared_bytes.offset,
		                 (uint32_t)strlen(r->shared_bytes.text),
		                 "no argument points to local memory: smem has no effect", NULL);
}
