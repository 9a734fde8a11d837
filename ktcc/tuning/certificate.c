#include "tuning/certificate.h"

#include <string.h>

#include "base/log.h"
#include "tuning/certificate_parts.h"
#include "tuning/original.h"
#include "tuning/ptx_entry.h"
#include "tuning/unit.h"

/* The kernel of the first candidate, whose name is in its mangled one with its length before it. */
static size_t variant_of(const char *const *names, size_t count)
{
	char name[KT_UNIT_NAME_BYTES];
	struct kt_buf part = KT_BUF(KT_UNIT_NAME_BYTES * 2);
	size_t i = 0;

	kt_unit_name(name, 0);
	kt_buf_addf(&part, "%zu%s", strlen(name), name);
	while (i < count && strstr(names[i], kt_buf_text(&part)) == NULL)
		i++;
	kt_buf_free(&part);
	return i;
}

static bool is_bound(const char *line)
{
	return strncmp(line, ".maxntid", 8) == 0 || strncmp(line, ".minnctapersm", 13) == 0;
}

static bool has_bounds(const char *text)
{
	bool has = is_bound(text);

	for (const char *at = text; !has && (at = strchr(at, '\n')) != NULL; at++)
		has = is_bound(at + 1);
	return has;
}

static void drop_bounds(char *text)
{
	char *to = text;

	for (const char *at = text; *at != '\0';) {
		const size_t length = strcspn(at, "\n") + (strchr(at, '\n') != NULL);

		if (!is_bound(at)) {
			memmove(to, at, length);
			to += length;
		}
		at += length;
	}
	*to = '\0';
}

/* The first line of the original that the print has not, as it is numbered. */
static const char *difference(struct kt_arena *arena, const char *original, const char *printed)
{
	const char *line = original, *why;
	size_t i = 0;

	for (; original[i] != '\0' && original[i] == printed[i]; i++)
		if (original[i] == '\n')
			line = original + i + 1;
	why = kt_arena_printf(arena, "its print compiles to other code, from '%.*s' on", (int)strcspn(line, "\n"), line);
	return why != NULL ? why : "its print compiles to other code";
}

static kt_status compare(const char **why, struct kt_arena *arena, const struct kt_buf *ptx,
                         const struct kt_region *region, const struct kt_instance *instance, struct kt_error *err)
{
	struct kt_buf original = KT_BUF(KT_LIMIT_SOURCE_BYTES), printed = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_ptx_module *module;
	const char *const *names;
	size_t first[KT_STEPS], second, count;
	kt_status status = kt_ptx_open(&module, arena, kt_buf_text(ptx), ptx->size, err);

	if (status != KT_OK)
		return status;
	count = kt_ptx_kernels(&names, module);
	second = variant_of(names, count);
	if (!kt_original_find(first, names, count, region, instance) || second == count)
		return kt_fail(err, KT_ERR_INVALID, "the ptx lacks the kernel '%s' or its print", instance->name);
	status = kt_ptx_extract_unnamed(&original, module, first[0], err);
	THEN(status, kt_ptx_extract_unnamed(&printed, module, second, err));
	if (status == KT_OK && !has_bounds(kt_buf_text(&printed)))
		drop_bounds(original.data);
	if (status == KT_OK)
		*why = strcmp(kt_buf_text(&original), kt_buf_text(&printed)) == 0
		           ? NULL
		           : difference(arena, kt_buf_text(&original), kt_buf_text(&printed));
	kt_buf_free(&original);
	kt_buf_free(&printed);
	return status;
}

kt_status kt_certificate_unit(struct kt_buf *unit, const struct kt_template *template_, const struct kt_instance *instance,
			      const int64_t *configuration, struct kt_error *err)
{
	kt_unit_original(unit, template_, instance);
	TRY(kt_unit_variant(unit, template_, instance, 0, configuration, err));
	kt_unit_end(unit, template_);
	return kt_buf_check(unit, "the unit of a certificate", err);
}

static kt_status compile_by_nvcc(struct kt_buf *ptx, struct kt_arena *arena, const struct kt_compile *compile,
				 const struct kt_template *template_, const struct kt_instance *instance,
				 const int64_t *configuration, const char *source, size_t source_size, struct kt_error *err)
{
	struct kt_buf unit = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_status status;

	kt_unit_begin(&unit, template_, source, source_size, false);
	status = kt_certificate_unit(&unit, template_, instance, configuration, err);
	THEN(status, kt_unit_ptx(ptx, arena, compile, template_->region, &unit, err));
	kt_buf_free(&unit);
	return status;
}

/* NVRTC's word that both are the same is enough; in any other case nvcc is asked. */
kt_status kt_certify(const char **why, struct kt_arena *arena, const struct kt_compile *compile,
                     const struct kt_template *template_, const struct kt_instance *instance,
                     const int64_t *configuration, const char *source, size_t source_size, struct kt_error *err)
{
	struct kt_arena *scratch = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_buf ptx = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_status status = scratch != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory for a certificate");
	bool is_same = false;

	if (status == KT_OK && compile->screening != NULL) {
		status = kt_certificate_screened(&ptx, compile, template_, instance, configuration, source, source_size, err);
		THEN(status, compare(why, arena, &ptx, template_->region, instance, err));
		is_same = status == KT_OK && *why == NULL;
		if (!is_same)
			kt_log("certificate: nvcc is asked: %s", status == KT_OK ? *why : err->message);
		status = KT_OK;
		kt_buf_clear(&ptx);
	}
	if (status == KT_OK && !is_same) {
		status = compile_by_nvcc(&ptx, scratch, compile, template_, instance, configuration, source, source_size, err);
		THEN(status, compare(why, arena, &ptx, template_->region, instance, err));
	}
	kt_buf_free(&ptx);
	kt_arena_free(scratch);
	return status;
}
