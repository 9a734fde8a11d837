/* The loop over groups, and the one over the rest, as template text (vectorize.c has the conditions for it). */
#include "generation/rules/vector.h"

#include <string.h>

struct renaming {
	struct kt_family *family;
	const struct kt_vector *vector;
	const char *group; /* the group's first index */
};

static const char *group_atom(const struct kt_atom *atom, void *context)
{
	const struct renaming *r = context;
	const struct kt_loop *loop = r->vector->loop;

	if (loop->form == KT_LOOP_FOR && kt_atom_is(atom, loop->variable))
		return r->group;
	const struct kt_poly *index;
	const struct kt_tree_variable *root = kt_loop_row_load(r->family, loop, atom, &index);
	if (root != NULL) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
		const char *load;

		kt_poly_print(&text, r->family->kernel, index, group_atom, context);
		load = kt_family_text(r->family, "%s[%s]", root->name, kt_buf_text(&text));
		kt_buf_free(&text);
		return load;
	}
	if (atom->left == NULL || !kt_loop_is_index(r->family, loop, atom->left))
		return NULL;
	for (size_t i = 0; i < r->vector->division_count; i++)
		if (kt_poly_equal(r->vector->divisions[i].by, atom->right))
			return atom->kind == KT_ATOM_QUOTIENT ? r->vector->divisions[i].quotient
			                                      : r->vector->divisions[i].remainder;
	return NULL;
}

/* Text of an index, of the group's first element; `group` "0": of the very first. */
static void add_sum(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector,
                    const struct kt_poly *index, const char *group)
{
	struct renaming renaming = {family, vector, group};
	const struct kt_poly *self = kt_loop_index(family, vector->loop), *rest = index;
	int64_t step = 0;

	if (vector->loop->form != KT_LOOP_FOR) {
		rest = kt_loop_take_index(family, index, self, &step);
		if (step != 0)
			kt_buf_addf(out, "%s%s", group, rest->count > 0 ? " + " : "");
		if (step != 0 && rest->count == 0)
			return;
	}
	kt_poly_print(out, family->kernel, rest, group_atom, &renaming);
}

/* The same as an operand: in parentheses where it is more than a name. */
static void add_index(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector,
                      const struct kt_poly *index, const char *group)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	add_sum(&text, family, vector, index, group);
	kt_buf_adds(out, kt_family_factor(family, kt_buf_text(&text)));
	family->failed = family->failed || text.failed;
	kt_buf_free(&text);
}

const char *kt_pack_type(struct kt_family *family, const struct kt_tree_variable *root)
{
	const char *element = root->scalar != KT_SCALAR_NONE ? kt_scalar_name(root->scalar) : root->element;
	char *clean = kt_arena_strdup(family->kernel->arena, kt_family_text(family, "pack_%s", element));

	for (char *at = clean; at != NULL && *at != '\0'; at++)
		if (!(*at >= 'a' && *at <= 'z') && !(*at >= 'A' && *at <= 'Z') && !(*at >= '0' && *at <= '9'))
			*at = '_';
	return clean != NULL ? kt_family_name(family, clean) : kt_family_name(family, "pack");
}

void kt_pack_declare(struct kt_family *family, const struct kt_tree_variable *root)
{
	const char *type = kt_pack_type(family, root);
	const char *text = kt_family_text(family,
	                                  "${if VEC > 1}\nstruct alignas(${= VEC * %u}) %s {\n%s item[${VEC}];\n};\n"
	                                  "${end}\n",
	                                  root->element_bytes, type, root->element);

	if (family->top.data == NULL || strstr(family->top.data, text) == NULL)
		kt_buf_adds(&family->top, text);
}

/* Each is asked once. */
static void add_condition(struct kt_buf *out, struct kt_buf *one)
{
	if (out->data != NULL && strstr(out->data, kt_buf_text(one)) != NULL)
		return;
	if (out->size > 0 && strchr("0)", out->data[out->size - 1]) != NULL)
		kt_buf_adds(out, " &&\n");
	kt_buf_adds(out, kt_buf_text(one));
}

