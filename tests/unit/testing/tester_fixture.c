#include "tester_fixture.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"

#define FIXTURE KT_SOURCE_DIR "/tests/unit/testing/data/synthetic.jsonl"

static const char *variables[] = {"n"};
static int64_t problems[] = {100, 2000};
static int64_t block_values[] = {128, 256, 512};
static struct kt_parameter parameters[] = {
    {.name = "BLOCK", .value_count = 3, .values = block_values, .kind = KT_PARAMETER_MACRO, .original = 128}};
static struct kt_argument arguments[] = {
    {.name = "y", .type = "float *", .is_pointer = true},
    {.name = "x", .type = "const float *", .is_pointer = true, .is_const = true},
    {.name = "n", .type = "int"},
    {.name = "a", .type = "float"},
};
static enum kt_scalar elements[] = {KT_F32, KT_F32, KT_I32, KT_F32};
static struct kt_value values[] = {{.name = "a", .argument = 3, .text = "1.5f", .number = 1.5}};

struct kt_clause_expr clause(struct fixture *f, const char *text)
{
	struct kt_clause_expr out = {.text = text};
	assert_int_equal(kt_expr_parse(&out.expr, f->arena, text, strlen(text), &f->err), KT_OK);
	return out;
}

static struct kt_buffer buffer(struct fixture *f, const char *name, int64_t argument, enum kt_direction direction)
{
	return (struct kt_buffer){.name = name, .argument = argument, .direction = direction, .count = clause(f, "n"),
	                          .absolute = -1, .relative = -1};
}

/* The runner of this build: the nearest runtime/ktcc-runner upward from this program. */
static void install_runner(struct fixture *f)
{
	char self[PATH_MAX] = "";
	ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
	assert_true(size > 0);
	const char *runner = NULL, *directory = self;
	while (!runner && strcmp(directory, "/") != 0) {
		directory = kt_path_dirname(f->arena, directory);
		char *path = kt_path_join(f->arena, directory, "runtime/ktcc-runner");
		runner = kt_fs_is_file(path) ? path : NULL;
	}
	assert_non_null(runner);
	char *libexec = kt_path_join(f->arena, f->folder, "libexec/ktcc");
	assert_int_equal(kt_fs_mkdirs(libexec, &f->err), KT_OK);
	assert_int_equal(symlink(runner, kt_path_join(f->arena, libexec, "ktcc-runner")), 0);
	assert_int_equal(setenv("KTUNE_PREFIX", f->folder, 1), 0);
}

int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	f->arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	assert_int_equal(kt_fs_temp_dir(&f->folder, f->arena, "kt-tester", &f->err), KT_OK);
	install_runner(f);
	assert_int_equal(setenv("KTUNE_TRY_SECONDS", "5", 1), 0);
	f->config.replay = FIXTURE;
	struct kt_buffer *buffers = kt_arena_array(f->arena, 2, sizeof *buffers);
	buffers[0] = buffer(f, "y", 0, KT_OUT);
	buffers[1] = buffer(f, "x", 1, KT_IN);
	f->region = (struct kt_region){
	    .name = "scale", .kernel = "scale", .argument_count = 4, .arguments = arguments, .variable_count = 1,
	    .variables = variables, .problem_count = 2, .problems = problems, .buffer_count = 2, .buffers = buffers,
	    .value_count = 1, .values = values, .parameter_count = 1, .parameters = parameters, .instance_count = 1,
	    .grid_count = 1, .block_count = 1};
	f->region.grid[0] = clause(f, "ceil_div(n, BLOCK)");
	f->region.block[0] = clause(f, "BLOCK");
	f->instance = (struct kt_instance){.name = "scale", .elements = elements};
	f->region.instances = &f->instance;
	f->template_ = (struct kt_template){.region = &f->region, .parameter_count = 1, .parameters = parameters,
	                                    .grid_count = 1, .block_count = 1, .grid = f->region.grid,
	                                    .block = f->region.block};
	*state = f;
	return 0;
}

int tear_down(void **state)
{
	struct fixture *f = *state;
	int failed = kt_fs_remove_tree(f->folder, &f->err) != KT_OK;
	kt_arena_free(f->arena);
	free(f);
	return failed;
}

struct kt_tester *open_region(struct fixture *f)
{
	struct kt_tester *t = NULL;
	if (kt_tester_open(&t, &f->config, NULL, NULL, &f->err) ||
	    kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err))
		fail_msg("%s", f->err.message);
	return t;
}

struct kt_outcome try_checks(struct fixture *f, struct kt_tester *t, int64_t block, enum kt_checks checks)
{
	struct kt_outcome out;
	struct kt_effort effort = {.warmups = 2, .repetitions = 10, .checks = checks};
	struct kt_candidate candidate = {"/nowhere.cubin", "scale", &block};
	if (kt_tester_try(&out, f->arena, t, &candidate, &effort, NULL, &f->err))
		fail_msg("%s", f->err.message);
	return out;
}

struct kt_outcome try_block(struct fixture *f, struct kt_tester *t, int64_t block)
{
	return try_checks(f, t, block, KT_CHECKS_NONE);
}
