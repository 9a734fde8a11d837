/*
 * Teams: which threads work on a row together, and how they reduce their values.
 *
 *   ROWS     > 1: a block takes ROWS rows, a warp each, and no thread waits for another warp
 *   CLUSTER  > 1: CLUSTER blocks take one row and reduce through each other's shared memory (compute capability 9.0)
 *
 * Sound when: ROWS divides the rows, or a loop over the rows bounds them; nothing in shared memory is a block's own;
 * every place that asks for the block's index is seen and gets the row's.
 * Blocks of a cluster each take their part of every loop of the row, and no loop needs what another thread wrote; what thread 0
 * does once for each row, thread 0 of the first block does. All of them get the same result of a reduction, as they combine the
 * same values in the same order.
 *
 * Each reduction has a separate place in shared memory: a thread that writes there for the next row has synchronised with all
 * others in another reduction since they read it; a row with one reduction waits once more.
 */
#include <ctype.h>
#include <string.h>

#include "generation/rules/rows.h"

static const struct {
	enum kt_fold_kind kind;
	const char *function, *real, *whole, *word; /* whole: of integers; NULL: of pairs, which are alike for all types */
	const char *second;                         /* the function's name where both are needed; NULL: they are one */
} helpers[] = {
	{KT_FOLD_SUM, "${ktune:callee:2}", "value + other", "value + other", "sum", NULL},
	{KT_FOLD_MAX, "${ktune:callee:3}", "fmax(value, other)", "max(value, other)", "greatest", "${ktune:callee:11}"},
	{KT_FOLD_MIN, "${ktune:callee:4}", "fmin(value, other)", "min(value, other)", "least", "${ktune:callee:12}"},
	{KT_FOLD_FIRST_MAX, "${ktune:callee:6}",
	 "other.value > value.value || (other.value == value.value && other.place < value.place) ? other : value", NULL, "first greatest", NULL},
	{KT_FOLD_FIRST_MIN, "${ktune:callee:7}",
	 "other.value < value.value || (other.value == value.value && other.place < value.place) ? other : value", NULL, "first least", NULL},
};

/* Number of the row's reductions before this one. */
static size_t place_of(const struct kt_row *row, size_t statement, const struct kt_tree *node)
{
	size_t place = 0;

	for (size_t i = 0; i < row->fold_count; i++)
		place += row->folds[i].statement < statement;
	for (size_t i = 0; i < row->call_count; i++)
		place += row->calls[i].statement < statement || (row->calls[i].statement == statement && node != NULL &&
		                                                 row->calls[i].node->range.begin < node->range.begin);
	return place;
}

static const char pair_text[] =
    "// A value and its index.\ntemplate <typename V, typename P> struct ${ktune:callee:5} {\nV value;\nP place;\n};\n\n"
    "template <typename T> __device__ __forceinline__ T ${ktune:callee:8}(const T &pair, int mask)\n{\n"
    "return {__shfl_xor_sync(0xffffffffu, pair.value, mask), __shfl_xor_sync(0xffffffffu, pair.place, mask)};\n}\n\n";

static void add_step(struct kt_buf *out, const char *mask, const char *combine, bool pairs)
{
	kt_buf_addf(out,
	            "#pragma unroll\nfor (int mask = %s; mask > 0; mask /= 2) {\n"
	            "const V other = %s, mask);\n\nvalue = %s;\n}\n",
	            mask, pairs ? "${ktune:callee:8}(value" : "__shfl_xor_sync(0xffffffffu, value", combine);
}

/* Of so few warps each thread reads all values at once: that takes less time than shuffles. */
enum { FEW_WARPS = 8 };

/* What the warps brought, `count` values: all of them, or one for each lane. */
static void add_read(struct kt_buf *out, const char *count, bool clusters)
{
	kt_buf_addf(out,
	            "${if %s <= %d}\nV all[${= %s}];\n\n#pragma unroll\nfor (int at = 0; at < ${= %s}; at++)\n"
	            "all[at] = parts[at];\n${else}\nvalue = parts[threadIdx.x %% ${= min(32, %s)}];\n",
	            count, FEW_WARPS, count, count, count);
	if (clusters)
		kt_buf_addf(out,
		            "${if %s > 32}\n#pragma unroll\nfor (int at = 32; at < ${= %s}; at += 32) {\n"
		            "const V other = parts[at + threadIdx.x %% 32];\n\nvalue = COMBINE;\n}\n${end}\n",
		            count, count);
	kt_buf_adds(out, "${end}\n");
}

static void add_last_fold(struct kt_buf *out, struct kt_family *family, const char *count, const char *combine,
                          bool pairs)
{
	kt_buf_addf(out,
	            "${if %s <= %d}\n#pragma unroll\nfor (int step = 1; step < ${= %s}; step *= 2)\n#pragma unroll\n"
	            "for (int at = 0; at + step < ${= %s}; at += 2 * step) {\n"
	            "const V value = all[at], other = all[at + step];\n\nall[at] = COMBINE;\n}\nvalue = all[0];\n${else}\n",
	            count, FEW_WARPS, count, count);
	add_step(out, kt_family_text(family, "${= min(16, %s / 2)}", count), combine, pairs);
	kt_buf_adds(out, "${end}\n");
}

