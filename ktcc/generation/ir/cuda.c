/* Functions and statements of the CUDA printer. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/declare.h"
#include "generation/ir/cuda_print.h"

void kt_ir_cuda_fail(struct kt_ir_cuda *p, const char *format, ...)
{
	char message[512];
	va_list arguments;

	if (p->failed)
		return;
	p->failed = true;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	kt_fail(p->err, KT_ERR_INVALID, "%s", message);
}

static void indent(struct kt_ir_cuda *p)
{
	for (int i = 0; i < p->depth; i++)
		kt_buf_addc(p->out, '\t');
}

void kt_ir_cuda_start(struct kt_ir_cuda *p)
{
	kt_buf_addc(p->out, '\n');
	indent(p);
}

void kt_ir_cuda_block(struct kt_ir_cuda *p, const struct kt_ir_region *r)
{
	kt_buf_addc(p->out, '{');
	p->depth++;
	kt_ir_cuda_region(p, r);
	p->depth--;
	kt_ir_cuda_start(p);
	kt_buf_addc(p->out, '}');
}

/* "const float x" of the statement's symbol, up to " = ". */
static void result(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	if (s->symbol == NULL)
		return;
	if (s->symbol->type->kind == KT_IR_POINTER) {
		const char *name = kt_arena_printf(p->arena, "const %s", kt_ir_cuda_name(p, s->symbol));

		kt_ir_cuda_declare(p, s->symbol->type, name == NULL ? "" : name);
	} else {
		kt_buf_adds(p->out, "const ");
		kt_ir_cuda_declare(p, s->symbol->type, kt_ir_cuda_name(p, s->symbol));
	}
	kt_buf_adds(p->out, " = ");
}

/* ---- Memory ---- */

static const char *const loads[KT_IR_CACHES] = {
    [KT_IR_CA] = "__ldca", [KT_IR_CG] = "__ldcg", [KT_IR_CS] = "__ldcs",
    [KT_IR_LU] = "__ldlu", [KT_IR_CV] = "__ldcv", [KT_IR_NC] = "__ldg",
};
static const char *const stores[KT_IR_CACHES] = {
    [KT_IR_CG] = "__stcg", [KT_IR_CS] = "__stcs", [KT_IR_WB] = "__stwb", [KT_IR_WT] = "__stwt",
};

/* The place, as volatile where the access is and its type is not. */
static void accessed(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	const struct kt_ir_place *at = s->place;
	const bool is_already = at->pointer != NULL ? at->pointer->type->is_volatile : at->symbol->is_volatile;

	if (!s->hint.is_volatile || is_already) {
		kt_ir_cuda_place(p, at);
		return;
	}
	kt_buf_adds(p->out, "*(volatile ");
	kt_ir_cuda_declare(p, at->type, "*");
	kt_buf_adds(p->out, ")&");
	kt_ir_cuda_place(p, at);
}

void kt_ir_cuda_loaded(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	if (s->hint.cache == KT_IR_CACHE_NONE) {
		accessed(p, s);
	} else if (loads[s->hint.cache] == NULL) {
		kt_ir_cuda_fail(p, "a load has no such cache operator");
	} else {
		kt_buf_addf(p->out, "%s(&", loads[s->hint.cache]);
		kt_ir_cuda_place(p, s->place);
		kt_buf_addc(p->out, ')');
	}
}

static void load(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	result(p, s);
	kt_ir_cuda_loaded(p, s);
	kt_buf_addc(p->out, ';');
}

static void store(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	if (kt_ir_cuda_store_back(p, s)) {
		kt_buf_addc(p->out, ';');
		return;
	}
	if (s->hint.cache == KT_IR_CACHE_NONE) {
		accessed(p, s);
		kt_buf_adds(p->out, " = ");
		kt_ir_cuda_value(p, s->value, KT_IR_BIND_CHOICE);
		kt_buf_addc(p->out, ';');
		return;
	}
	if (stores[s->hint.cache] == NULL)
		kt_ir_cuda_fail(p, "a store has no such cache operator");
	else
		kt_buf_adds(p->out, stores[s->hint.cache]);
	kt_buf_adds(p->out, "(&");
	kt_ir_cuda_place(p, s->place);
	kt_buf_adds(p->out, ", ");
	kt_ir_cuda_value(p, s->value, KT_IR_BIND_CHOICE);
	kt_buf_adds(p->out, ");");
}