/* The first index of each access, at the loop's begin, must be a multiple of VEC elements. */
void kt_vector_conditions(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector)
{
	struct kt_buf one = KT_BUF(KT_LIMIT_LINE_BYTES);

	for (size_t i = 0; i < vector->pack_count; i++) {
		const struct kt_pack *pack = &vector->packs[i];
		struct kt_motion motion;

		kt_motion_find(&motion, family, vector->loop, pack->index);
		kt_buf_clear(&one);
		kt_buf_addf(&one, "reinterpret_cast<unsigned long long>(%s", pack->root->name);
		if (motion.fixed->count > 0) {
			kt_buf_adds(&one, " + (");
			kt_poly_print(&one, family->kernel, motion.fixed, NULL, NULL);
			kt_buf_addc(&one, ')');
		}
		kt_buf_addf(&one, ") %% ${= VEC * %u} == 0", pack->root->element_bytes);
		add_condition(out, &one);
	}
	for (size_t i = 0; i < vector->row_term_count + vector->division_count; i++) {
		const bool row = i < vector->row_term_count;
		const char *term;

		kt_buf_clear(&one);
		kt_poly_print(&one, family->kernel,
		              row ? vector->row_terms[i] : vector->divisions[i - vector->row_term_count].by, NULL, NULL);
		term = kt_family_factor(family, kt_family_text(family, "%s", kt_buf_text(&one)));
		kt_buf_clear(&one);
		kt_buf_addf(&one, "%s %% ${VEC} == 0", term);
		add_condition(out, &one);
	}
	for (size_t i = 0; i < vector->apart_count; i++) {
		kt_buf_clear(&one);
		kt_buf_adds(&one, vector->aparts[i]);
		add_condition(out, &one);
	}
	family->failed = family->failed || one.failed;
	kt_buf_free(&one);
}

/* A name that is declared with its type. */
static bool has_own_type(const struct kt_family *family, const struct kt_tree *node)
{
	const char *text = node->kind == KT_TREE_VARIABLE ? kt_tree_text(family->kernel, node->parent) : "auto";

	return strstr(text, "auto") == NULL && strchr(text, '{') == NULL;
}

/*
 * Does the node above have the value that it has with the narrow quotient, and its type? It divides the quotient, which is
 * not negative, by a value of 32 bits. (By a negative one with a sign: not where the quotient's own type has none.)
 */
static bool stays_narrow(const struct kt_tree *above, const struct kt_tree *node)
{
	const struct kt_tree *by = above->count == 2 ? kt_tree_bare(above->children[1]) : NULL;

	return by != NULL && above->children[0] == node &&
	       (kt_tree_is(above, KT_TREE_BINARY, "/") || kt_tree_is(above, KT_TREE_BINARY, "%")) &&
	       (by->scalar == KT_U32 || (by->scalar == KT_I32 && above->scalar != KT_U64 && above->scalar != KT_U32));
}

/* A cast of the groups' counter to the type of the original quotient: the sum around it may be negative. */
static const char *quotient_cast(struct kt_family *family, const struct kt_vector *vector, const struct kt_tree *node)
{
	static const char *const names[] = {
		[KT_I32] = "int", [KT_U32] = "unsigned", [KT_I64] = "long long", [KT_U64] = "unsigned long long"};
	const enum kt_scalar scalar = node->scalar;
	const char *when = vector->wide_index ? "NARROW" : "EVEN";
	bool narrow = false;

	while (node->parent != NULL && (node->parent->kind == KT_TREE_PAREN || stays_narrow(node->parent, node))) {
		narrow = narrow || node->parent->kind != KT_TREE_PAREN;
		node = node->parent;
	}
	if ((size_t)scalar >= sizeof names / sizeof names[0] || names[scalar] == NULL)
		return "";
	if (node->parent != NULL && has_own_type(family, node->parent))
		return narrow && (vector->wide_index || vector->even) ? kt_family_text(family, "${if %s}(int)${end}", when) : "";
	if (scalar != vector->loop->variable->scalar)
		return kt_family_text(family, "(%s)", names[scalar]);
	return vector->wide_index || vector->even ? kt_family_text(family, "${if %s}(%s)${end}", when, names[scalar]) : "";
}

