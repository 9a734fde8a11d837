/* What NVRTC gets of a unit: asked of ktcc-clang, which has parsed it. */
#include "planning/work_internal.h"

static const double seconds_most = 20; /* of one answer */

/* All that a candidate's text may name besides what the kernel does. */
static void add_text(struct kt_buf *out, const struct kt_template *template_)
{
	kt_buf_addf(out, "%s\n%s\n%s\n", template_->helpers, template_->head, template_->body);
	for (size_t i = 0; i < template_->further_count; i++)
		kt_buf_addf(out, "%s\n%s\n", template_->further[i].head, template_->further[i].body);
}

kt_status kt_work_read_device(struct kt_buf *answer, void *context, const struct kt_template *template_,
			      struct kt_error *err)
{
	const struct kt_work *work = context;
	const struct kt_region *whole = kt_region_whole(template_->region);
	const size_t region = (size_t)(whole - work->unit->regions);
	struct kt_buf request = KT_BUF(KT_LIMIT_MESSAGE_BYTES), text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_status status = KT_OK;

	if (whole < work->unit->regions || region >= work->unit->region_count)
		return kt_fail(err, KT_ERR_INVALID, "the template is of another unit");
	add_text(&text, template_);
	kt_buf_addf(&request, "{\"verb\":\"device\",\"region\":%zu,\"text\":", region);
	kt_buf_addjson(&request, kt_buf_text(&text));
	kt_buf_addc(&request, '}');
	status = kt_buf_check(&text, "a template", err);
	THEN(status, kt_buf_check(&request, "a request", err));
	THEN(status, kt_clang_ask(answer, work->clang, "device", kt_buf_text(&request), seconds_most, err));
	kt_buf_free(&request);
	kt_buf_free(&text);
	return status;
}