static void further(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	for (int i = 0; i < 3; i++)
		if (s->further[i] != NULL) {
			kt_buf_adds(p->out, ", ");
			kt_ir_cuda_value(p, s->further[i], KT_IR_BIND_CHOICE);
		}
	kt_buf_adds(p->out, ");");
}

static void atomic(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	static const char *const names[KT_IR_ATOMICS] = {"Add", "Sub", "Exch", "Min", "Max", "Inc",
							 "Dec", "CAS", "And",  "Or",  "Xor"};
	static const char *const scopes[KT_IR_SCOPES] = {
	    [KT_IR_BLOCK_SCOPE] = "_block", [KT_IR_GRID] = "", [KT_IR_SYSTEM] = "_system"};

	if (s->order != KT_IR_RELAXED || scopes[s->scope] == NULL)
		kt_ir_cuda_fail(p, "an atomic has no such order or scope in CUDA C++");
	result(p, s);
	kt_buf_addf(p->out, "atomic%s%s(&", names[s->number], scopes[s->scope] == NULL ? "" : scopes[s->scope]);
	kt_ir_cuda_place(p, s->place);
	kt_buf_adds(p->out, ", ");
	kt_ir_cuda_value(p, s->value, KT_IR_BIND_CHOICE);
	further(p, s);
}

/* ---- Cooperation ---- */

static void collective(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	static const char *const names[KT_IR_COLLECTIVES] = {
	    "__shfl_sync",	 "__shfl_up_sync",    "__shfl_down_sync",  "__shfl_xor_sync",	"__all_sync",
	    "__any_sync",	 "__ballot_sync",     "__match_any_sync",  "__reduce_add_sync", "__reduce_min_sync",
	    "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync",  "__reduce_xor_sync", "__activemask",
	};

	if (s->number >= KT_IR_TOTAL_ADD) {
		kt_ir_cuda_fail(p, "a total over the block was not expanded");
		return;
	}
	result(p, s);
	kt_buf_addf(p->out, "%s(", names[s->number]);
	if (s->value != NULL)
		kt_ir_cuda_value(p, s->value, KT_IR_BIND_CHOICE);
	further(p, s);
}

static void barrier(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	switch (s->scope) {
	case KT_IR_BLOCK_SCOPE:
		kt_buf_adds(p->out, "__syncthreads();");
		return;
	case KT_IR_WARP:
		kt_buf_adds(p->out, "__syncwarp(");
		if (s->value != NULL)
			kt_ir_cuda_value(p, s->value, KT_IR_BIND_CHOICE);
		kt_buf_adds(p->out, ");");
		return;
	default:
		kt_ir_cuda_fail(p, "a barrier has no function for its scope");
		return;
	}
}

static void fence(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	static const char *const names[KT_IR_SCOPES] = {[KT_IR_BLOCK_SCOPE] = "__threadfence_block();",
							[KT_IR_GRID] = "__threadfence();",
							[KT_IR_SYSTEM] = "__threadfence_system();"};

	if (names[s->scope] == NULL)
		kt_ir_cuda_fail(p, "a fence has no function for its scope");
	else
		kt_buf_adds(p->out, names[s->scope]);
}

/* ---- Control flow ---- */

static void if_statement(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	kt_buf_adds(p->out, "if (");
	kt_ir_cuda_value(p, s->value, 0);
	kt_buf_adds(p->out, ") ");
	kt_ir_cuda_block(p, &s->body);
	if (s->otherwise.first != NULL) {
		kt_buf_adds(p->out, " else ");
		kt_ir_cuda_block(p, &s->otherwise);
	}
}

/* ---- Others ---- */

