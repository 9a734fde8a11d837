/*
 * Packs that stay in registers from one loop of a row to the next, or are loaded by the first for a later one.
 *
 * Sound when the loops reach the same elements in iterations of the same number, so that one thread moves them in all,
 * and nothing in the loops or between them writes these elements in another way. A pack that a loop stores alone is the
 * kept one as well, where a later loop loads it: what is kept is what is in memory.
 */
#include "generation/rules/vector.h"

struct place {
	uint32_t at;
};

static bool is_known_at(const struct kt_atom *atom, void *context)
{
	const struct place *place = context;

	if (atom->kind == KT_ATOM_VARIABLE && atom->variable->declaration != NULL)
		return atom->variable->declaration->range.end <= place->at && atom->variable->writes == 0;
	return atom->kind != KT_ATOM_OPAQUE || atom->node->range.end <= place->at;
}

bool kt_vector_is_known(struct kt_family *family, const struct kt_vector *vector, uint32_t at, bool divided)
{
	struct place place = {at};
	bool known = vector->loop->bound != NULL && kt_poly_every(vector->loop->bound, is_known_at, &place);

	for (size_t i = 0; i < vector->pack_count; i++) {
		struct kt_motion motion;

		kt_motion_find(&motion, family, vector->loop, vector->packs[i].index);
		if (!motion.affine || !kt_poly_every(motion.fixed, is_known_at, &place))
			return false;
	}
	for (size_t i = 0; i < vector->division_count; i++)
		known = known && divided && kt_poly_every(vector->divisions[i].by, is_known_at, &place);
	return known && (vector->division_count == 0 || vector->row_term_count == 0);
}

static bool same_place(struct kt_family *family, const struct kt_vector *a, const struct kt_pack *left,
                       const struct kt_vector *b, const struct kt_pack *right)
{
	struct kt_motion one, two;

	if (left->root != right->root)
		return false;
	kt_motion_find(&one, family, a->loop, left->index);
	kt_motion_find(&two, family, b->loop, right->index);
	return one.affine && two.affine && one.division_count == 0 && two.division_count == 0 && one.step == two.step &&
	       kt_poly_equal(one.fixed, two.fixed);
}

/* May it write what the pack holds? */
static bool reaches(struct kt_family *family, const struct kt_access *access, const struct kt_pack *pack)
{
	return access->writes && !access->root->is_shared &&
	       (access->root == pack->root ||
	        (kt_roots_may_alias(access->root, pack->root) && !kt_family_disjoint(family, access->root, pack->root)));
}

/* May anything between the two loops, or in them, write what the pack holds, other than by it? */
static bool is_disturbed(struct kt_family *family, const struct kt_keep *keep, size_t of, const struct kt_pack *pack)
{
	struct kt_vector *const *vectors = keep->vectors;

	for (size_t o = 0; o < keep->other_count; o++) {
		if (keep->others[o]->unknown != NULL)
			return true;
		for (size_t i = 0; i < keep->others[o]->access_count; i++)
			if (reaches(family, &keep->others[o]->accesses[i], pack))
				return true;
	}
	for (size_t v = 0; v < keep->count; v++)
		for (size_t i = 0; i < vectors[v]->effects->access_count; i++) {
			const struct kt_access *access = &vectors[v]->effects->accesses[i];
			const struct kt_pack *own = kt_vector_pack(vectors[v], access);

			if (own != NULL && same_place(family, vectors[of], pack, vectors[v], own))
				continue;
			if (reaches(family, access, pack))
				return true;
		}
	return false;
}

/* What only a later loop loads can be on its way during the reduction. */
static bool keep_ahead(struct kt_buf *out, struct kt_family *family, const struct kt_keep *keep)
{
	struct kt_vector *const *vectors = keep->vectors;
	const size_t count = keep->count;
	struct kt_vector *first = vectors[0];
	bool any = false;

	for (size_t b = 1; b < count; b++)
		for (size_t i = 0; i < vectors[b]->pack_count; i++) {
			struct kt_pack *pack = &vectors[b]->packs[i];

			if (pack->kept != NULL || pack->ahead != NULL || pack->stores || !pack->loads ||
			    first->ahead_count == KT_VECTOR_PACKS || is_disturbed(family, keep, b, pack))
				continue;
			pack->ahead = kt_family_name(family, kt_family_text(family, "%s_ahead", pack->name));
			kt_pack_declare(family, pack->root);
			family->ahead_bytes += pack->root->element_bytes;
			kt_buf_addf(out, "${if AHEAD}\n%s %s[${TURNS}];\n${end}\n", kt_pack_type(family, pack->root), pack->ahead);
			first->aheads[first->ahead_count].vector = vectors[b];
			first->aheads[first->ahead_count++].pack = i;
			any = true;
		}
	if (any) {
		static const int64_t flags[] = {0, 1};

		kt_family_parameter(family, "AHEAD", "1: the first loop of a row loads what only later loops need", flags, 2);
		kt_family_restrict(family, "AHEAD == 0 || TURNS > 0", "it waits in the kept packs");
	}
	return any;
}

/* Does a loop from `from` on load what the pack holds? */
static bool is_loaded(struct kt_family *family, const struct kt_keep *keep, size_t from, size_t of,
                      const struct kt_pack *pack)
{
	for (size_t b = from; b < keep->count; b++)
		for (size_t k = 0; k < keep->vectors[b]->pack_count; k++)
			if (keep->vectors[b]->packs[k].loads &&
			    same_place(family, keep->vectors[of], pack, keep->vectors[b], &keep->vectors[b]->packs[k]))
				return true;
	return false;
}

bool kt_vector_keep(struct kt_buf *out, struct kt_family *family, const struct kt_keep *keep)
{
	struct kt_vector *const *vectors = keep->vectors;
	const size_t count = keep->count;
	bool any = false;

	for (size_t a = 0; a < count; a++)
		for (size_t i = 0; i < vectors[a]->pack_count; i++) {
			struct kt_pack *first = &vectors[a]->packs[i], *before = first;
			const char *kept = NULL;

			if (first->kept != NULL || is_disturbed(family, keep, a, first))
				continue;
			for (size_t b = a + 1; b < count; b++)
				for (size_t k = 0; k < vectors[b]->pack_count; k++) {
					struct kt_pack *second = &vectors[b]->packs[k];

					if (second->kept != NULL || !same_place(family, vectors[a], first, vectors[b], second) ||
					    (!second->loads && !is_loaded(family, keep, b + 1, a, first)))
						continue;
					if (kept == NULL) {
						kept = kt_family_name(family, kt_family_text(family, "%s_kept", first->name));
						kt_pack_declare(family, first->root);
						kt_buf_addf(out, "${if TURNS}\n%s %s[${TURNS}];\n${end}\n",
						            kt_pack_type(family, first->root), kept);
						family->kept_bytes += first->root->element_bytes;
						first->kept = kept;
					}
					second->kept = kept;
					second->known = true;
					before->again = before->again || second->loads;
					before = second;
					any = true;
				}
		}
	return keep_ahead(out, family, keep) || any;
}
