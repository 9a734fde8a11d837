/* Which instances of a kernel template a pragma is for: instances(float, <__half, 128>). */
#include "base/pragma_read.h"

#include <string.h>

/* The next template argument, up to a comma outside of brackets and of angles in no other bracket. */
static struct kt_slice take_argument(const struct kt_reader *r, struct kt_slice *rest)
{
	size_t angles = 0, brackets = 0, at = rest->at;
	while (at < rest->end && (r->text[at] != ',' || angles + brackets > 0)) {
		const char c = r->text[at];
		brackets += strchr("([{", c) != NULL && c != '\0';
		brackets -= strchr(")]}", c) != NULL && c != '\0' && brackets > 0;
		angles += c == '<' && brackets == 0;
		angles -= c == '>' && brackets == 0 && angles > 0;
		at = kt_step(r, at, rest->end);
	}
	const struct kt_slice piece = kt_trim(r, (struct kt_slice){rest->at, at});
	rest->at = at < rest->end ? at + 1 : at;
	return piece;
}

static bool add_argument(struct kt_pragma_instance *instance, struct kt_reader *r, struct kt_slice piece, const char *usage)
{
	if (piece.at == piece.end) {
		kt_report_token(r, piece.at, usage, "expected a template argument");
		return false;
	}
	const char **slot = kt_reader_push(r, &instance->arguments, &instance->count, sizeof *slot);
	const char *text = kt_arena_strndup(r->arena, r->text + piece.at, piece.end - piece.at);
	if (slot != NULL)
		*slot = text;
	r->out_of_memory = r->out_of_memory || text == NULL;
	return slot != NULL && text != NULL;
}

/* "<float, 128>", or one argument without angles. */
static bool read_instance(struct kt_pragma_instance *out, struct kt_reader *r, struct kt_slice piece, const char *usage)
{
	const bool list = piece.end - piece.at >= 2 && r->text[piece.at] == '<' && r->text[piece.end - 1] == '>';
	*out = (struct kt_pragma_instance){.offset = (unsigned)piece.at};
	out->text = kt_arena_strndup(r->arena, r->text + piece.at, piece.end - piece.at);
	r->out_of_memory = r->out_of_memory || out->text == NULL;
	if (!list)
		return add_argument(out, r, piece, usage);
	struct kt_slice rest = {piece.at + 1, piece.end - 1};
	bool more = true;
	while (more) {
		const struct kt_slice one = take_argument(r, &rest);
		/* A comma at the end is before one more argument. */
		more = rest.at < rest.end || r->text[rest.at - 1] == ',';
		if (!add_argument(out, r, one, usage))
			return false;
	}
	return true;
}

void kt_clause_instances(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row)
{
	bool more = true;
	while (more) {
		struct kt_pragma_instance read;
		const struct kt_slice piece = take_argument(r, &content);
		more = content.at < content.end || r->text[content.at - 1] == ',';
		if (!read_instance(&read, r, piece, row->usage))
			return;
		struct kt_pragma_instance *slot = kt_reader_push_limited(r, &r->pragma->instances, &r->pragma->instance_count,
		                                                         sizeof *slot, KT_CLAUSE_ITEMS, read.offset, "instances");
		if (slot == NULL)
			return;
		*slot = read;
	}
}
