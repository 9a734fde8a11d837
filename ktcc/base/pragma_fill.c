/* What buffers hold before a call: "uniform(0, 1)", "file(\"x.npy\")", "{from = range(0, n - 1)}". */
#include "base/pragma_read.h"

#include <math.h>
#include <string.h>

struct fill_row;
static bool fill_numbers(struct kt_pragma_buffer *buffer, struct kt_reader *r, struct kt_slice content, const struct fill_row *row);
static bool fill_like(struct kt_pragma_buffer *buffer, struct kt_reader *r, struct kt_slice content, const struct fill_row *row);
static bool fill_file(struct kt_pragma_buffer *buffer, struct kt_reader *r, struct kt_slice content, const struct fill_row *row);

/* Rows of fills: how many numbers are after the name, and what they are when they are left out. */
static const struct fill_row {
	const char *name;
	enum kt_fill_kind kind;
	size_t least, most;
	double a, b;
	bool integral, promise;
	/* Of what is in the parentheses. */
	bool (*read)(struct kt_pragma_buffer *buffer, struct kt_reader *r, struct kt_slice content, const struct fill_row *row);
} fills[] = {
    {"uniform", KT_FILL_UNIFORM, 2, 2, 0, 1, false, false, fill_numbers},
    {"normal", KT_FILL_NORMAL, 0, 2, 0, 1, false, false, fill_numbers},
    {"iota", KT_FILL_IOTA, 0, 0, 0, 0, false, false, fill_numbers},
    {"zeros", KT_FILL_ZEROS, 0, 0, 0, 0, false, false, fill_numbers},
    {"range", KT_FILL_RANGE, 2, 2, 0, 0, true, true, fill_numbers},
    {"permutation", KT_FILL_PERMUTATION, 0, 0, 0, 0, false, true, fill_numbers},
    {"unique", KT_FILL_UNIQUE, 2, 2, 0, 0, true, true, fill_numbers},
    {"sorted", KT_FILL_SORTED, 2, 2, 0, 0, false, true, fill_numbers},
    {"offsets", KT_FILL_OFFSETS, 1, 1, 0, 0, true, true, fill_numbers},
    {"mask", KT_FILL_MASK, 1, 1, 0.5, 0, false, true, fill_numbers},
    {"choice", KT_FILL_CHOICE, 1, KT_FILL_NUMBERS, 0, 0, false, true, fill_numbers},
    {"file", KT_FILL_FILE, 1, 1, 0, 0, false, true, fill_file},
    {"like", KT_FILL_DEFAULT, 1, 1, 0, 0, false, false, fill_like},
};
#define KT_FILL_USAGE \
	"a fill is uniform(a, b), normal(mean, deviation), iota, zeros, range(lo, hi), permutation, unique(lo, hi), " \
	"sorted(lo, hi), offsets(mean), mask(p), choice(a, b, …), file(\"x.npy\") or like(buffer)"

#define NAME(id, name) name,
const char *const kt_fill_names[KT_FILLS] = {KT_CLAUSE_FILLS(NAME) KT_CHECK_FILLS(NAME)};
#undef NAME

double kt_fill_number(const struct kt_fill *fill, size_t index)
{
	return index == 0 ? fill->a : index == 1 ? fill->b : fill->more[index - 2];
}

void kt_fill_set(struct kt_fill *fill, size_t index, double number)
{
	*(index == 0 ? &fill->a : index == 1 ? &fill->b : &fill->more[index - 2]) = number;
}

/* "2 numbers", "1 to 16 numbers", "a buffer" */
static const char *what_it_takes(const struct fill_row *row, struct kt_reader *r)
{
	if (row->read != fill_numbers)
		return row->read == fill_file ? "the path of a NumPy file in quotes" : "the name of a buffer";
	if (row->least > 0 && row->least < row->most)
		return kt_arena_printf(r->arena, "%zu to %zu numbers", row->least, row->most);
	return kt_arena_printf(r->arena, "%zu number%s", row->most, row->most == 1 ? "" : "s");
}

