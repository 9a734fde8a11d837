#include <stdio.h>
#include <string.h>

#include "exchange.h"

/* Shorter ones could be anywhere by chance, and are no secret. */
#define SHORTEST_KEY 6

static const char *secret;

void kt_say_hide(const char *key)
{
	secret = key != NULL && strlen(key) >= SHORTEST_KEY ? key : NULL;
}

void kt_say_forget(void)
{
	secret = NULL;
}

void kt_say_scrub(char *text, size_t size)
{
	const size_t length = secret != NULL ? strlen(secret) : 0;
	char *end = text + size;

	while (length > 0 && (text = memmem(text, (size_t)(end - text), secret, length)) != NULL)
		memset(text, '*', length);
}

void kt_say_line(cJSON *event)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_MESSAGE_BYTES);

	kt_json_print(&line, event);
	kt_buf_addc(&line, '\n');
	if (!line.failed) {
		kt_say_scrub(line.data, line.size);
		(void)fwrite(line.data, 1, line.size, stdout);
		(void)fflush(stdout);
	}
	kt_buf_free(&line);
	cJSON_Delete(event);
}
