/* Prompts: placeholders, ceilings, and facts that try to be more than data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "generation/llm/prompt.h"

static struct kt_error err;

static void expect(const char *text, const struct kt_prompt_facts *facts, size_t limit, const char *result)
{
	struct kt_buf out = KT_BUF(1 << 20);

	if (kt_prompt_fill(&out, text, strlen(text), facts, limit, &err) != KT_OK)
		fail_msg("%s", err.message);
	assert_string_equal(kt_buf_text(&out), result);
	kt_buf_free(&out);
}

static void test_fill(void **state)
{
	const struct kt_prompt_facts facts = {.name = "k", .kernel = "f({{name}}) ```` `a`", .tried = ""};

	(void)state;
	expect("{{name}}: {{kernel}} {{tried}}{{name}}", &facts, 1000, "k: f({{name}}) '''' `a` (nothing is known)k");
	expect("no hole", &facts, 7, "no hole");
	expect("", &facts, 0, "");
}

static void test_wrong(void **state)
{
	static const char *const texts[] = {"{{nothing}}", "a {{name", "{{}}", "{{ name }}"};
	const struct kt_prompt_facts facts = {.name = "k"};
	struct kt_buf out = KT_BUF(1 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_int_equal(kt_prompt_fill(&out, texts[i], strlen(texts[i]), &facts, 1000, &err), KT_ERR_INVALID);
	/* What a question needs is never cut. */
	assert_int_equal(kt_prompt_fill(&out, "{{kernel}}", 10, &(struct kt_prompt_facts){.kernel = "0123456789"}, 9, &err),
	                 KT_ERR_LIMIT);
	kt_buf_free(&out);
}

/* Lines "NAME 0", "NAME 1", …, a thousand bytes each. */
static char *many_lines(const char *name, size_t count)
{
	char *text = malloc(count * 1000 + 1);

	assert_non_null(text);
	memset(text, '.', count * 1000);
	for (size_t i = 0; i < count; i++) {
		int length = snprintf(text + i * 1000, 100, "%s %zu", name, i);

		text[i * 1000 + (size_t)length] = '.';
		text[i * 1000 + 999] = '\n';
	}
	text[count * 1000] = '\0';
	return text;
}

static void test_cut(void **state)
{
	static const char text[] = "{{tried}}|{{analysis}}|{{kernel}}";
	char *tried = many_lines("trial", 20), *analysis = many_lines("fact", 20), *kernel = many_lines("kernel", 5);
	const struct kt_prompt_facts facts = {.tried = tried, .analysis = analysis, .kernel = kernel};

	(void)state;
	for (size_t limit = 6000; limit <= 46000; limit += 500) {
		struct kt_buf out = KT_BUF(1 << 20);

		if (kt_prompt_fill(&out, text, sizeof text - 1, &facts, limit, &err) != KT_OK)
			fail_msg("%zu: %s", limit, err.message);
		assert_true(out.size <= limit);
		assert_non_null(strstr(out.data, "kernel 4."));
		/* Where something was cut it is as much as had to be, in whole lines. */
		assert_true(limit > 45100 || out.size + 3100 > limit);
		/* The newest trials outlive the oldest, the first facts the last ones. */
		assert_true(strstr(out.data, "trial 0.") == NULL || strstr(out.data, "trial 19.") != NULL);
		assert_true(strstr(out.data, "fact 19.") == NULL || strstr(out.data, "fact 0.") != NULL);
		assert_true(limit < 20000 || strstr(out.data, "trial 19.") != NULL);
		kt_buf_free(&out);
	}
	free(tried);
	free(analysis);
	free(kernel);
}

static void test_trial(void **state)
{
	struct kt_buf out = KT_BUF(1 << 16);

	(void)state;
	kt_prompt_add_trial(&out, &(struct kt_prompt_trial){"BLOCK=256", "ok", 12.344, 3100, 1.2, 0.75, 40, 0, NULL});
	kt_prompt_add_trial(&out, &(struct kt_prompt_trial){"BLOCK=512", "no-compile", -1, -1, -1, -1, -1, -1,
	                                                    "k.cu(3): error\n  too many\n"});
	assert_string_equal(kt_buf_text(&out),
	                    "- BLOCK=256: ok, 12.34 us, 3100 GB/s, 1.20 times the copy bandwidth bound, occupancy 75 %, "
	                    "40 registers, 0 bytes spilled\n"
	                    "- BLOCK=512: no-compile\n  k.cu(3): error\n    too many\n");
	kt_buf_free(&out);
}

/* Every placeholder of the templates that are installed is known, and the question fits its ceiling. */
static void test_templates(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_prompt_facts facts = {.name = "k", .declaration = "__global__ void k(float *x)",
	                                      .complaint = "line 3"};
	struct kt_llm_message messages[KT_PROMPT_MESSAGES];
	size_t count;

	(void)state;
	for (int kind = KT_PROMPT_KERNEL; kind <= KT_PROMPT_PLAN; kind++) {
		if (kt_prompt_messages(messages, &count, arena, (enum kt_prompt_kind)kind, &facts, NULL, KT_PROMPT_BYTES,
		                       &err) != KT_OK)
			fail_msg("%s", err.message);
		assert_int_equal(count, 2);
		assert_null(strstr(messages[1].content, "{{"));
		assert_int_equal(kt_prompt_messages(messages, &count, arena, (enum kt_prompt_kind)kind, &facts, "{}",
		                                    KT_PROMPT_BYTES, &err),
		                 KT_OK);
		assert_int_equal(count, 4);
		assert_string_equal(messages[2].content, "{}");
		assert_non_null(strstr(messages[3].content, "line 3"));
		assert_int_equal(
		    kt_prompt_messages(messages, &count, arena, (enum kt_prompt_kind)kind, &facts, NULL, 3000, &err),
		    KT_ERR_LIMIT);
	}
	kt_arena_free(arena);
}

/* Counters go before what the rules know, and after the oldest trials. */
static void test_cut_counters(void **state)
{
	static const char text[] = "{{tried}}|{{counters}}|{{analysis}}";
	char *tried = many_lines("trial", 20), *analysis = many_lines("fact", 5);
	const struct kt_prompt_facts facts = {.tried = tried, .analysis = analysis, .counters = "- memory busy 45 %\n"};
	struct kt_buf out = KT_BUF(1 << 20);

	(void)state;
	assert_int_equal(kt_prompt_fill(&out, text, sizeof text - 1, &facts, strlen(tried) + strlen(analysis), &err), KT_OK);
	assert_non_null(strstr(out.data, "memory busy"));
	assert_null(strstr(out.data, "trial 0."));
	assert_non_null(strstr(out.data, "fact 4."));
	kt_buf_clear(&out);
	/* No more than what stays of the trials, and all facts but the last one or two. */
	assert_int_equal(kt_prompt_fill(&out, text, sizeof text - 1, &facts, 4000 + strlen(analysis) - 1000, &err), KT_OK);
	assert_null(strstr(out.data, "memory busy"));
	assert_non_null(strstr(out.data, "trial 19."));
	assert_non_null(strstr(out.data, "fact 0."));
	kt_buf_free(&out);
	free(tried);
	free(analysis);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_fill), cmocka_unit_test(test_wrong),
	                                   cmocka_unit_test(test_cut), cmocka_unit_test(test_cut_counters),
	                                   cmocka_unit_test(test_trial),
	                                   cmocka_unit_test(test_templates)};

	/* Installed files, as they lie in the source. */
	(void)setenv("KTUNE_PREFIX", KT_PREFIX, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
