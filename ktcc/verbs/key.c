/* ktcc key: who vouches for text that comes from elsewhere. */
#include <stdio.h>
#include <string.h>

#include "base/key.h"
#include "base/log.h"
#include "verbs/verbs.h"

struct keys {
	struct kt_arena *arena;
	const char *argument;
	bool json;
};

static void print_key(const struct keys *k, const char *word, const char *key)
{
	printf(k->json ? "{\"%s\": \"%s\"}\n" : "%s %s\n", word, key);
}

static kt_status make(struct keys *k, struct kt_error *err)
{
	char key[KT_KEY_TEXT];
	TRY(kt_key_new(key, k->arena, err));

	print_key(k, "key", key);
	return KT_OK;
}

static kt_status show(struct keys *k, struct kt_error *err)
{
	char key[KT_KEY_TEXT];
	char *path = kt_user_path(k->arena, "key.pub");
	TRY(path != NULL ? kt_key_read(key, k->arena, path, err)
			 : kt_fail(err, KT_ERR_MISSING, "there is no folder for settings"));

	print_key(k, "key", key);
	return KT_OK;
}

static kt_status list(struct keys *k, struct kt_error *err)
{
	const char *const *keys;
	size_t count;
	TRY(kt_key_trusted(&keys, &count, k->arena, err));

	if (k->json)
		fputs("{\"trusted\": [", stdout);
	for (size_t i = 0; i < count; i++)
		printf(k->json ? "%s\"%s\"" : "%s%s\n", k->json && i > 0 ? ", " : "", keys[i]);
	if (k->json)
		puts("]}");
	return KT_OK;
}

static kt_status change(struct keys *k, bool trusted, struct kt_error *err)
{
	char key[KT_KEY_TEXT];
	bool changed = false, is_key = strlen(k->argument) == KT_KEY_TEXT - 1 && strchr(k->argument, '/') == NULL;

	if (!trusted && is_key)
		memcpy(key, k->argument, sizeof key);
	else
		TRY(kt_key_read(key, k->arena, k->argument, err));
	TRY(kt_key_trust(&changed, k->arena, key, trusted, err));
	if (!trusted && !changed)
		return kt_fail(err, KT_ERR_MISSING, "%s is not trusted", key);
	print_key(k, trusted ? "trusted" : "revoked", key);
	return KT_OK;
}

static kt_status trust(struct keys *k, struct kt_error *err)
{
	return change(k, true, err);
}

static kt_status revoke(struct keys *k, struct kt_error *err)
{
	return change(k, false, err);
}

static kt_status (*const actions[])(struct keys *k, struct kt_error *err) = {
    [KT_ACTION_key_new] = make,     [KT_ACTION_key_show] = show, [KT_ACTION_key_trust] = trust,
    [KT_ACTION_key_revoke] = revoke, [KT_ACTION_key_list] = list,
};

int kt_verb_key(const struct kt_given *given)
{
	struct keys k = {.arena = kt_arena_new(KT_ARENA_REGION_BYTES), .json = given->json};
	struct kt_error err;
	kt_status status;

	k.argument = given->argument_count > 0 ? given->arguments[0] : NULL;
	status = k.arena != NULL ? actions[given->action](&k, &err) : kt_no_memory(&err);
	if (status != KT_OK)
		kt_say("%s", err.message);
	kt_arena_free(k.arena);
	return status == KT_OK ? 0 : KT_EXIT_FAILED;
}
