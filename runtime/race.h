/*
 * A sequential test of whether a candidate has lost against an incumbent,
 * which may be looked at after every block of samples.
 *
 * What counts are logarithms of ratios: of a block's median of the candidate
 * and one of the incumbent beside it, so that a drift which both have cancels,
 * or a threshold in the incumbent's place. Against the hypothesis that their
 * mean is at most 0, the candidate not being slower, there is the evidence of a
 * t test that is valid at any time: the scale-invariant Bayes factor with a
 * normal prior of variance KT_RACE_SPREAD on the mean in units of its standard
 * deviation, of n ratios with the statistic t
 *
 *   (1 + n·g)^(−1/2) · ((1 + t²/(n−1)) / (1 + t²/((n−1)·(1 + n·g))))^(n/2)
 *
 * Where ratios are normal it is a martingale of mean 1, so that by Ville's
 * inequality it exceeds 1 / KT_RACE_ERROR at any time in at most that part of
 * all races (Pérez-Ortiz, Lardy, de Heide and Grünwald, "E-statistics, group
 * invariance and anytime-valid testing", Annals of Statistics, 2024). Medians
 * of blocks are nearly normal; how well that holds with drift, steps of the
 * clock and late samples is simulated in tests/unit/runtime/test_race.c.
 */
#ifndef KT_RUNTIME_RACE_H
#define KT_RUNTIME_RACE_H

#include <stdbool.h>
#include <stddef.h>

#define KT_RACE_ERROR 0.01   /* of all races in which the candidate is not slower, lost ones at most */
#define KT_RACE_SPREAD 50.0  /* with it three ratios that agree may be enough */
enum { KT_RACE_LEAST = 3 };  /* ratios before which no race is lost */

/* All zero: a race that has not begun. */
struct kt_race {
	size_t count;
	double mean, squares; /* of the ratios' logarithms: their mean, and the sum of squares of what is beside it */
};

/* One more block: times above 0, in one unit. Others are passed over. */
void kt_race_add(struct kt_race *race, double candidate, double incumbent);
/* Against the candidate not being slower; 0 where it seems faster, or before KT_RACE_LEAST. */
double kt_race_evidence(const struct kt_race *race);
bool kt_race_is_lost(const struct kt_race *race);

#endif
