/* Makes a precompiled header: in a child with limits, under a lock, with a name that only a whole one gets. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/lex.h"
#include "base/proc.h"
#include "cuda.h"
#include "headers.h"
#include "includes.h"
#include "shadow.h"

enum { SECONDS_MOST = 30, KEPT_MOST = 16, NAMES_MOST = 1 << 16, NICENESS = 5 };
#define MEMORY_MOST ((rlim_t)4 << 30)
#define FILE_MOST ((rlim_t)256 << 20)
/* ---- what is in it: the child's work */

struct content {
	struct kt_arena *arena;
	CXTranslationUnit unit;
	const struct CXUnsavedFile *stand_ins;
	unsigned stand_in_count;
	cJSON *files, *names, *identifiers, *macros;
	struct kt_name_index *known_names, *known_identifiers, *known_macros, *known_files;
	int64_t toolkit;
	bool failed;
};

static void add_text(struct content *c, cJSON *list, struct kt_name_index *known, const char *data, size_t length)
{
	const char *copy;

	if (length == 0 || kt_index_find(known, data, length, 0) != SIZE_MAX)
		return;
	copy = kt_arena_strndup(c->arena, data, length);
	c->failed = c->failed || copy == NULL || !kt_index_add(known, copy, length, 0) ||
	            cJSON_AddItemToArray(list, cJSON_CreateString(copy)) == 0;
}

/* "crt/host_config.h" → "crt": what a folder would have to hold to lead the include elsewhere. */
static void add_names(struct content *c, const char *data, size_t size)
{
	struct kt_directive *directives = NULL;
	size_t count = 0;

	c->failed = c->failed || !kt_includes_search(&directives, &count, c->arena, data, size);
	for (size_t i = 0; !c->failed && i < count; i++)
		add_text(c, c->names, c->known_names, directives[i].name, strcspn(directives[i].name, "/"));
}

/* What a macro of the user's could change in it, and which of its macros the user's text could ask for. */
static void add_identifiers(struct content *c, const char *data, size_t size)
{
	struct kt_text text, lines;
	struct kt_error ignored;

	c->failed = c->failed || kt_lex(&text, c->arena, data, 0, size, false, &ignored) != KT_OK ||
	            kt_lex(&lines, c->arena, data, 0, size, true, &ignored) != KT_OK;
	for (size_t i = 0; !c->failed && i < text.count; i++)
		if (text.tokens[i].kind == KT_TOKEN_NAME)
			add_text(c, c->identifiers, c->known_identifiers, data + text.tokens[i].begin,
			         text.tokens[i].end - text.tokens[i].begin);
	for (size_t i = 0; !c->failed && i < lines.count; i++) {
		const struct kt_token *token = &lines.tokens[i];
		struct kt_text rest;
		uint32_t at = 0;
		const char *word;

		if (token->kind != KT_TOKEN_DIRECTIVE)
			continue;
		word = kt_directive_word(c->arena, &lines, token, &at);
		if (word == NULL || kt_lex(&rest, c->arena, data, at, token->end, false, &ignored) != KT_OK)
			c->failed = true;
		else if (strcmp(word, "define") == 0 && rest.count > 0)
			add_text(c, c->macros, c->known_macros, data + rest.tokens[0].begin,
			         rest.tokens[0].end - rest.tokens[0].begin);
	}
}

static void read_version(struct content *c, const char *data)
{
	static const char *const lines[] = {"#define CUDART_VERSION", "#define CUDA_VERSION"};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		const char *at = strstr(data, lines[i]);
		const int64_t value = at != NULL ? strtoll(at + strlen(lines[i]), NULL, 10) : 0;

		c->toolkit = value > 0 ? value : c->toolkit;
	}
}

static bool is_stand_in(const struct content *c, const char *name)
{
	for (unsigned i = 0; name != NULL && i < c->stand_in_count; i++)
		if (strcmp(c->stand_ins[i].Filename, name) == 0)
			return true;
	return false;
}

static void add_file(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
	struct content *c = data;
	CXFile outermost = NULL;
	char *name = kt_clang_text(c->arena, kt_clang.getFileName(file));
	char *real = name != NULL ? kt_path_real(c->arena, name) : NULL;
	struct kt_file_stamp stamp;
	struct kt_error ignored;
	const char *text;
	size_t size = 0;
	cJSON *item;

	text = kt_clang.getFileContents(c->unit, file, &size);
	if (text != NULL)
		add_names(c, text, size);
	/* The text that includes all others is no file of the toolkit; a replacement header is part of the key. */
	if (depth == 0 || text == NULL || size == 0 || is_stand_in(c, name))
		return;
	if (real == NULL || kt_fs_stamp(&stamp, real, &ignored) != KT_OK) {
		c->failed = true;
		return;
	}
	if (kt_index_find(c->known_files, real, strlen(real), 0) != SIZE_MAX)
		return;
	read_version(c, text);
	/* What libclang includes by itself comes from no file. */
	kt_clang.getFileLocation(stack[depth - 1], &outermost, NULL, NULL, NULL);
	if (outermost != NULL)
		add_identifiers(c, text, size);
	item = cJSON_CreateObject();
	(void)cJSON_AddStringToObject(item, "path", real);
	(void)kt_json_add_int(item, "size", (int64_t)stamp.size);
	(void)kt_json_add_int(item, "time", stamp.mtime_ns);
	c->failed = c->failed || cJSON_AddItemToArray(c->files, item) == 0 ||
	            !kt_index_add(c->known_files, real, strlen(real), 0);
}

