#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/opencl_options.h"
#include "cuda.h"
#include "flatten.h"
#include "headers.h"
#include "opencl.h"
#include "visit.h"

struct kt_name_index {
	size_t buckets;
	size_t *heads, *tails; /* of chains whose entries ascend */
	size_t count, capacity;
	struct {
		const char *name;
		size_t length, entry, next;
	} *nodes;
};

static size_t hash_name(const char *name, size_t length)
{
	uint64_t hash = 1469598103934665603u;
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
	return (size_t)hash;
}

struct kt_name_index *kt_index_new(struct kt_arena *arena, size_t count)
{
	struct kt_name_index *index = kt_arena_alloc(arena, sizeof *index);
	NEED(index, NULL);
	index->buckets = 64;
	while (index->buckets < count)
		index->buckets *= 2;
	index->capacity = count;
	index->heads = kt_arena_array(arena, index->buckets, sizeof *index->heads);
	index->tails = kt_arena_array(arena, index->buckets, sizeof *index->tails);
	index->nodes = kt_arena_array(arena, count + 1, sizeof *index->nodes);
	return index->heads != NULL && index->tails != NULL && index->nodes != NULL ? index : NULL;
}

bool kt_index_add(struct kt_name_index *index, const char *name, size_t length, size_t entry)
{
	if (index->count >= index->capacity)
		return false;
	size_t bucket = hash_name(name, length) & (index->buckets - 1);
	size_t place = ++index->count;
	size_t *link = &index->heads[bucket];
	/* Entries mostly arrive in order: after the last one then, without a walk. */
	if (*link != 0 && index->nodes[index->tails[bucket] - 1].entry <= entry)
		link = &index->nodes[index->tails[bucket] - 1].next;
	while (*link != 0 && index->nodes[*link - 1].entry <= entry)
		link = &index->nodes[*link - 1].next;
	index->nodes[place - 1].name = name;
	index->nodes[place - 1].length = length;
	index->nodes[place - 1].entry = entry;
	index->nodes[place - 1].next = *link;
	if (*link == 0)
		index->tails[bucket] = place;
	*link = place;
	return true;
}

static size_t same_name(const struct kt_name_index *index, size_t place, const char *name, size_t length)
{
	while (place != 0 && (index->nodes[place - 1].length != length ||
	                      memcmp(index->nodes[place - 1].name, name, length) != 0))
		place = index->nodes[place - 1].next;
	return place;
}

size_t kt_index_places(const struct kt_name_index *index)
{
	return index->capacity + 1;
}

size_t kt_index_first(const struct kt_name_index *index, const char *name, size_t length)
{
	return same_name(index, index->heads[hash_name(name, length) & (index->buckets - 1)], name, length);
}

size_t kt_index_next(const struct kt_name_index *index, size_t place)
{
	return same_name(index, index->nodes[place - 1].next, index->nodes[place - 1].name,
	                 index->nodes[place - 1].length);
}

size_t kt_index_entry(const struct kt_name_index *index, size_t place)
{
	return index->nodes[place - 1].entry;
}

size_t kt_index_find(const struct kt_name_index *index, const char *name, size_t length, size_t from)
{
	for (size_t place = kt_index_first(index, name, length); place != 0; place = kt_index_next(index, place))
		if (kt_index_entry(index, place) >= from)
			return kt_index_entry(index, place);
	return SIZE_MAX;
}

uint32_t kt_scan_offset(const struct kt_scan *scan, CXSourceLocation location, size_t *file)
{
	CXFile found = NULL;
	unsigned line = 0, column = 0, offset = 0;
	kt_clang.getFileLocation(location, &found, &line, &column, &offset);
	*file = SIZE_MAX;
	for (size_t i = 0; found != NULL && i < scan->file_count; i++)
		if (kt_clang.File_isEqual(found, scan->files[i].file) != 0) {
			*file = i;
			break;
		}
	return offset;
}

static bool is_within(const struct kt_range *ranges, size_t count, uint32_t offset)
{
	for (size_t i = 0; i < count; i++)
		if (ranges[i].begin <= offset && offset < ranges[i].end)
			return true;
	return false;
}

bool kt_scan_skipped(const struct kt_scan *scan, uint32_t offset)
{
	return is_within(scan->skipped, scan->skipped_count, offset);
}

