#include "launches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generation/ir/number.h"

enum { MOST_ARGUMENTS = 24, BUFFER_BYTES = 16384 };

struct launch {
	struct kt_ir_actual actual[MOST_ARGUMENTS];
	struct kt_ir_buffer buffers[MOST_ARGUMENTS];
	unsigned char numbers[MOST_ARGUMENTS][16];
	struct ir_shape shape;
};

static uint32_t chance(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % limit;
}

static const struct kt_ir_type *leaf(const struct kt_ir_type *type)
{
	while (type->kind == KT_IR_VECTOR || type->kind == KT_IR_ARRAY || type->kind == KT_IR_POINTER)
		type = type->element;
	return type;
}

static void fill(unsigned char *data, size_t bytes, const struct kt_ir_type *type, uint64_t *seed)
{
	const size_t size = type->size == 0 ? 1 : type->size;
	/* Now and then with what is no number. */
	const bool has_nan = type->kind == KT_IR_FLOAT && chance(seed, 4) == 0;
	uint64_t bits;

	for (size_t i = 0; i + size <= bytes; i += size) {
		bits = chance(seed, 64);
		if (type->kind == KT_IR_FLOAT)
			bits = kt_ir_round(type->format, has_nan && chance(seed, 24) == 0 ? (double)NAN : ((double)bits - 32) / 4);
		memcpy(data + i, &bits, size < 8 ? size : 8);
	}
}

static void scalar(unsigned char *bytes, const struct kt_ir_type *type, uint64_t *seed)
{
	static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 33, 64, 100, 128};
	uint64_t bits = (uint64_t)sizes[chance(seed, sizeof sizes / sizeof *sizes)];

	if (type->kind == KT_IR_FLOAT)
		bits = kt_ir_round(type->format, ((double)bits - 8) / 4);
	if (type->kind == KT_IR_BOOL)
		bits &= 1;
	memcpy(bytes, &bits, type->size < 8 ? type->size : 8);
}

static void choose(struct launch *l, const struct kt_ir_function *kernel, uint64_t *seed)
{
	static const uint32_t widths[] = {1, 2, 4, 8, 16, 32, 33, 64}, heights[] = {1, 1, 1, 2, 4},
			      grids[] = {1, 2, 3, 8};

	memset(l, 0, sizeof *l);
	/* Most kernels use one dimension, and race with themselves in others. */
	l->shape = (struct ir_shape){{grids[chance(seed, 4)], 1, 1}, {widths[chance(seed, 8)], 1, 1}};
	if (chance(seed, 2) == 0) {
		l->shape.grid[1] = 1 + chance(seed, 3) / 2;
		l->shape.block[1] = heights[chance(seed, 5)];
		l->shape.block[2] = 1 + chance(seed, 8) / 7;
	}
	for (size_t i = 0; i < kernel->argument_count; i++) {
		const struct kt_ir_type *type = kernel->arguments[i]->type;

		if (type->kind != KT_IR_POINTER) {
			scalar(l->numbers[i], type, seed);
			l->actual[i].bytes = l->numbers[i];
			continue;
		}
		l->buffers[i] = (struct kt_ir_buffer){.data = malloc(BUFFER_BYTES), .size = BUFFER_BYTES};
		memset(l->buffers[i].data, 0, BUFFER_BYTES);
		fill(l->buffers[i].data, BUFFER_BYTES, leaf(type), seed);
		l->actual[i].buffer = &l->buffers[i];
		/* Off the alignment of vectors now and then. */
		l->actual[i].offset = chance(seed, 3) == 0 ? type->element->align * (uint64_t)chance(seed, 4) : 0;
	}
}

static struct kt_ir_result run(struct launch *l, const struct kt_ir_module *module, unsigned char *copies)
{
	const struct kt_ir_function *kernel = module->last_function;
	struct kt_ir_launch launch = {.dynamic_shared_bytes = 4096, .seed = 7, .step_limit = 400000};
	struct kt_ir_buffer mine[MOST_ARGUMENTS];
	struct kt_ir_actual actual[MOST_ARGUMENTS];
	struct kt_ir_result result;
	struct kt_error err;

	for (size_t i = 0; i < kernel->argument_count; i++) {
		actual[i] = l->actual[i];
		if (actual[i].buffer == NULL)
			continue;
		mine[i] = l->buffers[i];
		mine[i].data = copies + i * BUFFER_BYTES;
		memcpy(mine[i].data, l->buffers[i].data, BUFFER_BYTES);
		actual[i].buffer = &mine[i];
	}
	memcpy(launch.grid, l->shape.grid, sizeof launch.grid);
	memcpy(launch.block, l->shape.block, sizeof launch.block);
	launch.argument_count = kernel->argument_count;
	launch.arguments = actual;
	if (kt_ir_run(&result, module, kernel, &launch, &err) != KT_OK) {
		result = (struct kt_ir_result){.fault = KT_IR_UNKNOWN};
		snprintf(result.message, sizeof result.message, "%.200s", err.message);
	}
	return result;
}

static bool compare(struct ir_comparison *c, struct launch *l, const struct kt_ir_module *a,
		    const struct kt_ir_module *b, bool (*relaunch)(struct ir_shape *shape, const void *context),
		    const void *context, uint64_t seed)
{
	static unsigned char first[MOST_ARGUMENTS * BUFFER_BYTES], second[MOST_ARGUMENTS * BUFFER_BYTES];
	const size_t count = a->last_function->argument_count;
	const struct ir_shape shape = l->shape;
	struct ir_shape other = l->shape;
	struct kt_ir_result x = {.fault = KT_IR_NO_FAULT}, y;
	const bool is_launch = relaunch == NULL || relaunch(&other, context);

	if (is_launch)
		x = run(l, a, first);
	if (!is_launch || x.fault != KT_IR_NO_FAULT) {
		c->dropped++;
		c->fault = x.fault;
		return true;
	}
	l->shape = other;
	y = run(l, b, second);
	if (y.fault == KT_IR_ASSUMED) {
		c->dropped++;
		c->fault = y.fault;
		return true;
	}
	for (size_t i = 0; y.fault == KT_IR_NO_FAULT && i < count; i++)
		if (l->actual[i].buffer != NULL &&
		    memcmp(first + i * BUFFER_BYTES, second + i * BUFFER_BYTES, BUFFER_BYTES) != 0)
			snprintf(y.message, sizeof y.message, "'%.100s' differs", a->last_function->arguments[i]->hint);
	c->right++;
	if (y.message[0] == '\0')
		return true;
	snprintf(c->message, sizeof c->message, "seed %llu, grid %u,%u,%u, block %u,%u,%u: %s %.250s (line %u)",
		 (unsigned long long)seed, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
		 shape.block[2], kt_ir_fault_texts[y.fault], y.message, y.line);
	return false;
}

bool ir_same_results(struct ir_comparison *c, const struct kt_ir_module *original, const struct kt_ir_module *variant,
		     bool (*relaunch)(struct ir_shape *shape, const void *context), const void *context, uint64_t seed,
		     unsigned count)
{
	bool same = original->last_function->argument_count <= MOST_ARGUMENTS;
	struct launch l;

	memset(c, 0, sizeof *c);
	/* Launches that the original does not bear do not count. */
	for (unsigned i = 0; same && i < 4 * count && c->right < count; i++) {
		uint64_t state = seed + i;

		choose(&l, original->last_function, &state);
		same = compare(c, &l, original, variant, relaunch, context, seed + i);
		for (size_t k = 0; k < MOST_ARGUMENTS; k++)
			free(l.buffers[k].data);
	}
	return same;
}
