/* The text of a dispatcher: its signature, the functions that try variants, the launch where none ran. */
#include "emit/dispatch.h"

#include <stdio.h>
#include <string.h>

#include "base/declare.h"
#include "base/source.h"

/* Host compilers' and nvcc's warnings that a copy of warning-free code may raise. */
static const char *const host_warnings[] = {
    "-Wunused-function", "-Wunused-variable",       "-Wunused-parameter",     "-Wunused-but-set-variable",
    "-Wshadow",          "-Wsign-compare",          "-Wtype-limits",          "-Wconversion",
    "-Wsign-conversion", "-Wold-style-cast",        "-Wmissing-declarations", "-Wredundant-decls",
    "-Wparentheses",     "-Wunused-local-typedefs",
};
static const char nvcc_warnings[] = "39, 61, 62, 63, 68, 111, 128, 174, 177, 179, 186, 237, 550";

static void open_quiet(struct kt_buf *out)
{
	kt_buf_adds(out, "#if defined(__GNUC__)\n#pragma GCC diagnostic push\n");
	for (size_t i = 0; i < sizeof host_warnings / sizeof host_warnings[0]; i++)
		kt_buf_addf(out, "#pragma GCC diagnostic ignored \"%s\"\n", host_warnings[i]);
	kt_buf_addf(out,
		    "#endif\n#if defined(__NVCC_DIAG_PRAGMA_SUPPORT__)\n#pragma nv_diagnostic push\n"
		    "#pragma nv_diag_suppress %s\n#endif\n",
		    nvcc_warnings);
}

static void close_quiet(struct kt_buf *out)
{
	kt_buf_adds(out, "#if defined(__NVCC_DIAG_PRAGMA_SUPPORT__)\n#pragma nv_diagnostic pop\n#endif\n"
			 "#if defined(__GNUC__)\n#pragma GCC diagnostic pop\n#endif\n");
}

/* "const ::ktune::launch_ &ktune_at, const ::ktune::binding_ &ktune_b0": launches unless they are popped, bindings.
 * *comma is what has to be in front of the next parameter. */
static void add_launch_parameters(struct kt_buf *out, const struct kt_emit_region *plan, bool popped,
				  const char **comma)
{
	const struct kt_region *r = plan->region;

	*comma = popped ? "" : ", ";
	if (!popped)
		kt_buf_adds(out, "const ::ktune::launch_ &ktune_at");
	for (size_t i = 1; i < r->step_count; i++)
		kt_buf_addf(out, ", const ::ktune::launch_ &ktune_at%zu", i);
	for (size_t i = 0; i < r->variable_count; i++)
		if (plan->passed[i]) {
			kt_buf_addf(out, "%sconst ::ktune::binding_ &ktune_b%zu", *comma, i);
			*comma = ", ";
		}
}

/* The type of a parameter for a function that is no kernel: only a kernel's may be __grid_constant__. */
static void add_type(struct kt_buf *out, const char *type, size_t length)
{
	static const char word[] = "__grid_constant__";
	const char *found = strstr(type, word);

	if (found == NULL || (size_t)(found - type) >= length) {
		kt_buf_add(out, type, length);
		return;
	}
	const char *after = found + sizeof word - 1;

	kt_buf_add(out, type, (size_t)(found - type));
	kt_buf_add(out, after, length - (size_t)(after - type));
}

/* "float *ktune_a0 = 0": the kernel's parameters, as the kernel declares them: conversions are the same. */
static void add_kernel_parameters(struct kt_buf *out, const struct kt_region *r, const char *comma, bool defaults)
{
	char name[32];

	for (size_t i = 0; i < r->argument_count; i++, comma = ", ") {
		snprintf(name, sizeof name, "ktune_a%zu", i);
		kt_buf_adds(out, comma);
		const char *type = r->arguments[i].type, *at = kt_declare_at(type);

		add_type(out, type, (size_t)(at - type));
		kt_buf_addf(out, " %s%s", name, at);
		if (defaults && r->arguments[i].default_text != NULL)
			kt_buf_addf(out, " = %s", r->arguments[i].default_text);
	}
}

/*
 * The signature of what tries variants, in front of its name and from "(" on: a template over the arguments' types,
 * which takes the dispatcher's own. No argument is copied, and no type has to be written: a reference to `T
 * *__restrict__` cannot be spelled by appending "&".
 */
