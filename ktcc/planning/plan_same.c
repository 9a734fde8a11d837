/* Candidates whose code and launches are those of one that was tried: the verdict is known. */
#include <string.h>

#include "planning/plan_internal.h"
#include "tuning/code.h"
#include "tuning/unit.h"

/* Is this parameter named by one of the expressions? */
static bool is_named(const struct kt_clause_expr *clauses, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (clauses[i].expr != NULL && kt_expr_uses(clauses[i].expr, name))
			return true;
	return false;
}

/* Does a launch depend on the parameter otherwise than through the code? */
static bool bears_on_launch(const struct kt_template *t, const char *name)
{
	if (is_named(t->grid, t->grid_count, name) || is_named(t->block, t->block_count, name) ||
	    is_named(&t->shared_bytes, 1, name) || is_named(t->guards, t->guard_count, name))
		return true;
	/* Those that are judged once, before anything is compiled, have let it through. */
	for (size_t i = 0; i < t->restriction_count; i++)
		if (kt_template_at_launch(t, &t->restrictions[i]) && is_named(&t->restrictions[i], 1, name))
			return true;
	for (size_t k = 0; k < t->further_count; k++)
		if (is_named(t->further[k].grid, t->further[k].grid_count, name) ||
		    is_named(t->further[k].block, t->further[k].block_count, name))
			return true;
	for (size_t k = 0; k < t->temporary_count; k++)
		if (is_named(&t->temporaries[k].count, 1, name))
			return true;
	return false;
}

/* Of the module and of what its launches depend on; false where the file is no module of a single kernel. */
static bool make_key(char out[KT_HASH_TEXT], const struct kt_tuning *s, const struct kt_built *built)
{
	const struct kt_template *t = s->plan->template_;
	const int64_t *values = kt_space_get(s->space, built->ticket - 1);
	char name[KT_UNIT_NAME_BYTES], code[KT_HASH_TEXT];
	struct kt_buf part = KT_BUF(2 * KT_UNIT_NAME_BYTES);
	struct kt_hash hash;
	struct kt_error ignored;
	kt_status status;

	/* Where several candidates share a module, its code does not identify one of them. */
	if (!built->screened)
		return false;
	kt_unit_name(name, built->text);
	kt_buf_addf(&part, "%zu%s", strlen(name), name);
	status = kt_module_hash(code, built->cubin, kt_buf_text(&part), &ignored);
	kt_buf_free(&part);
	if (status != KT_OK)
		return false;
	kt_hash_init(&hash);
	kt_hash_field(&hash, "code", code);
	for (size_t i = 0; i < t->parameter_count; i++)
		if (bears_on_launch(t, t->parameters[i].name)) {
			kt_hash_int(&hash, "parameter", (int64_t)i);
			kt_hash_int(&hash, "value", values[i]);
		}
	kt_hash_final(&hash, out);
	return true;
}

const struct kt_same *kt_tuning_same(char key[KT_HASH_TEXT], const struct kt_tuning *s, const struct kt_built *built)
{
	if (!make_key(key, s, built)) {
		key[0] = '\0';
		return NULL;
	}
	for (size_t i = 0; i < s->same_count; i++)
		if (strcmp(s->same[i].key, key) == 0)
			return &s->same[i];
	return NULL;
}

kt_status kt_tuning_note_same(struct kt_tuning *s, const char key[KT_HASH_TEXT], size_t index,
			      const struct kt_outcome *outcome, const struct kt_trial *seen, struct kt_error *err)
{
	struct kt_same *slot;

	/* What ended the runner may have had another reason than its code. */
	if (key[0] == '\0' || outcome->ended_runner)
		return KT_OK;
	NEED(slot = kt_arena_push(s->arena, &s->same, &s->same_count, sizeof *slot),
	     kt_fail(err, KT_ERR_MEMORY, "candidates: out of memory"));
	memcpy(slot->key, key, KT_HASH_TEXT);
	slot->index = index;
	slot->verdict = outcome->verdict;
	slot->seen = *seen;
	slot->trials = outcome->trials;
	return KT_OK;
}

void kt_tuning_same_verified(struct kt_tuning *s, size_t index, const struct kt_outcome *outcome,
                             const struct kt_trial *seen)
{
	for (size_t i = 0; i < s->same_count; i++) {
		struct kt_same *same = &s->same[i];

		if (same->index != index)
			continue;
		same->verdict = outcome->verdict;
		same->seen = *seen;
		same->trials = outcome->trials;
		/* What ended the runner may have had another reason than its code. */
		if (outcome->ended_runner)
			same->key[0] = '\0';
	}
}
