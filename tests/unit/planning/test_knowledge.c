/* What a store tells a search of other tunings: whose trials are taken, and what of them. */
#include "../tuning/fixture.h"

#include <math.h>
#include <unistd.h>

#include "base/fs.h"
#include "planning/knowledge.h"

#define KEY_OWN "1111111111111111111111111111111111111111111111111111111111111111"
#define KEY_OTHER "2222222222222222222222222222222222222222222222222222222222222222"
#define KEY_THIRD "3333333333333333333333333333333333333333333333333333333333333333"
#define DEVICE "4444444444444444444444444444444444444444444444444444444444444444"
#define DEVICE_2 "5555555555555555555555555555555555555555555555555555555555555555"

struct state {
	struct fixture f;
	struct kt_space *space;
	struct kt_store *store;
	struct kt_knowledge_subject subject;
	char directory[64];
};

static const char *const problems[] = {"n=1", "n=2"};

static void check(kt_status status, const struct kt_error *err)
{
	if (status != KT_OK)
		fail_msg("%s", err->message);
}

static void open_state(struct state *s)
{
	memset(s, 0, sizeof *s);
	fixture_open(&s->f);
	FIXTURE_TUNE(&s->f, "BLOCK", 32, 64, 128, 256, 512);
	FIXTURE_TUNE(&s->f, "VEC", 1, 2, 4);
	FIXTURE_TUNE(&s->f, "odd", 0, 1, 2);
	s->space = fixture_space(&s->f, NULL);
	snprintf(s->directory, sizeof s->directory, "/tmp/kt-knowledge-XXXXXX");
	assert_non_null(mkdtemp(s->directory));
	check(kt_store_open(&s->store, s->directory, &s->f.err), &s->f.err);
	s->subject = (struct kt_knowledge_subject){KEY_OWN, DEVICE, &s->f.template_, &s->f.instance, 2, problems};
}

static void close_state(struct state *s)
{
	struct kt_error error;

	kt_store_close(s->store);
	kt_space_free(s->space);
	fixture_close(&s->f);
	check(kt_fs_remove_tree(s->directory, &error), &error);
}

static struct kt_prior *known(struct state *s)
{
	struct kt_prior *prior = NULL;

	check(kt_knowledge_open(&prior, s->store, &s->subject, s->space, &s->f.err), &s->f.err);
	return prior;
}

/* How many sources there are; closes them. */
static size_t sources(struct state *s)
{
	struct kt_prior *prior = known(s);
	const size_t count = prior == NULL ? 0 : kt_prior_count(prior);

	kt_prior_close(prior);
	return count;
}

static void note(struct state *s, const char *trial_key, const char *device_key, const char *kernel,
                 const char *parameters)
{
	const struct kt_trial_subject subject = {trial_key, device_key, kernel, "an instance", parameters};

	check(kt_store_put_subject(s->store, &subject, &s->f.err), &s->f.err);
}

static void measure(struct state *s, const char *trial_key, const char *device_key, const char *configuration,
                    const char *problem, double ns)
{
	const struct kt_trial trial = {.verdict = ns > 0 ? KT_VERDICT_OK : KT_VERDICT_WRONG_ANSWER,
	                               .timing = {ns, ns, ns, 1, 5}};

	check(kt_store_put_trial(s->store, trial_key, device_key, configuration, problem, &trial, &s->f.err), &s->f.err);
}

/* BLOCK=64 VEC=4 is the best, on two problems of very different times. */
static void measure_all(struct state *s, const char *trial_key, const char *device_key, const char *form)
{
	for (int block = 32; block <= 512; block *= 2)
		for (int vec = 1; vec <= 4; vec *= 2) {
			const double slow = 1 + fabs(log2(block) - 6) + (4 - vec);
			char configuration[64];

			snprintf(configuration, sizeof configuration, form, block, vec);
			measure(s, trial_key, device_key, configuration, "n=1", 10 * slow);
			measure(s, trial_key, device_key, configuration, "n=2", 1e6 * slow);
		}
}

static void test_nothing(void **state)
{
	struct state s;

	(void)state;
	open_state(&s);
	assert_int_equal(sources(&s), 0);
	/* Its own trials are told to the search itself. */
	check(kt_knowledge_note(s.store, &s.subject, &s.f.err), &s.f.err);
	measure_all(&s, KEY_OWN, DEVICE, "BLOCK=%d VEC=%d odd=0");
	assert_int_equal(sources(&s), 0);
	/* Noted, and never measured; measured, and never noted. */
	note(&s, KEY_OTHER, DEVICE, "scale", "BLOCK:block-x VEC:vector odd:other");
	measure_all(&s, KEY_THIRD, DEVICE, "BLOCK=%d VEC=%d odd=0");
	assert_int_equal(sources(&s), 0);
	/* From the other one's side, what this one measured is known. */
	s.subject.trial_key = KEY_OTHER;
	assert_int_equal(sources(&s), 1);
	s.subject.trial_key = KEY_OWN;
	s.subject.device_key = DEVICE_2;
	assert_int_equal(sources(&s), 1);
	/* Its own trials, where there is none for one of its problems. */
	s.subject.device_key = DEVICE;
	assert_int_equal(sources(&s), 0);
	s.subject.problems = (const char *const[]){"n=1", "n=3"};
	assert_int_equal(sources(&s), 1);
	close_state(&s);
}

