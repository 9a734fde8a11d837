/* Loops, switches and jumps of the CUDA printer. */
#include <inttypes.h>

#include "generation/ir/cuda_print.h"

/* ---- What a loop looks like ---- */

/* The statement that is printed first in the region. */
static const struct kt_ir_statement *first_printed(const struct kt_ir_cuda *p, const struct kt_ir_region *r)
{
	const struct kt_ir_statement *s = r->first;

	while (s != NULL && kt_ir_cuda_is_folded(p, s))
		s = s->next;
	return s;
}

/* Is it `if c { break }`, the loop's own? */
static bool is_exit(const struct kt_ir_statement *s)
{
	const struct kt_ir_statement *only = s != NULL && s->kind == KT_IR_S_IF ? s->body.first : NULL;

	return only != NULL && only->kind == KT_IR_S_BREAK && only->number == 0 && only->next == NULL &&
	       s->otherwise.first == NULL;
}

/* The `if c { break }` that begins the region, or is all of it. */
static const struct kt_ir_statement *exit_of(const struct kt_ir_cuda *p, const struct kt_ir_region *r, bool is_all)
{
	const struct kt_ir_statement *s = first_printed(p, r);

	return is_exit(s) && (!is_all || s->next == NULL) ? s : NULL;
}

/* Are these expressions, as the third part of a for takes them? */
static bool are_steps(const struct kt_ir_cuda *p, const struct kt_ir_region *r)
{
	for (const struct kt_ir_statement *s = r->first; s != NULL; s = s->next)
		if (s->kind != KT_IR_S_SET && !kt_ir_cuda_is_folded(p, s))
			return false;
	return true;
}

/* A continue in this loop needs a label: what follows the iteration is neither a step nor a condition. */
static bool is_labelled(const struct kt_ir_cuda *p, const struct kt_ir_statement *loop)
{
	return loop->kind == KT_IR_S_LOOP && !are_steps(p, &loop->otherwise) &&
	       exit_of(p, &loop->otherwise, true) == NULL;
}

/* ---- Jumps ---- */

/* The name of the label that a jump out of, or on in, this loop needs. */
static const char *label(struct kt_ir_cuda *p, const struct kt_ir_statement *loop, bool is_break, bool adds)
{
	struct kt_ir_label *slot;

	for (size_t i = 0; i < p->label_count; i++)
		if (p->labels[i].loop == loop && p->labels[i].is_break == is_break)
			return kt_arena_printf(p->arena, "jump_%zu", i);
	if (!adds)
		return NULL;
	slot = kt_arena_push(p->arena, &p->labels, &p->label_count, sizeof *slot);
	if (slot == NULL) {
		kt_ir_cuda_fail(p, "out of memory");
		return NULL;
	}
	*slot = (struct kt_ir_label){loop, is_break};
	return kt_arena_printf(p->arena, "jump_%zu", p->label_count - 1);
}

void kt_ir_cuda_jump(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	const bool is_break = s->kind == KT_IR_S_BREAK;
	unsigned loops = 0;
	bool is_near = true;
	size_t at = p->around_count;
	const char *name;

	/* A switch is left by C's break: from inside of one, a break of the loop around it is a jump. */
	while (at > 0) {
		const struct kt_ir_statement *around = p->around[--at];

		if (around->kind == KT_IR_S_SWITCH) {
			is_near &= !is_break;
			continue;
		}
		if (loops++ == s->number)
			break;
		is_near = false;
	}
	if (is_near && (is_break || !is_labelled(p, p->around[at]))) {
		kt_buf_adds(p->out, is_break ? "break;" : "continue;");
		return;
	}
	name = label(p, p->around[at], is_break, true);
	kt_buf_addf(p->out, "goto %s;", name == NULL ? "" : name);
}

/* Puts the label here that jumps inside of this loop have asked for. */
static void put_label(struct kt_ir_cuda *p, const struct kt_ir_statement *loop, bool is_break)
{
	const char *name = label(p, loop, is_break, false);

	if (name == NULL)
		return;
	kt_ir_cuda_start(p);
	kt_buf_addf(p->out, "%s:;", name);
}

