#include "generation/rules/write.h"

#include <ctype.h>
#include <string.h>

static struct kt_replacement *add(struct kt_write *write, const struct kt_tree *node)
{
	struct kt_replacement *slot =
	    kt_arena_push(write->kernel->arena, &write->items, &write->count, sizeof *slot);

	/* The macro itself can be replaced, what it expands to cannot. */
	if (node->in_macro && node->parent != NULL && node->parent->in_macro &&
	    node->parent->range.begin == node->range.begin)
		write->failed = true;
	if (slot == NULL)
		write->failed = true;
	else
		*slot = (struct kt_replacement){.node = node};
	return slot;
}

void kt_write_set(struct kt_write *write, const struct kt_tree *node, const char *text)
{
	struct kt_replacement *slot = add(write, node);

	if (text == NULL)
		write->failed = true;
	if (slot != NULL)
		slot->text = text != NULL ? text : "";
}

void kt_write_wrap(struct kt_write *write, const struct kt_tree *node, const char *before, const char *between,
                   const char *after)
{
	struct kt_replacement *slot = add(write, node);

	if (slot == NULL)
		return;
	slot->before = before;
	slot->between = between;
	slot->after = after;
}

void kt_write_back(struct kt_write *write, size_t mark)
{
	if (mark < write->count)
		write->count = mark;
}

static const struct kt_replacement *replacement(const struct kt_write *write, const struct kt_tree *node)
{
	for (size_t i = write->count; i-- > 0;)
		if (write->items[i].node == node)
			return &write->items[i];
	return NULL;
}

static void add_verbatim(struct kt_buf *out, const struct kt_write *write, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++) {
		if (write->kernel->text[i] == '$')
			kt_buf_addc(out, '$');
		kt_buf_addc(out, write->kernel->text[i]);
	}
}

void kt_write_text(struct kt_buf *out, const struct kt_write *write, uint32_t begin, uint32_t end)
{
	add_verbatim(out, write, begin, end);
}

static void add_wrapped(struct kt_buf *out, struct kt_write *write, const struct kt_tree *node,
                        const struct kt_replacement *wrap)
{
	kt_buf_adds(out, wrap->before);
	if (wrap->between != NULL) {
		kt_write_node(out, write, node->children[0]);
		kt_buf_adds(out, wrap->between);
		if (node->count > 1)
			kt_write_node(out, write, node->children[1]);
	} else {
		kt_write_inside(out, write, node);
	}
	kt_buf_adds(out, wrap->after);
	/* An expression that is a statement includes its semicolon, its operands do not. */
	if (wrap->between != NULL && node->range.end > 0 && write->kernel->text[node->range.end - 1] == ';')
		kt_buf_addc(out, ';');
}

/* Prints from *at on what lies below the node, up to the last thing that is replaced. */
static void add_below(struct kt_buf *out, struct kt_write *write, const struct kt_tree *node, uint32_t *at)
{
	for (size_t i = 0; i < node->count; i++) {
		const struct kt_tree *child = node->children[i];
		const struct kt_replacement *new = child != NULL ? replacement(write, child) : NULL;

		if (child == NULL)
			continue;
		if (new == NULL) {
			add_below(out, write, child, at);
			continue;
		}
		/* Two declarators of one declaration share their type's text. */
		if (child->range.begin < *at) {
			write->failed = true;
			continue;
		}
		add_verbatim(out, write, *at, child->range.begin);
		if (new->text != NULL)
			kt_buf_adds(out, new->text);
		else
			add_wrapped(out, write, child, new);
		*at = child->range.end;
	}
}

void kt_write_inside(struct kt_buf *out, struct kt_write *write, const struct kt_tree *node)
{
	uint32_t at = node->range.begin;

	add_below(out, write, node, &at);
	add_verbatim(out, write, at, node->range.end);
}

void kt_write_node(struct kt_buf *out, struct kt_write *write, const struct kt_tree *node)
{
	const struct kt_replacement *new = replacement(write, node);

	if (new == NULL)
		kt_write_inside(out, write, node);
	else if (new->text != NULL)
		kt_buf_adds(out, new->text);
	else
		add_wrapped(out, write, node, new);
}

