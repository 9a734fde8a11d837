#include "base/recipe.h"

#include <stddef.h>
#include <string.h>

#include "base/lex.h"
#include "base/passes.h"

#define TEXT_ARENA_BYTES ((size_t)64 << 20) /* the tokens of one variant */

int64_t kt_pass_version(const char *name)
{
	static const struct {
		const char *name;
		int64_t version;
	} passes[] = {
#define ROW(name, version) {name, version},
	    KT_PASSES(ROW)
#undef ROW
	};
	for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
		if (strcmp(passes[i].name, name) == 0)
			return passes[i].version;
	return 0;
}

static const struct kt_member pass_fields[] = {
    {.name = "name", .kind = KT_MEMBER_PLAIN, .offset = offsetof(struct kt_recipe_pass, name)},
    {.name = "version", .kind = KT_MEMBER_INT, .offset = offsetof(struct kt_recipe_pass, version), .high = INT32_MAX},
};
static const struct kt_members pass_record = {KT_MEMBERS_CLOSED(struct kt_recipe_pass, pass_fields)};

static const struct kt_member recipe_fields[] = {
    {.name = "passes", .kind = KT_MEMBER_LIST, .offset = offsetof(struct kt_recipe, passes),
     KT_MEMBER_ITEMS(struct kt_recipe, pass_count, pass_record), .high = KT_RECIPE_PASSES, .what = "passes"},
    {.name = "text", .kind = KT_MEMBER_HASH, .offset = offsetof(struct kt_recipe, text)},
};
const struct kt_members kt_recipe_record = {KT_MEMBERS_CLOSED(struct kt_recipe, recipe_fields)};

static bool is_user_clause(const struct kt_template *t, size_t guard)
{
	const char *reason = t->guard_reasons != NULL ? t->guard_reasons[guard] : NULL;

	return reason != NULL && (strcmp(reason, KT_REASON_GUARD_CLAUSE) == 0 ||
	                          strcmp(reason, KT_REASON_RESTRICTION_CLAUSE) == 0);
}

/* The user's clauses are no text of the rules, and in the region's key. */
static void hash_guards(struct kt_hash *hash, const struct kt_template *t)
{
	size_t count = 0;

	for (size_t i = 0; i < t->guard_count; i++)
		count += !is_user_clause(t, i);
	kt_hash_int(hash, "guard", (int64_t)count);
	for (size_t i = 0; i < t->guard_count; i++)
		if (!is_user_clause(t, i))
			kt_hash_field(hash, "guard", t->guards[i].text);
}

/* What the text of all configurations has in common: expressions over the parameters. */
static void hash_terms(struct kt_hash *hash, const struct kt_template *t)
{
	hash_guards(hash, t);
	for (size_t k = 0; k <= t->further_count; k++) {
		const struct kt_template_kernel kernel = kt_template_kernel_at(t, k);

		kt_template_hash_clauses(hash, "grid", kernel.grid, kernel.grid_count);
		kt_template_hash_clauses(hash, "block", kernel.block, kernel.block_count);
	}
	kt_template_hash_clauses(hash, "shared", &t->shared_bytes, t->shared_bytes.expr != NULL);
	for (size_t i = 0; i < t->temporary_count; i++) {
		kt_hash_field(hash, "temporary", kt_scalar_name(t->temporaries[i].element));
		kt_template_hash_clauses(hash, "count", &t->temporaries[i].count, 1);
	}
}

static kt_status hash_variant(struct kt_hash *hash, const struct kt_template *t, const int64_t *configuration,
                              struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_arena *arena = kt_arena_new(TEXT_ARENA_BYTES);
	const struct kt_render render = {.template_ = t, .configuration = configuration, .name = "variant"};
	struct kt_text tokens;
	kt_status status = arena != NULL ? kt_template_render(&text, &render, err)
	                                 : kt_fail(err, KT_ERR_MEMORY, "out of memory hashing a variant");

	THEN(status, kt_lex(&tokens, arena, kt_buf_text(&text), 0, text.size, false, err));
	if (status == KT_OK) {
		kt_hash_int(hash, "tokens", (int64_t)tokens.count);
		for (size_t i = 0; i < tokens.count; i++) {
			const struct kt_token *token = &tokens.tokens[i];

			kt_hash_int(hash, "token", (int64_t)(token->end - token->begin));
			kt_hash_bytes(hash, tokens.data + token->begin, token->end - token->begin);
		}
		for (size_t i = 0; i < t->parameter_count; i++)
			kt_hash_int(hash, t->parameters[i].name, configuration[i]);
	}
	kt_buf_free(&text);
	kt_arena_free(arena);
	return status;
}

kt_status kt_recipe_text(char out[KT_HASH_TEXT], const struct kt_template *template_,
                         const int64_t *const *configurations, size_t count, struct kt_error *err)
{
	struct kt_hash hash;
	kt_status status = KT_OK;

	kt_hash_init(&hash);
	kt_hash_field(&hash, "recipe", "1");
	hash_terms(&hash, template_);
	for (size_t i = 0; status == KT_OK && i < count; i++)
		status = hash_variant(&hash, template_, configurations[i], err);
	kt_hash_final(&hash, out);
	return status;
}

kt_status kt_recipe_make(struct kt_recipe **out, struct kt_arena *arena, const struct kt_template *template_,
                         const int64_t *const *configurations, size_t count, struct kt_error *err)
{
	struct kt_recipe *made = kt_arena_alloc(arena, sizeof *made);
	char text[KT_HASH_TEXT];

	if (template_->strategy_count > KT_RECIPE_PASSES)
		return kt_fail(err, KT_ERR_LIMIT, "a recipe of %zu passes", template_->strategy_count);
	NEED(made, kt_fail(err, KT_ERR_MEMORY, "out of memory for a recipe"));
	memset(made, 0, sizeof *made);
	TRY(kt_recipe_text(text, template_, configurations, count, err));
	made->text = kt_arena_strdup(arena, text);
	made->passes = kt_arena_array(arena, template_->strategy_count + 1, sizeof *made->passes);
	if (made->text == NULL || made->passes == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a recipe");
	for (size_t i = 0; i < template_->strategy_count; i++) {
		const char *name = template_->strategies[i].name;

		made->passes[made->pass_count++] = (struct kt_recipe_pass){name, kt_pass_version(name)};
	}
	*out = made;
	return KT_OK;
}

bool kt_recipe_is_current(const struct kt_recipe *recipe)
{
	for (size_t i = 0; i < recipe->pass_count; i++)
		if (recipe->passes[i].version == 0 || recipe->passes[i].version != kt_pass_version(recipe->passes[i].name))
			return false;
	return true;
}
