/* How an entry says what its variants are: a recipe of the rules, or the text of a model. */
#include "support.h"

#include "base/passes.h"

static const char body[] = "{\n\ty[0] = ${VEC};\n}";

static struct kt_template *make_template(struct fixture *f)
{
	static const char json[] =
	    "{\"generator\":\"llm\",\"rationale\":\"wide\",\"concrete\":true,\"helpers\":\"\",\"head\":\"void "
	    "${ktune:kernel}(int *y)\",\"body\":\"{\\n\\ty[0] = ${VEC};\\n}\",\"parameters\":["
	    "{\"name\":\"BLOCK\",\"values\":[64,256],\"original\":null,\"meaning\":\"threads\"},"
	    "{\"name\":\"VEC\",\"values\":[1,8],\"original\":1,\"meaning\":\"elements\"}],\"grid\":[\"rows\"],"
	    "\"block\":[\"BLOCK\"],\"shared_bytes\":\"0\"}";
	struct kt_template *out;
	cJSON *value = cJSON_Parse(json);

	assert_non_null(value);
	check(kt_template_read(&out, f->arena, value, &f->err), &f->err);
	cJSON_Delete(value);
	return out;
}

/* A result of the rules: their template, which an entry does not hold. */
static struct kt_entry rules_sample(struct fixture *f)
{
	static const struct kt_template_strategy strategies[] = {{"geometry", "any block"}, {"vectorize", "neighbours"}};
	struct kt_entry entry = sample();
	struct kt_template *made = make_template(f);

	made->generator = "rules";
	made->strategies = strategies;
	made->strategy_count = 2;
	entry.generator = "rules";
	entry.template_ = made;
	return entry;
}

static struct kt_entry template_sample(struct fixture *f)
{
	struct kt_entry entry = sample();

	entry.generator = "llm";
	entry.template_ = make_template(f);
	return entry;
}

static void round_trip(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = template_sample(f), back;
	char *text = entry_text(f, &entry);

	check(kt_entry_parse(&back, f->arena, text, strlen(text), &f->err), &f->err);
	assert_non_null(back.template_);
	assert_string_equal(back.template_->body, body);
	assert_true(back.template_->parameters[0].absent);
	assert_null(back.template_->region);
	assert_string_equal(entry_text(f, &back), text);
	/* A line of the kernel is a line of the file. */
	assert_non_null(strstr(text, "\n      \"{\",\n      \"\\ty[0] = ${VEC};\",\n      \"}\"\n"));
}

static void kept_in_the_store(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = template_sample(f);
	struct kt_store *store = open_store(f);
	struct kt_query query = {.closure = KEY_C, .near_key = KEY_B, .region_key = KEY_A, .name = "silu_and_mul",
	                         .instance = "silu_and_mul<__half>"};
	struct kt_found *found;
	char *damaged;
	size_t count;

	check(kt_store_put(store, &entry, &f->err), &f->err);
	check(kt_store_find(&found, &count, &damaged, f->arena, store, &query, &f->err), &f->err);
	assert_int_equal(count, 1);
	assert_string_equal(found[0].entry.template_->body, body);
	kt_store_close(store);
}

static void absent_without_one(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = sample(), back;
	char *text = entry_text(f, &entry);

	assert_null(strstr(text, "template"));
	check(kt_entry_parse(&back, f->arena, text, strlen(text), &f->err), &f->err);
	assert_null(back.template_);
}

static void refuse(struct fixture *f, const struct kt_entry *entry, const char *message)
{
	struct kt_entry back;
	char *text = entry_text(f, entry);

	if (kt_entry_parse(&back, f->arena, text, strlen(text), &f->err) == KT_OK)
		fail_msg("accepted: %s", message);
	if (strstr(f->err.message, message) == NULL)
		fail_msg("%s, not %s", f->err.message, message);
}

static void not_its_own(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = template_sample(f);
	struct kt_template *other = make_template(f);

	entry.generator = "explicit";
	refuse(f, &entry, "/template: its generator is not the provenance's");
	entry.generator = "llm";
	entry.template_ = other;
	other->parameter_count = 1;
	other->body = "{}";
	refuse(f, &entry, "/template: its parameters are not the configuration's");
	other->parameter_count = 2;
	other->body = "${if VEC}";
	refuse(f, &entry, "/template/body: byte 0");
}

/* Who wrote the text: said where it was a model, with both hashes, and refused without them. */
static void author_is_kept(void **state)
{
	static const char question[] = "1111111111111111111111111111111111111111111111111111111111111111";
	static const char answer[] = "2222222222222222222222222222222222222222222222222222222222222222";
	struct fixture *f = *state;
	struct kt_entry entry = template_sample(f), back;
	char *text = entry_text(f, &entry);

	assert_null(strstr(text, "author"));
	entry.author = (struct kt_entry_author){"a model", "2026-01-31", question, answer};
	text = entry_text(f, &entry);
	check(kt_entry_parse(&back, f->arena, text, strlen(text), &f->err), &f->err);
	assert_string_equal(back.author.model, "a model");
	assert_string_equal(back.author.when, "2026-01-31");
	assert_string_equal(back.author.question, question);
	assert_string_equal(back.author.answer, answer);
	entry.author.answer = "somewhere";
	refuse(f, &entry, "/provenance/author/answer");
	entry.author.answer = answer;
	entry.author.model = "\x1b[2J";
	refuse(f, &entry, "/provenance/author/model");
}

