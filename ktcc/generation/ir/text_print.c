/* The text form, written. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generation/ir/number.h"
#include "generation/ir/text.h"

/* Names by symbol id, given in order of appearance; NULL where a value alone is printed, with hints for names. */
struct namer {
	char **names;
	uint32_t count;
	struct hint {
		const char *text;
		unsigned used;
	} *hints;
	size_t hint_count, hint_room;
	unsigned numbers;
	bool failed;
};

struct printer {
	struct kt_buf *out;
	struct namer *namer;
	int depth;
};

static void value(struct printer *p, const struct kt_ir_value *v);

/* How often the hint was used before. */
static unsigned used_before(struct namer *namer, const char *text)
{
	struct hint *more;

	for (size_t i = 0; i < namer->hint_count; i++)
		if (strcmp(namer->hints[i].text, text) == 0)
			return namer->hints[i].used++;
	if (namer->hint_count == namer->hint_room) {
		more = realloc(namer->hints, (namer->hint_room * 2 + 16) * sizeof *more);
		if (more == NULL) {
			namer->failed = true;
			return 0;
		}
		namer->hints = more;
		namer->hint_room = namer->hint_room * 2 + 16;
	}
	namer->hints[namer->hint_count++] = (struct hint){text, 1};
	return 0;
}

static void make_name(struct namer *namer, const struct kt_ir_symbol *symbol)
{
	struct kt_buf name = KT_BUF(KT_LIMIT_LINE_BYTES);
	unsigned before;

	if (symbol->hint[0] == '\0') {
		kt_buf_addf(&name, "%u", namer->numbers++);
	} else {
		before = used_before(namer, symbol->hint);
		kt_buf_adds(&name, symbol->hint);
		if (before > 0)
			kt_buf_addf(&name, ".%u", before);
	}
	namer->failed |= name.failed;
	namer->names[symbol->id] = name.data;
}

static void symbol_name(struct printer *p, const struct kt_ir_symbol *symbol)
{
	if (symbol == NULL) {
		kt_buf_adds(p->out, "%?");
		return;
	}
	kt_buf_addc(p->out, '%');
	if (p->namer == NULL || symbol->id >= p->namer->count) {
		kt_buf_adds(p->out, symbol->hint);
		return;
	}
	if (p->namer->names[symbol->id] == NULL)
		make_name(p->namer, symbol);
	if (p->namer->names[symbol->id] != NULL)
		kt_buf_adds(p->out, p->namer->names[symbol->id]);
}

void kt_ir_print_type(struct kt_buf *out, const struct kt_ir_type *type)
{
	switch (type->kind) {
	case KT_IR_VOID:
		kt_buf_adds(out, "void");
		return;
	case KT_IR_BOOL:
		kt_buf_adds(out, "bool");
		return;
	case KT_IR_INTEGER:
		kt_buf_addf(out, "%c%u", type->is_signed ? 'i' : 'u', type->bits);
		return;
	case KT_IR_FLOAT:
		kt_buf_adds(out, kt_ir_format_texts[type->format]);
		return;
	case KT_IR_VECTOR:
		kt_buf_adds(out, "vec<");
		kt_ir_print_type(out, type->element);
		kt_buf_addf(out, ", %" PRId64 ", %u>", type->count, type->align);
		return;
	case KT_IR_ARRAY:
		kt_buf_addc(out, '[');
		kt_ir_print_type(out, type->element);
		if (type->count < 0)
			kt_buf_adds(out, " x ?]");
		else
			kt_buf_addf(out, " x %" PRId64 "]", type->count);
		return;
	case KT_IR_STRUCT:
		kt_buf_addf(out, "struct @%s", type->name);
		return;
	case KT_IR_POINTER:
		kt_buf_addf(out, "ptr<%s, %s%s", kt_ir_space_texts[type->space], type->is_const ? "const " : "",
			    type->is_volatile ? "volatile " : "");
		kt_ir_print_type(out, type->element);
		kt_buf_addc(out, '>');
		return;
	case KT_IR_OPAQUE:
		kt_buf_addf(out, "opaque<%" PRIu64 ", %u>", type->size, type->align);
		return;
	}
}

