#include "expand.h"

#include <stdlib.h>
#include <string.h>

#include "instances.h"
#include "launches.h"

/* Expansion in progress: the tokens, and the parameters that are bound while they are read. */
struct frame {
	struct kt_expand *x;
	struct kt_buf *out;
	struct kt_text tokens;
	int depth;
};

static const char *const type_words[] = {
    "unsigned", "signed",  "int",      "long",    "short",    "char",      "const",   "auto", "bool",
    "size_t",   "int32_t", "uint32_t", "int64_t", "uint64_t", "ptrdiff_t", "ssize_t", "uint",
};
static const char *const functions[] = {"min", "max", "ceil_div", "is_pow2"};
static const char *const casts[] = {"static_cast", "const_cast", "reinterpret_cast"};

#define LENGTH(table) (sizeof(table) / sizeof(table)[0])

static bool one_of(const struct frame *f, size_t i, const char *const *table, size_t count)
{
	for (size_t t = 0; t < count; t++)
		if (kt_token_is(&f->tokens, i, table[t]))
			return true;
	return false;
}

/* Notes why the text has no form in the expression language; the first reason counts. */
static bool refuse(struct frame *f, const char *form, const char *name, const char *of)
{
	struct kt_expand *x = f->x;
	if (x->cause == NULL)
		x->cause = kt_arena_printf(x->scan->arena, form, name, of);
	return false;
}

/* The name of the function that a place is in; NULL: it is in none. */
static const char *function_around(const struct kt_scan *scan, uint32_t at)
{
	for (size_t i = 0; i < scan->item_count; i++)
		if (scan->items[i].file == 0 && scan->items[i].is_function && scan->items[i].begin <= at &&
		    at < scan->items[i].end)
			return scan->items[i].name;
	return NULL;
}

static const char *function_at(const struct kt_scan *scan, uint32_t at)
{
	const char *name = function_around(scan, at);
	return name != NULL ? name : "the host";
}

static const char *copy(const struct frame *f, size_t first, size_t last)
{
	return first < last ? kt_scan_squeeze(f->x->scan, &f->tokens, f->tokens.tokens[first].begin,
					      f->tokens.tokens[last - 1].end)
			    : "";
}

static bool is_type(const struct kt_item *item)
{
	return item->kind == CXCursor_TypedefDecl || item->kind == CXCursor_TypeAliasDecl;
}

/* Is it the name of a type that the project has given an integer type? */
static bool names_type(const struct frame *f, size_t i)
{
	const struct kt_scan *scan = f->x->scan;
	if (i >= f->tokens.count || f->tokens.tokens[i].kind != KT_TOKEN_NAME)
		return false;
	const struct kt_token *token = &f->tokens.tokens[i];
	size_t item = kt_index_find(scan->item_index, f->tokens.data + token->begin, token->end - token->begin, 0);
	return item != SIZE_MAX && is_type(&scan->items[item]);
}

/* "(" … ")" around nothing but a type's words: index of ")", else 0. */
static size_t cast_end(const struct frame *f, size_t open)
{
	size_t i = open + 1;
	while (one_of(f, i, type_words, LENGTH(type_words)) || names_type(f, i) ||
	       (kt_token_is(&f->tokens, i, "std") && kt_token_is(&f->tokens, i + 1, "::")) ||
	       (kt_token_is(&f->tokens, i, "::") && i > open + 1))
		i++;
	return i > open + 1 && kt_token_is(&f->tokens, i, ")") ? i : 0;
}

/* Texts between the bracket at open and its partner, split at commas. */
static bool split(const struct frame *f, size_t open, const char ***out, size_t *count, size_t *close)
{
	*close = kt_token_match(&f->tokens, open);
	size_t begin = open + 1;
	if (*close >= f->tokens.count)
		return false;
	for (size_t i = open + 1; i <= *close; i++) {
		if (i < *close && (kt_token_is(&f->tokens, i, "(") || kt_token_is(&f->tokens, i, "[") ||
				   kt_token_is(&f->tokens, i, "{"))) {
			i = kt_token_match(&f->tokens, i);
			continue;
		}
		if (i < *close && !kt_token_is(&f->tokens, i, ","))
			continue;
		if (i == *close && begin == i)
			break;
		const char **slot = kt_arena_push(f->x->scan->arena, out, count, sizeof *slot);
		if (slot == NULL)
			return false;
		*slot = copy(f, begin, i);
		begin = i + 1;
	}
	return true;
}

