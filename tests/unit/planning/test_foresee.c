/* What would be compared if the search ended now is compiled while it goes on. */
#include "../tuning/compile_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#include "planning/plan_internal.h"

enum { CONFIGURATIONS = 12 };

static const char source[] = "__global__ void scale(float *x, int n)\n"
                             "{\n"
                             "\tif (threadIdx.x < n) x[threadIdx.x] *= 1;\n"
                             "}\n";

struct search {
	struct compile_fixture c;
	struct kt_tuning s;
	struct kt_plan plan;
	struct kt_config config;
	struct kt_timing baseline;
};

/* nvcc behind a script that lists what it begins, and does not end while "hold" is there. */
static void use_watched(struct compile_fixture *c)
{
	compile_write(c, "nvcc.sh",
	              kt_arena_printf(c->f.arena,
	                              "#!/bin/sh\n"
	                              "for a; do case $a in *.cu) src=$a ;; esac; done\n"
	                              "here=${0%%/*}\n"
	                              "grep -o 'line 1 \"kt_c[0-9]*\"' \"$src\" | head -n 1 >> \"$here/begun\"\n"
	                              "while [ -e \"$here/hold\" ]; do sleep 0.01; done\n"
	                              "exec %s \"$@\"\n",
	                              c->arguments[0]));
	c->arguments[0] = kt_path_join(c->f.arena, c->source_directory, "nvcc.sh");
	assert_int_equal(chmod(c->arguments[0], 0755), 0);
	compile_write(c, "begun", "");
}

static bool has_begun(struct compile_fixture *c, size_t index)
{
	struct kt_buf text = KT_BUF(1 << 16);
	char word[32];
	bool found;

	snprintf(word, sizeof word, "kt_c%zu\"", index + 1);
	assert_int_equal(kt_fs_read(&text, kt_path_join(c->f.arena, c->source_directory, "begun"), &c->f.err), KT_OK);
	found = strstr(kt_buf_text(&text), word) != NULL;
	kt_buf_free(&text);
	return found;
}

static size_t count_begun(struct compile_fixture *c)
{
	size_t count = 0;

	for (size_t i = 0; i < CONFIGURATIONS; i++)
		count += has_begun(c, i);
	return count;
}

