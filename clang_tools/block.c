/* The statements of a launch region's block. */
#include <string.h>

#include "quiet.h"
#include "sequence.h"

struct block {
	struct kt_scan *scan;
	struct kt_found *found;
	const struct kt_text *text;
	struct kt_quiet quiet;
	uint32_t first_end, last_begin; /* of the first launch and the last: between them statements are judged */
};

static void decline_at(struct block *b, const char *reason, uint32_t at, const char *what)
{
	uint32_t line = 0, column = 0;

	kt_scan_position(b->scan, at, &line, &column);
	kt_found_decline(b->scan, b->found, reason, "line %u: %s", line, what);
}

static void decline(struct block *b, const char *reason, size_t token, const char *what)
{
	decline_at(b, reason, b->text->tokens[token < b->text->count ? token : b->text->count - 1].begin, what);
}

static uint32_t begin_of(const struct block *b, CXCursor cursor, size_t *file)
{
	return kt_scan_offset(b->scan, kt_clang.getRangeStart(kt_clang.getCursorExtent(cursor)), file);
}

/* The statement as the source spells it, shortened: macros by their name. */
static const char *spelling(const struct block *b, CXCursor statement)
{
	size_t file = 0, first = kt_token_at(b->text, begin_of(b, statement, &file)), end = first;
	const char *all;

	while (end < b->text->count && !kt_token_is(b->text, end, ";"))
		end = kt_token_is(b->text, end, "(") || kt_token_is(b->text, end, "{") ? kt_token_match(b->text, end) + 1 : end + 1;
	if (first >= b->text->count || end <= first)
		return "";
	all = kt_scan_squeeze(b->scan, b->text, b->text->tokens[first].begin, b->text->tokens[end - 1].end);
	return strlen(all) <= 60 ? all : kt_arena_printf(b->scan->arena, "%.57s...", all);
}

/* ---- the launches, by the text */

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

static kt_status add_step(struct block *b, const struct kt_call *call, size_t first, struct kt_error *err)
{
	struct kt_found *found = b->found;
	if (found->step_count == KT_STEPS) {
		decline(b, "launch-region-form", first, "the block has too many launches; divide it");
		return KT_OK;
	}
	struct kt_found_step *step;
	NEED(step = kt_arena_push(b->scan->arena, &found->steps, &found->step_count, sizeof *step),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches"));
	*step = (struct kt_found_step){.call = call};
	if (found->step_count == 1)
		b->first_end = call->extent.end;
	b->last_begin = call->extent.begin;
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
			decline(b, "launch-region-form", i,
			        "a preprocessor directive is in the block; move it before or after the block");
			return KT_OK;
		}
	const struct kt_call *call = call_at(b, first, last, &inside);
	if (call != NULL)
		return add_step(b, call, first, err);
	if (inside)
		decline(b, "launch-form", first, "the launch is part of another statement; write it as a statement");
	return KT_OK;
}

static bool begins_launch(const struct block *b, size_t token)
{
	for (size_t i = 0; token < b->text->count && i < b->scan->call_count; i++)
		if (b->scan->calls[i].extent.begin == b->text->tokens[token].begin)
			return true;
	return false;
}

static kt_status read_launches(struct block *b, struct kt_error *err)
{
	const struct kt_text *text = b->text;
	size_t first = kt_token_at(text, b->found->block.begin), last = kt_token_at(text, b->found->block.end - 1);
	kt_status status = KT_OK;
	/* The closing brace, or the semicolon of the one statement. */
	if (kt_token_is(text, first, "{"))
		first++;
	for (size_t i = first; status == KT_OK && i <= last && i < text->count; i++) {
		if (i < last && (kt_token_is(text, i, "(") || kt_token_is(text, i, "[") || kt_token_is(text, i, "{"))) {
			const bool braces = kt_token_is(text, i, "{");
			i = kt_token_match(text, i);
			/* A launch after a statement in braces; after an initialiser's there is none. */
			if (!braces || !begins_launch(b, i + 1))
				continue;
		} else if (i < last && !kt_token_is(text, i, ";")) {
			continue;
		}
		status = read_statement(b, first, i, err);
		first = i + 1;
	}
	return status;
}

/* ---- what is between them and what they are given, by the tree */

