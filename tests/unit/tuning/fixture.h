/* Regions and templates made by hand, without a scan. Failures end the test. */
#ifndef KT_TEST_TUNING_FIXTURE_H
#define KT_TEST_TUNING_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/template.h"
#include "tuning/space.h"

struct fixture {
	struct kt_arena *arena;
	struct kt_region region;
	struct kt_instance instance;
	struct kt_template template_;
	struct kt_parameter parameters[KT_PARAMETERS];
	struct kt_clause_expr restrictions[64], guards[8], grid[3], block[3];
	bool restriction_is_guard[64];
	const char *variables[KT_PROBLEM_VARIABLES];
	struct kt_error err;
};

static inline void fixture_open(struct fixture *f)
{
	memset(f, 0, sizeof *f);
	f->arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	assert_non_null(f->arena);
	f->region.name = f->region.kernel = f->region.qualified = "scale";
	f->region.file = "scale.cu";
	f->region.variables = f->variables;
	f->region.parameters = f->parameters;
	f->region.restrictions = f->restrictions;
	f->region.restriction_is_guard = f->restriction_is_guard;
	f->region.guards = f->guards;
	f->region.instances = &f->instance;
	f->region.instance_count = 1;
	f->instance.name = "scale";
	f->template_.region = &f->region;
	f->template_.generator = "explicit";
	f->template_.rationale = f->template_.helpers = "";
	f->template_.parameters = f->parameters;
	f->template_.restrictions = f->restrictions;
	f->template_.guards = f->guards;
	f->template_.grid = f->grid;
	f->template_.block = f->block;
}

static inline void fixture_close(struct fixture *f)
{
	kt_arena_free(f->arena);
}

static inline struct kt_parameter *fixture_tune(struct fixture *f, const char *name, size_t count,
                                                const int64_t *values)
{
	struct kt_parameter *parameter = &f->parameters[f->region.parameter_count++];

	f->template_.parameter_count = f->region.parameter_count;
	parameter->name = name;
	parameter->value_count = count;
	parameter->values = kt_arena_array(f->arena, count + 1, sizeof *values);
	assert_non_null(parameter->values);
	if (count > 0)
		memcpy(parameter->values, values, count * sizeof *values);
	parameter->original = count > 0 ? values[0] : 0;
	return parameter;
}

#define FIXTURE_TUNE(f, name, ...) \
	fixture_tune(f, name, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})

static inline struct kt_clause_expr fixture_expr(struct fixture *f, const char *text)
{
	struct kt_clause_expr clause = {text, 0, NULL};
	kt_status status = kt_expr_parse(&clause.expr, f->arena, text, strlen(text), &f->err);

	if (status != KT_OK)
		fail_msg("%s: %s", text, f->err.message);
	return clause;
}

static inline void fixture_restrict(struct fixture *f, const char *text)
{
	f->restrictions[f->region.restriction_count++] = fixture_expr(f, text);
	f->template_.restriction_count = f->region.restriction_count;
}

static inline void fixture_guard(struct fixture *f, const char *text)
{
	f->guards[f->region.guard_count++] = fixture_expr(f, text);
	f->template_.guard_count = f->region.guard_count;
}

/* One problem variable with its values: as many problems. */
static inline void fixture_problem(struct fixture *f, const char *name, size_t count, int64_t *values)
{
	f->variables[0] = name;
	f->region.variable_count = 1;
	f->region.problem_count = count;
	f->region.problems = values;
}

static inline void fixture_grid(struct fixture *f, const char *text)
{
	f->grid[f->template_.grid_count++] = fixture_expr(f, text);
}

static inline void fixture_block(struct fixture *f, const char *text)
{
	f->block[f->template_.block_count++] = fixture_expr(f, text);
}

static inline struct kt_space *fixture_space(struct fixture *f, const struct kt_device *device)
{
	struct kt_space *space = NULL;

	if (kt_space_build(&space, &f->template_, &f->instance, device, &f->err) != KT_OK)
		fail_msg("%s", f->err.message);
	return space;
}

#endif
