/*
 * The command model: an nvcc command line as data. Options are rows of one
 * table (options.def); what is not in it is passed through and makes the
 * command "not ours".
 */
#ifndef KT_LAUNCH_COMMAND_H
#define KT_LAUNCH_COMMAND_H

#include <stdint.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/reason.h"

struct kt_gencode {
	int64_t arch;      /* compute capability × 10 */
	bool real, virtual_; /* code=sm_XX; code=compute_XX. Neither: lto_XX, code comes at link time */
	char feature;        /* 'a' of sm_90a, 'f' of sm_100f, else NUL */
};

struct kt_command {
	size_t argc;
	char **argv;               /* as given, compiler first */
	const char *compiler;      /* argv[0] resolved along PATH; NULL: not found */
	const char *nvcc;          /* the compiler proper resolved along PATH ("ccache nvcc": nvcc); NULL: not found */
	size_t compiler_words;     /* words before the options: 1, or more for "ccache nvcc" */
	const char *directory;     /* working directory, absolute */
	enum kt_reason decline;    /* NONE: ours (as far as the command line can tell) */
	size_t input_index;        /* into argv */
	const char *input, *output;/* as given; output is derived when -o is absent */
	bool has_output;
	bool compiles_object;      /* -c, -dc, -dw */
	bool device_debug;         /* -G */
	bool werror;
	size_t gencode_count;
	struct kt_gencode *gencodes; /* none, and none of the next three: nvcc's default architecture */
	bool arch_native;            /* -arch=native: whatever GPU is there */
	bool arch_all, arch_all_major; /* -arch=all, all-major: what this nvcc knows */
	bool wants_dependencies;   /* a depfile is written beside compiling (-MD/-MMD and aliases) */
	bool system_dependencies;  /* -MD rather than -MMD */
	bool phony_dependencies;   /* -MP */
	const char *depfile;       /* -MF, or derived */
	size_t dependency_target_count;
	const char **dependency_targets; /* -MT */
	size_t include_count;
	const char **include_dirs;       /* -I, in order */
	size_t system_include_count;
	const char **system_include_dirs; /* -isystem */
	size_t quote_include_count;
	const char **quote_include_dirs; /* the host compiler's -iquote */
	size_t forced_include_count;
	const char **forced_includes;    /* -include */
	size_t definition_count;
	const char **definitions;        /* "-DNAME=…", "-UNAME", in order */
	const char *standard;            /* "c++17"; NULL: nvcc's default */
	bool uses_environment_flags;     /* NVCC_PREPEND_FLAGS / NVCC_APPEND_FLAGS were merged in */
	size_t options_file_count;
	const char **options_files;      /* every options file that was read, also nested ones */
	unsigned *word_effects;          /* a word of argv: the enum kt_option_effect of its option */
};

/* Reads argv[0, argc) with the environment's NVCC_*_FLAGS and option files. Fails only when out of memory. */
kt_status kt_command_parse(struct kt_command **out, struct kt_arena *arena, int argc, char **argv,
                           struct kt_error *err) KT_MUST_CHECK;

/* nvcc and the options that decide device code: what kt_compile.arguments wants. */
char **kt_command_code_arguments(struct kt_arena *arena, const struct kt_command *command);
/*
 * The command with another input: for an emitted file. Adds -I for ktune.h,
 * the source's directory first for quoted includes; `keep_dependencies` false
 * takes -M… away.
 */
char **kt_command_emitted(struct kt_arena *arena, const struct kt_command *command, const char *emitted,
                          bool keep_dependencies);
/* Arguments for libclang: -I, -isystem, -D, -std=, -include …, --cuda-path=, --cuda-gpu-arch= are added by the caller. */
char **kt_command_clang_arguments(struct kt_arena *arena, size_t *count, const struct kt_command *command);
/* The toolkit's root ("/usr/local/cuda") from the compiler's place; NULL when unknown. */
char *kt_command_toolkit(struct kt_arena *arena, const struct kt_command *command);

#endif
