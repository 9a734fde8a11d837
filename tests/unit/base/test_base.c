/* Arenas, buffers, paths, files, hashes, JSON, settings. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/config.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/reason.h"

static struct kt_arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = kt_arena_new(1 << 20);
	return arena == NULL;
}

static int teardown(void **state)
{
	(void)state;
	kt_arena_free(arena);
	return 0;
}

static void arena_has_a_ceiling(void **state)
{
	struct kt_arena *small = kt_arena_new(1000);

	(void)state;
	assert_non_null(kt_arena_alloc(small, 900));
	assert_null(kt_arena_alloc(small, 200));
	assert_null(kt_arena_array(small, SIZE_MAX / 2, 4));
	kt_arena_free(small);
	kt_arena_free(NULL);
}

static void arena_takes_memory_over(void **state)
{
	struct kt_arena *small = kt_arena_new(1000);
	char *mine = malloc(900), *too_much = malloc(10);

	(void)state;
	assert_non_null(mine);
	assert_true(kt_arena_adopt(small, mine, 900));
	assert_false(kt_arena_adopt(small, too_much, 1000));
	assert_null(kt_arena_alloc(small, 200));
	mine[899] = 'x';
	free(too_much);
	kt_arena_free(small);
}

static void arena_push_keeps_what_was_there(void **state)
{
	int *items = NULL;
	size_t count = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		int *item = kt_arena_push(arena, &items, &count, sizeof *item);

		assert_non_null(item);
		assert_int_equal(*item, 0);
		*item = i;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
}

static void buffer_extends(void **state)
{
	struct kt_buf buf = KT_BUF(8);
	char *at;

	(void)state;
	kt_buf_adds(&buf, "ab");
	at = kt_buf_extend(&buf, 6);
	assert_non_null(at);
	memcpy(at, "cdefgh", 6);
	assert_string_equal(kt_buf_text(&buf), "abcdefgh");
	assert_null(kt_buf_extend(&buf, 1));
	assert_true(buf.failed);
	kt_buf_free(&buf);
}

static void buffer_stops_at_its_limit(void **state)
{
	struct kt_buf buf = KT_BUF(10);
	struct kt_error err;

	(void)state;
	assert_string_equal(kt_buf_text(&buf), "");
	kt_buf_adds(&buf, "12345678");
	assert_int_equal(kt_buf_check(&buf, "test", &err), KT_OK);
	kt_buf_addf(&buf, "%d", 999);
	assert_int_equal(kt_buf_check(&buf, "test", &err), KT_ERR_MEMORY);
	assert_string_equal(kt_buf_text(&buf), "12345678");
	kt_buf_clear(&buf);
	kt_buf_adds(&buf, "1234567890");
	assert_int_equal(kt_buf_check(&buf, "test", &err), KT_OK);
	kt_buf_free(&buf);
}

static void json_strings_are_escaped(void **state)
{
	struct kt_buf buf = KT_BUF(1000);

	(void)state;
	kt_buf_addjson(&buf, "a\"b\\c\n\t\x01\x0b" "é");
	assert_string_equal(kt_buf_text(&buf), "\"a\\\"b\\\\c\\n\\t\\u0001\\u000bé\"");
	kt_buf_free(&buf);
}

static void paths(void **state)
{
	(void)state;
	assert_string_equal(kt_path_absolute(arena, "a/./b/../c.cu", "/x/y"), "/x/y/a/c.cu");
	assert_string_equal(kt_path_absolute(arena, "../../../..", "/x/y"), "/");
	assert_string_equal(kt_path_absolute(arena, "/a//b/", NULL), "/a/b");
	assert_string_equal(kt_path_dirname(arena, "a/b/c.cu"), "a/b");
	assert_string_equal(kt_path_dirname(arena, "c.cu"), ".");
	assert_string_equal(kt_path_dirname(arena, "/c"), "/");
	assert_string_equal(kt_path_basename("a/b/c.cu"), "c.cu");
	assert_string_equal(kt_path_join(arena, "a/", "b"), "a/b");
	assert_string_equal(kt_path_join(arena, "a", "/b"), "/b");
	assert_null(kt_path_find_program(arena, "no-such-program-anywhere"));
	assert_non_null(kt_path_find_program(arena, "sh"));
}

/* Where the system goes is not where the text does. */
static void parents_of_links(void **state)
{
	struct kt_error err;
	char *root, *link;

	(void)state;
	assert_int_equal(kt_fs_temp_dir(&root, arena, "kt-test", &err), KT_OK);
	assert_int_equal(kt_fs_mkdirs(kt_path_join(arena, root, "far/away/deep"), &err), KT_OK);
	link = kt_path_join(arena, root, "link");
	assert_int_equal(symlink("far/away", link), 0);
	assert_string_equal(kt_path_absolute(arena, "link/../x", root), kt_path_join(arena, root, "link/../x"));
	assert_string_equal(kt_path_absolute(arena, "link/../../x", root), kt_path_join(arena, root, "link/../../x"));
	assert_string_equal(kt_path_absolute(arena, "link/deep/../x", root), kt_path_join(arena, root, "link/x"));
	assert_string_equal(kt_path_absolute(arena, "far/../x", root), kt_path_join(arena, root, "x"));
	assert_int_equal(kt_fs_remove_tree(root, &err), KT_OK);
}