/* Passes, versions, and the hash of what was measured; no text, no guard, no geometry. */
static void rules_leave_a_recipe(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = rules_sample(f), back;
	char *text = entry_text(f, &entry);

	assert_null(strstr(text, "template"));
	assert_null(strstr(text, "y[0]"));
	assert_null(strstr(text, "\"grid\""));
	check(kt_entry_parse(&back, f->arena, text, strlen(text), &f->err), &f->err);
	assert_null(back.template_);
	assert_int_equal(back.recipe->pass_count, 2);
	assert_string_equal(back.recipe->passes[0].name, "geometry");
	assert_int_equal(back.recipe->passes[1].version, kt_pass_version("vectorize"));
	assert_true(kt_recipe_is_current(back.recipe));
	assert_string_equal(entry_text(f, &back), text);
}

static const char *recipe_text(struct fixture *f, struct kt_entry *entry)
{
	const int64_t *configurations[] = {entry->configuration};
	struct kt_recipe *recipe;

	check(kt_recipe_make(&recipe, f->arena, entry->template_, configurations, 1, &f->err), &f->err);
	return recipe->text;
}

/* Comments and blanks are no part of a text; a token, a value and a guard are. */
static void a_text_is_its_tokens(void **state)
{
	static const struct kt_clause_expr guard[] = {{.text = "rows > 0"}};
	struct fixture *f = *state;
	struct kt_entry entry = rules_sample(f);
	struct kt_template changed = *entry.template_;
	const char *text = recipe_text(f, &entry);
	int64_t other[2] = {entry.configuration[0], entry.configuration[1] - 1};

	entry.template_ = &changed;
	changed.body = "{\n  // said otherwise\n  y[0]   = ${VEC} ;\n}";
	assert_string_equal(recipe_text(f, &entry), text);
	changed.body = "{\n\ty[0] = ${VEC} + 0;\n}";
	assert_string_not_equal(recipe_text(f, &entry), text);
	changed.body = body;
	changed.guards = guard;
	changed.guard_count = 1;
	assert_string_not_equal(recipe_text(f, &entry), text);
	changed.guard_count = 0;
	assert_string_equal(recipe_text(f, &entry), text);
	entry.configuration = other;
	assert_string_not_equal(recipe_text(f, &entry), text);
}

/* An entry of format 1 had the text of the rules: it becomes a recipe without versions, of the same text. */
static void format_1_becomes_a_recipe(void **state)
{
	struct fixture *f = *state;
	struct kt_entry model = template_sample(f), rules = rules_sample(f), back;
	char *text = entry_text(f, &model), *at, hash[KT_HASH_TEXT];
	cJSON *json = cJSON_Parse(text);
	struct kt_buf out = KT_BUF(KT_ENTRY_BYTES);

	cJSON_SetNumberValue(cJSON_GetObjectItem(json, "ktune"), 1);
	at = cJSON_SetValuestring(cJSON_GetObjectItem(cJSON_GetObjectItem(json, "provenance"), "generator"), "rules");
	assert_non_null(at);
	cJSON_ReplaceItemInObject(cJSON_GetObjectItem(json, "template"), "generator", cJSON_CreateString("rules"));
	cJSON_ReplaceItemInObject(cJSON_GetObjectItem(json, "template"), "strategies",
	                          cJSON_Parse("[{\"name\":\"geometry\",\"reason\":\"any block\"}]"));
	check(kt_entry_hash(hash, json, &f->err), &f->err);
	cJSON_ReplaceItemInObject(json, "hash", cJSON_CreateString(hash));
	kt_json_print_stable(&out, json);
	check(kt_entry_parse(&back, f->arena, kt_buf_text(&out), out.size, &f->err), &f->err);
	assert_null(back.template_);
	assert_int_equal(back.recipe->pass_count, 1);
	assert_int_equal(back.recipe->passes[0].version, 0);
	assert_false(kt_recipe_is_current(back.recipe));
	assert_string_equal(back.recipe->text, recipe_text(f, &rules));

	/* From format 2 on the rules have no text. */
	cJSON_SetNumberValue(cJSON_GetObjectItem(json, "ktune"), 2);
	check(kt_entry_hash(hash, json, &f->err), &f->err);
	cJSON_ReplaceItemInObject(json, "hash", cJSON_CreateString(hash));
	kt_buf_clear(&out);
	kt_json_print_stable(&out, json);
	assert_int_not_equal(kt_entry_parse(&back, f->arena, kt_buf_text(&out), out.size, &f->err), KT_OK);
	assert_non_null(strstr(f->err.message, "/template: an entry of the rules holds no text"));
	kt_buf_free(&out);
	cJSON_Delete(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(round_trip, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(kept_in_the_store, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(absent_without_one, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(not_its_own, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(rules_leave_a_recipe, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(a_text_is_its_tokens, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(format_1_becomes_a_recipe, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(author_is_kept, fixture_open, fixture_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