static void replace_divisions(struct kt_family *family, const struct kt_vector *vector, const char *lane)
{
	for (size_t i = 0; i < vector->quotient_count; i++) {
		struct kt_tree *node = vector->quotients[i];
		const struct kt_poly *poly = kt_poly_of(&family->polys, node);
		const struct kt_atom *atom = poly->terms[0].atoms[0];
		const char *cast = quotient_cast(family, vector, node);

		for (size_t d = 0; d < vector->division_count; d++) {
			if (!kt_poly_equal(vector->divisions[d].by, atom->right))
				continue;
			kt_write_set(&family->write, node,
			             atom->kind == KT_ATOM_QUOTIENT
			                 ? kt_family_text(family, "%s%s", cast, vector->divisions[d].quotient)
			                 : kt_family_text(family, "%s(%s + %s)", cast, vector->divisions[d].remainder, lane));
		}
	}
}

/* The statements of one iteration, as they are replaced at the moment. */
static void add_body(struct kt_buf *out, struct kt_family *family, const struct kt_loop *loop)
{
	struct kt_tree *scope = kt_loop_scope(loop);

	if (loop->body == NULL || scope->kind == KT_TREE_BLOCK)
		kt_write_statements(out, &family->write, scope, loop->body == NULL ? loop->first : 0, scope->count);
	else
		kt_write_statement(out, &family->write, scope);
}

/* Where a pack begins: in 32 bits where guards ensure that these hold every index. */
static void add_place(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector,
                      const struct kt_pack *pack, const char *group)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	add_index(&text, family, vector, pack->index, group);
	kt_buf_addf(out, "%s + %s%s", pack->root->name,
	            vector->even && kt_family_count(family, pack->root) != NULL && strcmp(kt_buf_text(&text), group) != 0
	                ? "${if EVEN}(unsigned)${end}"
	                : "",
	            kt_buf_text(&text));
	family->failed = family->failed || text.failed;
	kt_buf_free(&text);
}

/*
 * `reads_on`: rows are read again from memory. Then the last loop to read them is done with them, and until then they
 * had better stay in the L2 cache, which rows of other blocks and what is stored would push them out of.
 */
static void add_load(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector,
                     const struct kt_pack *pack, const char *group, bool reads_on)
{
	const char *when = reads_on ? "STREAM" : "STREAM > 1";

	if (pack->streams)
		kt_buf_addf(out, "${if %s}${ktune:callee:%d}(${else}*${end}", when, reads_on && pack->again ? 10 : 0);
	else
		kt_buf_addc(out, '*');
	kt_buf_addf(out, "reinterpret_cast<const %s *>(", kt_pack_type(family, pack->root));
	add_place(out, family, vector, pack, group);
	kt_buf_adds(out, ")");
	if (pack->streams)
		kt_buf_addf(out, "${if %s})${end}", when);
	kt_buf_adds(out, ";\n");
	family->streams_loads = family->streams_loads || (pack->streams && !reads_on && pack->kept == NULL);
}

/* The turn in which packs are kept: one name for all loops. */
static const char *turn_of(struct kt_family *family)
{
	return kt_family_name(family, "turn");
}

static void add_moves(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector, const char *group,
                      bool stores)
{
	for (size_t i = 0; i < vector->pack_count; i++) {
		const struct kt_pack *pack = &vector->packs[i];
		const char *type = kt_pack_type(family, pack->root);
		bool streams = pack->streams;

		if (stores ? !pack->stores : false)
			continue;
		if (!stores) {
			if (pack->ahead != NULL)
				kt_buf_addf(out, "${if AHEAD}\nconst %s &%s = %s[%s];\n${else}\n", type, pack->name, pack->ahead, turn_of(family));
			if (pack->kept != NULL)
				kt_buf_addf(out, "${if TURNS}\n%s &%s = %s[%s];\n", type, pack->name, pack->kept, turn_of(family));
			if (pack->kept != NULL && pack->loads && !pack->known) {
				kt_buf_addf(out, "%s = ", pack->name);
				add_load(out, family, vector, pack, group, false);
			}
			if (pack->kept != NULL)
				kt_buf_adds(out, "${else}\n");
			if (!pack->loads) {
				kt_buf_addf(out, "%s %s;\n", type, pack->name);
			} else {
				kt_buf_addf(out, "%s%s %s = ", pack->stores ? "" : "const ", type, pack->name);
				add_load(out, family, vector, pack, group, pack->kept != NULL);
			}
			if (pack->kept != NULL || pack->ahead != NULL)
				kt_buf_adds(out, "${end}\n");
			continue;
		}
		if (streams) {
			kt_buf_addf(out, "${if STREAM%s}\n${ktune:callee:1}(reinterpret_cast<%s *>(", pack->again ? " && TURNS" : "",
			            type);
			add_place(out, family, vector, pack, group);
			kt_buf_addf(out, "), %s);\n${else}\n", pack->name);
		}
		kt_buf_addf(out, "*reinterpret_cast<%s *>(", type);
		add_place(out, family, vector, pack, group);
		kt_buf_addf(out, ") = %s;\n%s", pack->name, streams ? "${end}\n" : "");
	}
}