/* The same length and time, but another text: only the change time tells. */
static void stamp_of_a_kept_time(void **state)
{
	const struct timespec then[2] = {{.tv_sec = 1000}, {.tv_sec = 2000}}, tick = {.tv_nsec = 20000000};
	struct kt_file_stamp before, after;
	struct kt_error err;
	char *directory, *path;
	FILE *file;

	(void)state;
	assert_int_equal(kt_fs_temp_dir(&directory, arena, "kt-test", &err), KT_OK);
	path = kt_path_join(arena, directory, "file");
	assert_int_equal(kt_fs_write(path, "old", 3, &err), KT_OK);
	assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
	assert_int_equal(kt_fs_stamp(&before, path, &err), KT_OK);
	nanosleep(&tick, NULL);
	file = fopen(path, "r+");
	assert_non_null(file);
	assert_int_equal(fwrite("new", 1, 3, file), 3);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
	assert_int_equal(kt_fs_stamp(&after, path, &err), KT_OK);
	assert_int_equal(before.mtime_ns, after.mtime_ns);
	assert_int_equal(before.inode, after.inode);
	assert_false(kt_fs_stamp_equal(&before, &after));
	assert_int_equal(kt_fs_remove_tree(directory, &err), KT_OK);
}

static void mtime_is_copied(void **state)
{
	const struct timespec then[2] = {{.tv_sec = 1000}, {.tv_sec = 2000, .tv_nsec = 3000}};
	struct kt_file_stamp stamp;
	struct kt_error err;
	char *directory, *older, *path;

	(void)state;
	assert_int_equal(kt_fs_temp_dir(&directory, arena, "kt-test", &err), KT_OK);
	older = kt_path_join(arena, directory, "older");
	path = kt_path_join(arena, directory, "new");
	assert_int_equal(kt_fs_touch(older, &err), KT_OK);
	assert_int_equal(kt_fs_touch(path, &err), KT_OK);
	assert_int_equal(utimensat(AT_FDCWD, older, then, 0), 0);
	assert_int_equal(kt_fs_match_time(path, older, &err), KT_OK);
	assert_int_equal(kt_fs_stamp(&stamp, path, &err), KT_OK);
	assert_int_equal(stamp.mtime_ns, INT64_C(2000000003000));
	/* A folder as well. */
	assert_int_equal(kt_fs_match_time(directory, older, &err), KT_OK);
	assert_int_equal(kt_fs_match_time(path, "/no/such/file", &err), KT_ERR_MISSING);
	assert_int_equal(kt_fs_remove_tree(directory, &err), KT_OK);
}

