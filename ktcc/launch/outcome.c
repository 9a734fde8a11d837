#include "launch/outcome.h"

#include <stdio.h>

#include "base/log.h"
#include "launch/tree.h"

/* "match:exact" and "entry:lock": how close what is used came, and where it lay. */
static void count_match(struct kt_invocation *l, const struct kt_case *each)
{
	char name[64];
	bool found = each->found_count != 0;

	if (each->template_ == NULL)
		return;
	snprintf(name, sizeof name, "match:%s", kt_closeness_name(found ? each->found[0].closeness : KT_CLOSE_NONE));
	kt_invocation_count(l, name);
	if (!found)
		return;
	snprintf(name, sizeof name, "entry:%s", each->found[0].source);
	kt_invocation_count(l, name);
}

/* A build is over when no process has reported for this long. */
enum { BUILD_S = 3600 };

/* Once a build: what is emitted is not what was measured. */
static void say_rebuilt(struct kt_invocation *l)
{
	struct kt_case *cases;
	const size_t total = kt_work_cases(&cases, l->work);
	const char *mark;
	struct kt_tree tree;
	bool rebuilt = false;
	int64_t said;

	for (size_t i = 0; i < total; i++)
		for (size_t f = 0; f < cases[i].found_count; f++)
			rebuilt = rebuilt || cases[i].found[f].rebuilt != NULL;
	if (!rebuilt)
		return;
	kt_invocation_count(l, "rebuilt");
	mark = kt_tree_find(&tree, l->arena, l->command->output) ? kt_arena_printf(l->arena, "rebuilt %s", tree.name) : NULL;
	if (mark != NULL && kt_store_get_mark(&said, l->store, mark, BUILD_S))
		return;
	if (mark != NULL)
		kt_store_add_mark(l->store, mark, 1, BUILD_S, KT_MARK_LAST);
	kt_say("%s: rebuilt by newer rules or from other source text, timing is of the older text; ktcc tune --refresh measures again",
	       l->command->input);
}

void kt_outcome_message(struct kt_invocation *l)
{
	struct kt_case *cases;
	size_t total = kt_work_cases(&cases, l->work), others = 0;
	const struct kt_case *first = NULL;
	const struct kt_found *near = NULL, *idle = NULL;

	say_rebuilt(l);
	for (size_t i = 0; i < total; i++) {
		count_match(l, &cases[i]);
		/* KTUNE_DEVICE may name a device for which nothing is compiled. */
		if (cases[i].reason == KT_REASON_NONE && idle == NULL && cases[i].found_count != 0 &&
		    !l->command->arch_native && !kt_work_compiles_for(l->work, cases[i].found[0].entry.device.cc))
			idle = &cases[i].found[0];
		if (cases[i].reason != KT_REASON_NONE)
			kt_invocation_count_reason(l, cases[i].reason);
		if (cases[i].reason == KT_REASON_NONE && near == NULL && cases[i].found_count != 0 &&
		    cases[i].found[0].closeness != KT_CLOSE_EXACT)
			near = &cases[i].found[0];
		if (cases[i].reason == KT_REASON_NONE || cases[i].reason == KT_REASON_BASELINE_BEST ||
		    kt_reason_quiet(cases[i].reason))
			continue;
		if (first == NULL)
			first = &cases[i];
		else
			others++;
	}
	if (first != NULL) {
		l->reason = first->reason;
		l->message = kt_arena_printf(
		    l->arena, "%s:%u: %s%s is left unmodified: %s%s", first->region->file, first->region->line,
		    first->reason == KT_REASON_NO_LOCK_DIR && l->config.mode != KT_MODE_CACHED ? "error: " : "",
		    kt_work_region_name(first->region), kt_reason_line_for(l->arena, first->reason, first->detail, first->region->file),
		    others != 0 ? kt_arena_printf(l->arena, " (and %zu more)", others) : "");
	} else if (idle != NULL) {
		l->message = kt_arena_printf(
		    l->arena, "%s: %s has the entry of %s, but sm_%lld is not compiled: the original runs",
		    l->command->input, idle->entry.name, idle->entry.device.name, (long long)idle->entry.device.cc);
	} else if (near != NULL) {
		l->message = kt_arena_printf(l->arena, "%s: %s uses the entry of %s (%s match)", l->command->input,
		                             near->entry.name, near->entry.device.name, kt_closeness_name(near->closeness));
	}
}

int kt_outcome_required(struct kt_invocation *l)
{
	return kt_work_say_required(l->work) ? KT_EXIT_REQUIRED : 0;
}

void kt_outcome_without_entry(struct kt_invocation *l)
{
	struct kt_case *cases;
	size_t total = kt_work_cases(&cases, l->work);

	for (size_t i = 0; i < total; i++)
		if (cases[i].reason == KT_REASON_NO_ENTRY || cases[i].reason == KT_REASON_NO_GPU)
			cases[i].reason = KT_REASON_CLANG;
}
