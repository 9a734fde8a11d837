#include "tuning/early.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/hash.h"

/* For one compiler. */
static const double most_s = 600;

static void hash_text(char out[KT_HASH_TEXT], const struct kt_buf *text)
{
	struct kt_hash hash;

	kt_hash_init(&hash);
	kt_hash_bytes(&hash, kt_buf_text(text), text->size);
	kt_hash_final(&hash, out);
}

kt_status kt_early_start(struct kt_early *out, struct kt_arena *arena, const struct kt_compile *compile,
                         const struct kt_region *region, const struct kt_buf *text, enum kt_unit_output mode,
                         const char *stem, size_t number, struct kt_error *err)
{
	char *output = kt_unit_path(arena, compile, stem, number, mode == KT_UNIT_PTX ? ".ptx" : ".cubin");
	char *source = kt_unit_path(arena, compile, stem, number, ".cu");
	char **argv = kt_unit_command(arena, compile, region, mode, source, output, NULL);
	const struct kt_proc_options options = {
	    .directory = compile->directory,
	    .environment = kt_unit_environment(arena, compile),
	    .timeout_s = most_s,
	};
	kt_status status;

	*out = (struct kt_early){.mode = mode,     .arch = compile->arch, .feature = compile->feature,
	                         .source = source, .output = output,      .began_s = kt_now_s()};
	if (output == NULL || source == NULL || argv == NULL || options.environment == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a command");
	status = kt_buf_check(text, "baseline source", err);
	THEN(status, kt_fs_write(source, text->data, text->size, err));
	THEN(status, kt_proc_start(&out->proc, argv, &options, err));
	hash_text(out->text, text);
	return status;
}

kt_status kt_early_original(struct kt_early *out, struct kt_arena *arena, const struct kt_compile *compile,
                            const struct kt_template *template_, const struct kt_instance *instance, const char *source,
                            size_t source_size, enum kt_unit_output mode, size_t number, struct kt_error *err)
{
	struct kt_buf unit = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_status status;

	kt_unit_begin(&unit, template_, source, source_size, false);
	kt_unit_original(&unit, template_, instance);
	kt_unit_end(&unit, template_);
	status = kt_early_start(out, arena, compile, template_->region, &unit, mode,
	                        mode == KT_UNIT_PTX ? "baseline" : "original", number, err);
	kt_buf_free(&unit);
	return status;
}

kt_status kt_early_ptx(struct kt_buf *out, struct kt_early *early, struct kt_error *err)
{
	struct kt_buf ptx = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const struct kt_proc_result *result;
	const char *said;
	kt_status status;

	while (!kt_proc_poll(early->proc, 1))
		;
	result = kt_proc_result(early->proc);
	said = kt_buf_text(kt_proc_output(early->proc));
	if (result->timed_out)
		status = kt_fail(err, KT_ERR_LIMIT, "the baseline did not compile within %.0f s", most_s);
	else if (result->signalled || result->code != 0)
		status = kt_fail(err, KT_ERR_CHILD, "the baseline does not compile to ptx: %.*s", (int)strcspn(said, "\n"),
		                 said);
	else
		status = kt_fs_read(&ptx, early->output, err);
	if (status == KT_OK) {
		kt_ptx_normalise(out, kt_buf_text(&ptx), ptx.size);
		status = kt_buf_check(out, "normalised ptx", err);
	}
	kt_early_close(early);
	kt_buf_free(&ptx);
	return status;
}

bool kt_early_serves(const struct kt_early *early, const struct kt_compile *compile, const struct kt_buf *text)
{
	char hash[KT_HASH_TEXT];

	if (early == NULL || (early->proc == NULL && !early->built) || early->mode != KT_UNIT_CUBIN ||
	    early->arch != compile->arch || early->feature != compile->feature)
		return false;
	hash_text(hash, text);
	return strcmp(hash, early->text) == 0;
}

static double written_s(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 ? (double)status.st_mtim.tv_sec + 1e-9 * (double)status.st_mtim.tv_nsec : NAN;
}

struct kt_proc *kt_early_take(double *began_s, struct kt_early *early)
{
	struct kt_proc *proc = early->proc;

	*began_s = early->began_s;
	if (kt_proc_poll(proc, 0)) {
		const double lasted_s = written_s(early->output) - written_s(early->source);

		*began_s = lasted_s > 0 ? fmax(*began_s, kt_now_s() - lasted_s) : *began_s;
	}
	early->proc = NULL;
	return proc;
}

void kt_early_close(struct kt_early *early)
{
	kt_proc_free(early->proc);
	early->proc = NULL;
}