static void files(void **state)
{
	struct kt_file_stamp before, after;
	struct kt_buf text = KT_BUF(100), tiny = KT_BUF(3);
	struct kt_error err;
	static const char *const contents[] = {"hellO", "hello world", "hell", "", "hello"};
	char *directory, *path;
	bool changed;

	(void)state;
	assert_int_equal(kt_fs_temp_dir(&directory, arena, "kt-test", &err), KT_OK);
	path = kt_path_join(arena, directory, "deep/er/file");
	assert_int_equal(kt_fs_write(path, "x", 1, &err), KT_ERR_MISSING);
	assert_int_equal(kt_fs_mkdirs(kt_path_dirname(arena, path), &err), KT_OK);
	assert_int_equal(kt_fs_write_changed(&changed, path, "hello", 5, &err), KT_OK);
	assert_true(changed);
	assert_int_equal(kt_fs_stamp(&before, path, &err), KT_OK);
	assert_int_equal(kt_fs_write_changed(&changed, path, "hello", 5, &err), KT_OK);
	assert_false(changed);
	assert_int_equal(kt_fs_stamp(&after, path, &err), KT_OK);
	assert_true(kt_fs_stamp_equal(&before, &after));
	/* Other bytes of the same length, a longer and a shorter text, nothing at all. */
	for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
		assert_int_equal(kt_fs_write_changed(&changed, path, contents[i], strlen(contents[i]), &err), KT_OK);
		assert_true(changed);
		assert_int_equal(kt_fs_write_changed(&changed, path, contents[i], strlen(contents[i]), &err), KT_OK);
		assert_false(changed);
	}
	assert_int_equal(kt_fs_read(&text, path, &err), KT_OK);
	assert_string_equal(kt_buf_text(&text), "hello");
	assert_int_equal(kt_fs_read(&tiny, path, &err), KT_ERR_LIMIT);
	/* A file where a folder should be is an error and no crash. */
	assert_int_not_equal(kt_fs_mkdirs(kt_path_join(arena, path, "below"), &err), KT_OK);
	assert_int_equal(kt_fs_remove_tree(directory, &err), KT_OK);
	assert_false(kt_fs_is_dir(directory));
	assert_int_equal(kt_fs_remove_tree(directory, &err), KT_OK);
	kt_buf_free(&text);
	kt_buf_free(&tiny);
}

static void remove_tree_follows_no_links(void **state)
{
	struct kt_error err;
	char *kept, *removed;

	(void)state;
	assert_int_equal(kt_fs_temp_dir(&kept, arena, "kt-kept", &err), KT_OK);
	assert_int_equal(kt_fs_temp_dir(&removed, arena, "kt-removed", &err), KT_OK);
	assert_int_equal(kt_fs_write(kt_path_join(arena, kept, "f"), "x", 1, &err), KT_OK);
	assert_int_equal(symlink(kept, kt_path_join(arena, removed, "link")), 0);
	assert_int_equal(kt_fs_remove_tree(removed, &err), KT_OK);
	assert_true(kt_fs_is_file(kt_path_join(arena, kept, "f")));
	assert_int_equal(kt_fs_remove_tree(kept, &err), KT_OK);
}

static void hash_fields_do_not_run_together(void **state)
{
	char one[KT_HASH_TEXT], two[KT_HASH_TEXT], none[KT_HASH_TEXT], empty[KT_HASH_TEXT];
	struct kt_hash hash;

	(void)state;
	kt_hash_init(&hash);
	kt_hash_field(&hash, "a", "bc");
	kt_hash_field(&hash, "d", "e");
	kt_hash_final(&hash, one);
	kt_hash_init(&hash);
	kt_hash_field(&hash, "a", "b");
	kt_hash_field(&hash, "cd", "e");
	kt_hash_final(&hash, two);
	assert_string_not_equal(one, two);
	kt_hash_init(&hash);
	kt_hash_field(&hash, "a", NULL);
	kt_hash_final(&hash, none);
	kt_hash_init(&hash);
	kt_hash_field(&hash, "a", "");
	kt_hash_final(&hash, empty);
	assert_string_not_equal(none, empty);
}

