/* What nvcc is asked for before anyone waits: originals, and binaries of likely finalists. */
#include "compile_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tuning/early.h"

static const char source[] = "__global__ void scale(float *x, int n)\n"
                             "{\n"
                             "\tif (threadIdx.x < n) x[threadIdx.x] *= 2;\n"
                             "}\n";

static void use_plain(struct compile_fixture *c)
{
	FIXTURE_TUNE(&c->f, "FACTOR", 1, 2, 3);
	c->f.template_.head = "__global__ void ${ktune:kernel}(float *x, int n)";
	c->f.template_.body = "{\n\tif (threadIdx.x < n) x[threadIdx.x] *= ${FACTOR};\n}\n";
}

/*
 * nvcc behind a script that keeps a list of what was begun, one line a unit, and of what ended. While the file "hold" is
 * there nothing ends.
 */
static void use_watched(struct compile_fixture *c)
{
	compile_write(c, "nvcc.sh",
	              kt_arena_printf(c->f.arena,
	                              "#!/bin/sh\n"
	                              "for a; do case $a in *.cu) src=$a ;; esac; done\n"
	                              "here=${0%%/*}; name=${src##*/}\n"
	                              "echo \"$name $(grep -o 'kt_c[0-9]*\"' \"$src\" | sort -u | tr -d '\\n\"')\" >> \"$here/begun\"\n"
	                              "while [ -e \"$here/hold\" ]; do sleep 0.01; done\n"
	                              "%s \"$@\" || exit 1\n"
	                              "echo \"$name\" >> \"$here/ended\"\n",
	                              c->arguments[0]));
	c->arguments[0] = kt_path_join(c->f.arena, c->source_directory, "nvcc.sh");
	assert_int_equal(chmod(c->arguments[0], 0755), 0);
	compile_write(c, "begun", "");
	compile_write(c, "ended", "");
}

static size_t lines(struct compile_fixture *c, const char *name, const char *word)
{
	struct kt_buf text = KT_BUF(1 << 16);
	size_t count = 0;

	assert_int_equal(kt_fs_read(&text, kt_path_join(c->f.arena, c->source_directory, name), &c->f.err), KT_OK);
	for (const char *line = kt_buf_text(&text), *at; (at = strchr(line, '\n')) != NULL; line = at + 1) {
		count += memmem(line, (size_t)(at - line), word, strlen(word)) != NULL;
	}
	kt_buf_free(&text);
	return count;
}

/* How many were begun before that one. */
static size_t line_of(struct compile_fixture *c, const char *word)
{
	struct kt_buf text = KT_BUF(1 << 16);
	size_t count = 0;
	const char *found;

	assert_int_equal(kt_fs_read(&text, kt_path_join(c->f.arena, c->source_directory, "begun"), &c->f.err), KT_OK);
	found = strstr(kt_buf_text(&text), word);
	assert_non_null(found);
	for (const char *at = kt_buf_text(&text); at < found; at++)
		count += *at == '\n';
	kt_buf_free(&text);
	return count;
}

static void hold(struct compile_fixture *c, bool holds)
{
	compile_write(c, "hold", "");
	if (!holds)
		assert_int_equal(unlink(kt_path_join(c->f.arena, c->source_directory, "hold")), 0);
}

static struct kt_batch *open_batch(struct compile_fixture *c)
{
	struct kt_batch *batch = NULL;

	if (kt_batch_open(&batch, &c->compile, &c->f.template_, &c->f.instance, source, strlen(source), &c->f.err) != KT_OK)
		fail_msg("%s", c->f.err.message);
	return batch;
}

static void next(struct kt_built *one, struct kt_batch *batch, size_t ticket)
{
	assert_true(kt_batch_next(one, batch, 60));
	assert_int_equal(one->ticket, ticket);
	if (one->cubin == NULL)
		fail_msg("%s", one->message);
	assert_true(kt_fs_is_file(one->cubin));
}

static void start_original(struct kt_early *early, struct compile_fixture *c)
{
	if (kt_early_original(early, c->f.arena, &c->compile, &c->f.template_, &c->f.instance, source, strlen(source),
	                      KT_UNIT_CUBIN, 7, &c->f.err) != KT_OK)
		fail_msg("%s", c->f.err.message);
}