static bool enter(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	if (p->around_count == KT_IR_MOST_AROUND) {
		kt_ir_cuda_fail(p, "nested too deep");
		return false;
	}
	p->around[p->around_count++] = s;
	return true;
}

/* Is there a continue of this loop from inside of others, which are `depth` loops deep? */
static bool has_far_continue(const struct kt_ir_region *r, unsigned depth)
{
	for (const struct kt_ir_statement *s = r->first; s != NULL; s = s->next) {
		const unsigned inside = depth + (s->kind == KT_IR_S_FOR || s->kind == KT_IR_S_LOOP);

		if (s->kind == KT_IR_S_CONTINUE && s->number == depth && depth > 0)
			return true;
		if (has_far_continue(&s->body, inside) || has_far_continue(&s->otherwise, inside))
			return true;
		for (size_t i = 0; i < s->case_count; i++)
			if (has_far_continue(&s->cases[i].body, inside))
				return true;
	}
	return false;
}

/* The statements of an iteration after `skipped`, in braces where a label follows them. */
static void iteration(struct kt_ir_cuda *p, const struct kt_ir_statement *s, const struct kt_ir_statement *skipped)
{
	const struct kt_ir_region r = {skipped != NULL ? skipped->next : s->body.first, s->body.last};
	const bool has_label = is_labelled(p, s) || has_far_continue(&s->body, 0);

	if (has_label) {
		kt_ir_cuda_start(p);
		kt_ir_cuda_block(p, &r);
		put_label(p, s, false);
	} else {
		kt_ir_cuda_region(p, &r);
	}
}

static void loop_body(struct kt_ir_cuda *p, const struct kt_ir_statement *s, const struct kt_ir_statement *skipped)
{
	if (!enter(p, s))
		return;
	kt_buf_addc(p->out, '{');
	p->depth++;
	iteration(p, s, skipped);
	if (is_labelled(p, s))
		kt_ir_cuda_region(p, &s->otherwise);
	p->depth--;
	kt_ir_cuda_start(p);
	kt_buf_addc(p->out, '}');
	p->around_count--;
}

/* ---- Loops ---- */

static void unroll(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	if (s->unroll == 0)
		return;
	if (s->unroll < 0)
		kt_buf_adds(p->out, "#pragma unroll");
	else
		kt_buf_addf(p->out, "#pragma unroll %d", s->unroll);
	kt_ir_cuda_start(p);
}

/* A bound or step that is evaluated once: a name for it, unless nothing can change it. */
static const char *once(struct kt_ir_cuda *p, const struct kt_ir_value *v, const char *wanted)
{
	const char *name;

	if (v->op == KT_IR_CONSTANT || (v->op == KT_IR_READ && !kt_ir_cuda_is_inline(p, v->symbol) &&
					(v->symbol->kind == KT_IR_TEMPORARY || v->symbol->kind == KT_IR_COUNTER)))
		return NULL;
	name = kt_ir_cuda_unique(p, wanted);
	kt_buf_adds(p->out, "const ");
	kt_ir_cuda_declare(p, v->type, name);
	kt_buf_adds(p->out, " = ");
	kt_ir_cuda_value(p, v, KT_IR_BIND_CHOICE);
	kt_buf_addc(p->out, ';');
	kt_ir_cuda_start(p);
	return name;
}

static void named_or_value(struct kt_ir_cuda *p, const char *name, const struct kt_ir_value *v, int least)
{
	if (name != NULL)
		kt_buf_adds(p->out, name);
	else
		kt_ir_cuda_value(p, v, least);
}