static void hash_is_blake2b(void **state)
{
	char text[KT_HASH_TEXT];
	struct kt_hash hash;

	(void)state;
	kt_hash_init(&hash);
	kt_hash_bytes(&hash, "abc", 3);
	kt_hash_final(&hash, text);
	assert_string_equal(text, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

static void hash_for_pages_is_sha256(void **state)
{
	char text[KT_SHA256_BASE64];

	(void)state;
	kt_hash_sha256(text, "abc", 3);
	assert_string_equal(text, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

static cJSON *parse(const char *text)
{
	struct kt_error err;
	cJSON *json = NULL;

	return kt_json_parse(&json, text, strlen(text), &err) == KT_OK ? json : NULL;
}

static void json_reads_exactly_one_value(void **state)
{
	cJSON *json;

	(void)state;
	assert_null(parse(""));
	assert_null(parse("{\"a\":1} x"));
	assert_null(parse("{\"a\":"));
	json = parse(" {\"a\":1}\n");
	assert_non_null(json);
	cJSON_Delete(json);
}

static void json_types_are_checked(void **state)
{
	cJSON *json = parse("{\"i\":5,\"f\":1.5,\"big\":\"9223372036854775807\",\"s\":\"t\",\"huge\":1e300,\"n\":null}");
	struct kt_error err;
	const char *text;
	int64_t value;

	(void)state;
	assert_int_equal(kt_json_int(&value, json, "i", &err), KT_OK);
	assert_int_equal(value, 5);
	assert_int_equal(kt_json_int(&value, json, "big", &err), KT_OK);
	assert_true(value == INT64_MAX);
	assert_int_equal(kt_json_int(&value, json, "f", &err), KT_ERR_INVALID);
	assert_int_equal(kt_json_int(&value, json, "huge", &err), KT_ERR_INVALID);
	assert_int_equal(kt_json_int(&value, json, "absent", &err), KT_ERR_INVALID);
	assert_non_null(strstr(err.message, "/absent"));
	assert_int_equal(kt_json_int_or(&value, json, "n", 7, &err), KT_OK);
	assert_int_equal(value, 7);
	assert_int_equal(kt_json_string(&text, arena, json, "i", &err), KT_ERR_INVALID);
	cJSON_Delete(json);
}

static void json_prints_stably(void **state)
{
	static const char text[] =
	    "{\n  \"a\": [1, 2.5, \"x\"],\n  \"b\": {\n    \"c\": 0.1,\n    \"d\": 12345678901\n  },\n"
	    "  \"e\": []\n}\n";
	struct kt_buf out = KT_BUF(1000);
	cJSON *json = parse(text);

	(void)state;
	kt_json_print_stable(&out, json);
	assert_string_equal(kt_buf_text(&out), text);
	cJSON_Delete(json);
	kt_buf_free(&out);
}

static void settings_come_from_the_environment(void **state)
{
	struct kt_config config;
	struct kt_error err;

	(void)state;
	setenv("KTUNE_MODE", "cached", 1);
	setenv("KTUNE_BUDGET", "2m,500n", 1);
	setenv("KTUNE_CACHE_DIR", "/somewhere", 1);
	setenv("XDG_CACHE_HOME", "/machine", 1);
	assert_int_equal(kt_config_load(&config, arena, &err), KT_OK);
	assert_int_equal(config.mode, KT_MODE_CACHED);
	assert_true(config.budget_seconds == 120);
	assert_int_equal(config.budget_trials, 500);
	assert_string_equal(config.cache_dir, "/somewhere");
	assert_string_equal(config.machine_dir, "/machine/ktune");
	unsetenv("XDG_CACHE_HOME");
	setenv("KTUNE_MODE", "sometimes", 1);
	assert_int_equal(kt_config_load(&config, arena, &err), KT_ERR_INVALID);
	assert_non_null(strstr(err.message, "KTUNE_MODE"));
	unsetenv("KTUNE_MODE");
	unsetenv("KTUNE_BUDGET");
	assert_int_equal(kt_config_set(&config, arena, "no_such", "1", &err), KT_ERR_INVALID);
	assert_int_equal(kt_config_set(&config, arena, "jobs", "0", &err), KT_ERR_INVALID);
	assert_int_equal(kt_config_set(&config, arena, "jobs", "3", &err), KT_OK);
	assert_int_equal(config.jobs, 3);
	assert_null(config.backend);
	assert_int_equal(kt_config_set(&config, arena, "strategy", "simulated_annealing", &err), KT_OK);
	assert_string_equal(config.strategy, "annealing");
	assert_int_equal(kt_config_set(&config, arena, "strategy", "best", &err), KT_ERR_INVALID);
	assert_non_null(strstr(err.message, "write default, exhaustive, "));
	assert_non_null(strstr(err.message, " brute_force "));
	assert_int_equal(kt_config_set(&config, arena, "strategy", "", &err), KT_OK);
	assert_null(config.strategy);
	assert_int_equal(kt_config_set(&config, arena, "backend", "OpenCL", &err), KT_OK);
	assert_string_equal(config.backend, "opencl");
	assert_int_equal(kt_config_set(&config, arena, "backend", "hip", &err), KT_ERR_INVALID);
}

static void a_remote_is_an_address_without_credentials(void **state)
{
	static const char *const bad[] = {"ftp://host/x", "host", "https://", "http://host/x", "http://127.0.0.1.host/",
	                                  "https://user:secret@host/x",
	                                  "https://host/x?token=secret", "https://host/ x", "file:///etc"};
	struct kt_config config = {0};
	struct kt_error err;

	(void)state;
	assert_int_equal(kt_config_set(&config, arena, "remote", "https://host:8443/team/", &err), KT_OK);
	assert_string_equal(config.remote, "https://host:8443/team/");
	assert_int_equal(kt_config_set(&config, arena, "remote_ms", "50", &err), KT_OK);
	assert_int_equal(config.remote_ms, 50);
	assert_int_equal(kt_config_set(&config, arena, "remote_ms", "soon", &err), KT_ERR_INVALID);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(kt_config_set(&config, arena, "remote", bad[i], &err), KT_ERR_INVALID);
		assert_null(strstr(err.message, "secret"));
		assert_non_null(strstr(err.message, "KTUNE_REMOTE"));
	}
	assert_int_equal(kt_config_set(&config, arena, "remote", "", &err), KT_OK);
	assert_null(config.remote);
}

static void a_build_budget_has_a_unit(void **state)
{
	static const struct {
		const char *text;
		double seconds;
	} good[] = {{"90", 90}, {"90s", 90}, {"1.5m", 90}, {"2h", 7200}, {"0", 0}};
	static const char *const bad[] = {"", "m", "-1", "5d", "10 m", "nan"};
	struct kt_config config = {0};
	struct kt_error err;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(kt_config_set(&config, arena, "build_budget", good[i].text, &err), KT_OK);
		assert_true(config.build_budget_seconds == good[i].seconds);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(kt_config_set(&config, arena, "build_budget", bad[i], &err), KT_ERR_INVALID);
}

/* Every key of the table: what only the user may set is an error in a project's file, whatever its value. */
static void a_project_sets_only_what_the_table_allows(void **state)
{
	static const char *const users[] = {"CACHE_DIR", "LOG", "RUNNER_LAUNCHER", "LIBCLANG", "REPLAY", "RECORD", "T4", "SIZES",
	                                    "GENERATOR", "SAFE_DIRECTORY", "REMOTE", "CHECK_SECONDS"};
	struct kt_config config;
	struct kt_error err;
	char *directory, *before = kt_path_absolute(arena, ".", NULL);
	const char *name;
	bool project;
	size_t checked = 0;

	(void)state;
	assert_int_equal(kt_fs_temp_dir(&directory, arena, "kt-conf", &err), KT_OK);
	assert_int_equal(chdir(directory), 0);
	for (size_t i = 0; (name = kt_config_key(i, &project)) != NULL; i++) {
		const char *line = kt_arena_printf(arena, "%s%s = x", i % 2 != 0 ? "ktune_" : "", name);
		bool known = strncmp(name, "LLM_", 4) == 0 || strncmp(name, "REMOTE_", 7) == 0;

		for (size_t u = 0; u < sizeof users / sizeof *users; u++)
			known = known || strcmp(users[u], name) == 0;
		assert_int_equal(project, !known);
		assert_int_equal(kt_fs_write(".ktune.conf", line, strlen(line), &err), KT_OK);
		err.message[0] = '\0';
		(void)!kt_config_load(&config, arena, &err);
		assert_int_equal(strstr(err.message, "may not be set by a project's file") != NULL, known);
		if (known)
			assert_non_null(strstr(err.message, ".ktune.conf:1"));
		checked += known;
	}
	assert_true(checked > sizeof users / sizeof *users);
	assert_int_equal(chdir(before), 0);
	assert_int_equal(kt_fs_remove_tree(directory, &err), KT_OK);
}

static void a_project_names_a_lock_directory_below_itself(void **state)
{
	static const struct {
		const char *line, *is; /* NULL: an error */
	} rows[] = {
	    {"lock_dir=entries", "entries"},       {"LOCK_DIR=./a/../entries/", "entries"},
	    {"lock_dir=..", NULL},                 {"lock_dir=../elsewhere", NULL},
	    {"lock_dir=/tmp/ktune.lock", NULL},    {"lock_dir=a/../../b", NULL},
	    {"KTUNE_LOCK_DIR=/etc", NULL},
	};
	struct kt_config config;
	struct kt_error err;
	char *directory, *below, *before = kt_path_absolute(arena, ".", NULL);

	(void)state;
	assert_int_equal(kt_fs_temp_dir(&directory, arena, "kt-conf", &err), KT_OK);
	directory = kt_path_real(arena, directory);
	below = kt_path_join(arena, directory, "src");
	assert_int_equal(kt_fs_mkdirs(below, &err), KT_OK);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(chdir(directory), 0);
		assert_int_equal(kt_fs_write(".ktune.conf", rows[i].line, strlen(rows[i].line), &err), KT_OK);
		/* A path starts at the file that names it, wherever the command runs. */
		assert_int_equal(chdir(below), 0);
		assert_int_equal(kt_config_load(&config, arena, &err), rows[i].is != NULL ? KT_OK : KT_ERR_INVALID);
		if (rows[i].is != NULL)
			assert_string_equal(config.lock_dir, kt_path_join(arena, directory, rows[i].is));
	}
	assert_int_equal(chdir(before), 0);
	assert_int_equal(kt_fs_remove_tree(directory, &err), KT_OK);
}

/* The mode decides whether a mistake elsewhere ends the build. */
static void the_environment_is_read_after_a_mistake_too(void **state)
{
	struct kt_config config;
	struct kt_error err;
	char *directory, *before = kt_path_absolute(arena, ".", NULL);

	(void)state;
	assert_int_equal(kt_fs_temp_dir(&directory, arena, "kt-conf", &err), KT_OK);
	assert_int_equal(chdir(directory), 0);
	assert_int_equal(kt_fs_write(".ktune.conf", "log=/tmp/x\n", 11, &err), KT_OK);
	setenv("KTUNE_MODE", "require", 1);
	assert_int_equal(kt_config_load(&config, arena, &err), KT_ERR_INVALID);
	assert_int_equal(config.mode, KT_MODE_REQUIRE);
	assert_null(config.log);
	unsetenv("KTUNE_MODE");
	assert_int_equal(chdir(before), 0);
	assert_int_equal(kt_fs_remove_tree(directory, &err), KT_OK);
}

static void environment_wins_over_files(void **state)
{
	struct kt_config config;
	struct kt_error err;
	char *directory, *file;

	(void)state;
	assert_int_equal(kt_fs_temp_dir(&directory, arena, "kt-conf", &err), KT_OK);
	setenv("XDG_CONFIG_HOME", directory, 1);
	assert_int_equal(kt_fs_mkdirs(kt_path_join(arena, directory, "ktune"), &err), KT_OK);
	file = kt_path_join(arena, directory, "ktune/ktune.conf");
	assert_int_equal(kt_fs_write(file, "# mine\nmode = off\nKTUNE_JOBS=7\n", 31, &err), KT_OK);
	setenv("KTUNE_MODE", "require", 1);
	assert_int_equal(kt_config_load(&config, arena, &err), KT_OK);
	assert_int_equal(config.mode, KT_MODE_REQUIRE);
	assert_int_equal(config.jobs, 7);
	assert_int_equal(kt_fs_write(file, "mode off\n", 9, &err), KT_OK);
	assert_int_equal(kt_config_load(&config, arena, &err), KT_ERR_INVALID);
	assert_non_null(strstr(err.message, "ktune.conf:1"));
	unsetenv("KTUNE_MODE");
	unsetenv("XDG_CONFIG_HOME");
	assert_int_equal(kt_fs_remove_tree(directory, &err), KT_OK);
}

/* As many compilers as there are processors for them, not as many as the machine has. */
static void jobs_are_the_processors_of_this_process(void **state)
{
	struct kt_config config;
	struct kt_error err;
	cpu_set_t before, one;
	size_t first = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	while (!CPU_ISSET(first, &before))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_int_equal(kt_config_load(&config, arena, &err), KT_OK);
	assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
	assert_int_equal(config.jobs, 1);
	assert_int_equal(kt_config_load(&config, arena, &err), KT_OK);
	assert_int_equal(config.jobs, CPU_COUNT(&before));
}

static void reasons_have_names(void **state)
{
	(void)state;
	for (int i = 1; i < KT_REASON_COUNT; i++)
		assert_int_equal(kt_reason_from_name(kt_reason_name((enum kt_reason)i)), i);
	assert_int_equal(kt_reason_from_name("nonsense"), KT_REASON_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(arena_has_a_ceiling),
	    cmocka_unit_test(jobs_are_the_processors_of_this_process),
	    cmocka_unit_test(arena_takes_memory_over),
	    cmocka_unit_test(arena_push_keeps_what_was_there),
	    cmocka_unit_test(buffer_extends),
	    cmocka_unit_test(buffer_stops_at_its_limit),
	    cmocka_unit_test(json_strings_are_escaped),
	    cmocka_unit_test(paths),
	    cmocka_unit_test(files),
	    cmocka_unit_test(mtime_is_copied),
	    cmocka_unit_test(parents_of_links),
	    cmocka_unit_test(stamp_of_a_kept_time),
	    cmocka_unit_test(remove_tree_follows_no_links),
	    cmocka_unit_test(hash_fields_do_not_run_together),
	    cmocka_unit_test(hash_is_blake2b),
	    cmocka_unit_test(hash_for_pages_is_sha256),
	    cmocka_unit_test(json_reads_exactly_one_value),
	    cmocka_unit_test(json_types_are_checked),
	    cmocka_unit_test(json_prints_stably),
	    cmocka_unit_test(settings_come_from_the_environment),
	    cmocka_unit_test(a_remote_is_an_address_without_credentials),
	    cmocka_unit_test(a_build_budget_has_a_unit),
	    cmocka_unit_test(a_project_sets_only_what_the_table_allows),
	    cmocka_unit_test(a_project_names_a_lock_directory_below_itself),
	    cmocka_unit_test(the_environment_is_read_after_a_mistake_too),
	    cmocka_unit_test(environment_wins_over_files),
	    cmocka_unit_test(reasons_have_names),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
