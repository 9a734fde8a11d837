#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generation/rules/exchange_machine.h"

static const struct kt_exchange_value unknown = {.kind = UNKNOWN};

static struct kt_exchange_value integer(int64_t i)
{
	return (struct kt_exchange_value){.kind = INTEGER, .integer = i};
}

static void execute(struct kt_machine *m, struct kt_tree *node, const bool *active);

static bool is_on(const struct kt_machine *m, const bool *active, size_t thread)
{
	return active[thread] && !m->frame->gone[thread];
}

static void run_call(struct kt_machine *m, struct kt_tree *node, const bool *active)
{
	const struct kt_kernel *callee = node->callee;
	struct kt_exchange_frame *frame = calloc(1, sizeof *frame), *caller = m->frame;
	struct kt_exchange_result *slot = NULL;

	for (size_t i = 0; i < m->result_count; i++)
		if (m->results[i].call == node)
			slot = &m->results[i];
	if (slot == NULL && m->result_count < KT_MACHINE_CELLS) {
		slot = &m->results[m->result_count++];
		*slot = (struct kt_exchange_result){node, kt_machine_values(m)};
	}
	if (frame == NULL || slot == NULL || slot->values == NULL || m->depth == KT_MACHINE_DEPTH) {
		m->failed = true;
		free(frame);
		return;
	}
	for (size_t i = 1; i < node->count; i++) {
		const struct kt_tree_variable *p = i - 1 < callee->variable_count ? callee->variables[i - 1] : NULL;
		struct kt_tree *argument = kt_tree_bare(node->children[i]);

		if (p == NULL || p->argument != (int)(i - 1) || m->alias_count == KT_MACHINE_CELLS) {
			m->failed = true;
			break;
		}
		if (p->is_pointer || p->is_array) {
			if (argument->kind != KT_TREE_REFERENCE || argument->variable == NULL)
				m->failed = true;
			else {
				m->aliases[m->alias_count].name = p;
				m->aliases[m->alias_count++].stands_for = kt_machine_meant(m, argument->variable);
			}
			continue;
		}
		struct kt_exchange_cell *cell = p->escapes ? NULL : kt_machine_cell(m, p, true);

		m->failed = m->failed || cell == NULL;
		for (size_t t = 0; t < m->threads && !m->failed; t++)
			if (is_on(m, active, t))
				cell->values[t] = kt_machine_eval(m, argument, t);
	}
	frame->kernel = callee;
	frame->returned = slot->values;
	for (size_t t = 0; t < m->threads; t++)
		frame->gone[t] = !is_on(m, active, t);
	m->frame = frame;
	m->depth++;
	if (!m->failed)
		execute(m, callee->body, active);
	m->depth--;
	m->frame = caller;
	free(frame);
}

static bool is_own(const struct kt_tree *node)
{
	return !kt_machine_is_shuffle(node) && node->callee != NULL && node->callee->body != NULL;
}

static bool has_no_call(struct kt_tree *node, void *context)
{
	(void)context;
	return node->kind != KT_TREE_CALL || !is_own(node);
}

/* Calls of an expression are executed before it, by all threads at the same time: none may be of some threads only. */
static void run_calls(struct kt_machine *m, struct kt_tree *node, const bool *active)
{
	const bool chooses = node->kind == KT_TREE_CHOOSE || kt_tree_is(node, KT_TREE_BINARY, "&&") ||
	                     kt_tree_is(node, KT_TREE_BINARY, "||");

	for (size_t i = 0; i < node->count; i++) {
		if (node->children[i] == NULL)
			continue;
		if (chooses && i > 0)
			m->failed = m->failed || !kt_tree_walk(node->children[i], has_no_call, NULL);
		else
			run_calls(m, node->children[i], active);
	}
	if (node->kind == KT_TREE_CALL && is_own(node) && !m->failed)
		run_call(m, node, active);
}

