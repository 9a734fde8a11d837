/*
 * Fast math: divisions, exponentials, logarithms and square roots of single precision by the device's approximations
 * of a few instructions, in the variant's text alone: `__fdividef(a, b)` for `a / b`, `__expf(x)` for `expf(x)`.
 *
 * Sound when the region's tolerance allows it: results are compared within a tolerance and not bit by bit, and every
 * buffer that the kernel writes has one that is far above what the approximations are off by (2 units in the last
 * place, 10⁻⁵ of the result for an exponential of a large number). Where a value that comes of one is compared, rounded
 * or made an integer, an index or a branch, a small error could become a large one: then nothing is changed. So it is
 * where an output has no tolerance: `tolerance(abs = 0, rel = 0)` forbids it, as does a list of strategies without it.
 *
 * Functions of the project that the kernel calls are copied beside the variant where they do such arithmetic.
 */
#include <ctype.h>
#include <string.h>

#include "generation/rules/fast_math.h"

/* The least relative and absolute tolerance of an output that allows approximations. */
#define LEAST_RELATIVE 1e-5
#define LEAST_ABSOLUTE 1e-6

enum { MOST_CALLEES = 16 };

/* `wrapper`: a helper of ours. Sine, cosine and power are missing: their errors have no bound over all arguments. */
static const struct {
	const char *name, *fast;
	int wrapper; /* its place in wrappers; −1: an intrinsic */
} functions[] = {
	{"expf", "__expf", -1},     {"exp", "__expf", -1},     {"exp10f", "__exp10f", -1}, {"logf", "__logf", -1},
	{"log", "__logf", -1},      {"log2f", "__log2f", -1},  {"log2", "__log2f", -1},    {"log10f", "__log10f", -1},
	{"log10", "__log10f", -1},  {"sqrtf", NULL, 0},        {"sqrt", NULL, 0},          {"tanhf", NULL, 1},
	{"tanh", NULL, 1},
};

static const struct {
	const char *callee; /* number of its name */
	const char *text;
} wrappers[] = {
	{"${ktune:callee:20}", "__device__ __forceinline__ float ${ktune:callee:20}(float x)\n{\nfloat root;\n"
	                      "asm(\"sqrt.approx.f32 %0, %1;\" : \"=f\"(root) : \"f\"(x));\nreturn root;\n}\n"},
	{"${ktune:callee:21}", "__device__ __forceinline__ float ${ktune:callee:21}(float x)\n{\n"
	                      "return 1.0f - __fdividef(2.0f, 1.0f + __expf(2.0f * x));\n}\n"},
};

enum { FIRST_COPY = 24 }; /* ktune:callee:24 and on are copies of the project's functions */

int kt_fast_function_of(const char *name)
{
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (strcmp(functions[i].name, name) == 0)
			return (int)i;
	return -1;
}

struct writing {
	struct kt_family *family;
	struct kt_write *write;
	struct kt_kernel *kernel;
	bool uses[sizeof wrappers / sizeof wrappers[0]];
	size_t copy_count;
	const struct kt_kernel *copies[MOST_CALLEES];
	size_t text_count;
	const char *texts[MOST_CALLEES];
	size_t found;
};

static void set_fast(struct writing *w, const struct kt_tree *name, const char *fast)
{
	kt_write_set(w->write, name,
	             kt_family_text(w->family, "${if FAST}%s${else}%s${end}", fast, kt_tree_text(w->kernel, name)));
	w->found++;
}

static void set_division(struct writing *w, const struct kt_tree *node)
{
	if (node->kind == KT_TREE_BINARY)
		kt_write_wrap(w->write, node, "${if FAST}__fdividef(${end}", "${if FAST},${else} /${end} ",
		              "${if FAST})${end}");
	else
		kt_write_wrap(w->write, node, "", kt_family_text(w->family, " ${if FAST}= __fdividef(%s,${else}/=${end} ",
		                                                 kt_tree_text(w->kernel, node->children[0])),
		              "${if FAST})${end}");
	w->found++;
}

