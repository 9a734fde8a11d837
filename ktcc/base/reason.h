/*
 * Why ktcc keeps an original kernel: every refusal is a row here, counted in the
 * store under its name (`ktcc cache stats`). A message names place, cause and
 * fix in this order: the place is printed by the caller, kt_reason_line gives
 * the rest.
 */
#ifndef KT_BASE_REASON_H
#define KT_BASE_REASON_H

#include <stdbool.h>

#include "base/arena.h"

/* X(identifier, name, cause, fix, quiet): "" is a result with nothing to fix; quiet ones are never printed. */
#define KT_REASONS(X) \
	X(NOT_OURS, "not-a-cuda-compilation", "no CUDA source that is compiled", "", true) \
	X(SEVERAL_INPUTS, "several-inputs", "the command compiles several inputs", \
	  "compile one file per command", false) \
	X(STDIN, "standard-input", "the source comes from standard input", "compile a file", true) \
	X(CLANG, "clang-not-tuned", "there is no entry, and entries are made with nvcc, not with clang", \
	  "run `ktcc tune FILE -- FLAGS` with nvcc on a machine with a GPU", false) \
	X(CACHE, "cache-in-front", "a compiler cache runs ktcc and would keep objects of older entries", \
	  "put ktcc before the cache (`ktcc ccache nvcc …`)", false) \
	X(OUTPUT, "output-not-a-file", "the output is not a regular file", "name a file with -o", false) \
	X(FOLDER, "folder-is-a-link", "the folder <object>.ktune next to the object is a symbolic link", \
	  "remove the link", false) \
	X(NO_REGION, "no-region", "no #pragma ktune in the file", "", true) \
	X(DISABLED, "disabled", "KTUNE_MODE=off or KTUNE_DISABLE is set", "unset it to use entries", true) \
	X(DEBUG, "device-debug", "-G is given, which keeps the original kernels", "compile without -G", false) \
	X(UNKNOWN_OPTION, "unknown-option", "the command has an option that ktcc does not know", \
	  "report the option, or compile this file without ktcc", false) \
	X(NO_CLANG, "no-libclang", "libclang 16 or newer was not found", \
	  "install it, or set KTUNE_LIBCLANG to its path", false) \
	X(SCAN_FAILED, "scan-failed", "the source could not be analysed", \
	  "check that the same flags compile the file without ktcc", false) \
	X(PRAGMA_ERROR, "pragma-error", "the pragma has errors", "correct what the error lines above name", false) \
	X(NO_GPU, "no-gpu", "there is no entry, and no GPU to tune on", \
	  "run `ktcc tune --lock-dir ktune.lock FILE -- FLAGS` on a machine with a GPU and commit ktune.lock/", false) \
	X(NO_ENERGY, "no-energy-counter", "KTUNE_OBJECTIVE asks for energy, which could not be measured on this device", \
	  "set KTUNE_OBJECTIVE=time, or tune on an NVIDIA GPU of Volta or newer", false) \
	X(NO_ENTRY, "no-entry", "there is no entry for this device", "run `ktcc tune FILE -- FLAGS`", false) \
	X(OLDER_TEXT, "entry-of-older-text", "an entry exists for an older text of the kernel", \
	  "run `ktcc tune FILE -- FLAGS`", false) \
	X(NO_KEY, "no-region-key", "the kernel does not compile on its own", \
	  "check that the file compiles without ktcc", false) \
	X(UNKNOWN_DEVICE, "unknown-device", "no entry is for the device that KTUNE_DEVICE names", \
	  "name one of those devices, or tune on that one", false) \
	X(NO_LOCK_DIR, "no-lock-directory", "the lock directory that a setting names does not exist", \
	  "`ktcc tune --lock-dir`, `ktcc cache export` or ktune_target() makes it", false) \
	X(UNTRUSTED, "not-trusted", "another user could have written the lock directory", \
	  "change its owner or mode, or list it in KTUNE_SAFE_DIRECTORY", false) \
	X(NO_STORE, "no-store", "the store cannot be used", "check KTUNE_CACHE_DIR with `ktcc doctor`", false) \
	X(ARCHITECTURE, "architecture-not-compiled", "the command does not compile for the device's architecture", \
	  "add that architecture to -arch or -gencode", false) \
	X(ARGUMENTS, "arguments-unknown", "kernel arguments cannot be built from the clauses", \
	  "add a clause for the argument: in, out, inout or value", false) \
	X(ARGUMENT_TYPE, "argument-type", "a kernel argument has a type that ktcc cannot build", \
	  "pass the members that the kernel reads as separate arguments", false) \
	X(GEOMETRY, "geometry-unknown", "the launch geometry is not an expression over known names", \
	  "write the geometry as clauses", false) \
	X(NO_LAUNCH, "no-launch", "no launch of the kernel is in this file", \
	  "write the pragma above a declaration of the kernel in a header that both files include", false) \
	X(ELSEWHERE, "defined-elsewhere", "another source defines the kernel", \
	  "tune that source: launches here run the variants that it has", true) \
	X(TEMPLATE_ELSEWHERE, "template-elsewhere", "a kernel template is defined in one source and launched in others", \
	  "define it in the header with its body, or launch it by a function of the source that defines it", false) \
	X(KERNEL_IN_MACRO, "kernel-in-macro", "a macro makes the kernel or a part of its definition", \
	  "write its name, parameters and body in the file itself", false) \
	X(NO_INSTANCE, "no-instance", "no instance of the kernel template is known", \
	  "write an explicit instantiation (`template __global__ void …;`) with the arguments that are launched", false) \
	X(INSTANCE_EXCLUDED, "instance-excluded", "the clause instances(…) leaves this instance of the kernel out", \
	  "name it in the clause, or leave the clause out", true) \
	X(INSTANCE_GROUP, "instance-group", "a launch in a host template is dispatched for the first pragma of its kernel alone", \
	  "write the pragma of the instances that are launched there first, or launch the instance by its name", false) \
	X(LAUNCH_IN_MACRO, "launch-in-macro", "the launch is in the body of a macro that has several definitions, names itself, or has no whole launch", \
	  "write the launch outside of the macro, or pass it as the macro's argument", false) \
	X(LAUNCH_FORM, "launch-form", "the launch has a form that cannot be rewritten", \
	  "launch the kernel by its name: `kernel<<<grid, block>>>(…)`", false) \
	X(BLOCK_FORM, "launch-region-form", \
	  "the block has more between its launches than declarations and checks for errors", \
	  "move other statements before or after the block", false) \
	X(BLOCK_STREAMS, "launch-region-streams", "the launches of the block are on different streams", \
	  "launch all kernels of the block on one stream", false) \
	X(BLOCK_EFFECTS, "launch-region-effects", "an expression of the block may have side effects", \
	  "compute it in a variable before the block", false) \
	X(BLOCK_ORDER, "launch-region-order", "what the block needs is not known before its first launch", \
	  "declare it before the block", false) \
	X(BLOCK_SCOPE, "launch-region-scope", "the kernels of the block are in different namespaces", \
	  "move them into one namespace", false) \
	X(LAUNCH_ORDER, "launch-order", \
	  "an expression of the launch changes a variable that a problem variable is computed from", \
	  "change the variable before or after the launch", false) \
	X(LAUNCH_FUNCTION, "launch-by-function", "a function of the runtime launches the kernel", \
	  "launch it with `<<<…>>>`", false) \
	X(LAUNCH_VARIABLE, "launch-by-variable", \
	  "a variable holds the kernel that is launched, and a problem variable is no argument of the kernel", \
	  "launch the kernel by its name, or make the problem variable an argument of the kernel", false) \
	X(LAUNCH_DEVICE, "launch-from-device", "device code launches the kernel", "launch it from host code", false) \
	X(ADDRESS, "address-taken", "the kernel's address is taken, so other code may launch it", \
	  "launch it by its name as well", false) \
	X(KERNEL_ATTRIBUTE, "kernel-attribute", \
	  "the program sets an attribute of the kernel, which a variant would not have", \
	  "remove the call, or give it another kernel", false) \
	X(KERNEL_OCCUPANCY, "kernel-occupancy", \
	  "the program asks for the kernel's occupancy, which a variant does not have", \
	  "write the launch's grid and block as expressions of the problem", false) \
	X(BINDING, "binding-unknown", "a problem variable cannot be computed at the launch", \
	  "write `#pragma ktune bind(VARIABLE = EXPRESSION)` above the launch", false) \
	X(PARAMETER, "parameter-not-found", "a parameter is no macro, constant or template parameter of the kernel", \
	  "use the parameter's name in the kernel, or correct it in tune(…)", false) \
	X(PARAMETER_ESCAPES, "parameter-escapes", "a parameter is also used outside the kernel and its launches", \
	  "give the kernel a separate macro or constant", false) \
	X(PARAMETER_IN_MACRO, "parameter-in-macro", "a parameter is used in the body of a macro", \
	  "write the parameter in the kernel itself", false) \
	X(MUTABLE_GLOBAL, "mutable-global", "the kernel uses a device variable without a clause", \
	  "add in, out or inout with the variable's name, or make it const", false) \
	X(IN_HEADER, "region-in-header", "the header that contains the region cannot be copied", \
	  "move the kernel into the source file", false) \
	X(HEADER_FORCED, "header-from-command-line", "the header is included by the command line", \
	  "include it in the source with #include", false) \
	X(HEADER_TWICE, "header-read-twice", "the header, or one that includes it, is read more than once", \
	  "give it an include guard", false) \
	X(INCLUDE_NEXT, "include-next", "#include_next leads to the header or is in it", "use #include", false) \
	X(COMPUTED_INCLUDE, "computed-include", "an include whose name is computed leads to the header", \
	  "write the file name in the #include", false) \
	X(INCLUDE_AMBIGUOUS, "include-ambiguous", "an include would find another file from a copy of the header", \
	  "write the include so that only one file matches it", false) \
	X(NOTHING_TO_TUNE, "nothing-to-tune", "no parameter to tune", \
	  "write tune(NAME = …), or remove auto(off)", false) \
	X(NO_STRATEGY, "no-strategy", "the generator found nothing to change", \
	  "`ktcc explain --analysis FILE` names what prevents it; tune(NAME = …) tunes parameters of your own", false) \
	X(GENERATE_FAILED, "generator-failed", "the generator did not answer", \
	  "see KTUNE_LOG; `ktcc doctor` checks the installation", false) \
	X(NO_GENERATOR, "no-generator", "KTUNE_GENERATOR names a generator that is not installed", \
	  "use rules, ir, llm or off", false) \
	X(EMPTY_SPACE, "empty-space", "no configuration is legal on the device", \
	  "`ktcc space FILE` counts what each restriction and limit excludes; relax one", false) \
	X(BASELINE_FAILED, "baseline-failed", "the original kernel could not be run on its own problems", \
	  "check the element counts of the clauses: `ktcc verify FILE` runs it alone", false) \
	X(REFERENCE_FAILED, "reference-failed", \
	  "the original does not agree with its host reference, or the reference cannot be run", \
	  "correct the kernel, the reference or tolerance(…)", false) \
	X(TUNE_FAILED, "tuning-failed", "tuning did not finish", \
	  "see KTUNE_LOG, then run `ktcc tune FILE -- FLAGS` again", false) \
	X(CANDIDATES_FAILED, "candidates-failed", \
	  "every configuration that ktcc wrote failed, which is a defect of ktcc", \
	  "report the kernel with this line", false) \
	X(BASELINE_BEST, "baseline-best", "no configuration beats the original", "", false) \
	X(EMIT_FAILED, "emit-failed", "the specialised source could not be written", \
	  "make the folder of the object writable", false) \
	X(EMITTED_NO_COMPILE, "emission-did-not-compile", "the specialised source did not compile", \
	  "report it with the output of KTUNE_LOG", false) \
	X(BAD_ENTRY, "bad-entry", "an entry is damaged", \
	  "restore the file, or tune again with `ktcc tune FILE -- FLAGS`", false) \
	X(ENTRY_UNFIT, "entry-does-not-fit", "an entry does not fit the region", \
	  "run `ktcc tune --retune FILE -- FLAGS`", false) \
	X(UNSIGNED, "unsigned-text", "text of a model comes from elsewhere, and no key that you trust has signed it", \
	  "`ktcc key trust FILE` if you trust its author", false) \
	X(CHECK_LIMIT, "check-limit", "checking texts of entries took more processor time than a command may spend", \
	  "raise KTUNE_CHECK_SECONDS", false) \
	X(NOT_REBUILT, "recipe-not-rebuilt", "the rules cannot follow the recipe of an entry", \
	  "run `ktcc tune --retune FILE -- FLAGS`", false) \
	X(BUDGET, "budget", "the tuning budget was spent", "raise KTUNE_BUDGET", false) \
	X(BUILD_BUDGET, "build-budget", "KTUNE_BUILD_BUDGET is spent", \
	  "run `ktcc tune FILE -- FLAGS`, or raise it", false) \
	X(BUSY, "busy", "another process uses the tuner for too long", "build again, or raise KTUNE_WAIT", false) \
	X(RECURSION, "recursion", "ktcc was started by itself", "", true) \
	X(INTERNAL, "internal", "an internal error", "report it with the output of KTUNE_LOG", false)