/* All threads read before any of them writes; what two write at the same time is unknown. */
static void assign(struct kt_machine *m, struct kt_tree *target, const char *op, struct kt_tree *value,
                   const bool *active)
{
	struct kt_exchange_value *fresh = kt_machine_values(m), **places = calloc(KT_MACHINE_THREADS, sizeof *places);

	target = kt_tree_bare(target);
	if (fresh == NULL || places == NULL)
		m->failed = true;
	for (size_t t = 0; t < m->threads && !m->failed; t++) {
		struct kt_exchange_cell *cell;

		if (!is_on(m, active, t))
			continue;
		fresh[t] = value != NULL ? kt_machine_eval(m, value, t) : integer(1);
		if (op != NULL) {
			const struct kt_exchange_value old = kt_machine_eval(m, target, t);

			fresh[t] = kt_machine_operate(m, op, &old, &fresh[t]);
		}
		if (target->kind == KT_TREE_INDEX) {
			places[t] = kt_machine_element(m, target, t);
		} else if (target->kind == KT_TREE_REFERENCE && target->variable != NULL && target->variable->is_local) {
			cell = kt_machine_cell(m, target->variable, true);
			places[t] = cell != NULL ? &cell->values[target->variable->is_shared ? 0 : t] : NULL;
			if (fresh[t].kind == PART && target->variable->scalar != m->scalar)
				fresh[t] = unknown;
		} else if (target->kind == KT_TREE_REFERENCE && target->variable != NULL && target->variable->argument >= 0 &&
		           !target->variable->is_pointer && m->depth > 0) {
			cell = kt_machine_cell(m, target->variable, true);
			places[t] = cell != NULL ? &cell->values[t] : NULL;
		}
		m->failed = m->failed || places[t] == NULL;
	}
	for (size_t t = 0; t < m->threads && !m->failed; t++)
		if (places[t] != NULL)
			*places[t] = fresh[t];
	/* Two that write the same value may. */
	for (size_t t = 0; t < m->threads && !m->failed; t++)
		if (places[t] != NULL && !kt_machine_same(places[t], &fresh[t]))
			*places[t] = unknown;
	free(places);
	free(fresh);
}

/* The threads in which the condition holds. False: it is not known. */
static bool split(struct kt_machine *m, struct kt_tree *condition, const bool *active, bool *yes, bool *no)
{
	run_calls(m, condition, active);
	for (size_t t = 0; t < m->threads; t++) {
		yes[t] = no[t] = false;
		if (!is_on(m, active, t))
			continue;
		const struct kt_exchange_value v = kt_machine_eval(m, condition, t);

		if (v.kind != INTEGER)
			return false;
		yes[t] = v.integer != 0;
		no[t] = v.integer == 0;
	}
	return !m->failed;
}

static bool any(const struct kt_machine *m, const bool *active)
{
	for (size_t t = 0; t < m->threads; t++)
		if (active[t])
			return true;
	return false;
}

static void repeat(struct kt_machine *m, struct kt_tree *condition, struct kt_tree *step, struct kt_tree *body,
                   const bool *active)
{
	bool yes[KT_MACHINE_THREADS], no[KT_MACHINE_THREADS];

	while (!m->failed) {
		if (condition == NULL || m->steps++ > KT_MACHINE_STEPS * (size_t)KT_MACHINE_THREADS ||
		    !split(m, condition, active, yes, no)) {
			m->failed = true;
			return;
		}
		if (!any(m, yes))
			return;
		execute(m, body, yes);
		if (step != NULL)
			execute(m, step, yes);
	}
}

static void declare(struct kt_machine *m, struct kt_tree *node, const bool *active)
{
	for (size_t i = 0; i < node->count; i++) {
		struct kt_tree *child = node->children[i];
		struct kt_exchange_cell *cell;

		if (child->kind != KT_TREE_VARIABLE || child->variable->escapes || child->variable->is_pointer) {
			m->failed = true;
			return;
		}
		if (child->variable->is_shared)
			continue;
		cell = kt_machine_cell(m, child->variable, true);
		if (cell == NULL || child->variable->is_array) {
			m->failed = true;
			return;
		}
		if (child->count == 1) {
			run_calls(m, child->children[0], active);
			assign(m, &(struct kt_tree){.kind = KT_TREE_REFERENCE,
			                            .variable = child->variable}, NULL, child->children[0],
			       active);
		}
	}
}

static const char *const meetings[] = {"__syncthreads", "__syncwarp"};

static void execute_call(struct kt_machine *m, struct kt_tree *node, const bool *active)
{
	for (size_t i = 0; i < sizeof meetings / sizeof meetings[0]; i++)
		if (strcmp(node->known, meetings[i]) == 0)
			return;
	if (is_own(node))
		run_calls(m, node, active);
	else
		m->failed = true;
}

static void execute_assign(struct kt_machine *m, struct kt_tree *node, const bool *active)
{
	char op[4] = "";
	size_t length = node->operator_ != NULL ? strlen(node->operator_) : 0;

	if (length == 0 || length > 3) {
		m->failed = true;
		return;
	}
	memcpy(op, node->operator_, length - 1);
	run_calls(m, node->children[1], active);
	assign(m, node->children[0], op[0] != '\0' ? op : NULL, node->children[1], active);
}

