#include <stdlib.h>
#include <string.h>

#include "expand.h"

/* The value of a variable of the host at a launch, followed through its writes in the order of the text. */
struct reaching {
	struct kt_scan *scan;
	struct kt_expand *x;
	const struct kt_text *text;
	const struct kt_local *local;
	const char *member; /* the member of a structure that is followed, the index of an array's element; NULL: the variable */
	bool element;      /* of an array */
	size_t launch;     /* token at or after the launch */
	const char *value; /* NULL: none yet */
	bool changed;      /* by a write after the declaration */
};

static const char *const compound[] = {"+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="};
#define MOST_READINGS 8
#define LENGTH(table) (sizeof(table) / sizeof(table)[0])

/* The token of the bracket "{" or "(" that encloses token i, or text->count. */
static size_t enclosing(const struct kt_text *text, size_t i)
{
	size_t depth = 0;
	while (i-- > 0) {
		if (kt_token_is(text, i, "}") || kt_token_is(text, i, ")") || kt_token_is(text, i, "]"))
			depth++;
		else if (kt_token_is(text, i, "{") || kt_token_is(text, i, "(") || kt_token_is(text, i, "["))
			if (depth-- == 0)
				return i;
	}
	return text->count;
}

/* The token of "(" whose partner is at close, or text->count. */
static size_t opening(const struct kt_text *text, size_t close)
{
	return close < text->count && kt_token_is(text, close, ")") ? enclosing(text, close) : text->count;
}

/* The end of the statement at first: its ";". */
static size_t end_of(const struct kt_text *text, size_t first)
{
	size_t i = first;
	while (i < text->count && !kt_token_is(text, i, ";"))
		i = kt_token_is(text, i, "(") || kt_token_is(text, i, "{") || kt_token_is(text, i, "[")
			? kt_token_match(text, i) + 1
			: i + 1;
	return i;
}

static const char *between(const struct reaching *r, size_t first, size_t end)
{
	return first < end
		   ? kt_scan_squeeze(r->scan, r->text, r->text->tokens[first].begin, r->text->tokens[end - 1].end)
		   : NULL;
}

/* Where `if (…)` begins its statement or block at token begin; *close: its ")". text->count: it is no branch. */
static size_t branch_of(const struct kt_text *text, size_t begin, size_t *close)
{
	*close = begin > 0 ? begin - 1 : text->count;
	size_t open = opening(text, *close);
	if (open == 0 || open >= text->count)
		return text->count;
	return kt_token_is(text, open - 1, "if") ? open - 1
	       : kt_token_is(text, open - 1, "constexpr") && open > 1 && kt_token_is(text, open - 2, "if")
		   ? open - 2
		   : text->count;
}

/* The token where the `if` of an `else` at begin starts: `if (c) a = 1; else`, with or without blocks. */
static size_t branch_of_else(const struct kt_text *text, size_t otherwise, size_t *close)
{
	size_t last = otherwise - 1, begin = last;
	if (kt_token_is(text, last, "}")) {
		begin = enclosing(text, last);
	} else {
		while (begin > 0 && !kt_token_is(text, begin - 1, "}") && !kt_token_is(text, begin - 1, "{") &&
		       (begin == last || !kt_token_is(text, begin - 1, ";")) &&
		       branch_of(text, begin, close) >= text->count)
			begin = opening(text, begin - 1) < text->count ? opening(text, begin - 1) : begin - 1;
	}
	return begin < text->count ? branch_of(text, begin, close) : text->count;
}

size_t kt_branch_around(const struct kt_text *text, size_t begin, size_t *close, bool *otherwise)
{
	*otherwise = begin > 0 && kt_token_is(text, begin - 1, "else");
	return *otherwise ? branch_of_else(text, begin - 1, close) : branch_of(text, begin, close);
}

size_t kt_block_around(const struct kt_text *text, size_t i)
{
	size_t open = enclosing(text, i);
	while (open < text->count && !kt_token_is(text, open, "{"))
		open = enclosing(text, open);
	return open;
}

/*
 * Under which condition is the statement at token first executed before the launch? *condition: NULL for always.
 * False: it is in a loop, a switch, a lambda or below several branches.
 */
