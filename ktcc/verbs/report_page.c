/*
 * ktcc report: the page. templates/report/page.html with its placeholders filled: style, plotting library, script and data.
 * The data is JSON in which no "<" is left, so that nothing in it ends the element around it.
 */
#include <string.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "verbs/report.h"

/* "{{name}}" in the template, and the file below share/ktcc that takes its place; NULL: the data. */
static const struct {
	const char *placeholder, *file;
} placeholders[] = {
    {"{{style}}", "share/ktcc/templates/report/style.css"},
    {"{{library}}", "share/ktcc/report/chart.js"},
    {"{{data}}", NULL},
    {"{{model}}", "share/ktcc/templates/report/model.js"},
    {"{{charts}}", "share/ktcc/templates/report/charts.js"},
    {"{{sections}}", "share/ktcc/templates/report/sections.js"},
    {"{{start}}", "share/ktcc/templates/report/start.js"},
};

/* Appends JSON as the content of a script element. Outside of texts JSON has none of these characters. */
static void add_script_json(struct kt_buf *out, const char *json, size_t size)
{
	struct kt_buf valid = KT_BUF(KT_REPORT_BYTES);
	size_t begin = 0;

	kt_utf8_add(&valid, json, size);
	out->failed = out->failed || valid.failed;
	for (size_t i = 0; i < valid.size; i++) {
		const char c = valid.data[i];

		if (c != '<' && c != '>' && c != '&' && c != '\x7f')
			continue;
		kt_buf_add(out, valid.data + begin, i - begin);
		kt_buf_addf(out, "\\u%04x", (unsigned)c);
		begin = i + 1;
	}
	kt_buf_add(out, kt_buf_text(&valid) + begin, valid.size - begin);
	kt_buf_free(&valid);
}

static kt_status add_data(struct kt_buf *out, const struct kt_report *r, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_REPORT_BYTES);
	cJSON *all = kt_report_json(r);
	kt_status status;

	kt_json_print(&text, all);
	cJSON_Delete(all);
	status = kt_buf_check(&text, "the data of the report", err);
	if (status == KT_OK)
		add_script_json(out, kt_buf_text(&text), text.size);
	kt_buf_free(&text);
	return status;
}

static kt_status add_file(struct kt_buf *out, struct kt_arena *arena, const char *relative, struct kt_error *err)
{
	const char *path = kt_install_path(arena, relative);
	kt_status status =
	    path != NULL ? kt_fs_read(out, path, err) : kt_fail(err, KT_ERR_MEMORY, "report: out of memory");

	return status == KT_OK ? KT_OK : kt_fail_prefix(err, "a file of the installation is missing");
}

/* The first placeholder in text, and where; NULL: none is left. */
static const char *next_placeholder(size_t *which, const char *text)
{
	const char *first = NULL;

	for (size_t i = 0; i < sizeof placeholders / sizeof *placeholders; i++) {
		const char *at = strstr(text, placeholders[i].placeholder);

		if (at != NULL && (first == NULL || at < first)) {
			first = at;
			*which = i;
		}
	}
	return first;
}

static kt_status fill(struct kt_buf *out, const struct kt_report *r, const char *rest, struct kt_error *err)
{
	kt_status status = KT_OK;
	const char *placeholder;
	size_t which = 0;

	while (status == KT_OK && (placeholder = next_placeholder(&which, rest)) != NULL) {
		struct kt_buf part = KT_BUF(KT_LIMIT_SOURCE_BYTES);

		kt_buf_add(out, rest, (size_t)(placeholder - rest));
		rest = placeholder + strlen(placeholders[which].placeholder);
		status = placeholders[which].file != NULL ? add_file(&part, r->arena, placeholders[which].file, err)
							  : add_data(out, r, err);
		kt_buf_add(out, kt_buf_text(&part), part.size);
		kt_buf_free(&part);
	}
	kt_buf_adds(out, rest);
	return status == KT_OK ? kt_buf_check(out, "the report", err) : status;
}

/* The page's own scripts by their hashes: a browser runs no other. */
static void add_policy(struct kt_buf *out, const char *page)
{
	static const char begin[] = "<script>", end[] = "</script>";
	const char *script = page, *behind;
	char hash[KT_SHA256_BASE64];

	while ((script = strstr(script, begin)) != NULL && (behind = strstr(script, end)) != NULL) {
		script += sizeof begin - 1;
		kt_hash_sha256(hash, script, (size_t)(behind - script));
		kt_buf_addf(out, "%s'sha256-%s'", script == strstr(page, begin) + sizeof begin - 1 ? "" : " ", hash);
		script = behind;
	}
}

kt_status kt_report_page(struct kt_buf *out, const struct kt_report *r, struct kt_error *err)
{
	static const char placeholder[] = "{{policy}}";
	struct kt_buf template_ = KT_BUF(KT_LIMIT_SOURCE_BYTES), page = KT_BUF(KT_REPORT_BYTES);
	kt_status status = add_file(&template_, r->arena, "share/ktcc/templates/report/page.html", err);
	const char *at;

	THEN(status, fill(&page, r, kt_buf_text(&template_), err));
	/* It comes before the data. */
	at = status == KT_OK ? strstr(kt_buf_text(&page), placeholder) : NULL;
	if (at != NULL) {
		kt_buf_add(out, page.data, (size_t)(at - page.data));
		add_policy(out, at);
		kt_buf_adds(out, at + sizeof placeholder - 1);
		status = kt_buf_check(out, "the report", err);
	} else if (status == KT_OK) {
		status = kt_fail(err, KT_ERR_INVALID, "page.html has no place for the policy; install ktcc again");
	}
	kt_buf_free(&template_);
	kt_buf_free(&page);
	return status;
}
