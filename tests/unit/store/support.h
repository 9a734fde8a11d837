/* What the store's tests share: a directory of their own, and an entry to keep. */
#ifndef KT_TEST_STORE_SUPPORT_H
#define KT_TEST_STORE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/internal.h"

#define KEY_A "a000000000000000000000000000000000000000000000000000000000000001"
#define KEY_B "b000000000000000000000000000000000000000000000000000000000000002"
#define KEY_C "c000000000000000000000000000000000000000000000000000000000000003"
#define KEY_D "d000000000000000000000000000000000000000000000000000000000000004"

struct fixture {
	struct kt_arena *arena;
	char *directory;
	struct kt_error err;
};

static inline void check(kt_status status, const struct kt_error *err)
{
	if (status != KT_OK)
		fail_msg("%s", err->message);
}

static inline int fixture_open(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	f->arena = kt_arena_new((size_t)256 << 20);
	check(kt_fs_temp_dir(&f->directory, f->arena, "kt-store", &f->err), &f->err);
	*state = f;
	return 0;
}

static inline int fixture_close(void **state)
{
	struct fixture *f = *state;
	check(kt_fs_remove_tree(f->directory, &f->err), &f->err);
	kt_arena_free(f->arena);
	free(f);
	return 0;
}

static inline char *below(struct fixture *f, const char *name)
{
	return kt_path_join(f->arena, f->directory, name);
}

static inline struct kt_store *open_store(struct fixture *f)
{
	struct kt_store *store = NULL;
	check(kt_store_open(&store, f->directory, &f->err), &f->err);
	return store;
}

static inline struct kt_device h200(void)
{
	return (struct kt_device){.vendor = "NVIDIA", .name = "NVIDIA H200", .cc = 90, .multiprocessors = 132,
	                          .memory_bus_bits = 6144, .l2_bytes = 62914560, .warp_size = 32,
	                          .max_threads_per_block = 1024, .max_threads_per_multiprocessor = 2048,
	                          .max_blocks_per_multiprocessor = 32, .max_block = {1024, 1024, 64},
	                          .max_grid = {2147483647, 65535, 65535}, .shared_bytes_per_block = 49152,
	                          .shared_bytes_per_block_optin = 232448, .shared_bytes_per_multiprocessor = 233472,
	                          .registers_per_block = 65536, .registers_per_multiprocessor = 65536,
	                          .memory_bytes = 150000000000, .uuid = "GPU-1", .driver = "580.1",
	                          .core_khz = 1980000, .memory_khz = 3201000};
}

static inline struct kt_device other_device(const char *name, int64_t cc)
{
	struct kt_device device = h200();
	device.name = name;
	device.cc = cc;
	return device;
}

/* Two parameters, two problems of two variables; exact doubles that need all their digits. */
static inline struct kt_entry sample(void)
{
	static const char *parameters[] = {"BLOCK", "VEC"};
	static int64_t configuration[] = {256, INT64_MAX};
	static const char *variables[] = {"rows", "d"};
	static int64_t problems[] = {16, 4096, 4096, 11008};
	static struct kt_timing baseline[] = {{10240.5, 10300.123456789012, 10000, 12.25, 100},
	                                      {0.1 + 0.2, 1.0 / 3.0, 0.25, 1e-3, 100}};
	static struct kt_timing tuned[] = {{5120.25, 5200, 5000, 3.5, 100}, {0.2, 0.21, 0.19, 0, 100}};
	static double floors[] = {4800.75, 0};
	return (struct kt_entry){.region_key = KEY_A, .near_key = KEY_B, .closure = KEY_C, .name = "silu_and_mul",
	                         .instance = "silu_and_mul<__half>", .kernel = "silu_and_mul", .device = h200(),
	                         .generator = "explicit", .parameter_count = 2, .parameters = parameters,
	                         .configuration = configuration, .variable_count = 2, .problem_count = 2,
	                         .variables = variables, .problems = problems, .baseline = baseline, .tuned = tuned,
	                         .copy_ns = floors, .registers = 40, .local_bytes = 0, .shared_bytes = 1024,
	                         .tried = 58, .legal = 60, .toolkit = "13.0.48", .driver = "580.65", .tool = "0.1.0",
	                         .date = "2025-01-02T03:04:05Z"};
}

static inline char *entry_text(struct fixture *f, const struct kt_entry *entry)
{
	struct kt_buf text = KT_BUF(KT_ENTRY_BYTES);
	check(kt_entry_print(&text, entry, &f->err), &f->err);
	char *copy = kt_arena_strdup(f->arena, kt_buf_text(&text));
	kt_buf_free(&text);
	return copy;
}

static inline void put_entry(struct fixture *f, struct kt_store *store, const struct kt_entry *entry)
{
	check(kt_store_put(store, entry, &f->err), &f->err);
}

struct counter {
	const char *name;
	int64_t value;
};

static inline bool take_counter(const char *name, int64_t value, void *context)
{
	struct counter *counter = context;
	if (strcmp(name, counter->name) == 0)
		counter->value = value;
	return true;
}

static inline int64_t counted(struct fixture *f, struct kt_store *store, const char *name)
{
	struct counter counter = {name, 0};
	check(kt_store_each_counter(store, take_counter, &counter, &f->err), &f->err);
	return counter.value;
}

/* How many names in the directory start with this. */
static inline int count_names(const char *directory, const char *start)
{
	int count = 0;
	DIR *d = opendir(directory);
	for (struct dirent *item; d != NULL && (item = readdir(d)) != NULL;)
		count += strncmp(item->d_name, start, strlen(start)) == 0;
	if (d != NULL)
		closedir(d);
	return count;
}

#endif
