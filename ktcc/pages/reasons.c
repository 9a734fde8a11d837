/* The page of reasons, docs/reasons.md: why a kernel is left unmodified, and why the rules have no template for it. */
#include <ctype.h>

#include "base/decline.h"
#include "base/reason.h"
#include "pages/pages.h"

/* A sentence: a capital in front, a full stop at the end; outside of code no tag begins. */
static void print_sentence(FILE *to, const char *text)
{
	bool code = text[0] == '`';
	char last = '.';

	fputc(toupper((unsigned char)text[0]), to);
	for (text++; *text != '\0'; text++) {
		code = code != (*text == '`');
		if (*text == '<' && !code)
			fputc('\\', to);
		fputc(*text, to);
		last = *text;
	}
	fputs(last == '.' ? "\n" : ".\n", to);
}

static void print_reason(FILE *to, const char *name, const char *cause, const char *fix)
{
	fprintf(to, "\n### %s\n\n**Cause.** ", name);
	print_sentence(to, cause);
	fputs("\n**Fix.** ", to);
	print_sentence(to, fix[0] != '\0' ? fix : "nothing has to be done");
}

void pages_reasons(FILE *to)
{
	fputs("<!-- Made by ktcc-pages from ktcc/base/reason.h and ktcc/base/decline.h. -->\n\n# Reasons\n\n"
	      "`ktcc` compiles a kernel unmodified where it cannot do better safely. It prints one line with place, "
	      "cause and fix,\n"
	      "and counts the reason under the name below: `ktcc cache stats`. `ktcc explain FILE` repeats the line at "
	      "any time.\n\n"
	      "## The kernel is left unmodified\n",
	      to);
#define PRINT_REASON(id, name, cause, fix, quiet) print_reason(to, name, cause, fix);
	KT_REASONS(PRINT_REASON)
#undef PRINT_REASON
	fputs("\n## The rules have no template\n\n"
	      "Without `tune`, rules and passes look for a structure that they can change. Where there is none, the "
	      "line names the\n"
	      "place and what was found there; `ktcc explain --analysis FILE` shows what is known of each line.\n",
	      to);
#define PRINT_DECLINE(id, name, fix) fprintf(to, "\n### %s\n\n**Fix.** ", name), print_sentence(to, fix);
	KT_DECLINES(PRINT_DECLINE)
#undef PRINT_DECLINE
}
