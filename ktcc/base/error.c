#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static kt_status fill(struct kt_error *err, kt_status code, unsigned offset, const char *format, va_list arguments)
{
	err->code = code;
	err->offset = offset;
	if (vsnprintf(err->message, sizeof err->message, format, arguments) < 0)
		err->message[0] = '\0';
	return code;
}

kt_status kt_fail(struct kt_error *err, kt_status code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill(err, code, 0, format, arguments);
	va_end(arguments);
	return code;
}

kt_status kt_no_memory(struct kt_error *err)
{
	return kt_fail(err, KT_ERR_MEMORY, "out of memory");
}

kt_status kt_fail_at(struct kt_error *err, kt_status code, unsigned offset, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill(err, code, offset, format, arguments);
	va_end(arguments);
	return code;
}

kt_status kt_fail_errno(struct kt_error *err, const char *format, ...)
{
	int saved = errno;
	size_t used;
	va_list arguments;

	va_start(arguments, format);
	fill(err, saved == ENOMEM ? KT_ERR_MEMORY : saved == ENOENT ? KT_ERR_MISSING : KT_ERR_IO, 0, format, arguments);
	va_end(arguments);
	used = strlen(err->message);
	snprintf(err->message + used, sizeof err->message - used, ": %s", strerror(saved));
	errno = saved;
	return err->code;
}

kt_status kt_fail_prefix(struct kt_error *err, const char *format, ...)
{
	char prefix[sizeof err->message];
	char message[sizeof err->message];
	va_list arguments;

	va_start(arguments, format);
	if (vsnprintf(prefix, sizeof prefix, format, arguments) < 0)
		prefix[0] = '\0';
	va_end(arguments);
	memcpy(message, err->message, sizeof message);
	/* The prefix may fill the buffer; what is cut is the end of the message. */
	if ((size_t)snprintf(err->message, sizeof err->message, "%s", prefix) < sizeof err->message) {
		size_t used = strlen(err->message);

		snprintf(err->message + used, sizeof err->message - used, ": %s", message);
	}
	return err->code;
}
