/* A kernel in a temporary directory, its template, and how to compile it. Skips the test where no nvcc is. */
#ifndef KT_TEST_TUNING_COMPILE_FIXTURE_H
#define KT_TEST_TUNING_COMPILE_FIXTURE_H

#include "fixture.h"

#include "base/fs.h"
#include "tuning/batch.h"

struct compile_fixture {
	struct fixture f;
	char *directory, *source_directory, *scratch;
	char *arguments[8];
	struct kt_compile compile;
	const char *types[3];
	struct kt_argument signature[2];
};

static inline void compile_write(struct compile_fixture *c, const char *name, const char *text)
{
	if (kt_fs_write(kt_path_join(c->f.arena, c->source_directory, name), text, strlen(text), &c->f.err) != KT_OK)
		fail_msg("%s", c->f.err.message);
}

static inline bool compile_open(struct compile_fixture *c)
{
	memset(c, 0, sizeof *c);
	fixture_open(&c->f);
	struct kt_arena *arena = c->f.arena;
	char *nvcc = kt_path_find_program(arena, "nvcc");

	if (nvcc == NULL)
		nvcc = kt_path_find_program(arena, "/usr/local/cuda/bin/nvcc");
	if (nvcc == NULL) {
		fixture_close(&c->f);
		return false;
	}
	assert_int_equal(kt_fs_temp_dir(&c->directory, arena, "ktune-test", &c->f.err), KT_OK);
	/* A comma and a blank in the path must survive the host compiler's options. */
	c->source_directory = kt_path_join(arena, c->directory, "my src, v1");
	c->scratch = kt_path_join(arena, c->directory, "scratch");
	assert_int_equal(kt_fs_mkdirs(c->source_directory, &c->f.err), KT_OK);
	assert_int_equal(kt_fs_mkdirs(c->scratch, &c->f.err), KT_OK);
	c->arguments[0] = nvcc;
	c->arguments[1] = kt_arena_strdup(arena, "-O2");
	c->compile = (struct kt_compile){.arguments = c->arguments,
	                                 .directory = c->directory,
	                                 .scratch = c->scratch,
	                                 .arch = 90,
	                                 .jobs = 2,
	                                 .batch_most = 16};
	c->f.region.file = "my src, v1/scale.cu"; /* relative to the command's directory */
	c->types[0] = "float *";
	c->types[1] = "int";
	c->signature[0] = (struct kt_argument){.name = "x", .type = "float *"};
	c->signature[1] = (struct kt_argument){.name = "n", .type = "int"};
	c->f.region.arguments = c->signature;
	c->f.region.argument_count = 2;
	c->f.instance.types = c->types;
	return true;
}

static inline void compile_close(struct compile_fixture *c)
{
	if (kt_fs_remove_tree(c->directory, &c->f.err) != KT_OK)
		print_error("%s\n", c->f.err.message);
	fixture_close(&c->f);
}

#define COMPILE_OPEN(c) \
	if (!compile_open(c)) \
	skip()

#endif