static void wide(struct kt_buf *out, kt_ir_wide number)
{
	char digits[48];
	size_t at = sizeof digits - 1;
	const bool is_negative = number < 0;
	kt_ir_uwide rest = is_negative ? -(kt_ir_uwide)number : (kt_ir_uwide)number;

	digits[at] = '\0';
	do
		digits[--at] = (char)('0' + (int)(rest % 10));
	while ((rest /= 10) != 0);
	if (is_negative)
		digits[--at] = '-';
	kt_buf_adds(out, digits + at);
}

static void constant(struct printer *p, const struct kt_ir_value *v)
{
	if (v->type->kind == KT_IR_BOOL) {
		kt_buf_adds(p->out, v->bits[0] != 0 ? "true" : "false");
		return;
	}
	if (v->type->kind == KT_IR_INTEGER)
		wide(p->out, kt_ir_wide_of(v->type, v->bits));
	else if (v->type->kind == KT_IR_FLOAT && isfinite(kt_ir_real_of(v)))
		kt_buf_addf(p->out, "%a", kt_ir_real_of(v));
	else
		kt_buf_addf(p->out, "bits(0x%" PRIx64 ")", v->bits[0]);
	kt_buf_addc(p->out, ':');
	kt_ir_print_type(p->out, v->type);
}

static void values(struct printer *p, const struct kt_ir_value *const *list, size_t count)
{
	kt_buf_addc(p->out, '(');
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			kt_buf_adds(p->out, ", ");
		value(p, list[i]);
	}
	kt_buf_addc(p->out, ')');
}

static void step_text(struct printer *p, const struct kt_ir_type *before, const struct kt_ir_step *step)
{
	switch (step->kind) {
	case KT_IR_INDEX:
		kt_buf_addc(p->out, '[');
		value(p, step->index);
		kt_buf_addc(p->out, ']');
		return;
	case KT_IR_FIELD:
		kt_buf_addf(p->out, ".%s", before->fields[step->number].name);
		return;
	case KT_IR_LANE_OF:
		kt_buf_addf(p->out, ".%u", step->number);
		return;
	case KT_IR_SEEN_AS:
		kt_buf_adds(p->out, ".as(");
		kt_ir_print_type(p->out, step->type);
		if (step->align != 0)
			kt_buf_addf(p->out, ", align %u", step->align);
		kt_buf_addc(p->out, ')');
		return;
	}
}

static void place(struct printer *p, const struct kt_ir_place *at)
{
	const struct kt_ir_type *type;

	if (at->symbol != NULL) {
		symbol_name(p, at->symbol);
		type = at->symbol->type;
	} else {
		kt_buf_addc(p->out, '*');
		if (at->pointer->op == KT_IR_READ) {
			value(p, at->pointer);
		} else {
			kt_buf_addc(p->out, '(');
			value(p, at->pointer);
			kt_buf_addc(p->out, ')');
		}
		type = at->pointer->type->element;
	}
	for (size_t i = 0; i < at->count; i++) {
		step_text(p, type, &at->steps[i]);
		type = at->steps[i].type;
	}
}

static void typed(struct printer *p, const struct kt_ir_type *type)
{
	kt_buf_addc(p->out, ':');
	kt_ir_print_type(p->out, type);
}

static void value(struct printer *p, const struct kt_ir_value *v)
{
	switch (v->op) {
	case KT_IR_CONSTANT:
		constant(p, v);
		return;
	case KT_IR_AXIS:
		kt_buf_adds(p->out, kt_ir_axis_texts[v->axis]);
		if (v->axis < KT_IR_LANE)
			kt_buf_addf(p->out, ".%c", "xyz"[v->dimension]);
		return;
	case KT_IR_PARAMETER:
		kt_buf_addf(p->out, "param(%s)", v->name);
		typed(p, v->type);
		return;
	case KT_IR_READ:
		symbol_name(p, v->symbol);
		return;
	case KT_IR_ADDRESS:
		kt_buf_adds(p->out, "addr(");
		place(p, v->place);
		kt_buf_addc(p->out, ')');
		return;
	case KT_IR_EXTRACT:
		kt_buf_adds(p->out, "extract(");
		value(p, v->arguments[0]);
		kt_buf_addf(p->out, ", %" PRIu64 ")", v->bits[0]);
		return;
	case KT_IR_INTRINSIC:
		kt_buf_addf(p->out, "@%s", v->name);
		break;
	default:
		kt_buf_adds(p->out, kt_ir_ops[v->op].text);
		break;
	}
	if (v->op == KT_IR_CONVERT && v->mode != KT_IR_AS_VALUE)
		kt_buf_addf(p->out, ".%s", kt_ir_mode_texts[v->mode]);
	if (v->no_wrap)
		kt_buf_adds(p->out, ".nw");
	values(p, v->arguments, v->count);
	if (v->op == KT_IR_CONVERT || v->op == KT_IR_CONSTRUCT || v->op == KT_IR_INTRINSIC)
		typed(p, v->type);
}

