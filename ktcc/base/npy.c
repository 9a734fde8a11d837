#include "base/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"

/* Types by their codes, after the byte order. bfloat16 has none in NumPy: ml_dtypes writes two bytes of no type. */
static const struct {
	const char *code, *name;
	enum kt_scalar scalar;
} types[] = {
    {"b1", "bool", KT_BOOL},    {"i1", "int8", KT_I8},      {"u1", "uint8", KT_U8},    {"i2", "int16", KT_I16},
    {"u2", "uint16", KT_U16},   {"i4", "int32", KT_I32},    {"u4", "uint32", KT_U32},  {"i8", "int64", KT_I64},
    {"u8", "uint64", KT_U64},   {"f2", "float16", KT_F16},  {"V2", "bfloat16", KT_BF16}, {"f4", "float32", KT_F32},
    {"f8", "float64", KT_F64},
};
#define TYPES (sizeof types / sizeof *types)

const char *kt_npy_type(enum kt_scalar scalar)
{
	for (size_t i = 0; i < TYPES; i++)
		if (types[i].scalar == scalar)
			return types[i].name;
	return "no type of NumPy";
}

/* The dictionary of a header, as Python prints it. */
struct header {
	const char *at, *end;
	char code[16];     /* of the type, with its byte order */
	bool fortran;
	uint64_t count;
	size_t dimensions;
	bool has_code, has_order, has_shape;
};

static kt_status damaged(struct kt_error *err, const char *what)
{
	return kt_fail(err, KT_ERR_INVALID, "damaged header: %s", what);
}

static void skip_blanks(struct header *h)
{
	while (h->at < h->end && (*h->at == ' ' || *h->at == '\n' || *h->at == '\t'))
		h->at++;
}

static bool accept(struct header *h, char c)
{
	skip_blanks(h);
	if (h->at == h->end || *h->at != c)
		return false;
	h->at++;
	return true;
}

static bool accept_word(struct header *h, const char *word)
{
	const size_t length = strlen(word);

	skip_blanks(h);
	if ((size_t)(h->end - h->at) < length || memcmp(h->at, word, length) != 0)
		return false;
	h->at += length;
	return true;
}

/* 'text' or "text" without escapes. False: none, or longer than there is room for. */
static bool read_text(char *out, size_t room, struct header *h)
{
	const char quote = accept(h, '\'') ? '\'' : accept(h, '"') ? '"' : '\0';
	const char *close = quote != '\0' ? memchr(h->at, quote, (size_t)(h->end - h->at)) : NULL;
	const size_t length = close != NULL ? (size_t)(close - h->at) : 0;

	if (close == NULL || length >= room || memchr(h->at, '\\', length) != NULL || memchr(h->at, '\0', length) != NULL)
		return false;
	memcpy(out, h->at, length);
	out[length] = '\0';
	h->at = close + 1;
	return true;
}

static kt_status read_code(struct header *h, struct kt_error *err)
{
	skip_blanks(h);
	if (h->at < h->end && *h->at == '[')
		return kt_fail(err, KT_ERR_INVALID, "its elements are structures; save one array of numbers");
	return !h->has_code && read_text(h->code, sizeof h->code, h) ? KT_OK : damaged(err, "descr is no type");
}

static kt_status read_order(struct header *h, struct kt_error *err)
{
	const bool known = !h->has_order;

	h->fortran = accept_word(h, "True");
	return known && (h->fortran || accept_word(h, "False")) ? KT_OK
	                                                        : damaged(err, "fortran_order is neither True nor False");
}

/* One dimension; "4L" of Python 2 as well. */
static kt_status read_extent(struct header *h, struct kt_error *err)
{
	uint64_t extent = 0;
	const char *first = h->at;

	for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++)
		if (__builtin_mul_overflow(extent, (uint64_t)10, &extent) ||
		    __builtin_add_overflow(extent, (uint64_t)(*h->at - '0'), &extent))
			return damaged(err, "a dimension does not fit 64 bits");
	if (h->at == first)
		return damaged(err, "shape is no list of sizes");
	(void)(h->at < h->end && *h->at == 'L' ? h->at++ : NULL);
	if (++h->dimensions > KT_NPY_DIMENSIONS)
		return damaged(err, "too many dimensions");
	return __builtin_mul_overflow(h->count, extent, &h->count) ? damaged(err, "the shape has too many numbers") : KT_OK;
}

static kt_status read_shape(struct header *h, struct kt_error *err)
{
	if (h->has_shape || !accept(h, '('))
		return damaged(err, "shape is no list of sizes");
	h->count = 1;
	while (!accept(h, ')')) {
		TRY(read_extent(h, err));
		if (!accept(h, ',')) {
			/* "(4)" is a number in Python, and NumPy writes "(4,)". */
			if (h->dimensions < 2 || !accept(h, ')'))
				return damaged(err, "shape is no list of sizes");
			return KT_OK;
		}
	}
	return KT_OK;
}

static kt_status read_member(struct header *h, struct kt_error *err)
{
	static const struct {
		const char *name;
		kt_status (*read)(struct header *h, struct kt_error *err);
		size_t known;
	} members[] = {{"descr", read_code, offsetof(struct header, has_code)},
	               {"fortran_order", read_order, offsetof(struct header, has_order)},
	               {"shape", read_shape, offsetof(struct header, has_shape)}};
	char name[16];

	if (!read_text(name, sizeof name, h) || !accept(h, ':'))
		return damaged(err, "no dictionary of descr, fortran_order and shape");
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (strcmp(members[i].name, name) == 0) {
			kt_status status = members[i].read(h, err);

			*(bool *)((char *)h + members[i].known) = true;
			return status;
		}
	return damaged(err, "a member that no NumPy file has");
}

