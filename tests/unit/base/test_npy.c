/* NumPy files: what is read of them, and what is refused with which reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/npy.h"

#define DESCR(type, rest) "{'descr': '" type "', 'fortran_order': False, " rest
#define SHAPED(type, shape) DESCR(type, "'shape': " shape ", }\n")

/* A file of this format with this dictionary before so many bytes; *size bytes in all. */
static unsigned char *file_of(size_t *size, unsigned format, const char *dictionary, size_t bytes)
{
	const size_t length = strlen(dictionary), before = format == 1 ? 10 : 12;
	unsigned char *file = calloc(1, before + length + bytes + 1);

	assert_non_null(file);
	memcpy(file, "\x93NUMPY", 6);
	file[6] = (unsigned char)format;
	file[8] = (unsigned char)length;
	file[9] = (unsigned char)(length >> 8);
	memcpy(file + before, dictionary, length);
	*size = before + length + bytes;
	return file;
}

static void right(unsigned format, const char *dictionary, size_t bytes, enum kt_scalar scalar, int64_t count)
{
	struct kt_npy npy = {.count = -1};
	struct kt_error err = {.message = ""};
	size_t size;
	unsigned char *file = file_of(&size, format, dictionary, bytes);

	if (kt_npy_header(&npy, file, size, size, &err) != KT_OK)
		fail_msg("%s: %s", dictionary, err.message);
	assert_int_equal(npy.scalar, scalar);
	assert_int_equal(npy.count, count);
	assert_int_equal(npy.offset, size - bytes);
	free(file);
}

static void wrong(const char *dictionary, size_t bytes, const char *reason)
{
	struct kt_npy npy = {.count = -1};
	struct kt_error err = {.message = ""};
	size_t size;
	unsigned char *file = file_of(&size, 1, dictionary, bytes);

	assert_int_equal(kt_npy_header(&npy, file, size, size, &err), KT_ERR_INVALID);
	assert_int_equal(npy.count, -1);
	if (strstr(err.message, reason) == NULL)
		fail_msg("%s: %s, instead of %s", dictionary, err.message, reason);
	free(file);
}

static void headers_are_read(void **state)
{
	(void)state;
	right(1, SHAPED("<f4", "(2, 3)"), 24, KT_F32, 6);
	right(2, SHAPED("<f4", "(6,)"), 24, KT_F32, 6);
	right(3, SHAPED("<i8", "(1, 2, 3)"), 48, KT_I64, 6);
	right(1, SHAPED("|b1", "(3,)"), 3, KT_BOOL, 3);
	right(1, SHAPED(">i1", "(3,)"), 3, KT_I8, 3);
	right(1, SHAPED("=u2", "()"), 2, KT_U16, 1);
	right(1, SHAPED("f8", "(0, 4)"), 0, KT_F64, 0);
	right(1, SHAPED("<f2", "(2L, 2L)"), 8, KT_F16, 4);
	right(1, SHAPED("<V2", "(2,)"), 4, KT_BF16, 2);
	right(1, "{\"shape\":(2,),\"fortran_order\":True,\"descr\":\"<u4\"}", 8, KT_U32, 2);
	assert_string_equal(kt_npy_type(KT_F32), "float32");
}