static void hint(struct printer *p, const struct kt_ir_hint *how)
{
	if (how->cache != KT_IR_CACHE_NONE)
		kt_buf_addf(p->out, " cache(%s)", kt_ir_cache_texts[how->cache]);
	if (how->is_volatile)
		kt_buf_adds(p->out, " volatile");
	if (how->align != 0)
		kt_buf_addf(p->out, " align(%u)", how->align);
}

static void effects(struct printer *p, unsigned set)
{
	const char *before = " effects(";

	if (set == 0)
		return;
	if (set == KT_IR_ALL_EFFECTS) {
		kt_buf_adds(p->out, " effects(all)");
		return;
	}
	for (int i = 0; i < KT_IR_EFFECT_BITS; i++)
		if ((set >> i & 1) != 0) {
			kt_buf_addf(p->out, "%s%s", before, kt_ir_effect_texts[i]);
			before = ", ";
		}
	kt_buf_addc(p->out, ')');
}

/* What follows a symbol's name where it is declared. */
static void declared(struct printer *p, const struct kt_ir_symbol *symbol)
{
	const bool says_memory = symbol->kind == KT_IR_LOCAL_SYMBOL && symbol->is_memory &&
				 symbol->type->kind != KT_IR_ARRAY;

	symbol_name(p, symbol);
	kt_buf_adds(p->out, ": ");
	kt_ir_print_type(p->out, symbol->type);
	kt_buf_adds(p->out, says_memory ? " memory" : "");
	kt_buf_adds(p->out, symbol->is_restrict ? " restrict" : "");
	kt_buf_adds(p->out, symbol->is_volatile ? " volatile" : "");
	kt_buf_adds(p->out, symbol->is_extern ? " extern" : "");
	kt_buf_adds(p->out, symbol->is_grid_constant ? " grid_constant" : "");
	if (symbol->align != 0)
		kt_buf_addf(p->out, " align(%u)", symbol->align);
}

static void region(struct printer *p, const struct kt_ir_region *r);

static void indent(struct printer *p)
{
	for (int i = 0; i < p->depth; i++)
		kt_buf_adds(p->out, "  ");
}

static void block(struct printer *p, const struct kt_ir_region *r)
{
	kt_buf_adds(p->out, " {\n");
	p->depth++;
	region(p, r);
	p->depth--;
	indent(p);
	kt_buf_addc(p->out, '}');
}

static void line(struct printer *p, const struct kt_ir_statement *s)
{
	if (s->line != 0)
		kt_buf_addf(p->out, " !%u", s->line);
}

static void unroll(struct printer *p, const struct kt_ir_statement *s)
{
	if (s->at_most_once)
		kt_buf_adds(p->out, " once");
	if (s->unroll != 0)
		kt_buf_addf(p->out, " unroll(%d)", s->unroll);
}

/* Statements that hold others; their line number is in front of the brace. */
static void nested(struct printer *p, const struct kt_ir_statement *s)
{
	kt_buf_adds(p->out, kt_ir_statement_texts[s->kind]);
	if (s->kind == KT_IR_S_FOR) {
		kt_buf_addc(p->out, ' ');
		symbol_name(p, s->symbol);
		kt_buf_adds(p->out, " =");
	}
	if (s->value != NULL) {
		kt_buf_addc(p->out, ' ');
		value(p, s->value);
	}
	for (int i = 0; s->kind == KT_IR_S_FOR && i < 2; i++) {
		kt_buf_adds(p->out, ", ");
		value(p, s->further[i]);
	}
	unroll(p, s);
	line(p, s);
	if (s->kind != KT_IR_S_SWITCH) {
		block(p, &s->body);
		if (s->otherwise.first != NULL) {
			kt_buf_adds(p->out, s->kind == KT_IR_S_IF ? " else" : " next");
			block(p, &s->otherwise);
		}
		return;
	}
	kt_buf_adds(p->out, " {\n");
	for (size_t i = 0; i < s->case_count; i++) {
		indent(p);
		kt_buf_adds(p->out, s->cases[i].count == 0 ? "default" : "case");
		for (size_t j = 0; j < s->cases[i].count + s->cases[i].beside; j++)
			kt_buf_addf(p->out, "%s%" PRId64, j > 0 ? ", " : " ", s->cases[i].values[j]);
		block(p, &s->cases[i].body);
		kt_buf_addc(p->out, '\n');
	}
	indent(p);
	kt_buf_addc(p->out, '}');
}