static const char *fill_name(size_t index)
{
	return index < sizeof fills / sizeof *fills ? fills[index].name : NULL;
}

bool kt_fill_is_promise(enum kt_fill_kind kind)
{
	for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
		if (fills[i].kind == kind)
			return fills[i].promise;
	return false;
}

const char *kt_fill_mistake(const struct kt_fill *fill)
{
	switch (fill->kind) {
	case KT_FILL_NORMAL:
		return fill->b < 0 ? "the deviation is negative" : NULL;
	case KT_FILL_OFFSETS:
		return fill->a < 0 || fill->a > 0x1p31 ? "the mean is no length" : NULL;
	case KT_FILL_MASK:
		return fill->a < 0 || fill->a > 1 ? "the probability is not between 0 and 1" : NULL;
	case KT_FILL_RANGE:
	case KT_FILL_UNIQUE:
		if (fabs(fill->a) > 0x1p53 || fabs(fill->b) > 0x1p53)
			return fill->kind == KT_FILL_RANGE ? "range takes integers of at most 53 bits"
			                                   : "unique takes integers of at most 53 bits";
		break;
	case KT_FILL_CHOICE:
		return NULL;
	default:
		break;
	}
	return fill->a > fill->b ? "the lower bound is above the upper one" : NULL;
}

/* Each a number or an expression; how many there are, and whether all are integers. False: reported. */
static bool take_numbers(size_t *count, bool *integral, struct kt_pragma_buffer *buffer, struct kt_reader *r,
                         struct kt_slice content, size_t most)
{
	struct kt_slice piece;
	bool more = true;
	while (kt_take(r, &piece, &content, ",", &more)) {
		struct kt_pragma_value number = {0};
		if (!kt_read_number(&number, r, piece))
			return false;
		if (*count < most) {
			kt_fill_set(&buffer->fill, *count, number.number);
			buffer->bounds[*count] = number.expr;
		}
		*integral = *integral && number.integral;
		++*count;
	}
	return true;
}

static bool is_known(const struct kt_clause_expr bounds[KT_FILL_NUMBERS])
{
	for (size_t i = 0; i < KT_FILL_NUMBERS; i++)
		if (bounds[i].expr != NULL)
			return false;
	return true;
}

/* Bounds that are numbers are judged here, others where the names have values (pragma_check.c). */
static bool fill_numbers(struct kt_pragma_buffer *buffer, struct kt_reader *r, struct kt_slice content,
                         const struct fill_row *row)
{
	size_t count = 0;
	bool integral = true;
	const size_t at = content.at;
	if (!take_numbers(&count, &integral, buffer, r, content, row->most))
		return false;
	if (count < row->least || count > row->most || (row->kind == KT_FILL_NORMAL && count == 1)) {
		kt_report_token(r, at, KT_FILL_USAGE, "%s takes %s, not %zu", row->name, what_it_takes(row, r), count);
		return false;
	}
	if (row->integral && !integral) {
		kt_report_token(r, at, "for fractions write uniform(a, b)", "%s takes integers of at most 53 bits", row->name);
		return false;
	}
	buffer->fill.count = row->kind == KT_FILL_CHOICE ? count : 0;
	const char *wrong = is_known(buffer->bounds) ? kt_fill_mistake(&buffer->fill) : NULL;
	if (wrong != NULL)
		kt_report_token(r, at, NULL, "%s", wrong);
	return wrong == NULL;
}