/* The warps' values, in every block of the cluster. */
static void add_exchange_of_blocks(struct kt_buf *out, size_t folds)
{
	kt_buf_addf(out,
	            "${if CLUSTER > 1}\n#if __CUDA_ARCH__ >= 900\n"
	            "__cluster_barrier_wait();\n"
	            "if (threadIdx.x %% 32 < ${CLUSTER})\n"
	            "*static_cast<V *>(__cluster_map_shared_rank(&parts[blockIdx.y * ${= BLOCK / 32} + threadIdx.x / 32], "
	            "threadIdx.x %% 32)) = "
	            "value;\n__cluster_barrier_arrive();\n__cluster_barrier_wait();\n#endif\n");
	add_read(out, "BLOCK / 32 * CLUSTER", true);
	kt_buf_addf(out, "#if __CUDA_ARCH__ >= 900\nif (PLACE < %zu)\n__cluster_barrier_arrive();\n#endif\n", folds - 1);
}

static void replace_word(struct kt_buf *out, const char *text, const char *word, const char *by)
{
	for (const char *at; (at = strstr(text, word)) != NULL; text = at + strlen(word)) {
		kt_buf_add(out, text, (size_t)(at - text));
		kt_buf_adds(out, by);
	}
	kt_buf_adds(out, text);
}

static const char *helper_text(struct kt_row *row, size_t which, const char *function, const char *combine)
{
	struct kt_family *family = row->family;
	const size_t folds = row->fold_count + row->call_count;
	const char *count = row->clusters ? "BLOCK / 32 * CLUSTER" : "BLOCK / 32";
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES), text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const char *result;

	kt_buf_addf(&out,
	            "// The %s of all threads' values, in every thread; reductions after one another have different places.\n"
	            "template <int PLACE, typename V> __device__ __forceinline__ V %s(V value)\n{\n",
	            helpers[which].word, function);
	add_step(&out, "16", combine, helpers[which].whole == NULL);
	kt_buf_addf(&out, "${if BLOCK > 32%s}\nalignas(16) __shared__ V parts[${= %s}];\n\n",
	            row->clusters ? " || CLUSTER > 1" : "", count);
	if (row->clusters)
		add_exchange_of_blocks(&out, folds);
	kt_buf_addf(&out, "%s%sif (threadIdx.x %% 32 == 0)\nparts[threadIdx.x / 32] = value;\n__syncthreads();\n",
	            row->clusters ? "${else}\n" : "", row->outer != NULL && folds == 1 ? "__syncthreads();\n" : "");
	add_read(&out, "BLOCK / 32", false);
	kt_buf_adds(&out, row->clusters ? "${end}\n" : "");
	add_last_fold(&out, family, count, combine, helpers[which].whole == NULL);
	kt_buf_adds(&out, "${else}\n__syncwarp();\n${end}\nreturn value;\n}\n");
	replace_word(&text, kt_buf_text(&out), "COMBINE", combine);
	result = kt_family_text(family, "%s", kt_buf_text(&text));
	family->failed = family->failed || out.failed || text.failed;
	kt_buf_free(&out);
	kt_buf_free(&text);
	return result;
}

const char *kt_row_fold_helper(struct kt_row *row, enum kt_fold_kind kind, enum kt_scalar scalar, size_t statement,
                               const struct kt_tree *node)
{
	struct kt_family *family = row->family;

	for (size_t i = 0; i < sizeof helpers / sizeof helpers[0]; i++) {
		const bool pairs = helpers[i].whole == NULL;
		const char *combine = pairs || kt_scalar_is_float(scalar) ? helpers[i].real : helpers[i].whole, *text;
		const char *function = helpers[i].function;

		if (helpers[i].kind != kind)
			continue;
		if (!kt_rule_target(family)->has_warps && pairs)
			return NULL;
		if (!kt_rule_target(family)->has_warps)
			return kt_rule_opencl_fold(family, helpers[i].word, helpers[i].function, combine, scalar);
		if (pairs && (family->helpers.data == NULL || strstr(family->helpers.data, pair_text) == NULL))
			kt_buf_adds(&family->helpers, pair_text);
		text = helper_text(row, i, function, combine);
		/* One of that name compares values of the other kind. */
		if (helpers[i].second != NULL && family->helpers.data != NULL && strstr(family->helpers.data, text) == NULL &&
		    strstr(family->helpers.data, helpers[i].function) != NULL) {
			function = helpers[i].second;
			text = helper_text(row, i, function, combine);
		}
		if (family->helpers.data == NULL || strstr(family->helpers.data, text) == NULL)
			kt_buf_adds(&family->helpers, text);
		return kt_family_text(family, "%s<%zu>", function, place_of(row, statement, node));
	}
	return NULL;
}

struct search {
	const struct kt_row *row;
	bool grid, macro;
};