/* Whose trials are taken, by kernel and parameters. */
static void test_whose(void **state)
{
	static const struct {
		const char *kernel, *parameters, *form;
		size_t count;
	} rows[] = {
	    {"scale", "BLOCK:block-x VEC:vector odd:other", "BLOCK=%d VEC=%d odd=1", 1},
	    {"scale", "size:block-x wide:vector", "size=%d wide=%d", 1},
	    {"scale", "size:block-x wide:other", "size=%d wide=%d", 1},
	    {"scale", "size:other wide:other", "size=%d wide=%d", 0},
	    {"other", "size:block-x wide:vector", "size=%d wide=%d", 1},
	    {"other", "size:block-x wide:other", "size=%d wide=%d", 0}, /* less than a half of the parameters */
	    {"other", "size:block-x wide:no such kind", "size=%d wide=%d", 0},
	    {"scale", "", "BLOCK=%d VEC=%d", 0},
	    {"scale", "BLOCK VEC", "BLOCK=%d VEC=%d", 0},
	    {"scale", "BLOCK:block-x :vector", "BLOCK=%d VEC=%d", 0},
	    {"scale", "BLOCK:block-x VEC:vector", "BLOCK=%d", 0}, /* rows that are not what was noted */
	    {"scale", "BLOCK:block-x VEC:vector", "BLOCK=%d BLOCK=%d", 0},
	    {"scale", "BLOCK:block-x VEC:vector", "BLOCK=%dx VEC=%d", 0},
	    {"scale", "BLOCK:block-x VEC:vector", "BLOCK=%d VEC=%d MORE=1", 0},
	    {"scale", "BLOCK:block-x VEC:vector", "", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct state s;

		open_state(&s);
		note(&s, KEY_OTHER, DEVICE, rows[i].kernel, rows[i].parameters);
		measure_all(&s, KEY_OTHER, DEVICE, rows[i].form);
		if (sources(&s) != rows[i].count)
			fail_msg("row %zu: %zu sources", i, sources(&s));
		close_state(&s);
	}
}

/* Problems count alike whatever they take, and what failed is slow. */
static void test_what(void **state)
{
	const int64_t best[] = {64, 4, 0}, worst[] = {512, 1, 0};
	struct kt_prior *prior;
	struct state s;

	(void)state;
	open_state(&s);
	note(&s, KEY_OTHER, DEVICE_2, "scale", "BLOCK:block-x VEC:vector");
	measure_all(&s, KEY_OTHER, DEVICE_2, "BLOCK=%d VEC=%d");
	/* On the fast problem alone it seems to be much better than the best one: half of the truth. */
	measure(&s, KEY_OTHER, DEVICE_2, "BLOCK=128 VEC=4", "n=1", 8);
	measure(&s, KEY_OTHER, DEVICE_2, "BLOCK=64 VEC=2", "n=1", -1);
	measure(&s, KEY_OTHER, DEVICE_2, "BLOCK=64 VEC=2", "n=2", -1);
	prior = known(&s);
	assert_non_null(prior);
	assert_non_null(strstr(kt_prior_label(prior, 0), "on another device"));
	assert_int_equal(kt_space_get(s.space, kt_prior_nearest(prior, 0, 0))[0], 64);
	assert_int_equal(kt_space_get(s.space, kt_prior_nearest(prior, 0, 0))[1], 4);
	assert_true(*kt_prior_expect(prior, kt_space_find(s.space, best)) + 0.5F <
	            *kt_prior_expect(prior, kt_space_find(s.space, worst)));
	assert_true(*kt_prior_expect(prior, kt_space_find(s.space, (int64_t[]){64, 2, 0})) >
	            *kt_prior_expect(prior, kt_space_find(s.space, (int64_t[]){128, 2, 0})));
	kt_prior_close(prior);
	close_state(&s);
}

/* The same kernel first; of others those with most in common; no more than are used. */
static void test_order(void **state)
{
	struct state s;
	struct kt_prior *prior;
	char key[65];

	(void)state;
	open_state(&s);
	for (int i = 0; i < 6; i++) {
		snprintf(key, sizeof key, "%064d", i);
		note(&s, key, DEVICE, i == 5 ? "scale" : "other", i == 3 ? "BLOCK:block-x VEC:vector odd:other" : "BLOCK:block-x VEC:vector");
		measure_all(&s, key, i == 5 ? DEVICE : DEVICE, i == 3 ? "BLOCK=%d VEC=%d odd=0" : "BLOCK=%d VEC=%d");
	}
	prior = known(&s);
	assert_int_equal(kt_prior_count(prior), KT_PRIOR_SOURCES);
	/* w_s0: two of three parameters of the same kernel, three of another one. */
	{
		struct kt_belief belief;

		kt_belief_start(&belief, prior);
		assert_true(fabs(belief.weights[0] - 0.8 * 2 / 3 / 4) < 1e-9);
		assert_true(fabs(belief.weights[1] - 0.4 / 4) < 1e-9);
		assert_true(fabs(belief.weights[2] - 0.4 * 2 / 3 / 4) < 1e-9);
	}
	kt_prior_close(prior);
	close_state(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nothing),
	    cmocka_unit_test(test_whose),
	    cmocka_unit_test(test_what),
	    cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
