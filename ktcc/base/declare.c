#include "base/declare.h"

#include <string.h>

const char *kt_declare_at(const char *type)
{
	const char *inner = strstr(type, "(*"), *close = inner != NULL ? strchr(inner, ')') : NULL;
	int angle = 0;

	if (inner != NULL)
		return close != NULL ? close : type + strlen(type);
	for (const char *p = type; *p != '\0'; p++) {
		angle += *p == '<' ? 1 : *p == '>' ? -1 : 0;
		if (*p == '[' && angle == 0)
			return p;
	}
	return type + strlen(type);
}

void kt_declare(struct kt_buf *out, const char *type, const char *declarator)
{
	const char *at = kt_declare_at(type);
	const char *space = at > type && at[-1] == '*' ? "" : " ";

	kt_buf_addf(out, "%.*s%s%s%s", (int)(at - type), type, space, declarator != NULL ? declarator : "", at);
}
