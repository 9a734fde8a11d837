/* What the runtime answers of a device: by an attribute's name, by a member of cudaDeviceProp. */
#include "expand.h"

#include <string.h>

#define LENGTH(table) (sizeof(table) / sizeof(table)[0])

static const struct {
	const char *attribute, *member, *limit; /* the limit in the expression language */
} rows[] = {
    {"cudaDevAttrMultiProcessorCount", "multiProcessorCount", "multiprocessors"},
    {"cudaDevAttrMaxThreadsPerBlock", "maxThreadsPerBlock", "max_threads_per_block"},
    {"cudaDevAttrMaxThreadsPerMultiProcessor", "maxThreadsPerMultiProcessor", "max_threads_per_multiprocessor"},
    {"cudaDevAttrMaxSharedMemoryPerBlock", "sharedMemPerBlock", "shared_bytes_per_block"},
    {"cudaDevAttrMaxSharedMemoryPerBlockOptin", "sharedMemPerBlockOptin", "shared_bytes_per_block_optin"},
    {"cudaDevAttrMaxSharedMemoryPerMultiprocessor", "sharedMemPerMultiprocessor", "shared_bytes_per_multiprocessor"},
    {"cudaDevAttrWarpSize", "warpSize", "warp_size"},
    {"cudaDevAttrMaxGridDimX", NULL, "max_grid_x"},
    {"cudaDevAttrMaxGridDimY", NULL, "max_grid_y"},
};

size_t kt_query_call(const struct kt_text *text, size_t name, const char *function)
{
	if (name < 3 || !kt_token_is(text, name - 1, "&") || !kt_token_is(text, name - 2, "(") ||
	    !kt_token_is(text, name - 3, function))
		return SIZE_MAX;
	/* A macro that checks the result may be around it. */
	return name > 4 && kt_token_is(text, name - 4, "(") ? name - 5 : name - 3;
}

const char *kt_query_attribute(struct kt_scan *scan, const struct kt_text *text, size_t name)
{
	for (size_t i = 0; i < LENGTH(rows) && kt_token_is(text, name + 1, ","); i++)
		if (kt_token_is(text, name + 2, rows[i].attribute))
			return kt_arena_printf(scan->arena, KT_EXPAND_DEVICE ".%s", rows[i].limit);
	return NULL;
}

const char *kt_query_property(const struct kt_text *text, size_t member)
{
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (rows[i].member != NULL && kt_token_is(text, member, rows[i].member))
			return rows[i].limit;
	return NULL;
}

bool kt_query_is_properties(struct kt_scan *scan, CXType type)
{
	CXType own = kt_clang.getCanonicalType(type);
	if (own.kind == CXType_Pointer || own.kind == CXType_LValueReference)
		own = kt_clang.getCanonicalType(kt_clang.getPointeeType(own));
	const char *text = kt_clang_text(scan->arena, kt_clang.getTypeSpelling(own));
	return text != NULL && strstr(text, "cudaDeviceProp") != NULL;
}

const char *kt_query_member(struct kt_scan *scan, size_t variable)
{
	const struct kt_text *text = scan->text;
	const struct kt_token *token = &text->tokens[variable];
	const char *name = token->kind == KT_TOKEN_NAME && kt_token_is(text, variable + 1, ".")
	                       ? kt_scan_squeeze(scan, text, token->begin, token->end)
	                       : NULL;
	const struct kt_local *local = name != NULL ? kt_scan_visible(scan, name, token->begin) : NULL;
	return local != NULL && kt_query_is_properties(scan, local->type) ? kt_query_property(text, variable + 2) : NULL;
}
