/*
 * The command model: an nvcc command line as data. Options are rows of one
 * table (options.def); what is not in it is passed through and makes the
 * command "not ours".
 */
#ifndef KT_LAUNCH_COMMAND_H
#define KT_LAUNCH_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/emitted.h"
#include "base/reason.h"

struct kt_gencode {
	int64_t arch;        /* compute capability × 10 */
	int64_t via;         /* the virtual architecture that it is compiled through: __CUDA_ARCH__ is ten times this */
	bool real, virtual_; /* code=sm_XX; code=compute_XX. Neither: lto_XX, code comes at link time */
	char feature;        /* 'a' of sm_90a, 'f' of sm_100f, else NUL */
};

/* What comes out of the compilation. */
enum kt_stage { KT_STAGE_OBJECT, KT_STAGE_PTX, KT_STAGE_CUBIN, KT_STAGE_FATBIN, KT_STAGE_PROGRAM };

/* One word as nvcc sees it, whatever it came from. */
struct kt_word {
	const char *text;
	unsigned effects; /* enum kt_option_effect of the option that it belongs to */
	bool environment; /* is in NVCC_PREPEND_FLAGS or NVCC_APPEND_FLAGS, or in a file named there */
};

struct kt_command {
	size_t argc;
	char **argv;               /* as given, compiler first */
	const char *compiler;      /* argv[0] resolved along PATH; NULL: not found */
	const char *nvcc;          /* the compiler proper resolved along PATH ("ccache nvcc": nvcc); NULL: not found */
	bool is_clang;             /* it is clang: entries are used, never made (candidates are nvcc's) */
	size_t compiler_words;     /* words before the options: 1, or more for "ccache nvcc" */
	const char *directory;     /* working directory, absolute */
	enum kt_reason decline;    /* NONE: ours (as far as the command line can tell) */
	const char *odd_word;      /* the first word that makes it UNKNOWN_OPTION; NULL: something missing does */
	size_t input_count;        /* CUDA sources; one, unless the command is declined */
	const char **inputs;
	size_t input_index;        /* into argv; for nvcc where expands is not set */
	bool expands;              /* input, output or a -M… is in an options file, which its words must replace */
	const char *input, *output;/* as given; output is derived when -o is absent */
	bool has_output;
	enum kt_stage stage;       /* PROGRAM: compiled and linked in one command */
	bool device_debug;         /* -G */
	bool device_only;          /* clang's --cuda-device-only */
	const char *cuda_path;     /* clang's --cuda-path; NULL: where nvcc is found */
	bool pragma_error;         /* -Werror=unknown-pragmas: asked for, and never switched off */
	bool coverage;             /* the host compiler writes notes for gcov, and no option excludes files from them */
	size_t gencode_count;
	struct kt_gencode *gencodes; /* none, and none of the next three: nvcc's default architecture */
	bool arch_native;            /* -arch=native: whatever GPU is there */
	bool arch_all, arch_all_major; /* -arch=all, all-major: what this nvcc knows */
	bool wants_dependencies;   /* a depfile is written beside compiling (-MD/-MMD and aliases) */
	bool system_dependencies;  /* -MD rather than -MMD */
	bool phony_dependencies;   /* -MP */
	bool depfile_given;        /* -MF */
	bool target_given;         /* -MT */
	const char *depfile;       /* -MF, or derived */
	size_t dependency_target_count;
	const char **dependency_targets; /* -MT, in the folder of -odir */
	const char *dependency_name;     /* the value of -MT that leads to the target */
	size_t include_count;
	const char **include_dirs;       /* -I, in order */
	size_t system_include_count;
	const char **system_include_dirs; /* -isystem */
	size_t quote_include_count;
	const char **quote_include_dirs; /* the host compiler's -iquote */
	size_t forced_include_count;
	const char **forced_includes;    /* -include */
	size_t host_argument_count;
	const char **host_arguments;     /* the host compiler's that libclang must be given too: -idirafter, --sysroot=… */
	size_t definition_count;
	const char **definitions;        /* "-DNAME=…", "-UNAME", in order */
	size_t implied_count;
	const char **implied;            /* the same for the macros that options stand for: -rdc=true, -default-stream */
	const char *standard;            /* "c++17"; NULL: nvcc's default */
	bool uses_environment_flags;     /* NVCC_PREPEND_FLAGS / NVCC_APPEND_FLAGS were merged in */
	size_t options_file_count;
	const char **options_files;      /* every options file that was read, also nested ones */
	unsigned *word_effects;          /* a word of argv: the enum kt_option_effect of its option */
	size_t word_count;
	struct kt_word *words;           /* the options in the order of their effect: those of the environment and of
	                                    options files are in their places, --options-file itself is not */
};

/* Reads argv[0, argc) with the environment's NVCC_*_FLAGS and option files. Fails only when out of memory. */
kt_status kt_command_parse(struct kt_command **out, struct kt_arena *arena, int argc, char **argv,
                           struct kt_error *err) KT_MUST_CHECK;

/*
 * nvcc, without launchers before it, and the options that decide device code:
 * what kt_compile.arguments wants. The environment's options are among them;
 * it must not act a second time.
 */
char **kt_command_code_arguments(struct kt_arena *arena, const struct kt_command *command);
/*
 * The command with another input: for an emitted file. An options file that holds what must be
 * replaced gives way to its words. Adds -I for ktune.h, and
 * first for quoted includes the folders of the emission (NULL: the source's
 * alone); `keep_dependencies` false takes -M… away.
 */
char **kt_command_emitted(struct kt_arena *arena, const struct kt_command *command, const char *emitted,
                          const struct kt_emitted *emission, bool keep_dependencies);
/*
 * Arguments for libclang: -std=, the macros that nvcc defines by itself
 * (macros.h), -I, -isystem, -D, -include; --cuda-path= and --cuda-gpu-arch= are
 * added by the caller.
 */
char **kt_command_clang_arguments(struct kt_arena *arena, size_t *count, const struct kt_command *command);

#endif