static void add_try_signature(struct kt_buf *out, const struct kt_emit_region *plan, const char *name)
{
	const struct kt_region *r = plan->region;
	const char *comma;

	for (size_t i = 0; i < r->argument_count; i++)
		kt_buf_addf(out, "%stypename ktune_T%zu", i > 0 ? ", " : "template <", i);
	kt_buf_addf(out, "%sKTUNE_GENERATED static inline ::ktune::outcome_ %s(%s", r->argument_count > 0 ? "> " : "", name,
		    r->step_count > 0 ? "" : "const void *ktune_k, ");
	add_launch_parameters(out, plan, false, &comma);
	for (size_t i = 0; i < r->argument_count; i++)
		kt_buf_addf(out, "%sktune_T%zu &ktune_a%zu", comma, i, i);
	kt_buf_addc(out, ')');
}

/* ", ktune_a0, ktune_a1" */
void kt_emit_kernel_arguments(struct kt_buf *out, const struct kt_region *r)
{
	for (size_t i = 0; i < r->argument_count; i++)
		kt_buf_addf(out, ", ktune_a%zu", i);
}

static void add_arguments(struct kt_buf *out, const struct kt_emit_region *plan)
{
	const struct kt_region *r = plan->region;

	kt_buf_adds(out, r->step_count > 0 ? "ktune_at" : "ktune_k, ktune_at");
	for (size_t i = 1; i < r->step_count; i++)
		kt_buf_addf(out, ", ktune_at%zu", i);
	for (size_t i = 0; i < r->variable_count; i++)
		if (plan->passed[i])
			kt_buf_addf(out, ", ktune_b%zu", i);
	kt_emit_kernel_arguments(out, r);
}

/* "template <typename T, int ktune_t1> ": an unnamed parameter gets a name, because the dispatcher passes it on. */
static void add_template(struct kt_buf *out, const struct kt_region *r, bool defaults)
{
	if (r->template_count == 0)
		return;
	kt_buf_adds(out, "template <");
	for (size_t i = 0; i < r->template_count; i++) {
		const struct kt_template_parameter *t = &r->templates[i];

		kt_buf_addf(out, "%s%s", i > 0 ? ", " : "", t->declaration);
		if (t->name[0] == '\0')
			kt_buf_addf(out, " ktune_t%zu", i);
		if (defaults && t->default_text != NULL)
			kt_buf_addf(out, " = %s", t->default_text);
	}
	kt_buf_adds(out, "> ");
}

static void add_template_names(struct kt_buf *out, const struct kt_region *r)
{
	for (size_t i = 0; i < r->template_count; i++) {
		kt_buf_adds(out, i > 0 ? ", " : "<");
		if (r->templates[i].name[0] == '\0')
			kt_buf_addf(out, "ktune_t%zu", i);
		else
			kt_buf_adds(out, r->templates[i].name);
	}
	if (r->template_count > 0)
		kt_buf_addc(out, '>');
}

static void add_variables(struct kt_buf *out, const struct kt_emit_region *plan)
{
	for (size_t i = 0; i < plan->region->variable_count; i++) {
		kt_buf_addf(out, "\tconst long long ktune_v%zu = ", i);
		if (!plan->passed[i])
			kt_buf_addf(out, "::ktune::value_(ktune_f, %s);\n", plan->values[i]);
		else if (plan->mixed[i])
			kt_buf_addf(out, "ktune_b%zu.get_(ktune_f, %s);\n", i, plan->values[i]);
		else
			kt_buf_addf(out, "ktune_b%zu.get_(ktune_f);\n", i);
	}
}

/* The function that tries the variants of one instance, in order. */
static kt_status add_try(struct kt_buf *out, const struct kt_emit_region *plan, size_t instance, const char *name,
			 struct kt_error *err)
{
	kt_status status = KT_OK;

	add_try_signature(out, plan, name);
	kt_buf_adds(out, "\n{\n\t::ktune::outcome_ ktune_why = ::ktune::outcome_absent_;\n"
			 "\tint ktune_device = KTUNE_UNASKED, ktune_failed = -1;\n\tbool ktune_f = false;\n\n");
	add_variables(out, plan);
	kt_buf_adds(out, "\tif (!KTUNE_EXPECT(!ktune_f))\n\t\treturn ::ktune::outcome_problem_;\n");
	for (size_t i = 0; status == KT_OK && i < plan->variant_count; i++)
		if (plan->variants[i]->instance == instance)
			status = kt_emit_attempt(out, plan, i, err);
	kt_emit_call_note(out, plan);
	kt_buf_adds(out, "\treturn ktune_why;\n}\n");
	return status;
}