static bool read_condition(const struct reaching *r, size_t first, const char **condition)
{
	const struct kt_text *text = r->text;
	size_t begin = first, close = 0, branch = text->count;
	bool otherwise = false;
	*condition = NULL;
	if (first == 0)
		return false;
	size_t block = enclosing(text, first);
	if (block < text->count && !kt_token_is(text, block, "{"))
		return false;
	bool alone = !kt_token_is(text, first - 1, ";") && !kt_token_is(text, first - 1, "{") &&
		     !kt_token_is(text, first - 1, "}") && text->tokens[first - 1].kind != KT_TOKEN_DIRECTIVE;
	if (!alone) {
		if (block >= text->count || kt_token_match(text, block) > r->launch)
			return true;
		begin = block;
		size_t outer = enclosing(text, block);
		if (outer >= text->count || kt_token_match(text, outer) <= r->launch)
			return false;
	} else if (block < text->count && kt_token_match(text, block) <= r->launch) {
		return false;
	}
	if (kt_token_is(text, begin - 1, "else")) {
		otherwise = true;
		branch = branch_of_else(text, begin - 1, &close);
	} else {
		branch = branch_of(text, begin, &close);
	}
	if (branch >= text->count || (branch > 0 && kt_token_is(text, branch - 1, "else")))
		return false;
	size_t open = opening(text, close);
	const char *words = between(r, open + 1, close);
	*condition = words != NULL ? kt_arena_printf(r->scan->arena, otherwise ? "!(%s)" : "(%s)", words) : NULL;
	return *condition != NULL;
}

static const char *with_old(struct reaching *r, const char *text)
{
	return r->value != NULL ? kt_text_put(r->scan, text, &r->local->name, &r->value, 1) : text;
}

/* Takes a written value; false: it cannot be told which. */
static bool take(struct reaching *r, size_t statement, const char *written)
{
	const char *condition = NULL;
	if (written == NULL || !read_condition(r, statement, &condition) ||
	    kt_changes_until(r->x, r->local, written, statement, r->launch) ||
	    (condition != NULL && kt_changes_until(r->x, r->local, condition, statement, r->launch)))
		return false;
	r->changed = true;
	if (condition == NULL || r->value == NULL)
		r->value = written;
	else
		r->value =
		    kt_arena_printf(r->scan->arena, "(%s) ? (%s) : (%s)", with_old(r, condition), written, r->value);
	return r->value != NULL && strlen(r->value) < KT_LIMIT_LINE_BYTES / 8;
}

/*
 * The "(" of the `while` whose only statement, which ends at ";" end, is this one, and which is always executed before the launch;
 * text->count: there is none.
 */
static size_t loop_of(const struct reaching *r, size_t statement, size_t end)
{
	const struct kt_text *text = r->text;
	const bool braces = statement > 0 && kt_token_is(text, statement - 1, "{") && kt_token_match(text, statement - 1) == end + 1;
	const size_t begin = braces ? statement - 1 : statement, open = begin > 0 ? opening(text, begin - 1) : text->count;
	const char *condition;
	return open > 0 && open < text->count && kt_token_is(text, open - 1, "while") && read_condition(r, open - 1, &condition) &&
			       condition == NULL
		   ? open
		   : text->count;
}

/* `while (condition) name op written;` with a number before it. */
static bool take_loop(struct reaching *r, size_t open, const char *op, const char *written)
{
	const char *step = *op == '\0' ? written : kt_arena_printf(r->scan->arena, "(%s) %s (%s)", r->local->name, op, written);
	r->changed = true;
	r->value = kt_unrolled(r->scan, r->local->name, r->value, between(r, open + 1, kt_token_match(r->text, open)), step);
	return r->value != NULL;
}

static bool names_self(struct reaching *r, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (kt_token_is(r->text, i, r->local->name) && (i == 0 || !kt_token_is(r->text, i - 1, ".")))
			return true;
	return false;
}

/* "*" of "*="; "" of "=". */
static const char *operation(const struct reaching *r, size_t operator)
{
	const struct kt_token *token = &r->text->tokens[operator];
	return kt_arena_strndup(r->scan->arena, r->text->data + token->begin, token->end - token->begin - 1);
}