size_t kt_vector_width_count(const struct kt_vector *vector)
{
	unsigned narrowest = vector->widest;
	size_t count = 1;

	for (size_t i = 0; i < vector->pack_count; i++)
		if (vector->packs[i].root->element_bytes < narrowest)
			narrowest = vector->packs[i].root->element_bytes;
	while (count < 5 && (narrowest << count) <= 16)
		count++;
	return count;
}

/* A block far after the end must not begin at what is no number of 32 bits: it would look like one before the end. */
static void guard_narrow(struct kt_family *family, const struct kt_vector *vector, const struct kt_frame *frame)
{
	const char *bound = kt_rule_clause(family, vector->loop->bound);

	if (bound != NULL)
		kt_family_guard(family, kt_family_text(family, "NARROW == 0 || (%s) <= %lld", bound, (1LL << 31) - (1LL << 18)),
		                "counters of 32 bits");
	else if (frame->once != NULL)
		kt_family_restrict(family, "NARROW == 0", "it is not known whether 32 bits hold the last index");
}

static void add_parameters(struct kt_family *family, const struct kt_vector *vector, const struct kt_frame *frame)
{
	static const int64_t widths[] = {1, 2, 4, 8, 16}, turns[] = {1, 2, 4}, flags[] = {0, 1};

	kt_family_parameter(family, "VEC", "elements of one memory access", widths, kt_vector_width_count(vector))
	    ->original = 1;
	kt_family_parameter(family, "UNROLL", "groups of one iteration of the vector loop", turns, 3);
	kt_family_restrict(family, "VEC > 1 || UNROLL == 1", "the scalar loop is left as it is");
	if (vector->wide_index && vector->division_count > 0) {
		kt_family_parameter(family, "NARROW", "1: the vector loop counts in 32 bits", flags, 2);
		kt_family_restrict(family, "VEC > 1 || NARROW == 0", "the scalar loop is left as it is");
		guard_narrow(family, vector, frame);
		if (vector->even)
			kt_family_restrict(family, "EVEN == 0 || NARROW == 1", "its counters have 32 bits");
	}
}

/* A variable or a number of no more than 32 bits. */
static bool is_narrow(const struct kt_poly *poly)
{
	const struct kt_term *term = &poly->terms[0];

	if (poly->count != 1 || term->count > 1 || term->factor <= 0 || term->factor > INT32_MAX)
		return false;
	return term->count == 0 || (term->factor == 1 && term->atoms[0]->kind == KT_ATOM_VARIABLE &&
	                            kt_scalar_bytes(term->atoms[0]->variable->scalar) <= 4);
}

/* The counter must not run past its type, and what it is divided by must be one of that type. */
static void add_range(struct kt_buf *out, const struct kt_family *family, const struct kt_vector *vector,
                      const char *count, const char *step)
{
	if (vector->wide_index && vector->division_count == 0)
		return;
	kt_buf_addf(out, "%s(long long)%s + (long long)(%s) * ${VEC} <= 0x7fffffffLL",
	            vector->wide_index ? "${if NARROW} &&\n" : " &&\n", count, step);
	for (size_t i = 0; i < vector->division_count; i++) {
		if (is_narrow(vector->divisions[i].by))
			continue;
		kt_buf_adds(out, " &&\n(int)(");
		kt_poly_print(out, family->kernel, vector->divisions[i].by, NULL, NULL);
		kt_buf_adds(out, ") == (long long)(");
		kt_poly_print(out, family->kernel, vector->divisions[i].by, NULL, NULL);
		kt_buf_addc(out, ')');
	}
	kt_buf_adds(out, vector->wide_index ? "${end}" : "");
}