static bool has_variant(const struct kt_emit_region *plan, size_t instance)
{
	for (size_t i = 0; i < plan->variant_count; i++)
		if (plan->variants[i]->instance == instance)
			return true;
	return false;
}

/*
 * Instantiates an instance's variants. A pass of the compiler that does not see the launch (#ifndef __CUDA_ARCH__)
 * does not instantiate `run_` either, which is a template: device code would lack the variants that host code
 * launches.
 */
static kt_status add_named(struct kt_buf *out, const struct kt_emit_region *plan, size_t instance, struct kt_error *err)
{
	kt_status status = KT_OK;

	kt_buf_adds(out, "KTUNE_GENERATED static inline void ktune_named()\n{\n");
	for (size_t i = 0; status == KT_OK && i < plan->variant_count; i++) {
		if (plan->variants[i]->instance != instance)
			continue;
		kt_buf_adds(out, "\tstatic_cast<void>(::ktune::address_(&");
		status = kt_emit_callee(out, plan, i, err);
		kt_buf_adds(out, "));\n");
	}
	kt_buf_adds(out, "}\n");
	return status;
}

/* A template's instances: a class template without variants, specialised for those that have some. */
static kt_status add_instances(struct kt_buf *out, const struct kt_emit_region *plan, struct kt_error *err)
{
	const struct kt_region *r = plan->region;
	kt_status status = KT_OK;

	/* nvcc's host code for a kernel in nested anonymous namespaces is ambiguous. */
	if (!r->in_anonymous_namespace)
		kt_buf_adds(out, "namespace\n{\n");
	add_template(out, r, false);
	kt_buf_addf(out,
		    "struct ktune_i_%s {\n"
		    "template <typename... ktune_A> KTUNE_GENERATED static inline ::ktune::outcome_ run_(const ktune_A &...)\n"
		    "{\n\treturn ::ktune::outcome_absent_;\n}\n};\n",
		    plan->hash);
	for (size_t i = 0; status == KT_OK && i < r->instance_count; i++) {
		if (!has_variant(plan, i))
			continue;
		kt_buf_addf(out, "template <> struct ktune_i_%s<", plan->hash);
		for (size_t a = 0; a < r->instances[i].argument_count; a++)
			kt_buf_addf(out, "%s%s", a > 0 ? ", " : "", r->instances[i].arguments[a]);
		kt_buf_adds(out, "> {\n");
		status = add_named(out, plan, i, err);
		if (status == KT_OK)
			status = add_try(out, plan, i, "run_", err);
		kt_buf_adds(out, "};\n");
	}
	if (!r->in_anonymous_namespace)
		kt_buf_adds(out, "}\n");
	return status;
}

static void add_counter(struct kt_buf *out, const struct kt_emit_region *plan)
{
	kt_buf_addf(out,
		    "KTUNE_GENERATED static inline void ktune_t_%s(::ktune::outcome_ ktune_why)\n{\n"
		    "\tstatic ::ktune::counters_ ktune_c = {",
		    plan->hash);
	kt_source_string(out, plan->region->name);
	kt_buf_adds(out,
		    ", {{0}}};\n\n\tif (!KTUNE_EXPECT(!::ktune::tracing_())) {\n"
		    "\t\tstatic const ::ktune::report_ ktune_r(ktune_c);\n\n"
		    "\t\tstatic_cast<void>(ktune_r);\n\t\t::ktune::count_(ktune_c, ktune_why);\n\t}\n}\n");
}

void kt_emit_signature(struct kt_buf *out, const struct kt_emit_region *plan, bool popped, bool defaults)
{
	const char *comma;

	add_template(out, plan->region, defaults);
	kt_buf_addf(out, "KTUNE_GENERATED static inline %s %s(", plan->region->step_count > 0 ? "bool" : "void",
		    popped ? plan->ordered : plan->dispatcher);
	add_launch_parameters(out, plan, popped, &comma);
	add_kernel_parameters(out, plan->region, comma, defaults);
	kt_buf_addc(out, ')');
}