enum kt_reason {
	KT_REASON_NONE,
#define KT_REASON_ROW(id, name, cause, fix, quiet) KT_REASON_##id,
	KT_REASONS(KT_REASON_ROW)
#undef KT_REASON_ROW
	KT_REASON_COUNT
};

const char *kt_reason_name(enum kt_reason reason);
const char *kt_reason_text(enum kt_reason reason); /* the cause alone */
const char *kt_reason_fix(enum kt_reason reason);  /* "": nothing to fix */
/*
 * "CAUSE: DETAIL; FIX". `detail` (NULL: none) is the place and the cause in this very case. Where the case has another
 * fix, the detail names it after "; ", and the row's is left out. In the arena; the cause alone when out of memory.
 */
const char *kt_reason_line(struct kt_arena *arena, enum kt_reason reason, const char *detail);
bool kt_reason_quiet(enum kt_reason reason);
/* KT_REASON_NONE for an unknown name. */
/*
 * The same with the command for this file in the place of `ktcc tune FILE -- FLAGS`: without flags for OpenCL, and with
 * --compile-commands where the working directory or one above it is the folder of a CMake build.
 */
const char *kt_reason_line_for(struct kt_arena *arena, enum kt_reason reason, const char *detail, const char *file);
enum kt_reason kt_reason_from_name(const char *name);

#endif