struct names {
	const char *type, *counter, *group, *end, *count, *lane, *wide;
	const char *rest, *at, *step; /* of the loop over the rest: index of a turn, of an element, distance of elements */
	const char *plain; /* the counter's type without EVEN */
};

static struct names name_parts(struct kt_family *family, const struct kt_vector *vector, const struct kt_frame *frame)
{
	const struct kt_tree_variable *v = vector->loop->variable;
	const char *type = v->bare;
	const char *counter = vector->wide_index && vector->division_count > 0
	                          ? kt_family_text(family, "${if NARROW}int${else}%s${end}", type)
	                          : type;

	return (struct names){
	    .type = type,
	    .plain = counter,
	    .counter = vector->even ? kt_family_text(family, "${if EVEN}unsigned${else}%s${end}", counter) : counter,
	    .group = kt_family_name(family, kt_family_text(family, "%s_group", v->name)),
	    .end = kt_family_name(family, kt_family_text(family, "%s_end", v->name)),
	    .count = kt_family_name(family, kt_family_text(family, "%s_count", v->name)),
	    .rest = kt_family_name(family, kt_family_text(family, "%s_rest", v->name)),
	    .at = kt_family_name(family, kt_family_text(family, "%s_at", v->name)),
	    .step = kt_family_name(family, kt_family_text(family, "%s_step", v->name)),
	    /* A serial loop is in the body of another one, which has separate names. */
	    .lane = kt_family_name(family, frame->serial ? kt_family_text(family, "%s_lane", v->name) : "lane"),
	    .wide = frame->wide != NULL
			? frame->wide
			: kt_family_name(family, frame->serial ? kt_family_text(family, "%s_wide", v->name) : "wide"),
	};
}

static void add_divisions(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector,
                          const struct names *n)
{
	struct kt_buf by = KT_BUF(KT_LIMIT_LINE_BYTES);

	for (size_t i = 0; i < vector->division_count; i++) {
		const struct kt_division *d = &vector->divisions[i];
		const char *type = d->shifts ? n->plain : n->counter;

		kt_buf_clear(&by);
		kt_poly_print(&by, family->kernel, d->by, NULL, NULL);
		if (d->shifts)
			kt_buf_addf(out,
			            "${if EVEN}\nconst unsigned %s = %s >> (31 - __clz((int)(%s)));\n"
			            "const unsigned %s = %s & ((unsigned)(%s) - 1);\n${else}\n",
			            d->quotient, n->group, kt_buf_text(&by), d->remainder, n->group, kt_buf_text(&by));
		kt_buf_addf(out, "const %s %s = %s / (%s)(%s);\nconst %s %s = %s - %s * (%s)(%s);\n%s", type, d->quotient,
		            n->group, type, kt_buf_text(&by), type, d->remainder, n->group, d->quotient, type, kt_buf_text(&by),
		            d->shifts ? "${end}\n" : "");
	}
	family->failed = family->failed || by.failed;
	kt_buf_free(&by);
}

