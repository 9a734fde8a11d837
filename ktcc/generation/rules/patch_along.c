/*
 * Along: what the items of a patch read at neighbouring indices in neighbouring iterations of a loop moves in one access.
 *
 *   for (k = 0; k < n; k++)               becomes   for (g = 0; g < n; g += ALONG) {
 *       sum += a[y * n + k] * b[…];                     run = ALONG elements from a[y * n + g] on, for each row
 *                                                       for (k = g; k < g + ALONG; k++) sum += run[k - g] * b[…]; }
 *
 * Sound when: every item reads it in every iteration, and nothing that the patch writes can reach it, so that it may be read
 * some iterations early. The number of iterations is a multiple of ALONG, and where the runs begin is aligned: both are asked
 * in front of the patch. Iterations keep their order; where threads distribute them (patch_parts.c), a thread takes ALONG at a
 * time.
 */
#include "generation/rules/patch.h"

static bool is_steady(const struct kt_atom *atom, void *context)
{
	return kt_patch_is_fixed(atom, context) &&
	       (atom->kind != KT_ATOM_VARIABLE || kt_patch_loop_with(context, atom->variable) == NULL);
}

/* A term with the row's number as a factor, or with nothing of an item's own. */
static bool is_row_term(struct kt_patch *patch, const struct kt_term *term, bool *rows)
{
	struct kt_poly rest = {.count = 1, .terms = {{.factor = term->factor}}};
	size_t found = 0;

	for (size_t i = 0; i < term->count; i++)
		if (term->atoms[i]->kind == KT_ATOM_VARIABLE && patch->plane->axes[1].variable != NULL &&
		    term->atoms[i]->variable == patch->plane->axes[1].variable)
			found++;
		else
			rest.terms[0].atoms[rest.terms[0].count++] = term->atoms[i];
	*rows = *rows || found > 0;
	return found < 2 && kt_poly_every(&rest, is_steady, patch);
}

/* The index without the loop's variable, which is added to it as it is. */
static bool split(struct kt_patch_run *run, struct kt_poly *base, struct kt_patch *patch, const struct kt_poly *index)
{
	bool found = false;

	for (size_t i = 0; i < index->count; i++) {
		const struct kt_term *term = &index->terms[i];

		if (term->count == 1 && term->factor == 1 && term->atoms[0]->kind == KT_ATOM_VARIABLE &&
		    term->atoms[0]->variable == run->loop->variable)
			found = true;
		else if (is_row_term(patch, term, &run->rows))
			base->terms[base->count++] = *term;
		else
			return false;
	}
	return found;
}

/* The one loop of all items around the node, with none around or inside of it. */
static const struct kt_patch_loop *loop_around(const struct kt_patch *patch, const struct kt_tree *node)
{
	const struct kt_patch_loop *found = NULL;

	for (size_t i = 0; i < patch->loop_count; i++) {
		const struct kt_patch_loop *loop = &patch->loops[i];

		if (loop->kept || !kt_tree_contains(loop->node, node))
			continue;
		if (found != NULL)
			return NULL;
		found = loop;
	}
	for (size_t i = 0; found != NULL && i < patch->loop_count; i++)
		if (&patch->loops[i] != found && !patch->loops[i].kept && kt_tree_contains(found->node, patch->loops[i].node))
			return NULL;
	return found != NULL && !found->inclusive && kt_scalar_bytes(found->variable->scalar) >= 4 ? found : NULL;
}

/* Is the number of iterations no multiple of this on any problem? Then no patch would go this way. */
static bool is_never_whole(struct kt_family *family, const struct kt_patch_loop *loop, unsigned turns)
{
	const struct kt_poly *count = kt_poly_add(&family->polys, loop->bound, loop->first, -1);
	const char *text = count != NULL ? kt_rule_clause(family, count) : NULL;

	return text != NULL && kt_rule_greatest(family, kt_family_text(family, "(%s) %% %u", text, turns)) > 0;
}

