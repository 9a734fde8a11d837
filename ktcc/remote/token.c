#include "remote/token.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/proc.h"

static kt_status from_command(struct kt_buf *out, const char *command, struct kt_error *err)
{
	char *words = strdup(command);
	char *argv[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, words, NULL};
	struct kt_proc_options options = {.timeout_s = 10};
	struct kt_proc_result result;
	struct kt_buf dropped = KT_BUF(KT_TOKEN_BYTES);
	kt_status status = words != NULL ? kt_proc_run(&result, argv, &options, out, &dropped, err) : kt_no_memory(err);
	if (status == KT_OK && (result.signalled || result.timed_out || result.code != 0))
		status = kt_fail(err, KT_ERR_CHILD, "the command for the token failed");
	kt_buf_free(&dropped);
	free(words);
	return status;
}

static kt_status read_source(struct kt_buf *out, const char *file, const char *command, struct kt_error *err)
{
	const char *set = getenv("KTUNE_REMOTE_TOKEN");
	if (set != NULL && set[0] != '\0')
		kt_buf_adds(out, set);
	unsetenv("KTUNE_REMOTE_TOKEN");
	if (out->size != 0)
		return KT_OK;
	if (file != NULL)
		return kt_fs_read(out, file, err);
	return command != NULL ? from_command(out, command, err) : KT_OK;
}

kt_status kt_token_read(struct kt_buf *out, const char *file, const char *command, struct kt_error *err)
{
	bool wanted = file != NULL || command != NULL;
	kt_status status = read_source(out, file, command, err);
	if (status != KT_OK || (out->size == 0 && !wanted))
		return status;
	/* The first line: files and commands end theirs. */
	size_t length = strcspn(kt_buf_text(out), "\r\n");
	for (size_t i = 0; i < length; i++)
		if (out->data[i] <= ' ' || out->data[i] >= 0x7f)
			return kt_fail(err, KT_ERR_INVALID, "the token holds characters that a token cannot have");
	if (length == 0 || out->failed)
		return kt_fail(err, KT_ERR_INVALID, "the token is empty, or longer than %d bytes", KT_TOKEN_BYTES);
	out->size = length;
	out->data[length] = '\0';
	return KT_OK;
}
