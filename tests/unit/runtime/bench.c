#include "bench.h"

#include <stdlib.h>
#include <string.h>

kt_status open_region(struct bench *b, const char *original)
{
	struct kt_run_failure failure = {false, SIZE_MAX};
	b->region.function = original;
	fake_kernels_forget();
	return b->backend.region(b->prepared, &failure, b->backend.state, b->arena, &b->region, &b->err);
}

void set_up(struct bench *b)
{
	*b = (struct bench){.arena = kt_arena_new(1 << 24)};
	struct kt_engine *e = &b->fake.engine;
	e->ops = &fake_ops;
	e->state = &b->fake;
	e->pages = b->fake.pages;
	e->fault = &b->fake.fault;
	e->align = 256;
	e->cache_bytes = 8192;
	e->offsets = true;
	e->shapes = 1;
	b->fake.sample_ns = 1000;
	b->fake.host_ns = 1500;
	b->fake.reasons = 0x40;
	kt_engine_backend(&b->backend, e);
	b->limits[0].relative = 1e-6;
	b->buffers[0] = (struct kt_run_buffer){.name = "y", .element = kt_element_of(KT_F32), .direction = KT_OUT};
	b->buffers[1] = (struct kt_run_buffer){.name = "x", .element = kt_element_of(KT_F32), .direction = KT_IN};
	for (size_t i = 0; i < 2; i++)
		b->buffers[i].limits = &b->limits[i];
	for (size_t i = 0; i < 2; i++)
		b->arguments[i] = (struct kt_run_argument){.is_buffer = true, .buffer = i};
	for (size_t p = 0; p < PROBLEMS; p++) {
		for (size_t i = 0; i < 2; i++)
			b->data[p][i] = (struct kt_run_data){.count = N + (p == ODD), .kind = KT_FILL_UNIFORM, .a = -1, .b = 1,
			                                     .seed = p + 1 + 10 * i, .offset = p == ODD && i ? 4 : 0,
			                                     .alias = KT_NO_BUFFER};
		b->problems[p] = (struct kt_run_problem){.text = "p", .data = b->data[p], .values = b->values,
		                                         .geometry = {{1, 1, 1}, {1, 1, 1}, 0}, .check = p != TUNING};
		b->geometry[p] = b->problems[p].geometry;
	}
	b->data[IN_PLACE][1].alias = 0;
	b->region = (struct kt_run_region){.name = "r", .instance = "r", .cubin = "c", .options = "", .limit_s = 1,
	                                   .argument_count = 2, .buffer_count = 2, .problem_count = PROBLEMS,
	                                   .arguments = b->arguments, .buffers = b->buffers, .problems = b->problems};
}

void make_symbol(struct bench *b, size_t buffer, size_t elements)
{
	b->fake.engine.symbols = true;
	b->buffers[buffer].symbol = b->buffers[buffer].name;
	b->buffers[buffer].symbol_bytes = elements * sizeof(float);
	free(b->fake.symbols[buffer]);
	/* What kernels write behind it is other memory of the program. */
	b->fake.symbols[buffer] = calloc(elements + 64, sizeof(float));
	assert_non_null(b->fake.symbols[buffer]);
	for (size_t p = 0; p < PROBLEMS; p++) {
		b->data[p][buffer].offset = 0;
		b->data[p][1].alias = KT_NO_BUFFER;
	}
	/* In place, the argument is where the symbol is. */
	b->data[IN_PLACE][1 - buffer].alias = buffer;
}

void tear_down(struct bench *b)
{
	free(b->fake.field);
	free(b->fake.host);
	free(b->fake.held);
	for (size_t i = 0; i < 2; i++)
		free(b->fake.symbols[i]);
	kt_arena_free(b->arena);
}

enum kt_verdict try_plan(struct bench *b, const char *function, struct kt_run_step *further, size_t count,
                                struct kt_geometry **geometry, int64_t repetitions)
{
	struct kt_run_candidate candidate = {.configuration = "C=1", .cubin = "c", .function = function, .options = "",
	                                     .geometry = b->geometry, .give_up_ns = b->give_up_ns,
	                                     .lost_ns = b->lost_ns, .order = b->order, .skip = b->skip,
	                                     .further = further, .further_count = count,
	                                     .further_geometry = geometry, .temporary_count = b->temporary_count,
	                                     .temporaries = b->temporaries, .temporary_counts = b->temporary_counts};
	struct kt_run_effort effort = {.warmups = 1, .repetitions = repetitions, .screen = b->screen};
	struct kt_run_outcome outcome = {.verdict = KT_VERDICT_OK, .trials = b->trials, .notes = b->notes};
	memset(b->trials, 0, sizeof b->trials);
	memset(b->notes, 0, sizeof b->notes);
	fake_kernels_forget();
	assert_int_equal(b->backend.try_candidate(&outcome, b->backend.state, b->arena, &candidate, &effort, &b->err),
	                 KT_OK);
	return outcome.verdict;
}

enum kt_verdict try(struct bench *b, const char *function, int64_t repetitions)
{
	return try_plan(b, function, NULL, 0, NULL, repetitions);
}