/* The loop over groups. */
static void add_groups(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector,
                       const struct kt_frame *frame, const struct names *n)
{
	const size_t mark = family->write.count;
	const char *turn = turn_of(family);

	if (frame->turns)
		kt_buf_addf(out,
			    "${if TURNS}\n#pragma unroll\nfor (int %s = 0; %s < ${TURNS}; %s++) {\n"
			    "const %s %s = (%s * %s + %s) * ${VEC};\n\nif (%s >= %s)\ncontinue;\n${else}\n",
			    turn, turn, turn, n->counter, n->group, turn, kt_family_factor(family, frame->step),
			    frame->start, n->group, n->end);
	if (vector->even && frame->once != NULL)
		kt_buf_addf(out, "${if %s}\nconst unsigned %s = %s * ${VEC};\n\nif (%s < %s) {\n${else}\n", frame->once,
		            n->group, kt_family_factor(family, frame->start), n->group, n->end);
	if (frame->covers)
		kt_buf_addf(out,
		            "${if SPLIT == 0}\n#pragma unroll\nfor (int %s = 0; %s < ${UNROLL}; %s++) {\n"
		            "const %s %s = ((%s)(%s * ${UNROLL} + %s) * ${BLOCK} + threadIdx.x) * ${VEC};\n\n"
		            "if (%s >= %s)\nbreak;\n${else}\n",
		            turn, turn, turn, n->counter, n->group, n->counter, frame->piece, turn, n->group, n->end);
	kt_buf_adds(out, "#pragma unroll ${UNROLL}\n");
	kt_family_for(
	    out,
	    kt_family_text(family, "%s %s = %s * ${VEC}", n->counter, n->group, kt_family_factor(family, frame->start)),
	    kt_family_text(family, "%s < %s", n->group, n->end),
	    kt_family_text(family, "%s += %s * ${VEC}", n->group, kt_family_factor(family, frame->step)));
	if (frame->turns || frame->covers || (vector->even && frame->once != NULL))
		kt_buf_adds(out, "${end}\n");
	add_divisions(out, family, vector, n);
	add_moves(out, family, vector, n->group, false);
	for (size_t i = 0; i < vector->ahead_count; i++) {
		const struct kt_pack *pack = &vector->aheads[i].vector->packs[vector->aheads[i].pack];

		kt_buf_addf(out, "${if AHEAD}\n%s[%s] = ", pack->ahead, turn);
		add_load(out, family, vector->aheads[i].vector, pack, n->group, false);
		kt_buf_adds(out, "${end}\n");
	}
	kt_buf_addf(out, "#pragma unroll\nfor (int %s = 0; %s < ${VEC}; %s++) {\nconst %s %s = %s + %s;\n", n->lane,
	            n->lane, n->lane, n->type, vector->loop->variable->name, n->group, n->lane);
	for (size_t i = 0; i < vector->member_count; i++)
		kt_write_set(&family->write, vector->members[i].node,
		             kt_family_text(family, "%s.item[%s]", vector->packs[vector->members[i].pack].name, n->lane));
	replace_divisions(family, vector, n->lane);
	add_body(out, family, vector->loop);
	kt_write_back(&family->write, mark);
	kt_buf_adds(out, "\n}\n");
	add_moves(out, family, vector, n->group, true);
	kt_buf_adds(out, "}\n");
}

/*
 * What must hold for the rest to be taken in turns: 32 bits hold what the quotients are made of. Appends nothing where that
 * is so for every launch.
 */
static void add_rest_conditions(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector,
                                const struct kt_frame *frame, const struct names *n)
{
	struct kt_buf range = KT_BUF(KT_LIMIT_LINE_BYTES);

	if (vector->division_count == 0)
		return;
	add_range(&range, family, vector, n->count, frame->step);
	if (vector->wide_index)
		kt_buf_addf(out, "true%s", kt_buf_text(&range));
	else
		kt_buf_adds(out, strstr(kt_buf_text(&range), "(int)(") != NULL ? kt_buf_text(&range) + strlen(" &&\n") : "");
	family->failed = family->failed || range.failed;
	kt_buf_free(&range);
}

/* Does the text name a quotient of the index, or a remainder? */
static bool names_division(const char *text, const struct kt_vector *vector)
{
	for (size_t i = 0; i < vector->division_count; i++)
		if (strstr(text, vector->divisions[i].quotient) != NULL || strstr(text, vector->divisions[i].remainder) != NULL)
			return true;
	return false;
}

/*
 * Appends what is done for each of a turn's elements; its index is `group`. `clamps`: the last element takes the place of those
 * past the end, which do what it does once more. Then no branch is between the elements, and they wait for memory together.
 */
static void add_each(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector, const struct names *n,
                     const struct kt_buf *text, bool clamps)
{
	const char *place = kt_family_text(family, "%s + %s * %s", n->rest, n->lane, n->step);

	kt_buf_addf(out, "#pragma unroll\nfor (int %s = 0; %s < ${= min(VEC, 4)}; %s++) {\nconst long long %s = ", n->lane,
	            n->lane, n->lane, n->at);
	if (clamps)
		kt_buf_addf(out, "%s < (long long)%s ? %s : (long long)%s - 1;\n", place, n->count, place, n->count);
	else
		kt_buf_addf(out, "%s;\n\nif (%s < (long long)%s) {\n", place, n->at, n->count);
	kt_buf_addf(out, "const %s %s = %s;\n", n->counter, n->group, n->at);
	if (names_division(kt_buf_text(text), vector))
		add_divisions(out, family, vector, n);
	kt_buf_addf(out, "%s%s}\n", kt_buf_text(text), clamps ? "" : "}\n");
	family->failed = family->failed || text->failed;
}