/* A value written at `=` or a compound assignment, which token `operator` is. */
static bool follow_write(struct reaching *r, size_t statement, size_t operator)
{
	const struct kt_text *text = r->text;
	size_t end = end_of(text, operator + 1);
	const char *written = between(r, operator + 1, end);
	if (end >= r->launch || written == NULL)
		return false;
	const size_t loop = r->value != NULL && r->member == NULL ? loop_of(r, statement, end) : text->count;
	if (loop < text->count)
		return take_loop(r, loop, operation(r, operator), written);
	if (kt_token_is(text, operator, "=")) {
		if (names_self(r, operator + 1, end)) {
			if (r->value == NULL || r->member != NULL)
				return false;
			written = with_old(r, written);
		}
		return take(r, statement, written);
	}
	if (r->value == NULL || names_self(r, operator + 1, end))
		return false;
	return take(r, statement, kt_arena_printf(r->scan->arena, "(%s) %s (%s)", r->value, operation(r, operator), written));
}

static bool is_assignment(const struct kt_text *text, size_t i)
{
	for (size_t w = 0; w < LENGTH(compound); w++)
		if (kt_token_is(text, i, compound[w]))
			return true;
	return kt_token_is(text, i, "=");
}

/* A mention of the structure whose member is followed. */
static bool follow_member(struct reaching *r, size_t i)
{
	const struct kt_text *text = r->text;
	if (!kt_token_is(text, i + 1, "."))
		return !is_assignment(text, i + 1);
	if (!kt_token_is(text, i + 2, r->member))
		return true;
	if (kt_token_is(text, i + 3, "++") || kt_token_is(text, i + 3, "--"))
		return false;
	return !is_assignment(text, i + 3) || follow_write(r, i, i + 3);
}

/* A mention of the array whose element is followed: what is done with another element does not change it. */
static bool follow_element(struct reaching *r, size_t i)
{
	const struct kt_text *text = r->text;
	const size_t close = kt_token_is(text, i + 1, "[") ? kt_token_match(text, i + 1) : text->count;
	if (close >= text->count || kt_token_is(text, close + 1, "[") || kt_token_is(text, i - 1, "&"))
		return false;
	const bool literal = close == i + 3 && text->tokens[i + 2].kind == KT_TOKEN_NUMBER;
	const bool steps = kt_token_is(text, close + 1, "++") || kt_token_is(text, close + 1, "--");
	if (!is_assignment(text, close + 1) && !steps)
		return true;
	if (literal && !kt_token_is(text, i + 2, r->member))
		return true;
	return literal && !steps && follow_write(r, i, close + 1);
}

/* A call of a function of the project that writes the variable; false: it is none, or not known to write it. */
static bool follow_call(struct reaching *r, size_t i, bool *known)
{
	struct kt_output out;
	const struct kt_text *text = r->text;
	const size_t first = i > 0 && kt_token_is(text, i - 1, "&") ? i - 1 : i;
	const bool alone = first > 0 && (kt_token_is(text, first - 1, "(") || kt_token_is(text, first - 1, ",")) &&
			   (kt_token_is(text, i + 1, ")") || kt_token_is(text, i + 1, ","));
	if (!alone || r->element || !kt_output_read(&out, r->x, r->local, first, r->member))
		return false;
	const char *written = out.value;
	*known = out.is_unchanged;
	if (out.is_unchanged)
		return true;
	if (kt_text_has_name(r->scan, written, r->local->name))
		written = r->value != NULL && r->member == NULL ? with_old(r, written) : NULL;
	*known = take(r, out.statement, written);
	return true;
}

