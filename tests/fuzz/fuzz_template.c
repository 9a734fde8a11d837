/*
 * Templates as they come with an entry or from a generator. Input: JSON; the same
 * bytes are also read as a kernel's text.
 *
 * Holds: what is read, written down, reads as the same; text that passed the
 * check expands, or fails inside itself with an expression that has no value; what
 * expands for a configuration expands to the same again.
 */
#include <string.h>

#include "base/template_text.h"
#include "fuzz.h"

#define TEXT_BYTES ((size_t)1 << 16)

static void check_expansion(const struct kt_template *t, const int64_t *values, const char *text)
{
	const struct kt_render render = {.template_ = t, .configuration = values, .name = "k", .arch = 90};
	struct kt_buf once = KT_BUF(KT_LIMIT_SOURCE_BYTES), twice = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error err;
	const kt_status status = kt_template_expand(&once, &render, text, strlen(text), &err);

	KT_FUZZ_REQUIRE(status == KT_OK || status == KT_ERR_INVALID || status == KT_ERR_MEMORY);
	KT_FUZZ_REQUIRE(status == KT_OK || err.offset <= strlen(text));
	KT_FUZZ_REQUIRE(kt_template_expand(&twice, &render, text, strlen(text), &err) == status);
	KT_FUZZ_REQUIRE(once.size == twice.size && memcmp(kt_buf_text(&once), kt_buf_text(&twice), once.size) == 0);
	kt_buf_free(&once);
	kt_buf_free(&twice);
}

static void check_template(struct kt_arena *arena, const struct kt_template *t)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES), again = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	int64_t values[KT_PARAMETERS];
	char hash[KT_HASH_TEXT], other[KT_HASH_TEXT];
	struct kt_template *read;
	struct kt_error err;
	cJSON *json = kt_template_json(t);

	KT_FUZZ_REQUIRE(json != NULL);
	kt_json_print(&text, json);
	KT_FUZZ_REQUIRE(kt_template_read(&read, arena, json, &err) == KT_OK);
	cJSON_Delete(json);
	json = kt_template_json(read);
	KT_FUZZ_REQUIRE(json != NULL);
	kt_json_print(&again, json);
	cJSON_Delete(json);
	KT_FUZZ_REQUIRE(strcmp(kt_buf_text(&text), kt_buf_text(&again)) == 0);
	kt_template_hash(hash, t);
	kt_template_hash(other, read);
	KT_FUZZ_REQUIRE(strcmp(hash, other) == 0);
	for (size_t i = 0; i < t->parameter_count; i++)
		values[i] = t->parameters[i].values[t->parameters[i].value_count - 1];
	check_expansion(t, values, t->helpers);
	check_expansion(t, values, t->head);
	check_expansion(t, values, t->body);
	kt_buf_free(&text);
	kt_buf_free(&again);
}

static void check_text(const char *text)
{
	static const struct kt_parameter parameters[] = {{.name = "VEC"}, {.name = "B"}};
	static const int64_t values[] = {4, 0};
	const struct kt_template t = {.parameter_count = 2, .parameters = parameters};
	struct kt_error err;

	if (kt_template_check_text(&t, text, &err) == KT_OK)
		check_expansion(&t, values, text);
	else
		KT_FUZZ_REQUIRE(err.offset <= strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_template *t;
	struct kt_error err;
	cJSON *json = NULL;
	char *text = arena != NULL && size <= TEXT_BYTES ? kt_arena_strndup(arena, (const char *)data, size) : NULL;

	if (text != NULL) {
		check_text(text);
		if (kt_json_parse(&json, text, strlen(text), &err) == KT_OK &&
		    kt_template_read(&t, arena, json, &err) == KT_OK)
			check_template(arena, t);
		cJSON_Delete(json);
	}
	kt_arena_free(arena);
	return 0;
}
