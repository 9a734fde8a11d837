/* What a reader of the emitted file is told about a variant that a generator wrote. */
#include "emit/dispatch.h"

#include <inttypes.h>
#include <string.h>

/* Inside a comment to the line's end: what could continue the line, or be a trigraph that does,
 * is spelled otherwise. */
static void add_words(struct kt_buf *out, const char *text)
{
	for (const char *c = text; *c != '\0'; c++) {
		const unsigned char byte = (unsigned char)*c;

		if (byte == '\\')
			kt_buf_addc(out, '/');
		else if (byte == '?' && c[1] == '?')
			kt_buf_adds(out, "? ");
		else
			kt_buf_addc(out, byte < ' ' || byte == 0x7f ? ' ' : *c);
	}
}

static void add_line(struct kt_buf *out, const char *lead, const char *text, const char *more)
{
	kt_buf_addf(out, "//%s", lead);
	add_words(out, text);
	if (more != NULL && more[0] != '\0') {
		kt_buf_adds(out, ": ");
		add_words(out, more);
	}
	kt_buf_addc(out, '\n');
}

/* "//   VEC  = 8      elements of one access" */
static void add_parameters(struct kt_buf *out, const struct kt_variant *variant)
{
	const struct kt_template *t = variant->template_;
	size_t widest = 0;

	for (size_t i = 0; i < t->parameter_count; i++)
		widest = strlen(t->parameters[i].name) > widest ? strlen(t->parameters[i].name) : widest;
	for (size_t i = 0; i < t->parameter_count; i++) {
		kt_buf_addf(out, "//   %-*s = %-6" PRId64 " ", (int)widest, t->parameters[i].name,
		            variant->configuration[i]);
		add_words(out, t->parameters[i].meaning != NULL ? t->parameters[i].meaning : "");
		kt_buf_addc(out, '\n');
	}
}

void kt_emit_rationale(struct kt_buf *out, const struct kt_variant *variant)
{
	const struct kt_template *t = variant->template_;

	if (!kt_template_is_generated(t))
		return;
	add_line(out, " ", t->region->instances[variant->instance].name, t->rationale);
	add_parameters(out, variant);
	for (size_t i = 0; i < t->temporary_count; i++)
		add_line(out, i == 0 ? " private memory: " : "                 ", t->temporaries[i].name,
		         t->temporaries[i].count.text);
	for (size_t i = 0; i < t->strategy_count; i++)
		add_line(out, " ", t->strategies[i].name, t->strategies[i].reason);
	for (size_t i = 0; i < t->guard_count; i++) {
		const char *reason = t->guard_reasons != NULL ? t->guard_reasons[i] : NULL;
		/* Once for guards that follow each other. */
		const bool said = i > 0 && reason != NULL && t->guard_reasons[i - 1] != NULL &&
		                  strcmp(reason, t->guard_reasons[i - 1]) == 0;

		add_line(out, " only where ", t->guards[i].text, said ? NULL : reason);
	}
	if (variant->when.expr != NULL)
		add_line(out, " ", "where", variant->when.text);
}
