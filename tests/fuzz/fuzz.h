/*
 * Shared by the fuzz targets. A target is one fuzz_NAME.c with libFuzzer's
 * LLVMFuzzerTestOneInput; corpus/NAME/ holds the inputs that are kept and
 * NAME.dict, where there is one, the words of its language. With KT_FUZZ a
 * target searches for new inputs, else it runs over the kept ones.
 *
 * A target asserts what must hold of any input, not only that nothing crashes.
 */
#ifndef KT_FUZZ_H
#define KT_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* libFuzzer's two entry points; Initialize only where a target defines it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Ends the program with the place and the condition when it does not hold. */
#define KT_FUZZ_REQUIRE(condition) ((condition) ? (void)0 : kt_fuzz_broken(__FILE__, __LINE__, #condition))
_Noreturn void kt_fuzz_broken(const char *file, int line, const char *condition);

/* An input of several texts, each ended by a byte 1: the rest of it. */
struct kt_fuzz_input {
	const uint8_t *at;
	size_t size;
};

/* The next text, cut at its first NUL; "" behind the last one. Lives in arena. */
char *kt_fuzz_part(struct kt_arena *arena, struct kt_fuzz_input *input);
/* The lines of text, which is cut up; at most `most` of them, and a NULL behind. An empty text has none. */
size_t kt_fuzz_lines(char **lines, size_t most, char *text);
/* Makes a private folder the working directory; it goes when the program ends. */
void kt_fuzz_enter_folder(void);
/* Sets an environment variable in place: setenv would keep every value it was ever given. At most 4095 bytes. */
void kt_fuzz_environment(char slot[4096], const char *name, const char *value);

#endif