bool kt_scan_dead(struct kt_scan *scan, uint32_t offset)
{
	struct kt_error err;
	return kt_scan_skipped(scan, offset) && kt_scan_host(scan, &err) == KT_OK &&
	       is_within(scan->host_skipped, scan->host_skipped_count, offset);
}

bool kt_scan_same(const struct kt_scan *scan, CXCursor a, CXCursor b)
{
	CXCursor left = kt_clang.getCanonicalCursor(a), right = kt_clang.getCanonicalCursor(b);
	if (kt_clang.equalCursors(left, right) != 0)
		return true;
	if (scan->host_unit == NULL && scan->referenced == NULL)
		return false;
	CXString one = kt_clang.getCursorUSR(left), two = kt_clang.getCursorUSR(right);
	const char *first = kt_clang.getCString(one), *second = kt_clang.getCString(two);
	bool same = first != NULL && second != NULL && first[0] != '\0' && strcmp(first, second) == 0;
	kt_clang.disposeString(one);
	kt_clang.disposeString(two);
	return same;
}

struct kt_text *kt_scan_text(struct kt_scan *scan, size_t file)
{
	struct kt_project_file *f = &scan->files[file];
	struct kt_error err;
	size_t size = 0;
	if (f->text.data != NULL)
		return &f->text;
	const char *data = kt_clang.getFileContents(scan->unit, f->file, &size);
	if (file == 0 && scan->written != NULL)
		data = scan->written;
	if (data == NULL || kt_lex(&f->text, scan->arena, data, 0, size, true, &err) != KT_OK)
		return NULL;
	return &f->text;
}

const char *kt_scan_file(const struct kt_scan *scan, uint32_t offset)
{
	if (scan->flat == NULL)
		return scan->options.file;
	return scan->flat->files[kt_flat_place(scan->flat, scan->text->data, offset, true).file].path;
}

/* Finds where lines begin; NULL: memory is out. */
static const uint32_t *read_lines(struct kt_scan *scan)
{
	const char *data = scan->text->data;
	size_t count = 0;
	for (size_t i = 0; i < scan->text->size; i++)
		count += data[i] == '\n';
	scan->lines = kt_arena_array(scan->arena, count + 1, sizeof *scan->lines);
	scan->line_count = 0;
	for (size_t i = 0; scan->lines != NULL && i < scan->text->size; i++)
		if (data[i] == '\n')
			scan->lines[scan->line_count++] = (uint32_t)i + 1;
	return scan->lines;
}

