#include "base/flat.h"

#include <string.h>

#include "base/fs.h"

struct join {
	struct kt_buf *out;
	struct kt_flat *flat;
	struct kt_arena *arena;
	const struct kt_flat_text *texts;
	bool *entered;
	struct kt_error *err;
};

/* Line and column of a file that reading has come to. */
struct reading {
	uint32_t at, line, column;
};

static void advance(struct reading *r, const char *data, uint32_t to)
{
	for (; r->at < to; r->at++) {
		r->column++;
		if (data[r->at] == '\n') {
			r->line++;
			r->column = 1;
		}
	}
}

static kt_status add_piece(struct join *j, size_t file, struct reading *r, uint32_t end)
{
	struct kt_flat *flat = j->flat;
	struct kt_flat_piece *piece = kt_arena_push(j->arena, &flat->pieces, &flat->piece_count, sizeof *piece);

	NEED(piece, kt_fail(j->err, KT_ERR_MEMORY, "out of memory for the text of '%.200s'", flat->files[file].path));
	*piece = (struct kt_flat_piece){file, r->at, end, (uint32_t)j->out->size, r->line, r->column};
	kt_buf_add(j->out, j->texts[file].data + r->at, end - r->at);
	advance(r, j->texts[file].data, end);
	return KT_OK;
}

static kt_status join_file(struct join *j, size_t file, int depth)
{
	const struct kt_flat_file *f = &j->flat->files[file];
	const struct kt_flat_text *text = &j->texts[file];
	struct reading r = {0, 1, 1};
	kt_status status = KT_OK;

	if (j->entered[file] || depth > KT_FLAT_DEPTH)
		return kt_fail(j->err, KT_ERR_INVALID, "'%.200s' is entered twice", f->path);
	j->entered[file] = true;
	/* A byte order mark is legal at the start of a file only. */
	if (file != 0 && text->size >= 3 && memcmp(text->data, "\xef\xbb\xbf", 3) == 0)
		r.at = 3;
	for (size_t i = 0; i < f->include_count && status == KT_OK; i++) {
		const struct kt_flat_include *include = &f->includes[i];

		if (include->begin < r.at || include->end <= include->begin || include->end > text->size ||
		    include->file >= j->flat->file_count)
			return kt_fail(j->err, KT_ERR_INVALID, "an include does not fit the text of '%.200s'", f->path);
		status = add_piece(j, file, &r, include->begin);
		if (status == KT_OK && include->entered)
			status = join_file(j, include->file, depth + 1);
		advance(&r, text->data, include->end);
	}
	return status == KT_OK ? add_piece(j, file, &r, (uint32_t)text->size) : status;
}

kt_status kt_flat_join(struct kt_buf *out, struct kt_flat *flat, struct kt_arena *arena,
                       const struct kt_flat_text *texts, struct kt_error *err)
{
	struct join j = {out, flat, arena, texts, NULL, err};

	flat->pieces = NULL;
	flat->piece_count = 0;
	if (flat->file_count == 0 || flat->file_count > KT_FLAT_FILES)
		return kt_fail(err, KT_ERR_LIMIT, "a text of %zu files", flat->file_count);
	NEED(j.entered = kt_arena_array(arena, flat->file_count, sizeof *j.entered),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory for the text of '%.200s'", flat->files[0].path));
	for (size_t i = 0; i < flat->file_count; i++)
		if (texts[i].size > UINT32_MAX)
			return kt_fail(err, KT_ERR_LIMIT, "'%.200s' is too large", flat->files[i].path);
	TRY(join_file(&j, 0, 0));
	for (size_t i = 0; i < flat->file_count; i++)
		if (!j.entered[i])
			return kt_fail(err, KT_ERR_INVALID, "'%.200s' is never entered", flat->files[i].path);
	return kt_buf_check(out, "the text with its headers", err);
}

struct kt_text_place kt_flat_place(const struct kt_flat *flat, const char *text, size_t offset, bool behind)
{
	const struct kt_flat_piece *piece = &flat->pieces[0];
	struct kt_text_place place;

	for (size_t i = 0; i < flat->piece_count; i++) {
		const struct kt_flat_piece *p = &flat->pieces[i];

		if (behind ? p->at > offset : p->at >= offset && i > 0)
			break;
		piece = p;
	}
	place = (struct kt_text_place){piece->file, piece->line, piece->column};
	for (size_t i = piece->at; i < offset; i++) {
		place.column++;
		if (text[i] == '\n') {
			place.line++;
			place.column = 1;
		}
	}
	return place;
}

bool kt_flat_folders(const char ***folders, size_t *count, struct kt_arena *arena, const struct kt_flat *flat)
{
	*folders = NULL;
	*count = 0;
	for (size_t i = 0; i < flat->file_count; i++) {
		const char *folder = kt_path_dirname(arena, flat->files[i].path), **slot;
		bool known = false;

		for (size_t k = 0; folder != NULL && k < *count; k++)
			known = known || strcmp((*folders)[k], folder) == 0;
		if (known)
			continue;
		slot = folder != NULL ? kt_arena_push(arena, folders, count, sizeof *slot) : NULL;
		if (slot == NULL)
			return false;
		*slot = folder;
	}
	return true;
}
