/* Calls of functions without a body that can be read: by name, or as text where they print. */
#include "lower_internal.h"

/* `%s` reads what it is given. */
static bool has_pointer(const struct kt_ir_value *const *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (values[i]->type->kind == KT_IR_POINTER)
			return true;
	return false;
}

/* A call with texts for arguments is kept as text: values have none. */
static const struct kt_ir_value *printing(struct kt_lower *l, CXCursor call, CXCursor function, unsigned effects)
{
	const struct kt_lower_children arguments = kt_lower_arguments(l, call);
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_ir_statement *s = NULL;
	const struct kt_ir_value **values = kt_arena_array(l->module->arena, arguments.count + 1, sizeof *values);
	size_t count = 0;

	NEED(values, kt_lower_cannot(l, "out of memory"));
	kt_buf_addf(&text, "%s(", kt_lower_spelling(l, function));
	if (kt_lower_printed_arguments(l, &text, &arguments, values, &count) && l->why == NULL && !l->module->failed)
		s = kt_ir_append(l->module, l->body->region, KT_IR_S_OPAQUE);
	kt_buf_adds(&text, ");");
	if (s != NULL) {
		s->text = kt_arena_strdup(l->module->arena, kt_buf_text(&text));
		s->effects = effects | (has_pointer(values, count) ? KT_IR_READS_MEMORY : 0);
		s->arguments = values;
		s->argument_count = count;
	}
	kt_buf_free(&text);
	return s == NULL || s->text == NULL ? NULL : kt_lower_done(l);
}

const struct kt_ir_value *kt_lower_call_extern(struct kt_lower *l, CXCursor call, CXCursor function, bool has_value)
{
	const struct kt_lower_children arguments = kt_lower_arguments(l, call);
	struct kt_ir_function *f;
	const struct kt_ir_value **values;

	if (kt_lower_only_prints(l, function))
		return has_value && kt_lower_canonical(call).kind != CXType_Void
			   ? kt_lower_cannot(l, "what printing returns")
			   : printing(l, call, function, KT_IR_PRINTS);
	if (kt_lower_only_traps(l, function))
		return printing(l, call, function, KT_IR_TRAPS);
	if (kt_clang.getCursorKind(function) != CXCursor_FunctionDecl ||
	    kt_clang.isFunctionTypeVariadic(kt_lower_canonical(function)) != 0)
		return kt_lower_cannot(l, "a call of '%s'", kt_lower_spelling(l, function));
	f = kt_lower_extern(l, function, kt_lower_only_orders(l, function) ? KT_IR_ORDERS_LAUNCHES : KT_IR_ALL_EFFECTS);
	values = f == NULL ? NULL : kt_arena_array(l->module->arena, f->argument_count + 1, sizeof *values);
	return values != NULL && kt_lower_pass(l, call, f, 0, &arguments, values)
		   ? kt_lower_call_of(l, f, values, has_value)
		   : NULL;
}
