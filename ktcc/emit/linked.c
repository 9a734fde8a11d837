/*
 * Launches in other sources than the kernel's: the one that defines it has a function that tries the variants, the
 * others call it where it was linked. Its name follows from the kernel's symbol, so that neither needs to know what the
 * other one was made of.
 */
#include "emit/dispatch.h"

#include <string.h>

/*
 * The declaration that both sides have, without ";". The definition is hidden, as kernels are: another library may have
 * another kernel of the same symbol. The declaration is not: some linkers give a hidden function that no source
 * defines an address.
 */
static void add_function(struct kt_buf *out, const struct kt_emit_region *plan, bool defined)
{
	kt_buf_addf(out,
		    "extern \"C\" %sKTUNE_LINKED bool %s(const ::ktune::launch_ &ktune_at, const ::ktune::binding_ *ktune_b, "
		    "void **ktune_of)",
		    defined ? "KTUNE_HIDDEN " : "", plan->linked);
}

/* The names of a declaration may be those of other arguments: what tuning took for equal has to be. */
static void add_agreement(struct kt_buf *out, const struct kt_emit_region *plan, size_t argument)
{
	const struct kt_region *r = plan->region;

	for (size_t v = 0; v < r->variable_count; v++)
		if (!r->arguments[argument].is_pointer && strcmp(r->variables[v], r->arguments[argument].name) == 0)
			kt_buf_addf(out,
				    "\tif (!::ktune::agrees_(ktune_b[%zu], *static_cast<%s *>(ktune_of[%zu]), 0)) {\n"
				    "\t\tktune_t_%s(::ktune::outcome_problem_);\n\t\treturn false;\n\t}\n",
				    v, r->arguments[argument].type, argument, plan->hash);
}

void kt_emit_export(struct kt_buf *out, const struct kt_emit_region *plan)
{
	add_function(out, plan, true);
	kt_buf_adds(out, "\n{\n");
	for (size_t i = 0; i < plan->region->argument_count; i++)
		add_agreement(out, plan, i);
	if (plan->region->variable_count > 0)
		kt_buf_addf(out, "\t%s() = ktune_b;\n", plan->held);
	else
		kt_buf_adds(out, "\tstatic_cast<void>(ktune_b);\n");
	kt_buf_adds(out, "\treturn ::ktune::unpacked_<void (*)(");
	kt_emit_types(out, plan->region);
	kt_buf_addf(out, ")>::run_<ktune_e_%s>(ktune_at, ktune_of);\n}\n", plan->hash);
}

/* "const ::ktune::binding_ ktune_b[] = {…};": what the kernel's source cannot know is worked out here. */
static void add_values(struct kt_buf *out, const struct kt_emit_region *plan)
{
	kt_buf_adds(out, "\tconst ::ktune::binding_ ktune_b[] = {");
	for (size_t i = 0; i < plan->region->variable_count; i++) {
		kt_buf_adds(out, i > 0 ? ", " : "");
		if (plan->mixed[i])
			kt_buf_addf(out, "ktune_b%zu.is_carried ? ", i);
		if (plan->values[i] != NULL)
			kt_buf_addf(out, "::ktune::binding_(%s)", plan->values[i]);
		if (plan->passed[i])
			kt_buf_addf(out, "%sktune_b%zu", plan->mixed[i] ? " : " : "", i);
	}
	/* A region may have no variable, and an array has an element. */
	kt_buf_addf(out, "%s::ktune::binding_(0)};\n", plan->region->variable_count > 0 ? ", " : "");
}

/* By the kernel's stub, as without a dispatcher: the kernel's source determines the default stream. */
static void add_original(struct kt_buf *out, const struct kt_region *r)
{
	kt_buf_adds(out, "\t\t(*");
	kt_emit_kernel_address(out, r);
	kt_buf_adds(out, ")<<<ktune_at.grid_, ktune_at.block_, ktune_at.shared_, ktune_at.stream_>>>(");
	for (size_t i = 0; i < r->argument_count; i++)
		kt_buf_addf(out, "%sstatic_cast<decltype(ktune_a%zu) &&>(ktune_a%zu)", i > 0 ? ", " : "", i, i);
	kt_buf_adds(out, ");\n");
}

static void add_dispatcher(struct kt_buf *out, const struct kt_emit_region *plan, bool popped)
{
	const struct kt_region *r = plan->region;

	kt_emit_signature(out, plan, popped, true);
	kt_buf_adds(out, "\n{\n");
	if (popped)
		kt_emit_take_configuration(out);
	add_values(out, plan);
	kt_buf_adds(out, "\tvoid *ktune_of[] = {");
	for (size_t i = 0; i < r->argument_count; i++)
		kt_buf_addf(out, "::ktune::argument_(ktune_a%zu), ", i);
	kt_buf_addf(out, "nullptr};\n\n\tif (%s == nullptr || !%s(ktune_at, ktune_b, ktune_of))\n", plan->linked, plan->linked);
	add_original(out, r);
	kt_buf_adds(out, "}\n");
}

kt_status kt_emit_import(struct kt_buf *out, const struct kt_emit_region *plan, struct kt_error *err)
{
	kt_emit_open_scope(out, plan->region);
	add_function(out, plan, false);
	kt_buf_adds(out, ";\n");
	for (int popped = 0; popped < 2; popped++)
		if (popped != 0 ? plan->has_ordered : plan->has_dispatcher)
			add_dispatcher(out, plan, popped != 0);
	kt_emit_close_scope(out, plan->region);
	return kt_buf_check(out, "dispatcher", err);
}
