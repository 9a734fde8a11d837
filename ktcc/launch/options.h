/*
 * The table of nvcc's options (options.def) and how a word is looked up in it.
 * A value follows as the next word or after '='; only one-letter options
 * marked JOINED take it glued to the name. Long names need "--", short "-".
 */
#ifndef KT_LAUNCH_OPTIONS_H
#define KT_LAUNCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum kt_option_value {
	KT_VALUE_NONE = 0,
	KT_VALUE_ONE = 1,    /* one value, taken unmodified */
	KT_VALUE_LIST = 2,   /* commas separate; backslash escapes, double quotes protect and stay */
	KT_VALUE_PATHS = 3,  /* commas separate; double quotes protect and go; a backslash is a character */
	KT_VALUE_KIND = 3,
	KT_VALUE_JOINED = 4,
};

enum kt_option_effect {
	KT_EFFECT_STAGE = 1 << 0,       /* asks for something else than an object: the command is not ours */
	KT_EFFECT_OBJECT = 1 << 1,      /* asks for an object, PTX, a cubin or a fatbin */
	KT_EFFECT_SOURCE = 1 << 2,      /* an input, or how inputs are taken */
	KT_EFFECT_RESULT = 1 << 3,      /* where and how files are written */
	KT_EFFECT_DEPENDENCY = 1 << 4,  /* the depfile */
	KT_EFFECT_PREPROCESS = 1 << 5,  /* macros and includes */
	KT_EFFECT_CODE = 1 << 6,        /* device code, as PTX */
	KT_EFFECT_TARGET = 1 << 7,      /* for which architectures */
	KT_EFFECT_RELOCATION = 1 << 8,  /* relocatable device code, link-time optimisation */
	KT_EFFECT_SELECTION = 1 << 9,   /* which kernels are compiled */
	KT_EFFECT_HOST = 1 << 10,       /* the host compiler */
	KT_EFFECT_LINKING = 1 << 11,    /* the linker and archiver */
	KT_EFFECT_MESSAGE = 1 << 12,    /* what is reported, and what is an error */
	KT_EFFECT_SPEED = 1 << 13,      /* how fast the compiler works */
	KT_EFFECT_ASSEMBLE = 1 << 14,   /* what ptxas makes of PTX */
};

enum kt_option_id {
#define OPTION(id, long_name, short_name, value, effects, nvrtc) KT_OPTION_##id,
#include "launch/options.def"
#undef OPTION
	KT_OPTION_COUNT
};

struct kt_option {
	const char *long_name, *short_name; /* short_name is "" when there is none */
	unsigned value;                     /* enum kt_option_value */
	unsigned effects;                   /* enum kt_option_effect */
	const char *nvrtc;                  /* its form for NVRTC: a text, or one of KT_NVRTC_… below */
};

/* Forms that are not texts; compared as pointers. */
extern const char KT_NVRTC_SAME[], KT_NVRTC_READ[], KT_NVRTC_IGNORED[], KT_NVRTC_REFUSED[];

const struct kt_option *kt_option(enum kt_option_id id);

/*
 * What option `word` (starting with '-') is: its id, and in *value the value
 * that the word itself carries (after '=' or glued; NULL: none, so an option
 * that wants one takes the next word). KT_OPTION_COUNT: unknown to nvcc, also
 * for a value after '=' of an option that takes none.
 */
enum kt_option_id kt_option_find(const char **value, const char *word);

#endif