static void operands(struct printer *p, const struct kt_ir_statement *s)
{
	const struct kt_ir_value *list[4] = {s->value};
	size_t count = s->value != NULL ? 1 : 0;

	for (int i = 0; i < 3; i++)
		if (s->further[i] != NULL)
			list[count++] = s->further[i];
	values(p, list, count);
}

/* The right side of a let that is more than a value, or such a statement alone. */
static void action(struct printer *p, const struct kt_ir_statement *s)
{
	switch (s->kind) {
	case KT_IR_S_LOAD:
		kt_buf_adds(p->out, "load ");
		place(p, s->place);
		hint(p, &s->hint);
		return;
	case KT_IR_S_ATOMIC:
		kt_buf_addf(p->out, "atomic.%s ", kt_ir_atomic_texts[s->number]);
		place(p, s->place);
		kt_buf_addc(p->out, ' ');
		operands(p, s);
		kt_buf_addf(p->out, " %s %s", kt_ir_order_texts[s->order], kt_ir_scope_texts[s->scope]);
		return;
	case KT_IR_S_COLLECTIVE:
		kt_buf_addf(p->out, "collective.%s", kt_ir_collective_texts[s->number]);
		operands(p, s);
		return;
	case KT_IR_S_CALL:
		kt_buf_addf(p->out, "call @%s", s->callee->name);
		values(p, s->arguments, s->argument_count);
		return;
	case KT_IR_S_OPAQUE:
		kt_buf_adds(p->out, "opaque ");
		kt_buf_addjson(p->out, s->text);
		values(p, s->arguments, s->argument_count);
		effects(p, s->effects);
		if (s->symbol != NULL)
			typed(p, s->symbol->type);
		return;
	default:
		value(p, s->value);
		return;
	}
}

static void simple(struct printer *p, const struct kt_ir_statement *s)
{
	switch (s->kind) {
	case KT_IR_S_DECLARE:
		kt_buf_adds(p->out, s->symbol->kind == KT_IR_SHARED_SYMBOL ? "shared " : "local ");
		declared(p, s->symbol);
		break;
	case KT_IR_S_SET:
		kt_buf_adds(p->out, "set ");
		symbol_name(p, s->symbol);
		kt_buf_adds(p->out, " = ");
		value(p, s->value);
		break;
	case KT_IR_S_STORE:
		kt_buf_adds(p->out, "store ");
		place(p, s->place);
		kt_buf_adds(p->out, " = ");
		value(p, s->value);
		hint(p, &s->hint);
		break;
	case KT_IR_S_BARRIER:
	case KT_IR_S_FENCE:
		kt_buf_addf(p->out, "%s %s", kt_ir_statement_texts[s->kind], kt_ir_scope_texts[s->scope]);
		if (s->value != NULL)
			operands(p, s);
		break;
	case KT_IR_S_BREAK:
	case KT_IR_S_CONTINUE:
		kt_buf_adds(p->out, kt_ir_statement_texts[s->kind]);
		if (s->number > 0)
			kt_buf_addf(p->out, " %u", s->number);
		break;
	case KT_IR_S_RETURN:
		kt_buf_adds(p->out, "return");
		if (s->value != NULL) {
			kt_buf_addc(p->out, ' ');
			value(p, s->value);
		}
		break;
	default:
		if (s->symbol != NULL) {
			kt_buf_adds(p->out, "let ");
			symbol_name(p, s->symbol);
			kt_buf_adds(p->out, " = ");
		}
		action(p, s);
		break;
	}
	line(p, s);
}

static void region(struct printer *p, const struct kt_ir_region *r)
{
	for (const struct kt_ir_statement *s = r->first; s != NULL; s = s->next) {
		indent(p);
		if (s->kind == KT_IR_S_IF || s->kind == KT_IR_S_FOR || s->kind == KT_IR_S_LOOP || s->kind == KT_IR_S_SWITCH)
			nested(p, s);
		else
			simple(p, s);
		kt_buf_addc(p->out, '\n');
	}
}

