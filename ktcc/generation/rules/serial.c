/*
 * Serial loops: a loop that each thread goes through alone, from 0 on, one by one.
 *
 *   for (int j = 0; j < n; j++) BODY(j)
 *
 * INNER unrolls it, so that the loads of several iterations are on their way together. ALONG moves what is at neighbouring
 * indices in one access, as vectorize does for a distributed loop.
 *
 * Sound when: unrolling changes nothing; ALONG elements may be moved at once where the loop writes no memory, is not left and
 * waits for no thread, and the kernel writes nowhere to the arrays whose elements are moved. The iterations keep their order: a
 * sum is the same bit by bit. Alignment and range are asked in front of the loop.
 */
#include <ctype.h>
#include <string.h>

#include "generation/rules/family.h"

/* Loops in it, waiting, or text that was not analysed. */
static bool is_simple(struct kt_tree *node, void *context)
{
	if (node == context)
		return true;
	return node->kind != KT_TREE_FOR && node->kind != KT_TREE_WHILE && node->kind != KT_TREE_DO &&
	       node->kind != KT_TREE_STATEMENT && !(node->kind == KT_TREE_CALL && kt_call_synchronises(node));
}

bool kt_rule_has_pragma(const struct kt_kernel *kernel, const struct kt_tree *node)
{
	uint32_t at = node->range.begin, begin;

	while (at > 0 && isspace((unsigned char)kernel->text[at - 1]))
		at--;
	for (begin = at; begin > 0 && kernel->text[begin - 1] != '\n'; begin--)
		continue;
	while (begin < at && isspace((unsigned char)kernel->text[begin]))
		begin++;
	return begin < at && kernel->text[begin] == '#';
}

/* A number of turns that the compiler knows. */
static bool is_counted(struct kt_family *family, const struct kt_tree *node)
{
	const struct kt_tree *condition = kt_tree_bare(node->children[1]);
	bool any = false;

	for (size_t i = 0; condition != NULL && condition->kind == KT_TREE_BINARY && i < 2; i++) {
		const struct kt_poly *poly = kt_poly_of(&family->polys, condition->children[i]);

		any = any || (poly != NULL && (poly->count == 0 || (poly->count == 1 && poly->terms[0].count == 0)));
	}
	return any;
}

/* for (int j = 0; j < n; j++) */
static bool read_loop(struct kt_loop *out, struct kt_family *family, struct kt_tree *node)
{
	const struct kt_tree *step = node->children[2], *first = node->children[0];
	const struct kt_poly *start;
	bool by_one;

	if (first == NULL || first->kind != KT_TREE_DECLARE || first->count != 1 || first->children[0]->count != 1 ||
	    first->children[0]->kind != KT_TREE_VARIABLE || step == NULL || step->count == 0)
		return false;
	*out = (struct kt_loop){.share = KT_SHARE_THREAD, .form = KT_LOOP_FOR, .variable = first->children[0]->variable,
	                        .node = node, .body = node->children[3]};
	start = kt_poly_of(&family->polys, first->children[0]->children[0]);
	by_one = step->kind == KT_TREE_UNARY && step->operator_ != NULL && strstr(step->operator_, "++") != NULL;
	if (kt_tree_is(step, KT_TREE_ASSIGN, "+=")) {
		const struct kt_poly *by = kt_poly_of(&family->polys, step->children[1]);

		by_one = by != NULL && kt_poly_is(by, 1);
	}
	if (!by_one || start == NULL || !kt_poly_is(start, 0) || step->children[0]->variable != out->variable ||
	    out->variable->writes != 1 || out->variable->escapes || kt_scalar_is_float(out->variable->scalar) ||
	    out->variable->scalar == KT_SCALAR_NONE)
		return false;
	out->bound_node = kt_loop_bound(node->children[1], out->variable, false);
	out->bound = out->bound_node != NULL ? kt_poly_of(&family->polys, out->bound_node) : NULL;
	return out->bound != NULL && !kt_poly_varies(out->bound, node->children[3]);
}

/* Is anything that the loop reads written somewhere in the kernel? */
static bool is_written(const struct kt_effects *whole, const struct kt_effects *effects)
{
	for (size_t i = 0; i < effects->access_count; i++) {
		if (effects->accesses[i].writes)
			return true;
		for (size_t k = 0; k < whole->access_count; k++)
			if (whole->accesses[k].writes && whole->accesses[k].root == effects->accesses[i].root)
				return true;
	}
	return whole->unknown != NULL;
}

static bool begins(const char *at, const char *end, const char *word)
{
	const size_t length = strlen(word);

	return (size_t)(end - at) >= length && memcmp(at, word, length) == 0 && !kt_is_name_part(at[length]);
}

/* The types that the text `top` declares have another size than those of distributed loops, and another name: along_f32. */
static bool is_type(const char *top, const char *at, size_t length)
{
	for (const char *found = top;
	     length > 5 && memcmp(at, "pack_", 5) == 0 && (found = strstr(found, ") pack_")) != NULL; found += 2)
		if (strncmp(found + 2, at, length) == 0 && found[2 + length] == ' ')
			return true;
	return false;
}

/* ALONG for VEC, in the text's placeholders; along_f32 for pack_f32. */
static void respell(struct kt_buf *out, const char *text, const char *top)
{
	static const char unroll[] = "#pragma unroll ${UNROLL}\n";
	const char *placeholder = text;

	for (const char *at = text; *at != '\0';) {
		size_t length = 0;

		if (strncmp(at, unroll, sizeof unroll - 1) == 0) {
			kt_buf_adds(out, "${if INNER}\n#pragma unroll ${INNER}\n${end}\n");
			at += sizeof unroll - 1;
			continue;
		}
		if (at[0] == '$' && at[1] == '{')
			placeholder = strchr(at, '}');
		while (kt_is_name_part(at[length]))
			length++;
		if (length == 0) {
			kt_buf_addc(out, *at++);
			continue;
		}
		if (placeholder != NULL && at < placeholder && begins(at, placeholder, "VEC"))
			kt_buf_adds(out, "ALONG");
		else if (is_type(top, at, length))
			kt_buf_addf(out, "along_%.*s", (int)length - 5, at + 5);
		else
			kt_buf_add(out, at, length);
		at += length;
	}
}