static void damaged_headers_are_refused(void **state)
{
	static const char many[] = "(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)";
	char text[512];
	(void)state;
	wrong(SHAPED("|O", "(1,)"), 8, "it holds Python objects, which are never read; save numbers");
	wrong("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}", 4, "its elements are structures");
	wrong(SHAPED(">i4", "(1,)"), 4, "big-endian order; save a.astype(numpy.int32)");
	wrong(SHAPED("<c8", "(1,)"), 8, "its type is none that a buffer can have");
	wrong(SHAPED("<U4", "(1,)"), 16, "its type is none that a buffer can have");
	wrong(SHAPED("<f40000000000000000", "(1,)"), 4, "descr is no type");
	wrong("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", 24, "Fortran order; save numpy.ascontiguousarray(a)");
	wrong("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3)}", 24, "neither True nor False");
	wrong(SHAPED("<f4", "(2, 3)"), 23, "24 bytes of numbers are announced, and 23 follow the header");
	wrong(SHAPED("<f4", "(2, 3)"), 25, "24 bytes of numbers are announced, and 25 follow the header");
	wrong(SHAPED("<f4", "(-1,)"), 4, "shape is no list of sizes");
	wrong(SHAPED("<f4", "(1)"), 4, "shape is no list of sizes");
	wrong(SHAPED("<f4", "1"), 4, "shape is no list of sizes");
	wrong(SHAPED("<f4", "(1 2)"), 4, "shape is no list of sizes");
	wrong(SHAPED("<f4", "(18446744073709551616,)"), 4, "a dimension does not fit 64 bits");
	wrong(SHAPED("<f4", "(4294967296, 4294967296)"), 4, "the shape has too many numbers");
	wrong(SHAPED("<f8", "(4611686018427387904,)"), 4, "the shape has too many numbers");
	snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': %s}", many);
	wrong(text, 4, "too many dimensions");
	wrong("{'descr': '<f4', 'fortran_order': False}", 4, "descr, fortran_order or shape is missing");
	wrong("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4, "descr is no type");
	wrong("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}", 4, "a member that no NumPy file has");
	wrong("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} 1", 4, "text after the dictionary");
	wrong("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", 4, "the dictionary is not closed");
	wrong("{'descr': '<f4', 'fortran_order': False, 'shape': (1", 4, "shape is no list of sizes");
	wrong("{'des", 4, "no dictionary of descr, fortran_order and shape");
	wrong("", 4, "no dictionary of descr, fortran_order and shape");
}

/* Every beginning of a file, and every byte of one replaced: refused, or the numbers end where the file does. */
static void cut_and_changed_files(void **state)
{
	size_t size;
	unsigned char *file = file_of(&size, 2, SHAPED("<f4", "(2, 3)"), 24);
	struct kt_error err;
	struct kt_npy npy;
	(void)state;
	for (size_t end = 0; end < size; end++) {
		unsigned char *cut = malloc(end + 1);

		memcpy(cut, file, end);
		assert_int_equal(kt_npy_header(&npy, cut, end, end, &err), KT_ERR_INVALID);
		free(cut);
	}
	for (size_t i = 0; i < size - 24; i++)
		for (unsigned byte = 0; byte < 256; byte++) {
			const unsigned char before = file[i];

			file[i] = (unsigned char)byte;
			if (kt_npy_header(&npy, file, size, size, &err) == KT_OK)
				assert_int_equal(npy.offset + (size_t)npy.count * kt_scalar_bytes(npy.scalar), size);
			file[i] = before;
		}
	free(file);
	assert_int_equal(kt_npy_header(&npy, "\x93NUMPY\x02\x00\xff\xff\xff\xff", 12, 1 << 20, &err), KT_ERR_INVALID);
	assert_non_null(strstr(err.message, "longer than 64 KiB"));
	assert_int_equal(kt_npy_header(&npy, "\x93NUMPY\x04\x00\x00\x00", 10, 10, &err), KT_ERR_INVALID);
	assert_string_equal(err.message, "format 4.0 is not known: 1.0, 2.0 and 3.0 are");
	assert_int_equal(kt_npy_header(&npy, "PK\x03\x04, an archive", 16, 16, &err), KT_ERR_INVALID);
	assert_string_equal(err.message, "no NumPy file; save it with numpy.save");
}

static void files_are_opened(void **state)
{
	char folder[] = "/tmp/kt-npy-XXXXXX", path[64];
	struct kt_error err;
	struct kt_npy npy;
	size_t size;
	unsigned char *file = file_of(&size, 1, SHAPED("<i4", "(2,)"), 8);
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/x.npy", folder);
	assert_int_equal(kt_npy_file(&npy, path, &err), KT_ERR_IO);
	assert_string_equal(err.message, "No such file or directory");
	FILE *out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(file, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(kt_npy_file(&npy, path, &err), KT_OK);
	assert_int_equal(npy.count, 2);
	/* One byte more than is read at most, without writing them. */
	assert_int_equal(truncate(path, (off_t)KT_NPY_FILE_BYTES + 1), 0);
	assert_int_equal(kt_npy_file(&npy, path, &err), KT_ERR_LIMIT);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(kt_npy_file(&npy, path, &err), KT_ERR_IO);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(headers_are_read), cmocka_unit_test(damaged_headers_are_refused),
	    cmocka_unit_test(cut_and_changed_files), cmocka_unit_test(files_are_opened)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