/* Follows one mention of the variable before the launch; false: it ends the analysis. */
static bool follow(struct reaching *r, size_t i)
{
	const struct kt_text *text = r->text;
	if (i > 0 && (kt_token_is(text, i - 1, "++") || kt_token_is(text, i - 1, "--")))
		return false;
	bool known = false;
	if (follow_call(r, i, &known))
		return known;
	const bool other = r->member != NULL && !r->element && kt_token_is(text, i + 1, ".") && !kt_token_is(text, i + 2, r->member) &&
			   !kt_token_is(text, i + 3, "(");
	if (!other && kt_written_elsewhere(r->scan, i))
		return false;
	if (r->element)
		return follow_element(r, i);
	if (i > 1 && kt_token_is(text, i - 1, "&") && text->tokens[i - 2].kind == KT_TOKEN_MARK &&
	    !kt_token_is(text, i - 2, ")")) {
		const size_t statement = kt_query_call(text, i, "cudaDeviceGetAttribute");
		const char *limit = statement != SIZE_MAX ? kt_query_attribute(r->scan, text, i) : NULL;
		return limit != NULL && take(r, statement, limit);
	}
	if (kt_token_is(text, i + 1, "++") || kt_token_is(text, i + 1, "--"))
		return false;
	if (r->member != NULL)
		return follow_member(r, i);
	/* A member of a dim3 is set. */
	if (kt_token_is(text, i + 1, "."))
		return !is_assignment(text, i + 3) && !kt_token_is(text, i + 3, "++") && !kt_token_is(text, i + 3, "--");
	return !is_assignment(text, i + 1) || follow_write(r, i, i + 1);
}

bool kt_token_written(const struct kt_text *text, size_t i)
{
	size_t next = i + 1;
	if (kt_token_is(text, next, "."))
		next += 2;
	else if (kt_token_is(text, next, "["))
		next = kt_token_match(text, next) + 1;
	for (size_t w = 0; w < LENGTH(compound); w++)
		if (kt_token_is(text, next, compound[w]))
			return true;
	return kt_token_is(text, next, "=") || kt_token_is(text, next, "++") || kt_token_is(text, next, "--") ||
	       (i > 0 && (kt_token_is(text, i - 1, "++") || kt_token_is(text, i - 1, "--"))) ||
	       (i > 1 && kt_token_is(text, i - 1, "&") && text->tokens[i - 2].kind == KT_TOKEN_MARK &&
		!kt_token_is(text, i - 2, ")"));
}

/* Does a loop that is entered after the declaration bring a later write back to the launch? */
static bool comes_again(const struct reaching *r, size_t name)
{
	const struct kt_text *text = r->text;
	size_t loop_end = 0;
	for (size_t block = enclosing(text, r->launch); block < text->count && block > name;
	     block = enclosing(text, block)) {
		size_t open = kt_token_is(text, block, "{") && block > 0 ? opening(text, block - 1) : text->count;
		bool loop = (open > 0 && open < text->count &&
			     (kt_token_is(text, open - 1, "for") || kt_token_is(text, open - 1, "while"))) ||
			    (block > 0 && kt_token_is(text, block - 1, "do"));
		if (loop)
			loop_end = kt_token_match(text, block);
	}
	for (size_t i = r->launch; i < loop_end && i < text->count; i++)
		if (kt_token_is(text, i, r->local->name) && (i == 0 || !kt_token_is(text, i - 1, ".")) &&
		    kt_token_written(text, i))
			return true;
	return false;
}

static const char *declared(const struct reaching *r, size_t name, struct kt_range *range)
{
	const struct kt_text *text = r->text;
	size_t first = kt_token_is(text, name + 1, "=") ? name + 2 : name + 1;
	if (first >= text->count || text->tokens[first].begin >= r->local->end ||
	    (first == name + 1 && !kt_token_is(text, first, "(") && !kt_token_is(text, first, "{")))
		return NULL;
	*range = (struct kt_range){text->tokens[first].begin, r->local->end};
	return kt_scan_squeeze(r->scan, text, range->begin, range->end);
}