/* May an iteration be repeated, except for the stores of packs? It changes nothing else. */
static bool repeats(const struct kt_vector *vector)
{
	const struct kt_effects *effects = vector->effects;
	size_t stores = 0, members = 0;

	for (size_t i = 0; i < effects->access_count; i++)
		stores += effects->accesses[i].writes;
	for (size_t i = 0; i < effects->access_count; i++)
		for (size_t m = 0; m < vector->member_count; m++)
			members += effects->accesses[i].writes && vector->members[m].node == effects->accesses[i].node;
	return stores == members && effects->fold_count == 0 && effects->opaque == NULL && effects->unknown == NULL;
}

/* Loads or stores a turn's elements. */
static void add_taken(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector,
                      const struct names *n, bool stores)
{
	struct kt_buf each = KT_BUF(KT_LIMIT_SOURCE_BYTES);

	for (size_t i = 0; i < vector->pack_count; i++) {
		const struct kt_pack *pack = &vector->packs[i];

		if (stores ? !pack->stores : !pack->loads)
			continue;
		if (!stores)
			kt_buf_addf(&each, "%s.item[%s] = ", pack->name, n->lane);
		kt_buf_adds(&each, "*(");
		add_place(&each, family, vector, pack, n->group);
		if (stores)
			kt_buf_addf(&each, ") = %s.item[%s];\n", pack->name, n->lane);
		else
			kt_buf_adds(&each, ");\n");
	}
	if (each.size > 0)
		add_each(out, family, vector, n, &each, !stores);
	kt_buf_free(&each);
}

/*
 * The loop over elements that no group moves: the rest of a row, and all of a row that is not aligned. A turn takes as many as
 * a group has, at most four. Their distance is a step, so that neighbouring threads have neighbouring elements, and all are loaded
 * before the first is stored. One after the other they would wait for memory each.
 */
static void add_turns(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector,
                      const struct kt_frame *frame, const struct names *n)
{
	const size_t mark = family->write.count;
	struct kt_buf each = KT_BUF(KT_LIMIT_SOURCE_BYTES);

	kt_buf_addf(out, "const long long %s = %s;\n\n", n->step, frame->step);
	kt_family_for(out,
	              kt_family_text(family, "long long %s = %s + (long long)%s", n->rest, n->end,
	                             kt_family_factor(family, frame->start)),
	              kt_family_text(family, "%s < (long long)%s", n->rest, n->count),
	              kt_family_text(family, "%s += %s * ${= min(VEC, 4)}", n->rest, n->step));
	for (size_t i = 0; i < vector->pack_count; i++)
		kt_buf_addf(out, "%s %s;\n", kt_pack_type(family, vector->packs[i].root), vector->packs[i].name);
	add_taken(out, family, vector, n, false);
	kt_buf_addf(&each, "const %s %s = %s;\n", n->type, vector->loop->variable->name, n->at);
	for (size_t i = 0; i < vector->member_count; i++)
		kt_write_set(&family->write, vector->members[i].node,
		             kt_family_text(family, "%s.item[%s]", vector->packs[vector->members[i].pack].name, n->lane));
	replace_divisions(family, vector, "0");
	add_body(&each, family, vector->loop);
	kt_write_back(&family->write, mark);
	kt_buf_adds(&each, "\n");
	add_each(out, family, vector, n, &each, repeats(vector));
	kt_buf_free(&each);
	add_taken(out, family, vector, n, true);
	kt_buf_adds(out, "}\n");
}

