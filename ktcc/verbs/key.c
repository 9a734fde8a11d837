/* ktcc key: who vouches for text that comes from elsewhere. */
#include <stdio.h>
#include <string.h>

#include "base/key.h"
#include "base/log.h"
#include "verbs/verbs.h"

static const char help[] =
    "usage: ktcc key new|show|list [--json]\n"
    "       ktcc key trust|revoke FILE [--json]\n"
    "  new             make a pair of keys in the folder of your settings: `ktcc cache sign` signs with it\n"
    "  show            the public key, which others trust\n"
    "  trust FILE      take text of a model that this public key (a key.pub) has signed, from servers and imports\n"
    "  revoke FILE     no longer; FILE: a key.pub, or the key itself\n"
    "  list            the keys that are trusted\n";

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
	kt_status status = kt_key_new(key, k->arena, err);

	if (status == KT_OK)
		print_key(k, "key", key);
	return status;
}

static kt_status show(struct keys *k, struct kt_error *err)
{
	char key[KT_KEY_TEXT];
	char *path = kt_user_path(k->arena, "key.pub");
	kt_status status = path != NULL ? kt_key_read(key, k->arena, path, err)
	                                : kt_fail(err, KT_ERR_MISSING, "there is no folder for settings");

	if (status == KT_OK)
		print_key(k, "key", key);
	return status;
}

static kt_status list(struct keys *k, struct kt_error *err)
{
	const char *const *keys;
	size_t count;
	kt_status status = kt_key_trusted(&keys, &count, k->arena, err);

	if (status != KT_OK)
		return status;
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
	kt_status status = KT_OK;

	if (!trusted && is_key)
		memcpy(key, k->argument, sizeof key);
	else
		status = kt_key_read(key, k->arena, k->argument, err);
	if (status == KT_OK)
		status = kt_key_trust(&changed, k->arena, key, trusted, err);
	if (status == KT_OK && !trusted && !changed)
		return kt_fail(err, KT_ERR_MISSING, "%s is not trusted", key);
	if (status == KT_OK)
		print_key(k, trusted ? "trusted" : "revoked", key);
	return status;
}

static kt_status trust(struct keys *k, struct kt_error *err)
{
	return change(k, true, err);
}

static kt_status revoke(struct keys *k, struct kt_error *err)
{
	return change(k, false, err);
}

static const struct {
	const char *name;
	bool argument;
	kt_status (*run)(struct keys *k, struct kt_error *err);
} actions[] = {
    {"new", false, make}, {"show", false, show}, {"trust", true, trust}, {"revoke", true, revoke}, {"list", false, list},
};

int kt_verb_key(int argc, char **argv)
{
	struct keys k = {0};
	const char *words[3] = {NULL};
	struct kt_error err;
	int count = 0;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			fputs(help, stdout);
			return 0;
		}
		if (strcmp(argv[i], "--json") == 0)
			k.json = true;
		else if (count < 3)
			words[count++] = argv[i];
	}
	for (size_t i = 0; count > 0 && i < sizeof actions / sizeof *actions; i++)
		if (strcmp(actions[i].name, words[0]) == 0 && count == (actions[i].argument ? 2 : 1)) {
			kt_status status;

			k.argument = words[1];
			k.arena = kt_arena_new(KT_ARENA_REGION_BYTES);
			status = k.arena != NULL ? actions[i].run(&k, &err) : kt_fail(&err, KT_ERR_MEMORY, "out of memory");
			if (status != KT_OK)
				kt_say("%s", err.message);
			kt_arena_free(k.arena);
			return status == KT_OK ? 0 : KT_EXIT_FAILED;
		}
	fputs(help, stderr);
	return KT_EXIT_USAGE;
}
