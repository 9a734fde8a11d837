/*
 * ir_compare [--launches N] [--seed S] [--verbose] FILE...: modules of the text form, such as `ktcc-clang lower`
 * prints.
 *
 * Each kernel is brought into normal form, pass by pass; after each pass that changed something, random launches must
 * give what those of the original give. Prints a line for each kernel that differs, or whose normal form is none, and
 * counts at the end. Exit code 1: there is a difference.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generation/ir/normal.h"
#include "generation/ir/pass.h"
#include "generation/ir/walk.h"
#include "launches.h"
#include "text_parse.h"

struct counts {
	unsigned kernels, right, launches, never, opaque, counted, loops, wrong, variants, variant_launches;
	unsigned applies[24]; /* by trial */
};

static unsigned launches = 8;
static uint64_t first_seed = 1;
static bool verbose;
static unsigned dropped[KT_IR_FAULTS];

static char *contents(const char *file)
{
	FILE *in = fopen(file, "rb");
	char *text = NULL;
	size_t used = 0, room = 0, got;

	if (in == NULL)
		return NULL;
	do {
		if (used + 65536 > room)
			text = realloc(text, room = 2 * room + 131072);
		got = text == NULL ? 0 : fread(text + used, 1, 65536, in);
		used += got;
	} while (got > 0);
	fclose(in);
	if (text != NULL)
		text[used] = '\0';
	return text;
}

static void show(const char *title, const struct kt_ir_module *module)
{
	struct kt_buf out = KT_BUF(KT_IR_TEXT_BYTES);

	kt_ir_print(&out, module);
	printf("---- %s\n%s\n", title, out.failed ? "" : out.data);
	kt_buf_free(&out);
}

static bool same(struct counts *n, const struct kt_ir_module *original, const struct kt_ir_module *now,
		 const char *pass)
{
	struct ir_comparison c;

	if (ir_same_results(&c, original, now, NULL, NULL, first_seed, launches)) {
		n->launches += c.right;
		dropped[c.fault] += c.dropped;
		return true;
	}
	n->wrong++;
	printf("%s: %s: %s\n", original->last_function->name, pass, c.message);
	show("original", original);
	show(pass, now);
	return false;
}

/* Pass by pass, until none changes anything. */
static bool steps(struct counts *n, const struct kt_ir_module *original, struct kt_ir_module *module)
{
	struct kt_error err = {0};
	bool changed = true;

	for (int round = 0; changed && round < 40; round++) {
		changed = false;
		for (int p = 0; p < KT_IR_NORMAL_PASSES; p++) {
			if (!kt_ir_normalise_by(module, (enum kt_ir_normal_number)p, NULL) && !module->failed)
				continue;
			changed = true;
			if (kt_ir_verify(module, false, &err) != KT_OK) {
				n->wrong++;
				printf("%s: %s: %s\n", original->last_function->name, kt_ir_normal_passes[p].name,
				       err.message);
				show("original", original);
				show(kt_ir_normal_passes[p].name, module);
				return false;
			}
			if (!same(n, original, module, kt_ir_normal_passes[p].name))
				return false;
		}
	}
	if (changed) {
		n->wrong++;
		printf("%s: the passes do not end\n", original->last_function->name);
		show("last", module);
	}
	return !changed;
}

struct tally {
	unsigned loops, fors, opaque;
};

static bool count(struct kt_ir_statement *s, void *context)
{
	struct tally *t = context;

	t->loops += s->kind == KT_IR_S_LOOP;
	t->fors += s->kind == KT_IR_S_FOR;
	t->opaque += s->kind == KT_IR_S_OPAQUE || s->kind == KT_IR_S_CALL;
	return true;
}

/* ---- Passes ---- */

/* How the variant is launched: fewer blocks along a dimension, or blocks of another size. */
struct division {
	int64_t by[3], block; /* block: of blocks of 32 threads; 0: as it is */
	bool keeps_grid;      /* there are as many blocks, of whatever size */
};

enum { MOST_VALUES = 5 };

