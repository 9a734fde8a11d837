/* The instances that a pragma is for: instances(float, <__half, 128>). */
#include <string.h>

#include "clauses.h"
#include "instances.h"
#include "launches.h"

static void report(struct kt_scan *scan, struct kt_found *found, const struct kt_pragma_instance *listed,
                   const char *message, const char *hint)
{
	kt_clause_report(scan, found, listed->offset, listed->text, message, hint);
}

/* The arguments as instances have them; NULL: reported. */
static const char **arguments_of(struct kt_scan *scan, struct kt_found *found, const struct kt_pragma_instance *listed)
{
	const struct kt_region *r = &found->region;
	const char **arguments = kt_arena_array(scan->arena, listed->count + 1, sizeof *arguments);
	if (arguments == NULL) {
		scan->failed = true;
		return NULL;
	}
	if (listed->count > r->template_count) {
		report(scan, found, listed,
		       kt_arena_printf(scan->arena, "'%s' has %zu template parameter%s, and '%s' names %zu", r->kernel, r->template_count,
		                       r->template_count == 1 ? "" : "s", listed->text, listed->count),
		       "write the first ones: an instance is meant whatever its other arguments are");
		return NULL;
	}
	for (size_t i = 0; i < listed->count; i++) {
		arguments[i] = kt_instance_argument(scan, &r->templates[i], listed->arguments[i]);
		if (arguments[i] == NULL) {
			report(scan, found, listed,
			       kt_arena_printf(scan->arena, "'%s' has no value for '%s' of '%s'", listed->arguments[i],
			                       r->templates[i].declaration, r->kernel), "write a constant");
			return NULL;
		}
	}
	return arguments;
}

/* "k<float>, k<__half>": the first ones. */
static const char *known_instances(struct kt_scan *scan, const struct kt_region *r)
{
	const char *text = "launched are";
	for (size_t i = 0; i < r->instance_count && i < 6 && text != NULL; i++)
		text = kt_arena_printf(scan->arena, "%s%s %s", text, i > 0 ? "," : "", r->instances[i].name);
	return r->instance_count > 6 && text != NULL ? kt_arena_printf(scan->arena, "%s, …", text) : text;
}

/* Marks those that it names; one that names none is a mistake. */
static void mark(bool *kept, struct kt_scan *scan, struct kt_found *found, const struct kt_pragma_instance *listed)
{
	const struct kt_region *r = &found->region;
	const char **arguments = arguments_of(scan, found, listed);
	bool any = false;
	for (size_t i = 0; arguments != NULL && i < r->instance_count; i++) {
		size_t same = 0;
		while (same < listed->count && strcmp(r->instances[i].arguments[same], arguments[same]) == 0)
			same++;
		kept[i] = kept[i] || same == listed->count;
		any = any || same == listed->count;
	}
	if (arguments != NULL && !any)
		report(scan, found, listed,
		       kt_arena_printf(scan->arena, "no instance '%s' of '%s' is launched", listed->text, r->kernel),
		       known_instances(scan, r));
}

/* Launches keep their instances, whose indices are others now. */
static void keep(struct kt_region *r, const bool *kept, int64_t *places)
{
	size_t count = 0;
	for (size_t i = 0; i < r->instance_count; i++) {
		places[i] = kept[i] ? (int64_t)count : -1;
		if (kept[i])
			r->instances[count++] = r->instances[i];
	}
	r->instance_count = count;
	for (size_t i = 0; i < r->launch_count; i++) {
		struct kt_launch *l = &r->launches[i];
		if (l->instance < 0)
			continue;
		l->instance = places[l->instance];
		if (l->instance < 0 && l->decline == NULL)
			l->decline = "instance-excluded";
	}
}

/* An earlier pragma of the same kernel, from *next on; NULL: there is none. */
static const struct kt_found *earlier(size_t *next, const struct kt_scan *scan, const struct kt_found *found)
{
	for (; *next < scan->found_count && scan->found[*next] != found; ++*next)
		if (scan->found[*next]->item == found->item)
			return scan->found[(*next)++];
	return NULL;
}

/* The instance of this name, and the item of the pragma that names it; NULL: there is none. */
static const struct kt_pragma_instance *listed_as(struct kt_scan *scan, struct kt_found *found, const struct kt_instance *instance)
{
	const struct kt_pragma *p = found->pragma;
	for (size_t i = 0; i < p->instance_count; i++) {
		const char **arguments = arguments_of(scan, found, &p->instances[i]);
		size_t same = 0;
		while (arguments != NULL && same < p->instances[i].count && strcmp(instance->arguments[same], arguments[same]) == 0)
			same++;
		if (arguments != NULL && same == p->instances[i].count)
			return &p->instances[i];
	}
	return NULL;
}

/* Each instance has one pragma. */
static void check_overlap(struct kt_scan *scan, struct kt_found *found, const struct kt_found *first)
{
	const struct kt_region *r = &found->region;
	for (size_t i = 0; i < r->instance_count; i++)
		for (size_t k = 0; k < first->region.instance_count; k++) {
			if (strcmp(r->instances[i].name, first->region.instances[k].name) != 0)
				continue;
			const struct kt_pragma_instance *listed = listed_as(scan, found, &r->instances[i]);
			if (listed != NULL)
				report(scan, found, listed,
				       kt_arena_printf(scan->arena, "'%s' has two pragmas, in lines %u and %u", r->instances[i].name,
				                       first->region.line, r->line), "name each instance in one of them");
			return;
		}
}

/*
 * Which instance a launch in a template has is known to the compiler alone, and its dispatcher is that of one pragma: the
 * first one.
 */
static void leave_dependent(struct kt_region *r)
{
	for (size_t i = 0; i < r->launch_count; i++)
		if (r->launches[i].instance < 0 && r->launches[i].decline == NULL)
			r->launches[i].decline = "instance-group";
}

kt_status kt_scan_listed(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	const struct kt_pragma *p = found->pragma;
	bool *kept = kt_arena_array(scan->arena, r->instance_count + 1, sizeof *kept);
	int64_t *places = kt_arena_array(scan->arena, r->instance_count + 1, sizeof *places);
	if (kept == NULL || places == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading instances");
	if (p->instance_count == 0)
		return KT_OK;
	if (r->template_count == 0) {
		report(scan, found, &p->instances[0], kt_arena_printf(scan->arena, "'%s' is no template", r->kernel),
		       "leave instances(…) out");
		return KT_OK;
	}
	/* Without any, the reason is another one. */
	if (r->instance_count == 0)
		return KT_OK;
	for (size_t i = 0; i < p->instance_count; i++)
		mark(kept, scan, found, &p->instances[i]);
	keep(r, kept, places);
	size_t next = 0;
	for (const struct kt_found *first; (first = earlier(&next, scan, found)) != NULL;) {
		check_overlap(scan, found, first);
		leave_dependent(r);
	}
	kt_launches_judge(scan, found);
	return scan->failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory reading instances") : KT_OK;
}
