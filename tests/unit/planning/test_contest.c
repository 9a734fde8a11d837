/* Why a result keeps the original kernel: each way in which the best of a search fails to win. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planning/contest.h"

static const struct {
	struct kt_contest contest;
	double enough_s;
	const char *text;
} rows[] = {
    {{0, 0, 0, 0, true, false}, 0, "the search found no other configuration that is right"},
    {{0, 0, 0, 0, true, true}, 0, "the parameters allow no other configuration"},
    {{1.07, 0, 0, 0, true, true}, 0, "the parameters allow no other configuration"},
    {{0.97, 5, 5, 0, true, false}, 0, "the best of the search was 0.97x"},
    {{1.53, 5, 0, 0, true, false}, 40,
     "the best of the search was 1.53x; none of the best 5 was compared with the original again because the time was "
     "over: use --budget 40"},
    {{1.53, 5, 4, 0, true, false}, 0,
     "the best of the search was 1.53x; 1 of the best 5 was not compared with the original again because the time was "
     "over: use a larger --budget"},
    {{1.2, 2, 2, 0, false, false}, 90,
     "the best of the search was 1.20x; the last comparison has too few passes because the time was over: use --budget 90"},
    {{1.2, 3, 3, 2, true, false}, 0,
     "the best of the search was 1.20x; 2 of the 3 that were compared gave wrong results in the last checks"},
    {{1.02, 3, 3, 0, true, false}, 0,
     "the best of the search was 1.02x; the last comparison beside the original shows no gain beyond its noise"},
};

static void each_outcome_has_its_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

		kt_contest_text(&text, &rows[i].contest, rows[i].enough_s);
		assert_string_equal(kt_buf_text(&text), rows[i].text);
		kt_buf_free(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_outcome_has_its_reason)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