/* Configurations of passes that change which thread does what; block: threads that the facts say, 0: nothing. */
static const struct trial {
	const char *pass;
	int64_t block, values[MOST_VALUES];
	struct division division;
} trials[] = {
    {"items", 0, {2, 1, 0}, {{2, 1, 1}, 0, false}},
    {"items", 0, {4, 0, 1}, {{4, 1, 1}, 0, false}},
    {"items_y", 0, {2}, {{1, 2, 1}, 0, false}},
    {"block_size", 32, {64}, {{1, 1, 1}, 64, false}},
    {"block_size", 32, {128}, {{1, 1, 1}, 128, false}},
    {"stride", 32, {4, 0, 1, 64, 0}, {{1, 1, 1}, 64, false}},
    {"stride", 32, {2, 1, 0, 128, 0}, {{1, 1, 1}, 128, false}},
    {"stride", 32, {1, 0, 0, 32, 1}, {{2, 1, 1}, 32, false}},
    {"stride", 32, {4, 0, 1, 64}, {{1, 1, 1}, 64, true}},
    {"stride", 32, {2, 1, 0, 128}, {{1, 1, 1}, 128, true}},
    {"blocks", 32, {2}, {{2, 1, 1}, 32, false}},
    {"loop_vector", 0, {2}, {{1, 1, 1}, 0, false}},
    {"loop_vector", 0, {4}, {{1, 1, 1}, 0, false}},
    {"combine", 32, {1}, {{1, 1, 1}, 32, false}},
    {"combine", 32, {2}, {{1, 1, 1}, 32, false}},
    {"bins", 32, {1}, {{1, 1, 1}, 32, false}},
    {"bins", 32, {4}, {{1, 1, 1}, 32, false}},
};

/* The launch of the variant, where the original's divides evenly. */
static bool relaunch(struct ir_shape *shape, const void *context)
{
	const struct division *d = context;
	uint32_t threads;

	for (int i = 0; i < 3; i++) {
		if (shape->grid[i] % d->by[i] != 0)
			return false;
		shape->grid[i] /= (uint32_t)d->by[i];
	}
	if (d->block == 0)
		return true;
	threads = shape->grid[0] * shape->block[0];
	if (shape->block[0] != 32 || shape->block[1] * shape->block[2] != 1 || (!d->keeps_grid && threads % d->block != 0))
		return false;
	shape->block[0] = (uint32_t)d->block;
	if (!d->keeps_grid)
		shape->grid[0] = threads / (uint32_t)d->block;
	return true;
}

/* One configuration of a pass that applies. */
static bool variant(struct counts *n, struct kt_arena *arena, const struct kt_ir_offer *offer, const int64_t *values,
		    const struct division *division)
{
	struct kt_ir_module *made;
	struct ir_comparison c;
	struct kt_error err;

	if (kt_ir_variant_make(&made, arena, offer, values, &err) != KT_OK) {
		printf("%s: %s\n", offer->kernel->name, err.message);
		n->wrong++;
		return false;
	}
	n->variants++;
	if (ir_same_results(&c, offer->module, made, relaunch, division, first_seed, launches)) {
		n->variant_launches += c.right;
		return true;
	}
	n->wrong++;
	printf("%s: %s of %lld, %lld: %s\n", offer->kernel->name, offer->answers[0].pass->name, (long long)values[0],
	       (long long)values[1], c.message);
	show("original", offer->module);
	show("variant", made);
	return false;
}

/* Does a pass that divides the grid of a loop change what the loop over a block is? That has as many blocks. */
static bool is_of_grid(const struct kt_ir_offer *offer)
{
	for (size_t i = 0; i < offer->tunable_count; i++)
		if (strcmp(offer->tunables[i].name, "WAVES") == 0)
			return true;
	return false;
}

/* Random launches do not know the guard that each index has a thread. */
static bool asks_for_threads(const struct kt_ir_offer *offer)
{
	static const char begin[] = "each iteration is that of another thread";

	for (size_t i = 0; i < offer->guard_count; i++)
		if (strncmp(offer->guards[i].reason, begin, sizeof begin - 1) == 0)
			return true;
	return false;
}

