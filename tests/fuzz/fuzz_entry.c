/*
 * Lock entries, as anybody may have written them: a file of ktune.lock, or what a server sent. Input: the JSON. Its
 * hash is put right first, so that what lies behind the hash is reached as well.
 *
 * Holds: an entry that is taken prints, reads back and prints the same; what becomes source text, a path or a name on
 * a server is nothing but what it should be.
 */
#include <ctype.h>
#include <string.h>

#include "base/expr.h"
#include "fuzz.h"
#include "store/internal.h"
#include "store/remote_names.h"

static bool is_identifier(const char *name)
{
	for (const char *at = name; *at != '\0'; at++)
		if (*at != '_' && !isalpha((unsigned char)*at) && (at == name || !isdigit((unsigned char)*at)))
			return false;
	return name[0] != '\0';
}

/* The text with the hash that belongs to it; false: it is no JSON object with one. */
static bool put_hash_right(struct kt_buf *out, const uint8_t *data, size_t size)
{
	char hash[KT_HASH_TEXT];
	struct kt_error err;
	cJSON *json = NULL;
	bool done = kt_json_parse(&json, (const char *)data, size, &err) == KT_OK && cJSON_IsObject(json) &&
	            cJSON_GetObjectItemCaseSensitive(json, "hash") != NULL &&
	            kt_entry_hash(hash, json, &err) == KT_OK;
	if (done) {
		cJSON_ReplaceItemInObjectCaseSensitive(json, "hash", cJSON_CreateString(hash));
		kt_json_print_stable(out, json);
	}
	cJSON_Delete(json);
	return done && !out->failed;
}

static void check_text(const char *text)
{
	for (const char *at = text; *at != '\0'; at++)
		KT_FUZZ_REQUIRE(*at >= ' ' && *at < 0x7f && *at != '"' && *at != '\\');
}

static void check_names(struct kt_arena *arena, const struct kt_entry *entry)
{
	struct kt_names names = {0};
	KT_FUZZ_REQUIRE(is_identifier(entry->name));
	for (size_t i = 0; i < entry->parameter_count; i++)
		KT_FUZZ_REQUIRE(is_identifier(entry->parameters[i]));
	for (size_t i = 0; i < entry->variable_count; i++)
		KT_FUZZ_REQUIRE(is_identifier(entry->variables[i]));
	check_text(entry->device.name);
	check_text(entry->kernel);
	KT_FUZZ_REQUIRE(kt_names_of(&names, arena, entry));
	for (size_t i = 0; i < names.count; i++)
		for (const char *at = names.items[i]; *at != '\0'; at++)
			KT_FUZZ_REQUIRE(isalnum((unsigned char)*at) || strchr("._-", *at) != NULL);
}

static void check_rules(struct kt_arena *arena, const struct kt_entry *entry)
{
	for (size_t i = 0; i < entry->special_count; i++) {
		struct kt_expr *rule;
		struct kt_error err;
		check_text(entry->specials[i].when);
		KT_FUZZ_REQUIRE(kt_expr_parse(&rule, arena, entry->specials[i].when, strlen(entry->specials[i].when), &err) ==
		                KT_OK);
	}
	for (size_t i = 0; i < entry->problem_count; i++)
		KT_FUZZ_REQUIRE(kt_entry_serves(entry, i) >= 0 &&
		                kt_entry_serves(entry, i) <= (int64_t)entry->special_count);
}

static void check_round_trip(struct kt_arena *arena, const struct kt_entry *entry)
{
	struct kt_buf once = KT_BUF(KT_ENTRY_BYTES), twice = KT_BUF(KT_ENTRY_BYTES);
	struct kt_entry again;
	struct kt_error err;
	/* Times and doubles may take more digits than they had: an entry just below the ceiling may not print. */
	if (kt_entry_print(&once, entry, &err) == KT_OK) {
		KT_FUZZ_REQUIRE(kt_entry_parse(&again, arena, kt_buf_text(&once), once.size, &err) == KT_OK);
		KT_FUZZ_REQUIRE(kt_entry_print(&twice, &again, &err) == KT_OK);
		KT_FUZZ_REQUIRE(strcmp(kt_buf_text(&once), kt_buf_text(&twice)) == 0);
	}
	kt_buf_free(&once);
	kt_buf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_buf text = KT_BUF(KT_ENTRY_BYTES);
	struct kt_entry entry;
	struct kt_error err;

	if (arena == NULL)
		return 0;
	if (put_hash_right(&text, data, size) &&
	    kt_entry_parse(&entry, arena, kt_buf_text(&text), text.size, &err) == KT_OK) {
		check_names(arena, &entry);
		check_rules(arena, &entry);
		check_round_trip(arena, &entry);
	}
	kt_buf_free(&text);
	kt_arena_free(arena);
	return 0;
}