/* The loop over single elements: the original's, from the end of the groups on. */
static void add_single(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector,
                       const struct kt_frame *frame, const struct names *n)
{
	const struct kt_loop *loop = vector->loop;
	const char *counter = kt_squares_counter(family, frame->squares, loop->variable->name);

	kt_family_for(out, kt_family_text(family, "%s %s = ${if VEC > 1}%s + ${end}%s", n->type, counter, n->end, frame->start),
	              kt_family_text(family, "%s < %s", counter, n->count),
	              kt_family_text(family, "%s += %s", counter, frame->step));
	kt_squares_place(out, frame->squares, n->type, loop->variable->name);
	add_body(out, family, loop);
	kt_buf_adds(out, "\n}\n");
}

/*
 * What the groups leave. In turns where a group's elements may be any of the loop's: no condition is asked about their
 * distance. A thread that goes through the loop alone has its neighbours in one line of the cache, and of rows
 * that are kept in registers the loops stay short.
 */
static void add_rest(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector,
                     const struct kt_frame *frame, const struct names *n)
{
	struct names plain = *n;
	struct kt_buf when = KT_BUF(KT_LIMIT_LINE_BYTES);

	plain.counter = n->plain;
	if (vector->apart_count > 0 || frame->serial || frame->turns || frame->squares != NULL) {
		add_single(out, family, vector, frame, n);
		return;
	}
	add_rest_conditions(&when, family, vector, frame, n);
	kt_buf_adds(out, "${if VEC > 1}\n");
	if (when.size > 0)
		kt_buf_addf(out, "if (%s) {\n", kt_buf_text(&when));
	add_turns(out, family, vector, frame, &plain);
	kt_buf_adds(out, when.size > 0 ? "} else {\n${end}\n" : "${else}\n");
	add_single(out, family, vector, frame, n);
	kt_buf_adds(out, when.size > 0 ? "${if VEC > 1}\n}\n${end}\n" : "${end}\n");
	family->failed = family->failed || when.failed;
	kt_buf_free(&when);
}

const char *kt_vector_text(struct kt_family *family, const struct kt_vector *vector, const struct kt_frame *frame)
{
	const struct kt_loop *loop = vector->loop;
	const struct names n = name_parts(family, vector, frame);
	const char *text;
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);

	if (!frame->serial)
		add_parameters(family, vector, frame);
	if (frame->squares != NULL)
		kt_family_restrict(family, "TILE == 0 || VEC == 1", "squares are of single items");
	for (size_t i = 0; i < vector->pack_count; i++)
		kt_pack_declare(family, vector->packs[i].root);
	kt_buf_addf(&out, "{\nconst %s %s = ", n.type, n.count);
	kt_write_node(&out, &family->write, loop->bound_node);
	kt_buf_adds(&out,
	            ";\n${if VEC > 1}\n// Groups of ${VEC} elements, where all of them can be moved in one access.\n");
	if (vector->even)
		kt_buf_addf(&out, "${if EVEN}\nconst unsigned %s = %s;\n${else}\n", n.end, n.count);
	if (frame->wide == NULL) {
		kt_buf_addf(&out, "const bool %s = ", n.wide);
		kt_vector_conditions(&out, family, vector);
		add_range(&out, family, vector, n.count, frame->step);
		kt_buf_adds(&out, ";\n");
	}
	kt_buf_addf(&out, "const %s %s = %s ? %s - %s %% ${VEC} : 0;\n%s\n", n.type, n.end,
	            n.wide, n.count, n.count, vector->even ? "${end}\n" : "");
	add_groups(&out, family, vector, frame, &n);
	kt_buf_addf(&out, "${end}\n%s", vector->even ? "${if !EVEN}\n" : "");
	add_rest(&out, family, vector, frame, &n);
	kt_buf_addf(&out, "%s}\n", vector->even ? "${end}\n" : "");
	text = kt_family_text(family, "%s", kt_buf_text(&out));
	family->failed = family->failed || out.failed;
	kt_buf_free(&out);
	if (frame->serial)
		return text;
	kt_family_applied(family, "vectorize",
	                  kt_family_text(family,
	                                 "line %u: %zu array%s read or written at neighbouring "
	                                 "indices in neighbouring iterations",
	                                 kt_tree_line(family->kernel, loop->node), vector->pack_count,
	                                 vector->pack_count == 1 ? " is" : "s are"));
	if (vector->division_count > 0)
		kt_family_applied(family, "hoist", "quotients of the index are the same for all elements of a group");
	return text;
}
