/* The statements of a launch region's block. */
#include <string.h>

#include "sequence.h"

#define MACRO_DEPTH 8 /* of macros that name others, where a check for errors is looked for */

struct block {
	struct kt_scan *scan;
	struct kt_found *found;
	const struct kt_text *text;
	bool launched;      /* a launch was read */
	size_t late_count;  /* variables that are declared behind the first launch */
	const char **late;
};

static const char *const errors[] = {"cudaGetLastError", "cudaPeekAtLastError"};

static void decline(struct block *b, const char *reason, size_t token, const char *what)
{
	uint32_t line = 0, column = 0;
	size_t at = token < b->text->count ? token : b->text->count - 1;
	kt_scan_position(b->scan, b->text->tokens[at].begin, &line, &column);
	kt_found_decline(b->scan, b->found, reason, "line %u: %s", line, what);
}

static const char *spelling(const struct block *b, const struct kt_text *text, size_t first, size_t last)
{
	const char *all = kt_scan_squeeze(b->scan, text, text->tokens[first].begin, text->tokens[last].end);
	return strlen(all) <= 60 ? all : kt_arena_printf(b->scan->arena, "%.57s...", all);
}

/* Does the text ask for the last error, itself or through macros? */
static bool asks_for_error(struct kt_scan *scan, const struct kt_text *text, size_t first, size_t last, int depth)
{
	for (size_t i = first; i < last; i++) {
		struct kt_text body;
		struct kt_error err;
		if (text->tokens[i].kind != KT_TOKEN_NAME)
			continue;
		for (size_t e = 0; e < sizeof errors / sizeof errors[0]; e++)
			if (kt_token_is(text, i, errors[e]))
				return true;
		const char *name = kt_arena_strndup(scan->arena, text->data + text->tokens[i].begin,
		                                    text->tokens[i].end - text->tokens[i].begin);
		const struct kt_macro *macro = name != NULL ? kt_scan_macro(scan, name) : NULL;
		if (macro != NULL && depth < MACRO_DEPTH &&
		    kt_lex(&body, scan->arena, macro->body, 0, strlen(macro->body), false, &err) == KT_OK &&
		    asks_for_error(scan, &body, 0, body.count, depth + 1))
			return true;
	}
	return false;
}

/* "(void)error": what keeps a compiler quiet about an unused variable. */
static bool is_mention(const struct block *b, size_t first, size_t last)
{
	return last - first == 4 && kt_token_is(b->text, first, "(") && kt_token_is(b->text, first + 1, "void") &&
	       kt_token_is(b->text, first + 2, ")") && b->text->tokens[first + 3].kind == KT_TOKEN_NAME;
}

/* An expression: no statement that holds others, and no other call than that for the error and of macros. */
static bool is_check(const struct block *b, size_t first, size_t last)
{
	static const char *const words[] = {"if", "for", "while", "do", "switch", "return", "goto", "else", "try", "throw",
	                                    "case", "default", "break", "continue", "asm", "{"};
	for (size_t i = first; i < last; i++)
		for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
			if (kt_token_is(b->text, i, words[w]))
				return false;
	return asks_for_error(b->scan, b->text, first, last, 0);
}

static const struct kt_local *local_in(const struct block *b, size_t first, size_t last)
{
	const uint32_t begin = b->text->tokens[first].begin, end = b->text->tokens[last - 1].end;
	for (size_t i = 0; i < b->scan->local_count; i++) {
		const struct kt_local *local = &b->scan->locals[i];
		if (!local->is_parameter && begin <= local->at && local->at < end)
			return local;
	}
	return NULL;
}

/* Names that later launches must not use, because all of them are looked at before the first. */
static bool add_late(struct block *b, size_t first, size_t last)
{
	const uint32_t begin = b->text->tokens[first].begin, end = b->text->tokens[last - 1].end;
	for (size_t i = 0; i < b->scan->local_count; i++) {
		const struct kt_local *local = &b->scan->locals[i];
		if (local->at < begin || local->at >= end)
			continue;
		const char **slot = kt_arena_push(b->scan->arena, &b->late, &b->late_count, sizeof *slot);
		if (slot == NULL)
			return false;
		*slot = local->name;
	}
	return true;
}

/*
 * Behind a launch a declaration sees what the device has done so far, which the
 * variant has not done in the same order: it may compute, and ask for errors.
 */