static int copy_of(struct writing *w, const struct kt_kernel *callee);

static bool set_node(struct kt_tree *node, void *context)
{
	struct writing *w = context;

	if (kt_fast_is_division(w->kernel, node)) {
		set_division(w, node);
	} else if (kt_fast_is_function(node)) {
		const int at = kt_fast_function_of(node->known), wrapper = functions[at].wrapper;

		if (wrapper >= 0)
			w->uses[wrapper] = true;
		set_fast(w, node->children[0], wrapper >= 0 ? wrappers[wrapper].callee : functions[at].fast);
	} else if (node->kind == KT_TREE_CALL && node->callee != NULL && !node->in_macro && node->count > 0 &&
	           !node->children[0]->in_macro) {
		const int copy = copy_of(w, node->callee);

		if (copy >= 0)
			set_fast(w, node->children[0], kt_family_text(w->family, "${ktune:callee:%d}", FIRST_COPY + copy));
	}
	return true;
}

/* What the function gives back. How it was declared otherwise matters not to a copy that one kernel calls. */
static void add_type(struct kt_buf *out, const struct kt_kernel *callee)
{
	static const char *const specifiers[] = {"static",     "inline",   "__inline__",      "extern",      "constexpr",
	                                         "__device__", "__host__", "__forceinline__", "__noinline__"};
	uint32_t at = callee->definition.begin;

	kt_buf_adds(out, "static __device__ __forceinline__ ");
	while (at < callee->name.begin) {
		uint32_t end = at;
		bool dropped = false;

		while (end < callee->name.begin && (isalnum((unsigned char)callee->text[end]) || callee->text[end] == '_'))
			end++;
		for (size_t i = 0; i < sizeof specifiers / sizeof specifiers[0]; i++)
			dropped = dropped ||
			          (strlen(specifiers[i]) == end - at && memcmp(callee->text + at, specifiers[i], end - at) == 0);
		end += end == at;
		while (dropped && end < callee->name.begin && isspace((unsigned char)callee->text[end]))
			end++;
		if (!dropped)
			kt_buf_add(out, callee->text + at, end - at);
		at = end;
	}
}

/* The function under its new name, with the same done in it. */
static void add_copy(struct kt_buf *out, struct writing *w, size_t copy)
{
	struct kt_kernel *callee = (struct kt_kernel *)w->copies[copy], *kernel = w->kernel;
	struct kt_write write = {.kernel = callee}, *outer = w->write;

	w->kernel = callee;
	w->write = &write;
	kt_tree_walk(callee->body, set_node, w);
	add_type(out, callee);
	kt_buf_addf(out, "${ktune:callee:%zu}", FIRST_COPY + copy);
	kt_write_text(out, &write, callee->name.end, callee->body->range.begin);
	kt_write_node(out, &write, callee->body);
	kt_buf_addc(out, '\n');
	w->family->failed = w->family->failed || write.failed;
	w->kernel = kernel;
	w->write = outer;
}

/* The number of the function's copy; −1: it is not copied. */
static int copy_of(struct writing *w, const struct kt_kernel *callee)
{
	if (callee->definition.end == 0 || !kt_fast_gains(callee, 0))
		return -1;
	for (size_t i = 0; i < w->copy_count; i++)
		if (w->copies[i] == callee)
			return (int)i;
	if (w->copy_count == MOST_CALLEES)
		return -1;
	const size_t copy = w->copy_count++;
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);

	w->copies[copy] = callee;
	add_copy(&text, w, copy);
	/* What it calls itself is there already. */
	w->texts[w->text_count++] = kt_family_text(w->family, "%s", kt_buf_text(&text));
	w->family->failed = w->family->failed || text.failed;
	kt_buf_free(&text);
	return (int)copy;
}

