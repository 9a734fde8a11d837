#include "base/runner_reply.h"

#define ROW(kind, type, member) KT_MEMBER(kind, struct kt_##type, member)
#define REQUIRED .flags = KT_MEMBER_REQUIRED
#define SPARSE .flags = KT_MEMBER_SPARSE
#define VERDICT(type) {ROW(WORD, type, verdict), KT_MEMBER_WORDS(kt_verdict_names), REQUIRED}

static const struct kt_member trial_rows[] = {
    VERDICT(trial),
    {ROW(OBJECT, trial, timing), .item = &kt_timing_members, SPARSE},
    {ROW(TEXT, trial, detail), SPARSE},
};
const struct kt_members kt_trial_members = {KT_MEMBERS_OF(struct kt_trial, trial_rows)};

static const struct kt_member ulp_rows[] = {
    {ROW(TEXT, ulp, buffer), .flags = KT_MEMBER_EMPTY},
    {ROW(DOUBLE, ulp, largest)},
    {ROW(INT, ulp, index)},
    {ROW(LIST, ulp, counts), KT_MEMBER_ITEMS(struct kt_ulp, bins, kt_members_int)},
};
const struct kt_members kt_ulp_members = {KT_MEMBERS_OF(struct kt_ulp, ulp_rows)};

static const struct kt_member row_rows[] = {
    {ROW(TEXT, reply_row, problem)},
    {.kind = KT_MEMBER_OBJECT, .offset = offsetof(struct kt_reply_row, trial), .item = &kt_trial_members},
    {ROW(LIST, reply_row, ulp), KT_MEMBER_ITEMS(struct kt_reply_row, ulp_count, kt_ulp_members), SPARSE},
    {ROW(JSON, reply_row, conditions)},
};
static const struct kt_members rows = {KT_MEMBERS_OF(struct kt_reply_row, row_rows)};

static const struct kt_member try_rows[] = {
    VERDICT(reply_try),
    {ROW(DOUBLE, reply_try, launch_ns), SPARSE},
    KT_ATTRIBUTE_ROWS(struct kt_reply_try),
    {.name = "problems",
     .kind = KT_MEMBER_LIST,
     .offset = offsetof(struct kt_reply_try, rows),
     KT_MEMBER_ITEMS(struct kt_reply_try, row_count, rows),
     REQUIRED},
};
const struct kt_members kt_reply_try_members = {KT_MEMBERS_OF(struct kt_reply_try, try_rows)};

static const struct kt_member point_rows[] = {
    {ROW(INT, curve_point, bytes), REQUIRED},
    {ROW(DOUBLE, curve_point, median_ns)},
    {ROW(DOUBLE, curve_point, deviation_ns)},
};
static const struct kt_members points = {KT_MEMBERS_OF(struct kt_curve_point, point_rows)};
static const struct kt_member curve_rows[] = {
    {.name = "name", .kind = KT_MEMBER_TEXT, .offset = offsetof(struct kt_curve, pattern), REQUIRED},
    {ROW(LIST, curve, points), KT_MEMBER_ITEMS(struct kt_curve, count, points)},
};
const struct kt_members kt_curve_members = {KT_MEMBERS_OF(struct kt_curve, curve_rows)};
static const struct kt_member curves_rows[] = {
    {.name = "patterns",
     .kind = KT_MEMBER_LIST,
     .offset = offsetof(struct kt_reply_curves, curves),
     KT_MEMBER_ITEMS(struct kt_reply_curves, count, kt_curve_members),
     REQUIRED},
};
const struct kt_members kt_reply_curves_members = {KT_MEMBERS_OF(struct kt_reply_curves, curves_rows)};
