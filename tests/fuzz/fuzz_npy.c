/*
 * A NumPy file, as somebody else may have made it. Input: its bytes.
 *
 * Holds: what is accepted has a type that a buffer can have, its numbers end where the input does, and the same header in
 * front of other numbers of this size says the same; what is refused has a reason without control characters.
 */
#include <string.h>

#include "base/npy.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_npy npy = {.count = -1}, again = {.count = -1};
	struct kt_error err = {.message = ""};
	const size_t head = size < KT_NPY_HEADER_BYTES ? size : KT_NPY_HEADER_BYTES;

	if (kt_npy_header(&npy, data, head, size, &err) == KT_OK) {
		KT_FUZZ_REQUIRE(kt_scalar_bytes(npy.scalar) > 0 && npy.count >= 0 && npy.offset <= head);
		KT_FUZZ_REQUIRE((uint64_t)npy.count * kt_scalar_bytes(npy.scalar) == size - npy.offset);
		KT_FUZZ_REQUIRE(kt_npy_header(&again, data, npy.offset, size, &err) == KT_OK);
		KT_FUZZ_REQUIRE(again.scalar == npy.scalar && again.count == npy.count && again.offset == npy.offset);
		KT_FUZZ_REQUIRE(kt_npy_header(&again, data, npy.offset, size + 1, &err) != KT_OK);
	} else {
		KT_FUZZ_REQUIRE(npy.count == -1 && err.message[0] != '\0');
		for (const char *at = err.message; *at != '\0'; at++)
			KT_FUZZ_REQUIRE((unsigned char)*at >= ' ' && *at != 0x7f);
	}
	return 0;
}