/* After a comment that is on the same line after `at` and ends it; else `at`. */
static size_t behind_comment(const struct kt_write *write, size_t at)
{
	const char *text = write->kernel->text;
	size_t i = at;

	while (i < write->kernel->size && (text[i] == ' ' || text[i] == '\t'))
		i++;
	if (i + 1 >= write->kernel->size || text[i] != '/' || text[i + 1] != '/')
		return at;
	while (i < write->kernel->size && text[i] != '\n')
		i++;
	/* A line that goes on in the next one. */
	return text[i - 1] == '\\' ? at : i;
}

void kt_write_statement(struct kt_buf *out, struct kt_write *write, const struct kt_tree *node)
{
	kt_write_node(out, write, node);
	add_verbatim(out, write, node->range.end, behind_comment(write, node->range.end));
}

void kt_write_statements(struct kt_buf *out, struct kt_write *write, const struct kt_tree *block, size_t first,
                         size_t end)
{
	uint32_t at = first > 0 ? block->children[first - 1]->range.end : block->range.begin + 1;
	bool gone = false;

	for (size_t i = first; i < end && i < block->count; i++) {
		const struct kt_replacement *new = replacement(write, block->children[i]);

		/* The comments in front of a statement that is gone are gone as well. */
		gone = new != NULL && new->text != NULL && new->text[0] == '\0';
		if (!gone) {
			add_verbatim(out, write, at, block->children[i]->range.begin);
			kt_write_node(out, write, block->children[i]);
		}
		at = block->children[i]->range.end;
		/* Where the comment after a replaced statement is still right, the new text has it: the comment itself is
		 * skipped. */
		if (new != NULL && new->text != NULL)
			at = (uint32_t)behind_comment(write, at);
	}
	if (end >= block->count && !gone)
		add_verbatim(out, write, at, block->range.end - 1);
}

enum { KT_WRITE_SECTIONS = 16 };

struct layout {
	struct kt_buf out;
	int depth, round; /* open braces, open parentheses */
	bool in_comment, continues, blank, opens;
	int sections, depths[KT_WRITE_SECTIONS], rounds[KT_WRITE_SECTIONS]; /* what was open at each ${if} */
};

/* Braces of a line, and how it ends. Placeholders and directives in ${} count for nothing. */
static void read_line(struct layout *l, const char *line, size_t size)
{
	char last = '\0', quote = '\0';

	for (size_t i = 0; i < size; i++) {
		char c = line[i];

		if (l->in_comment) {
			if (c == '*' && i + 1 < size && line[i + 1] == '/') {
				l->in_comment = false;
				i++;
			}
			continue;
		}
		if (quote != '\0') {
			if (c == '\\')
				i++;
			else if (c == quote)
				quote = '\0';
			last = c;
			continue;
		}
		if (c == '/' && i + 1 < size && line[i + 1] == '/')
			break;
		if (c == '/' && i + 1 < size && line[i + 1] == '*') {
			l->in_comment = true;
			i++;
			continue;
		}
		if (c == '$' && i + 1 < size && line[i + 1] == '{') {
			const char *close = memchr(line + i, '}', size - i);

			if (close != NULL) {
				i = (size_t)(close - line);
				last = 'x';
				continue;
			}
		}
		if (c == '"' || c == '\'')
			quote = c;
		l->depth += c == '{' ? 1 : c == '}' ? -1 : 0;
		l->round += c == '(' ? 1 : c == ')' ? -1 : 0;
		if (!isspace((unsigned char)c))
			last = c;
	}
	l->continues = l->round > 0 || (last != '\0' && strchr(";{}:", last) == NULL);
}

static bool is_directive(const char *line, size_t size)
{
	/* `${if FAST}f(${end}x` goes on after its brace. */
	return (size > 0 && line[0] == '#') || (size > 2 && line[0] == '$' && line[1] == '{' &&
	                                        memchr(line, '}', size) == line + size - 1 &&
	                                        (memcmp(line + 2, "if ", 3) == 0 || memcmp(line + 2, "else", 4) == 0 ||
	                                         memcmp(line + 2, "end", 3) == 0));
}