static void execute(struct kt_machine *m, struct kt_tree *node, const bool *active)
{
	bool yes[KT_MACHINE_THREADS], no[KT_MACHINE_THREADS];

	node = kt_tree_bare(node);
	if (m->failed)
		return;
	switch (node->kind) {
	case KT_TREE_BLOCK:
		for (size_t i = 0; i < node->count; i++)
			execute(m, node->children[i], active);
		return;
	case KT_TREE_DECLARE:
		declare(m, node, active);
		return;
	case KT_TREE_ASSIGN:
		execute_assign(m, node, active);
		return;
	case KT_TREE_UNARY:
		if (node->operator_ != NULL && (strstr(node->operator_, "++") != NULL || strstr(node->operator_, "--") != NULL))
			assign(m, node->children[0], strstr(node->operator_, "++") != NULL ? "+" : "-", NULL, active);
		else
			m->failed = true;
		return;
	case KT_TREE_CALL:
		execute_call(m, node, active);
		return;
	case KT_TREE_IF:
		if (!split(m, node->children[0], active, yes, no)) {
			m->failed = true;
			return;
		}
		if (any(m, yes))
			execute(m, node->children[1], yes);
		if (node->count == 3 && any(m, no))
			execute(m, node->children[2], no);
		return;
	case KT_TREE_FOR:
		if (node->children[0] != NULL)
			execute(m, node->children[0], active);
		repeat(m, node->children[1], node->children[2], node->children[3], active);
		return;
	case KT_TREE_WHILE:
		repeat(m, node->children[0], NULL, node->children[1], active);
		return;
	case KT_TREE_RETURN:
		if (node->count == 1)
			run_calls(m, node->children[0], active);
		for (size_t t = 0; t < m->threads && m->frame->returned != NULL; t++)
			if (is_on(m, active, t) && node->count == 1)
				m->frame->returned[t] = kt_machine_eval(m, node->children[0], t);
		for (size_t t = 0; t < m->threads; t++)
			m->frame->gone[t] = m->frame->gone[t] || active[t];
		return;
	case KT_TREE_EMPTY:
		return;
	default:
		m->failed = true;
		return;
	}
}

/* Is it the reduction of all threads' values? */
static bool is_whole(const struct kt_machine *m, const struct kt_exchange_value *v)
{
	size_t found = 0;

	for (size_t i = 0; i < KT_MACHINE_WORDS && v->kind == PART; i++)
		for (uint64_t bits = v->from[i]; bits != 0; bits &= bits - 1)
			found++;
	return found == m->threads;
}

static bool try_argument(struct kt_exchange *out, struct kt_family *family, struct kt_tree *call, size_t argument)
{
	struct kt_machine *m = calloc(1, sizeof *m);
	struct kt_exchange_frame *frame = calloc(1, sizeof *frame);
	struct kt_tree *original = call->children[argument];
	struct kt_tree_variable brought = {.name = "", .argument = -1, .is_local = true};
	struct kt_tree reference = {.kind = KT_TREE_REFERENCE, .variable = &brought};
	bool active[KT_MACHINE_THREADS], found = false;
	struct kt_exchange_cell *cell = NULL;

	if (m == NULL || frame == NULL)
		goto done;
	m->family = family;
	m->threads = (size_t)family->block[0];
	m->scalar = call->callee->variables[argument - 1]->scalar;
	m->frame = frame;
	frame->kernel = family->kernel;
	cell = kt_machine_cell(m, &brought, true);
	for (size_t t = 0; cell != NULL && t < m->threads; t++) {
		active[t] = true;
		cell->values[t].kind = PART;
		cell->values[t].from[t / 64] = (uint64_t)1 << t % 64;
	}
	/* Each thread contributes a separate value. */
	call->children[argument] = &reference;
	if (cell != NULL)
		run_call(m, call, active);
	call->children[argument] = original;
	if (m->failed || m->kind == KT_FOLD_NONE || !is_whole(m, &m->results[0].values[0]))
		goto done;
	*out = (struct kt_exchange){m->kind, argument, call->callee->variables[argument - 1], true,
	                            m->results[0].values[0].bounded && isfinite(m->results[0].values[0].bound),
	                            m->results[0].values[0].bound};
	for (size_t t = 1; t < m->threads; t++)
		out->everywhere = out->everywhere && kt_machine_same(&m->results[0].values[t], &m->results[0].values[0]);
	found = true;
done:
	for (size_t i = 0; m != NULL && i < m->cell_count; i++)
		free(m->cells[i].values);
	for (size_t i = 0; m != NULL && i < m->result_count; i++)
		free(m->results[i].values);
	free(frame);
	free(m);
	return found;
}

bool kt_exchange_read(struct kt_exchange *out, struct kt_family *family, struct kt_tree *call)
{
	const struct kt_kernel *callee = call->callee;

	if (callee == NULL || callee->body == NULL || family->block[0] < 2 || family->block[0] > KT_MACHINE_THREADS ||
	    family->block[0] % KT_MACHINE_WARP != 0 || family->block[1] != 1 || family->block[2] != 1)
		return false;
	for (size_t i = 1; i < call->count && i <= callee->variable_count; i++) {
		const struct kt_tree_variable *p = callee->variables[i - 1];

		if (p->argument == (int)(i - 1) && !p->is_pointer && !p->is_array && !p->escapes &&
		    p->scalar != KT_SCALAR_NONE && p->scalar == call->scalar && try_argument(out, family, call, i))
			return true;
	}
	return false;
}
