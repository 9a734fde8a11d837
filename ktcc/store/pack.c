#include <zstd.h>

#include "store/internal.h"

#define PACK_LEVEL 3

kt_status kt_pack(struct kt_buf *out, const void *data, size_t size, struct kt_error *err)
{
	char block[16 << 10];
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_inBuffer in = {data, size, 0};
	size_t left = 1;
	NEED(context, kt_fail(err, KT_ERR_MEMORY, "out of memory compressing"));
	size_t rc = ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, PACK_LEVEL);
	if (!ZSTD_isError(rc))
		rc = ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	while (!ZSTD_isError(rc) && left != 0) {
		ZSTD_outBuffer to = {block, sizeof block, 0};
		left = rc = ZSTD_compressStream2(context, &to, &in, ZSTD_e_end);
		kt_buf_add(out, block, to.pos);
	}
	ZSTD_freeCCtx(context);
	if (ZSTD_isError(rc))
		return kt_fail(err, KT_ERR_MEMORY, "cannot compress: %s", ZSTD_getErrorName(rc));
	return kt_buf_check(out, "compressed data", err);
}

kt_status kt_unpack(struct kt_buf *out, const void *data, size_t packed, int64_t size, struct kt_error *err)
{
	const size_t before = out->size;
	size_t rc;
	char *to;
	if (size < 0 || (uint64_t)size > KT_BLOB_BYTES)
		return kt_fail(err, KT_ERR_CORRUPT, "stored data claims %lld bytes", (long long)size);
	NEED(to = kt_buf_extend(out, (size_t)size), kt_buf_check(out, "decompressed data", err));
	/* At once: the size is known, and a stream would need memory for a window besides. */
	rc = ZSTD_decompress(to, (size_t)size, data, packed);
	if (!ZSTD_isError(rc) && rc == (size_t)size)
		return KT_OK;
	out->size = before;
	to[0] = '\0';
	if (ZSTD_isError(rc))
		return kt_fail(err, KT_ERR_CORRUPT, "stored data is damaged: %s", ZSTD_getErrorName(rc));
	return kt_fail(err, KT_ERR_CORRUPT, "stored data is damaged: its size is not what it was");
}
