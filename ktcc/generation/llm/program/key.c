/* Where the key comes from. It is never an argument of a program, and never in a request. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/proc.h"
#include "exchange.h"

#define COMMAND_WORDS 32
#define COMMAND_SECONDS 30

static char key[KT_LLM_KEY_BYTES];

void kt_key_forget(void)
{
	kt_say_forget();
	explicit_bzero(key, sizeof key);
}

/* The first line, without blanks around it. It goes into a header: printable, and in one piece. */
static bool take(struct kt_exchange *x, const char *where, const char *text, size_t size)
{
	const char *end = memchr(text, '\n', size);
	size_t length = end != NULL ? (size_t)(end - text) : size;

	while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL)
		length--;
	while (length > 0 && strchr(" \t", *text) != NULL) {
		text++;
		length--;
	}
	if (length == 0 || length >= sizeof key)
		return kt_exchange_fail(x, "key", "%s holds no key", where);
	for (size_t i = 0; i < length; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return kt_exchange_fail(x, "key", "%s holds something that is no key", where);
	memcpy(key, text, length);
	key[length] = '\0';
	kt_say_hide(key);
	return true;
}

static bool from_file(struct kt_exchange *x)
{
	struct kt_buf text = KT_BUF(KT_LLM_KEY_BYTES * 2);
	struct stat info;
	struct kt_error err;
	bool done;

	/* As ssh has it: what everybody can read is no secret any more. */
	if (stat(x->key_file, &info) == 0 && (info.st_mode & (S_IRWXO | S_IWGRP)) != 0)
		return kt_exchange_fail(x, "key", "%s can be read or written by others: chmod 600", x->key_file);
	done = kt_fs_read(&text, x->key_file, &err) == KT_OK ? take(x, x->key_file, kt_buf_text(&text), text.size)
	                                                     : kt_exchange_fail(x, "key", "%s", err.message);
	if (text.data != NULL)
		explicit_bzero(text.data, text.size);
	kt_buf_free(&text);
	return done;
}

static bool from_command(struct kt_exchange *x)
{
	struct kt_buf text = KT_BUF(KT_LLM_KEY_BYTES * 2);
	struct kt_proc_options options = {.timeout_s = COMMAND_SECONDS};
	struct kt_proc_result result;
	struct kt_error err;
	char *words = kt_arena_strdup(x->arena, x->key_command), *argv[COMMAND_WORDS + 1], *word;
	size_t count = 0;
	bool done;

	while (words != NULL && count < COMMAND_WORDS && (word = strsep(&words, " \t")) != NULL)
		if (word[0] != '\0')
			argv[count++] = word;
	argv[count] = NULL;
	if (count == 0)
		return kt_exchange_fail(x, "key", "the command for the key is empty");
	if (kt_proc_run(&result, argv, &options, &text, NULL, &err) != KT_OK)
		done = kt_exchange_fail(x, "key", "%s", err.message);
	else if (result.signalled || result.timed_out || result.code != 0)
		done = kt_exchange_fail(x, "key", "the command for the key failed");
	else
		done = take(x, "the output of the command for the key", kt_buf_text(&text), text.size);
	if (text.data != NULL)
		explicit_bzero(text.data, text.size);
	kt_buf_free(&text);
	return done;
}

bool kt_key_find(const char **out, struct kt_exchange *x)
{
	const char *value;
	bool done = true;

	key[0] = '\0';
	if (x->key_file != NULL) {
		done = from_file(x);
	} else if (x->key_command != NULL) {
		done = from_command(x);
	} else if (x->key_env != NULL) {
		value = getenv(x->key_env);
		done = value != NULL ? take(x, x->key_env, value, strlen(value))
		                     : kt_exchange_fail(x, "key", "%s is not set", x->key_env);
	}
	*out = key;
	return done;
}