struct search {
	const struct block *block;
	CXCursor statement; /* the block's, or the one below the pragma */
	bool found;
};

static enum CXChildVisitResult find_block(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct search *s = data;
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	size_t file = 0;

	(void)parent;
	if (begin_of(s->block, cursor, &file) != s->block->found->block.begin || file != 0 ||
	    (kt_clang.isStatement(kind) == 0 && kt_clang.isExpression(kind) == 0))
		return CXChildVisit_Recurse;
	s->statement = cursor;
	s->found = true;
	return CXChildVisit_Break;
}

/* Device code and the host's may differ in what they see of the file. */
static bool sees_both(struct kt_scan *scan)
{
	static const char word[] = "__CUDA_ARCH";

	for (size_t i = 0; i < scan->file_count; i++) {
		size_t size = 0;
		const char *data = kt_clang.getFileContents(scan->unit, scan->files[i].file, &size);

		if (data != NULL && memmem(data, size, word, sizeof word - 1) != NULL)
			return true;
	}
	return false;
}

/* In the tree of the host's pass, where that has another one than device code's. */
static kt_status find_statement(struct block *b, struct search *s, struct kt_error *err)
{
	struct kt_scan *scan = b->scan;

	*s = (struct search){.block = b};
	if (sees_both(scan))
		TRY(kt_scan_host(scan, err));
	for (size_t i = 0; scan->host_unit != NULL && i < scan->host_item_count && !s->found; i++)
		kt_clang.visitChildren(scan->host_items[i].cursor, find_block, s);
	if (scan->host_unit == NULL)
		kt_clang.visitChildren(scan->items[b->found->host].cursor, find_block, s);
	return KT_OK;
}

struct launch {
	struct block *block;
	size_t step;
	size_t part; /* of the configuration */
	size_t at;   /* the operand */
	bool in_configuration;
};

/* A name that a launch uses: what is declared or assigned after the first one has no value there yet. */
static enum CXChildVisitResult find_late(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct block *b = data;
	const CXCursor variable = kt_clang.getCursorReferenced(cursor);
	size_t file = 0;
	uint32_t at;

	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_DeclRefExpr || kt_clang.getCursorKind(variable) != CXCursor_VarDecl)
		return CXChildVisit_Recurse;
	at = kt_scan_offset(b->scan, kt_clang.getCursorLocation(variable), &file);
	for (size_t i = 0; i < b->quiet.changed_count; i++)
		if (kt_clang.equalCursors(b->quiet.changed[i], variable) != 0)
			decline_at(b, "launch-region-order", begin_of(b, cursor, &file),
			           kt_arena_printf(b->scan->arena, "assign '%s' before the first launch",
			                           kt_quiet_name(&b->quiet, variable)));
	if (file == 0 && at >= b->first_end && at < b->found->block.end)
		decline_at(b, "launch-region-order", begin_of(b, cursor, &file),
		           kt_arena_printf(b->scan->arena, "declare '%s' before the first launch",
		                           kt_quiet_name(&b->quiet, variable)));
	return CXChildVisit_Recurse;
}

static bool is_configuration(CXCursor cursor)
{
	CXString spelling = kt_clang.getCursorSpelling(cursor);
	const char *name = kt_clang.getCString(spelling);
	const bool same = kt_clang.getCursorKind(cursor) == CXCursor_CallExpr && name != NULL &&
	                  (strcmp(name, "__cudaPushCallConfiguration") == 0 || strcmp(name, "cudaConfigureCall") == 0);

	kt_clang.disposeString(spelling);
	return same;
}

