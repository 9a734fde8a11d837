#include "emit/copies.h"

#include <string.h>

#include "base/fs.h"
#include "emit/lookups.h"

static uint32_t line_of(const struct kt_emission *m, size_t offset)
{
	return m->flat != NULL ? kt_flat_place(m->flat, m->source, offset, false).line
	                       : kt_source_line(m->source, m->source_size, offset);
}

/* The name of a mark, as text; NULL when out of memory. */
static const char *mark_file(struct kt_arena *arena, const struct kt_emission *m, const struct kt_range *range)
{
	char *name = kt_arena_strndup(arena, m->source + range->begin, range->end - range->begin);
	size_t used = 0;

	for (size_t i = 0; name != NULL && name[i] != '\0'; i++) {
		i += name[i] == '\\' && (name[i + 1] == '\\' || name[i + 1] == '"');
		name[used++] = name[i];
	}
	if (name != NULL)
		name[used] = '\0';
	return name;
}

/* What the line marks before a place give: the last one, and the last file that was named. */
struct marks {
	bool any;
	struct kt_line_mark last;
	struct kt_range file;
};

static void take_marks(struct marks *out, const char *source, size_t begin, size_t end)
{
	while (begin < end && kt_source_line_mark(&out->last, source, end, &begin)) {
		out->any = true;
		if (out->last.file.end > out->last.file.begin)
			out->file = out->last.file;
	}
}

kt_status kt_emit_place(const char **file, uint32_t *line, int64_t *shift, struct kt_arena *arena,
                        const struct kt_emission *emission, size_t offset, struct kt_error *err)
{
	const struct kt_flat *flat = emission->flat;
	struct marks marks = {.any = false};

	*shift = 0;
	if (flat == NULL) {
		*file = emission->line_file;
		take_marks(&marks, emission->source, 0, offset);
	} else {
		const size_t in = kt_flat_place(flat, emission->source, offset, false).file;

		*file = flat->files[in].path;
		for (size_t i = 0; i < flat->piece_count && flat->pieces[i].at < offset; i++) {
			const size_t end = flat->pieces[i].at + (size_t)(flat->pieces[i].end - flat->pieces[i].begin);

			if (flat->pieces[i].file == in)
				take_marks(&marks, emission->source, flat->pieces[i].at, end < offset ? end : offset);
		}
	}
	if (marks.any)
		*shift = (int64_t)marks.last.line - (int64_t)line_of(emission, marks.last.end) - 1;
	if (marks.file.end > marks.file.begin)
		*file = mark_file(arena, emission, &marks.file);
	*line = (uint32_t)(line_of(emission, offset) + *shift);
	return *file != NULL ? KT_OK : kt_no_memory(err);
}

/* Inside the piece, or inserted at its end: at its begin, what is inserted belongs to the piece before. */
static bool is_in(const struct kt_splice *splice, size_t begin, size_t end, bool first)
{
	if (splice->begin == splice->end)
		return (splice->begin > begin || (first && splice->begin == begin)) && splice->begin <= end;
	return splice->begin >= begin && splice->begin < end;
}

/* Appends the edited text of one piece; *used counts the splices that were in it. */
static kt_status add_piece(struct kt_buf *out, size_t *used, const struct kt_emission *m, size_t begin, size_t end,
                           bool first, struct kt_splice *splices, size_t count, struct kt_splice *room,
                           struct kt_error *err)
{
	size_t taken = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_in(&splices[i], begin, end, first))
			continue;
		room[taken] = splices[i];
		room[taken].begin -= begin;
		room[taken].end -= begin;
		taken++;
	}
	*used += taken;
	return kt_source_splice(out, m->source + begin, end - begin, room, taken, err);
}

static const char *copy_name(struct kt_arena *arena, const struct kt_emission *m, size_t file)
{
	const char *base = kt_path_basename(file == 0 ? m->line_file : m->flat->files[file].path);

	return file == 0 ? base : kt_arena_printf(arena, "%zu-%s", file, base);
}

struct assembly {
	const struct kt_emission *emission;
	const char *before;
	struct kt_emitted *out;
	struct kt_splice *splices, *room;
	size_t splice_count, used;
};

/* What is before the user's first line. */
static void open_copy(struct kt_buf *out, const struct assembly *a, size_t file)
{
	const struct kt_emission *m = a->emission;
	if (file == 0)
		kt_buf_addf(out, "#include <ktune/ktune.h>\n%s", a->before);
	else if (m->flat->files[file].is_system)
		kt_buf_adds(out, "#pragma GCC system_header\n");
	kt_source_line_directive(out, 1, file == 0 ? m->line_file : m->flat->files[file].path);
}