static bool passes(struct counts *n, struct kt_arena *arena, const struct kt_ir_module *original)
{
	const struct kt_ir_function *kernel = original->last_function;
	struct kt_ir_argument_facts *arguments = kt_arena_array(arena, kernel->argument_count + 1, sizeof *arguments);
	int64_t *most = kt_arena_array(arena, kernel->argument_count + 1, sizeof *most);
	struct kt_ir_offer *offer;
	struct kt_error err;

	/* Buffers of launches do not overlap, whatever their counts. Some elements that are accumulated in have no copies. */
	for (size_t i = 0; arguments != NULL && most != NULL && i < kernel->argument_count; i++) {
		arguments[i] = (struct kt_ir_argument_facts){kernel->arguments[i]->hint, "1", false};
		most[i] = 12;
	}
	for (size_t t = 0; t < sizeof trials / sizeof *trials; t++) {
		const struct trial *trial = &trials[t];
		const struct kt_ir_facts facts = {.block = {trial->block, trial->block != 0, trial->block != 0},
						  .arguments = arguments,
						  .most = most,
						  .grid = {"8", "8", "8"},
						  .blocks = {"32", "1", "1"},
						  .allowed = &trial->pass,
						  .allowed_count = 1};

		if (kt_ir_offer_make(&offer, arena, original, &facts, &err) != KT_OK || offer->answer_count != 1 ||
		    !offer->answers[0].applies)
			continue;
		if (strcmp(trial->pass, "stride") == 0 && (is_of_grid(offer) == trial->division.keeps_grid || asks_for_threads(offer)))
			continue;
		n->applies[t]++;
		if (!variant(n, arena, offer, trial->values, &trial->division))
			return false;
	}
	return true;
}

static void kernel(struct counts *n, const char *text)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES * 4);
	struct kt_ir_module *original, *module;
	struct tally tally = {0, 0, 0};
	const unsigned before = n->launches;
	struct kt_error err;

	if (kt_ir_parse(&original, arena, text, &err) != KT_OK || original->last_function == NULL ||
	    !original->last_function->is_kernel) {
		kt_arena_free(arena);
		return;
	}
	n->kernels++;
	module = kt_ir_copy(original, arena, true);
	if (module != NULL && steps(n, original, module)) {
		n->right++;
		(void)passes(n, arena, original);
		(void)kt_ir_visit(&module->last_function->body, count, &tally);
		n->opaque += tally.opaque > 0;
		n->loops += tally.loops + tally.fors > 0;
		n->counted += tally.loops == 0 && tally.fors > 0;
		n->never += n->launches == before;
		if (verbose)
			show(tally.loops > 0 ? "loops left" : "normal form", module);
	}
	kt_arena_free(arena);
}

/* Modules one after the other: each begins with a line "module". */
static void file(struct counts *n, char *text)
{
	char *start = text, *next;

	while (start != NULL &&
	       (start = strncmp(start, "module", 6) == 0 ? start : strstr(start, "\nmodule")) != NULL) {
		start += *start == '\n';
		next = strstr(start + 1, "\nmodule");
		if (next != NULL)
			*next = '\0';
		kernel(n, start);
		if (next != NULL)
			*next = '\n';
		start = next;
	}
}

int main(int argc, char **argv)
{
	struct counts n = {0};

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--launches") == 0 && i + 1 < argc) {
			launches = (unsigned)strtoul(argv[++i], NULL, 10);
		} else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
			first_seed = strtoul(argv[++i], NULL, 10);
		} else if (strcmp(argv[i], "--verbose") == 0) {
			verbose = true;
		} else {
			char *text = contents(argv[i]);

			if (text == NULL) {
				fprintf(stderr, "ir_compare: '%s' cannot be read\n", argv[i]);
				return 2;
			}
			file(&n, text);
			free(text);
		}
	}
	printf(
	    "%u kernels, %u in normal form, %u launches the same, %u without a launch, %u with loops, %u with counted "
	    "loops alone, "
	    "%u with opaque statements or calls, ",
	    n.kernels, n.right, n.launches, n.never, n.loops, n.counted, n.opaque);
	for (size_t t = 0; t < sizeof trials / sizeof *trials; t++)
		if (t == 0 || strcmp(trials[t].pass, trials[t - 1].pass) != 0 ||
		    trials[t].division.keeps_grid != trials[t - 1].division.keeps_grid)
			printf("%u of which %s%s applies, ", n.applies[t], trials[t].pass, trials[t].division.keeps_grid ? " of blocks" : "");
	printf("%u variants, %u launches of variants the same, %u wrong\n", n.variants, n.variant_launches, n.wrong);
	for (int f = 1; verbose && f < KT_IR_FAULTS; f++)
		printf("dropped: %u launches, the last one by %s\n", dropped[f], kt_ir_fault_texts[f]);
	return n.wrong > 0;
}
