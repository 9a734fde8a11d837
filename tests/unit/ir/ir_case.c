#include <stdlib.h>

#include "ir_case.h"

struct kt_ir_module *ir_read(struct kt_arena *arena, const char *text)
{
	struct kt_ir_module *module;
	struct kt_error err = {0};

	if (kt_ir_parse(&module, arena, text, &err) != KT_OK)
		fail_msg("%s\n%s", err.message, text);
	return module;
}

char *ir_text(const struct kt_ir_module *module)
{
	struct kt_buf out = KT_BUF(KT_IR_TEXT_BYTES);

	kt_ir_print(&out, module);
	assert_false(out.failed);
	return out.data;
}