/* A batch takes over the original's compiler that runs or has ended; the next one takes the cubin. */
static void test_original_is_taken_over(void **state)
{
	for (int ended = 0; ended < 2; ended++) {
		struct compile_fixture c;
		struct kt_early early;
		struct kt_built one;

		(void)state;
		COMPILE_OPEN(&c);
		use_plain(&c);
		use_watched(&c);
		hold(&c, ended == 0);
		start_original(&early, &c);
		while (ended == 1 && !kt_proc_poll(early.proc, 1))
			;
		c.compile.original = &early;
		for (int i = 0; i < 2; i++) {
			struct kt_batch *batch = open_batch(&c);

			assert_int_equal(kt_batch_add(batch, 0, NULL, &c.f.err), KT_OK);
			assert_int_equal(kt_batch_flush(batch, &c.f.err), KT_OK);
			hold(&c, false);
			next(&one, batch, 0);
			assert_string_equal(one.cubin, early.output);
			assert_non_null(strstr(one.function, "scale"));
			assert_int_equal(lines(&c, "begun", ".cu"), 1);
			if (i == 0)
				assert_in_range((size_t)(1e3 * kt_batch_exact_seconds(batch)), 1, 60000);
			kt_batch_close(batch);
		}
		kt_early_close(&early);
		compile_close(&c);
	}
}

/* Another text, another architecture, a compiler that failed: compiled as if nothing had been begun. */
static void test_original_of_another_unit(void **state)
{
	for (int what = 0; what < 3; what++) {
		struct compile_fixture c;
		struct kt_early early;
		struct kt_built one;
		struct kt_batch *batch;

		(void)state;
		COMPILE_OPEN(&c);
		use_plain(&c);
		use_watched(&c);
		if (what == 0)
			c.f.region.is_static = true;
		if (what == 2)
			c.arguments[2] = kt_arena_strdup(c.f.arena, "-DBROKEN=(");
		start_original(&early, &c);
		c.f.region.is_static = false;
		if (what == 1)
			c.compile.arch = 80;
		if (what == 2) {
			/* It was killed, or there was no memory. */
			kt_early_close(&early);
			c.arguments[2] = NULL;
		}
		c.compile.original = &early;
		batch = open_batch(&c);
		assert_int_equal(kt_batch_add(batch, 0, NULL, &c.f.err), KT_OK);
		next(&one, batch, 0);
		assert_string_not_equal(one.cubin, early.output);
		kt_batch_close(batch);
		kt_early_close(&early);
		compile_close(&c);
	}
}

static const int64_t *factor(struct compile_fixture *c, int64_t value)
{
	int64_t *out = kt_arena_array(c->f.arena, 1, sizeof *out);

	*out = value;
	return out;
}

static void foresee(struct kt_batch *batch, struct compile_fixture *c, const size_t *tickets, size_t count)
{
	struct kt_foreseen wanted[8];

	for (size_t i = 0; i < count; i++)
		wanted[i] = (struct kt_foreseen){tickets[i], factor(c, (int64_t)tickets[i])};
	kt_batch_foresee(batch, wanted, count);
}

static void wait_for(struct compile_fixture *c, struct kt_batch *batch, const char *list, const char *word, size_t count)
{
	const double until_s = kt_now_s() + 60;

	while (lines(c, list, word) < count) {
		assert_true(kt_now_s() < until_s);
		kt_batch_poll(batch);
		usleep(10000);
	}
}

/* What was foreseen is there when it is asked for: nothing is begun, and nothing waited for. */
static void test_foreseen_is_there(void **state)
{
	static const size_t tickets[] = {3, 5};
	struct compile_fixture c;
	struct kt_built one;

	(void)state;
	COMPILE_OPEN(&c);
	use_plain(&c);
	use_watched(&c);
	struct kt_batch *batch = open_batch(&c);
	foresee(batch, &c, tickets, 2);
	assert_int_equal(kt_batch_pending(batch), 0);
	wait_for(&c, batch, "ended", ".cu", 2);
	while (kt_batch_foreseen(batch) < 2)
		kt_batch_poll(batch);
	hold(&c, true); /* a compiler that began now would not end */
	kt_batch_cancel(batch);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(kt_batch_add_exact(batch, tickets[i], factor(&c, (int64_t)tickets[i]), &c.f.err), KT_OK);
		next(&one, batch, tickets[i]);
		assert_false(one.screened);
		assert_non_null(strstr(one.function, i == 0 ? "5kt_c3" : "5kt_c5"));
	}
	assert_int_equal(lines(&c, "begun", ".cu"), 2);
	hold(&c, false);
	kt_batch_close(batch);
	compile_close(&c);
}

/* One that runs when it is asked for goes on; it is not started again, and survives that candidates are cancelled. */
static void test_foreseen_goes_on(void **state)
{
	static const size_t tickets[] = {3};
	struct compile_fixture c;
	struct kt_built one;

	(void)state;
	COMPILE_OPEN(&c);
	use_plain(&c);
	use_watched(&c);
	hold(&c, true);
	struct kt_batch *batch = open_batch(&c);
	foresee(batch, &c, tickets, 1);
	wait_for(&c, batch, "begun", "kt_c3", 1);
	kt_batch_cancel(batch);
	assert_int_equal(kt_batch_add_exact(batch, 3, factor(&c, 3), &c.f.err), KT_OK);
	assert_int_equal(kt_batch_flush(batch, &c.f.err), KT_OK);
	assert_false(kt_batch_next(&one, batch, 0.1));
	hold(&c, false);
	next(&one, batch, 3);
	assert_int_equal(lines(&c, "begun", ".cu"), 1);
	kt_batch_close(batch);
	compile_close(&c);
}