static bool is_constructed(const struct kt_ir_type *type)
{
	while (type->kind == KT_IR_ARRAY)
		type = type->element;
	return type->is_constructed;
}

/* Memory of an object that no constructor fills, and its name. */
static void declare_bytes(struct kt_ir_cuda *p, const struct kt_ir_symbol *symbol)
{
	const struct kt_ir_type *type = symbol->type;
	const char *const name = kt_ir_cuda_name(p, symbol), *bytes = kt_ir_cuda_unique(p, "bytes"), *reference;

	reference = kt_arena_printf(p->arena, "(&%s)", name);
	if (reference == NULL) {
		kt_ir_cuda_fail(p, "out of memory");
		return;
	}
	kt_buf_addf(p->out, "__align__(%u) unsigned char %s[%" PRIu64 "]; ", symbol->align > type->align ? symbol->align : type->align,
		    bytes, type->size);
	kt_ir_cuda_declare(p, type, reference);
	kt_buf_adds(p->out, " = reinterpret_cast<");
	kt_ir_cuda_declare(p, type, "(&)");
	kt_buf_addf(p->out, ">(%s);", bytes);
}

static void declare(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	const struct kt_ir_symbol *symbol = s->symbol;

	if (symbol->kind == KT_IR_LOCAL_SYMBOL && !symbol->is_volatile && is_constructed(symbol->type)) {
		declare_bytes(p, symbol);
		return;
	}
	if (symbol->kind == KT_IR_SHARED_SYMBOL)
		kt_buf_adds(p->out, symbol->is_extern ? "extern __shared__ " : "__shared__ ");
	if (symbol->align != 0)
		kt_buf_addf(p->out, "__align__(%u) ", symbol->align);
	kt_buf_adds(p->out, symbol->is_volatile ? "volatile " : "");
	kt_ir_cuda_declare(p, symbol->type, kt_ir_cuda_name(p, symbol));
	kt_buf_addc(p->out, ';');
}

static void let(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	result(p, s);
	kt_ir_cuda_value(p, s->value, KT_IR_BIND_CHOICE);
	kt_buf_addc(p->out, ';');
}

static void set(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	kt_ir_cuda_assign(p, s);
	kt_buf_addc(p->out, ';');
}

static void returned(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	kt_buf_adds(p->out, "return");
	if (s->value != NULL) {
		kt_buf_addc(p->out, ' ');
		kt_ir_cuda_value(p, s->value, 0);
	}
	kt_buf_addc(p->out, ';');
}

void kt_ir_cuda_called(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	kt_buf_addf(p->out, "%s%s", p->options->prefix != NULL && s->callee->has_body ? p->options->prefix : "",
		    s->callee->name);
	kt_ir_cuda_arguments(p, s->arguments, s->argument_count);
}

static void call(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	result(p, s);
	kt_ir_cuda_called(p, s);
	kt_buf_addc(p->out, ';');
}

/* "[line]": the file and the line of an assertion. Returns its last character. */
static const char *place_of_assertion(struct kt_ir_cuda *p, const char *c)
{
	char *end = NULL;
	const uint32_t line = (uint32_t)strtoul(c + 1, &end, 10);

	if (line == 0 || *end != ']') {
		kt_ir_cuda_fail(p, "an opaque text names a place that is none");
		return NULL;
	}
	if (p->options->line_of_slice != NULL)
		kt_buf_addf(p->out, "${ktune:place:%u:%u}", line, p->options->line_of_slice(line, p->options->context));
	else
		kt_buf_addf(p->out, "__FILE__, %u", line);
	return end;
}

/* The text with "$0", "$1" … for its arguments, "$[line]" for the place of an assertion, and "$$" for a dollar. */
static void opaque(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	size_t number;

	result(p, s);
	for (const char *c = s->text; *c != '\0'; c++) {
		if (*c != '$') {
			kt_buf_addc(p->out, *c);
			continue;
		}
		c++;
		if (*c == '$') {
			kt_buf_addc(p->out, '$');
			continue;
		}
		if (*c == '[') {
			c = place_of_assertion(p, c);
			if (c == NULL)
				return;
			continue;
		}
		for (number = 0; *c >= '0' && *c <= '9' && number < s->argument_count; c++)
			number = number * 10 + (size_t)(*c - '0');
		c--;
		if (*c == '$' || number >= s->argument_count) {
			kt_ir_cuda_fail(p, "an opaque text names an argument that it has not");
			return;
		}
		kt_ir_cuda_value(p, s->arguments[number], KT_IR_BIND_CHOICE);
	}
}

