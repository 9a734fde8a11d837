/* ktcc scan: the regions of a file, as ktcc-clang sees them. */
#include <stdio.h>
#include <string.h>

#include "verbs/session.h"
#include "verbs/verbs.h"

/* The file is named where it is not the region's. */
static void print_launch(const struct kt_region *region, const struct kt_launch *launch)
{
	const bool elsewhere = strcmp(launch->file, region->file) != 0;

	printf("  launch at %s%s%u%s%s\n", elsewhere ? launch->file : "line", elsewhere ? ":" : " ", launch->line,
	       launch->decline != NULL ? ", left unmodified: " : "", launch->decline != NULL ? launch->decline : "");
}

static void print_region(struct kt_arena *arena, const struct kt_region *region)
{
	printf("%s:%u: %s (%s %s)\n", region->file, region->line, region->name,
	       region->step_count != 0 ? "launches from" : "kernel", region->qualified);
	if (region->decline != NULL)
		printf("  declined: %s: %s\n", region->decline,
		       kt_reason_line(arena, kt_reason_from_name(region->decline), region->decline_detail));
	for (size_t i = 0; i < region->instance_count; i++)
		printf("  instance %s\n", region->instances[i].name);
	for (size_t i = 0; i < region->parameter_count; i++) {
		printf("  parameter %s =", region->parameters[i].name);
		for (size_t v = 0; v < region->parameters[i].value_count; v++)
			printf("%s%lld", v != 0 ? ", " : " ", (long long)region->parameters[i].values[v]);
		printf("%s%s\n", region->parameters[i].fixed != NULL ? "  fixed: " : "",
		       region->parameters[i].fixed != NULL ? region->parameters[i].fixed : "");
	}
	for (size_t i = 0; i < region->restriction_count; i++)
		printf("  restriction %s%s\n", region->restrictions[i].text, region->restriction_is_guard[i] ? " (guard)" : "");
	printf("  problems %zu over", region->problem_count);
	for (size_t i = 0; i < region->variable_count; i++)
		printf(" %s", region->variables[i]);
	putchar('\n');
	for (size_t i = 0; i < region->buffer_count; i++)
		printf("  buffer %s[%s]\n", region->buffers[i].name, region->buffers[i].count.text);
	for (size_t i = 0; i < region->value_count; i++)
		printf("  value %s = %s%s\n", region->values[i].name, region->values[i].text,
		       region->values[i].assumed ? ", which no clause and no launch tells" : "");
	for (size_t i = 0; i < region->step_count; i++)
		printf("  step at line %u: %s\n", region->steps[i].line, region->steps[i].qualified);
	for (size_t i = 0; i < region->launch_count; i++)
		print_launch(region, &region->launches[i]);
}

int kt_verb_scan(const struct kt_given *given)
{
	struct kt_session session;
	struct kt_compile_command command;
	struct kt_error err;
	int code = 0;

	kt_compile_command_of(&command, given);
	if (kt_session_open(&session, &err) != KT_OK || kt_session_unit(&session, &command, &err) != KT_OK) {
		code = kt_verb_failed(&err);
	} else if (given->json) {
		/* The program's own line, passed on: the format is one, not two. */
		fputs(kt_buf_text(kt_work_scan_json(session.work)), stdout);
	} else {
		const struct kt_unit *unit = kt_work_unit(session.work);

		for (size_t i = 0; i < unit->region_count; i++)
			print_region(session.arena, &unit->regions[i]);
		if (unit->region_count == 0)
			puts("no region");
	}
	if (code == 0 && kt_work_unit(session.work)->has_errors)
		code = KT_EXIT_FAILED;
	kt_session_close(&session);
	return code;
}