/* An operand of the launch: the callee, the configuration with its own operands, arguments. */
static enum CXChildVisitResult judge_operand(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct launch *l = data;
	struct block *b = l->block;
	struct kt_quiet q = {.scan = b->scan};
	bool quiet;

	(void)parent;
	if (kt_clang.isExpression(kt_clang.getCursorKind(cursor)) == 0 || l->at++ == 0)
		return CXChildVisit_Continue;
	if (is_configuration(cursor)) {
		struct launch inner = {.block = b, .step = l->step, .in_configuration = true};

		kt_clang.visitChildren(cursor, judge_operand, &inner);
		return CXChildVisit_Continue;
	}
	/* After the callee: grid, block, shared memory, stream. */
	quiet = l->in_configuration && l->at == 5 ? kt_quiet_stream(&q, cursor) : kt_quiet_value(&q, cursor);
	if (!quiet) {
		const struct kt_call *call = b->found->steps[l->step].call;
		size_t file = 0;
		uint32_t at = begin_of(b, cursor, &file);

		if (file != 0 || at < call->extent.begin || at > call->extent.end)
			at = call->extent.begin;
		decline_at(b, "launch-region-effects", at,
		           kt_arena_printf(b->scan->arena, "%s may have an effect: %s",
		                           l->in_configuration ? "the configuration" : "an argument",
		                           q.why != NULL ? q.why : "it cannot be read"));
	}
	return CXChildVisit_Continue;
}

struct inner_call {
	CXCursor call;
	bool found;
};

static enum CXChildVisitResult find_configuration(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct inner_call *f = data;

	if (!is_configuration(cursor))
		return CXChildVisit_Recurse;
	f->call = parent;
	f->found = true;
	return CXChildVisit_Break;
}

static void judge_launch(struct block *b, size_t step, CXCursor statement)
{
	struct inner_call f = {.found = is_configuration(statement)};
	struct launch l = {.block = b, .step = step};
	struct kt_quiet defaults = {.scan = b->scan};

	kt_clang.visitChildren(statement, find_configuration, &f);
	if (!f.found) {
		kt_step_decline(b->scan, b->found, &b->found->steps[step], "launch-form",
		                "libclang has no syntax tree of the launch; write it as `kernel<<<grid, block>>>(…);`");
		return;
	}
	if (!kt_quiet_defaults(&defaults, kt_clang.getCursorReferenced(f.call), f.call))
		kt_step_decline(b->scan, b->found, &b->found->steps[step], "launch-region-effects",
		                kt_arena_printf(b->scan->arena, "a default argument may have an effect: %s",
		                                defaults.why != NULL ? defaults.why : "it cannot be read"));
	kt_clang.visitChildren(f.call, judge_operand, &l);
	kt_clang.visitChildren(f.call, find_late, b);
}

static bool is_label(CXCursor statement)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(statement);

	return kind == CXCursor_LabelStmt || kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt;
}

static void judge_between(struct block *b, CXCursor statement, uint32_t at)
{
	const char *reason =
	    kt_clang.getCursorKind(statement) == CXCursor_DeclStmt ? "launch-region-order" : "launch-region-form";

	b->quiet.why = NULL;
	if (kt_quiet_statement(&b->quiet, statement))
		return;
	decline_at(b, reason, at,
	           kt_arena_printf(b->scan->arena, "'%s' may have an effect between the launches: %s", spelling(b, statement),
	                           b->quiet.why != NULL ? b->quiet.why : "it cannot be read"));
}

static enum CXChildVisitResult judge_part(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct block *b = data;
	size_t file = 0;
	const uint32_t at = begin_of(b, cursor, &file);

	(void)parent;
	for (size_t i = 0; i < b->found->step_count; i++)
		if (at == b->found->steps[i].call->extent.begin) {
			judge_launch(b, i, cursor);
			return CXChildVisit_Continue;
		}
	/* A jump must not pass what is declared in front of the first launch. */
	if (is_label(cursor) && at >= b->found->steps[0].call->extent.begin)
		decline_at(b, "launch-region-form", at, "a label follows the first launch");
	if (at >= b->first_end && at < b->last_begin)
		judge_between(b, cursor, at);
	return CXChildVisit_Continue;
}

kt_status kt_block_read(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct block b = {.scan = scan, .found = found, .text = scan->text, .quiet = {.scan = scan, .asks = true}};
	struct search search;
	TRY(read_launches(&b, err));

	if (found->region.decline != NULL || found->step_count == 0)
		return KT_OK;
	TRY(find_statement(&b, &search, err));
	if (!search.found)
		decline_at(&b, "launch-region-form", found->block.begin, "the block cannot be read");
	else if (kt_clang.getCursorKind(search.statement) == CXCursor_CompoundStmt)
		kt_clang.visitChildren(search.statement, judge_part, &b);
	else
		judge_launch(&b, 0, search.statement);
	return scan->failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches") : KT_OK;
}
