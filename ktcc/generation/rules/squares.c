/*
 * Squares of items: where one access moves on with the items and another with the rows that these make up, as in a
 * transposition that counts its elements through, neighbouring threads take TILE items of each of TILE rows, so that
 * both reach whole sectors of memory.
 *
 * Sound where the items of a flat loop are distributed anyway: each is still taken once. With rows of P items and TILE² · k +
 * TILE · a + r for the number of a square's item, a and r below TILE, the item is ((k / (P / TILE)) · TILE + a) · P + (k % (P /
 * TILE)) · TILE + r, which is one to one where TILE divides P and TILE · P the number of items: guards ask for that.
 */
#include "generation/rules/family.h"

#include <string.h>

#include "generation/rules/vector.h"

/* Numbers of items and all that is computed with them have 32 bits. */
static const long long most_items = (1LL << 30) - 1024;

static bool varies(const struct kt_loop *loop, const struct kt_term *term)
{
	for (size_t i = 0; i < term->count; i++)
		if (kt_loop_varies(loop, term->atoms[i]))
			return true;
	return false;
}

/* Neighbouring items reach neighbouring elements, at least within a row. */
static bool moves_with_items(struct kt_family *family, const struct kt_loop *loop, const struct kt_poly *index)
{
	int64_t step;

	(void)kt_loop_take_index(family, index, kt_loop_index(family, loop), &step);
	for (size_t i = 0; i < index->count && step != 1; i++) {
		const struct kt_term *term = &index->terms[i];

		if (term->factor == 1 && term->count == 1 && term->atoms[0]->kind == KT_ATOM_REMAINDER &&
		    kt_loop_is_index(family, loop, term->atoms[0]->left))
			step = 1;
	}
	return step == 1;
}

/* The length of the rows where the access has another element for each item, and moves on by one with the rows. */
static const struct kt_poly *row_length(struct kt_family *family, const struct kt_loop *loop,
                                        const struct kt_poly *index)
{
	const struct kt_poly *length = NULL;
	size_t varying = 0;

	for (size_t i = 0; i < index->count; i++) {
		const struct kt_term *term = &index->terms[i];
		const struct kt_atom *atom = term->atoms[0];

		varying += varies(loop, term);
		if (term->factor != 1 || term->count != 1)
			continue;
		/* Rows of rows: (i / P) % A. */
		if (atom->kind == KT_ATOM_REMAINDER && atom->left->count == 1 && atom->left->terms[0].count == 1 &&
		    atom->left->terms[0].factor == 1)
			atom = atom->left->terms[0].atoms[0];
		if (atom->kind == KT_ATOM_QUOTIENT && kt_loop_is_index(family, loop, atom->left) &&
		    !kt_loop_poly_varies(loop, atom->right))
			length = atom->right;
	}
	return varying > 1 && !moves_with_items(family, loop, index) ? length : NULL;
}

static const struct kt_poly *find_rows(struct kt_family *family, const struct kt_loop *loop,
                                       const struct kt_effects *effects)
{
	const struct kt_poly *length = NULL;
	bool along = false;

	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *access = &effects->accesses[i];

		if (access->root->is_shared || access->root->is_array || access->index == NULL)
			continue;
		along = along || moves_with_items(family, loop, access->index);
		if (length == NULL)
			length = row_length(family, loop, access->index);
	}
	return along ? length : NULL;
}

bool kt_rule_squares(struct kt_squares *out, struct kt_family *family, const struct kt_loop *loop,
                     const struct kt_effects *effects)
{
	static const int64_t sides[] = {0, 4, 8, 16, 32};
	const struct kt_poly *length = kt_family_allows(family, "tile") ? find_rows(family, loop, effects) : NULL;
	const char *row = length != NULL ? kt_rule_clause(family, length) : NULL;
	const char *items = row != NULL && loop->bound != NULL ? kt_rule_clause(family, loop->bound) : NULL;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *guard;

	if (items == NULL)
		return false;
	kt_poly_print(&text, family->kernel, length, NULL, NULL);
	*out = (struct kt_squares){.length = kt_family_text(family, "%s", kt_buf_text(&text)),
	                           .item = kt_family_name(family, kt_family_text(family, "%s_item", loop->variable->name)),
	                           .square = kt_family_name(family, "square"),
	                           .across = kt_family_name(family, "across")};
	family->failed = family->failed || text.failed;
	kt_buf_free(&text);
	kt_family_parameter(family, "TILE", "side of the squares of work items that neighbouring threads take; 0: in their order",
	                    sides, sizeof sides / sizeof sides[0]);
	guard = kt_family_text(
	    family, "TILE == 0 || (%s) > 0 && (%s) %% TILE == 0 && (%s) <= %lld && (%s) %% ((%s) * TILE) == 0", row,
	    row, items, most_items, items, row);
	kt_family_guard(family, guard, "squares cover all items");
	kt_family_applied(family, "tile",
	                  kt_family_text(family, "line %u: one access moves with the items, another with their rows",
	                                 kt_tree_line(family->kernel, loop->node)));
	return true;
}

const char *kt_squares_counter(struct kt_family *family, const struct kt_squares *squares, const char *counter)
{
	return squares == NULL ? counter
	                       : kt_family_text(family, "${if TILE}%s${else}%s${end}", squares->item, counter);
}

void kt_squares_place(struct kt_buf *out, const struct kt_squares *squares, const char *type, const char *variable)
{
	if (squares == NULL)
		return;
	kt_buf_addf(out,
	            "${if TILE}\nconst unsigned %s = (unsigned)%s / ${= TILE * TILE}, %s = (unsigned)(%s) / ${TILE};\n"
	            "const %s %s = (%s / %s * ${TILE} + (unsigned)%s / ${TILE} %% ${TILE}) * (unsigned)(%s) +\n"
	            "%s %% %s * ${TILE} + (unsigned)%s %% ${TILE};\n\n${end}\n",
	            squares->square, squares->item, squares->across, squares->length, type, variable, squares->square,
	            squares->across, squares->item, squares->length, squares->square, squares->across, squares->item);
}