/* Names are unique in a function, and among the module's globals. */
static void start_names(struct namer *namer, const struct kt_ir_module *module)
{
	namer->hint_count = 0;
	namer->numbers = 0;
	for (size_t i = 0; i < module->global_count; i++)
		used_before(namer, module->globals[i]->hint);
}

static void function(struct printer *p, const struct kt_ir_function *f)
{
	kt_buf_addf(p->out, "%s @%s(", f->is_kernel ? "kernel" : f->has_body ? "device" : "extern", f->name);
	for (size_t i = 0; i < f->argument_count; i++) {
		kt_buf_adds(p->out, i > 0 ? ", " : "");
		declared(p, f->arguments[i]);
	}
	kt_buf_addc(p->out, ')');
	if (f->result->kind != KT_IR_VOID) {
		kt_buf_adds(p->out, ": ");
		kt_ir_print_type(p->out, f->result);
	}
	kt_buf_adds(p->out, f->is_inline ? " inline" : "");
	if (f->max_threads != 0)
		kt_buf_addf(p->out, " bounds(%u, %u)", f->max_threads, f->min_blocks);
	if (f->max_registers != 0)
		kt_buf_addf(p->out, " registers(%u)", f->max_registers);
	if (f->cluster[0] != 0)
		kt_buf_addf(p->out, " cluster(%u, %u, %u)", f->cluster[0], f->cluster[1], f->cluster[2]);
	for (size_t i = 0; i < f->assumption_count; i++) {
		kt_buf_adds(p->out, i == 0 ? " assumes(" : ", ");
		value(p, f->assumptions[i]);
	}
	kt_buf_adds(p->out, f->assumption_count > 0 ? ")" : "");
	effects(p, f->effects);
	if (f->line != 0)
		kt_buf_addf(p->out, " !%u", f->line);
	if (f->has_body)
		block(p, &f->body);
	kt_buf_addc(p->out, '\n');
}

static void structure(struct printer *p, const struct kt_ir_type *type)
{
	kt_buf_addf(p->out, "struct @%s size %" PRIu64 " align %u {", type->name, type->size, type->align);
	for (size_t i = 0; i < type->field_count; i++) {
		kt_buf_addf(p->out, "%s%s: ", i > 0 ? ", " : " ", type->fields[i].name);
		kt_ir_print_type(p->out, type->fields[i].type);
		kt_buf_addf(p->out, " at %" PRIu64, type->fields[i].offset);
	}
	kt_buf_adds(p->out, " }\n");
}

/* Structures in the order of their making, which is that of dependence: the list has them backwards. */
static void structures(struct printer *p, const struct kt_ir_type *type)
{
	if (type == NULL)
		return;
	structures(p, type->next);
	if (type->kind == KT_IR_STRUCT)
		structure(p, type);
}

static void flags(struct kt_buf *out, const struct kt_ir_flags *f)
{
	kt_buf_adds(out, f->contract ? " contract" : "");
	kt_buf_adds(out, f->ftz ? " ftz" : "");
	kt_buf_adds(out, f->fast_division ? " fast_division" : "");
	kt_buf_adds(out, f->fast_square_root ? " fast_square_root" : "");
}

void kt_ir_print(struct kt_buf *out, const struct kt_ir_module *module)
{
	struct namer namer = {.count = module->next_id, .names = calloc(module->next_id + 1, sizeof(char *))};
	struct printer p = {.out = out, .namer = &namer};

	if (namer.names == NULL) {
		out->failed = true;
		return;
	}
	kt_buf_adds(out, "module");
	flags(out, &module->flags);
	kt_buf_addc(out, '\n');
	structures(&p, module->types);
	for (size_t i = 0; i < module->global_count; i++) {
		kt_buf_adds(out, module->globals[i]->kind == KT_IR_CONSTANT_SYMBOL ? "constant " : "global ");
		declared(&p, module->globals[i]);
		kt_buf_addc(out, '\n');
	}
	for (const struct kt_ir_function *f = module->functions; f != NULL; f = f->next) {
		start_names(&namer, module);
		function(&p, f);
	}
	out->failed |= namer.failed;
	for (uint32_t i = 0; i < namer.count; i++)
		free(namer.names[i]);
	free(namer.names);
	free(namer.hints);
}