/* A body whose parameters are put in by text: f(a, b) → "(" body ")". */
static bool expand_body(struct frame *f, const char *body, const char *const *names, size_t name_count,
			const char *const *arguments, size_t argument_count)
{
	struct kt_arena *arena = f->x->scan->arena;
	struct kt_text tokens;
	struct kt_error err;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	if (name_count != argument_count || kt_lex(&tokens, arena, body, 0, strlen(body), false, &err) != KT_OK)
		return false;
	for (size_t t = 0; t < tokens.count; t++) {
		size_t n = 0;
		while (n < name_count && !kt_token_is(&tokens, t, names[n]))
			n++;
		if (n < name_count)
			kt_buf_addf(&text, "(%s) ", arguments[n]);
		else
			kt_buf_addf(&text, "%.*s ", (int)(tokens.tokens[t].end - tokens.tokens[t].begin),
				    body + tokens.tokens[t].begin);
	}
	kt_buf_addc(f->out, '(');
	bool done = !text.failed && kt_expand(f->out, f->x, kt_buf_text(&text), f->depth + 1);
	kt_buf_addc(f->out, ')');
	kt_buf_free(&text);
	return done;
}

/* The "(" of a call `f(…)` or `f<…>(…)` whose name is token i, or 0. */
static size_t call_open(const struct frame *f, size_t i)
{
	uint32_t end = 0;
	if (kt_token_is(&f->tokens, i + 1, "("))
		return i + 1;
	if (!kt_token_is(&f->tokens, i + 1, "<"))
		return 0;
	size_t close = kt_token_match_angle(&f->tokens, i + 1, &end);
	return close < f->tokens.count && kt_token_is(&f->tokens, close + 1, "(") ? close + 1 : 0;
}

static bool expand_call(struct frame *f, size_t *i, size_t open, const char *name)
{
	struct kt_scan *scan = f->x->scan;
	const struct kt_macro *macro = kt_scan_macro(scan, name);
	const char **arguments = NULL, **names = NULL;
	size_t count = 0, name_count = 0, close = 0;
	if (!split(f, open, &arguments, &count, &close))
		return false;
	if (macro != NULL && macro->is_function) {
		*i = close;
		return expand_body(f, macro->body, macro->parameters, macro->parameter_count, arguments, count);
	}
	size_t item = kt_index_find(scan->item_index, name, strlen(name), 0);
	if (item != SIZE_MAX && is_type(&scan->items[item])) {
		*i = open - 1;
		return true;
	}
	const char *body = item != SIZE_MAX ? kt_function_value(scan, item, &names, &name_count) : NULL;
	if (body != NULL) {
		*i = close;
		return expand_body(f, body, names, name_count, arguments, count);
	}
	if (!one_of(f, *i, functions, LENGTH(functions)))
		return refuse(f, item != SIZE_MAX ? "what the function '%s' returns is no expression over its parameters"
						  : "nothing is known of what '%s' returns", name, NULL);
	*i = open - 1;
	kt_buf_adds(f->out, name);
	return true;
}

