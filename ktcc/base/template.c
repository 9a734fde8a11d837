#include "base/template.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/source.h"

/* As C++ text: with a suffix only where int would not hold it, in parentheses where a sign could meet an operator. */
static void add_value(struct kt_buf *out, int64_t value)
{
	if (value == INT64_MIN)
		kt_buf_adds(out, "(-9223372036854775807LL - 1)");
	else if (value < 0)
		kt_buf_addf(out, "(%" PRId64 "%s)", value, value < INT_MIN + 1 ? "LL" : "");
	else
		kt_buf_addf(out, "%" PRId64 "%s", value, value > INT_MAX ? "LL" : "");
}

static void add_guard(struct kt_buf *out, int64_t arch)
{
	if (arch == 0)
		kt_buf_addc(out, '1');
	else
		kt_buf_addf(out, "!defined(__CUDA_ARCH__) || __CUDA_ARCH__ == %" PRId64, arch * 10);
}

/* OpenCL C: kernels cannot be static, and a program is built for one device. */
static bool is_cuda(const struct kt_render *render)
{
	return render->template_->region == NULL || render->template_->region->language == KT_LANGUAGE_CUDA;
}

static bool equals(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

static kt_status fill_hole(struct kt_buf *out, const struct kt_render *render, const char *name, size_t length,
                           unsigned offset, struct kt_error *err)
{
	static const char callee[] = "ktune:callee:";
	const struct kt_template *template_ = render->template_;

	if (equals(name, length, "ktune:kernel")) {
		kt_buf_adds(out, render->name);
		return KT_OK;
	}
	if (equals(name, length, "ktune:arch")) {
		add_guard(out, render->arch);
		return KT_OK;
	}
	if (length > sizeof callee - 1 && memcmp(name, callee, sizeof callee - 1) == 0) {
		size_t digits = length - (sizeof callee - 1);

		if (digits <= 6 && strspn(name + sizeof callee - 1, "0123456789") >= digits) {
			kt_buf_addf(out, "%s_f%.*s", render->name, (int)digits, name + sizeof callee - 1);
			return KT_OK;
		}
	}
	for (size_t i = 0; i < template_->parameter_count; i++)
		if (equals(name, length, template_->parameters[i].name)) {
			add_value(out, render->configuration[i]);
			return KT_OK;
		}
	return kt_fail_at(err, KT_ERR_INVALID, offset, "unknown hole ${%.*s}", (int)(length < 80 ? length : 80), name);
}

static kt_status expand(struct kt_buf *out, const struct kt_render *render, const char *text, size_t size,
                        struct kt_error *err)
{
	size_t i = 0;

	while (i < size) {
		const char *dollar = memchr(text + i, '$', size - i), *close;
		size_t at = dollar != NULL ? (size_t)(dollar - text) : size;
		kt_status status;

		kt_buf_add(out, text + i, at - i);
		i = at;
		if (i >= size)
			break;
		if (i + 1 >= size || (text[i + 1] != '{' && text[i + 1] != '$')) {
			kt_buf_addc(out, '$');
			i++;
			continue;
		}
		if (text[i + 1] == '$') {
			kt_buf_addc(out, '$');
			i += 2;
			continue;
		}
		close = memchr(text + i, '}', size - i);
		if (close == NULL)
			return kt_fail_at(err, KT_ERR_SYNTAX, (unsigned)i, "hole without a closing brace");
		status = fill_hole(out, render, text + i + 2, (size_t)(close - text) - i - 2, (unsigned)i, err);
		if (status != KT_OK)
			return status;
		i = (size_t)(close - text) + 1;
	}
	return KT_OK;
}

static bool is_macro(const struct kt_parameter *parameter)
{
	return parameter->carrier == KT_CARRIER_MACRO && parameter->fixed == NULL;
}

static void set_macros(struct kt_buf *out, const struct kt_render *render)
{
	const struct kt_template *template_ = render->template_;

	for (size_t i = 0; i < template_->parameter_count; i++) {
		const char *name = template_->parameters[i].name;

		if (!is_macro(&template_->parameters[i]))
			continue;
		kt_buf_addf(out, "#pragma push_macro(\"%s\")\n#undef %s\n#define %s ", name, name, name);
		add_value(out, render->configuration[i]);
		kt_buf_addc(out, '\n');
	}
}

static void restore_macros(struct kt_buf *out, const struct kt_template *template_)
{
	for (size_t i = template_->parameter_count; i-- > 0;)
		if (is_macro(&template_->parameters[i]))
			kt_buf_addf(out, "#pragma pop_macro(\"%s\")\n", template_->parameters[i].name);
}

static void end_line(struct kt_buf *out)
{
	if (out->size > 0 && out->data[out->size - 1] != '\n')
		kt_buf_addc(out, '\n');
}

static void add_line(struct kt_buf *out, const struct kt_render *render, uint32_t line)
{
	if (render->line_file != NULL && line != 0)
		kt_source_line_directive(out, (uint32_t)(line + render->line_shift), render->line_file);
}

static kt_status add_head(struct kt_buf *out, const struct kt_render *render, struct kt_error *err)
{
	const char *head = render->template_->head;
	size_t size = strlen(head), prefix = kt_source_template_header(head, size);
	kt_status status = expand(out, render, head, prefix, err);

	if (status != KT_OK)
		return status;
	if (render->internal && is_cuda(render))
		kt_buf_adds(out, "KTUNE_GENERATED static ");
	return expand(out, render, head + prefix, size - prefix, err);
}

static kt_status add_body(struct kt_buf *out, const struct kt_render *render, struct kt_error *err)
{
	const struct kt_template *template_ = render->template_;
	const bool guarded = render->arch != 0 && is_cuda(render);
	kt_status status;

	if (guarded) {
		kt_buf_adds(out, "#if ");
		add_guard(out, render->arch);
		kt_buf_addc(out, '\n');
	}
	add_line(out, render, template_->body_line);
	status = expand(out, render, template_->body, strlen(template_->body), err);
	end_line(out);
	/* Never an empty body: a launch that gets here by mistake must not look like one that worked. */
	if (guarded)
		kt_buf_adds(out, "#else\n{\n\t__trap();\n}\n#endif\n");
	return status;
}

kt_status kt_template_render(struct kt_buf *out, const struct kt_render *render, struct kt_error *err)
{
	const struct kt_template *template_ = render->template_;
	kt_status status;

	end_line(out);
	set_macros(out, render);
	status = expand(out, render, template_->helpers, strlen(template_->helpers), err);
	if (status != KT_OK)
		return status;
	end_line(out);
	/* A debugger's and a profiler's line of the function itself. */
	add_line(out, render, template_->head_line);
	status = add_head(out, render, err);
	if (status != KT_OK)
		return status;
	end_line(out);
	status = add_body(out, render, err);
	if (status != KT_OK)
		return status;
	restore_macros(out, template_);
	return kt_buf_check(out, "variant", err);
}

kt_status kt_template_arguments(struct kt_buf *out, const struct kt_template *template_,
                                const struct kt_instance *instance, const int64_t *configuration,
                                struct kt_error *err)
{
	if (instance->argument_count == 0)
		return KT_OK;
	kt_buf_addc(out, '<');
	for (size_t i = 0; i < instance->argument_count; i++) {
		size_t tuned = template_->parameter_count;

		for (size_t p = 0; p < template_->parameter_count; p++)
			if (template_->parameters[p].carrier == KT_CARRIER_TEMPLATE &&
			    template_->parameters[p].template_index == i && template_->parameters[p].fixed == NULL)
				tuned = p;
		if (i > 0)
			kt_buf_adds(out, ", ");
		if (tuned < template_->parameter_count)
			add_value(out, configuration[tuned]);
		else
			kt_buf_adds(out, instance->arguments[i]);
	}
	kt_buf_addc(out, '>');
	return kt_buf_check(out, "template arguments", err);
}

void kt_configuration_print(struct kt_buf *out, const struct kt_parameter *parameters, size_t count,
                            const int64_t *configuration)
{
	for (size_t i = 0; i < count; i++)
		kt_buf_addf(out, "%s%s=%" PRId64, i > 0 ? " " : "", parameters[i].name, configuration[i]);
}