void kt_ir_cuda_for(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	const char *high, *step, *counter;
	int64_t constant = 0; /* the step, where it is one */

	high = once(p, s->further[0], "end");
	step = once(p, s->further[1], "step");
	counter = kt_ir_cuda_name(p, s->symbol);
	(void)!kt_ir_is_constant(s->further[1], &constant);
	unroll(p, s);
	kt_buf_adds(p->out, "for (");
	kt_ir_cuda_declare(p, s->symbol->type, counter);
	kt_buf_adds(p->out, " = ");
	kt_ir_cuda_value(p, s->value, KT_IR_BIND_CHOICE);
	kt_buf_addf(p->out, "; %s %c ", counter, constant < 0 ? '>' : '<');
	named_or_value(p, high, s->further[0], KT_IR_BIND_LESS + 1);
	if (step == NULL && constant == 1) {
		kt_buf_addf(p->out, "; %s++) ", counter);
	} else {
		kt_buf_addf(p->out, "; %s += ", counter);
		named_or_value(p, step, s->further[1], KT_IR_BIND_CHOICE);
		kt_buf_adds(p->out, ") ");
	}
	loop_body(p, s, NULL);
	put_label(p, s, true);
}

/* What holds while the loop goes on: the exit's condition, negated. */
static void goes_on(struct kt_ir_cuda *p, const struct kt_ir_statement *leaving)
{
	if (leaving->value->op == KT_IR_NOT) {
		kt_ir_cuda_value(p, leaving->value->arguments[0], 0);
		return;
	}
	kt_buf_addc(p->out, '!');
	kt_ir_cuda_value(p, leaving->value, KT_IR_BIND_UNARY);
}

static void steps(struct kt_ir_cuda *p, const struct kt_ir_region *r)
{
	const char *before = " ";

	for (const struct kt_ir_statement *s = r->first; s != NULL; s = s->next) {
		if (kt_ir_cuda_is_folded(p, s))
			continue;
		kt_buf_adds(p->out, before);
		kt_ir_cuda_assign(p, s);
		before = ", ";
	}
}

/* The condition that begins an iteration and steps that end it go into the head, as people write it. */
void kt_ir_cuda_loop(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	const bool has_steps = !is_labelled(p, s) && are_steps(p, &s->otherwise);
	const struct kt_ir_statement *first = has_steps ? exit_of(p, &s->body, false) : NULL,
				     *last = has_steps ? NULL : exit_of(p, &s->otherwise, true);

	unroll(p, s);
	if (last != NULL) {
		kt_buf_adds(p->out, "do ");
	} else if (first != NULL && s->otherwise.first == NULL) {
		kt_buf_adds(p->out, "while (");
		goes_on(p, first);
		kt_buf_adds(p->out, ") ");
	} else {
		kt_buf_adds(p->out, "for (;");
		if (first != NULL) {
			kt_buf_addc(p->out, ' ');
			goes_on(p, first);
		}
		kt_buf_addc(p->out, ';');
		if (has_steps)
			steps(p, &s->otherwise);
		kt_buf_adds(p->out, ") ");
	}
	loop_body(p, s, first);
	if (last != NULL) {
		kt_buf_adds(p->out, " while (");
		goes_on(p, last);
		kt_buf_adds(p->out, ");");
	}
	put_label(p, s, true);
}

/* ---- Switches ---- */

void kt_ir_cuda_switch(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	if (!enter(p, s))
		return;
	kt_buf_adds(p->out, "switch (");
	kt_ir_cuda_value(p, s->value, 0);
	kt_buf_adds(p->out, ") {");
	for (size_t i = 0; i < s->case_count; i++) {
		kt_ir_cuda_start(p);
		if (s->cases[i].count == 0)
			kt_buf_adds(p->out, "default: ");
		for (size_t j = 0; j < s->cases[i].count + s->cases[i].beside; j++)
			kt_buf_addf(p->out, "case %" PRId64 ": ", s->cases[i].values[j]);
		kt_ir_cuda_block(p, &s->cases[i].body);
		kt_ir_cuda_start(p);
		kt_buf_adds(p->out, "break;");
	}
	kt_ir_cuda_start(p);
	kt_buf_addc(p->out, '}');
	p->around_count--;
}