void kt_emit_types(struct kt_buf *out, const struct kt_region *r)
{
	for (size_t i = 0; i < r->argument_count; i++)
		kt_buf_addf(out, "%s%s", i > 0 ? ", " : "", r->arguments[i].type);
}

/* "static_cast<void (*)(float *, int)>(&k<T>)": of overloads the one that was tuned. */
void kt_emit_kernel_address(struct kt_buf *out, const struct kt_region *r)
{
	kt_buf_adds(out, "static_cast<void (*)(");
	kt_emit_types(out, r);
	kt_buf_addf(out, ")>(&%s", r->kernel);
	add_template_names(out, r);
	kt_buf_addc(out, ')');
}

void kt_emit_take_configuration(struct kt_buf *out)
{
	kt_buf_adds(out, "\t::ktune::launch_ ktune_at(1, 1);\n\n\tif (!::ktune::pop_(ktune_at))\n\t\treturn;\n");
}

/* "const void *const ktune_k = …;": the original. */
static void add_original(struct kt_buf *out, const struct kt_region *r)
{
	kt_buf_adds(out, "\tconst void *const ktune_k = ::ktune::address_(");
	kt_emit_kernel_address(out, r);
	kt_buf_adds(out, ");\n");
}

static void add_dispatcher(struct kt_buf *out, const struct kt_emit_region *plan, bool popped)
{
	const struct kt_region *r = plan->region;

	kt_emit_signature(out, plan, popped, r->declaration.end == r->declaration.begin);
	kt_buf_adds(out, "\n{\n");
	if (popped)
		kt_emit_take_configuration(out);
	if (r->step_count == 0)
		add_original(out, r);
	if (r->template_count > 0) {
		kt_buf_addf(out, "\tconst ::ktune::outcome_ ktune_why = ktune_i_%s", plan->hash);
		add_template_names(out, r);
		kt_buf_adds(out, "::run_(");
	} else {
		kt_buf_addf(out, "\tconst ::ktune::outcome_ ktune_why = ktune_r_%s(", plan->hash);
	}
	add_arguments(out, plan);
	/* The launches of a block stay where they are, and run where this is true. */
	if (r->step_count > 0) {
		kt_buf_addf(out,
			    ");\n\n\tif (KTUNE_EXPECT(ktune_why == ::ktune::outcome_uncounted_))\n\t\treturn true;\n"
			    "\tktune_t_%s(ktune_why);\n\treturn ktune_why == ::ktune::outcome_variant_;\n}\n",
			    plan->hash);
		return;
	}
	kt_buf_addf(out,
		    ");\n\n\tif (KTUNE_EXPECT(ktune_why == ::ktune::outcome_uncounted_))\n\t\treturn;\n"
		    "\tktune_t_%s(ktune_why);\n"
		    "\tif (ktune_why < ::ktune::outcome_variant_)\n\t\t::ktune::enqueue_original_(ktune_k, ktune_at",
		    plan->hash);
	kt_emit_kernel_arguments(out, r);
	kt_buf_adds(out, ");\n}\n");
}

/* Where a template calls the dispatcher with arguments of another overload, that one is launched. */
static void add_other_overloads(struct kt_buf *out, const struct kt_emit_region *plan, bool popped)
{
	const char *comma;

	kt_buf_addf(out, "template <typename... ktune_A> KTUNE_GENERATED static inline void %s(",
		    popped ? plan->ordered : plan->dispatcher);
	add_launch_parameters(out, plan, popped, &comma);
	kt_buf_addf(out, "%sktune_A &&...ktune_of)\n{\n", comma);
	if (popped)
		kt_emit_take_configuration(out);
	kt_buf_addf(out,
		    "\t%s<<<ktune_at.grid_, ktune_at.block_, ktune_at.shared_, ktune_at.stream_>>>"
		    "(static_cast<ktune_A &&>(ktune_of)...);\n}\n",
		    plan->region->kernel);
}

static size_t count_passed(const struct kt_emit_region *plan)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->region->variable_count; i++)
		count += plan->passed[i];
	return count;
}

