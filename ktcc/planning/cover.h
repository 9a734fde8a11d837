/*
 * A cover: which rows of a matrix serve which problems, before there are rules that choose between them (select.h).
 */
#ifndef KT_PLANNING_COVER_H
#define KT_PLANNING_COVER_H

#include "planning/select.h"

/* rows[0] is the general one. */
struct kt_cover {
	const struct kt_matrix *m;
	size_t count;
	size_t rows[KT_SPECIALS + 1];
	size_t serves[KT_SELECT_MOST]; /* index into rows; 0: the general one */
};

/* With `general`, and at most `most` more: each time the row that gains most. */
struct kt_cover kt_cover_greedily(const struct kt_matrix *m, size_t general, size_t most);
/* Drops specialised rows that serve nothing. */
void kt_cover_drop_idle(struct kt_cover *c);
const struct kt_timing *kt_cover_timing(const struct kt_matrix *m, size_t row, size_t problem);
/* What a launch takes that is given to this row: where it does not run the original does. */
const struct kt_timing *kt_cover_served_by(const struct kt_matrix *m, size_t row, size_t problem);
/* log(before / after) where that is beyond doubt, else 0; a problem that was not measured gains nothing. */
double kt_cover_gain(const struct kt_matrix *m, size_t before, size_t after, size_t problem);
/* The mean of log(general / row) over what variant k serves; -INFINITY where the row is not faster on all of it. */
double kt_cover_gain_as(const struct kt_cover *c, size_t k, size_t row);

#endif