static kt_status read_dictionary(struct header *h, struct kt_error *err)
{
	if (!accept(h, '{'))
		return damaged(err, "no dictionary of descr, fortran_order and shape");
	while (!accept(h, '}')) {
		TRY(read_member(h, err));
		if (!accept(h, ',')) {
			if (!accept(h, '}'))
				return damaged(err, "the dictionary is not closed");
			break;
		}
	}
	skip_blanks(h);
	if (h->at != h->end)
		return damaged(err, "text after the dictionary");
	return h->has_code && h->has_order && h->has_shape ? KT_OK : damaged(err, "descr, fortran_order or shape is missing");
}

static kt_status read_type(enum kt_scalar *out, const char *code, struct kt_error *err)
{
	const bool has_order = code[0] != '\0' && strchr("<>=|", code[0]) != NULL;
	const char *type = has_order ? code + 1 : code;

	if (type[0] == 'O')
		return kt_fail(err, KT_ERR_INVALID, "it holds Python objects, which are never read; save numbers");
	for (size_t i = 0; i < TYPES; i++)
		if (strcmp(types[i].code, type) == 0) {
			*out = types[i].scalar;
			return code[0] != '>' || kt_scalar_bytes(*out) == 1
			           ? KT_OK
			           : kt_fail(err, KT_ERR_INVALID, "its bytes are in big-endian order; save a.astype(numpy.%s)",
			                     types[i].name);
		}
	return kt_fail(err, KT_ERR_INVALID, "its type is none that a buffer can have");
}

/* Where the dictionary is; `size` bytes are there. */
static kt_status find_header(struct header *h, size_t *offset, const unsigned char *data, size_t size, struct kt_error *err)
{
	static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
	size_t length, before;

	if (size < sizeof magic + 2 || memcmp(data, magic, sizeof magic) != 0)
		return kt_fail(err, KT_ERR_INVALID, "no NumPy file; save it with numpy.save");
	const unsigned version = data[6];

	if (version < 1 || version > 3 || data[7] != 0)
		return kt_fail(err, KT_ERR_INVALID, "format %u.%u is not known: 1.0, 2.0 and 3.0 are", version, data[7]);
	before = version == 1 ? 10 : 12;
	if (size < before)
		return damaged(err, "too short");
	length = (size_t)data[8] | (size_t)data[9] << 8;
	if (version > 1)
		length |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
	if (length > KT_NPY_HEADER_BYTES - before)
		return damaged(err, "longer than 64 KiB");
	if (length > size - before)
		return damaged(err, "too short");
	*h = (struct header){.at = (const char *)data + before, .end = (const char *)data + before + length};
	*offset = before + length;
	return KT_OK;
}

kt_status kt_npy_header(struct kt_npy *out, const void *data, size_t size, uint64_t file_bytes, struct kt_error *err)
{
	struct kt_npy npy = {.scalar = KT_SCALAR_NONE};
	struct header h = {.at = NULL};
	uint64_t bytes;
	TRY(find_header(&h, &npy.offset, data, size, err));
	TRY(read_dictionary(&h, err));
	TRY(read_type(&npy.scalar, h.code, err));
	if (h.fortran && h.dimensions > 1)
		return kt_fail(err, KT_ERR_INVALID, "it is in Fortran order; save numpy.ascontiguousarray(a)");
	if (__builtin_mul_overflow(h.count, (uint64_t)kt_scalar_bytes(npy.scalar), &bytes) || bytes > INT64_MAX)
		return damaged(err, "the shape has too many numbers");
	if (file_bytes < npy.offset || file_bytes - npy.offset != bytes)
		return kt_fail(err, KT_ERR_INVALID, "%llu bytes of numbers are announced, and %llu follow the header",
		               (unsigned long long)bytes,
		               (unsigned long long)(file_bytes < npy.offset ? 0 : file_bytes - npy.offset));
	npy.count = (int64_t)h.count;
	*out = npy;
	return KT_OK;
}

static kt_status read_head(struct kt_npy *out, int file, struct kt_error *err)
{
	unsigned char head[KT_NPY_HEADER_BYTES];
	struct stat info;
	size_t size = 0;
	ssize_t got = 1;

	if (fstat(file, &info) != 0)
		return kt_fail(err, KT_ERR_IO, "%s", strerror(errno));
	if ((uint64_t)info.st_size > KT_NPY_FILE_BYTES)
		return kt_fail(err, KT_ERR_LIMIT, "larger than 1 GiB");
	while (size < sizeof head && got > 0) {
		got = read(file, head + size, sizeof head - size);
		if (got < 0 && errno != EINTR)
			return kt_fail(err, KT_ERR_IO, "%s", strerror(errno));
		size += got > 0 ? (size_t)got : 0;
		got = got < 0 ? 1 : got;
	}
	return kt_npy_header(out, head, size, (uint64_t)info.st_size, err);
}

kt_status kt_npy_file(struct kt_npy *out, const char *path, struct kt_error *err)
{
	const int file = kt_fs_open_regular(path, O_RDONLY);

	if (file < 0)
		return kt_fail(err, KT_ERR_IO, "%s", errno == EINVAL ? "no regular file" : strerror(errno));
	kt_status status = read_head(out, file, err);

	(void)close(file);
	return status;
}
