#include "emit/depfile.h"

#include <ctype.h>
#include <string.h>

struct reader {
	const char *text;
	size_t size, at;
	struct kt_arena *arena;
	struct kt_buf word;
};

/* Length of a line continuation at the reader's place, 0: none. */
static size_t continuation(const struct reader *r)
{
	if (r->text[r->at] != '\\')
		return 0;
	if (r->at + 1 < r->size && r->text[r->at + 1] == '\n')
		return 2;
	return r->at + 2 < r->size && r->text[r->at + 1] == '\r' && r->text[r->at + 2] == '\n' ? 3 : 0;
}

static void skip_blanks(struct reader *r)
{
	while (r->at < r->size) {
		size_t length = continuation(r);

		if (length == 0 && (r->text[r->at] == ' ' || r->text[r->at] == '\t' || r->text[r->at] == '\r'))
			length = 1;
		if (length == 0)
			return;
		r->at += length;
	}
}

/* The rule's colon has a blank or the end of its line after it: "C:/x" and "a:b" are names. */
static bool is_colon(const struct reader *r)
{
	return r->text[r->at] == ':' && (r->at + 1 >= r->size || isspace((unsigned char)r->text[r->at + 1]) ||
					 (r->text[r->at + 1] == '\\' && r->at + 2 < r->size &&
					  (r->text[r->at + 2] == '\n' || r->text[r->at + 2] == '\r')));
}

static bool is_escaped_by_backslash(char c)
{
	return c == ' ' || c == '\t' || c == '#' || c == ':';
}

/*
 * A run of backslashes: before what they escape they come in pairs, and
 * an odd one takes it into the name; at the end of a line an odd one continues
 * it; elsewhere they are the name's own.
 */
static void read_backslashes(struct reader *r)
{
	const size_t start = r->at;
	size_t count, kept;

	while (r->at < r->size && r->text[r->at] == '\\')
		r->at++;
	/* Of an odd run the last one is left where a line is continued. */
	r->at--;
	if (continuation(r) == 0 || (r->at - start) % 2 != 0)
		r->at++;
	count = kept = r->at - start;
	if (r->at < r->size && is_escaped_by_backslash(r->text[r->at]))
		kept /= 2;
	kt_buf_add(&r->word, r->text + start, kept);
	if (kept < count && count % 2 != 0)
		kt_buf_addc(&r->word, r->text[r->at++]);
}

/* One name with its escapes undone, into r->word. */
static void read_word(struct reader *r)
{
	kt_buf_clear(&r->word);
	while (r->at < r->size && !isspace((unsigned char)r->text[r->at]) && continuation(r) == 0 && !is_colon(r)) {
		if (r->text[r->at] == '\\') {
			read_backslashes(r);
			continue;
		}
		if (r->text[r->at] == '$' && r->at + 1 < r->size && r->text[r->at + 1] == '$')
			r->at++;
		kt_buf_addc(&r->word, r->text[r->at++]);
	}
}

static kt_status keep_word(struct reader *r, const char ***names, size_t *count, struct kt_error *err)
{
	const char **slot = kt_arena_push(r->arena, names, count, sizeof *slot);
	TRY(kt_buf_check(&r->word, "name in a dependency file", err));

	if (slot != NULL)
		*slot = kt_arena_strdup(r->arena, kt_buf_text(&r->word));
	return slot != NULL && *slot != NULL ? KT_OK
					     : kt_fail(err, KT_ERR_MEMORY, "out of memory for a dependency file");
}