static void add_run(struct kt_patch *patch, const struct kt_patch_run *run, struct kt_tree *node)
{
	struct kt_family *family = patch->plane->family;
	struct kt_patch_run *at = NULL;

	for (size_t i = 0; i < patch->run_count && at == NULL; i++)
		if (patch->runs[i].root == run->root && patch->runs[i].loop == run->loop &&
		    kt_poly_equal(patch->runs[i].base, run->base))
			at = &patch->runs[i];
	if (at == NULL && patch->run_count < KT_PATCH_RUNS) {
		at = &patch->runs[patch->run_count];
		*at = *run;
		at->name = kt_family_name(family, kt_family_text(family, "%s_run%zu", run->root->name, patch->run_count++));
	}
	if (at != NULL && at->member_count < KT_PATCH_MEMBERS)
		at->members[at->member_count++] = node;
}

void kt_patch_find_runs(struct kt_patch *patch)
{
	const struct kt_effects *effects = &patch->plane->effects;
	struct kt_family *family = patch->plane->family;

	if (!kt_rule_target(family)->has_cuda_words || effects->unknown != NULL)
		return;
	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *access = &effects->accesses[i];
		struct kt_patch_run run = {.root = access->root, .loop = loop_around(patch, access->node)};
		struct kt_poly *base = kt_arena_alloc(family->kernel->arena, sizeof *base);

		if (base == NULL) {
			family->failed = true;
			return;
		}
		*base = (struct kt_poly){0};
		run.base = base;
		if (run.loop == NULL || access->writes || access->atomic || access->node->in_macro ||
		    access->root->argument < 0 || access->root->element == NULL ||
		    (access->root->element_bytes != 2 && access->root->element_bytes != 4 && access->root->element_bytes != 8) ||
		    !kt_patch_is_single(patch, access->node) || !split(&run, base, patch, access->index) ||
		    is_never_whole(family, run.loop, 16 / access->root->element_bytes) || !kt_patch_may_lead(patch, access))
			continue;
		add_run(patch, &run, access->node);
	}
}

bool kt_patch_has_runs(const struct kt_patch *patch, const struct kt_patch_loop *loop)
{
	for (size_t i = 0; i < patch->run_count; i++)
		if (patch->runs[i].loop == loop)
			return true;
	return false;
}

static const char *type_of(const struct kt_patch_printer *p, const struct kt_patch_run *run)
{
	return kt_family_name(p->family, kt_family_text(p->family, "%s_line", run->root->name));
}

static const char *group_of(const struct kt_patch_printer *p, const struct kt_patch_loop *loop)
{
	return kt_family_name(p->family, kt_family_text(p->family, "%s_group", loop->variable->name));
}

void kt_patch_replace_runs(const struct kt_patch_printer *p)
{
	for (size_t i = 0; i < p->patch->run_count; i++) {
		const struct kt_patch_run *run = &p->patch->runs[i];

		for (size_t m = 0; m < run->member_count; m++)
			kt_write_wrap(&p->family->write, run->members[m],
			              kt_family_text(p->family, "${if ALONG > 1}%s%s[%s - %s]${else}", run->name,
			                             run->rows ? kt_family_text(p->family, "[%s]", p->row) : "",
			                             run->loop->variable->name, group_of(p, run->loop)),
			              NULL, "${end}");
	}
}