static kt_status write_note(const struct content *c, const cJSON *note, const char *path, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_OUTPUT_BYTES * 4);
	kt_status status;

	kt_json_print(&text, note);
	status = c->failed ? kt_no_memory(err) : kt_buf_check(&text, "a note", err);
	THEN(status, kt_fs_write(path, text.data, text.size, err));
	kt_buf_free(&text);
	return status;
}

static kt_status describe(struct content *c, const char *path, struct kt_error *err)
{
	cJSON *note = cJSON_CreateObject();
	kt_status status;

	c->files = cJSON_AddArrayToObject(note, "files");
	c->names = cJSON_AddArrayToObject(note, "names");
	c->identifiers = cJSON_AddArrayToObject(note, "identifiers");
	c->macros = cJSON_AddArrayToObject(note, "macros");
	c->known_files = kt_index_new(c->arena, NAMES_MOST);
	c->known_names = kt_index_new(c->arena, NAMES_MOST);
	c->known_identifiers = kt_index_new(c->arena, NAMES_MOST);
	c->known_macros = kt_index_new(c->arena, NAMES_MOST);
	c->failed = c->macros == NULL || c->known_files == NULL || c->known_names == NULL ||
	            c->known_identifiers == NULL || c->known_macros == NULL;
	if (!c->failed)
		kt_clang.getInclusions(c->unit, add_file, c);
	c->failed = c->failed || !kt_json_add_int(note, "toolkit", c->toolkit);
	status = write_note(c, note, path, err);
	cJSON_Delete(note);
	return status;
}

struct job {
	struct kt_scan *scan;
	const char *const *arguments;
	size_t argument_count;
	const char *text, *main, *pch, *note;
};

static bool compile(const struct job *job)
{
	struct CXUnsavedFile files[KT_CUDA_STAND_INS + 1];
	unsigned count = kt_cuda_stand_ins(files, job->scan->arena, job->scan->options.toolkit);
	struct content content = {.arena = job->scan->arena, .stand_ins = files, .stand_in_count = count};
	struct kt_error ignored;

	files[count++] = (struct CXUnsavedFile){job->main, job->text, strlen(job->text)};
	return kt_clang.parseTranslationUnit2(kt_clang.createIndex(0, 0), job->main, job->arguments,
	                                      (int)job->argument_count, files, count,
	                                      CXTranslationUnit_Incomplete | CXTranslationUnit_ForSerialization,
	                                      &content.unit) == CXError_Success &&
	       !kt_headers_have_errors(content.unit) &&
	       kt_clang.saveTranslationUnit(content.unit, job->pch, CXSaveTranslationUnit_None) == CXSaveError_None &&
	       describe(&content, job->note, &ignored) == KT_OK;
}

/* Nothing of its parent's but the work: no descriptor, no output, and no longer than it. */
static void run_child(const struct job *job, pid_t parent)
{
	const struct rlimit seconds = {SECONDS_MOST, SECONDS_MOST}, none = {0, 0}, file = {FILE_MOST, FILE_MOST};
	const int null = open("/dev/null", O_RDWR);

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* Others are waited for. */
	(void)!nice(NICENESS);
	for (int i = 0; i < 3 && null >= 0; i++)
		(void)dup2(null, i);
	(void)close_range(3, ~0U, 0);
	(void)setrlimit(RLIMIT_CPU, &seconds);
	(void)setrlimit(RLIMIT_CORE, &none);
	(void)setrlimit(RLIMIT_FSIZE, &file);
#ifndef KT_HAS_SHADOW
	const struct rlimit memory = {MEMORY_MOST, MEMORY_MOST};
	(void)setrlimit(RLIMIT_AS, &memory);
#endif
	_exit(compile(job) ? 0 : 1);
}

