/* Which names the expressions of a reply may use. */
#include <string.h>

#include "base/device.h"
#include "generation/llm/reply.h"

struct scope {
	const struct kt_reply *reply;
	const struct kt_reply_names *names;
	bool pointers;       /* aligned() and disjoint() make sense: a guard */
	const char *unknown; /* the first one that is none */
};

static bool is_parameter(const struct kt_reply *reply, const char *name)
{
	return KT_FIND(reply->parameters, reply->parameter_count, name, name) != NULL;
}

static bool is_known(const struct scope *scope, const char *name, bool pointer)
{
	static const struct kt_device any;
	int64_t ignored;

	if (pointer)
		return scope->pointers && kt_has_text(scope->names->pointers, scope->names->pointer_count, name);
	return is_parameter(scope->reply, name) || kt_has_text(scope->names->names, scope->names->count, name) ||
	       kt_has_text(scope->names->parameters, scope->names->parameter_count, name) ||
	       kt_device_lookup(&ignored, name, &any);
}

static bool visit(const char *name, unsigned offset, bool pointer, void *context)
{
	struct scope *scope = context;

	(void)offset;
	if (is_known(scope, name, pointer))
		return true;
	scope->unknown = name;
	return false;
}

static kt_status check(const struct kt_clause_expr *clause, const char *what, struct scope *scope, struct kt_error *err)
{
	if (clause->expr == NULL || kt_expr_names(clause->expr, visit, scope))
		return KT_OK;
	return kt_fail(err, KT_ERR_INVALID, "%s: \"%.200s\": %s is no name of the region%s", what, clause->text,
	               scope->unknown,
	               kt_has_text(scope->names->pointers, scope->names->pointer_count, scope->unknown)
	                   ? " that has a value before the launch; pointers are allowed in aligned() and disjoint() of guards"
	                   : "");
}

static kt_status check_geometry(const struct kt_reply_geometry *geometry, struct scope *scope, struct kt_error *err)
{
	for (size_t i = 0; i < geometry->grid_count; i++)
		TRY(check(&geometry->grid[i], "grid", scope, err));
	for (size_t i = 0; i < geometry->block_count; i++)
		TRY(check(&geometry->block[i], "block", scope, err));
	return check(&geometry->shared_bytes, "shared_bytes", scope, err);
}

/* It is a parameter of every kernel of the plan. */
static kt_status check_temporary(const char *name, const struct scope *scope, struct kt_error *err)
{
	const struct kt_reply_names *names = scope->names;
	const char *whose = kt_has_text(names->names, names->count, name) ||
	                            kt_has_text(names->pointers, names->pointer_count, name) ||
	                            kt_has_text(names->parameters, names->parameter_count, name)
	                        ? "the region"
	                    : is_parameter(scope->reply, name) ? "a parameter"
	                                                       : NULL;

	for (size_t i = 0; whose == NULL && i < scope->reply->launch_count; i++)
		if (strcmp(scope->reply->launches[i].kernel, name) == 0)
			whose = "a kernel";
	return whose == NULL ? KT_OK
	                     : kt_fail(err, KT_ERR_INVALID, "/temporaries/%s: %s has this name already", name, whose);
}

static kt_status check_launch(const struct kt_reply_launch *launch, struct scope *scope, struct kt_error *err)
{
	const struct kt_reply_names *names = scope->names;

	for (size_t i = 0; i < launch->argument_count; i++) {
		const char *name = launch->arguments[i];

		if (!kt_has_text(names->names, names->count, name) &&
		    !kt_has_text(names->pointers, names->pointer_count, name) &&
		    KT_FIND(scope->reply->temporaries, scope->reply->temporary_count, name, name) == NULL)
			return kt_fail(err, KT_ERR_INVALID, "/launches/%s: %s is neither a name of the region nor a temporary",
			               launch->kernel, name);
	}
	return check_geometry(&launch->geometry, scope, err);
}

kt_status kt_reply_check_names(const struct kt_reply *reply, const struct kt_reply_names *names, struct kt_error *err)
{
	struct scope scope = {reply, names, false, NULL};
	kt_status status = KT_OK;

	for (size_t i = 0; i < reply->parameter_count; i++)
		if (kt_has_text(names->names, names->count, reply->parameters[i].name) ||
		    kt_has_text(names->pointers, names->pointer_count, reply->parameters[i].name))
			return kt_fail(err, KT_ERR_INVALID, "/parameters/%s: the region has this name already",
			               reply->parameters[i].name);
	for (size_t i = 0; i < reply->temporary_count; i++)
		TRY(check_temporary(reply->temporaries[i].name, &scope, err));
	for (size_t i = 0; status == KT_OK && i < reply->restriction_count; i++)
		status = check(&reply->restrictions[i].expr, "restrictions", &scope, err);
	THEN(status, check_geometry(&reply->geometry, &scope, err));
	for (size_t i = 0; status == KT_OK && i < reply->temporary_count; i++)
		status = check(&reply->temporaries[i].count, "temporaries", &scope, err);
	for (size_t i = 0; status == KT_OK && i < reply->launch_count; i++)
		status = check_launch(&reply->launches[i], &scope, err);
	scope.pointers = true;
	for (size_t i = 0; status == KT_OK && i < reply->guard_count; i++)
		status = check(&reply->guards[i].expr, "guards", &scope, err);
	return status;
}

kt_status kt_reply_names_of(struct kt_reply_names *out, struct kt_arena *arena, const struct kt_region *region,
                            struct kt_error *err)
{
	const size_t most = region->variable_count + region->value_count + region->argument_count;
	const char **names = kt_arena_array(arena, most + 1, sizeof *names);
	const char **pointers = kt_arena_array(arena, region->argument_count + 1, sizeof *pointers);
	const char **parameters = kt_arena_array(arena, region->parameter_count + 1, sizeof *parameters);
	struct kt_reply_names all = {.names = names, .pointers = pointers, .parameters = parameters};

	if (names == NULL || pointers == NULL || parameters == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for the names of %s", region->name);
	for (size_t i = 0; i < region->variable_count; i++)
		names[all.count++] = region->variables[i];
	for (size_t i = 0; i < region->value_count; i++)
		if (region->values[i].integral && !kt_has_text(names, all.count, region->values[i].name))
			names[all.count++] = region->values[i].name;
	for (size_t i = 0; i < region->argument_count; i++) {
		const struct kt_argument *argument = &region->arguments[i];

		if (argument->name[0] == '\0')
			continue;
		if (argument->is_pointer)
			pointers[all.pointer_count++] = argument->name;
		else if (region->instance_count > 0 && !kt_scalar_is_float(region->instances[0].elements[i]) &&
		         region->instances[0].elements[i] != KT_SCALAR_NONE &&
		         !kt_has_text(names, all.count, argument->name))
			names[all.count++] = argument->name;
	}
	for (size_t i = 0; i < region->parameter_count; i++)
		parameters[all.parameter_count++] = region->parameters[i].name;
	*out = all;
	return KT_OK;
}