/* "data/x.npy", without escapes. */
static bool fill_file(struct kt_pragma_buffer *buffer, struct kt_reader *r, struct kt_slice content,
                      const struct fill_row *row)
{
	static const char usage[] = "write file(\"x.npy\"), a path relative to the folder of this file";
	content = kt_trim(r, content);
	const char *text = r->text + content.at;
	const size_t size = content.end - content.at;
	const char *close = size > 2 && text[0] == '"' ? memchr(text + 1, '"', size - 1) : NULL;
	if (close == NULL || close == text + 1 || memchr(text, '\\', size) != NULL) {
		kt_report_token(r, content.at, usage, "expected %s", what_it_takes(row, r));
		return false;
	}
	buffer->file_offset = (unsigned)content.at;
	buffer->file = kt_arena_strndup(r->arena, text + 1, (size_t)(close - text) - 1);
	r->out_of_memory = r->out_of_memory || buffer->file == NULL;
	content.at += (size_t)(close - text) + 1;
	return buffer->file != NULL && kt_read_end(r, &content, usage);
}

/* The fill is copied where all buffers are known (kt_settle_like). */
static bool fill_like(struct kt_pragma_buffer *buffer, struct kt_reader *r, struct kt_slice content,
                      const struct fill_row *row)
{
	(void)row;
	kt_skip_blanks(r, &content);
	buffer->like_offset = (unsigned)content.at;
	return kt_read_member(&buffer->like, r, &content, "the name of a buffer", false) && kt_read_end(r, &content, KT_FILL_USAGE);
}

/* Copies what the buffer is like; what is wrong with that, or NULL. */
static const char *settle_one(const char **hint, struct kt_pragma_buffer *buffer, struct kt_reader *r)
{
	const struct kt_pragma_buffer *other = KT_FIND(r->pragma->buffers, r->pragma->buffer_count, name, buffer->like);
	if (other == NULL)
		return r->names_incomplete ? NULL : "is no buffer";
	if (other == buffer)
		return "is the buffer itself";
	if (other->direction == KT_OUT || other->direction == KT_SCRATCH)
		return "is written before it is read: it holds nothing before the call";
	if (buffer->when.expr != NULL)
		return "is like it on all problems or on none: a clause of like(…) has no when(…)";
	if (other->like != NULL) {
		*hint = kt_arena_printf(r->arena, "write like(%s)", other->like);
		return "is like another buffer";
	}
	buffer->fill = other->fill;
	buffer->file = other->file;
	buffer->when = other->when;
	buffer->otherwise = other->otherwise;
	memcpy(buffer->bounds, other->bounds, sizeof buffer->bounds);
	buffer->member_count = other->member_count;
	buffer->members = other->members;
	return NULL;
}

static bool same_text(const struct kt_clause_expr *a, const struct kt_clause_expr *b)
{
	struct kt_buf first = KT_BUF(KT_LIMIT_LINE_BYTES), second = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_expr_canonical(&first, a->expr);
	kt_expr_canonical(&second, b->expr);
	const bool same = strcmp(kt_buf_text(&first), kt_buf_text(&second)) == 0;
	kt_buf_free(&first);
	kt_buf_free(&second);
	return same;
}

/* What differs beside the fill; NULL: nothing. */
static const char *why_apart(const struct kt_pragma_buffer *a, const struct kt_pragma_buffer *b)
{
	if (a->direction != b->direction)
		return "is in and inout";
	if (!same_text(&a->count, &b->count))
		return "has another number of elements on other problems";
	if ((a->type == NULL) != (b->type == NULL) || (a->type != NULL && strcmp(a->type, b->type) != 0))
		return "has elements of another type on other problems";
	if (a->member_count + b->member_count > 0)
		return "has fills of members, which are for all problems";
	return b->like != NULL ? "is like another buffer on some problems; that is for all or none" : NULL;
}

/* The next clause of this buffer after the i-th; buffer_count: there is none. */
static size_t next_of(const struct kt_pragma *p, size_t i)
{
	size_t next = i + 1;
	while (next < p->buffer_count && strcmp(p->buffers[i].name, p->buffers[next].name) != 0)
		next++;
	return next;
}

/* Is there a clause for all problems before this one? Then that is the mistake. */
static bool is_after_all(const struct kt_pragma *p, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(p->buffers[k].name, p->buffers[i].name) == 0 && p->buffers[k].when.expr == NULL)
			return true;
	return false;
}