static bool is_quiet(const struct block *b, size_t first, size_t last)
{
	static const char *const calls[] = {
	    "cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString", "dim3", "min", "max"};
	for (size_t i = first; i + 1 < last; i++) {
		bool known = false;
		if (b->text->tokens[i].kind != KT_TOKEN_NAME || !kt_token_is(b->text, i + 1, "("))
			continue;
		for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++)
			known = known || kt_token_is(b->text, i, calls[c]);
		for (size_t l = 0; l < b->scan->local_count; l++)
			known = known || b->scan->locals[l].at == b->text->tokens[i].begin;
		if (!known)
			return false;
	}
	return true;
}

static bool is_alias(const struct block *b, size_t first)
{
	return kt_token_is(b->text, first, "using") || kt_token_is(b->text, first, "typedef") ||
	       kt_token_is(b->text, first, "static_assert");
}

/* The launch whose callee begins at the token; *inside: there is one further in. */
static const struct kt_call *call_at(const struct block *b, size_t first, size_t last, bool *inside)
{
	const uint32_t begin = b->text->tokens[first].begin, end = b->text->tokens[last - 1].end;
	const struct kt_call *found = NULL;
	*inside = false;
	for (size_t i = 0; i < b->scan->call_count; i++) {
		const struct kt_call *call = &b->scan->calls[i];
		if (call->extent.begin < begin || call->extent.begin >= end)
			continue;
		if (call->extent.begin == begin && call->extent.end == end && found == NULL)
			found = call;
		else if (call->extent.begin != begin)
			*inside = true;
	}
	for (size_t i = first; found == NULL && i < last; i++)
		*inside = *inside || kt_token_is(b->text, i, "<<<");
	return found;
}

static kt_status add_step(struct block *b, const struct kt_call *call, size_t first, size_t last, struct kt_error *err)
{
	struct kt_found *found = b->found;
	for (size_t i = first; i < last; i++)
		for (size_t n = 0; n < b->late_count; n++)
			if (kt_token_is(b->text, i, b->late[n]))
				decline(b, "launch-region-order", i,
				        kt_arena_printf(b->scan->arena, "declare '%s' before the first launch", b->late[n]));
	if (found->step_count == KT_STEPS) {
		decline(b, "launch-region-form", first, "too many launches");
		return KT_OK;
	}
	struct kt_found_step *step = kt_arena_push(b->scan->arena, &found->steps, &found->step_count, sizeof *step);
	if (step == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches");
	*step = (struct kt_found_step){.call = call};
	b->launched = true;
	return KT_OK;
}

/* One statement, tokens [first, last) without the semicolon. */
static kt_status read_statement(struct block *b, size_t first, size_t last, struct kt_error *err)
{
	bool inside = false;
	if (first == last)
		return KT_OK;
	for (size_t i = first; i < last; i++)
		if (b->text->tokens[i].kind == KT_TOKEN_DIRECTIVE) {
			decline(b, "launch-region-form", i, "a directive stands in the block");
			return KT_OK;
		}
	const struct kt_call *call = call_at(b, first, last, &inside);
	if (call != NULL)
		return add_step(b, call, first, last, err);
	if (inside) {
		decline(b, "launch-form", first, "the launch is part of another statement");
		return KT_OK;
	}
	if (is_alias(b, first))
		return KT_OK;
	if (local_in(b, first, last) != NULL) {
		if (b->launched && !is_quiet(b, first, last))
			decline(b, "launch-region-order", first, "this may depend on what a launch before it does");
		if (b->launched && !add_late(b, first, last))
			return kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches");
		return KT_OK;
	}
	if (!is_check(b, first, last) && !is_mention(b, first, last))
		decline(b, "launch-region-form", first,
		        kt_arena_printf(b->scan->arena, "'%s'", spelling(b, b->text, first, last - 1)));
	return KT_OK;
}

kt_status kt_block_read(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	const struct kt_text *text = scan->text;
	struct block b = {.scan = scan, .found = found, .text = text};
	size_t first = kt_token_at(text, found->block.begin), last = kt_token_at(text, found->block.end - 1);
	kt_status status = KT_OK;
	/* The closing brace, or the semicolon of the one statement. */
	if (kt_token_is(text, first, "{"))
		first++;
	for (size_t i = first; status == KT_OK && i <= last && i < text->count; i++) {
		if (i < last && (kt_token_is(text, i, "(") || kt_token_is(text, i, "[") || kt_token_is(text, i, "{"))) {
			i = kt_token_match(text, i);
			continue;
		}
		if (i < last && !kt_token_is(text, i, ";"))
			continue;
		status = read_statement(&b, first, i, err);
		first = i + 1;
	}
	return status;
}
