#include "engine.h"

const size_t *kt_chain_arguments(struct kt_arena *arena, size_t count)
{
	size_t *all = kt_arena_array(arena, count + 1, sizeof *all);
	for (size_t i = 0; all && i < count; i++)
		all[i] = i;
	return all;
}

kt_status kt_chain_load(struct kt_launchable *out, struct kt_engine *e, struct kt_arena *arena,
                        const struct kt_chain *further, struct kt_error *err)
{
	const size_t count = further->count, problems = e->region->problem_count;
	struct kt_function *functions = kt_arena_array(arena, count + 1, sizeof *functions);
	const struct kt_run_launch **then = kt_arena_array(arena, problems, sizeof *then);
	struct kt_run_launch *chain = kt_arena_array(arena, problems * count + 1, sizeof *chain);
	kt_status status = functions && then && chain ? KT_OK : kt_no_memory(err);
	for (size_t s = 0; !status && s < count; s++)
		status = e->ops->load(&functions[s], e->state, further->program, further->options,
		                      further->steps[s].function, further->original, err);
	for (size_t p = 0; !status && p < problems; p++) {
		for (size_t s = 0; s < count; s++) {
			struct kt_run_launch *launch = &chain[p * count + s];
			launch->function = &functions[s];
			launch->geometry = &further->geometry[p][s];
			/* One that names none gets what the first one gets. */
			launch->arguments = further->steps[s].arguments ? further->steps[s].arguments : out->arguments;
			launch->argument_count =
			    further->steps[s].arguments ? further->steps[s].argument_count : out->argument_count;
			launch->then = s + 1 < count ? launch + 1 : NULL;
		}
		then[p] = count ? &chain[p * count] : NULL;
	}
	out->then = then;
	return status;
}

kt_status kt_chain_steps(struct kt_engine *e, struct kt_arena *arena, const struct kt_run_region *region,
                         struct kt_error *err)
{
	struct kt_geometry **geometry = kt_arena_array(arena, region->problem_count, sizeof *geometry);
	const struct kt_chain chain = {region->cubin, region->options, region->steps + 1, region->step_count - 1, geometry,
	                               true};
	NEED(geometry, kt_no_memory(err));
	for (size_t p = 0; p < region->problem_count; p++)
		geometry[p] = region->problems[p].further;
	e->original.arguments = region->steps[0].arguments;
	e->original.argument_count = region->steps[0].argument_count;
	return kt_chain_load(&e->original, e, arena, &chain, err);
}

kt_status kt_chain_admit(struct kt_engine *e, const struct kt_launchable *what, size_t problem, struct kt_error *err)
{
	kt_status status = e->ops->admit(e->state, &what->function, &what->geometry[problem], err);
	const struct kt_run_launch *launch = what->then ? what->then[problem] : NULL;
	for (; !status && launch; launch = launch->then)
		status = e->ops->admit(e->state, launch->function, launch->geometry, err);
	return status;
}
