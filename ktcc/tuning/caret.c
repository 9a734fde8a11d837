#include "tuning/caret.h"

#include <stdio.h>
#include <string.h>

enum { CARET_BEFORE = 60, CARET_BEHIND = 40 };

kt_status kt_fail_caret(struct kt_error *err, const char *text, unsigned offset)
{
	const size_t used = strlen(err->message), size = strlen(text);
	size_t at = offset < size ? offset : size, begin, end;

	for (begin = at; begin > 0 && text[begin - 1] != '\n' && at - begin < CARET_BEFORE;)
		begin--;
	for (end = at; end < size && text[end] != '\n' && end - at < CARET_BEHIND;)
		end++;
	snprintf(err->message + used, sizeof err->message - used, "\n  %.*s\n  %*s^", (int)(end - begin), text + begin,
		 (int)(at - begin), "");
	return err->code;
}