static void (*const printers[KT_IR_STATEMENT_KINDS])(struct kt_ir_cuda *p, const struct kt_ir_statement *s) = {
    [KT_IR_S_DECLARE] = declare,	[KT_IR_S_LET] = let,	      [KT_IR_S_LOAD] = load,
    [KT_IR_S_SET] = set,		[KT_IR_S_STORE] = store,      [KT_IR_S_ATOMIC] = atomic,
    [KT_IR_S_COLLECTIVE] = collective,	[KT_IR_S_BARRIER] = barrier,  [KT_IR_S_FENCE] = fence,
    [KT_IR_S_IF] = if_statement,	[KT_IR_S_FOR] = kt_ir_cuda_for, [KT_IR_S_LOOP] = kt_ir_cuda_loop,
    [KT_IR_S_SWITCH] = kt_ir_cuda_switch, [KT_IR_S_BREAK] = kt_ir_cuda_jump,	      [KT_IR_S_CONTINUE] = kt_ir_cuda_jump,
    [KT_IR_S_RETURN] = returned,	[KT_IR_S_CALL] = call,	      [KT_IR_S_OPAQUE] = opaque,
};

void kt_ir_cuda_region(struct kt_ir_cuda *p, const struct kt_ir_region *r)
{
	const struct kt_ir_statement *previous = NULL;

	for (const struct kt_ir_statement *s = r->first; s != NULL && !p->failed; previous = s, s = s->next) {
		if (kt_ir_cuda_is_folded(p, s))
			continue;
		kt_ir_cuda_start(p);
		p->previous = previous;
		printers[s->kind](p, s);
	}
}

/* ---- Functions ---- */

/* type: as it is to be spelled; NULL: by the symbol's. */
static void argument(struct kt_ir_cuda *p, const struct kt_ir_symbol *symbol, const char *type)
{
	const char *name = kt_ir_cuda_name(p, symbol), *declarator;
	const bool is_pointer = symbol->type->kind == KT_IR_POINTER;

	declarator = kt_arena_printf(p->arena, "%s%s", symbol->is_restrict && is_pointer ? "__restrict__ " : "", name);
	kt_buf_adds(p->out, symbol->is_grid_constant ? "const __grid_constant__ " : "");
	if (type != NULL)
		kt_declare(p->out, type, declarator == NULL ? "" : declarator);
	else
		kt_ir_cuda_declare(p, symbol->type, declarator == NULL ? "" : declarator);
}

static void head(struct kt_ir_cuda *p, const struct kt_ir_function *f)
{
	const char *const *types = f == p->module->last_function ? p->options->argument_types : NULL;

	kt_buf_adds(p->out, p->options->linkage != NULL && !f->is_kernel ? p->options->linkage : "");
	kt_buf_adds(p->out, f->is_kernel ? "__global__ void" : "__device__ ");
	if (!f->is_kernel) {
		kt_buf_adds(p->out, f->is_inline ? "__forceinline__ " : "");
		kt_ir_cuda_type(p, f->result);
	}
	if (f->max_threads != 0)
		kt_buf_addf(p->out, f->min_blocks != 0 ? " __launch_bounds__(%u, %u)" : " __launch_bounds__(%u)",
			    f->max_threads, f->min_blocks);
	if (f->max_registers != 0)
		kt_buf_addf(p->out, " __maxnreg__(%u)", f->max_registers);
	if (f->cluster[0] != 0)
		kt_buf_addf(p->out, " __cluster_dims__(%u, %u, %u)", f->cluster[0], f->cluster[1], f->cluster[2]);
	kt_buf_addf(p->out, " %s%s(", f->is_kernel || p->options->prefix == NULL ? "" : p->options->prefix, f->name);
	for (size_t i = 0; i < f->argument_count; i++) {
		kt_buf_adds(p->out, i > 0 ? ", " : "");
		argument(p, f->arguments[i], types != NULL ? types[i] : NULL);
	}
	kt_buf_adds(p->out, ")\n");
}