void kt_scan_position(const struct kt_scan *scan, uint32_t offset, uint32_t *line, uint32_t *column)
{
	const char *data = scan->text->data;
	if (scan->flat != NULL) {
		struct kt_text_place place = kt_flat_place(scan->flat, data, offset, true);
		*line = place.line;
		*column = place.column;
		return;
	}
	size_t low = 0, high = scan->line_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (scan->lines[middle] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	*line = (uint32_t)low + 1;
	*column = offset - (low > 0 ? scan->lines[low - 1] : 0) + 1;
}

CXCursor kt_scan_target(const struct kt_scan *scan, uint32_t offset)
{
	size_t low = 0, high = scan->use_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (scan->uses[middle].at < offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < scan->use_count && scan->uses[low].at == offset)
		return scan->uses[low].target;
	return kt_clang.getNullCursor();
}

/* Is definition `a` of a name in force at the scan's place rather than `b`? Those of other files come first. */
static bool is_later(const struct kt_scan *scan, const struct kt_macro *a, const struct kt_macro *b)
{
	const bool a_before = a->file != 0 || a->begin < scan->place, b_before = b->file != 0 || b->begin < scan->place;
	return a_before != b_before ? a_before : a->file == 0 || b->file != 0;
}

const struct kt_macro *kt_scan_macro(const struct kt_scan *scan, const char *name)
{
	const size_t length = strlen(name);
	const struct kt_macro *best = NULL;
	for (size_t at = kt_index_first(scan->macro_index, name, length); at != 0; at = kt_index_next(scan->macro_index, at)) {
		const struct kt_macro *macro = &scan->macros[kt_index_entry(scan->macro_index, at)];
		if (best == NULL || is_later(scan, macro, best))
			best = macro;
	}
	return best;
}

const char *kt_scan_squeeze(struct kt_scan *scan, const struct kt_text *text, uint32_t begin, uint32_t end)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	uint32_t last = UINT32_MAX;
	for (size_t i = kt_token_at(text, begin); i < text->count && text->tokens[i].end <= end; i++) {
		if (last != UINT32_MAX && text->tokens[i].begin > last)
			kt_buf_addc(&out, ' ');
		kt_buf_add(&out, text->data + text->tokens[i].begin, text->tokens[i].end - text->tokens[i].begin);
		last = text->tokens[i].end;
	}
	char *copy = kt_arena_strdup(scan->arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return copy != NULL ? copy : "";
}

static bool add_argument(struct kt_scan *scan, const char ***list, size_t *count, const char *argument)
{
	return kt_arena_push_text(scan->arena, list, count, argument);
}

/* The user's arguments, as libclang takes them. */
static bool add_more(struct kt_scan *scan, const char ***list, size_t *count)
{
	const struct kt_scan_options *o = &scan->options;
	bool done = o->directory == NULL || (add_argument(scan, list, count, "-working-directory") &&
	                                     add_argument(scan, list, count, o->directory));
	if (scan->more_folder != NULL)
		done = done && add_argument(scan, list, count, "-I") && add_argument(scan, list, count, scan->more_folder);
	for (size_t i = 0; i < scan->folder_count; i++)
		done = done && add_argument(scan, list, count, "-iquote") &&
		       add_argument(scan, list, count, scan->folders[i]);
	for (size_t i = 0; i < o->argument_count; i++) {
		const struct kt_opencl_option option = kt_opencl_option(o->arguments[i]);

		if (scan->target->has_host_code || option.libclang)
			done = done && add_argument(scan, list, count, o->arguments[i]);
		else if (option.takes_next)
			i++;
	}
	return done;
}

/* What libclang gets, in CUDA for one of its two passes; NULL when out of memory. */
static const char **build_arguments(struct kt_scan *scan, bool host, const char *headers, size_t *count)
{
	const struct kt_cuda_reading reading = {scan->options.toolkit, scan->options.arch, host};
	const char **list = NULL;
	const char *const *fixed;
	const char *resources;
	size_t fixed_count;
	bool done = true;
	*count = 0;
	if (scan->target->has_host_code) {
		if (!add_more(scan, &list, count) ||
		    (headers != NULL && (!add_argument(scan, &list, count, "-include-pch") ||
		                         !add_argument(scan, &list, count, headers))))
			return NULL;
		return kt_cuda_arguments(scan->arena, count, &reading, list, *count);
	}
	fixed = kt_opencl_arguments(&fixed_count);
	resources = kt_opencl_resources(scan);
	for (size_t i = 0; i < fixed_count; i++)
		done = done && add_argument(scan, &list, count, fixed[i]);
	if (resources != NULL)
		done = done && add_argument(scan, &list, count, "-isystem") &&
		       add_argument(scan, &list, count, resources);
	return done && add_more(scan, &list, count) ? list : NULL;
}

/* libclang's own paths lead over links and "..", and name a file once an inclusion. */
static void add_system_file(struct kt_scan *scan, const char *path)
{
	char *real = kt_path_real(scan->arena, path);
	if (real == NULL)
		return;
	for (size_t i = 0; i < scan->system_file_count; i++)
		if (strcmp(scan->system_files[i], real) == 0)
			return;
	if (!kt_arena_push_text(scan->arena, &scan->system_files, &scan->system_file_count, real))
		scan->failed = true;
}

static void add_file(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
	struct kt_scan *scan = data;
	(void)stack;
	char *path = kt_clang_text(scan->arena, kt_clang.getFileName(file));
	CXSourceLocation start = kt_clang.getLocationForOffset(scan->unit, file, 0);
	if (path == NULL) {
		scan->failed = true;
		return;
	}
	if (depth > 0 && kt_clang.Location_isInSystemHeader(start) != 0) {
		add_system_file(scan, path);
		return;
	}
	for (size_t i = 0; i < scan->file_count; i++)
		if (kt_clang.File_isEqual(scan->files[i].file, file) != 0)
			return;
	struct kt_project_file *slot = kt_arena_push(scan->arena, &scan->files, &scan->file_count, sizeof *slot);
	if (slot == NULL) {
		scan->failed = true;
		return;
	}
	slot->path = depth == 0 ? scan->options.file : path;
	slot->file = file;
}

static kt_status read_skipped(struct kt_scan *scan, CXTranslationUnit unit, struct kt_range **ranges, size_t *count,
                              struct kt_error *err)
{
	CXSourceRangeList *list = kt_clang.getAllSkippedRanges(unit);
	kt_status status = KT_OK;
	for (unsigned i = 0; list != NULL && i < list->count && status == KT_OK; i++) {
		size_t begin_file = 0, end_file = 0;
		uint32_t begin = kt_scan_offset(scan, kt_clang.getRangeStart(list->ranges[i]), &begin_file);
		uint32_t end = kt_scan_offset(scan, kt_clang.getRangeEnd(list->ranges[i]), &end_file);
		if (begin_file != 0 || end_file != 0)
			continue;
		struct kt_range *slot = kt_arena_push(scan->arena, ranges, count, sizeof *slot);
		if (slot == NULL)
			status = kt_no_memory(err);
		else
			*slot = (struct kt_range){begin, end};
	}
	if (list != NULL)
		kt_clang.disposeSourceRangeList(list);
	return status;
}

/*
 * Parses the main file as it lies on disk, or the text with its headers once there is one. headers: the path of a
 * precompiled one, or NULL.
 */
static kt_status parse(CXTranslationUnit *out, struct kt_scan *scan, bool host, const char *headers,
                       struct kt_error *err)
{
	size_t count = 0;
	const char **arguments;
	NEED(arguments = build_arguments(scan, host, headers, &count), kt_no_memory(err));
	const char *path = kt_path_absolute(scan->arena, scan->options.file, scan->options.directory);
	struct CXUnsavedFile files[KT_CUDA_STAND_INS + 1 + KT_SCAN_MOST_MORE];
	unsigned file_count = 0;
	if (scan->target->has_host_code)
		file_count = kt_cuda_stand_ins(files, scan->arena, scan->options.toolkit);
	if (scan->target->has_host_code &&
	    kt_cuda_shadowed(&files[file_count], scan->arena, scan->options.toolkit, scan->options.directory,
	                     (const char *const *)scan->options.arguments, scan->options.argument_count))
		file_count++;
	for (unsigned i = 0; i < scan->more_count; i++)
		files[file_count++] = scan->more[i];
	struct CXUnsavedFile main_file = {.Filename = path};
	struct kt_buf own = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error ignored;
	if (scan->appended != NULL)
		main_file = (struct CXUnsavedFile){path, kt_buf_text(scan->appended), scan->appended->size};
	else if (scan->flat != NULL)
		main_file = (struct CXUnsavedFile){path, kt_buf_text(&scan->flat_text), scan->flat_text.size};
	else if (scan->target->has_host_code && kt_fs_read(&own, path, &ignored) == KT_OK)
		main_file = (struct CXUnsavedFile){path, kt_arena_strndup(scan->arena, kt_buf_text(&own), own.size), own.size};
	kt_buf_free(&own);
	const char *readable = scan->target->has_host_code && main_file.Contents != NULL
	                           ? kt_cuda_braces(scan->arena, main_file.Contents, main_file.Length)
	                           : NULL;
	scan->written = readable != NULL ? main_file.Contents : NULL;
	if (readable != NULL)
		main_file.Contents = readable;
	if (readable != NULL || scan->appended != NULL || scan->flat != NULL)
		files[file_count++] = main_file;
	enum CXErrorCode code =
	    kt_clang.parseTranslationUnit2(scan->index, path, arguments, (int)count, files, file_count,
	                                   CXTranslationUnit_DetailedPreprocessingRecord, out);
	if (code != CXError_Success)
		return kt_fail(err, KT_ERR_CHILD, "libclang %s could not parse %s (%d)", scan->version, path, (int)code);
	return KT_OK;
}

/* The device's pass, with a precompiled header where that makes no difference: *used, or NULL. */
static kt_status parse_device(CXTranslationUnit *out, const struct kt_headers **used, struct kt_scan *scan, bool wait,
                              struct kt_error *err)
{
	struct kt_error ignored;
	*used = kt_headers_ready(scan, wait);
	*out = NULL;
	if (*used != NULL && parse(out, scan, false, (*used)->path, &ignored) == KT_OK &&
	    kt_headers_hold(scan, *out, *used))
		return KT_OK;
	if (*out != NULL)
		kt_clang.disposeTranslationUnit(*out);
	*out = NULL;
	*used = NULL;
	return parse(out, scan, false, NULL, err);
}

kt_status kt_scan_again(CXTranslationUnit *out, struct kt_scan *scan, const struct kt_buf *text, struct kt_error *err)
{
	const struct kt_headers *used;
	kt_status status;
	scan->appended = text;
	status = parse_device(out, &used, scan, true, err);
	scan->appended = NULL;
	return status;
}

kt_status kt_scan_with(CXTranslationUnit *out, struct kt_scan *scan, const struct kt_buf *text,
                       const struct CXUnsavedFile *more, unsigned more_count, const char *folder, struct kt_error *err)
{
	kt_status status;
	scan->appended = text;
	scan->more = more;
	scan->more_count = more_count;
	scan->more_folder = folder;
	status = parse(out, scan, false, NULL, err);
	scan->appended = NULL;
	scan->more_count = 0;
	scan->more_folder = NULL;
	return status;
}

kt_status kt_scan_host(struct kt_scan *scan, struct kt_error *err)
{
	if (scan->host_unit != NULL || !scan->target->has_host_code)
		return KT_OK;
	TRY(parse(&scan->host_unit, scan, true, NULL, err));
	TRY(read_skipped(scan, scan->host_unit, &scan->host_skipped, &scan->host_skipped_count, err));
	return kt_visit_host(scan, err);
}

/* Does a part that device code skips hold a launch? */
static bool skips_launches(const struct kt_scan *scan)
{
	for (size_t i = 0; scan->skipped_count > 0 && i < scan->text->count; i++)
		if (kt_token_is(scan->text, i, "<<<") && kt_scan_skipped(scan, scan->text->tokens[i].begin))
			return true;
	return false;
}

static void close_unit(struct kt_scan *scan)
{
	if (scan->unit != NULL)
		kt_clang.disposeTranslationUnit(scan->unit);
	scan->unit = NULL;
}

kt_status kt_scan_open(struct kt_scan *scan, struct kt_error *err)
{
	const struct kt_headers *used = NULL;
	scan->target = kt_target_of_file(scan->options.file);
	scan->index = kt_clang.createIndex(0, 0);
	kt_headers_open(scan);
	kt_status status = parse_device(&scan->unit, &used, scan, false, err);
	/* What is put in is chosen by the whole graph. */
	if (status == KT_OK && used != NULL && kt_flatten_wants(scan)) {
		close_unit(scan);
		used = NULL;
		status = parse(&scan->unit, scan, false, NULL, err);
	}
	if (status == KT_OK && scan->target->has_host_code && used == NULL)
		status = kt_flatten(scan, err);
	if (status == KT_OK && scan->flat != NULL) {
		close_unit(scan);
		status = parse_device(&scan->unit, &used, scan, false, err);
	}
	if (status != KT_OK)
		return status;
	if (used != NULL) {
		scan->system_files = used->files;
		scan->system_file_count = used->file_count;
		scan->toolkit_version = used->toolkit_version;
	}
	kt_clang.getInclusions(scan->unit, add_file, scan);
	if (scan->failed || scan->file_count == 0)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading the include graph");
	NEED(scan->text = kt_scan_text(scan, 0), kt_fail(err, KT_ERR_IO, "%s could not be read", scan->options.file));
	NEED(read_lines(scan), kt_no_memory(err));
	status = read_skipped(scan, scan->unit, &scan->skipped, &scan->skipped_count, err);
	THEN(status, kt_visit_unit(scan, err));
	return status == KT_OK && skips_launches(scan) ? kt_scan_host(scan, err) : status;
}

void kt_scan_close(struct kt_scan *scan)
{
	close_unit(scan);
	kt_headers_close(scan);
	if (scan->host_unit != NULL)
		kt_clang.disposeTranslationUnit(scan->host_unit);
	if (scan->referenced != NULL)
		kt_clang.disposeTranslationUnit(scan->referenced);
	if (scan->index != NULL)
		kt_clang.disposeIndex(scan->index);
	kt_buf_free(&scan->diagnostics);
	kt_buf_free(&scan->flat_text);
	kt_arena_free(scan->arena);
}