/* Of `int g[2] = {a, b};` the element's text; those that are not written are 0. NULL: it has no initializer, or no plain one. */
static const char *first_element(const struct reaching *r, size_t name)
{
	const struct kt_text *text = r->text;
	const size_t bound = kt_token_is(text, name + 1, "[") ? kt_token_match(text, name + 1) : text->count;
	const size_t open = bound + 1 + kt_token_is(text, bound + 1, "=");
	size_t begin = open + 1, left = (size_t)strtoul(r->member, NULL, 10);
	if (bound >= text->count || !kt_token_is(text, open, "{") || text->tokens[open].begin >= r->local->end)
		return NULL;
	const size_t close = kt_token_match(text, open);
	for (size_t t = begin; t <= close && t < text->count; t++) {
		if (kt_token_is(text, t, "(") || kt_token_is(text, t, "{") || kt_token_is(text, t, "["))
			t = kt_token_match(text, t);
		else if (t < close && kt_token_is(text, t, ".") && t == begin)
			return NULL;
		if (t < close && !kt_token_is(text, t, ","))
			continue;
		if (left-- == 0)
			return t > begin ? between(r, begin, t) : "0";
		begin = t + 1;
	}
	return "0";
}

/* What the variable, or a member of it, holds before anything after its declaration writes it. */
static const char *first_value(struct reaching *r, size_t name, struct kt_range *range)
{
	if (r->element)
		return first_element(r, name);
	const char *text = declared(r, name, range);
	if (r->member != NULL && text == NULL && kt_scan_is_dim3(r->local->type, r->scan->arena))
		return "1";
	return r->member != NULL ? kt_record_member(r->scan, r->local->at, r->local->type, text, r->member) : text;
}

static const char *reach(struct kt_expand *x, const struct kt_local *local, const char *member, bool element)
{
	struct reaching r = {.scan = x->scan, .x = x, .text = x->scan->text, .local = local, .member = member, .element = element};
	struct kt_range range = {local->at, local->end};
	size_t name = kt_token_at(r.text, local->at);
	r.launch = kt_token_at(r.text, x->at);
	if (local->is_parameter || !kt_token_is(r.text, name, local->name) || kt_may_change(x->scan, local))
		return NULL;
	r.value = first_value(&r, name, &range);
	if (r.value != NULL && kt_changes_until(x, local, r.value, kt_token_at(r.text, local->end), r.launch))
		return NULL;
	for (size_t i = kt_token_at(r.text, local->end); i < r.launch; i++) {
		if (!kt_token_is(r.text, i, local->name) ||
		    (i > 0 && (kt_token_is(r.text, i - 1, ".") || kt_token_is(r.text, i - 1, "->"))))
			continue;
		if (!follow(&r, i))
			return NULL;
	}
	if (r.value == NULL || comes_again(&r, name))
		return NULL;
	/* What a parameter would change besides the launch is not known where other statements write. */
	struct kt_range *slot =
	    !r.changed ? kt_arena_push(x->scan->arena, &x->used, &x->used_count, sizeof *slot) : NULL;
	if (r.changed)
		return r.value;
	if (slot == NULL)
		return NULL;
	*slot = range;
	return r.value;
}

/* Two variables may need each other. */
static const char *reach_once(struct kt_expand *x, const struct kt_local *local, const char *member, bool element)
{
	if (x->readings == MOST_READINGS)
		return NULL;
	x->readings++;
	const char *value = reach(x, local, member, element);
	x->readings--;
	return value;
}

const char *kt_reaching_value(struct kt_expand *x, const struct kt_local *local)
{
	return reach_once(x, local, NULL, false);
}

const char *kt_reaching_member(struct kt_expand *x, const struct kt_local *local, const char *member)
{
	return reach_once(x, local, member, false);
}

const char *kt_reaching_element(struct kt_expand *x, const struct kt_local *local, const char *index)
{
	const bool plain = index[strspn(index, "0123456789")] == '\0' && strlen(index) < 10;
	return plain && kt_clang.getCanonicalType(local->type).kind == CXType_ConstantArray ? reach_once(x, local, index, true) : NULL;
}

bool kt_reaching_is_written(const struct kt_expand *x, const struct kt_local *local)
{
	const struct kt_text *text = x->scan->text;
	const size_t launch = kt_token_at(text, x->at);
	for (size_t i = kt_token_at(text, local->end); i < launch; i++)
		if (kt_token_is(text, i, local->name) && !kt_token_is(text, i - 1, ".") && !kt_token_is(text, i - 1, "->") &&
		    kt_token_written(text, i))
			return true;
	return false;
}
