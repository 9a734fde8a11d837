/*
 * A model as a generator of templates for one region instance: the question
 * with all that planning knows, the answer, and up to two repairs of one that
 * cannot be used. Whatever it answers was read, checked and made a template
 * here, or is no template (docs/security.md); that it is right is for the
 * testing agent to find out.
 */
#ifndef KT_PLANNING_MODEL_H
#define KT_PLANNING_MODEL_H

#include "generation/llm/llm.h"
#include "planning/facts.h"
#include "planning/work_internal.h"

#define KT_REPAIRS 2 /* of one answer */

struct kt_model;

/* What came of an answer. */
enum kt_answer_end {
	KT_ANSWER_TEMPLATE, /* there is one */
	KT_ANSWER_DECLINED, /* the model has nothing to suggest */
	KT_ANSWER_REFUSED,  /* it cannot be used; the complaint may go back */
	KT_ANSWER_AWAITED,  /* there is none yet */
	KT_ANSWER_BUDGET,   /* tokens, money or time are spent */
	KT_ANSWER_NOBODY,   /* there is no model, and no answer will come */
	KT_ANSWER_FAILED,   /* this question went wrong */
};
const char *kt_answer_name(enum kt_answer_end end); /* "template", "declined", … as in the decision log */

struct kt_model_answer {
	enum kt_answer_end end;
	struct kt_template *template_;
	const char *label;
	const char *prompt;     /* all messages, as they were sent */
	const char *text;       /* as it came; NULL: there is none */
	const char *complaint;  /* why it cannot be used, or why there is none; what a model declines with. NULL: none */
	const char *rationale, *effect; /* of a reply that could be read; NULL otherwise */
	struct kt_llm_answer from; /* who, when, hashes, tokens; its text as above */
};

/*
 * Opens it for one case. `asks` false: answers are only read, no question is sent. The lease (NULL: none) gets signs of
 * life during the wait for an answer. KT_ERR_MISSING: there is no model.
 */
kt_status kt_model_open(struct kt_model **out, struct kt_work *work, const struct kt_case *each, bool asks,
                        struct kt_lease *lease, struct kt_error *err) KT_MUST_CHECK;
void kt_model_close(struct kt_model *model); /* accepts NULL */
/* "silu_and_mul-95001c94": with what follows it names a question in files. */
const char *kt_model_label(const struct kt_model *model);
struct kt_llm_usage kt_model_usage(const struct kt_model *model); /* accepts NULL */

/*
 * Asks. Facts that follow from the region and the device are added to `facts`. `before` (NULL: none) is an answer that
 * could not be used, facts->complaint why. Only what is wrong with ktcc itself (memory, installation) is an error.
 * Strings live in the work's arena.
 */
kt_status kt_model_ask(struct kt_model_answer *out, struct kt_model *model, const struct kt_prompt_facts *facts,
                       const struct kt_device *device, const char *label, int64_t seed, const char *before,
                       struct kt_error *err) KT_MUST_CHECK;
/* Makes of an answer's text what can be made of it: template, decline or complaint. */
kt_status kt_model_read(struct kt_model_answer *out, struct kt_model *model, const char *text, size_t size,
                        struct kt_error *err) KT_MUST_CHECK;

#endif