static void add_routed_signature(struct kt_buf *out, const struct kt_emit_region *plan, bool defaults)
{
	const size_t passed = count_passed(plan);

	add_template(out, plan->region, defaults);
	kt_buf_addf(out, "KTUNE_GENERATED static inline void (&%s(", plan->routed);
	if (passed > 0)
		kt_buf_addf(out, "const ::ktune::held_<%zu> &", passed);
	kt_buf_adds(out, "))(");
	kt_emit_types(out, plan->region);
	kt_buf_addc(out, ')');
}

/* What tries the variants for a site, which has the launch and the addresses of the arguments. */
static void add_route_target(struct kt_buf *out, const struct kt_emit_region *plan)
{
	const struct kt_region *r = plan->region;
	const size_t passed = count_passed(plan);

	if (passed > 0)
		kt_buf_addf(out,
			    "KTUNE_GENERATED static inline const ::ktune::binding_ *&%s()\n{\n"
			    "\tstatic thread_local const ::ktune::binding_ *ktune_b = nullptr;\n\n\treturn ktune_b;\n}\n",
			    plan->held);

	if (!r->in_anonymous_namespace)
		kt_buf_adds(out, "namespace\n{\n");
	add_template(out, r, false);
	kt_buf_addf(out,
		    "struct ktune_e_%s {\n"
		    "template <typename... ktune_A> KTUNE_GENERATED static inline bool run_(const ::ktune::launch_ &ktune_at, "
		    "ktune_A &...ktune_of)\n{\n",
		    plan->hash);
	if (passed > 0)
		kt_buf_addf(out,
			    "\tconst ::ktune::binding_ *const ktune_b = %s();\n\n\tif (ktune_b == nullptr) {\n"
			    "\t\tktune_t_%s(::ktune::outcome_problem_);\n\t\treturn false;\n\t}\n\t%s() = nullptr;\n",
			    plan->held, plan->hash, plan->held);
	add_original(out, r);
	kt_buf_addf(out, "\tconst ::ktune::outcome_ ktune_why = ktune_%s_%s", r->template_count > 0 ? "i" : "r", plan->hash);
	add_template_names(out, r);
	kt_buf_addf(out, "%s(ktune_k, ktune_at", r->template_count > 0 ? "::run_" : "");
	for (size_t i = 0; i < passed; i++)
		kt_buf_addf(out, ", ktune_b[%zu]", i);
	kt_buf_addf(out,
		    ", ktune_of...);\n\n\tif (KTUNE_EXPECT(ktune_why == ::ktune::outcome_uncounted_))\n\t\treturn true;\n"
		    "\tktune_t_%s(ktune_why);\n\treturn ktune_why >= ::ktune::outcome_variant_;\n}\n};\n",
		    plan->hash);
	if (!r->in_anonymous_namespace)
		kt_buf_adds(out, "}\n");
}

/* The kernel where it is given to a function: a site that launches it finds its variants by its address. */
static void add_routed(struct kt_buf *out, const struct kt_emit_region *plan)
{
	const struct kt_region *r = plan->region;

	add_routed_signature(out, plan, r->declaration.end == r->declaration.begin);
	kt_buf_adds(out, "\n{\n\tstatic ::ktune::route_ ktune_route = {::ktune::address_(");
	kt_emit_kernel_address(out, r);
	kt_buf_adds(out, "), &::ktune::unpacked_<void (*)(");
	kt_emit_types(out, r);
	kt_buf_addf(out, ")>::template run_<ktune_e_%s", plan->hash);
	add_template_names(out, r);
	kt_buf_adds(out, ">, nullptr, 0};\n\n\t::ktune::enrol_(ktune_route);\n\treturn *");
	kt_emit_kernel_address(out, r);
	kt_buf_adds(out, ";\n}\n");
}

/* Where the kernel's name is in a constant, its variants are known from the start on: nothing of the runtime is called. */
static void add_constant(struct kt_buf *out, const struct kt_emit_region *plan)
{
	const struct kt_region *r = plan->region;

	kt_buf_addf(out, "static const bool ktune_s_%s = (", plan->hash);
	for (size_t i = 0; i < r->instance_count; i++) {
		if (!has_variant(plan, i))
			continue;
		kt_buf_addf(out, "static_cast<void>(%s", plan->routed);
		for (size_t a = 0; a < r->instances[i].argument_count; a++)
			kt_buf_addf(out, "%s%s", a > 0 ? ", " : "<", r->instances[i].arguments[a]);
		kt_buf_adds(out, r->template_count > 0 ? ">" : "");
		kt_emit_routed_call(out, plan, plan->constant);
		kt_buf_adds(out, "), ");
	}
	kt_buf_adds(out, "true);\n");
}