/* `for (…)` without a brace: the next line alone belongs to it. */
static bool opens_statement(const char *line, size_t size)
{
	static const char *const words[] = {"for", "if", "while", "else"};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		size_t length = strlen(words[i]);

		if (size > length && memcmp(line, words[i], length) == 0 && !isalnum((unsigned char)line[length]))
			return true;
	}
	return false;
}

/* Both sides of a section begin at the same level. */
static void read_section(struct layout *l, const char *line)
{
	if (strncmp(line, "${if ", 5) == 0) {
		if (l->sections < KT_WRITE_SECTIONS) {
			l->depths[l->sections] = l->depth;
			l->rounds[l->sections] = l->round;
		}
		l->sections++;
	} else if (strncmp(line, "${else}", 7) == 0) {
		if (l->sections > 0 && l->sections <= KT_WRITE_SECTIONS) {
			l->depth = l->depths[l->sections - 1];
			l->round = l->rounds[l->sections - 1];
		}
	} else if (strncmp(line, "${end}", 6) == 0 && l->sections > 0) {
		l->sections--;
	}
}

static void add_line(struct layout *l, const char *line, size_t size)
{
	int extra = l->continues ? 1 : 0, depth = l->depth;
	bool was_comment = l->in_comment;

	while (size > 0 && isspace((unsigned char)line[0])) {
		line++;
		size--;
	}
	while (size > 0 && isspace((unsigned char)line[size - 1]))
		size--;
	if (size == 0) {
		l->blank = l->out.size > 0;
		return;
	}
	if (l->blank && line[0] != '}' && !l->opens)
		kt_buf_addc(&l->out, '\n');
	l->blank = false;
	l->opens = line[size - 1] == '{';
	if (is_directive(line, size)) {
		read_section(l, line);
		depth = l->depth;
		if (line[0] != '#' || strncmp(line, "#pragma", 7) == 0)
			for (int i = 0; i < depth; i++)
				kt_buf_addc(&l->out, '\t');
		kt_buf_add(&l->out, line, size);
		kt_buf_addc(&l->out, '\n');
		return;
	}
	if (line[0] == '}')
		depth--;
	if (line[0] == '{')
		extra = 0;
	for (int i = 0; i < depth + extra; i++)
		kt_buf_addc(&l->out, '\t');
	if (was_comment && line[0] == '*')
		kt_buf_addc(&l->out, ' ');
	kt_buf_add(&l->out, line, size);
	kt_buf_addc(&l->out, '\n');
	read_line(l, line, size);
	if (l->round == 0 && opens_statement(line, size) && !l->continues)
		l->continues = false;
}

/* Is the line a directive that begins with the word? */
static bool directs(const char *line, const char *word)
{
	line += strspn(line, " \t");
	if (line[0] != '#')
		return false;
	line += 1 + strspn(line + 1, " \t");
	return strncmp(line, word, strlen(word)) == 0;
}

char *kt_write_close(struct kt_arena *arena, const char *text)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	size_t depth = 0;
	bool gone = false; /* after an #else whose #if is not there: up to its #endif */
	char *copy = NULL;

	while (*text != '\0') {
		const size_t size = strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n');
		const bool ends = directs(text, "endif");
		const bool stray = depth == 0 && (ends || directs(text, "el"));

		depth += directs(text, "if");
		if (!gone && !stray)
			kt_buf_add(&out, text, size);
		if (stray)
			gone = !ends;
		else if (ends)
			depth--;
		text += size;
	}
	if (depth == 0 && !gone && !out.failed)
		copy = kt_arena_strdup(arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return copy;
}

char *kt_write_indent(struct kt_arena *arena, const char *text)
{
	struct layout l = {.out = KT_BUF(KT_LIMIT_SOURCE_BYTES)};
	char *copy;

	while (*text != '\0') {
		size_t size = strcspn(text, "\n");

		add_line(&l, text, size);
		text += size + (text[size] == '\n');
	}
	copy = l.out.failed ? NULL : kt_arena_strdup(arena, kt_buf_text(&l.out));
	kt_buf_free(&l.out);
	return copy;
}