/* Who is overtaken is killed, and makes room for who overtook; what was compiled of it is kept. */
static void test_overtaken(void **state)
{
	static const size_t before[] = {3}, after[] = {5, 3};
	struct compile_fixture c;

	(void)state;
	COMPILE_OPEN(&c);
	use_plain(&c);
	use_watched(&c);
	hold(&c, true);
	struct kt_batch *batch = open_batch(&c);
	foresee(batch, &c, before, 1);
	wait_for(&c, batch, "begun", "kt_c3", 1);
	foresee(batch, &c, after, 1);
	hold(&c, false);
	wait_for(&c, batch, "ended", ".cu", 1);
	assert_int_equal(lines(&c, "begun", "kt_c5"), 1);
	while (kt_batch_foreseen(batch) < 1)
		kt_batch_poll(batch);
	/* It comes back: begun again, and the other one is not. */
	foresee(batch, &c, after + 1, 1);
	wait_for(&c, batch, "ended", ".cu", 2);
	assert_int_equal(lines(&c, "begun", "kt_c5"), 1);
	assert_int_equal(lines(&c, "begun", "kt_c3"), 2);
	foresee(batch, &c, after, 2);
	usleep(50000);
	kt_batch_poll(batch);
	assert_int_equal(lines(&c, "begun", ".cu"), 3);
	kt_batch_close(batch);
	compile_close(&c);
}

/* While the device waits for candidates these have all compilers but one of many. */
static void test_candidates_come_first(void **state)
{
	static const size_t wanted[] = {30, 31, 32, 33};
	static const size_t jobs[] = {2, 8};

	for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
		struct compile_fixture c;
		struct kt_built one;

		(void)state;
		COMPILE_OPEN(&c);
		use_plain(&c);
		use_watched(&c);
		hold(&c, true);
		c.compile.jobs = jobs[j];
		c.compile.batch_most = 1;
		struct kt_batch *batch = open_batch(&c);
		for (size_t i = 0; i < 24; i++)
			assert_int_equal(kt_batch_add(batch, i + 100, factor(&c, (int64_t)i + 100), &c.f.err), KT_OK);
		assert_int_equal(kt_batch_flush(batch, &c.f.err), KT_OK);
		foresee(batch, &c, wanted, 4);
		wait_for(&c, batch, "begun", ".cu", jobs[j]);
		for (int i = 0; i < 10; i++)
			kt_batch_poll(batch);
		assert_int_equal(lines(&c, "begun", "kt_c3"), 0);
		hold(&c, false);
		for (size_t i = 0; i < 24; i++)
			assert_true(kt_batch_next(&one, batch, 60));
		/* Of many places the next one that became free was the background's. */
		if (jobs[j] == 8)
			assert_true(line_of(&c, "kt_c30") < 16);
		/* No candidate is waited for any more: all that is wanted is compiled. */
		while (kt_batch_foreseen(batch) < 4)
			kt_batch_poll(batch);
		kt_batch_close(batch);
		compile_close(&c);
	}
}

/* What nvcc does not compile early it is asked about again, and its verdict counts. */
static void test_foreseen_fails(void **state)
{
	static const size_t tickets[] = {3};
	struct compile_fixture c;
	struct kt_built one;

	(void)state;
	COMPILE_OPEN(&c);
	use_plain(&c);
	c.f.template_.body = "{\n\tx[0] = nonsense;\n}\n";
	use_watched(&c);
	struct kt_batch *batch = open_batch(&c);
	foresee(batch, &c, tickets, 1);
	wait_for(&c, batch, "begun", ".cu", 1);
	assert_int_equal(kt_batch_add_exact(batch, 3, factor(&c, 3), &c.f.err), KT_OK);
	assert_true(kt_batch_next(&one, batch, 60));
	assert_null(one.cubin);
	assert_non_null(strstr(one.message, "nonsense"));
	kt_batch_close(batch);
	compile_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_original_is_taken_over), cmocka_unit_test(test_original_of_another_unit),
	    cmocka_unit_test(test_foreseen_is_there),      cmocka_unit_test(test_foreseen_goes_on),
	    cmocka_unit_test(test_overtaken),              cmocka_unit_test(test_candidates_come_first),
	    cmocka_unit_test(test_foreseen_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
