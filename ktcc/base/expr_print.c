/* Expressions: as C++ for the dispatcher, and in their canonical spelling. */
#include <string.h>

#include "base/expr_tree.h"

struct printing {
	struct kt_buf *out;
	kt_expr_rename rename;
	void *context;
	struct kt_error *err;
	const char *fault; /* the helpers' first argument */
	bool c99;          /* otherwise C++ */
};

static kt_status print(const struct kt_expr *expr, const struct printing *p);

static kt_status print_name(const struct kt_expr *expr, const struct printing *p)
{
	const bool pointer = expr->op == KT_OP_POINTER;
	const char *text = p->rename(expr->name, pointer, p->context);
	if (text == NULL)
		return kt_fail_at(p->err, KT_ERR_MISSING, expr->offset, "unknown name '%.80s'", expr->name);
	kt_buf_adds(p->out, pointer ? "(" : p->c99 ? "((long long)(" : "static_cast<long long>(");
	kt_buf_addf(p->out, !pointer && p->c99 ? "%s))" : "%s)", text);
	return KT_OK;
}

/* min and max of many nest to the left, so that the helper needs two operands only. */
static kt_status print_call(const struct kt_expr *expr, const struct printing *p)
{
	const char *helper = kt_op_row(expr->op)->helper; /* "::ktune::NAME_" */
	const char *name = strrchr(helper, ':') + 1;
	const bool folds = expr->op == KT_OP_MIN || expr->op == KT_OP_MAX;
	const unsigned nested = folds ? expr->count - 1 : 1;
	kt_status status = KT_OK;
	for (unsigned i = 0; i < nested; i++)
		if (p->c99)
			kt_buf_addf(p->out, "ktunex_%.*s(%s, ", (int)strlen(name) - 1, name, p->fault);
		else
			kt_buf_addf(p->out, "%s(%s, ", helper, p->fault);
	for (unsigned i = 0; status == KT_OK && i < expr->count; i++) {
		if (i > 0)
			kt_buf_adds(p->out, ", ");
		status = print(expr->operands[i], p);
		if (folds && i > 0)
			kt_buf_addc(p->out, ')');
	}
	if (!folds)
		kt_buf_addc(p->out, ')');
	return status;
}

static kt_status print_operator(const struct kt_expr *expr, const struct printing *p)
{
	static const char *const between_choice[] = {" ? ", " : "};
	const struct kt_op_row *row = kt_op_row(expr->op);
	kt_status status = KT_OK;
	kt_buf_addc(p->out, '(');
	if (row->form == KT_FORM_UNARY)
		kt_buf_adds(p->out, row->spelling);
	for (unsigned i = 0; status == KT_OK && i < expr->count; i++) {
		if (i > 0 && row->form == KT_FORM_TERNARY)
			kt_buf_adds(p->out, between_choice[i - 1]);
		else if (i > 0)
			kt_buf_addf(p->out, " %s ", row->spelling);
		status = print(expr->operands[i], p);
	}
	kt_buf_addc(p->out, ')');
	return status;
}

static kt_status print(const struct kt_expr *expr, const struct printing *p)
{
	if (expr->op == KT_OP_NUMBER) {
		/* The parser makes no such node, constant folding does. The least integer has no literal. */
		if (expr->number == INT64_MIN)
			kt_buf_adds(p->out, "(-9223372036854775807LL - 1)");
		else
			kt_buf_addf(p->out, expr->number < 0 ? "(%lldLL)" : "%lldLL", (long long)expr->number);
		return KT_OK;
	}
	if (expr->name != NULL)
		return print_name(expr, p);
	return kt_op_row(expr->op)->helper != NULL ? print_call(expr, p) : print_operator(expr, p);
}

static kt_status print_whole(struct kt_buf *out, const struct kt_expr *expr, const struct printing *p)
{
	const size_t size = out->size;
	const kt_status status = print(expr, p);
	if (status != KT_OK && out->data != NULL) {
		out->size = size;
		out->data[size] = '\0';
	}
	return status;
}

kt_status kt_expr_print(struct kt_buf *out, const struct kt_expr *expr, const char *fault, kt_expr_rename rename,
                        void *context, struct kt_error *err)
{
	const struct printing p = {out, rename, context, err, fault, false};
	return print_whole(out, expr, &p);
}

kt_status kt_expr_print_c99(struct kt_buf *out, const struct kt_expr *expr, const char *fault, kt_expr_rename rename,
                            void *context, struct kt_error *err)
{
	const struct printing p = {out, rename, context, err, fault, true};
	return print_whole(out, expr, &p);
}

static void canonical(struct kt_buf *out, const struct kt_expr *expr, int precedence)
{
	const struct kt_op_row *row = kt_op_row(expr->op);
	const bool grouped = row->precedence < precedence;
	if (grouped)
		kt_buf_addc(out, '(');
	switch (row->form) {
	case KT_FORM_LEAF:
		if (expr->name != NULL)
			kt_buf_addf(out, kt_expr_is_word(expr->name, strlen(expr->name)) ? "arg(%s)" : "%s", expr->name);
		else
			kt_buf_addf(out, "%lld", (long long)expr->number);
		break;
	case KT_FORM_UNARY:
		kt_buf_adds(out, row->spelling);
		/* "--" is another operator to everyone but this language's parser. */
		if (expr->op == KT_OP_NEGATE && expr->operands[0]->op == KT_OP_NEGATE)
			kt_buf_addc(out, ' ');
		canonical(out, expr->operands[0], row->precedence);
		break;
	case KT_FORM_BINARY:
		canonical(out, expr->operands[0], row->precedence);
		kt_buf_addf(out, " %s ", row->spelling);
		canonical(out, expr->operands[1], row->precedence + 1);
		break;
	case KT_FORM_TERNARY:
		canonical(out, expr->operands[0], row->precedence + 1);
		kt_buf_adds(out, " ? ");
		canonical(out, expr->operands[1], row->precedence);
		kt_buf_adds(out, " : ");
		canonical(out, expr->operands[2], row->precedence);
		break;
	case KT_FORM_CALL:
		kt_buf_addf(out, "%s(", row->spelling);
		for (unsigned i = 0; i < expr->count; i++) {
			if (i > 0)
				kt_buf_adds(out, ", ");
			canonical(out, expr->operands[i], KT_PRECEDENCE_CHOOSE);
		}
		kt_buf_addc(out, ')');
		break;
	}
	if (grouped)
		kt_buf_addc(out, ')');
}

void kt_expr_canonical(struct kt_buf *out, const struct kt_expr *expr)
{
	canonical(out, expr, KT_PRECEDENCE_CHOOSE);
}
