/* The text form, read: modules, functions and statements. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_parse.h"

bool kt_ir_syntax(struct kt_ir_reader *r, const char *format, ...)
{
	va_list arguments;
	char message[512];
	unsigned line = 1;

	if (r->failed)
		return false;
	r->failed = true;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	for (const char *at = r->text; at < r->at; at++)
		line += *at == '\n';
	kt_fail_at(r->err, r->module->failed ? KT_ERR_INVALID : KT_ERR_SYNTAX, (unsigned)(r->at - r->text),
		   "line %u: %s", line, message);
	return false;
}

/* ---- Words ---- */

void kt_ir_blanks(struct kt_ir_reader *r)
{
	while (*r->at == ' ' || *r->at == '\t' || *r->at == ';') {
		if (*r->at == ';')
			r->at += strcspn(r->at, "\n");
		else
			r->at++;
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool kt_ir_take(struct kt_ir_reader *r, const char *text)
{
	const size_t length = strlen(text);

	kt_ir_blanks(r);
	if (strncmp(r->at, text, length) != 0 || (is_word(text[length - 1]) && is_word(r->at[length])))
		return false;
	r->at += length;
	return true;
}

bool kt_ir_expect(struct kt_ir_reader *r, const char *text)
{
	return kt_ir_take(r, text) || kt_ir_syntax(r, "'%s' is expected", text);
}

const char *kt_ir_word(struct kt_ir_reader *r)
{
	const char *from;
	char *word;

	kt_ir_blanks(r);
	from = r->at;
	while (is_word(*r->at))
		r->at++;
	if (r->at == from) {
		kt_ir_syntax(r, "a word is expected");
		return NULL;
	}
	word = kt_arena_strndup(r->module->arena, from, (size_t)(r->at - from));
	if (word == NULL)
		kt_ir_syntax(r, "out of memory");
	return word;
}

int kt_ir_choice(struct kt_ir_reader *r, const char *const *words, int count)
{
	for (int i = 0; i < count; i++)
		if (words[i][0] != '\0' && kt_ir_take(r, words[i]))
			return i;
	return -1;
}

bool kt_ir_number(struct kt_ir_reader *r, int64_t *number)
{
	char *end;

	kt_ir_blanks(r);
	errno = 0;
	*number = strtoll(r->at, &end, 10);
	if (end == r->at || errno != 0)
		return kt_ir_syntax(r, "a number is expected");
	r->at = end;
	return true;
}

/* A number without a sign that fits the member; 0, and an error, otherwise. */
static uint32_t small(struct kt_ir_reader *r)
{
	int64_t number;

	if (!kt_ir_number(r, &number))
		return 0;
	if (number < 0 || number > UINT32_MAX)
		kt_ir_syntax(r, "the number is out of range");
	return (uint32_t)number;
}

static const char *name_text(struct kt_ir_reader *r)
{
	const char *from;

	if (!kt_ir_expect(r, "%"))
		return NULL;
	from = r->at;
	while (is_word(*r->at) || (*r->at == '.' && isdigit((unsigned char)r->at[1]) && r->at > from &&
				   !isdigit((unsigned char)*from) && memchr(from, '.', (size_t)(r->at - from)) == NULL))
		r->at++;
	return kt_arena_strndup(r->module->arena, from, (size_t)(r->at - from));
}

struct kt_ir_symbol *kt_ir_known(struct kt_ir_reader *r)
{
	const char *name = name_text(r);

	if (name == NULL)
		return NULL;
	for (size_t i = r->name_count; i-- > 0;)
		if (strcmp(r->names[i].name, name) == 0)
			return r->names[i].symbol;
	kt_ir_syntax(r, "there is no symbol '%%%s'", name);
	return NULL;
}

const char *kt_ir_new_name(struct kt_ir_reader *r, const char **hint)
{
	const char *name = name_text(r), *dot;

	if (name == NULL)
		return NULL;
	if (name[0] == '\0') {
		kt_ir_syntax(r, "a name is expected");
		return NULL;
	}
	for (size_t i = 0; i < r->name_count; i++)
		if (strcmp(r->names[i].name, name) == 0) {
			kt_ir_syntax(r, "there are two symbols '%%%s'", name);
			return NULL;
		}
	dot = strrchr(name, '.');
	*hint = isdigit((unsigned char)name[0]) ? ""
		: dot == NULL			? name
						: kt_arena_strndup(r->module->arena, name, (size_t)(dot - name));
	return name;
}

bool kt_ir_name(struct kt_ir_reader *r, const char *name, struct kt_ir_symbol *symbol)
{
	struct kt_ir_named *named;

	if (name == NULL || symbol == NULL)
		return kt_ir_syntax(r, "%s", r->module->failed ? r->module->error.message : "out of memory");
	named = kt_arena_push(r->module->arena, &r->names, &r->name_count, sizeof *named);
	if (named == NULL)
		return kt_ir_syntax(r, "out of memory");
	*named = (struct kt_ir_named){name, symbol};
	return true;
}

/* ---- Symbols ---- */

static void symbol_flags(struct kt_ir_reader *r, struct kt_ir_symbol *symbol)
{
	const struct {
		const char *word;
		bool *flag;
	} rows[] = {
	    {"memory", &symbol->is_memory},	{"restrict", &symbol->is_restrict},
	    {"volatile", &symbol->is_volatile}, {"extern", &symbol->is_extern},
	    {"grid_constant", &symbol->is_grid_constant},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		*rows[i].flag |= kt_ir_take(r, rows[i].word);
	if (kt_ir_take(r, "align") && kt_ir_expect(r, "(")) {
		symbol->align = small(r);
		kt_ir_expect(r, ")");
	}
}

/* "%name: type flags". An argument goes to the function, what is outside of one to the module. */
static struct kt_ir_symbol *declared(struct kt_ir_reader *r, enum kt_ir_symbol_kind kind)
{
	const struct kt_ir_type *type;
	struct kt_ir_symbol *symbol;
	const char *hint, *name = kt_ir_new_name(r, &hint);

	if (name == NULL || !kt_ir_expect(r, ":") || (type = kt_ir_read_type(r)) == NULL)
		return NULL;
	if (kind == KT_IR_ARGUMENT)
		symbol = kt_ir_argument(r->module, r->function, type, hint);
	else if (kind == KT_IR_GLOBAL_SYMBOL || kind == KT_IR_CONSTANT_SYMBOL)
		symbol = kt_ir_global(r->module, kind, type, hint);
	else
		symbol = kt_ir_symbol(r->module, kind, type, hint);
	if (!kt_ir_name(r, name, symbol))
		return NULL;
	symbol_flags(r, symbol);
	return symbol;
}

/* ---- Statements ---- */

static bool region(struct kt_ir_reader *r, struct kt_ir_region *region);

static unsigned effects(struct kt_ir_reader *r)
{
	unsigned set = 0;
	int bit;

	if (!kt_ir_take(r, "effects") || !kt_ir_expect(r, "("))
		return 0;
	if (kt_ir_take(r, "all"))
		return kt_ir_expect(r, ")") ? KT_IR_ALL_EFFECTS : 0;
	do {
		bit = kt_ir_choice(r, kt_ir_effect_texts, KT_IR_EFFECT_BITS);
		if (bit < 0)
			return kt_ir_syntax(r, "an effect is expected");
		set |= 1U << bit;
	} while (kt_ir_take(r, ","));
	kt_ir_expect(r, ")");
	return set;
}

static struct kt_ir_hint hints(struct kt_ir_reader *r)
{
	struct kt_ir_hint hint = {0};
	int cache;

	if (kt_ir_take(r, "cache")) {
		kt_ir_expect(r, "(");
		cache = kt_ir_choice(r, kt_ir_cache_texts, KT_IR_CACHES);
		hint.cache = cache < 0 ? KT_IR_CACHE_NONE : (enum kt_ir_cache)cache;
		if (cache < 0)
			kt_ir_syntax(r, "a cache operator is expected");
		kt_ir_expect(r, ")");
	}
	hint.is_volatile = kt_ir_take(r, "volatile");
	if (kt_ir_take(r, "align") && kt_ir_expect(r, "(")) {
		hint.align = small(r);
		kt_ir_expect(r, ")");
	}
	return hint;
}

static bool operands(struct kt_ir_reader *r, struct kt_ir_statement *s)
{
	const struct kt_ir_value **list;
	size_t count;

	if (!kt_ir_read_values(r, &list, &count))
		return false;
	if (count > 4)
		return kt_ir_syntax(r, "more than four operands");
	for (size_t i = 0; i < count; i++)
		*(i == 0 ? &s->value : &s->further[i - 1]) = list[i];
	return true;
}

/* Words of a table as a member: an error where none follows. */
static int choice(struct kt_ir_reader *r, const char *const *words, int count, const char *what)
{
	const int found = kt_ir_choice(r, words, count);

	if (found < 0)
		kt_ir_syntax(r, "%s is expected", what);
	return found < 0 ? 0 : found;
}

static struct kt_ir_function *function_named(struct kt_ir_reader *r, const char *name)
{
	for (struct kt_ir_function *f = r->module->functions; name != NULL && f != NULL; f = f->next)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

static const struct kt_ir_type *call_text(struct kt_ir_reader *r, struct kt_ir_statement *s)
{
	const char *name;

	if (!kt_ir_expect(r, "@") || (name = kt_ir_word(r)) == NULL)
		return NULL;
	s->callee = function_named(r, name);
	if (s->callee == NULL) {
		kt_ir_syntax(r, "there is no function '%s' above", name);
		return NULL;
	}
	return kt_ir_read_values(r, &s->arguments, &s->argument_count) ? s->callee->result : NULL;
}

/* The characters of a JSON string, whose escapes the printer writes. */
static const char *quoted(struct kt_ir_reader *r)
{
	struct kt_buf text = KT_BUF(KT_IR_TEXT_BYTES);
	const char *copy;
	static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
	const char *found;

	if (!kt_ir_expect(r, "\""))
		return NULL;
	for (; *r->at != '"' && *r->at != '\0' && *r->at != '\n'; r->at++) {
		if (*r->at != '\\') {
			kt_buf_addc(&text, *r->at);
			continue;
		}
		r->at++;
		if (*r->at == 'u') {
			char digits[5] = {0};

			memcpy(digits, r->at + 1, strnlen(r->at + 1, 4));
			kt_buf_addc(&text, (char)strtoul(digits, NULL, 16));
			r->at += strlen(digits);
			continue;
		}
		found = *r->at == '\0' ? NULL : strchr(from, *r->at);
		kt_buf_addc(&text, found != NULL ? to[found - from] : *r->at);
		if (*r->at == '\0')
			break;
	}
	copy = text.failed ? NULL : kt_arena_strdup(r->module->arena, kt_buf_text(&text));
	kt_buf_free(&text);
	return kt_ir_expect(r, "\"") ? copy : NULL;
}

static const struct kt_ir_type *opaque_text(struct kt_ir_reader *r, struct kt_ir_statement *s)
{
	s->text = quoted(r);
	if (s->text == NULL || !kt_ir_read_values(r, &s->arguments, &s->argument_count))
		return NULL;
	s->effects = effects(r);
	return kt_ir_take(r, ":") ? kt_ir_read_type(r) : kt_ir_void(r->module);
}

static const struct kt_ir_type *atomic_text(struct kt_ir_reader *r, struct kt_ir_statement *s)
{
	kt_ir_expect(r, ".");
	s->number = (unsigned)choice(r, kt_ir_atomic_texts, KT_IR_ATOMICS, "an atomic operation");
	s->place = kt_ir_read_place(r);
	if (s->place == NULL || !operands(r, s))
		return NULL;
	s->order = (enum kt_ir_order)choice(r, kt_ir_order_texts, KT_IR_ORDERS, "an order");
	s->scope = (enum kt_ir_scope)choice(r, kt_ir_scope_texts, KT_IR_SCOPES, "a scope");
	return s->place->type;
}

/* What a collective gives: a vote a bool, a mask 32 bits, any other the type of its value, which is behind the mask. */
static const struct kt_ir_type *collective_text(struct kt_ir_reader *r, struct kt_ir_statement *s)
{
	kt_ir_expect(r, ".");
	s->number = (unsigned)choice(r, kt_ir_collective_texts, KT_IR_COLLECTIVES, "a collective");
	if (!operands(r, s))
		return NULL;
	return kt_ir_collective_type(r->module, s);
}

static const struct kt_ir_type *load_text(struct kt_ir_reader *r, struct kt_ir_statement *s)
{
	s->place = kt_ir_read_place(r);
	if (s->place == NULL)
		return NULL;
	s->hint = hints(r);
	return s->place->type;
}

/* Statements that may be the right side of a let, by the word they begin with. */
static const struct action {
	enum kt_ir_statement_kind kind;
	const struct kt_ir_type *(*read)(struct kt_ir_reader *r, struct kt_ir_statement *s);
} actions[] = {
    {KT_IR_S_LOAD, load_text},		   {KT_IR_S_ATOMIC, atomic_text}, {KT_IR_S_CALL, call_text},
    {KT_IR_S_COLLECTIVE, collective_text}, {KT_IR_S_OPAQUE, opaque_text},
};

static const struct action *action_next(struct kt_ir_reader *r)
{
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (kt_ir_take(r, kt_ir_statement_texts[actions[i].kind]))
			return &actions[i];
	return NULL;
}

static bool let(struct kt_ir_reader *r, struct kt_ir_region *into)
{
	const char *hint, *name = kt_ir_new_name(r, &hint);
	const struct action *action;
	const struct kt_ir_type *type;
	const struct kt_ir_value *value;
	struct kt_ir_statement *s;

	if (name == NULL || !kt_ir_expect(r, "="))
		return false;
	action = action_next(r);
	if (action == NULL) {
		value = kt_ir_read_value(r);
		return value != NULL && kt_ir_name(r, name, kt_ir_let(r->module, into, hint, value));
	}
	s = kt_ir_append(r->module, into, action->kind);
	if (s == NULL || (type = action->read(r, s)) == NULL)
		return kt_ir_syntax(r, "%s", r->module->failed ? r->module->error.message : "it has no value");
	s->symbol = kt_ir_symbol(r->module, KT_IR_TEMPORARY, type, hint);
	return kt_ir_name(r, name, s->symbol);
}

static bool set(struct kt_ir_reader *r, struct kt_ir_region *into)
{
	struct kt_ir_symbol *symbol = kt_ir_known(r);
	const struct kt_ir_value *value;

	if (symbol == NULL || !kt_ir_expect(r, "=") || (value = kt_ir_read_value(r)) == NULL)
		return false;
	return kt_ir_set(r->module, into, symbol, value) != NULL || kt_ir_syntax(r, "%s", r->module->error.message);
}

static bool store(struct kt_ir_reader *r, struct kt_ir_region *into)
{
	const struct kt_ir_place *place = kt_ir_read_place(r);
	const struct kt_ir_value *value;

	if (place == NULL || !kt_ir_expect(r, "=") || (value = kt_ir_read_value(r)) == NULL)
		return false;
	return kt_ir_store(r->module, into, place, value, hints(r)) != NULL ||
	       kt_ir_syntax(r, "%s", r->module->error.message);
}

static bool declare(struct kt_ir_reader *r, struct kt_ir_region *into, enum kt_ir_symbol_kind kind)
{
	struct kt_ir_symbol *symbol = declared(r, kind);

	return symbol != NULL && kt_ir_declare(r->module, into, symbol) != NULL;
}

static bool block(struct kt_ir_reader *r, struct kt_ir_region *into)
{
	bool is_read;

	if (++r->depth > KT_IR_TEXT_DEPTH)
		return kt_ir_syntax(r, "nested too deep");
	is_read = kt_ir_expect(r, "{") && region(r, into) && kt_ir_expect(r, "}");
	r->depth--;
	return is_read;
}

static void line_of(struct kt_ir_reader *r, uint32_t *line)
{
	if (kt_ir_take(r, "!"))
		*line = small(r);
}

static void loop_flags(struct kt_ir_reader *r, struct kt_ir_statement *s)
{
	int64_t number;

	s->at_most_once = kt_ir_take(r, "once");
	if (kt_ir_take(r, "unroll") && kt_ir_expect(r, "(") && kt_ir_number(r, &number) && kt_ir_expect(r, ")"))
		s->unroll = (int)number;
	line_of(r, &s->line);
}

static bool if_statement(struct kt_ir_reader *r, struct kt_ir_region *into)
{
	struct kt_ir_statement *s = kt_ir_if(r->module, into, kt_ir_read_value(r));

	if (s == NULL)
		return kt_ir_syntax(r, "%s", r->module->error.message);
	line_of(r, &s->line);
	return block(r, &s->body) && (!kt_ir_take(r, "else") || block(r, &s->otherwise));
}

static bool for_statement(struct kt_ir_reader *r, struct kt_ir_region *into)
{
	const char *hint, *name = kt_ir_new_name(r, &hint);
	const struct kt_ir_value *low, *high, *step;
	struct kt_ir_statement *s;

	if (name == NULL || !kt_ir_expect(r, "=") || (low = kt_ir_read_value(r)) == NULL || !kt_ir_expect(r, ",") ||
	    (high = kt_ir_read_value(r)) == NULL || !kt_ir_expect(r, ",") || (step = kt_ir_read_value(r)) == NULL)
		return false;
	s = kt_ir_for(r->module, into, hint, low, high, step);
	if (s == NULL || !kt_ir_name(r, name, s->symbol))
		return kt_ir_syntax(r, "%s", r->module->error.message);
	loop_flags(r, s);
	return block(r, &s->body);
}

static bool loop_statement(struct kt_ir_reader *r, struct kt_ir_region *into)
{
	struct kt_ir_statement *s = kt_ir_append(r->module, into, KT_IR_S_LOOP);

	if (s == NULL)
		return kt_ir_syntax(r, "out of memory");
	loop_flags(r, s);
	return block(r, &s->body) && (!kt_ir_take(r, "next") || block(r, &s->otherwise));
}

static void ends_of_lines(struct kt_ir_reader *r)
{
	kt_ir_blanks(r);
	while (*r->at == '\n') {
		r->at++;
		kt_ir_blanks(r);
	}
}

static bool case_values(struct kt_ir_reader *r, struct kt_ir_case *one)
{
	int64_t number, *slot;

	do {
		if (!kt_ir_number(r, &number))
			return false;
		slot = kt_arena_push(r->module->arena, &one->values, &one->count, sizeof *slot);
		if (slot == NULL)
			return kt_ir_syntax(r, "out of memory");
		*slot = number;
	} while (kt_ir_take(r, ","));
	return true;
}

static bool switch_statement(struct kt_ir_reader *r, struct kt_ir_region *into)
{
	struct kt_ir_statement *s = kt_ir_append(r->module, into, KT_IR_S_SWITCH);
	struct kt_ir_case *one;
	bool is_default;

	if (s == NULL || (s->value = kt_ir_read_value(r)) == NULL)
		return false;
	line_of(r, &s->line);
	if (!kt_ir_expect(r, "{"))
		return false;
	for (ends_of_lines(r); !kt_ir_take(r, "}"); ends_of_lines(r)) {
		is_default = kt_ir_take(r, "default");
		if (!is_default && !kt_ir_expect(r, "case"))
			return false;
		one = kt_arena_push(r->module->arena, &s->cases, &s->case_count, sizeof *one);
		if (one == NULL)
			return kt_ir_syntax(r, "out of memory");
		kt_ir_blanks(r);
		if ((!is_default || *r->at != '{') && !case_values(r, one))
			return false;
		if (is_default) {
			one->beside = one->count;
			one->count = 0;
		}
		if (!block(r, &one->body))
			return false;
	}
	return true;
}

static bool jump(struct kt_ir_reader *r, struct kt_ir_region *into, enum kt_ir_statement_kind kind)
{
	struct kt_ir_statement *s = kt_ir_append(r->module, into, kind);

	if (s == NULL)
		return kt_ir_syntax(r, "out of memory");
	kt_ir_blanks(r);
	if (kind == KT_IR_S_RETURN) {
		if (*r->at != '\n' && *r->at != '!')
			s->value = kt_ir_read_value(r);
	} else if (isdigit((unsigned char)*r->at)) {
		s->number = small(r);
	}
	return !r->failed;
}

static bool barrier(struct kt_ir_reader *r, struct kt_ir_region *into, enum kt_ir_statement_kind kind)
{
	struct kt_ir_statement *s = kt_ir_append(r->module, into, kind);

	if (s == NULL)
		return kt_ir_syntax(r, "out of memory");
	s->scope = (enum kt_ir_scope)choice(r, kt_ir_scope_texts, KT_IR_SCOPES, "a scope");
	kt_ir_blanks(r);
	return !r->failed && (*r->at != '(' || operands(r, s));
}

static bool statement(struct kt_ir_reader *r, struct kt_ir_region *into)
{
	const struct action *action;
	struct kt_ir_statement *s;

	if (kt_ir_take(r, "let"))
		return let(r, into);
	if (kt_ir_take(r, "set"))
		return set(r, into);
	if (kt_ir_take(r, "store"))
		return store(r, into);
	if (kt_ir_take(r, "local"))
		return declare(r, into, KT_IR_LOCAL_SYMBOL);
	if (kt_ir_take(r, "shared"))
		return declare(r, into, KT_IR_SHARED_SYMBOL);
	if (kt_ir_take(r, "if"))
		return if_statement(r, into);
	if (kt_ir_take(r, "for"))
		return for_statement(r, into);
	if (kt_ir_take(r, "loop"))
		return loop_statement(r, into);
	if (kt_ir_take(r, "switch"))
		return switch_statement(r, into);
	if (kt_ir_take(r, "break"))
		return jump(r, into, KT_IR_S_BREAK);
	if (kt_ir_take(r, "continue"))
		return jump(r, into, KT_IR_S_CONTINUE);
	if (kt_ir_take(r, "return"))
		return jump(r, into, KT_IR_S_RETURN);
	if (kt_ir_take(r, "barrier"))
		return barrier(r, into, KT_IR_S_BARRIER);
	if (kt_ir_take(r, "fence"))
		return barrier(r, into, KT_IR_S_FENCE);
	action = action_next(r);
	if (action == NULL)
		return kt_ir_syntax(r, "a statement is expected");
	s = kt_ir_append(r->module, into, action->kind);
	return s != NULL && action->read(r, s) != NULL;
}

/* Statements up to the brace that ends them, which stays. */
static bool region(struct kt_ir_reader *r, struct kt_ir_region *into)
{
	for (ends_of_lines(r); *r->at != '}' && *r->at != '\0'; ends_of_lines(r)) {
		if (!statement(r, into))
			return kt_ir_syntax(r, "%s",
					    r->module->failed ? r->module->error.message : "no statement");
		if (into->last != NULL && into->last->line == 0)
			line_of(r, &into->last->line);
		kt_ir_blanks(r);
		if (*r->at != '\n' && *r->at != '}')
			return kt_ir_syntax(r, "the end of the line is expected");
	}
	return true;
}

/* ---- Functions and modules ---- */

static bool arguments(struct kt_ir_reader *r)
{
	if (!kt_ir_expect(r, "("))
		return false;
	if (kt_ir_take(r, ")"))
		return true;
	do
		if (declared(r, KT_IR_ARGUMENT) == NULL)
			return false;
	while (kt_ir_take(r, ","));
	return kt_ir_expect(r, ")");
}

static void assumptions(struct kt_ir_reader *r, struct kt_ir_function *f)
{
	const struct kt_ir_value **list;
	size_t count;

	if (!kt_ir_take(r, "assumes") || !kt_ir_read_values(r, &list, &count))
		return;
	for (size_t i = 0; i < count; i++)
		kt_ir_assume(r->module, f, list[i]);
}

static bool attributes(struct kt_ir_reader *r, struct kt_ir_function *f)
{
	f->is_inline = kt_ir_take(r, "inline");
	if (kt_ir_take(r, "bounds")) {
		kt_ir_expect(r, "(");
		f->max_threads = small(r);
		kt_ir_expect(r, ",");
		f->min_blocks = small(r);
		kt_ir_expect(r, ")");
	}
	if (kt_ir_take(r, "registers")) {
		kt_ir_expect(r, "(");
		f->max_registers = small(r);
		kt_ir_expect(r, ")");
	}
	if (kt_ir_take(r, "cluster"))
		for (int i = 0; i < 3; i++) {
			kt_ir_expect(r, i == 0 ? "(" : ",");
			f->cluster[i] = small(r);
		}
	if (f->cluster[0] != 0)
		kt_ir_expect(r, ")");
	assumptions(r, f);
	f->effects = effects(r);
	line_of(r, &f->line);
	return !r->failed;
}

static bool function(struct kt_ir_reader *r, bool is_kernel, bool has_body)
{
	const char *name;

	r->name_count = r->global_count;
	if (!kt_ir_expect(r, "@") || (name = kt_ir_word(r)) == NULL)
		return false;
	if (function_named(r, name) != NULL)
		return kt_ir_syntax(r, "there are two functions '%s'", name);
	r->function = kt_ir_function(r->module, name, is_kernel, kt_ir_void(r->module));
	if (r->function == NULL || !arguments(r))
		return false;
	if (kt_ir_take(r, ":") && (r->function->result = kt_ir_read_type(r)) == NULL)
		return false;
	r->function->has_body = has_body;
	return attributes(r, r->function) && (!has_body || block(r, &r->function->body));
}

static bool structure(struct kt_ir_reader *r)
{
	struct kt_ir_field *fields = NULL, *field;
	const char *name;
	int64_t size, align, offset;
	size_t count = 0;

	if (!kt_ir_expect(r, "@") || (name = kt_ir_word(r)) == NULL || !kt_ir_expect(r, "size") ||
	    !kt_ir_number(r, &size) || !kt_ir_expect(r, "align") || !kt_ir_number(r, &align) || !kt_ir_expect(r, "{"))
		return false;
	while (!kt_ir_take(r, "}")) {
		if (count > 0 && !kt_ir_expect(r, ","))
			return false;
		field = kt_arena_push(r->module->arena, &fields, &count, sizeof *field);
		if (field == NULL)
			return kt_ir_syntax(r, "out of memory");
		if ((field->name = kt_ir_word(r)) == NULL || !kt_ir_expect(r, ":") ||
		    (field->type = kt_ir_read_type(r)) == NULL || !kt_ir_expect(r, "at") || !kt_ir_number(r, &offset))
			return false;
		field->offset = (uint64_t)offset;
	}
	return kt_ir_struct(r->module, name, (uint64_t)size, (uint32_t)align, fields, count) != NULL ||
	       kt_ir_syntax(r, "%s", r->module->error.message);
}

static bool top(struct kt_ir_reader *r)
{
	if (kt_ir_take(r, "kernel"))
		return function(r, true, true);
	if (kt_ir_take(r, "device"))
		return function(r, false, true);
	if (kt_ir_take(r, "extern"))
		return function(r, false, false);
	if (kt_ir_take(r, "struct"))
		return structure(r);
	if (!kt_ir_take(r, "global") && !kt_ir_take(r, "constant"))
		return kt_ir_syntax(r, "a function, a structure or a variable is expected");
	return declared(r, r->at[-1] == 't' ? KT_IR_CONSTANT_SYMBOL : KT_IR_GLOBAL_SYMBOL) != NULL;
}

static void flags(struct kt_ir_reader *r)
{
	r->module->flags.contract = kt_ir_take(r, "contract");
	r->module->flags.ftz = kt_ir_take(r, "ftz");
	r->module->flags.fast_division = kt_ir_take(r, "fast_division");
	r->module->flags.fast_square_root = kt_ir_take(r, "fast_square_root");
}

kt_status kt_ir_parse(struct kt_ir_module **module, struct kt_arena *arena, const char *text, struct kt_error *err)
{
	struct kt_ir_reader r = {.text = text, .at = text, .err = err, .module = kt_ir_module_new(arena)};

	if (r.module == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	if (strnlen(text, KT_IR_TEXT_BYTES + 1) > KT_IR_TEXT_BYTES)
		return kt_fail(err, KT_ERR_MEMORY, "the text has more than %zu bytes", KT_IR_TEXT_BYTES);
	ends_of_lines(&r);
	if (kt_ir_expect(&r, "module"))
		flags(&r);
	for (ends_of_lines(&r); !r.failed && *r.at != '\0'; ends_of_lines(&r)) {
		if (!top(&r))
			kt_ir_syntax(&r, "%s", r.module->failed ? r.module->error.message : "out of memory");
		if (r.module->global_count > r.global_count)
			r.global_count = r.module->global_count;
	}
	if (r.failed)
		return err->code;
	*module = r.module;
	return kt_ir_check(r.module, err);
}