static void add_helpers(const struct writing *w)
{
	struct kt_family *family = w->family;
	bool any = w->text_count > 0;

	for (size_t i = 0; i < sizeof wrappers / sizeof wrappers[0]; i++)
		any = any || w->uses[i];
	if (!any)
		return;
	kt_buf_adds(&family->helpers, "${if FAST}\n");
	for (size_t i = 0; i < sizeof wrappers / sizeof wrappers[0]; i++)
		if (w->uses[i])
			kt_buf_adds(&family->helpers, wrappers[i].text);
	for (size_t i = 0; i < w->text_count; i++)
		kt_buf_adds(&family->helpers, w->texts[i]);
	kt_buf_adds(&family->helpers, "${end}\n");
}

/* Does every output tolerate an error? */
static bool tolerates(const struct kt_family *family, const char **which)
{
	const struct kt_region *r = family->kernel->region;

	for (size_t i = 0; i < r->buffer_count; i++) {
		const struct kt_buffer *b = &r->buffers[i];
		enum kt_scalar scalar;

		if (b->direction == KT_IN || b->direction == KT_SCRATCH || b->scratch)
			continue;
		*which = b->name;
		/* What is written through a member of a structure no variable has the type of. */
		if (b->argument >= (int64_t)r->argument_count)
			return false;
		scalar = b->argument < 0 ? kt_element_scalar(b->symbol.element) : family->kernel->variables[b->argument]->scalar;
		if (scalar != KT_F32 && scalar != KT_F16 && scalar != KT_BF16)
			return false;
		if ((b->relative >= 0 && b->relative < LEAST_RELATIVE) || (b->absolute >= 0 && b->absolute < LEAST_ABSOLUTE))
			return false;
	}
	return true;
}

/* What happens once for each row is not worth a choice. */
static bool is_once(struct kt_tree *node, void *context)
{
	const struct kt_family *family = context;

	if (!kt_fast_is_division(family->kernel, node) && !kt_fast_is_function(node) &&
	    !(node->kind == KT_TREE_CALL && node->callee != NULL && kt_fast_gains(node->callee, 0)))
		return true;
	for (size_t i = 0; i < family->loops.count; i++) {
		const struct kt_loop *loop = family->loops.loops[i];
		struct kt_tree *scope = kt_loop_scope(loop);

		if (loop->share != KT_SHARE_BLOCK && kt_tree_contains(scope, node) &&
		    (loop->body != NULL || loop->node->range.end <= node->range.begin))
			return false;
	}
	for (const struct kt_tree *at = node->parent; at != NULL; at = at->parent) {
		bool shared = false;

		for (size_t i = 0; i < family->loops.count; i++)
			shared = shared || family->loops.loops[i]->node == at;
		if (!shared && (at->kind == KT_TREE_FOR || at->kind == KT_TREE_WHILE || at->kind == KT_TREE_DO))
			return false;
	}
	return true;
}

bool kt_rule_fast_math(struct kt_family *family)
{
	struct writing writing = {.family = family, .write = &family->write, .kernel = family->kernel};
	const struct kt_tree *where;
	const char *which = "";

	if (!kt_family_allows(family, "fast_math") || !kt_rule_target(family)->has_cuda_words ||
	    kt_tree_walk(family->kernel->body, is_once, family))
		return false;
	if (!tolerates(family, &which)) {
		kt_family_note(family, family->kernel->body, "no fast math: '%s' has no tolerance for it", which);
		return false;
	}
	if ((where = kt_fast_breaks(family)) != NULL) {
		kt_family_note(family, where, "no fast math: what is computed is compared, rounded or an integer here");
		return false;
	}
	kt_tree_walk(family->kernel->body, set_node, &writing);
	if (writing.found == 0)
		return false;
	add_helpers(&writing);
	return true;
}

void kt_rule_fast_math_parameter(struct kt_family *family)
{
	static const int64_t flags[] = {0, 1};

	kt_family_parameter(family, "FAST", "1: divisions, exponentials and their like by the device's approximations",
	                    flags, 2);
	kt_family_applied(family, "fast_math", "the outputs' tolerance allows approximate divisions and functions");
}