/* The loop in groups, as template text; NULL: not possible. */
static const char *deep_text(struct kt_family *family, const struct kt_effects *whole, struct kt_tree *node)
{
	static const int64_t widths[] = {1, 2, 4, 8, 16};
	struct kt_loop *loop = kt_arena_alloc(family->kernel->arena, sizeof *loop);
	struct kt_effects effects;
	struct kt_error err;
	struct kt_vector *vector;
	struct kt_buf top = family->top, text = KT_BUF(KT_LIMIT_SOURCE_BYTES), types = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const char *deep, *one;

	if (loop == NULL || !read_loop(loop, family, node) ||
	    kt_effects_read(&effects, &family->polys, node->children[3], 0, &err) != KT_OK || is_written(whole, &effects))
		return NULL;
	NEED(vector = kt_vector_plan(family, loop, &effects), NULL);
	family->top = (struct kt_buf)KT_BUF(KT_LIMIT_SOURCE_BYTES);
	one = kt_vector_text(family, vector, &(struct kt_frame){.start = "0", .step = "1", .serial = true});
	respell(&types, kt_buf_text(&family->top), kt_buf_text(&family->top));
	respell(&text, one, kt_buf_text(&family->top));
	kt_buf_free(&family->top);
	family->top = top;
	/* Quotients of 64 bits are a choice of distributed loops. */
	if (strstr(one, "NARROW") != NULL) {
		kt_buf_free(&types);
		kt_buf_free(&text);
		return NULL;
	}
	if (strstr(kt_buf_text(&family->top), kt_buf_text(&types)) == NULL)
		kt_buf_adds(&family->top, kt_buf_text(&types));
	kt_family_parameter(family, "ALONG", "elements of one access of a thread's own loop", widths,
	                    kt_vector_width_count(vector));
	deep = kt_family_text(family, "%s", kt_buf_text(&text));
	family->failed = family->failed || text.failed || types.failed;
	kt_buf_free(&types);
	kt_buf_free(&text);
	return deep;
}

struct search {
	struct kt_family *family;
	struct kt_effects whole;
	bool read, found;
};

/* What the kernel does to memory, once there is a loop that wants to know. */
static const struct kt_effects *whole_of(struct search *search)
{
	struct kt_error err;

	if (!search->read &&
	    kt_effects_read(&search->whole, &search->family->polys, search->family->kernel->body, 0, &err) != KT_OK)
		search->family->failed = true;
	search->read = true;
	return &search->whole;
}

static bool find_loop(struct kt_tree *node, void *context)
{
	struct search *search = context;
	struct kt_family *family = search->family;
	const char *deep = NULL;

	if (node->kind != KT_TREE_FOR || node->in_macro || node->children[1] == NULL || kt_family_has_loop(family, node) ||
	    !kt_tree_walk(node, is_simple, node) || kt_rule_has_pragma(family->kernel, node))
		return true;
	if (kt_family_allows(family, "vectorize"))
		deep = deep_text(family, whole_of(search), node);
	if (deep == NULL && is_counted(family, node))
		return true;
	kt_write_wrap(&family->write, node,
	              kt_family_text(family, "\n%s%s%s${if INNER}\n#pragma unroll ${INNER}\n${end}\n",
	                             deep != NULL ? "${if ALONG > 1}\n" : "", deep != NULL ? deep : "",
	                             deep != NULL ? "${else}\n" : ""),
	              NULL, deep != NULL ? "\n${end}\n" : "");
	search->found = true;
	return true;
}

static bool find_place(struct kt_tree *node, void *context)
{
	(void)context;
	return node->kind != KT_TREE_BUILTIN;
}

/*
 * What is set from the thread index will be set otherwise: it goes by its name here, and is not looked through. `by` 1: from
 * now on, −1: no longer.
 */
static void hold_places(struct kt_family *family, int by)
{
	for (size_t i = 0; i < family->kernel->variable_count; i++) {
		struct kt_tree_variable *v = family->kernel->variables[i];

		if (v->declaration == NULL || v->is_pointer || v->is_array || kt_tree_walk(v->declaration, find_place, NULL))
			continue;
		if (by > 0)
			v->writes++;
		else
			v->writes--;
	}
}

bool kt_rule_serial(struct kt_family *family)
{
	static const int64_t turns[] = {0, 4, 8, 16, 32};
	struct search search = {.family = family};

	if (!kt_family_allows(family, "unroll") || !kt_rule_target(family)->has_cuda_words ||
	    family->kernel->step_count > 0)
		return false;
	/* A reduction over the block gives what the loop adds up another name. */
	for (size_t i = 0; i < family->kernel->variable_count; i++)
		if (family->kernel->variables[i]->is_shared)
			return false;
	hold_places(family, 1);
	kt_tree_walk(family->kernel->body, find_loop, &search);
	hold_places(family, -1);
	if (!search.found)
		return false;
	kt_family_parameter(family, "INNER", "turns of a thread's own loop in one; 0: as the compiler likes", turns,
	                    sizeof turns / sizeof turns[0]);
	kt_family_applied(family, "unroll", "a thread's own loop can take several turns, or several elements, at a time");
	return true;
}
