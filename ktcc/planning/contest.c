#include "planning/contest.h"

static void add_budget(struct kt_buf *out, double enough_s)
{
	kt_buf_adds(out, " because the time was over: use ");
	if (enough_s > 0)
		kt_buf_addf(out, "--budget %.0f", enough_s);
	else
		kt_buf_adds(out, "a larger --budget");
}

void kt_contest_text(struct kt_buf *out, const struct kt_contest *contest, double enough_s)
{
	const size_t left = contest->finalists - contest->compared;

	if (contest->alone || !(contest->searched > 0)) {
		kt_buf_adds(out, contest->alone ? "the parameters allow no other configuration"
		                                : "the search found no other configuration that is right");
		return;
	}
	kt_buf_addf(out, "the best of the search was %.2fx", contest->searched);
	if (contest->searched <= 1)
		return;
	if (contest->wrong != 0) {
		kt_buf_addf(out, "; %zu of the %zu that were compared gave wrong results in the last checks", contest->wrong,
		            contest->compared);
	} else if (contest->compared == 0 && left > 1) {
		kt_buf_addf(out, "; none of the best %zu was compared with the original again", left);
		add_budget(out, enough_s);
	} else if (left != 0) {
		kt_buf_addf(out, "; %zu of the best %zu %s not compared with the original again", left, contest->finalists,
		            left == 1 ? "was" : "were");
		add_budget(out, enough_s);
	} else if (!contest->enough) {
		kt_buf_adds(out, "; the last comparison has too few passes");
		add_budget(out, enough_s);
	} else {
		kt_buf_adds(out, "; the last comparison beside the original shows no gain beyond its noise");
	}
}
