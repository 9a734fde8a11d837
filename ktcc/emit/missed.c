/* What KTUNE_TRACE prints of launches: sizes at which the original ran and why, and times of variant and original. */
#include "emit/dispatch.h"

#include <string.h>

#include "base/source.h"

const struct kt_clause_expr *kt_emit_condition_at(bool *asked, const struct kt_template *t, size_t index)
{
	*asked = true;
	if (index < t->guard_count)
		return &t->guards[index];
	index -= t->guard_count;
	if (index >= t->restriction_count)
		return NULL;
	*asked = kt_template_at_launch(t, &t->restrictions[index]);
	return &t->restrictions[index];
}

size_t kt_emit_condition(const struct kt_emit_region *plan, const char *text)
{
	size_t i = 0;

	while (i < plan->condition_count && strcmp(plan->conditions[i]->text, text) != 0)
		i++;
	return i;
}

kt_status kt_emit_conditions(struct kt_emit_region *plan, struct kt_arena *arena, struct kt_error *err)
{
	for (size_t v = 0; v < plan->variant_count; v++) {
		const struct kt_clause_expr *clause;
		bool asked;

		for (size_t i = 0; (clause = kt_emit_condition_at(&asked, plan->variants[v]->template_, i)) != NULL; i++) {
			const struct kt_clause_expr **slot;

			if (!asked || kt_emit_condition(plan, clause->text) < plan->condition_count)
				continue;
			NEED(slot = kt_arena_push(arena, &plan->conditions, &plan->condition_count, sizeof *slot),
			     kt_fail(err, KT_ERR_MEMORY, "guards: out of memory"));
			*slot = clause;
		}
	}
	return KT_OK;
}

static bool no_pointer(const char *name, unsigned offset, bool pointer, void *context)
{
	(void)name;
	(void)offset;
	(void)context;
	return !pointer;
}

/* Arrays are never empty. */
static void add_names(struct kt_buf *out, const struct kt_region *r)
{
	kt_buf_adds(out, "\tstatic const char *const ktune_names[] = {");
	for (size_t i = 0; i < r->variable_count; i++) {
		kt_buf_adds(out, i > 0 ? ", " : "");
		kt_source_string(out, r->variables[i]);
	}
	kt_buf_adds(out, r->variable_count == 0 ? "\"\"};\n" : "};\n");
}

static void add_conditions(struct kt_buf *out, const struct kt_emit_region *plan)
{
	kt_buf_adds(out, "\tstatic const ::ktune::condition_ ktune_guards[] = {");
	for (size_t i = 0; i < plan->condition_count; i++) {
		kt_buf_addf(out, "%s{", i > 0 ? ", " : "");
		kt_source_string(out, plan->conditions[i]->text);
		kt_buf_addf(out, ", %s}", kt_expr_names(plan->conditions[i]->expr, no_pointer, NULL) ? "true" : "false");
	}
	kt_buf_adds(out, plan->condition_count == 0 ? "{\"\", false}};\n" : "};\n");
}

void kt_emit_note(struct kt_buf *out, const struct kt_emit_region *plan)
{
	const struct kt_region *r = plan->region;

	kt_buf_addf(out,
	            "KTUNE_GENERATED static inline void ktune_n_%s(::ktune::outcome_ ktune_why, int ktune_failed, "
	            "const long long *ktune_values)\n{\n",
	            plan->hash);
	add_names(out, r);
	add_conditions(out, plan);
	kt_buf_adds(out, "\tstatic ::ktune::sizes_ ktune_s = {");
	kt_source_string(out, r->name);
	kt_buf_addf(out,
	            ", %zu, ktune_names, ktune_guards, 0, 0, 0, nullptr};\n"
	            "\tstatic const ::ktune::sizes_report_ ktune_r(ktune_s);\n\n\tstatic_cast<void>(ktune_r);\n"
	            "\t::ktune::note_(ktune_s, ktune_why, ktune_failed, ktune_values);\n}\n",
	            r->variable_count);
}

/* Configurations of the variants, in the dispatcher's order: "VEC=4 BLOCK=256". */
static void add_configurations(struct kt_buf *out, const struct kt_emit_region *plan)
{
	kt_buf_adds(out, "\tstatic const char *const ktune_variants[] = {");
	for (size_t i = 0; i < plan->variant_count; i++) {
		const struct kt_variant *v = plan->variants[i];
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

		kt_configuration_print(&text, v->template_->parameters, v->template_->parameter_count, v->configuration);
		kt_buf_adds(out, i > 0 ? ", " : "");
		kt_source_string(out, kt_buf_text(&text));
		out->failed = out->failed || text.failed;
		kt_buf_free(&text);
	}
	kt_buf_adds(out, "};\n");
}

void kt_emit_timings(struct kt_buf *out, const struct kt_emit_region *plan)
{
	kt_buf_addf(out, "KTUNE_GENERATED KTUNE_RARE static ::ktune::timings_ &ktune_z_%s()\n{\n", plan->hash);
	add_names(out, plan->region);
	add_configurations(out, plan);
	kt_buf_adds(out, "\tstatic ::ktune::timings_ ktune_z = {");
	kt_source_string(out, plan->region->name);
	kt_buf_addf(out,
	            ", %zu, ktune_names, ktune_variants, 0, 0, nullptr};\n"
	            "\tstatic const ::ktune::timings_report_ ktune_r(ktune_z);\n\n\tstatic_cast<void>(ktune_r);\n"
	            "\treturn ktune_z;\n}\n",
	            plan->region->variable_count);
}

void kt_emit_call_note(struct kt_buf *out, const struct kt_emit_region *plan)
{
	kt_buf_adds(out, "\tif (!KTUNE_EXPECT(!::ktune::tracing_())) {\n\t\tconst long long ktune_values[] = {");
	for (size_t i = 0; i < plan->region->variable_count; i++)
		kt_buf_addf(out, "ktune_v%zu, ", i);
	kt_buf_addf(out, "0LL};\n\n\t\tktune_n_%s(ktune_why, ktune_failed, ktune_values);\n\t}\n", plan->hash);
}