static bool is_known(const struct kt_found *found, const char *name)
{
	const struct kt_pragma *p = found->pragma;
	for (size_t i = 0; i < p->tune_count; i++)
		if (strcmp(p->tunes[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < p->variable_count; i++)
		if (strcmp(p->variables[i], name) == 0)
			return true;
	return false;
}

/* An enumerator whose name is one value in the whole unit. */
static bool expand_enumerator(struct frame *f, const char *name)
{
	const struct kt_scan *scan = f->x->scan;
	const struct kt_alias *found = NULL;
	for (size_t i = 0; i < scan->alias_count; i++) {
		const struct kt_alias *one = &scan->aliases[i];
		if (strcmp(one->name, name) != 0 || scan->items[one->item].kind != CXCursor_EnumDecl)
			continue;
		if (found != NULL && found->value != one->value)
			return false;
		found = one;
	}
	if (found != NULL)
		kt_buf_addf(f->out, "%lld", found->value);
	return found != NULL;
}

/* A constant of a header or of another scope, by its value. */
static bool expand_constant(struct frame *f, const char *name)
{
	struct kt_scan *scan = f->x->scan;
	if (expand_enumerator(f, name))
		return true;
	size_t item = kt_index_find(scan->item_index, name, strlen(name), 0);
	int64_t value = 0;
	if (item != SIZE_MAX && scan->items[item].kind == CXCursor_EnumDecl && kt_scan_constant(&value, name, scan)) {
		kt_buf_addf(f->out, "%lld", (long long)value);
		return true;
	}
	if (item == SIZE_MAX || scan->items[item].kind != CXCursor_VarDecl ||
	    kt_clang.isConstQualifiedType(kt_clang.getCursorType(scan->items[item].cursor)) == 0)
		return false;
	CXEvalResult result = kt_clang.Cursor_Evaluate(scan->items[item].cursor);
	bool known = result != NULL && kt_clang.EvalResult_getKind(result) == CXEval_Int;
	if (known)
		kt_buf_addf(f->out, "%lld", kt_clang.EvalResult_getAsLongLong(result));
	if (result != NULL)
		kt_clang.EvalResult_dispose(result);
	return known;
}

/* Is it a variable of the file or of a header? */
static bool is_global(const struct frame *f, const struct kt_local *local, const char *name)
{
	const struct kt_scan *scan = f->x->scan;
	const size_t item = kt_index_find(scan->item_index, name, strlen(name), 0);
	return local != NULL ? function_around(scan, local->at) == NULL
			     : item != SIZE_MAX && scan->items[item].kind == CXCursor_VarDecl;
}

/* The instances that are read: *count of them. */
static const struct kt_instance *instances_read(const struct kt_expand *x, size_t *count)
{
	*count = x->instance != NULL ? 1 : x->found->region.instance_count;
	return x->instance != NULL ? x->instance : x->found->region.instances;
}

/* The kernel's template parameter that a name of the host's is at the launch, by its index; SIZE_MAX: it is none. */
static size_t template_named(const struct kt_expand *x, const char *name)
{
	for (size_t t = 0; t < x->template_count && t < x->found->region.template_count; t++)
		if (strcmp(x->templates[t], name) == 0)
			return t;
	return SIZE_MAX;
}

/* A template parameter of the host that the kernel is launched with, where all instances have one value for it. */
static bool expand_template(struct frame *f, const char *name)
{
	const struct kt_region *r = &f->x->found->region;
	const size_t t = template_named(f->x, name);
	size_t count = 0;
	const struct kt_instance *instances = instances_read(f->x, &count);
	int64_t value = 0, other = 0;
	if (t == SIZE_MAX || r->templates[t].is_type || count == 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!kt_instance_number(&other, instances[i].arguments[t]))
			return false;
		if (i > 0 && other != value) {
			f->x->by_instance = true;
			return false;
		}
		value = other;
	}
	kt_buf_addf(f->out, "%lld", (long long)value);
	return true;
}

/* What a member of cudaDeviceProp is called in the expression language. */
static const struct {
	const char *member, *limit;
} properties[] = {
    {"multiProcessorCount", "multiprocessors"},
    {"maxThreadsPerBlock", "max_threads_per_block"},
    {"maxThreadsPerMultiProcessor", "max_threads_per_multiprocessor"},
    {"sharedMemPerBlock", "shared_bytes_per_block"},
    {"sharedMemPerBlockOptin", "shared_bytes_per_block_optin"},
    {"sharedMemPerMultiprocessor", "shared_bytes_per_multiprocessor"},
    {"warpSize", "warp_size"},
};

static bool is_properties(struct frame *f, CXType type)
{
	CXType own = kt_clang.getCanonicalType(type);
	if (own.kind == CXType_Pointer || own.kind == CXType_LValueReference)
		own = kt_clang.getCanonicalType(kt_clang.getPointeeType(own));
	const char *text = kt_clang_text(f->x->scan->arena, kt_clang.getTypeSpelling(own));
	return text != NULL && strstr(text, "cudaDeviceProp") != NULL;
}

/* "properties.multiProcessorCount", "current()->warpSize": a limit of the device. *i: the last token. */
static bool expand_property(struct frame *f, size_t *i, const char *name)
{
	struct kt_scan *scan = f->x->scan;
	const size_t open = call_open(f, *i);
	const size_t mark = open > 0 ? kt_token_match(&f->tokens, open) + 1 : *i + 1;
	if (!kt_token_is(&f->tokens, mark, ".") && !kt_token_is(&f->tokens, mark, "->"))
		return false;
	const struct kt_local *local = open == 0 ? kt_scan_visible(scan, name, f->x->at) : NULL;
	const size_t item = open > 0 ? kt_index_find(scan->item_index, name, strlen(name), 0) : SIZE_MAX;
	if (local != NULL ? !is_properties(f, local->type)
			  : item == SIZE_MAX || !scan->items[item].is_function ||
				!is_properties(f, kt_clang.getResultType(kt_clang.getCursorType(scan->items[item].cursor))))
		return false;
	for (size_t p = 0; p < LENGTH(properties); p++)
		if (kt_token_is(&f->tokens, mark + 1, properties[p].member)) {
			kt_buf_addf(f->out, "device.%s", properties[p].limit);
			*i = mark + 1;
			return true;
		}
	return false;
}

/* g.x of a dim3 variable, or a member of a structure. */
static bool expand_member(struct frame *f, size_t *i, const char *name)
{
	const struct kt_local *local = kt_scan_visible(f->x->scan, name, f->x->at);
	const struct kt_token *member = *i + 2 < f->tokens.count ? &f->tokens.tokens[*i + 2] : NULL;
	const char *value = local != NULL && member != NULL && !kt_token_is(&f->tokens, *i + 3, "(")
				? kt_reaching_member(f->x, local,
						     kt_arena_strndup(f->x->scan->arena, f->tokens.data + member->begin,
								      member->end - member->begin))
				: NULL;
	if (value != NULL) {
		*i += 2;
		kt_buf_addc(f->out, '(');
		const bool done = kt_expand(f->out, f->x, value, f->depth + 1);
		kt_buf_addc(f->out, ')');
		return done;
	}
	const char *dims[3] = {NULL};
	size_t count = kt_expand_dims(dims, f->x, name, f->depth + 1);
	for (size_t d = 0; d < 3; d++) {
		static const char *const members[] = {"x", "y", "z"};
		if (count == 0 || !kt_token_is(&f->tokens, *i + 2, members[d]))
			continue;
		*i += 2;
		kt_buf_addc(f->out, '(');
		bool done =
		    d >= count ? (kt_buf_addc(f->out, '1'), true) : kt_expand(f->out, f->x, dims[d], f->depth + 1);
		kt_buf_addc(f->out, ')');
		return done;
	}
	return refuse(f, "'%s' is a member of '%s', which nothing is known of", copy(f, *i + 2, *i + 3), name);
}

/*
 * An operand that the pragma has a name for. One of several tokens goes before everything, one that is a name after
 * macros, as the compiler has it.
 */
static bool renamed(struct frame *f, size_t *i, bool several)
{
	size_t last = *i;
	const char *text = kt_expand_renamed(f->x, &f->tokens, &last);
	if (text == NULL || (several && last == *i))
		return false;
	*i = last;
	kt_buf_adds(f->out, text);
	return true;
}

static bool expand_name(struct frame *f, size_t *i)
{
	struct kt_expand *x = f->x;
	const struct kt_token *token = &f->tokens.tokens[*i];
	const char *name = kt_arena_strndup(x->scan->arena, f->tokens.data + token->begin, token->end - token->begin);
	if (name == NULL)
		return false;
	if (strcmp(name, KT_EXPAND_DEVICE) == 0 && kt_token_is(&f->tokens, *i + 1, ".")) {
		*i += 2;
		kt_buf_addf(f->out, "device.%.*s", (int)(f->tokens.tokens[*i].end - f->tokens.tokens[*i].begin),
			    f->tokens.data + f->tokens.tokens[*i].begin);
		return true;
	}
	if (renamed(f, i, true))
		return true;
	if (is_known(x->found, name)) {
		kt_buf_adds(f->out, name);
		return !kt_token_is(&f->tokens, *i + 1, "(");
	}
	size_t open = call_open(f, *i);
	if (expand_property(f, i, name))
		return true;
	if (open > 0)
		return expand_call(f, i, open, name);
	if (kt_token_is(&f->tokens, *i + 1, "."))
		return expand_member(f, i, name);
	const struct kt_macro *macro = kt_scan_macro(x->scan, name);
	if (macro != NULL && !macro->is_function)
		return expand_body(f, macro->body, NULL, 0, NULL, 0);
	if (renamed(f, i, false))
		return true;
	const struct kt_local *local = kt_scan_visible(x->scan, name, x->at);
	const char *init = local == NULL         ? NULL
			   : local->is_parameter ? kt_parameter_value(x, local)
						 : kt_reaching_value(x, local);
	if (init != NULL) {
		size_t length = strlen(init);
		if (init[0] == '{' && length >= 2)
			init = kt_arena_strndup(x->scan->arena, init + 1, length - 2);
		kt_buf_addc(f->out, '(');
		bool done = init != NULL && kt_expand(f->out, x, init, f->depth + 1);
		kt_buf_addc(f->out, ')');
		return done;
	}
	if (local == NULL && (expand_constant(f, name) || expand_template(f, name)))
		return true;
	if (is_global(f, local, name))
		return refuse(f, "'%s' is a variable outside of functions, which any of them may write", name, NULL);
	if (local == NULL)
		return refuse(f, "'%s' is no constant and no variable there", name, NULL);
	if (local->is_parameter)
		return refuse(f, "'%s' is a parameter of '%s', which is not called with one number in this file", name, function_at(x->scan, x->at));
	return refuse(f, "what '%s' holds is not known: a loop, a switch, a function or several branches write it", name,
		      NULL);
}

/* sizeof(type), where all instances agree on it. */
static bool expand_sizeof(struct frame *f, size_t *i)
{
	const struct kt_region *r = &f->x->found->region;
	const char **arguments = NULL;
	size_t count = 0, close = 0;
	if (!kt_token_is(&f->tokens, *i + 1, "(") || !split(f, *i + 1, &arguments, &count, &close) || count != 1)
		return false;
	unsigned bytes = kt_scalar_bytes(kt_scan_scalar_text(arguments[0]));
	size_t t = template_named(f->x, arguments[0]), instance_count = 0;
	const struct kt_instance *instances = instances_read(f->x, &instance_count);
	/* Where the kernel's arguments are deduced, the host mostly calls its types as the kernel does. */
	for (size_t k = 0; k < r->template_count && t == SIZE_MAX && f->x->template_count == 0; k++)
		t = strcmp(r->templates[k].name, arguments[0]) == 0 ? k : SIZE_MAX;
	for (size_t n = 0; n < instance_count && t != SIZE_MAX; n++) {
		const unsigned one = kt_scalar_bytes(kt_scan_scalar_text(instances[n].arguments[t]));
		if (n > 0 && one != bytes) {
			f->x->by_instance = true;
			return false;
		}
		bytes = one;
	}
	*i = close;
	kt_buf_addf(f->out, "%u", bytes);
	return bytes > 0;
}

static bool expand_number(struct frame *f, size_t i)
{
	const struct kt_token *token = &f->tokens.tokens[i];
	const char *digits = f->tokens.data + token->begin;
	size_t length = token->end - token->begin;
	bool hexadecimal = length > 1 && (digits[1] == 'x' || digits[1] == 'X');
	for (size_t c = 0; c < length; c++) {
		if (strchr("uUlL", digits[c]) != NULL)
			continue;
		if (digits[c] == '.' || (!hexadecimal && (digits[c] == 'e' || digits[c] == 'f')))
			return false;
		if (digits[c] != '\'')
			kt_buf_addc(f->out, digits[c]);
	}
	return true;
}

static bool expand_token(struct frame *f, size_t *i)
{
	const struct kt_token *token = &f->tokens.tokens[*i];
	if (token->kind == KT_TOKEN_NUMBER)
		return expand_number(f, *i);
	/* Whose function or constant it is, the last name tells. */
	if (token->kind == KT_TOKEN_NAME && kt_token_is(&f->tokens, *i + 1, "::")) {
		++*i;
		return true;
	}
	if (one_of(f, *i, casts, LENGTH(casts)) && kt_token_is(&f->tokens, *i + 1, "<")) {
		uint32_t end = 0;
		*i = kt_token_match_angle(&f->tokens, *i + 1, &end);
		return *i < f->tokens.count;
	}
	if (kt_token_is(&f->tokens, *i, "sizeof"))
		return expand_sizeof(f, i);
	if (one_of(f, *i, type_words, LENGTH(type_words)))
		return kt_token_is(&f->tokens, *i + 1, "(");
	if (token->kind == KT_TOKEN_NAME)
		return expand_name(f, i);
	if (token->kind != KT_TOKEN_MARK)
		return false;
	size_t cast = kt_token_is(&f->tokens, *i, "(") ? cast_end(f, *i) : 0;
	if (cast > 0)
		*i = cast;
	else
		kt_buf_add(f->out, f->tokens.data + token->begin, token->end - token->begin);
	return true;
}

bool kt_expand(struct kt_buf *out, struct kt_expand *x, const char *text, int depth)
{
	struct frame f = {.x = x, .out = out, .depth = depth};
	struct kt_error err;
	if (depth > KT_EXPAND_DEPTH || kt_lex(&f.tokens, x->scan->arena, text, 0, strlen(text), false, &err) != KT_OK ||
	    f.tokens.count == 0)
		return false;
	for (size_t i = 0; i < f.tokens.count; i++) {
		if (!expand_token(&f, &i))
			return false;
		kt_buf_addc(out, ' ');
	}
	return !out->failed;
}

size_t kt_expand_dims(const char *dims[3], struct kt_expand *x, const char *text, int depth)
{
	struct frame f = {.x = x, .depth = depth};
	struct kt_error err;
	const char **parts = NULL;
	size_t count = 0, close = 0;
	if (depth > KT_EXPAND_DEPTH || kt_lex(&f.tokens, x->scan->arena, text, 0, strlen(text), false, &err) != KT_OK ||
	    f.tokens.count == 0)
		return 0;
	/* "(E)", "(dim3)E", "(dim3)(E)", "p.blocks" are the extents of E and of what the member holds. */
	const size_t partner = kt_token_is(&f.tokens, 0, "(") ? kt_token_match(&f.tokens, 0) : f.tokens.count;
	if (partner == f.tokens.count - 1 && partner > 1)
		return kt_expand_dims(dims, x, copy(&f, 1, partner), depth + 1);
	if (partner == 2 && kt_token_is(&f.tokens, 1, "dim3"))
		return kt_expand_dims(dims, x, copy(&f, 3, f.tokens.count), depth + 1);
	if (f.tokens.count > 2 && kt_token_is(&f.tokens, f.tokens.count - 2, ".")) {
		const char *member = copy(&f, f.tokens.count - 1, f.tokens.count);
		const char *name = kt_single_name(x->scan, copy(&f, 0, f.tokens.count - 2));
		const struct kt_local *of = name != NULL ? kt_scan_visible(x->scan, name, x->at) : NULL;
		const char *value = of != NULL ? kt_reaching_member(x, of, member) : NULL;
		if (value != NULL)
			return kt_expand_dims(dims, x, value, depth + 1);
	}
	size_t open = kt_token_is(&f.tokens, 0, "dim3") ? 1 : 0;
	bool bracket = kt_token_is(&f.tokens, open, "{") || (open == 1 && kt_token_is(&f.tokens, open, "("));
	if (bracket && split(&f, open, &parts, &count, &close) && close + 1 == f.tokens.count && count <= 3) {
		for (size_t i = 0; i < count; i++)
			dims[i] = parts[i];
		return count;
	}
	if (open == 1)
		return 0;
	const struct kt_local *local = f.tokens.count == 1 ? kt_scan_visible(x->scan, text, x->at) : NULL;
	if (local != NULL) {
		if (kt_scan_is_dim3(local->type, x->scan->arena)) {
			const char *init = kt_reaching_value(x, local);
			if (local->is_parameter) {
				(void)refuse(&f, "'%s' is a parameter of '%s'", text, function_at(x->scan, x->at));
				return 0;
			}
			if (init == NULL) {
				/* Its numbers are set one by one. */
				static const char *const numbers[] = {"x", "y", "z"};
				for (size_t d = 0; d < 3; d++)
					if ((dims[d] = kt_reaching_member(x, local, numbers[d])) == NULL) {
						(void)refuse(&f, "what '%s' holds is not known: a loop, a switch, a function or "
								 "several branches write it", text, NULL);
						return 0;
					}
				return 3;
			}
			if (init[0] == '(')
				init = kt_arena_printf(x->scan->arena, "dim3 %s", init);
			return init != NULL ? kt_expand_dims(dims, x, init, depth + 1) : 0;
		}
	}
	dims[0] = text;
	return 1;
}