static kt_status add_file(struct kt_buf *text, struct assembly *a, size_t file, struct kt_error *err)
{
	const struct kt_emission *m = a->emission;
	const struct kt_flat *flat = m->flat;
	const struct kt_flat_file *f = &flat->files[file];
	size_t include = 0;
	kt_status status = KT_OK;

	open_copy(text, a, file);
	for (size_t i = 0; i < flat->piece_count && status == KT_OK; i++) {
		const struct kt_flat_piece *p = &flat->pieces[i];
		const size_t end = p->at + (size_t)(p->end - p->begin);
		uint32_t line = p->line;

		if (p->file != file)
			continue;
		status = add_piece(text, &a->used, m, p->at, end, i == 0, a->splices, a->splice_count, a->room, err);
		if (include >= f->include_count || status != KT_OK)
			continue;
		kt_buf_addf(text, "#include \"%s%s\"", file == 0 && m->prefix != NULL ? m->prefix : "",
		            a->out->files[f->includes[include++].file].name);
		/* A directive may be continued over several lines. */
		for (size_t k = p->at; k < end; k++)
			line += m->source[k] == '\n';
		for (size_t k = i + 1; k < flat->piece_count; k++)
			if (flat->pieces[k].file == file) {
				for (; line < flat->pieces[k].line; line++)
					kt_buf_addc(text, '\n');
				break;
			}
	}
	return status;
}

/* The main file alone: one piece that is all of the text. */
static const struct kt_flat *flat_of(struct kt_flat *alone, struct kt_arena *arena, const struct kt_emission *m)
{
	if (m->flat != NULL)
		return m->flat;
	*alone = (struct kt_flat){.file_count = 1, .piece_count = 1};
	alone->files = kt_arena_array(arena, 1, sizeof *alone->files);
	alone->pieces = kt_arena_array(arena, 1, sizeof *alone->pieces);
	if (alone->files == NULL || alone->pieces == NULL)
		return NULL;
	alone->files[0].path = m->line_file;
	alone->pieces[0] = (struct kt_flat_piece){.end = (uint32_t)m->source_size, .line = 1, .column = 1};
	return alone;
}

static kt_status make(struct assembly *a, struct kt_arena *arena, struct kt_error *err)
{
	const struct kt_flat *flat = a->emission->flat;
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_status status = KT_OK;

	for (size_t i = 0; i < flat->file_count; i++) {
		a->out->files[i].name = copy_name(arena, a->emission, i);
		a->out->files[i].original = flat->files[i].path;
		NEED(a->out->files[i].name, kt_no_memory(err));
	}
	for (size_t i = 0; i < flat->file_count && status == KT_OK; i++) {
		kt_buf_clear(&text);
		status = add_file(&text, a, i, err);
		if (status == KT_OK)
			status = kt_buf_check(&text, "emitted source", err);
		a->out->files[i].text = kt_arena_strndup(arena, kt_buf_text(&text), text.size);
		if (status == KT_OK && a->out->files[i].text == NULL)
			status = kt_no_memory(err);
	}
	kt_buf_free(&text);
	return status;
}

kt_status kt_emit_copies(struct kt_emitted *out, struct kt_arena *arena, const struct kt_emission *emission,
                         const char *before, struct kt_splice *splices, size_t splice_count, struct kt_error *err)
{
	struct kt_emission m = *emission;
	struct kt_flat alone;
	struct assembly a = {&m, before, out, splices, NULL, splice_count, 0};

	*out = (struct kt_emitted){0};
	m.flat = flat_of(&alone, arena, emission);
	a.room = kt_arena_array(arena, splice_count + 1, sizeof *a.room);
	if (m.flat == NULL || a.room == NULL)
		return kt_no_memory(err);
	out->files = kt_arena_array(arena, m.flat->file_count, sizeof *out->files);
	if (out->files == NULL || !kt_flat_folders(&out->folders, &out->folder_count, arena, m.flat))
		return kt_no_memory(err);
	out->file_count = m.flat->file_count;
	TRY(make(&a, arena, err));
	if (a.used != splice_count)
		return kt_fail(err, KT_ERR_INVALID, "an edit fits no file of the text");
	/* With a prefix the main file is written elsewhere, and compiled by others. */
	if (emission->prefix == NULL && !kt_emit_lookups(out, arena))
		TRY(kt_no_memory(err));
	return KT_OK;
}