static bool find_places(struct kt_tree *node, void *context)
{
	struct search *search = context;
	const struct kt_loop *outer = search->row->outer;

	if (node->kind != KT_TREE_BUILTIN || (node->builtin != KT_BLOCK_INDEX && node->builtin != KT_GRID_EXTENT))
		return true;
	search->macro = search->macro || node->in_macro || node->dimension != 0;
	for (const struct kt_tree *at = node->parent; at != NULL; at = at->parent)
		search->macro = search->macro || at->in_macro;
	search->grid = search->grid || (node->builtin == KT_GRID_EXTENT &&
	                                (outer == NULL || !kt_tree_contains(outer->node->children[2], node)));
	return true;
}

static bool calls_are_apart(const struct kt_row *row)
{
	for (size_t i = 0; i < row->call_count; i++)
		for (size_t k = 0; k < i; k++)
			if (row->calls[i].statement == row->calls[k].statement)
				return false;
	return true;
}

void kt_row_plan_team(struct kt_row *row)
{
	static const int64_t clusters[] = {1, 2, 4, 8}, rows[] = {1, 2, 4, 8, 16};
	struct kt_family *family = row->family;
	struct search search = {.row = row};
	size_t guards;
	const char *bound = row->outer != NULL ? NULL : kt_rule_launched(family, true, 0);

	if (!kt_rule_target(family)->has_warps || row->flat || row->in_grid || row->announces ||
	    row->fold_count + row->call_count == 0)
		return;
	kt_tree_walk(family->kernel->body, find_places, &search);
	if (search.macro || search.grid || !kt_calls_are_in_sight(family->kernel->body))
		return;
	if (kt_family_allows(family, "warp_row") && (row->outer == NULL || !kt_row_synchronises(row, false, false))) {
		kt_family_parameter(family, "ROWS", "rows of a block, a warp each", rows, 5);
		kt_family_restrict(family, "ROWS == 1 || BLOCK == 32", "more than one row in a block: a warp a row");
		if (bound != NULL)
			kt_family_restrict(family, kt_family_text(family, "(%s) %% ROWS == 0", bound),
			                   "each warp of a block has a row");
		kt_family_applied(family, "warp_row", "one warp per row, several rows per block");
		family->launch_bounds = "__launch_bounds__(${= BLOCK * ROWS}) ";
		family->blocks[1] = "ROWS";
		row->teams = true;
		family->row_name = kt_family_name(family, "block_row");
	}
	guards = family->guard_count;
	if (kt_family_allows(family, "cluster") && row->outer == NULL && calls_are_apart(row) &&
	    !kt_row_synchronises(row, true, true)) {
		kt_family_parameter(family, "CLUSTER", "blocks that share a row and combine their values in each other's shared memory",
		                    clusters, 4);
		kt_family_restrict(family, "CLUSTER == 1 || device.cc >= 90",
		                   "blocks reach each other's shared memory from compute capability 9.0 on");
		if (row->teams)
			kt_family_restrict(family, "CLUSTER == 1 || ROWS == 1", "several rows per block, or several blocks per row");
		kt_family_applied(family, "cluster", "a few rows: several blocks share each");
		family->cluster_dims =
		    "\n${if CLUSTER > 1}\n#if __CUDA_ARCH__ >= 900\n__cluster_dims__(1, ${CLUSTER}, 1)\n#endif\n${end}\n";
		kt_buf_adds(&family->top, "${if CLUSTER > 1}\n#if __CUDA_ARCH__ >= 900\n"
		                          "// The first reduction writes into the other blocks' shared memory: they must have "
		                          "begun.\n"
		                          "__cluster_barrier_arrive_relaxed();\n#endif\n${end}\n");
		row->clusters = true;
	} else {
		family->guard_count = guards;
	}
}

bool kt_row_can_be_named(struct kt_family *family)
{
	const struct kt_row none = {.outer = NULL};
	struct search search = {.row = &none};

	kt_tree_walk(family->kernel->body, find_places, &search);
	return !search.macro && kt_rule_target(family)->has_warps && kt_calls_are_in_sight(family->kernel->body);
}

const char *kt_row_worded(struct kt_family *family, const char *body)
{
	static const char index[] = "blockIdx.x", extent[] = "gridDim.x";
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const char *text;

	if (family->row_name == NULL)
		return body;
	while (*body != '\0') {
		const bool begins = !kt_is_name_part(*body);

		kt_buf_addc(&out, *body++);
		if (begins && strncmp(body, index, sizeof index - 1) == 0 && !kt_is_name_part(body[sizeof index - 1])) {
			kt_buf_adds(&out, family->row_name);
			body += sizeof index - 1;
		} else if (family->piece_name == NULL && begins && strncmp(body, extent, sizeof extent - 1) == 0 &&
			   !kt_is_name_part(body[sizeof extent - 1])) {
			kt_buf_adds(&out, "gridDim.x${if ROWS > 1} * ${ROWS}${end}");
			body += sizeof extent - 1;
		}
	}
	text = kt_family_text(family, "%s", kt_buf_text(&out));
	family->failed = family->failed || out.failed;
	kt_buf_free(&out);
	return text;
}
