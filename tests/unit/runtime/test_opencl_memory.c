/* Memory of the OpenCL backend over a driver that is this file, and that minds the order in which sub-buffers go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "opencl/session.h"

/* Handles count: the field, then its parts. */
static struct {
	size_t live[2 * KT_OCL_PARTS], count, created;
	size_t fields;
} driver;

static kt_cl_handle fake_buffer(kt_cl_handle context, uint64_t flags, size_t bytes, void *host, kt_cl_result *result)
{
	(void)context, (void)flags, (void)bytes, (void)host;
	/* All parts of the field before are gone. */
	assert_int_equal(driver.count, 0);
	driver.fields++;
	*result = 0;
	return &driver.fields;
}

static kt_cl_handle fake_part(kt_cl_handle buffer, uint64_t flags, uint32_t type, const struct kt_cl_region *region,
                              kt_cl_result *result)
{
	assert_ptr_equal(buffer, &driver.fields);
	(void)flags, (void)type, (void)region;
	assert_true(driver.count < 2 * KT_OCL_PARTS);
	driver.live[driver.count++] = ++driver.created;
	*result = 0;
	return (kt_cl_handle)(uintptr_t)driver.created;
}

/* As NVIDIA's: whatever is not the newest of those that overlap is a fault. */
static kt_cl_result fake_release(kt_cl_handle memory)
{
	if (memory == &driver.fields)
		return 0;
	assert_true(driver.count > 0);
	assert_int_equal((uintptr_t)memory, driver.live[--driver.count]);
	return 0;
}

static struct kt_ocl *set_up(void)
{
	struct kt_ocl *s = calloc(1, sizeof *s);
	struct kt_error err;
	driver.count = driver.created = driver.fields = 0;
	s->cl.buffer_create = fake_buffer;
	s->cl.buffer_part = fake_part;
	s->cl.memory_release = fake_release;
	assert_int_equal(kt_ocl_reserve(s, 1 << 20, &err), KT_OK);
	return s;
}

static kt_cl_handle part(struct kt_ocl *s, size_t at, size_t bytes)
{
	struct kt_error err;
	kt_cl_handle handle = NULL;
	assert_int_equal(kt_ocl_part(&handle, s, at, bytes, &err), KT_OK);
	return handle;
}

static void parts_are_found_again(void **state)
{
	struct kt_ocl *s = set_up();
	(void)state;
	kt_cl_handle first = part(s, 512, 100), longer = part(s, 512, 200), behind = part(s, 1024, 100);
	assert_true(first != longer && longer != behind && first != behind);
	assert_ptr_equal(part(s, 512, 100), first);
	assert_ptr_equal(part(s, 512, 200), longer);
	assert_ptr_equal(part(s, 1024, 100), behind);
	assert_null(part(s, 2048, 0));
	assert_int_equal(driver.created, 3);
	free(s);
}

/* A larger field, and a table that is full: the last part goes first. */
static void parts_go_in_reverse(void **state)
{
	struct kt_ocl *s = set_up();
	struct kt_error err;
	(void)state;
	for (size_t i = 0; i < 300; i++)
		(void)part(s, i * 7919 % 4096 * 256, 1 + i % 3 * 1000);
	assert_true(driver.count > 200);
	assert_int_equal(kt_ocl_reserve(s, 1 << 19, &err), KT_OK);
	assert_int_equal(driver.fields, 1);
	assert_int_equal(kt_ocl_reserve(s, 1 << 21, &err), KT_OK);
	assert_int_equal(driver.fields, 2);
	assert_int_equal(driver.count, 0);
	for (size_t launch = 0; launch < 3 * KT_OCL_PARTS; launch += 64) {
		assert_int_equal(kt_ocl_part_room(s, 64, &err), KT_OK);
		for (size_t b = 0; b < 64; b++)
			assert_non_null(part(s, (launch + b) * 256, 64));
	}
	assert_true(driver.created > 3 * KT_OCL_PARTS);
	/* Without room there is an error and no fault. */
	kt_cl_handle handle = NULL;
	kt_status status = KT_OK;
	for (size_t i = 0; !status && i <= KT_OCL_PARTS; i++)
		status = kt_ocl_part(&handle, s, i * 256, 32, &err);
	assert_int_equal(status, KT_ERR_LIMIT);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_found_again), cmocka_unit_test(parts_go_in_reverse)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