static void join(struct kt_reader *r, size_t i)
{
	struct kt_pragma *p = r->pragma;
	struct kt_pragma_buffer *buffer = &p->buffers[i];
	const size_t next = next_of(p, i);
	static const char usage[] = "write in(x[n]: file(\"x.npy\")) when(n == 64), and after it in(x[n]: range(0, 9))";
	if (next == p->buffer_count) {
		if (buffer->when.expr != NULL && !r->names_incomplete && !is_after_all(p, i))
			kt_report_token(r, buffer->offset, usage, "'%s' has no clause for the other problems", buffer->name);
		return;
	}
	if (buffer->when.expr == NULL) {
		/* Two clauses for all problems are reported as one name for two things. */
		if (p->buffers[next].when.expr == NULL)
			return;
		kt_report_token(r, p->buffers[next].offset, usage, "'%s' has a clause for all problems before it", buffer->name);
	} else {
		const char *wrong = why_apart(buffer, &p->buffers[next]);
		if (wrong != NULL)
			kt_report_token(r, p->buffers[next].offset, usage, "'%s' %s", buffer->name, wrong);
		buffer->otherwise = kt_arena_alloc(r->arena, sizeof *buffer);
		if (buffer->otherwise != NULL)
			*buffer->otherwise = p->buffers[next];
		else
			r->out_of_memory = true;
	}
	memmove(&p->buffers[next], &p->buffers[next + 1], (p->buffer_count - next - 1) * sizeof *p->buffers);
	p->buffer_count--;
}

void kt_settle_when(struct kt_reader *r)
{
	for (size_t i = r->pragma->buffer_count; i > 0; i--)
		join(r, i - 1);
}

void kt_settle_like(struct kt_reader *r)
{
	for (size_t i = 0; i < r->pragma->buffer_count; i++) {
		struct kt_pragma_buffer *buffer = &r->pragma->buffers[i];
		const char *hint = "write a buffer of an in or inout clause that has a fill or none", *wrong = NULL;
		if (buffer->like != NULL)
			wrong = settle_one(&hint, buffer, r);
		if (wrong != NULL)
			kt_report_token(r, buffer->like_offset, hint, "'%s' %s", buffer->like, wrong);
	}
}

static bool read_fill(struct kt_pragma_buffer *buffer, struct kt_reader *r, struct kt_slice *slice)
{
	const char *name;
	size_t close;
	kt_skip_blanks(r, slice);
	const size_t at = slice->at, length = kt_name_length(r, *slice);
	if (!kt_read_name(&name, r, slice, "a fill"))
		return false;
	const struct fill_row *row = KT_FIND(fills, sizeof fills / sizeof *fills, name, name);
	if (row == NULL) {
		const char *closest = kt_closest(name, length, fill_name);
		const char *hint = closest != NULL ? kt_arena_printf(r->arena, "did you mean '%s'?", closest) : KT_FILL_USAGE;
		kt_report_token(r, at, hint, "unknown fill '%s'", name);
		return false;
	}
	if (buffer->direction == KT_OUT || buffer->direction == KT_SCRATCH) {
		kt_report_token(r, at, "a buffer that is read before it is written is inout(…)",
		                "what an out or scratch buffer holds before the call is never read: no fill");
		return false;
	}
	buffer->fill = (struct kt_fill){.kind = row->kind, .a = row->a, .b = row->b};
	if (row->least == 0 && (kt_skip_blanks(r, slice), slice->at == slice->end))
		return true;
	if (row->most == 0)
		return kt_read_end(r, slice, KT_FILL_USAGE);
	if (!kt_accept(r, slice, '(')) {
		kt_report_token(r, slice->at, KT_FILL_USAGE, "expected '(' and %s", what_it_takes(row, r));
		return false;
	}
	if (!kt_match(r, slice->at - 1, slice->end, &close))
		return false;
	const struct kt_slice content = {slice->at, close};
	slice->at = close + 1;
	return row->read(buffer, r, content, row) && kt_read_end(r, slice, KT_FILL_USAGE);
}