/* Namespaces of a definition that is outside of them: `void ops::k() {}`. */
static void reopen(struct kt_buf *out, const struct kt_region *r, bool open)
{
	const char *at = r->reopened;

	for (const char *next; at != NULL && (next = strstr(at, "::")) != NULL; at = next + 2)
		if (open)
			kt_buf_addf(out, "namespace %.*s {\n", (int)(next - at), at);
		else
			kt_buf_adds(out, "}\n");
}

void kt_emit_open_scope(struct kt_buf *out, const struct kt_region *r)
{
	open_quiet(out);
	/* The kernel may be in an extern "C" block, where templates may not. */
	if (r->is_extern_c)
		kt_buf_adds(out, "extern \"C++\" {\n");
}

void kt_emit_close_scope(struct kt_buf *out, const struct kt_region *r)
{
	if (r->is_extern_c)
		kt_buf_adds(out, "}\n");
	close_quiet(out);
}

kt_status kt_emit_declaration(struct kt_buf *out, const struct kt_emit_region *plan, struct kt_error *err)
{
	kt_emit_open_scope(out, plan->region);
	for (int popped = 0; popped < 2; popped++)
		if (popped != 0 ? plan->has_ordered : plan->has_dispatcher) {
			kt_emit_signature(out, plan, popped != 0, true);
			kt_buf_adds(out, ";\n");
		}
	if (plan->has_routed) {
		if (count_passed(plan) > 0)
			kt_buf_addf(out, "KTUNE_GENERATED static inline const ::ktune::binding_ *&%s();\n", plan->held);
		add_routed_signature(out, plan, true);
		kt_buf_adds(out, ";\n");
	}
	kt_emit_close_scope(out, plan->region);
	return kt_buf_check(out, "dispatcher", err);
}

kt_status kt_emit_definition(struct kt_buf *out, const struct kt_emit_region *plan, const struct kt_emit_lines *lines,
			     struct kt_error *err)
{
	kt_status status = KT_OK;
	char name[KT_EMIT_HASH + 16];

	kt_emit_open_scope(out, plan->region);
	reopen(out, plan->region, true);
	for (size_t i = 0; status == KT_OK && i < plan->variant_count; i++) {
		const struct kt_variant *v = plan->variants[i];
		const struct kt_render render = {.template_ = v->template_,
						 .configuration = v->configuration,
						 .name = plan->names[i],
						 .internal = true,
						 .arch = v->device->cc,
						 .line_file = lines->body_file,
						 .line_shift = lines->body_shift};

		kt_emit_rationale(out, v);
		status = kt_template_render(out, &render, err);
	}
	if (status != KT_OK)
		return status;
	kt_source_line_directive(out, lines->line, lines->file);
	add_counter(out, plan);
	kt_emit_note(out, plan);
	if (plan->region->step_count == 0)
		kt_emit_timings(out, plan);
	if (plan->region->template_count > 0) {
		status = add_instances(out, plan, err);
	} else {
		snprintf(name, sizeof name, "ktune_r_%s", plan->hash);
		status = add_try(out, plan, 0, name, err);
	}
	if (status != KT_OK)
		return status;
	for (int popped = 0; popped < 2; popped++)
		if (popped != 0 ? plan->has_ordered : plan->has_dispatcher)
			add_dispatcher(out, plan, popped != 0);
	for (int popped = 0; popped < 2; popped++)
		if (plan->region->is_overloaded && (popped != 0 ? plan->has_ordered : plan->has_dispatcher))
			add_other_overloads(out, plan, popped != 0);
	if (plan->has_routed || plan->linked != NULL)
		add_route_target(out, plan);
	if (plan->has_routed)
		add_routed(out, plan);
	if (plan->constant != NULL)
		add_constant(out, plan);
	if (plan->linked != NULL)
		kt_emit_export(out, plan);
	reopen(out, plan->region, false);
	kt_emit_close_scope(out, plan->region);
	return kt_buf_check(out, "dispatcher", err);
}