static void structures(struct kt_ir_cuda *p, const struct kt_ir_type *type)
{
	if (type == NULL)
		return;
	structures(p, type->next);
	if (type->kind != KT_IR_STRUCT || !(p->options->declares_types || type->is_own))
		return;
	kt_buf_addf(p->out, "struct __align__(%u) %s {\n", type->align, type->name);
	for (size_t i = 0; i < type->field_count; i++) {
		kt_buf_addc(p->out, '\t');
		kt_ir_cuda_declare(p, type->fields[i].type, type->fields[i].name);
		kt_buf_adds(p->out, ";\n");
	}
	kt_buf_adds(p->out, "};\n");
}

static void globals(struct kt_ir_cuda *p)
{
	for (size_t i = 0; i < p->module->global_count; i++) {
		const struct kt_ir_symbol *symbol = p->module->globals[i];

		kt_buf_adds(p->out, symbol->kind == KT_IR_CONSTANT_SYMBOL ? "__constant__ " : "__device__ ");
		if (symbol->align != 0)
			kt_buf_addf(p->out, "__align__(%u) ", symbol->align);
		kt_ir_cuda_declare(p, symbol->type, symbol->hint);
		kt_buf_adds(p->out, ";\n");
	}
}

kt_status kt_ir_print_cuda(struct kt_buf *out, const struct kt_ir_module *module,
			   const struct kt_ir_cuda_options *options, struct kt_error *err)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_ir_cuda p = {.out = out, .module = module, .options = options, .arena = arena, .err = err};

	NEED(arena, kt_no_memory(err));
	p.taken = kt_arena_array(arena, KT_IR_TAKEN_LISTS, sizeof(struct kt_ir_taken *));
	p.names = kt_arena_array(arena, (size_t)module->next_id + 1, sizeof(const char *));
	p.around = kt_arena_array(arena, KT_IR_MOST_AROUND, sizeof(struct kt_ir_statement *));
	p.reads = kt_arena_array(arena, (size_t)module->next_id + 1, sizeof *p.reads);
	p.sets = kt_arena_array(arena, (size_t)module->next_id + 1, sizeof *p.sets);
	p.pending = kt_arena_array(arena, (size_t)module->next_id + 1, sizeof *p.pending);
	p.folded = kt_arena_array(arena, (size_t)module->next_id + 1, sizeof *p.folded);
	if (p.names == NULL || p.taken == NULL || p.around == NULL || p.reads == NULL || p.sets == NULL || p.pending == NULL ||
	    p.folded == NULL) {
		kt_arena_free(arena);
		return kt_no_memory(err);
	}
	structures(&p, module->types);
	if (options->declares_globals)
		globals(&p);
	for (const struct kt_ir_function *f = module->functions; f != NULL && !p.failed; f = f->next) {
		if (!f->has_body)
			continue;
		kt_ir_cuda_judge(&p, f);
		kt_ir_cuda_start_names(&p);
		kt_ir_cuda_fold(&p, f);
		p.label_count = 0;
		p.out = f == module->last_function && options->head != NULL ? options->head : out;
		head(&p, f);
		p.out = f == module->last_function && options->body != NULL ? options->body : out;
		kt_ir_cuda_block(&p, &f->body);
		kt_buf_addc(p.out, '\n');
	}
	kt_arena_free(arena);
	if (p.failed)
		return err->code;
	if ((options->head != NULL && options->head->failed) || (options->body != NULL && options->body->failed))
		return kt_fail(err, KT_ERR_LIMIT, "the kernel's text is too long");
	return kt_buf_check(out, "CUDA C++", err);
}
