/* Entries that carry a generator's template: kept with it, and refused where it is not theirs. */
#include "support.h"

static const char body[] = "{\n\ty[0] = ${VEC};\n}";

static struct kt_template *make_template(struct fixture *f)
{
	static const char json[] =
	    "{\"generator\":\"rules\",\"rationale\":\"wide\",\"concrete\":true,\"helpers\":\"\",\"head\":\"void "
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

static struct kt_entry template_sample(struct fixture *f)
{
	struct kt_entry entry = sample();

	entry.generator = "rules";
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
	entry.generator = "rules";
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(round_trip, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(kept_in_the_store, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(absent_without_one, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(not_its_own, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(author_is_kept, fixture_open, fixture_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