/* "from = range(0, n - 1)" */
static bool read_member_fill(struct kt_pragma_buffer *buffer, struct kt_reader *r, struct kt_slice piece)
{
	struct kt_pragma_buffer own = {.direction = buffer->direction};
	const char *member;
	kt_skip_blanks(r, &piece);
	const size_t at = piece.at;
	if (!kt_read_member(&member, r, &piece, "a member of the elements", false))
		return false;
	if (!kt_accept(r, &piece, '=')) {
		kt_report_token(r, piece.at, "write {from = range(0, 9), weight = uniform(0, 1)}",
		                "expected '=' and the fill of '%s'", member);
		return false;
	}
	if (!read_fill(&own, r, &piece))
		return false;
	if (own.file != NULL) {
		kt_report_token(r, own.file_offset, "write x[n]: file(\"x.npy\")", "only whole buffers are filled from a file");
		return false;
	}
	if (own.like != NULL) {
		kt_report_token(r, own.like_offset, "write x[n]: like(buffer)", "only whole buffers are like another one");
		return false;
	}
	for (size_t i = 0; i < buffer->member_count; i++)
		if (strcmp(buffer->members[i].member, member) == 0) {
			kt_report_token(r, at, NULL, "'%s' is filled twice", member);
			return false;
		}
	struct kt_member_fill *slot = kt_reader_push_limited(r, &buffer->members, &buffer->member_count, sizeof *slot,
	                                                     KT_CLAUSE_ITEMS, at, "members");
	if (slot != NULL)
		*slot = (struct kt_member_fill){.member = member, .offset = (unsigned)at, .fill = own.fill};
	if (slot != NULL)
		memcpy(slot->bounds, own.bounds, sizeof slot->bounds);
	return slot != NULL;
}

/* "as(block)": what a pointer to void leads to. True where nothing else may be wrong; *more: a fill may follow. */
static bool read_type(bool *more, struct kt_pragma_buffer *buffer, struct kt_reader *r, struct kt_slice *slice)
{
	size_t close;
	kt_skip_blanks(r, slice);
	*more = true;
	if (kt_name_length(r, *slice) != 2 || strncmp(r->text + slice->at, "as", 2) != 0)
		return true;
	slice->at += 2;
	if (!kt_accept(r, slice, '(')) {
		kt_report_token(r, slice->at, "write as(TYPE)", "expected '(' and the type of the elements of '%s'", buffer->name);
		return false;
	}
	if (!kt_match(r, slice->at - 1, slice->end, &close))
		return false;
	const struct kt_slice text = kt_trim(r, (struct kt_slice){slice->at, close});
	if (text.at == text.end) {
		kt_report_token(r, slice->at, "write as(TYPE)", "expected the type of the elements of '%s'", buffer->name);
		return false;
	}
	buffer->type = kt_arena_strndup(r->arena, r->text + text.at, text.end - text.at);
	buffer->type_offset = (unsigned)text.at;
	slice->at = close + 1;
	kt_skip_blanks(r, slice);
	*more = slice->at < slice->end;
	r->out_of_memory = r->out_of_memory || buffer->type == NULL;
	return buffer->type != NULL;
}

/* A fill of all numbers, or in braces those of members; before it may be their type. */
bool kt_read_fills(struct kt_pragma_buffer *buffer, struct kt_reader *r, struct kt_slice *slice)
{
	struct kt_slice piece, content;
	size_t close;
	bool more = true, right = true;
	if (!read_type(&more, buffer, r, slice))
		return false;
	if (!more)
		return true;
	if (!kt_accept(r, slice, '{'))
		return read_fill(buffer, r, slice);
	if (!kt_match(r, slice->at - 1, slice->end, &close))
		return false;
	content = (struct kt_slice){slice->at, close};
	slice->at = close + 1;
	while (right && kt_take(r, &piece, &content, ",", &more))
		right = read_member_fill(buffer, r, piece);
	return right && kt_read_end(r, slice, "separate buffers with ','");
}
