/*
 * __restrict__ for arguments that guards keep disjoint from all others: the compiler may then keep across stores what it has
 * read, and read ahead of them, so that all loads are under way together.
 *
 * Sound when: the argument and each other one, where one of the two is written, do not overlap, because the declaration or a
 * guard ensures it; all memory that the kernel reaches is its arguments', shared, or private to a thread; and what reads
 * and writes it is known. Where no other strategy needs a guard about overlaps, only EVEN adds some: a kernel that
 * works in place keeps its other variants.
 */
#include <string.h>

#include "generation/rules/family.h"

struct touched {
	bool any, written;
};

/* The guard that two arguments do not overlap where one is written; "": nothing has to be asked; NULL: it cannot. */
static const char *guard_text(struct kt_family *family, const struct touched *touched, size_t a, size_t b)
{
	const struct kt_tree_variable *one = family->kernel->variables[a], *two = family->kernel->variables[b];

	if (a == b || !touched[a].any || !touched[b].any || (!touched[a].written && !touched[b].written) ||
	    !kt_roots_may_alias(one, two))
		return "";
	return kt_family_apart(family, one, two);
}

/* Which arguments are touched; false: memory is reached in a way that is not known, or belongs to none of them. */
static bool read_touched(struct touched *touched, const struct kt_effects *effects)
{
	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *access = &effects->accesses[i];

		if (access->root->argument < 0 && !access->root->is_shared && !access->root->is_local)
			return false;
		if (access->root->argument >= 0) {
			touched[access->root->argument].any = true;
			touched[access->root->argument].written |= access->writes || access->atomic;
		}
	}
	return effects->unknown == NULL;
}

static bool has_guard(const struct kt_family *family, const char *text)
{
	for (size_t i = 0; i < family->guard_count; i++)
		if (strncmp(family->guards[i].text, text, strlen(text)) == 0)
			return true;
	return false;
}

/* With guards against every other argument, where there can be some. */
static bool set_apart(struct kt_family *family, const struct touched *touched, size_t a, bool even)
{
	const size_t count = family->kernel->region->argument_count;
	bool new = false;

	if (!touched[a].any || family->guard_count + count > KT_RULE_CLAUSES)
		return false;
	for (size_t b = 0; b < count; b++)
		if (guard_text(family, touched, a, b) == NULL)
			return false;
	for (size_t b = 0; b < count; b++) {
		const char *text = guard_text(family, touched, a, b);

		new = new || text[0] != '\0';
		if (text[0] != '\0' && !has_guard(family, text))
			kt_family_guard(family, kt_family_text(family, "%s%s", even ? "EVEN == 0 || " : "", text),
			                "no load waits for a store");
	}
	family->apart[a] = (struct kt_rule_apart){true, even};
	return new;
}

void kt_rule_restrict(struct kt_family *family)
{
	const struct kt_region *r = family->kernel->region;
	struct touched *touched = kt_arena_array(family->kernel->arena, r->argument_count + 1, sizeof *touched);
	const bool always = has_guard(family, "disjoint(");
	struct kt_effects effects;
	struct kt_error ignored;
	bool applies = false;

	if (!kt_family_allows(family, "restrict") || !kt_rule_target(family)->has_addresses || touched == NULL ||
	    !(always || kt_family_has(family, "EVEN")) ||
	    kt_effects_read(&effects, &family->polys, family->kernel->body, 0, &ignored) != KT_OK ||
	    !read_touched(touched, &effects))
		return;
	family->apart = kt_arena_array(family->kernel->arena, r->argument_count + 1, sizeof *family->apart);
	for (size_t a = 0; family->apart != NULL && a < r->argument_count; a++)
		applies = set_apart(family, touched, a, !always) || applies;
	if (applies)
		kt_family_applied(family, "restrict", "a guard ensures that buffers of which one is written do not overlap");
}
