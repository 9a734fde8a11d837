/* Fills from NumPy files: file("x.npy"). */
#include <string.h>

#include "base/fs.h"
#include "base/npy.h"
#include "clauses.h"

static void report(struct kt_scan *scan, struct kt_found *found, const struct kt_pragma_buffer *from, const char *message,
                   const char *hint)
{
	kt_clause_report(scan, found, from->like != NULL ? from->like_offset : from->file_offset,
	                 from->like != NULL ? from->like : from->file, message, hint);
}

/* Relative to the folder of the file with the pragma; relative names of that one are the compiler's. */
static const char *path_of(struct kt_scan *scan, const struct kt_found *found, const char *text)
{
	const char *source = kt_path_absolute(scan->arena, found->region.file, scan->options.directory);
	const char *folder = source != NULL ? kt_path_dirname(scan->arena, source) : NULL;
	const char *path = folder != NULL ? kt_path_absolute(scan->arena, text, folder) : NULL;
	if (path == NULL)
		scan->failed = true;
	return path;
}

/* The build depends on it: it is compiled again where the file has changed. */
static void depend(struct kt_scan *scan, const char *path)
{
	if (!kt_arena_push_text(scan->arena, &scan->data_files, &scan->data_file_count, path))
		scan->failed = true;
}

void kt_clause_file(struct kt_scan *scan, struct kt_found *found, struct kt_buffer *b, const struct kt_pragma_buffer *from)
{
	char hash[KT_HASH_TEXT];
	struct kt_npy npy;
	struct kt_error err;
	const char *path = from->file != NULL ? path_of(scan, found, from->file) : NULL;
	if (path == NULL)
		return;
	depend(scan, path);
	b->file.text = from->file;
	b->file.path = path;
	kt_status status = kt_npy_file(&npy, path, &err);
	THEN(status, kt_hash_file(hash, path, &err));
	if (status != KT_OK) {
		b->file.hash = "";
		if (from->like == NULL)
			report(scan, found, from, kt_arena_printf(scan->arena, "'%s' cannot fill '%s': %s", from->file, b->name, err.message),
			       status == KT_ERR_IO ? kt_arena_printf(scan->arena, "the path is that of '%s'", path)
			                           : "write another file with numpy.save, or another fill");
		return;
	}
	b->file.hash = kt_arena_strdup(scan->arena, hash);
	b->file.count = npy.count;
	b->file.scalar = npy.scalar;
}

/* Does an instance have this type in all of its elements? */
static bool fits_type(struct kt_scan *scan, struct kt_found *found, const struct kt_buffer *b,
                      const struct kt_pragma_buffer *from, const struct kt_element *element)
{
	const enum kt_scalar own = element->part_count == 1 && element->padding_count == 0 ? element->parts[0].scalar : KT_SCALAR_NONE;
	if (element->bytes == 0 || own == b->file.scalar)
		return true;
	if (own == KT_SCALAR_NONE)
		report(scan, found, from,
		       kt_arena_printf(scan->arena, "'%s' has elements of several types, and '%s' holds one", b->name, b->file.text),
		       "fill the members: {from = range(0, n - 1), …}");
	else
		report(scan, found, from,
		       kt_arena_printf(scan->arena, "'%s' holds %s, and the elements of '%s' are %s", b->file.text,
		                       kt_npy_type(b->file.scalar), b->name, kt_npy_type(own)),
		       kt_arena_printf(scan->arena, "save a.astype(%s.%s)", own == KT_BF16 ? "ml_dtypes" : "numpy", kt_npy_type(own)));
	return false;
}

/* "rows = 16, d = 4096" */
static const char *problem_text(struct kt_scan *scan, const struct kt_problem_values *p)
{
	const char *text = "";
	for (size_t v = 0; v < p->pragma->variable_count && text != NULL; v++)
		text = kt_arena_printf(scan->arena, "%s%s%s = %lld", text, v > 0 ? ", " : " for ", p->pragma->variables[v],
		                       (long long)p->values[v]);
	return text != NULL ? text : "";
}

/* Is this clause the one of the buffer that holds on the problem? */
static bool is_held(const struct kt_buffer *all, const struct kt_buffer *b, struct kt_problem_values *p)
{
	struct kt_error ignored;
	int64_t holds = 0;
	for (; all != b; all = all->otherwise)
		if (kt_expr_eval(&holds, all->when.expr, kt_of_problem, p, &ignored) == KT_OK && holds != 0)
			return false;
	return b->otherwise == NULL || (kt_expr_eval(&holds, b->when.expr, kt_of_problem, p, &ignored) == KT_OK && holds != 0);
}

static bool fits_count(struct kt_scan *scan, struct kt_found *found, const struct kt_buffer *all, const struct kt_buffer *b,
                       const struct kt_pragma_buffer *from, const struct kt_element *element, size_t problem)
{
	struct kt_problem_values p = {found->pragma, found->pragma->problems + problem * found->pragma->variable_count};
	if (!is_held(all, b, &p))
		return true;
	const int64_t unit = b->type != NULL ? element->bytes : 1;
	struct kt_error ignored;
	int64_t count = 0;
	if (element->bytes == 0 || kt_expr_eval(&count, b->count.expr, kt_of_problem, &p, &ignored) != KT_OK ||
	    __builtin_mul_overflow(count / unit, (int64_t)element->number_count, &count) || count == b->file.count)
		return true;
	report(scan, found, from,
	       kt_arena_printf(scan->arena, "'%s' has %lld numbers, and '%s' has %lld%s", b->file.text, (long long)b->file.count,
	                       b->name, (long long)count, problem_text(scan, &p)),
	       "take that problem out, or write a fill that has numbers for each");
	return false;
}

static void file_fits(struct kt_scan *scan, struct kt_found *found, const struct kt_buffer *all, const struct kt_buffer *b,
                      const struct kt_pragma_buffer *from)
{
	const struct kt_region *r = &found->region;
	const size_t problems = found->pragma->variable_count > 0 ? found->pragma->problem_count : 1;
	bool right = b->file.scalar != KT_SCALAR_NONE;
	for (size_t i = 0; right && i < (b->argument >= 0 ? r->instance_count : 1); i++) {
		const struct kt_element *element = r->instance_count > 0 || b->argument < 0 ? kt_buffer_element(b, &r->instances[i])
		                                                                             : kt_element_of(KT_SCALAR_NONE);
		right = fits_type(scan, found, b, from, element);
		for (size_t p = 0; right && p < problems; p++)
			right = fits_count(scan, found, all, b, from, element, p);
	}
}

void kt_clause_file_fits(struct kt_scan *scan, struct kt_found *found, const struct kt_buffer *buffer,
                         const struct kt_pragma_buffer *from)
{
	const struct kt_buffer *b = buffer;
	for (; b != NULL && from != NULL; b = b->otherwise, from = from->otherwise)
		file_fits(scan, found, buffer, b, from);
}