/* One rule. Those after the first without prerequisites are -MP's. */
static kt_status read_rule(struct kt_depfile *out, struct reader *r, struct kt_error *err)
{
	const char **targets = NULL, **prerequisites = NULL;
	size_t target_count = 0, prerequisite_count = 0, start = r->at;
	bool behind_colon = false;
	kt_status status = KT_OK;

	while (status == KT_OK) {
		skip_blanks(r);
		if (r->at >= r->size || r->text[r->at] == '\n')
			break;
		if (is_colon(r) && !behind_colon) {
			behind_colon = true;
			r->at++;
			continue;
		}
		/* A second colon, or a blank that make would not take: read_word would not advance. */
		if (is_colon(r) || (isspace((unsigned char)r->text[r->at])))
			return kt_fail_at(err, KT_ERR_SYNTAX, (unsigned)r->at,
					  "unexpected character in a dependency file");
		read_word(r);
		status = behind_colon ? keep_word(r, &prerequisites, &prerequisite_count, err)
				      : keep_word(r, &targets, &target_count, err);
	}
	if (status != KT_OK || (target_count == 0 && !behind_colon))
		return status;
	if (!behind_colon || target_count == 0)
		return kt_fail_at(err, KT_ERR_SYNTAX, (unsigned)start, "no rule in a line of a dependency file");
	if (out->target_count == 0) {
		out->targets = targets;
		out->target_count = target_count;
		out->prerequisites = prerequisites;
		out->prerequisite_count = prerequisite_count;
	} else if (prerequisite_count == 0) {
		out->phony = true;
	} else {
		return kt_fail_at(err, KT_ERR_SYNTAX, (unsigned)start, "more than one rule in a dependency file");
	}
	return KT_OK;
}

kt_status kt_depfile_parse(struct kt_depfile *out, struct kt_arena *arena, const char *text, size_t size,
			   struct kt_error *err)
{
	struct kt_depfile depfile = {0};
	struct reader r = {text, size, 0, arena, KT_BUF(KT_LIMIT_LINE_BYTES)};
	kt_status status = KT_OK;

	while (status == KT_OK && r.at < size) {
		if (text[r.at] == '\n') {
			r.at++;
		} else if (text[r.at] == '#') {
			while (r.at < size && text[r.at] != '\n')
				r.at++;
		} else {
			status = read_rule(&depfile, &r, err);
		}
	}
	if (status == KT_OK && depfile.target_count == 0)
		status = kt_fail(err, KT_ERR_SYNTAX, "no rule in a dependency file");
	if (status == KT_OK)
		*out = depfile;
	kt_buf_free(&r.word);
	return status;
}

/* A colon in a name is plain, except where it would end the targets or the backslash in front would escape it. */
static bool needs_backslash(const char *name, const char *at)
{
	return is_escaped_by_backslash(*at) && (*at != ':' || at[1] == '\0' || (at > name && at[-1] == '\\'));
}

static void double_backslashes(struct kt_buf *out, const char *name, const char *end)
{
	for (; end > name && end[-1] == '\\'; end--)
		kt_buf_addc(out, '\\');
}

static void print_name(struct kt_buf *out, const char *name)
{
	const char *p;

	for (p = name; *p != '\0'; p++) {
		if (needs_backslash(name, p)) {
			double_backslashes(out, name, p);
			kt_buf_addc(out, '\\');
		} else if (*p == '$') {
			kt_buf_addc(out, '$');
		}
		kt_buf_addc(out, *p);
	}
	/* A separate blank: at the end of a line they would not be taken for pairs. */
	if (p > name && p[-1] == '\\') {
		double_backslashes(out, name, p);
		kt_buf_addc(out, ' ');
	}
}

static bool has_empty_rule(const struct kt_depfile *depfile, const char *name)
{
	bool found = depfile->phony;

	for (size_t i = 0; !found && i < depfile->empty_count; i++)
		found = strcmp(depfile->empty[i], name) == 0;
	return found;
}

void kt_depfile_print(struct kt_buf *out, const struct kt_depfile *depfile)
{
	for (size_t i = 0; i < depfile->target_count; i++) {
		kt_buf_adds(out, i > 0 ? " " : "");
		print_name(out, depfile->targets[i]);
	}
	kt_buf_adds(out, " :");
	for (size_t i = 0; i < depfile->prerequisite_count; i++) {
		kt_buf_adds(out, i > 0 ? " \\\n    " : " ");
		print_name(out, depfile->prerequisites[i]);
	}
	kt_buf_addc(out, '\n');
	/* The first prerequisite is the input: it has no empty rule. */
	for (size_t i = 1; i < depfile->prerequisite_count; i++) {
		if (!has_empty_rule(depfile, depfile->prerequisites[i]))
			continue;
		kt_buf_addc(out, '\n');
		print_name(out, depfile->prerequisites[i]);
		kt_buf_adds(out, ":\n");
	}
}