static bool open_search(struct search *t)
{
	static const struct kt_device device = {.cc = 90, .warp_size = 32, .max_threads_per_block = 1024};
	struct compile_fixture *c = &t->c;

	memset(t, 0, sizeof *t);
	if (!compile_open(c))
		return false;
	FIXTURE_TUNE(&c->f, "FACTOR", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	c->f.template_.head = "__global__ void ${ktune:kernel}(float *x, int n)";
	c->f.template_.body = "{\n\tif (threadIdx.x < n) x[threadIdx.x] *= ${FACTOR};\n}\n";
	use_watched(c);
	c->compile.jobs = 8;
	t->config.budget_seconds = 1000;
	t->baseline.median_ns = 1000;
	t->plan = (struct kt_plan){.config = &t->config, .template_ = &c->f.template_};
	t->s = (struct kt_tuning){.plan = &t->plan, .region = &c->f.region, .instance = &c->f.instance,
	                          .baseline = &t->baseline, .device = &device, .arena = c->f.arena, .problems = 1,
	                          .started_s = kt_now_s(), .deadline_s = kt_now_s() + 1000};
	assert_int_equal(kt_space_build(&t->s.space, &c->f.template_, &c->f.instance, &device, &c->f.err), KT_OK);
	assert_int_equal(kt_space_feasible(t->s.space), CONFIGURATIONS);
	assert_int_equal(kt_objective_open(&t->s.objective, 1, &c->f.err), KT_OK);
	kt_objective_baseline(t->s.objective, 0, 1000);
	if (kt_batch_open(&t->s.batch, &c->compile, &c->f.template_, &c->f.instance, source, strlen(source), &c->f.err) !=
	    KT_OK)
		fail_msg("%s", c->f.err.message);
	return true;
}

static void close_search(struct search *t)
{
	kt_batch_close(t->s.batch);
	kt_objective_close(t->s.objective);
	kt_space_free(t->s.space);
	compile_close(&t->c);
}

static void found(struct search *t, size_t index, double ns)
{
	double cost;

	assert_int_equal(kt_objective_add(&cost, t->s.objective, index, &ns, &t->c.f.err), KT_OK);
	kt_tuning_foresee(&t->s);
}

static void wait_for(struct search *t, size_t built)
{
	const double until_s = kt_now_s() + 60;

	while (kt_batch_foreseen(t->s.batch) < built) {
		assert_true(kt_now_s() < until_s);
		kt_batch_poll(t->s.batch);
		usleep(10000);
	}
}

/* When the search ends nothing is begun that could have been begun before, and nothing of it waited for. */
static void finalists_are_there(void **state)
{
	struct search t;
	struct kt_built one;
	size_t finalists[KT_FINALISTS_MOST], count;

	(void)state;
	if (!open_search(&t))
		skip();
	found(&t, 7, 900);
	found(&t, 3, 500);
	found(&t, 9, 505);
	count = kt_tuning_finalists(finalists, &t.s);
	assert_int_equal(count, 3);
	wait_for(&t, 3);
	compile_write(&t.c, "hold", ""); /* what began now would not end */
	kt_batch_cancel(t.s.batch);
	assert_int_equal(kt_tuning_foresee_these(&t.s, finalists, count), 3);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(
		    kt_batch_add_exact(t.s.batch, finalists[i] + 1, kt_space_get(t.s.space, finalists[i]), &t.c.f.err), KT_OK);
		assert_true(kt_batch_next(&one, t.s.batch, 60));
		assert_int_equal(one.ticket, finalists[i] + 1);
		assert_non_null(one.cubin);
		assert_false(one.screened);
	}
	assert_int_equal(count_begun(&t.c), 3);
	close_search(&t);
}

/* Who cannot be compared any more is not compiled on; the nearest to the best come first. */
static void who_is_overtaken_makes_room(void **state)
{
	struct search t;

	(void)state;
	if (!open_search(&t))
		skip();
	compile_write(&t.c, "hold", "");
	found(&t, 0, 900);
	for (size_t i = 1; i < 8; i++)
		found(&t, i, 500 + 100 * (double)i);
	/* Two places of eight are the background's. */
	kt_batch_poll(t.s.batch);
	found(&t, 8, 100);
	found(&t, 9, 101);
	found(&t, 10, 102);
	found(&t, 11, 103);
	assert_int_equal(unlink(kt_path_join(t.c.f.arena, t.c.source_directory, "hold")), 0);
	wait_for(&t, t.s.foreseen_count);
	for (size_t i = 8; i < 12; i++)
		assert_true(has_begun(&t.c, i));
	assert_false(has_begun(&t.c, 7));
	close_search(&t);
}

/* What nvcc has compiled anyway is not compiled again. */
static void binaries_of_nvcc_serve(void **state)
{
	struct search t;

	(void)state;
	if (!open_search(&t))
		skip();
	t.s.built = (struct kt_built[]){{.ticket = 4, .cubin = "x"}, {.ticket = 6, .cubin = "y", .screened = true}};
	t.s.built_count = 2;
	found(&t, 3, 500);
	assert_int_equal(t.s.foreseen_count, 0);
	found(&t, 5, 400);
	wait_for(&t, 1);
	assert_int_equal(t.s.foreseen_count, 1);
	assert_true(has_begun(&t.c, 5));
	assert_false(has_begun(&t.c, 3));
	close_search(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(finalists_are_there),
	    cmocka_unit_test(who_is_overtaken_makes_room),
	    cmocka_unit_test(binaries_of_nvcc_serve),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