/* The loop over groups, what is loaded for one, and the loop over a group's turns: one where ALONG is 1. */
void kt_patch_open_runs(const struct kt_patch_printer *p, const struct kt_patch_loop *loop, const char *place)
{
	const char *group = group_of(p, loop), *name = loop->variable->name, *type = kt_patch_type(loop->variable);

	kt_buf_addf(p->out, "#pragma unroll ${= STEPS / ALONG}\nfor (%s %s = ", type, group);
	kt_poly_print(p->out, p->family->kernel, loop->first, NULL, NULL);
	if (place != NULL)
		kt_buf_addf(p->out, "${if PARTS > 1} + %s${if ALONG > 1} * ${ALONG}${end}${end}", place);
	kt_buf_addf(p->out, "; %s < ", group);
	kt_poly_print(p->out, p->family->kernel, loop->bound, NULL, NULL);
	kt_buf_addf(p->out, "; %s += ${= ALONG%s}) {\n${if ALONG > 1}\n", group, place != NULL ? " * PARTS" : "");
	for (size_t i = 0; i < p->patch->run_count; i++) {
		const struct kt_patch_run *run = &p->patch->runs[i];
		const char *row = run->rows ? kt_family_text(p->family, "[%s]", p->row) : "";

		if (run->loop != loop)
			continue;
		kt_buf_addf(p->out, "%s %s%s[${ALONG}];\n", run->root->element, run->name, run->rows ? "[${ROWS}]" : "");
		if (run->rows)
			kt_patch_open_rows(p);
		kt_buf_addf(p->out, "{\nconst %s %s = *reinterpret_cast<const %s *>(%s + (", type_of(p, run), p->pack,
			    type_of(p, run), run->root->name);
		if (run->base->count > 0) {
			kt_poly_print(p->out, p->family->kernel, run->base, NULL, NULL);
			kt_buf_adds(p->out, " + ");
		}
		kt_buf_addf(
		    p->out,
		    "%s));\n\n#pragma unroll\nfor (int %s = 0; %s < ${ALONG}; %s++)\n%s%s[%s] = %s.item[%s];\n}\n",
		    group, p->at, p->at, p->at, run->name, row, p->at, p->pack, p->at);
		if (run->rows)
			kt_patch_close_rows(p);
	}
	kt_buf_addf(p->out,
	            "#pragma unroll\nfor (%s %s = %s; %s < %s + ${ALONG}; %s++) {\n"
	            "${else}\n{\nconst %s %s = %s;\n${end}\n",
	            type, name, group, name, group, name, type, name, group);
}

void kt_patch_add_run_conditions(const struct kt_patch_printer *p)
{
	const struct kt_patch *patch = p->patch;

	if (patch->run_count == 0)
		return;
	kt_buf_adds(p->out, "${if ALONG > 1}");
	for (size_t i = 0; i < patch->run_count; i++) {
		const struct kt_patch_run *run = &patch->runs[i];
		const struct kt_poly *first = kt_poly_add(&p->family->polys, run->base, run->loop->first, 1);
		const struct kt_poly *turns = kt_poly_add(&p->family->polys, run->loop->bound, run->loop->first, -1);

		if (first == NULL || turns == NULL) {
			p->family->failed = true;
			return;
		}
		kt_buf_adds(p->out, " && (");
		kt_poly_print(p->out, p->family->kernel, turns, NULL, NULL);
		kt_buf_adds(p->out, ") % ${ALONG} == 0");
		kt_patch_add_aligned(p, run->root, first, "ALONG", NULL);
		if (run->rows)
			kt_patch_add_aligned(p, run->root, first, "ALONG", patch->plane->axes[1].variable);
	}
	kt_buf_adds(p->out, "${end}");
}

void kt_patch_declare_runs(const struct kt_patch_printer *p)
{
	struct kt_buf *top = &p->family->top;

	for (size_t i = 0; i < p->patch->run_count; i++) {
		const struct kt_patch_run *run = &p->patch->runs[i];
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again = again || p->patch->runs[k].root == run->root;
		if (!again)
			kt_buf_addf(top, "${if ALONG > 1}\nstruct alignas(${= ALONG * %u}) %s {\n%s item[${ALONG}];\n};\n${end}\n",
			            run->root->element_bytes, type_of(p, run), run->root->element);
	}
}

/* Registers of 32 bits beside what else is held. */
const char *kt_patch_run_words(const struct kt_patch_printer *p)
{
	const char *text = "";

	for (size_t i = 0; i < p->patch->run_count; i++)
		text = kt_family_text(p->family, "%s + (ALONG - 1) * %u%s / 4", text, p->patch->runs[i].root->element_bytes,
		                      p->patch->runs[i].rows ? " * ROWS" : "");
	return text;
}

void kt_patch_runs_parameter(const struct kt_patch *patch)
{
	struct kt_family *family = patch->plane->family;
	unsigned widest = 0;

	for (size_t i = 0; i < patch->run_count; i++)
		widest = patch->runs[i].root->element_bytes > widest ? patch->runs[i].root->element_bytes : widest;
	if (widest == 0)
		return;
	kt_family_parameter(family, "ALONG", "elements that an inner loop reads in one access",
			    (int64_t[]){1, 16 / widest}, 2);
	kt_family_restrict(family, "ALONG == 1 || STEPS % ALONG == 0", "whole groups of turns");
}