static bool wait_for(pid_t child)
{
	const double until = kt_now_s() + 2 * SECONDS_MOST;
	int status = 0;
	pid_t got;

	while ((got = waitpid(child, &status, WNOHANG)) == 0) {
		const struct timespec nap = {0, 1000000};

		if (kt_now_s() > until)
			(void)kill(child, SIGKILL);
		(void)nanosleep(&nap, NULL);
	}
	return got == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- in the cache's folder */

/* Gives it its name, and keeps of the file what tells later whether it is still the same. */
static bool publish(struct kt_scan *scan, const struct kt_headers_place *place, const struct job *job)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_OUTPUT_BYTES * 4);
	struct kt_file_stamp stamp;
	struct kt_error ignored;
	struct content content = {.arena = scan->arena};
	cJSON *note = NULL;
	bool done = kt_fs_read(&text, job->note, &ignored) == KT_OK &&
	            kt_json_parse(&note, kt_buf_text(&text), text.size, &ignored) == KT_OK &&
	            chmod(job->pch, 0600) == 0 && rename(job->pch, place->path) == 0 &&
	            kt_fs_stamp(&stamp, place->path, &ignored) == KT_OK;

	done = done && cJSON_AddStringToObject(note, "key", place->key) != NULL &&
	       kt_json_add_int(note, "size", (int64_t)stamp.size) && kt_json_add_int(note, "time", stamp.mtime_ns) &&
	       kt_json_add_int(note, "inode", (int64_t)stamp.inode) &&
	       kt_json_add_int(note, "changed", stamp.ctime_ns) &&
	       write_note(&content, note, place->note, &ignored) == KT_OK;
	cJSON_Delete(note);
	kt_buf_free(&text);
	return done;
}

/* The note of the header that was made or used longest ago, of all but `kept`; how many there are. */
static size_t find_oldest(char out[NAME_MAX + 1], DIR *folder, const char *kept)
{
	struct timespec oldest = {0};
	struct dirent *item;
	struct stat info;
	size_t count = 0;

	out[0] = '\0';
	rewinddir(folder);
	while ((item = readdir(folder)) != NULL) {
		const char *dot = strrchr(item->d_name, '.');

		if (dot == NULL || strcmp(dot, ".json") != 0 || strcmp(item->d_name, kept) == 0 ||
		    fstatat(dirfd(folder), item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (count++ > 0 && (info.st_mtim.tv_sec > oldest.tv_sec ||
		                    (info.st_mtim.tv_sec == oldest.tv_sec && info.st_mtim.tv_nsec >= oldest.tv_nsec)))
			continue;
		oldest = info.st_mtim;
		(void)snprintf(out, NAME_MAX + 1, "%s", item->d_name);
	}
	return count;
}

static void make_room(const struct kt_headers_place *place)
{
	const int at = open(place->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *folder = at >= 0 ? fdopendir(at) : NULL;
	char note[NAME_MAX + 1], pch[NAME_MAX + 8];

	while (folder != NULL && find_oldest(note, folder, kt_path_basename(place->note)) >= KEPT_MOST &&
	       unlinkat(at, note, 0) == 0) {
		(void)snprintf(pch, sizeof pch, "%.*s.pch", (int)(strlen(note) - strlen(".json")), note);
		(void)unlinkat(at, pch, 0);
	}
	if (folder != NULL)
		closedir(folder);
	else if (at >= 0)
		close(at);
}

/* −1: somebody else makes one. */
static int take_lock(struct kt_arena *arena, const struct kt_headers_place *place)
{
	const char *path = kt_arena_printf(arena, "%s/lock", place->folder);
	const int fd = path != NULL ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600) : -1;

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

struct kt_headers_maker {
	struct job job;
	struct kt_headers_place place;
	char *folder; /* of what is not whole yet */
	pid_t child;
	int lock;
};

struct kt_headers_maker *kt_headers_start(struct kt_scan *scan, const struct kt_headers_place *place,
                                          const char *const *arguments, size_t argument_count, const char *include)
{
	struct kt_headers_maker *maker = kt_arena_alloc(scan->arena, sizeof *maker);
	const pid_t parent = getpid();
	struct kt_error ignored;

	if (maker == NULL)
		return NULL;
	*maker = (struct kt_headers_maker){
	    .job = {.scan = scan, .arguments = arguments, .argument_count = argument_count},
	    .place = *place,
	    .folder = kt_arena_printf(scan->arena, "%s/new-XXXXXX", place->folder),
	};
	maker->job.text = include != NULL ? kt_arena_printf(scan->arena, "#include <%s>\n", include) : "\n";
	maker->job.main = kt_path_join(scan->arena, place->folder, "headers.cuh");
	if (maker->folder == NULL || maker->job.text == NULL || maker->job.main == NULL ||
	    (maker->lock = take_lock(scan->arena, place)) < 0)
		return NULL;
	make_room(place);
	if (mkdtemp(maker->folder) == NULL) {
		close(maker->lock);
		return NULL;
	}
	maker->job.pch = kt_path_join(scan->arena, maker->folder, "made.pch");
	maker->job.note = kt_path_join(scan->arena, maker->folder, "note.json");
	maker->child = maker->job.pch != NULL && maker->job.note != NULL ? fork() : -1;
	if (maker->child == 0)
		run_child(&maker->job, parent);
	if (maker->child > 0)
		return maker;
	(void)!kt_fs_remove_tree(maker->folder, &ignored);
	close(maker->lock);
	return NULL;
}

bool kt_headers_finish(struct kt_headers_maker *maker)
{
	const bool made = wait_for(maker->child) && publish(maker->job.scan, &maker->place, &maker->job);
	struct kt_error ignored;

	/* One that stays is swept with the cache. */
	(void)!kt_fs_remove_tree(maker->folder, &ignored);
	close(maker->lock);
	return made;
}
